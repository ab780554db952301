"""Heat maps: frames are closer than windows, on made-up matches and on a real one."""

from __future__ import annotations

from dataclasses import replace
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from streamframes.study.data.dwell import MICROS, gathered, heat, positions
from streamframes.study.experiments.heatmap import REPORTS, STUDY, widest, window_lengths
from streamframes.study.report.outcome import Outcome

MATCH = Path(__file__).resolve().parents[3] / "shared" / "data" / "4_soccer" / "skillcorner_tracking_10hz.parquet"
TIMES = gathered(
    {
        "exact": pa.table(
            {"player": ["a", "a", "b"], "cell_x": [1, 1, 2], "cell_y": [1, 2, 3], "seconds": [1.0, 2.0, 9.0]}
        ),
        "frames": pa.table({"player": ["b"], "cell_x": [16], "cell_y": [25], "seconds": [4.0]}),
    }
)


def errors_of(outcome: Outcome) -> tuple[dict[str, float], dict[str, list[float]]]:
    """The error of frames, and those of windows from the longest to the shortest, by report."""
    rows = outcome.table("heatmap").where()
    frames = {row["report"]: row["rms_s"] for row in rows if row["segments"] == "boundary frames"}
    windows = {report: [row["rms_s"] for row in rows if row["report"] == report][1:] for report in frames}
    return frames, windows


def test_a_map_adds_up_the_time_of_one_player() -> None:
    assert heat(TIMES, "exact", "a")[0, :2].tolist() == [1.0, 2.0]
    assert heat(TIMES, "frames", "b")[15, 24] == heat(TIMES, "frames", "b").sum() == 4.0


def test_the_player_of_the_picture_is_the_one_in_the_most_cells() -> None:
    assert widest(TIMES) == "a"


def test_windows_divide_a_slide_and_hold_two_positions() -> None:
    assert window_lengths(1, 5_000) == [1_000_000, 500_000, 200_000, 100_000]
    assert window_lengths(1, 100_000) == [1_000_000, 500_000, 200_000]


def test_times_may_be_of_tables_that_hold_nulls_and_of_some_that_do_not() -> None:
    half = pa.array([1], pa.int32())
    literal = pa.table({"half": half}, schema=pa.schema([pa.field("half", pa.int32(), nullable=False)]))
    table = gathered({"exact": literal, "frames": pa.table({"half": half})})
    assert table.to_pydict() == {"half": [1, 1], "way": ["exact", "frames"]}


@pytest.mark.spark
def test_positions_need_not_say_which_half_it_is(spark: Any) -> None:
    rows = spark.range(40).selectExpr(
        "timestamp_seconds(id div 2) AS ts",
        "CAST(id % 2 AS STRING) AS player",
        "CAST(id + 1 AS DOUBLE) AS x",
        "5.0D AS y",
    )
    found = positions(replace(STUDY, least=40).lab(spark, data=rows))
    ways = {"exact": found.time_by_positions(MICROS), "frames": found.time_by_frames(MICROS)}
    times = gathered({name: table.toArrow() for name, table in ways.items()})
    assert times.filter(pc.field("way") == "exact").drop("way").sort_by("bucket")["seconds"].to_pylist() == [1.0] * 40


@pytest.mark.spark
def test_maps_of_frames_are_closer_than_those_of_any_windows(spark: Any, monkeypatch: Any) -> None:
    reports = REPORTS[:2]
    monkeypatch.setattr("streamframes.study.experiments.heatmap._ROUNDS", 1)
    monkeypatch.setattr("streamframes.study.experiments.heatmap.REPORTS", reports)
    outcome = STUDY.run(STUDY.lab(spark, rows=96_000, seed=3))
    frames, windows = errors_of(outcome)
    assert list(frames) == [f"{length} s / {slide} s" for length, slide in reports]
    for report, error in frames.items():
        assert error < min(windows[report])
        assert windows[report] == sorted(windows[report], reverse=True)
    # The longer the slide, the longer the windows, and the larger what they get wrong.
    assert windows["60 s / 10 s"][0] > windows["60 s / 1 s"][0]
    assert [claim.holds for claim in outcome.claims][:2] == [True, True]
    assert all(row["wrong_pct"] < 1 for row in outcome.table("heatmap").where(segments="boundary frames"))
    for picture in outcome.pictures:
        assert picture.draw().axes


@pytest.mark.spark
def test_frames_have_the_time_of_all_positions(spark: Any) -> None:
    seen = positions(STUDY.lab(spark, rows=96_000, seed=4))
    exact, frames = (rows.toArrow() for rows in (seen.time_by_positions(10**7), seen.time_by_frames(10**7)))
    total = exact["seconds"].to_numpy().sum()
    assert total == pytest.approx(16 * 600)
    assert np.abs(frames["seconds"].to_numpy().sum() - total) < 1e-3


@pytest.mark.spark
@pytest.mark.skipif(not MATCH.exists(), reason="shared data is not here")
def test_maps_of_a_real_match_are_closest_by_frames(spark: Any) -> None:
    lab = STUDY.lab(spark, data=spark.read.parquet(str(MATCH)).where("frame < 10000"), source=MATCH.name)
    outcome = STUDY.run(lab)
    frames, windows = errors_of(outcome)
    assert all(error < min(windows[report]) for report, error in frames.items())
    assert "single position" in " ".join(outcome.notes)
