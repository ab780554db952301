"""Points: frames leave few, and windows need more of them to be as close."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

from streamframes.study.experiments.points import STUDY

MATCH = Path(__file__).resolve().parents[3] / "shared" / "data" / "4_soccer" / "skillcorner_tracking_10hz.parquet"

pytestmark = pytest.mark.spark


def test_frames_leave_few_points_and_windows_need_more_to_be_as_close(
    spark: Any, monkeypatch: pytest.MonkeyPatch
) -> None:
    # As many positions a second, for fewer minutes.
    monkeypatch.setattr("streamframes.study.data.dwell._MINUTES", 3)
    monkeypatch.setattr("streamframes.study.experiments.points.LENGTHS", (5.0, 1.0, 0.2))
    outcome = STUDY.run(STUDY.lab(spark, rows=210_000, seed=3))
    positions, frames, as_many, *windows = outcome.table("points").where()
    assert 100 * frames["points"] <= positions["points"]
    assert abs(as_many["points"] - frames["points"]) < 0.05 * frames["points"]
    assert as_many["rms_s"] > frames["rms_s"]
    assert not any(row["points"] <= frames["points"] and row["rms_s"] <= frames["rms_s"] for row in windows)
    scans, slices, found, of_scans = outcome.table("dye").column("points")
    assert 10 * found <= slices < scans
    assert 100 * found <= scans
    assert abs(of_scans - found) < 0.05 * found
    assert all(claim.holds for claim in outcome.claims)
    assert len(outcome.pictures[0].draw().axes) == 3


@pytest.mark.skipif(not MATCH.exists(), reason="shared data is not here")
def test_a_real_match_has_no_dye(spark: Any) -> None:
    lab = STUDY.lab(spark, data=spark.read.parquet(str(MATCH)).where("frame < 10000"), source=MATCH.name)
    outcome = STUDY.run(lab)
    positions, frames, *windows = outcome.table("points").where()
    assert [table.name for table in outcome.tables] == ["points"]
    assert frames["points"] < positions["points"]
    assert all(row["rms_s"] > frames["rms_s"] for row in windows)
    assert len(outcome.pictures[0].draw().axes) == 2
