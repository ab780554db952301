"""Filling on Spark: tables against nested loops, and every combination of tables and streams against the tables."""

from __future__ import annotations

import math
from pathlib import Path
from typing import Any

import pytest

import streamframes as sf
from streamframes.spark.batch.prefilter import prefiltered
from tests.oracles import fill as oracle
from tests.spark.test_streams import Folder, far_ahead, rows_of, spelled

pytestmark = pytest.mark.spark

KINDS = ["timestamp", "timestamp_ntz", "date", "bigint"]
MEASURES = {
    "n": "count(*)",
    "there": "count(v)",
    "total": "sum(v)",
    "most": "max(v)",
    "begins": "first(word)",
    "ends": "last(word)",
}
THRESHOLD = sf.Threshold("w", min_rows=2)


def ticks(n: int, kind: str) -> Any:
    """A duration of n ticks of the test data."""
    return n if kind == "bigint" else f"{n} {'days' if kind == 'date' else 'seconds'}"


def expected(frames: Any, rows: Any, keys: list[str], columns: list[str]) -> list[dict[str, Any]]:
    """The measures by nested loops over what Spark returns of both."""
    found = []
    dicts = [row.asDict() for row in rows.collect()]
    for frame, held in oracle.filled([row.asDict() for row in frames.collect()], dicts, keys, columns):
        told = {"n": len(held)}
        for name, function, column in (
            ("there", "count", "v"),
            ("total", "sum", "v"),
            ("most", "max", "v"),
            ("begins", "first", "word"),
            ("ends", "last", "word"),
        ):
            told[name] = oracle.measured(function, held, column)
        found.append({**frame, **told})
    return found


def dicts(table: Any) -> list[dict[str, Any]]:
    return [row.asDict() for row in table.collect()]


def same(found: list[dict[str, Any]], wanted: list[dict[str, Any]]) -> bool:
    return sorted(map(spelled, found)) == sorted(map(spelled, wanted))


@pytest.fixture
def folders(spark: Any, tmp_path: Path) -> Any:
    """Rows to be framed and rows that fill, in the order of their arrival, of one type of instant."""

    def make(kind: str, files: int = 3) -> tuple[Folder, Folder]:
        framed, filling = Folder(spark, tmp_path / "framed", kind), Folder(spark, tmp_path / "filling", kind)
        for seed, folder in enumerate((framed, filling)):
            folder.add([*rows_of(seed, kind), far_ahead(kind)], files)
        return framed, filling

    return make


@pytest.mark.parametrize("kind", KINDS)
def test_tables_are_filled_as_nested_loops_would(spark: Any, folders: Any, kind: str) -> None:
    framed, filling = folders(kind)
    rows = filling.table
    frames = sf.frames(framed.table, THRESHOLD, ts="ts", by="key").expand(before=ticks(5, kind), after=ticks(2, kind))
    assert same(dicts(frames.fill(rows, ts="ts", **MEASURES)), expected(frames.toDF(), rows, ["key"], ["v", "word"]))
    pieces = frames.split(every=ticks(7, kind))
    assert same(
        dicts(pieces.fill(rows.repartition(5), ts=["ts", "word"], by=(), **MEASURES)),
        expected(pieces.toDF(), rows, [], ["word", "v"]),
    )
    tagged = dicts(frames.fill(rows, ts="ts"))
    by_hand = [
        {**row, "frame_id": frame["frame_id"]}
        for frame, held in oracle.filled(dicts(frames.toDF()), dicts(rows), ["key"], ["w", "v", "word", "is_word"])
        for row in held
    ]
    assert same(tagged, by_hand)


@pytest.mark.parametrize("kind", ["timestamp", *(pytest.param(each, marks=pytest.mark.long) for each in KINDS[1:])])
def test_the_sieve_holds_no_row_back_that_is_in_a_frame(folders: Any, kind: str) -> None:
    framed, filling = folders(kind)
    rows = filling.table.filter("ts is not null")
    found = sf.frames(framed.table, THRESHOLD, ts="ts", by="key").toDF()
    few = found.filter("pmod(frame_id, 5) = 0")
    for frames in (few, found, found.filter("false")):
        filled = dicts(sf.fill(frames, rows, ts="ts", by="key", **MEASURES))
        assert same(filled, expected(frames, rows, ["key"], ["v", "word"]))
    assert prefiltered(few, rows, {"key": "key"}, "ts", "frame_").count() < 0.6 * rows.count()
    assert prefiltered(found.filter("false"), rows, {"key": "key"}, "ts", "frame_").count() == rows.count()


def test_any_aggregate_of_spark_is_a_measure_of_a_table(folders: Any) -> None:
    framed, filling = folders("bigint")
    rows = filling.table
    frames = sf.frames(framed.table, THRESHOLD, ts="ts", by="key")
    found = frames.fill(rows, ts="ts", all="collect_list(v)", n="count(*)", half="percentile(v, 0.5)")
    assert found.columns[-3:] == ["all", "n", "half"]
    pairs = oracle.filled(dicts(frames.toDF()), dicts(rows), ["key"], ["w", "v", "word", "is_word"])
    by_hand = {
        frame["frame_id"]: (
            len({row["word"] for row in held}),
            [row["v"] for row in held if row["v"] is not None],
            len(held),
        )
        for frame, held in pairs
    }
    assert {row.frame_id: (row["all"], row.n) for row in found.collect()} == {
        frame_id: (values, n) for frame_id, (_, values, n) in by_hand.items()
    }
    only = frames.fill(rows, ts="ts", keep_empty=False, words="count(distinct word)")
    assert {row.frame_id: row.words for row in only.collect()} == {
        frame_id: words for frame_id, (words, _, n) in by_hand.items() if n
    }


def test_frames_may_be_the_same_and_edges_may_be_missing(spark: Any) -> None:
    frames = spark.createDataFrame(
        [("a", 1, 0, 10), ("a", 1, 0, 10), (None, 2, 0, 10), ("a", 3, 9, 2), ("a", 4, None, 3), ("b", 5, 0, 10)],
        "k string, frame_id bigint, frame_start bigint, frame_end bigint",
    )
    rows = spark.createDataFrame([("a", 0), ("a", 10), ("a", 11), (None, 5), ("a", None)], "k string, t bigint")
    found = sf.fill(frames, rows, ts="t", by="k", n="count(*)", times="collect_list(t)")
    assert sorted((row.frame_id, row.n, row.times) for row in found.collect()) == [
        (1, 2, [0, 10]),
        (1, 2, [0, 10]),
        (2, 1, [5]),
        (3, 0, []),
        (4, 0, []),
        (5, 0, []),
    ]


def test_whole_numbers_of_any_width_are_instants(spark: Any) -> None:
    narrow = spark.sql("select 1L frame_id, 5 frame_start, 9 frame_end")
    wide = spark.sql("select 1L frame_id, 5L frame_start, 5000000009L frame_end")
    rows = spark.sql("select explode(array(5L, 9L, 10L, 5000000009L, 5000000010L)) t")
    assert sf.fill(narrow, rows, ts="t", n="count(*)").collect()[0].n == 2
    apart = spark.sql("select explode(array(1L, 1000L)) frame_id, frame_id frame_start, frame_id + 3 frame_end")
    far = rows.union(spark.sql("select explode(array(9223372036854775807L, -9223372036854775808L, 1L, null)) t"))
    assert sum(row.n for row in sf.fill(apart, far, ts="t", n="count(*)").collect()) == 1
    assert sf.fill(wide, rows, ts="t", n="count(*)").collect()[0].n == 4
    assert sf.fill(wide, rows.filter("t < 11").selectExpr("cast(t as int) t"), ts="t", n="count(*)").collect()[0].n == 3


def test_edges_are_moved_by_any_expression(spark: Any) -> None:
    rows = spark.sql("select timestamp_seconds(id * 10) t, id between 10 and 20 w, id from range(40)")
    frames = sf.frames(rows, sf.Threshold("w"), ts="t")
    moved = frames.move(
        start="frame_start - interval 30 seconds", end="greatest(frame_start, frame_end - interval 1 minute)"
    )
    assert [(row.low, row.high) for row in moved.agg(low="min(id)", high="max(id)").collect()] == [(7, 14)]
    nothing = frames.move(end="frame_start - interval 1 second")
    assert [(row.n, row.low) for row in nothing.agg(n="count(*)", low="min(id)").collect()] == [(0, None)]


@pytest.mark.parametrize(
    ("kind", "fragments"),
    [
        ("timestamp", False),
        ("bigint", True),
        pytest.param("timestamp_ntz", True, marks=pytest.mark.long),
        pytest.param("date", False, marks=pytest.mark.long),
    ],
)
def test_two_streams_give_what_their_tables_give(folders: Any, kind: str, fragments: bool) -> None:
    framed, filling = folders(kind)

    def filled(rows: Any, other: Any) -> Any:
        found = sf.frames(
            rows, THRESHOLD, ts="ts", by="key", stream=sf.Stream(lateness=ticks(5, kind), fragments=fragments)
        )
        found = found.expand(before=ticks(4, kind), after=ticks(3, kind))
        return found.fill(other, ts="ts", by="key", lateness=ticks(5, kind), **MEASURES)

    progress = framed.run(filled(framed.stream, filling.stream))
    found = [row for row in framed.found() if row.pop("frame_final", True)]
    for row in found:
        row.pop("frame_fragment", None)
    plain = dicts(sf.frames(framed.table, THRESHOLD, ts="ts", by="key").toDF())
    closed = {row["frame_id"] for row in plain if row["frame_closed_by"] != "end of data"}
    table = dicts(filled(framed.table, filling.table))
    for row in table:
        row.pop("frame_fragment", None), row.pop("frame_final", None)
    assert same(found, [row for row in table if row["frame_id"] in closed])
    figures = progress[-1]["observedMetrics"]["streamframes"].asDict()
    assert figures["fill_late_rows"] == figures["fill_waiting_frames"] == 0
    assert figures["fill_waiting_rows_max"] >= figures["fill_waiting_rows_avg"] > 0


def test_history_fills_a_stream_and_a_stream_fills_frames_that_are_given(folders: Any) -> None:
    framed, filling = folders("timestamp", 2)

    def filled(rows: Any, other: Any, by: Any) -> Any:
        found = sf.frames(rows, THRESHOLD, ts="ts", by="key", lateness="5 seconds")
        return found.expand(before="9 seconds").fill(other, ts="ts", by=by, lateness="5 seconds", **MEASURES)

    for number, by in enumerate((["key"], [])):
        table = {row["frame_id"]: row for row in dicts(filled(framed.table, filling.table, by))}
        framed.run(filled(framed.stream, filling.table, by), f"history-{number}")
        history = framed.found(f"history-{number}")
        assert same(history, [table[row["frame_id"]] for row in history])
        assert len(history) > 10
        framed.run(filled(framed.table, filling.stream, by), f"given-{number}")
        ended = [row for row in table.values() if row["frame_end"] < max(row["frame_end"] for row in table.values())]
        given = {row["frame_id"]: row for row in framed.found(f"given-{number}")}
        assert same(list(given.values()), [table[frame_id] for frame_id in given])
        assert {row["frame_id"] for row in ended} <= set(given)


def test_the_frames_of_a_stream_are_moved_inside_it_as_spark_would(folders: Any) -> None:
    framed, filling = folders("timestamp")
    moves = {
        "start": "case when frame_rows > 4 then frame_start - interval 3 seconds else frame_start end",
        "end": "least(frame_end, frame_start + interval 2 seconds)",
    }

    def filled(rows: Any, other: Any) -> Any:
        found = (
            sf.frames(rows, THRESHOLD, ts="ts", by="key", lateness="5 seconds").move(**moves).split(every="2 seconds")
        )
        return found.fill(other, ts="ts", by="key", lateness="5 seconds")

    framed.run(filled(framed.stream, filling.stream))
    found, table = framed.found(), dicts(filled(framed.table, filling.table))
    told = {row["frame_id"] for row in found}
    assert same(found, [row for row in table if row["frame_id"] in told])
    assert len(told) > 10


def test_the_order_in_which_groups_are_named_does_not_matter(spark: Any, tmp_path: Path) -> None:
    folder = Folder(spark, tmp_path / "rows", "bigint")
    folder.add([*rows_of(3, "bigint"), far_ahead("bigint")], 2)

    def filled(rows: Any, by: list[str]) -> Any:
        frames = sf.frames(rows, sf.Gap(2), ts="ts", by=["key", "word"], lateness=5)
        return frames.fill(rows, ts="ts", by=by, lateness=5, n="count(*)")

    table = {row["frame_id"]: row["n"] for row in dicts(filled(folder.table, ["key", "word"]))}
    folder.run(filled(folder.stream, ["word", "key"]))
    found = {row["frame_id"]: row["n"] for row in folder.found()}
    assert found == {frame_id: table[frame_id] for frame_id in found}
    assert len(found) > 50
    with pytest.raises(sf.InvalidArgument, match="got by='frame_closed_by', which does not group the frames"):
        sf.frames(folder.stream, sf.Gap(2), ts="ts", by="key", lateness=5).fill(
            folder.stream, ts="ts", by={"frame_closed_by": "word"}, lateness=5
        )


def test_without_waiting_the_frames_rule_alone(folders: Any, spark: Any, tmp_path: Path) -> None:
    framed, _ = folders("timestamp", 2)
    silent = Folder(spark, tmp_path / "silent", "timestamp")
    silent.add(rows_of(1, "timestamp")[:3], 1)

    def filled(wait: bool) -> Any:
        frames = sf.frames(framed.stream, THRESHOLD, ts="ts", by="key", lateness="5 seconds")
        lateness = "5 seconds" if wait else None
        return frames.fill(silent.stream, ts="ts", by="key", wait=wait, lateness=lateness, n="count(*)")

    framed.run(filled(wait=True), "waiting")
    framed.run(filled(wait=False), "alone")
    assert len(framed.found("waiting")) < 5 < 20 < len(framed.found("alone"))


def test_own_rows_fill_moved_frames_of_a_stream(folders: Any) -> None:
    framed, _ = folders("bigint")

    def found(rows: Any) -> Any:
        return (
            sf.frames(rows, THRESHOLD, ts="ts", by="key", lateness=5).expand(before=3).agg(n="count(*)", total="sum(v)")
        )

    framed.run(found(framed.stream))
    streamed = framed.found()
    table = {row["frame_id"]: row for row in dicts(found(framed.table))}
    assert same(streamed, [table[row["frame_id"]] for row in streamed])
    assert len(streamed) > 10


def test_a_fold_is_a_measure_of_frames_and_of_fillings(folders: Any) -> None:
    framed, filling = folders("bigint")
    rms = sf.Fold("v", (0.0, 0.0), lambda s, v: (s[0] + 1, s[1] + v * v), lambda s: math.sqrt(s[1] / s[0]))
    frames = sf.frames(framed.table, THRESHOLD, ts="ts", by="key")
    for rows, table in (
        (dicts(framed.table), frames.agg(rms=rms, total="sum(v * v)", n="count(v)")),
        (dicts(filling.table), frames.fill(filling.table, ts="ts", rms=rms, total="sum(v * v)", n="count(v)")),
    ):
        assert rows
        for row in table.collect():
            assert row.rms == (math.sqrt(row.total / row.n) if row.n else None)
