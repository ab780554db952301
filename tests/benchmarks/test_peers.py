"""Every tool finds the frames that the library finds, and the report says what was measured."""

from __future__ import annotations

import json
import subprocess
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from rich.console import Console

import streamframes as sf
from benchmarks.kit.polars_queries import polars_frames
from benchmarks.kit.rounds import Contender, Disagreement, Measurement, measure
from benchmarks.peers import chart as peer_chart
from benchmarks.peers import comparison as peers
from benchmarks.peers import outside
from benchmarks.peers import tools as peer_tools
from benchmarks.peers.chdb_queries import chdb_frames, is_installed
from benchmarks.peers.limit import limit_frames, limit_frames_by_polars, walked
from benchmarks.peers.options import KEYS, ROWS, PeerOptions, parse
from benchmarks.peers.report import report_of, speeds_of
from benchmarks.peers.targets import MANY_ROWS, TASK_NAMES, targets
from benchmarks.peers.tempo_queries import Intervals
from benchmarks.peers.tools import CHDB, DUCKDB, LIMIT, NUMBA, POLARS, SCAN, TABLE, TOOLS, WINDOWS, contenders_of
from streamframes.study.baselines.duckdb_queries import duckdb_frames
from streamframes.study.baselines.flink_queries import Matched
from streamframes.study.baselines.generated import Shape, files
from streamframes.study.baselines.tasks import BOUNDARY, DELTA, FILL, PEER_TASKS, THRESHOLD, Task
from tests.benchmarks.truth import frames_in, true_frames

QUIET = Console(quiet=True)
WAYS = [duckdb_frames, polars_frames, limit_frames, limit_frames_by_polars]
if is_installed():
    WAYS.append(chdb_frames)


@pytest.fixture(scope="module", params=[1, 7, 500])
def paths(request: Any, tmp_path_factory: pytest.TempPathFactory) -> list[str]:
    return files(Shape(6_000, request.param), tmp_path_factory.mktemp("rows"))


@pytest.mark.parametrize(
    ("way", "task"),
    [(way, task) for way in WAYS for task in PEER_TASKS if way is not chdb_frames or not task.is_sequential],
    ids=lambda each: each.name if isinstance(each, Task) else each.__name__,
)
def test_every_tool_finds_the_same_frames(way: Callable[..., pa.Table], task: Task, paths: list[str]) -> None:
    found = way(task, paths)
    assert frames_in(found) == true_frames(paths, task)
    if task.measures:
        expected = limit_frames(task, paths)
        for name in task.measures:
            ours, theirs = (table.sort_by([("frame_start", "ascending")])[name] for table in (found, expected))
            assert pc.max(pc.abs(pc.subtract(ours, theirs))).as_py() < 1e-12


def test_the_measures_are_those_of_the_rows_of_a_frame(tmp_path: Path) -> None:
    paths = files(Shape(2_000, 1), tmp_path)
    first = limit_frames(FILL, paths).sort_by("frame_start").slice(0, 1).to_pylist()[0]
    rows = pq.read_table(paths).to_pylist()
    inside = [row["value"] for row in rows if first["frame_start"] <= row["ts"] <= first["frame_end"]]
    assert (len(inside), max(inside)) == (first["frame_rows"], first["top"])
    assert first["mean"] == pytest.approx(sum(inside) / len(inside))


@pytest.mark.parametrize("way", [way for way in WAYS if not way.__name__.startswith("limit")])
def test_no_tool_but_the_limit_relies_on_the_order_of_the_files(way: Callable[..., pa.Table], tmp_path: Path) -> None:
    paths = files(Shape(3_000, 5, shuffled=True), tmp_path)
    for task in (THRESHOLD, BOUNDARY, FILL):
        assert frames_in(way(task, paths)) == true_frames(paths, task)


def test_the_limit_knows_which_frames_only_the_end_of_the_data_has_closed(tmp_path: Path) -> None:
    paths = files(Shape(3_000, 5), tmp_path)
    assert walked(DELTA, paths).n_open == 5


def seen(tool: str, task: str, rows: int, keys: int, speed: float) -> Measurement:
    """A measurement of that many million rows a second."""
    contender = Contender(tool, task, keys, rows, lambda: None, lambda: 7)
    return Measurement(contender, 7, [rows / speed / 1e6])


def all_seen(scan: float, peer: float, limit: float, table: float) -> list[Measurement]:
    speeds = {SCAN: scan, DUCKDB: peer / 2, POLARS: peer, LIMIT: limit, TABLE: table}
    places = [(task, rows, keys) for task in TASK_NAMES for rows in ROWS for keys in KEYS]
    return [seen(tool.name, *place, speed) for place in places for tool, speed in speeds.items()]


def test_targets_compare_the_scan_with_the_best_peer() -> None:
    peaks = {(MANY_ROWS, keys, task): 1000.0 for keys in KEYS for task in TASK_NAMES}
    good = list(targets(speeds_of(all_seen(40, 20, 60, 8)), peaks))
    assert len(good) == 30
    assert all(target.is_met for target in good)
    close = list(targets(speeds_of(all_seen(40, 30, 70, 8)), peaks))
    assert [target.promise for target in close if not target.is_met] == [
        "100,000,000 rows, threshold: speed / the best peer (worst: 1 key, Polars)",
        "100,000,000 rows, boundary: speed / the best peer (worst: 1 key, Polars)",
        "100,000,000 rows, fill: speed / the best peer (worst: 1 key, Polars)",
        *(f"100,000,000 rows, {task}: speed / limit: PyArrow + Numba (worst: 1 key)" for task in TASK_NAMES),
    ]


def test_the_worst_number_of_keys_counts() -> None:
    measured = [*all_seen(40, 20, 60, 8), seen(SCAN.name, "delta", MANY_ROWS, 100_000, 20)]
    figures = {target.promise: target.figure for target in targets(speeds_of(measured), {})}
    assert figures["100,000,000 rows, delta: speed / the best peer (worst: 100,000 keys, Polars)"] == 1.0
    assert figures["100,000,000 rows, delta: time of 100,000 keys / time of 100 keys"] == 2.0


def test_the_report_has_a_column_for_each_task_and_a_dash_for_what_is_missing(tmp_path: Path) -> None:
    options = PeerOptions(rows=(1_000,), out=tmp_path)
    report = report_of([seen(POLARS.name, "delta", 1_000, 7, 0.5)], {}, ["Something to know."], options, None)
    assert report.cells == [["1,000", "7", "Polars", "-", "0.500", "-", "-", "-"]]
    assert report.targets == []
    assert report.notes[-2:] == ["Something to know.", "The targets are meant for 20,000,000 and 100,000,000 rows."]


def test_the_picture_has_a_panel_for_each_task(tmp_path: Path) -> None:
    measured = [*all_seen(40, 20, 60, 8), seen(outside.FLINK, "delta", 50_000, 100, 0.003)]
    panels = peer_chart.draw(speeds_of(measured), TASK_NAMES, 100).axes
    assert [panel.get_title(loc="left") for panel in panels] == list(TASK_NAMES)
    assert "0.003 *" in [text.get_text() for text in panels[1].texts]
    assert peer_chart.save(speeds_of(measured), TASK_NAMES, 100, tmp_path).stat().st_size > 10_000


def test_options_choose_tasks_tools_and_sizes() -> None:
    names = [tool.short for tool in TOOLS]
    given = parse("", names, ["--rows", "300", "20", "--tasks", "fill", "--tools", "polars", "limit"])
    assert (given.rows, given.tasks, given.tools) == ((20, 300), (FILL,), ("polars", "limit"))
    assert parse("", names, ["--quick"]).out != parse("", names, []).out
    assert parse("", names, []).rows == ROWS


def test_slow_tools_stay_away_from_large_tables() -> None:
    options = PeerOptions(tasks=(THRESHOLD, DELTA), tools=(WINDOWS.short, NUMBA.short))
    told = list(contenders_of(Shape(MANY_ROWS, 1), [], None, options, {}))
    assert told == [f"{tool.name}: not above 20,000,000 rows, where it takes minutes." for tool in (WINDOWS, NUMBA)]
    options = PeerOptions(tasks=(DELTA,), tools=(NUMBA.short,))
    (many_keys,) = contenders_of(Shape(1_000, 100_000), [], None, options, {})
    assert many_keys == "applyInPandas, Numba, delta, 1,000 rows, 100,000 keys: left out, it would take 200 s."


def test_a_tool_that_was_slow_on_a_small_table_is_left_out_on_a_larger_one() -> None:
    options = PeerOptions(tasks=(THRESHOLD,), tools=(CHDB.short, POLARS.short))
    speeds = {(1_000_000, 1, "threshold", POLARS.name): 0.5}
    told = [each for each in contenders_of(Shape(MANY_ROWS, 1), [], None, options, speeds) if isinstance(each, str)]
    assert told == ["Polars, threshold, 100,000,000 rows, 1 keys: left out, it would take 200 s."]


def test_a_run_without_spark_measures_saves_and_notes_who_is_absent(tmp_path: Path) -> None:
    tools = ("polars", "limit", "flink")
    found = peers.run(PeerOptions((2_000, 3_000), (1, 3), tools=tools, rounds=1, out=tmp_path, cache=tmp_path), QUIET)
    assert len(found.measurements) == 2 * 2 * len(PEER_TASKS) * 2
    assert any(note.startswith(f"{outside.FLINK}: left out") for note in found.notes)
    assert len(json.loads((tmp_path / "peers.json").read_text())["measurements"]) == len(found.measurements)


def test_tools_of_other_environments_time_themselves(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def match(task: Task, paths: list[str], python: str) -> Matched:
        if task is BOUNDARY:
            raise subprocess.CalledProcessError(1, python, stderr="Traceback\nNo pyflink\n")
        truth = walked(task, paths)
        return Matched(truth.table.num_rows - truth.n_open, 7, 2.0)

    monkeypatch.setattr(outside, "flink_frames", match)
    monkeypatch.setattr(outside.tempo_queries, "tempo_intervals", lambda *_: Intervals(9, 0.5))
    both = {"tools": ("flink", "tempo"), "flink": "python", "tempo": "python"}
    found = list(outside.measured_outside(PeerOptions((2_000,), (1, 100_000), cache=tmp_path, **both), QUIET))
    times = {(each.contender.task, each.contender.name): each.best for each in found if isinstance(each, Measurement)}
    assert times == {
        **{(task, outside.FLINK): 2.0 for task in ("threshold", "delta", "aggregate")},
        **{(task, outside.TEMPO): 0.5 for task in ("threshold", "boundary")},
    }
    assert f"{outside.FLINK}, boundary, 1 keys: failed: No pyflink." in found


def test_a_tool_of_another_environment_must_find_the_frames(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(outside, "flink_frames", lambda *_: Matched(1, 7, 2.0))
    options = PeerOptions((2_000,), (1,), tools=("flink",), flink="python", cache=tmp_path)
    with pytest.raises(Disagreement, match="found 1 frames, there are"):
        list(outside.measured_outside(options, QUIET))


@pytest.mark.spark
def test_all_tools_on_spark_find_as_many_frames(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(sf, "scan", lambda paths: spark.read.parquet(*paths), raising=False)
    shape = Shape(20_000, 7)
    paths = files(shape, tmp_path)
    options = PeerOptions(tools=tuple(tool.short for tool in TOOLS if tool.on_spark or tool is LIMIT))
    running = [each for each in contenders_of(shape, paths, spark, options, {}) if isinstance(each, Contender)]
    found = measure(running, 0, QUIET)  # the untimed round refuses tools that differ
    assert len(found) == 5 * 4 + 3 + 2
    filled = peer_tools.scan_to_arrow(FILL, paths)
    assert pc.sum(filled["top"]).as_py() == pytest.approx(pc.sum(limit_frames(FILL, paths)["top"]).as_py())
