"""Changes through Spark: provisional results and amendments, over a restart, and what they are refused for."""

from __future__ import annotations

import re
from pathlib import Path
from typing import Any

import pytest

import streamframes as sf
from tests.oracles.changes import Consumer, without
from tests.spark.test_streams import Folder, far_ahead, instant, rows_of

pytestmark = pytest.mark.spark

KIND = "timestamp"


def consume(folder: Folder, changes: Any, consumer: Consumer) -> list[dict[str, Any]]:
    """Run the query until all files are read; the consumer takes every batch once. Returns the progress."""

    def take(batch: Any, number: int) -> None:
        if number not in batches:
            batches.add(number)
            rows = [row.asDict() for row in batch.collect()]
            # Buckets are written side by side: in each of them retractions come first.
            consumer.take(sorted(rows, key=lambda row: not row["frame_retracted"]))

    batches = folder.__dict__.setdefault("batches", set())
    writer = changes.writeStream.foreachBatch(take).option("checkpointLocation", str(folder.path / "checkpoint"))
    query = writer.trigger(availableNow=True).start()
    query.awaitTermination()
    return [each["observedMetrics"]["streamframes"].asDict() for each in query.recentProgress]


def test_a_consumer_of_changes_has_the_frames_of_the_table(spark: Any, tmp_path: Path) -> None:
    folder = Folder(spark, tmp_path, KIND)
    rows, late = rows_of(5, KIND), [("a", instant(20, KIND), False, 9.5, "x", False)]
    too_late = [("a", instant(1, KIND), True, 9.5, "x", False)]
    stream = sf.Stream(lateness="5 seconds", early=True, late="amend", amend_within="50 seconds")
    scheme = sf.Threshold("w", min_rows=2, max_gap="10 seconds")

    def frames(rows: Any, **options: Any) -> Any:
        return sf.frames(rows, scheme, ts="ts", by="key", **options).agg(n="count(*)", most="max(v)")

    consumer = Consumer(amends=True)
    folder.add(rows[: len(rows) // 2], files=2)
    seen = consume(folder, frames(folder.stream, stream=stream), consumer)
    assert any(row["frame_closed_by"] == "open" for row in consumer.live.values())
    folder.add([*rows[len(rows) // 2 :]], files=2)
    folder.add(late, files=1)
    seen += consume(folder, frames(folder.stream, stream=stream), consumer)
    table = {row.frame_id: row.asDict() for row in frames(folder.table).collect()}
    assert set(consumer.live) == set(table)
    assert sum(each["amending_rows"] for each in seen) == 1
    assert all(each["kept_rows"] and each["changeable_frames"] for each in seen[-2:])
    folder.add([far_ahead(KIND)], files=1)
    folder.add(too_late, files=1)
    seen += consume(folder, frames(folder.stream, stream=stream), consumer)
    assert (sum(each["late_rows"] for each in seen), seen[-1]["changeable_frames"]) == (1, 0)
    final = sorted(consumer.final)
    closed = [row for row in table.values() if row["key"] != "end"]
    assert final == sorted(without({**row, "frame_closed_by": _by_time(row)}) for row in closed)


def _by_time(row: dict[str, Any]) -> str:
    return str(row["frame_closed_by"]).replace("end of data", "gap")


def test_what_changes_cannot_be_combined_with_is_refused_by_name(spark: Any, tmp_path: Path) -> None:
    rows = Folder(spark, tmp_path, KIND).stream
    early = sf.Stream(lateness="5 seconds", early=True)
    amend = sf.Stream(lateness="5 seconds", late="amend", amend_within="1 day")
    frames = sf.frames(rows, sf.Threshold("w"), ts="ts", by="key", stream=early)
    assert frames.toDF().columns[-3:] == ["frame_version", "frame_final", "frame_retracted"]
    punctuated = sf.Stream(punctuation="is_word", late="amend", amend_within="1 day")
    refused = [
        (frames.tag, "tag() got a stream with early=True"),
        (lambda: frames.expand(before="1 second"), "expand(), move() or split() got a stream with early=True"),
        (lambda: frames.fill(rows, ts="ts", lateness="1 second", n="count(*)"), "fill() got a stream with early=True"),
        (lambda: sf.Stream(early=True, fragments=True), "early=True and fragments=True; leave one of them out"),
        (lambda: sf.Stream(late="amend"), "add amend_within='1 day'"),
        (lambda: sf.Stream(amend_within="1 day"), "add late='amend'"),
        (
            lambda: sf.frames(rows, sf.Threshold("w"), ts="ts", schedule="20 seconds", stream=amend).toDF(),
            "schedule= and late='amend'",
        ),
        (
            lambda: sf.frames(rows, sf.Threshold("w"), ts="ts", stream=punctuated).toDF(),
            "late='amend' counts from the watermark",
        ),
        (
            lambda: sf.frames(spark.range(3), sf.Threshold("id > 1"), ts="id", stream=sf.Stream(early=True)),
            "got early=True for a table",
        ),
    ]  # fmt: skip
    for call, message in refused:
        with pytest.raises(sf.InvalidArgument, match=re.escape(message)):
            call()
