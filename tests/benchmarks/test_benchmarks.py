"""What stands around the measuring: generated rows, rounds, targets, reports and command lines."""

from __future__ import annotations

import json
import os
from importlib import import_module
from pathlib import Path
from typing import Any

import numpy as np
import psutil
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import Row
from rich.console import Console

from benchmarks import (
    algebra,
    cold,
    core,
    costs,
    fill,
    fragments,
    growth,
    layouts,
    memory,
    own_session,
    soak,
    streams,
    tables,
    transfer,
)
from benchmarks.bursts import accuracy as burst_accuracy
from benchmarks.bursts import memory as burst_memory
from benchmarks.bursts import searches as bursts
from benchmarks.kit import options, rounds
from benchmarks.kit.contenders import LOOP, NOTHING, NUMBA, OURS, WINDOWS, contenders_of
from benchmarks.kit.frame_tables import FrameShape, frame_table
from benchmarks.kit.options import Options, parse
from benchmarks.kit.report import Report, Target, save, show
from benchmarks.kit.rounds import Contender, Disagreement, Measurement, measure
from benchmarks.regions import searches as regions
from benchmarks.sessions import engine as sessions
from streamframes.core.files.segments import split as cuts
from streamframes.core.files.segments.partial import Route
from streamframes.core.files.segments.split import Segment
from streamframes.study.baselines.generated import FILES, Shape, files
from streamframes.study.baselines.tasks import DELTA, PEER_TASKS, TASKS, THRESHOLD

QUIET = Console(quiet=True)


def contender(name: str, frames: int | None, runs: list[str], *, timed: bool = True) -> Contender:
    return Contender(name, "delta", 2, 10, lambda: runs.append(name), lambda: frames, timed)


def instants(paths: list[str]) -> np.ndarray:
    return np.asarray(pq.read_table(paths, columns=["ts"])["ts"].cast(pa.int64()))


@pytest.mark.parametrize("program", ["bursts", "peers", "regions", "sessions"])
def test_a_program_that_is_imported_measures_nothing(program: str) -> None:
    import_module(f"benchmarks.{program}.__main__")


def test_rows_are_in_the_order_of_time_across_files_and_unique(tmp_path: Path) -> None:
    paths = files(Shape(1_000, 7), tmp_path)
    assert len(paths) == FILES
    assert (np.diff(instants(paths)) > 0).all()
    assert pq.read_table(paths)["key"].unique().sort().to_pylist() == [f"key-00{n}" for n in range(7)]


def test_shuffled_rows_run_backwards_in_every_file(tmp_path: Path) -> None:
    paths = files(Shape(1_000, 1, shuffled=True), tmp_path)
    assert all((np.diff(instants([path])) < 0).any() for path in paths)
    assert np.unique(instants(paths)).size == 1_000


def test_rows_are_made_once(tmp_path: Path) -> None:
    first = [Path(path).stat().st_mtime_ns for path in files(Shape(100, 2), tmp_path)]
    assert [Path(path).stat().st_mtime_ns for path in files(Shape(100, 2), tmp_path)] == first


def test_contenders_take_turns() -> None:
    runs: list[str] = []
    measured = measure([contender("a", 3, runs), contender("b", None, runs)], 2, QUIET)
    assert runs == ["a", "b", "a", "b"]
    assert [len(each.seconds) for each in measured] == [2, 2]


def test_a_contender_may_be_there_for_its_count_alone() -> None:
    runs: list[str] = []
    measured = measure([contender("a", 3, runs, timed=False), contender("b", 3, runs)], 1, QUIET)
    assert [each.contender.name for each in measured] == runs == ["b"]


@pytest.mark.spark
def test_layouts_hold_the_same_rows(spark: Any, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(layouts, "KEYS", (20,))
    monkeypatch.setattr(layouts, "TASKS", (THRESHOLD,))
    names = ("text keys", "two key columns", "a folder for each key", "no order")
    monkeypatch.setattr(layouts, "LAYOUTS", [each for each in layouts.LAYOUTS if each.name in names])
    report = layouts.run(spark, Options(rows=4_000, rounds=1, out=tmp_path, cache=tmp_path), QUIET)
    assert tuple(row[0] for row in report.cells) == names
    assert len({each["frames"] for each in report.measurements}) == 1
    assert report.cells[0][3] == "segments"


def test_what_is_quick_is_warmed_up_by_more_runs(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(rounds, "WARM_UP", 0.01)
    runs: list[str] = []
    (measured,) = measure([contender("a", 3, runs)], 2, QUIET)
    assert len(runs) > 2
    assert len(measured.seconds) == 2


def test_different_numbers_of_frames_stop_the_run() -> None:
    with pytest.raises(Disagreement, match=r"delta on 10 rows of 2 keys: .* a: 3, b: 4"):
        measure([contender("a", 3, []), contender("b", 4, [])], 1, QUIET)


def test_a_target_says_whether_it_is_met() -> None:
    assert Target("time / do-nothing", "<=", 1.4, 1.4).cells() == ["time / do-nothing", "<= 1.4 x", "1.40 x", "met"]
    assert Target("faster", ">=", 2, 1.5).cells()[-1] == "not met"


def measured(way: str, task: str, keys: int, *seconds: float, rows: int = 100) -> Measurement:
    return Measurement(Contender(way, task, keys, rows, lambda: None, lambda: 7), 7, list(seconds))


def even_times() -> list[Measurement]:
    """Every way takes a second, and the Python loop too, but on a quarter of the rows."""
    ways = (OURS, NOTHING, WINDOWS, NUMBA, LOOP)
    places = [(way, task.name, keys) for way in ways for task in TASKS for keys in tables.KEYS]
    return [measured(*place, 2.0, 1.0, rows=25 if place[0] == LOOP else 100) for place in places]


def test_tables_takes_the_best_round_and_scales_the_python_loop(tmp_path: Path) -> None:
    report = tables.report_of(even_times(), Options(rows=100, rounds=2, out=tmp_path), "17")
    loop = next(each for each in report.measurements if each["way"] == LOOP)
    assert (loop["seconds"], loop["time_over_streamframes"], loop["rows"]) == (4.0, 4.0, 25)
    assert ["delta", "100", OURS, "1.00", "0.00", "1.00"] in report.cells
    assert len(report.targets) == 20


def test_the_targets_of_tables_follow_from_the_times() -> None:
    ways = (OURS, NOTHING, WINDOWS, LOOP, NUMBA)
    times = {(task.name, keys, way): 1.0 for task in TASKS for keys in tables.KEYS for way in ways}
    even = {target.promise: target.is_met for target in tables.targets(times)}
    assert even["delta, 1 key: time / do-nothing"]
    assert not even["delta, 1 key: faster than applyInPandas, Numba"]
    slower = {target.promise: target.is_met for target in tables.targets({**times, ("delta", 1, OURS): 1.31})}
    assert [name for name in even if even[name] != slower[name]] == ["delta: time of 1 key / time of 100 keys"]


def test_a_report_is_saved_for_people_and_for_programs(tmp_path: Path) -> None:
    report = Report(
        name="tables",
        title="Some times",
        header=["task", "seconds"],
        cells=[["delta", "1.25"]],
        measurements=[{"task": "delta", "seconds": 1.25}],
        targets=[Target("faster", ">=", 2, 1.5)],
        settings={"rows": 20_000_000},
    )
    data, text = (path.read_text() for path in save(report, tmp_path / "results"))
    saved = json.loads(data)
    assert saved["measurements"] == [{"task": "delta", "seconds": 1.25}]
    assert saved["targets"][0]["met"] is False
    assert {"cpu", "cores", "memory_gib"} <= saved["machine"].keys()
    assert {"pyspark", "duckdb", "polars"} <= saved["versions"].keys()
    assert "| delta | 1.25 |" in text
    assert "| faster | >= 2 x | 1.50 x | not met |" in text
    assert "rows 20,000,000" in text
    show(report, QUIET)


def test_quick_results_do_not_replace_real_ones() -> None:
    quick = parse("", rows=20_000_000, rounds=3, arguments=["--quick"])
    assert (quick.rows, quick.rounds) == (options.QUICK_ROWS, 1)
    assert quick.out != options.RESULTS
    full = parse("", rows=20_000_000, rounds=3, arguments=["--rows", "5_000"])
    assert (full.rows, full.rounds, full.out) == (5_000, 3, options.RESULTS)


def test_core_measures_every_scheme(tmp_path: Path) -> None:
    report = core.run(Options(rows=2_000, rounds=1, out=tmp_path, cache=tmp_path), QUIET)
    assert len(report.cells) == 8
    assert len(report.targets) == 6


def test_costs_are_those_of_every_step(tmp_path: Path) -> None:
    report = costs.run(Options(rows=4_000, rounds=1, out=tmp_path, cache=tmp_path), QUIET)
    steps = {(cost["step"], cost["unit"]) for cost in report.measurements}
    assert {
        ("read", "ns a row"),
        ("segment", "bytes a frame"),
        ("merge", "ns a frame"),
        ("partition", "ns a row"),
    } < steps
    assert {f"{step}, {codec}" for step in ("pack", "fold") for codec in costs.CODECS} < {step for step, _ in steps}
    paths = files(Shape(4_000, 100), tmp_path)
    for task in PEER_TASKS:
        work = costs.Work(task, Shape(4_000, 100), paths)
        found = [work.merged(some, Route(1, 2), work.partials(some, Route(1, 2))) for some in _cut(work, 1, 3)]
        assert found[0] == found[1] > 0
        assert work.read() == 4_000
    work = costs.Work(DELTA, Shape(4_000, 100), paths)
    assert work.folded(work.packed("zstd")) == work.folded(work.packed("no codec"))


def _cut(work: costs.Work, *wanted: int) -> list[list[Segment]]:
    """The same rows in one segment and in several."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuts, "LEAST_ROWS", 1)
        return [cuts.split_by_time(work.selection.chains, each) for each in wanted]


@pytest.mark.spark
@pytest.mark.long
def test_transfer_measures_settings_in_processes_of_their_own(tmp_path: Path) -> None:
    options = Options(rows=2_000, rounds=1, out=tmp_path, cache=tmp_path)
    report = transfer.run(options, QUIET, (transfer.AS_SET, "50,000 rows a batch"))
    assert [row[0] for row in report.cells] == [transfer.AS_SET, "50,000 rows a batch"]
    assert {each["job"] for each in report.measurements} == set(transfer.JOBS)


def test_growth_asks_for_four_times_the_rows() -> None:
    assert (growth.TIMES_AS_MANY, growth.LIMIT) == (4, 4.6)


def test_memory_knows_the_peak_of_a_process() -> None:
    held = psutil.Process().memory_info().rss
    peak = memory.peak_of(os.getpid())
    assert peak == 0 or peak >= held // 2


@pytest.mark.spark
def test_all_ways_on_spark_and_beside_it_find_as_many_frames(spark: Any, tmp_path: Path) -> None:
    shape = Shape(20_000, 3)
    paths = files(shape, tmp_path)
    contenders = [each for task in TASKS for each in contenders_of(task, shape, paths, spark)]
    found = measure(contenders, 0, QUIET)  # the untimed round refuses ways that differ
    frames = {(each.contender.task, each.contender.name): each.frames or 0 for each in found}
    assert len(frames) == 6 + 7 + 7 + 6
    assert frames["delta", OURS] > frames["delta", LOOP] > 100


def test_the_report_of_streams_compares_with_session_windows(tmp_path: Path) -> None:
    speeds = {streams.OURS: [100.0, 300.0], streams.THEIRS: [100.0, 90.0]}
    rates = {
        (keys, length, name): each
        for keys in streams.KEYS
        for length in streams.SESSIONS_OF
        for name, each in speeds.items()
    }
    report = streams.report_of(rates, Options(rows=100, rounds=2, out=tmp_path), "17")
    assert [row[-1] for row in report.cells] == ["3.00"] * 4
    assert all(target.is_met for target in report.targets)


def test_the_report_of_a_soak_sees_growth() -> None:
    def batch(number: int, growth: float) -> dict[str, Any]:
        figures = Row(waiting_rows=10, open_frames=5)
        store = {"memoryUsedBytes": 2**20 * (1 + growth * number), "numRowsTotal": 7, "customMetrics": {}}
        times = {"triggerExecution": 1000}
        return {"stateOperators": [store], "durationMs": times, "observedMetrics": {"streamframes": figures}}

    flat = soak.report_of([batch(number, 0.0) for number in range(40)], 100, "17")
    assert all(target.is_met for target in flat.targets)
    growing = soak.report_of([batch(number, 0.1) for number in range(40)], 100, "17")
    assert [target.is_met for target in growing.targets] == [False, True, True]


def test_the_frames_of_the_algebra_lie_as_their_case_says() -> None:
    def edges(case: str, side: str) -> Any:
        table = frame_table(FrameShape(case, 30, 3), side)
        return [np.asarray(table[name].cast(pa.int64()))[1::3] for name in ("frame_start", "frame_end")]

    (start, end), (their_start, their_end) = edges("apart", "a"), edges("apart", "b")
    assert (end < their_start).all()
    assert (their_end[:-1] < start[1:]).all()
    start, end = edges("neighbours", "a")
    assert (start[1:] < end[:-1]).all()
    start, end = edges("covered", "a")
    assert start.argmin() == end.argmax() == 0
    assert (start[2:] > end[1:-1]).all()


def test_the_report_of_the_algebra_shows_growth_and_the_join(tmp_path: Path) -> None:
    def seen(verb: str, case: str, rows: int, way: str, seconds: float) -> Measurement:
        return Measurement(Contender(way, f"{verb}, {case}", 100, rows, lambda: None, lambda: 7), 7, [seconds])

    grown = [
        seen(verb, case, rows, algebra.OURS, seconds)
        for case in algebra.CASES
        for verb in algebra.VERBS
        for rows, seconds in ((100, 1.0), (400, 4.0))
    ]
    joined = [seen("overlaps", case, 100, algebra.JOIN, 1.5) for case in algebra.CASES]
    report = algebra.report_of([*grown, *joined], Options(rows=400, rounds=1, out=tmp_path), "17")
    assert ["at", "covered", algebra.OURS, "1.00", "4.00", "4.00"] in report.cells
    assert ["overlaps", "apart", algebra.JOIN, "1.50", "-", "-"] in report.cells
    assert [target.is_met for target in report.targets] == [True] * 21 + [False] * 3


@pytest.mark.spark
def test_the_algebra_finds_as_many_pairs_as_the_join(spark: Any, tmp_path: Path) -> None:
    settings = Options(rows=2_000, rounds=0, out=tmp_path, cache=tmp_path)
    wanted = [each for each in algebra.contenders_of("covered", spark, settings) if each.task.startswith("overlaps")]
    found = {each.contender.name: each.frames for each in measure(wanted[:2], 0, QUIET)}
    assert found == {algebra.OURS: 900, algebra.JOIN: 900}


def test_the_seconds_of_the_join_are_scaled_to_all_rows(tmp_path: Path) -> None:
    def seen(name: str, seconds: float, rows: int = 100) -> Measurement:
        return Measurement(Contender(name, "fill", 100, rows, lambda: None, lambda: None), None, [seconds])

    times = [seen(OURS, 2.0), seen(NOTHING, 1.0), seen(fill.JOIN, 3.0, rows=10), seen(fill.TAGGED, 2.0)]
    report = fill.report_of(times, 7, Options(rows=100, rounds=1, out=tmp_path), "17")
    assert [(target.figure, target.is_met) for target in report.targets] == [(15.0, True), (2.0, False)]


def test_fragments_compares_what_waits_with_what_a_batch_brings() -> None:
    figures = {"max": 100, "mean": 50.0, "waiting_max": 100, "waiting_avg": 50.0, "arrived": 20, "seconds": 2.0}
    report = fragments.report_of({False: figures, True: {**figures, "max": 10}}, 1000, "17")
    assert [target.figure for target in report.targets] == [0.5, 10.0, 1.0]


def test_the_searches_for_bursts_are_compared_on_the_same_alarms(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(bursts, "NUMBERS", (50, 100))
    report = bursts.run(Options(20_000, 1, tmp_path), Console(quiet=True))
    assert {(cells[0], cells[1]) for cells in report.cells} == {
        (case, number) for case in bursts.CASES for number in ("50", "100")
    }
    by_way = {(each["case"], each["windows"], each["way"]): each["alarms"] for each in report.measurements}
    for (case, number, _), alarms in by_way.items():
        assert by_way[case, number, bursts.EVERY] >= by_way[case, number, bursts.DEFAULT] > 0
        assert alarms >= 0


def test_the_search_of_every_window_misses_nothing(tmp_path: Path) -> None:
    setting = burst_accuracy.Setting("bursts only", windows=50, sigmas=3)
    values = dict(burst_accuracy.series_of(20_000))["bursts only"]
    found = burst_accuracy.score(values, setting)
    assert found.all_both == found.true > 0
    assert 0 <= found.recall <= 1
    report = burst_accuracy.report_of({setting: found}, Options(20_000, 1, tmp_path))
    assert report.targets[0].is_met


def test_the_buckets_of_a_histogram_stay_under_the_bound(tmp_path: Path) -> None:
    report = burst_memory.run(Options(100_000, 1, tmp_path), Console(quiet=True))
    assert report.targets[0].is_met
    assert [each["rows"] for each in report.measurements] == [10_000, 100_000] * len(burst_memory.ERRORS)


def test_both_methods_find_as_many_regions_of_a_grid(tmp_path: Path) -> None:
    report = regions.run(Options(20_000, 1, tmp_path), Console(quiet=True))
    found = {(each["reports"], each["search"]): each["n_regions"] for each in report.measurements}
    for grid in ("jams", "random, 50 %", "random, 90 %"):
        assert found[grid, "rectangles, durations"] == found[grid, "rectangles, spans"] > 0


def test_nested_sessions_report_as_many_readings_as_the_reference(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(sessions, "REFERENCE_EVENTS", 300)
    report = sessions.run(Options(10_000, 1, tmp_path), Console(quiet=True))
    assert [cells[:2] for cells in report.cells] == [
        [name, f"{lifetime:,}"] for name in sessions.AGGREGATES for lifetime in sessions.LIFETIMES
    ]
    assert report.measurements[-1]["n_open"] == 10_000 + 100 + 1 + 1


def test_a_session_of_ones_own_is_held_to_ours(tmp_path: Path) -> None:
    rounds = {name: [[3.0, 5.0], [2.0, 4.0]] for name in own_session.SESSIONS}
    rounds[own_session.DEFAULTS] = [[4.0, 5.0]]
    report = own_session.report_of(rounds, Options(rows=1, rounds=2, out=tmp_path, cache=tmp_path))
    assert report.cells[1] == [own_session.DEFAULTS, "4.00", "5.00", "2.00", "1.25"]
    assert [each.cells()[-1] for each in report.targets] == ["not met", "met"]


def test_the_longest_task_is_found_in_what_spark_has_recorded(tmp_path: Path) -> None:
    events = [
        {"Event": "SparkListenerTaskStart", "Task Info": {"Launch Time": 0, "Finish Time": 0}},
        {"Event": "SparkListenerTaskEnd", "Task Info": {"Launch Time": 1_000, "Finish Time": 1_500}},
        {"Event": "SparkListenerTaskEnd", "Task Info": {"Launch Time": 1_000, "Finish Time": 3_250}},
    ]
    (tmp_path / "log").write_text("\n".join(map(json.dumps, events)))
    times = {"frames: threshold": {"first": 9.0, "again": 0.3}}
    report = cold.report_of(times, times, cold.longest_task(tmp_path))
    assert report.cells == [["frames: threshold", "9.0", "9.0", "0.3"]]
    assert report.targets[0].cells()[-2:] == ["2.25 s", "not met"]
