"""Sinks: what upsert() leaves in a table is what the verb finds, for tables, streams and every kind of frame."""

from __future__ import annotations

import sqlite3
from contextlib import closing
from pathlib import Path
from typing import Any

import pytest

import streamframes as sf
from streamframes.data import routers
from streamframes.sinks.changes import Changes
from streamframes.spark.sinks.batch import SparkBatch, schema_of

pytestmark = pytest.mark.spark

LOSS = sf.Threshold("drop_pct > 0.3", min_duration="1 minute")


def stored(path: Path, query: str) -> list[tuple[Any, ...]]:
    with closing(sqlite3.connect(path)) as database:
        return sorted(map(tuple, database.execute(query).fetchall()))


def test_a_stream_with_fragments_leaves_the_frames_of_the_table(spark: Any, tmp_path: Path) -> None:
    routers(rows=3_000, routers=5, seed=3, calm=120).write(tmp_path / "in", files=3)
    table = spark.read.parquet(str(tmp_path / "in"))
    rows = spark.readStream.schema(table.schema).option("maxFilesPerTrigger", 1).parquet(str(tmp_path / "in"))
    stream = sf.Stream(lateness="1 minute", fragments=True, punctuations=True)
    fragments = sf.frames(rows, LOSS, ts="rpt_time", by="router", stream=stream)
    target = sf.sink.SQLite(tmp_path / "out.db", table="loss")
    writer = fragments.toDF().writeStream.foreachBatch(sf.sink.upsert(target))
    writer = writer.option("checkpointLocation", str(tmp_path / "checkpoint")).trigger(availableNow=True)
    writer.start().awaitTermination()

    found = sf.frames(table, LOSS, ts="rpt_time", by="router").toDF().filter("frame_closed_by != 'end of data'")
    columns = "frame_id, router, frame_rows, frame_closed_by"
    final = stored(target.path, f"select {columns} from loss where frame_final")
    assert final == sorted(map(tuple, found.select(*columns.split(", ")).collect()))
    assert len(final) > 5


def test_every_kind_of_frame_is_stored(spark: Any, tmp_path: Path) -> None:
    rows = spark.sql("select id as t, timestamp_seconds(id) as at, id % 2 as x, double(id % 5) as value from range(40)")
    visit = sf.Session("Visit", key="x", closes="value = 4", attributes={"total": "sum(value)"})
    sessions = sf.sessions(rows, visit, ts="t", measures={"longest": "Visit.max(value)"})
    runs = sf.bursts(rows, "value", windows=[2, 3], thresholds={2: 5.0, 3: 7.0}, ts="at").runs()
    results = {
        "frames": (sf.frames(rows, sf.Threshold("value > 1"), ts="at", by="x").toDF(), "frame_id"),
        "regions": (sf.regions(rows, "value > 1", ts="t", space="x").toDF(), "frame_id"),
        "shapes": (sf.regions(rows, "value > 1", ts="t", space="x", shape="connected").toDF(), "frame_id"),
        "runs": (runs.toDF(), "frame_id"),
        "sessions": (sessions.sessions(), "frame_id"),
        "measures": (sessions.measures(), ["class", "id", "measure", "t"]),
    }
    for name, (frames, key) in results.items():
        target = sf.sink.SQLite(tmp_path / "out.db", table=name)
        for _ in range(2):
            sf.sink.upsert(target, key=key)(frames)
        count = stored(target.path, f"select count(*) from {name}")
        assert count == [(frames.count(),)]
        assert count > [(0,)]


def test_what_cannot_be_written_is_refused_before_a_job_starts(spark: Any, tmp_path: Path) -> None:
    target = sf.sink.SQLite(tmp_path / "out.db", table="t")
    upsert = sf.sink.upsert(target, key="id")
    with pytest.raises(sf.InvalidArgument, match="key='id', which is not a column; the columns are x"):
        upsert(spark.range(1).toDF("x"))
    with pytest.raises(sf.InvalidArgument, match="two columns named 'id'"):
        upsert(spark.sql("select 1 as id, 2 as id"))
    with pytest.raises(sf.InvalidArgument, match="column 'x': columns of type interval month cannot be carried"):
        upsert(spark.sql("select 1 as id, interval 1 month as x"))
    with pytest.raises(sf.InvalidArgument, match=r"got a stream; write .writeStream.foreachBatch"):
        upsert(spark.readStream.format("rate").load())
    with pytest.raises(sf.InvalidArgument, match="key='id' of type double, which does not identify a row"):
        upsert(spark.sql("select double(1) as id"))
    with pytest.raises(sf.InvalidArgument, match="bad='skip' is unknown; it is one of fail, aside"):
        sf.sink.upsert(target, bad="skip")
    with pytest.raises(sf.InvalidArgument, match=r"target='a.db'; give one such as sf.sink.SQLite"):
        sf.sink.upsert("a.db")
    assert not target.path.exists()


def test_tables_are_merged_with_one_row_of_each_key_and_rows_that_differ_are_refused(spark: Any) -> None:
    def newest(*rows: tuple[int, str]) -> list[Any]:
        table = spark.createDataFrame(list(rows), "frame_id long, v string")
        batch = SparkBatch(table, schema_of(table), Changes(("frame_id",)), None, "fail")
        return sorted(map(tuple, batch.newest().collect()))

    assert newest((1, "a"), (1, "a"), (2, "b")) == [(1, "a"), (2, "b")]
    with pytest.raises(Exception, match="same frame_id, but differ; name all columns") as caught:
        newest((1, "a"), (1, "b"))
    assert sf.reason(caught.value).startswith("rows of one batch have the same frame_id")
