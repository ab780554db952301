"""Bursts on Spark: a table and a stream report what the definition says, over restarts and in any order of arrival."""

from __future__ import annotations

import json
import random
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import functions as F

import streamframes as sf
from streamframes import data
from tests.oracles import bursts as reference
from tests.spark import test_streams

pytestmark = pytest.mark.spark

THRESHOLDS = {1: 9.0, 2: 15.0, 5: 30.0, 12: 66.0}
SCHEMA = "link string, ts {kind}, bytes bigint, note string"


def instant(tick: int, kind: str) -> Any:
    """Ticks around 1970 as instants of a type."""
    if kind == "bigint":
        return tick - 20
    if kind == "date":
        return date(1969, 12, 20) + timedelta(days=tick)
    moved = datetime(1969, 12, 31, 23, 59, 30) + timedelta(seconds=tick)
    return moved.replace(tzinfo=UTC) if kind == "timestamp" else moved


def packets(seed: int, ticks: int = 80) -> dict[str | None, list[tuple[int, int | None]]]:
    """Values of four links, one of them null, some of them absent or null."""
    rng = random.Random(seed)
    return {
        link: [
            (tick, rng.choice([0, 1, 4, 7, 12, None])) for tick in range(ticks) if rng.random() < 0.8
        ]
        for link in ("a", "b", "c", None)
    }  # fmt: skip


def expected(made: dict[Any, list[tuple[int, int | None]]], kind: str) -> set[tuple[Any, ...]]:
    """The alarms that the definition finds."""
    found = set()
    for link, rows in made.items():
        rows = [(tick, x) for tick, x in rows if x is not None]
        for alarm in reference.brute([float(x) for _, x in rows], THRESHOLDS):
            at = instant(rows[alarm.row][0], kind)
            found.add((link, at, alarm.window, alarm.value, THRESHOLDS[alarm.window]))
    return found


def lines(
    made: dict[Any, list[tuple[int, int | None]]], kind: str, seed: int = 0, late: int = 5
) -> list[tuple[Any, ...]]:
    """The rows in an order that a lateness allows."""
    rng = random.Random(seed)
    rows = [
        (tick + rng.randint(0, late), rng.random(), (link, instant(tick, kind), x, f"{link}{tick}"))
        for link, series in made.items()
        for tick, x in series
    ]
    return [row for *_, row in sorted(rows, key=lambda each: each[:2])]


class Folder(test_streams.Folder):
    """A folder of files of any schema that a stream reads one by one."""

    def __init__(self, spark: Any, path: Path, schema: str) -> None:
        super().__init__(spark, path, "bigint")
        self.schema = schema

    def add(self, rows: list[tuple[Any, ...]], files: int = 1) -> None:
        super().add(rows, files)


def run(result: Any, path: Path) -> tuple[list[tuple[Any, ...]], list[dict[str, Any]]]:
    """Run a query until all files are read; everything it has written so far, and the progress of its batches."""
    writer = result.writeStream.format("parquet").option("path", str(path / "out"))
    query = writer.option("checkpointLocation", str(path / "checkpoint")).trigger(availableNow=True).start()
    query.awaitTermination()
    rows = result.sparkSession.read.schema(result.schema).parquet(str(path / "out")).collect()
    return [tuple(row) for row in rows], [json.loads(each.json) for each in query.recentProgress]


@pytest.mark.parametrize("kind", ["timestamp", "timestamp_ntz", "date", "bigint"])
def test_a_table_reports_the_alarms_of_the_definition(spark, kind):
    made = packets(1)
    rows = spark.createDataFrame(lines(made, kind), SCHEMA.format(kind=kind)).repartition(3)
    found = sf.bursts(rows, "bytes", thresholds=THRESHOLDS, ts="ts", by="link").toDF()
    assert found.columns == ["link", "ts", "window", "value", "threshold"]
    assert {shown(row, kind) for row in found.collect()} == expected(made, kind)


def shown(row: Any, kind: str) -> tuple[Any, ...]:
    """A row with its instant as it was given; Spark returns timestamps in the zone of the machine."""
    link, at, *rest = row
    if kind == "timestamp":
        at = at.astimezone(UTC)
    return (link, at, *rest)


@pytest.mark.parametrize("kind", ["timestamp", "bigint"])
def test_a_stream_reports_the_alarms_of_the_table_over_a_restart(spark, tmp_path, kind):
    made = packets(2)
    folder = Folder(spark, tmp_path, SCHEMA.format(kind=kind))
    rows = lines(made, kind, seed=3)
    lateness = "6 seconds" if kind == "timestamp" else 6
    end = [("~end", instant(500, kind), 0, "end")]
    folder.add(rows[: len(rows) // 2], files=2)
    planned = sf.bursts(folder.stream, "bytes", thresholds=THRESHOLDS, ts="ts", by="link", lateness=lateness)
    run(planned.toDF(), tmp_path)
    folder.add(rows[len(rows) // 2 :], files=2)
    folder.add(end)
    found, progress = run(planned.toDF(), tmp_path)
    assert len(found) == len(set(found))
    assert {shown(row, kind) for row in found} == expected(made, kind)
    assert any("streamframes" in each["observedMetrics"] for each in progress)


def test_runs_of_a_stream_are_those_of_the_table_and_are_filled_in_one_stage(spark, tmp_path):
    made = packets(5)
    folder = Folder(spark, tmp_path, SCHEMA.format(kind="bigint"))
    folder.add(lines(made, "bigint"), files=3)
    folder.add([(link, 500, 0, "end") for link in ("a", "b", "c", None)])
    folder.add([("~", 900, 0, "end")])
    arguments = {"thresholds": THRESHOLDS, "ts": "ts", "by": "link"}
    table = sf.bursts(folder.table, "bytes", **arguments).runs()
    stream = sf.bursts(folder.stream, "bytes", **arguments, lateness=6).runs()
    in_table = {tuple(row) for row in table.toDF().filter("frame_closed_by = 'condition'").collect()}
    in_stream, _ = run(stream.toDF(), tmp_path / "runs")
    assert set(in_stream) == in_table
    assert in_table
    filled = {tuple(row) for row in table.agg(n="count(*)", first="first(note)").collect()}
    closed = {row for row in filled if row[5] == "condition"}
    by_stream, _ = run(stream.agg(n="count(*)", first="first(note)"), tmp_path / "filled")
    assert set(by_stream) == closed
    for link, _, start, end, *_, n, first in closed:
        inside = [(t - 20, x) for t, x in made[link] if start <= t - 20 <= end]
        assert n == len(inside)
        assert first == f"{link}{inside[0][0] + 20}"


def test_commands_change_the_windows_while_a_stream_runs(spark, tmp_path):
    rows = Folder(spark, tmp_path / "rows", SCHEMA.format(kind="bigint"))
    commands = Folder(spark, tmp_path / "commands", "action string, window int, threshold double")
    planned = sf.bursts(
        rows.stream,
        "bytes",
        thresholds={2: 15.0},
        ts="ts",
        by="link",
        stream=sf.Stream(lateness=0, control=commands.stream),
    ).toDF()
    rows.add([("a", t, 8, "") for t in range(10)])
    commands.add([("remove", 99, None)])
    first, _ = run(planned, tmp_path)
    assert {row[2] for row in first} == {2}
    commands.add([("add", 3, 24.0), ("remove", 2, None), ("grow", 5, 1.0), ("add", 4, None)])
    run(planned, tmp_path)
    rows.add([("a", t, 8, "") for t in range(10, 20)])
    second, progress = run(planned, tmp_path)
    later = {row for row in second if row not in first}
    assert {(row[2], row[3], row[4]) for row in later} <= {(3, 24.0, 24.0), (2, 16.0, 15.0)}
    assert {row[1] for row in later if row[2] == 3} >= set(range(11, 19))
    assert not [row for row in later if row[2] == 2 and row[1] > 10]
    assert progress


def test_thresholds_are_learnt_saved_and_read_again(spark, tmp_path):
    rows = data.packets(rows=20_000, links=3, seed=4).toDF(spark)
    windows = range(4, 84, 4)
    learning = sf.bursts(rows, "bytes", windows=windows, thresholds=sf.Learn(sigmas=3, rows=2_000), ts="ts", by="link")
    learning.learnt().write.parquet(str(tmp_path / "thresholds"))
    kept = spark.read.parquet(str(tmp_path / "thresholds"))
    assert kept.count() == 3 * len(windows)
    again = sf.bursts(rows, "bytes", thresholds=kept, ts="ts", by="link")
    found, reported = (
        {tuple(row) for row in each.toDF().collect()} for each in (learning, again)
    )  # fmt: skip
    assert found < reported
    started = {
        row.link: row.ts
        for row in rows.groupBy("link").agg(F.sort_array(F.collect_list("ts"))[2000].alias("ts")).collect()
    }
    assert found == {row for row in reported if row[1] >= started[row[0]]}


def test_units_of_time_count_rows_and_windows_are_durations(spark):
    rows = spark.createDataFrame(
        [
            (datetime(2026, 1, 1, 0, 0, s, ms * 1000, tzinfo=UTC),)
            for s, ms in [(0, 0), (0, 5), (2, 0), (2, 1), (2, 2), (7, 0)]
        ],
        "ts timestamp",
    )
    found = sf.bursts(
        rows,
        windows=["1 second", "3 seconds"],
        thresholds={"1 second": 2, "3 seconds": 4},
        agg="count",
        unit="1 second",
        ts="ts",
    )
    reported = sorted((row.ts.astimezone(UTC).second, row.window, row.value) for row in found.toDF().collect())
    assert reported == [(0, 1, 2.0), (2, 1, 3.0), (2, 3, 5.0)]
    run_ = found.runs().toDF().orderBy("window", "frame_start").first()
    assert (run_.frame_end.microsecond, run_.frame_rows, run_.peak) == (999_999, 1, 2.0)


def test_latest_any_and_explain(spark):
    rows = spark.createDataFrame([(t, float(x)) for t, x in enumerate([1, 9, 9, 0, 0])], "ts bigint, v double")
    planned = sf.bursts(rows, "v", thresholds={1: 5, 2: 10, 3: 12}, ts="ts")
    latest = {row.ts: (row.windows, row.longest, row.most) for row in planned.latest().collect()}
    assert latest == {1: (2, 2, 1), 2: (3, 3, 2), 3: (1, 3, 3)}
    assert sorted(row.ts for row in planned.any().collect()) == [1, 2, 3]
    assert "exact, because the longest window, 3, keeps 16 kB of a group at most" in planned.explain()
    monotonic = sf.bursts(
        rows, "v", windows=[2, 3], thresholds=sf.Learn(sigmas=3, rows=4), ts="ts", search="monotonic"
    ).explain()
    assert "theorem 3: a window is answered wrongly with a probability of 0.0013 at most" in monotonic
    assert repr(planned) == "Bursts(sum over 3 windows from 1 to 3, ts='ts', by=[])"
