"""Real queries: a stream reports the frames of the table, for every type of instant, over restarts, in any order."""

from __future__ import annotations

import itertools
import os
import random
from datetime import UTC, date, datetime, timedelta
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import functions as F

import streamframes as sf
from streamframes.core.batch.clock import Clock
from streamframes.spark.hashing import bucket_names
from streamframes.spark.streaming.events import event_time, own_clock
from streamframes.spark.streaming.run import identity
from tests.arguments import flat

pytestmark = pytest.mark.spark

ROWS_SCHEMA = "key string, ts {kind}, w boolean, v double, word string, is_word boolean"


def instant(tick: int, kind: str) -> Any:
    """Ticks around 1970 as instants of a type."""
    if kind == "bigint":
        return tick - 20
    if kind == "date":
        return date(1969, 12, 20) + timedelta(days=tick)
    start = datetime(1969, 12, 31, 23, 59, 30)
    moved = start + timedelta(seconds=tick)
    return moved.replace(tzinfo=UTC) if kind == "timestamp" else moved


def rows_of(seed: int, kind: str, ticks: int = 60, late: int = 5) -> list[tuple[Any, ...]]:
    """Rows of five groups, one of them null, in an order that a lateness of `late` ticks allows."""
    rng = random.Random(seed)
    rows = []
    for key in ("a", "b", "c", "d", None):
        for tick in range(ticks):
            if rng.random() < 0.8:
                w, v = rng.choice([True, True, True, False, None]), rng.choice([0.0, 1.0, 2.5, 4.0, None])
                row = (key, instant(tick, kind), w, v, rng.choice("xyz"), False)
                rows.append((tick + rng.randint(0, late), rng.random(), row))
    arrived = [row for _, _, row in sorted(rows, key=lambda each: each[:2])]
    return [*arrived[:50], (None, None, True, 1.0, "x", False), *arrived[50:]]


class Folder:
    """A folder of files that a stream reads one by one."""

    def __init__(self, spark: Any, path: Path, kind: str) -> None:
        self.spark, self.path, self.schema = spark, path, ROWS_SCHEMA.format(kind=kind)
        self.files = itertools.count()
        (path / "in").mkdir(parents=True)

    def add(self, rows: list[tuple[Any, ...]], files: int) -> None:
        made = self.spark.createDataFrame(rows, self.schema).coalesce(1).selectExpr("to_json(struct(*)) as line")
        lines = [row.line for row in made.collect()]
        for number in range(files):
            part = lines[number * len(rows) // files : (number + 1) * len(rows) // files]
            count = next(self.files)
            target = self.path / "in" / f"{count:03}.json"
            target.write_text("\n".join(part))
            os.utime(target, (1_000 + count, 1_000 + count))

    @property
    def stream(self) -> Any:
        reader = self.spark.readStream.schema(self.schema).option("maxFilesPerTrigger", 1)
        return reader.json(str(self.path / "in"))

    @property
    def table(self) -> Any:
        return self.spark.read.schema(self.schema).json(str(self.path / "in"))

    def run(self, result: Any, name: str = "out") -> list[dict[str, Any]]:
        """Run the query until all files are read; returns the progress of its batches."""
        writer = result.writeStream.format("parquet").option("path", str(self.path / name))
        writer = writer.option("checkpointLocation", str(self.path / f"{name}-checkpoint"))
        query = writer.trigger(availableNow=True).start()
        query.awaitTermination()
        return list(query.recentProgress)

    def found(self, name: str = "out") -> list[dict[str, Any]]:
        return [row.asDict() for row in self.spark.read.parquet(str(self.path / name)).collect()]


def spelled(row: dict[str, Any]) -> str:
    return repr(sorted(row.items()))


def check(found: list[dict[str, Any]], table: Any, timed: bool = False) -> None:
    """All closed frames of the table and no other, except what time alone has closed."""
    expected = {row.frame_id: row.asDict() for row in table.collect()}
    assert len(found) == len({row["frame_id"] for row in found})
    for row in found:
        there = expected[row["frame_id"]]
        if timed and there["frame_closed_by"] == "end of data":
            there = {**there, "frame_closed_by": row["frame_closed_by"]}
        assert spelled(row) == spelled(there)
    closed = {row["frame_id"] for row in expected.values() if row["frame_closed_by"] != "end of data"}
    assert closed
    assert closed <= {row["frame_id"] for row in found}


# The lateness lets the last rows wait; a row of another group, far ahead, lets them go.
def far_ahead(kind: str) -> tuple[Any, ...]:
    return ("end", instant(200, kind), False, 0.0, "x", False)


@pytest.mark.parametrize(
    ("kind", "scheme", "lateness", "timed"),
    [
        ("timestamp", sf.Threshold("w", min_rows=2, merge_gap="2 seconds", max_gap="4 seconds"), "5 seconds", True),
        ("timestamp_ntz", sf.Delta("v", "<", 2.0), timedelta(seconds=5), False),
        ("date", sf.Every("5 days", slide="2 days"), "5 days", True),
        ("bigint", sf.Aggregate("sum(v)", ">=", 5), 5, False),
    ],
    ids=["timestamp", "timestamp_ntz", "date", "bigint"],
)
def test_a_query_reports_the_frames_of_the_table(
    spark: Any, tmp_path: Path, kind: str, scheme: Any, lateness: Any, timed: bool
) -> None:
    folder = Folder(spark, tmp_path, kind)
    folder.add([*rows_of(1, kind), far_ahead(kind)], files=3)
    measures = {"n": "count(*)", "most": "max(v)", "end_word": "last(word)"}
    frames = sf.frames(folder.stream, scheme, ts="ts", by="key", lateness=lateness)
    progress = folder.run(frames.agg(**measures))
    check(folder.found(), sf.frames(folder.table, scheme, ts="ts", by="key").agg(**measures), timed)
    assert sum(each["observedMetrics"]["streamframes"].late_rows for each in progress) == 0
    assert progress[0]["observedMetrics"]["streamframes"].waiting_rows > 0


def test_a_stopped_query_goes_on_and_counts_late_rows(spark: Any, tmp_path: Path) -> None:
    kind, scheme = "timestamp", sf.Threshold("w", min_rows=2)
    folder = Folder(spark, tmp_path, kind)
    rows = rows_of(2, kind)
    folder.add(rows[: len(rows) // 2], files=2)

    def frames(rows: Any, **options: Any) -> Any:
        return sf.frames(rows, scheme, ts="ts", by="key", **flat("frames", **options))

    watched = folder.stream.withWatermark("ts", "5 seconds")
    folder.run(frames(watched).agg(n="count(*)"))
    folder.add(rows[len(rows) // 2 :], files=2)
    late = [("a", instant(0, kind), True, 0.0, "x", False)] * 3
    folder.add(late, files=1)
    folder.add([far_ahead(kind)], files=1)
    progress = folder.run(frames(watched).agg(n="count(*)"))
    on_time = folder.table.filter(f"not (key <=> 'a' and ts = timestamp'{instant(0, kind).isoformat()}')")
    first = [row for row in rows if row[0] == "a" and row[1] == instant(0, kind)]
    known = on_time.union(spark.createDataFrame(first, folder.schema))
    check(folder.found(), frames(known).agg(n="count(*)"))
    assert sum(each["observedMetrics"]["streamframes"].late_rows for each in progress) == 3

    changed = sf.frames(watched, sf.Threshold("w", min_rows=3), ts="ts", by="key").agg(n="count(*)")
    folder.add([far_ahead(kind)], files=1)
    with pytest.raises(Exception, match=r"checkpoint was written by another plan.*scheme was Threshold.*min_rows=2"):
        folder.run(changed)


def test_punctuation_needs_no_watermark_and_rows_are_tagged(spark: Any, tmp_path: Path) -> None:
    kind, scheme = "bigint", sf.Change("word")
    folder = Folder(spark, tmp_path, kind)
    rows = rows_of(3, kind)
    words = [(None, instant(300, kind), None, None, None, True)]
    folder.add([*rows, *words], files=3)
    options = {"ts": "ts", "by": "key", "punctuation_all": "is_word"}
    folder.run(sf.frames(folder.stream, scheme, **flat("frames", **options)).toDF())
    check(folder.found(), sf.frames(folder.table, scheme, **flat("frames", **options)).toDF())
    tagged = sf.frames(folder.stream, scheme, **flat("frames", **options)).tag()
    folder.run(tagged, "tagged")
    expected = sf.frames(folder.table, scheme, **flat("frames", **options)).tag()
    assert sorted(map(spelled, folder.found("tagged"))) == sorted(spelled(row.asDict()) for row in expected.collect())


def test_fragments_and_punctuation_come_out(spark: Any, tmp_path: Path) -> None:
    kind, scheme = "timestamp", sf.Threshold("w", merge_gap="3 seconds", min_rows=3)
    folder = Folder(spark, tmp_path, kind)
    folder.add([*rows_of(4, kind), far_ahead(kind)], files=4)
    options = {"ts": "ts", "by": "key", "lateness": "5 seconds"}
    folder.run(
        sf.frames(folder.stream, scheme, **flat("frames", fragments=True, punctuations=True, **options)).agg(
            n="count(*)"
        )
    )
    found = folder.found()
    final = [row for row in found if row["frame_final"]]
    table = sf.frames(folder.table, scheme, stream=sf.Stream(fragments=True), ts="ts", by="key").agg(n="count(*)")
    check([{**row, "frame_fragment": 0} for row in final], table)
    assert any(row["frame_fragment"] > 0 for row in found if row["frame_id"] is not None)
    assert {row["frame_id"] for row in found if row["frame_final"] is False} <= {
        row.frame_id for row in table.collect()
    }
    words = [row for row in found if row["frame_id"] is None]
    assert {row["key"] for row in words} == {"a", "b", "c", "d", None}
    assert max(row["frame_end"] for row in words) > datetime(1970, 1, 1, 0, 0, 20)


@pytest.fixture
def stream(spark: Any) -> Any:
    return spark.readStream.format("rate").load()


@pytest.mark.parametrize(
    ("options", "message"),
    [
        ({}, r"a stream without a watermark; say how late rows may come with lateness='1 minute'"),
        ({"lateness": "-1 second"}, r"lateness='-1 second' must be zero or more"),
        ({"lateness": 0}, r"lateness=0 is a plain number but ts is a timestamp"),
        ({"lateness": 5}, r"lateness=5 is a plain number but ts is a timestamp"),
        ({"lateness": "1 second", "late": "drop"}, r"late='drop' is unknown; it is one of count, fail"),
        ({"lateness": "1 second", "schedule": 20}, r"schedule=20 is a plain number but ts is a timestamp"),
        ({"lateness": "1 second", "fragments": 1}, r"fragments=1 is neither True nor False"),
        ({"punctuation": "value + 1"}, r"punctuation='value \+ 1'"),
    ],
)
def test_a_stream_is_refused_with_a_remedy(stream: Any, options: dict[str, Any], message: str) -> None:
    with pytest.raises(sf.InvalidArgument, match=message):
        sf.frames(stream, sf.Gap("1 second"), ts="timestamp", **flat("frames", **options))


def test_a_watermark_must_be_on_ts_and_be_the_only_one(stream: Any) -> None:
    rows = stream.withColumn("other", stream.timestamp).withWatermark("other", "1 minute")
    with pytest.raises(sf.InvalidArgument, match="a watermark on 'other', but they are ordered by ts='timestamp'"):
        sf.frames(rows, sf.Gap("1 second"), ts="timestamp", lateness="1 second")
    rows = stream.withWatermark("timestamp", "1 minute")
    with pytest.raises(sf.InvalidArgument, match="lateness= for rows with a watermark on 'timestamp'"):
        sf.frames(rows, sf.Gap("1 second"), ts="timestamp", lateness="1 second")


def test_the_state_store_must_be_rocksdb(spark: Any, stream: Any) -> None:
    key = "spark.sql.streaming.stateStore.providerClass"
    before = spark.conf.get(key)
    spark.conf.set(key, "org.apache.spark.sql.execution.streaming.state.HDFSBackedStateStoreProvider")
    try:
        with pytest.raises(sf.InvalidArgument, match=r"needs the RocksDB state store.*spark\.conf\.set"):
            sf.frames(stream, sf.Gap("1 second"), ts="timestamp", lateness="1 second")
    finally:
        spark.conf.set(key, before)


def test_measures_that_do_not_merge_are_refused(stream: Any) -> None:
    frames = sf.frames(stream, sf.Gap("1 second"), ts="timestamp", lateness="1 second")
    with pytest.raises(
        sf.InvalidArgument, match=r"middle='median\(value\)', which a stream cannot add up.*foreachBatch"
    ):
        frames.agg(middle="median(value)")


def test_a_lateness_may_be_zero_and_is_read_whole(stream: Any) -> None:
    for lateness, micros in (("0 seconds", 0), ("0 minutes 30 seconds", 30_000_000)):
        frames = sf.frames(stream, sf.Gap("1 second"), ts="timestamp", lateness=lateness)
        assert frames.plan.stream.watch.lateness == micros


@pytest.mark.parametrize("delay", [0, 7, 86_400_000 * 800])
def test_event_time_is_never_ahead_of_the_instant(spark: Any, delay: int) -> None:
    """From 1972 on the watermark is the instant to the millisecond, before to the second, and it never goes back."""
    border = 63_072_000_000_000
    micros = [-62_135_596_800_000_000, -1_000_001, -1, 0, 1, border - 1, border, 1_700_000_000_123_999]
    micros = sorted([*micros, border + delay * 1000 - 1, border + delay * 1000, 253_402_300_799_999_999])
    clock = own_clock(Clock("timestamp"), 0)
    rows = spark.createDataFrame([(each,) for each in micros], "us long").select(F.timestamp_micros("us").alias("ts"))
    zoneless = rows.withColumn("ts", F.to_timestamp_ntz(F.date_format("ts", "yyyy-MM-dd HH:mm:ss.SSSSSS")))
    for table in (rows, zoneless):
        event = event_time(F.col("ts"), table.schema["ts"].dataType, clock, delay)
        shown = [row.ms for row in table.select(F.unix_millis(event).alias("ms")).collect()]
        assert shown == sorted(shown)
        for instant, found in zip(micros, shown, strict=True):
            due = instant - delay * 1000
            seen = clock.watermark(found - delay)
            if due < micros[0]:
                assert seen == clock.watermark(0)
            elif due < border:
                assert due - 1_000_000 < seen <= due
            else:
                assert (found, seen) == (instant // 1000, due // 1000 * 1000)


def test_rows_cannot_carry_punctuation(stream: Any) -> None:
    frames = sf.frames(stream, sf.Gap("1 second"), ts="timestamp", stream=sf.Stream("1 second", punctuations=True))
    with pytest.raises(sf.InvalidArgument, match=r"tag.. returns rows, which cannot carry punctuations=True"):
        frames.tag()


def test_a_stored_watermark_is_read_as_what_it_was(spark: Any, stream: Any) -> None:
    """Integers are counted in units of the lateness: another unit is another plan."""
    rows = stream.selectExpr("value as ts")
    told = [
        identity(plan.planned()[1], 2, plan.stream, own_clock(plan.clock, plan.stream.watch.lateness))["watermark"]
        for plan in (sf.frames(rows, sf.Gap(5), ts="ts", lateness=each).plan for each in (10, 900, 5000))
    ]
    assert told == ["that of lateness=", "that of lateness=", "that of lateness=, counted in 5"]


def test_a_table_takes_the_options_of_a_stream(spark: Any) -> None:
    rows = spark.createDataFrame(
        [(1, True, False), (2, True, True), (3, False, False)], "ts long, w boolean, p boolean"
    )
    frames = sf.frames(rows, sf.Threshold("w"), ts="ts", stream=sf.Stream(3, "p", fragments=True)).toDF()
    (frame,) = frames.collect()
    assert (frame.frame_end, frame.frame_rows, frame.frame_fragment, frame.frame_final) == (1, 1, 0, True)
    with pytest.raises(sf.InvalidArgument, match="punctuations=True for a table"):
        sf.frames(rows, sf.Threshold("w"), ts="ts", stream=sf.Stream(punctuations=True))


def test_a_stream_is_explained(stream: Any) -> None:
    told = sf.frames(stream, sf.Gap("1 second"), ts="timestamp", stream=sf.Stream("1 second", late="fail")).explain()
    assert (
        "until the watermark of lateness= says that everything before has been seen; late rows stop the query" in told
    )


@pytest.mark.parametrize("partitions", [1, 3, 8, 200])
def test_buckets_are_hashed_onto_partitions_in_turn(spark: Any, partitions: int) -> None:
    names = spark.createDataFrame([(name,) for name in bucket_names(partitions, partitions)], "name int")
    placed = names.selectExpr(f"pmod(hash(name), {partitions}) as place").collect()
    assert [row.place for row in placed] == list(range(partitions))
