"""Streams without an engine: for any arrival order, any cut into steps, any watermark, the frames of the table.

Covers: streamframes.core.operator.step, streamframes.core.operator.group_state, streamframes.core.operator.state_codec
"""

from __future__ import annotations

import itertools
import math
from dataclasses import replace
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

import streamframes as sf
from streamframes.core.batch.clock import MIN_INSTANT, Clock
from streamframes.core.batch.packer import ALL_GROUPS, DATA, ONE_GROUP, Packer
from streamframes.core.batch.rows import TagColumn
from streamframes.core.frames.measures import Measure
from streamframes.core.frames.operator import FramePlan
from streamframes.core.frames.schedule import Schedule
from streamframes.core.operator import state_codec
from streamframes.core.operator.step import Step
from streamframes.core.operator.stream_bucket import StreamBucket, StreamPlan
from streamframes.core.operator.table_bucket import bucket_results
from streamframes.errors import StreamFramesError
from tests.core.frames.test_agreement import KINDS
from tests.thoroughness import examples

KEYS = pa.schema([("key", pa.string())])
LATENESS = 4


class DictStore:
    """A store in memory that keeps bytes only, as a checkpoint would."""

    def __init__(self) -> None:
        self.record: bytes | None = None
        self.chunks: dict[int, bytes] = {}

    def read(self) -> bytes | None:
        return self.record

    def write(self, data: bytes) -> None:
        self.record = data

    def get(self, number: int) -> bytes:
        return self.chunks[number]

    def put(self, number: int, data: bytes) -> None:
        assert number not in self.chunks
        self.chunks[number] = data

    def remove(self, number: int) -> None:
        del self.chunks[number]


def plan_for(scheme: Any, **wanted: Any) -> FramePlan:
    kinds = {"condition": pa.bool_(), "number": pa.float64(), "any": pa.string()}
    columns = tuple(kinds[needed.kind] for needed in scheme.inputs())
    return FramePlan(scheme=scheme, clock=Clock("integer"), keys=KEYS, ts_type=pa.int64(), columns=columns, **wanted)


def chunks_of(plan: FramePlan, rows: list[dict[str, Any]], input_number: int = 0) -> list[Any]:
    """One batch of rows, packed as the map side does it."""
    keys = pa.RecordBatch.from_arrays([pa.array([row["key"] for row in rows], pa.string())], schema=KEYS)
    columns = [pa.array([row["x"][i] for row in rows], kind) for i, kind in enumerate(plan.columns)]
    kinds = pa.array([row.get("word", DATA) for row in rows], pa.int8())
    ts = pa.array([row["ts"] for row in rows], pa.int64())
    return list(Packer(1, input_number).pack(ts, keys, columns, kinds))


def table(plan: FramePlan, rows: list[dict[str, Any]]) -> list[dict[str, Any]]:
    plain = [row for row in rows if row.get("word", DATA) == DATA]
    chunks = sorted(chunks_of(plan, plain), key=lambda chunk: chunk.start) if plain else []
    return dicts(list(bucket_results(plan, ((0, chunk.start, pa.py_buffer(chunk.data)) for chunk in chunks))))


def dicts(batches: list[pa.RecordBatch]) -> list[dict[str, Any]]:
    return [row for batch in batches for row in batch.to_pylist()]


class Stream:
    """A bucket that is written to its store and read again at each step."""

    def __init__(self, plan: FramePlan, **settings: Any) -> None:
        self.plan = StreamPlan(plan, {"scheme": repr(plan.scheme)}, **settings)
        self.store = DictStore()
        self.late = 0

    def step(self, rows: list[dict[str, Any]], watermark: int = MIN_INSTANT) -> Step:
        chunks = [(chunk.start, pa.py_buffer(chunk.data)) for chunk in chunks_of(self.plan.plan, rows)]
        made = StreamBucket(self.plan, self.store).step(chunks, watermark)
        self.late += made.counters["late"]
        return made

    def run(self, batches: list[tuple[list[dict[str, Any]], int]]) -> list[dict[str, Any]]:
        return [row for rows, watermark in batches for row in dicts(self.step(rows, watermark).results)]


values = {
    "condition": st.sampled_from([True, True, True, False, None]),
    "number": st.one_of(st.integers(-2, 3).map(float), st.sampled_from([None, math.nan])),
    "any": st.sampled_from(["a", "b", None]),
}


@st.composite
def streams(draw: Any, scheme: Any) -> list[tuple[list[dict[str, Any]], int]]:
    """Rows that arrive in any order that the lateness allows, cut anywhere, with watermarks that keep their word."""
    kinds = [needed.kind for needed in scheme.inputs()]
    size = draw(st.integers(0, 24))
    rows = [
        {
            "key": draw(st.sampled_from(["a", "b", None])),
            "ts": draw(st.integers(-5, 30)),
            "x": [draw(values[kind]) for kind in kinds],
        }
        for _ in range(size)
    ]
    delay = [draw(st.integers(0, LATENESS)) for _ in rows]
    return cut(draw, delayed(rows, delay))


def delayed(rows: list[dict[str, Any]], delay: list[int]) -> list[dict[str, Any]]:
    """The rows in the order of their arrival."""
    order = sorted(range(len(rows)), key=lambda i: rows[i]["ts"] + delay[i])
    return [rows[i] for i in order]


def cut(draw: Any, arrived: list[dict[str, Any]]) -> list[tuple[list[dict[str, Any]], int]]:
    edges = sorted({0, len(arrived), *draw(st.lists(st.integers(0, len(arrived)), max_size=6))})
    batches: list[tuple[list[dict[str, Any]], int]] = []
    for low, high in itertools.pairwise(edges):
        seen = [row["ts"] for row in arrived[:low]]
        batches.append((arrived[low:high], max(seen) - LATENESS if seen and draw(st.booleans()) else MIN_INSTANT))
        if draw(st.integers(0, 3)) == 0:
            batches.append(([], max(row["ts"] for row in arrived[:high]) - LATENESS))
    last = max((row["ts"] for row in arrived), default=0)
    return [*batches, ([], last + 1), ([], last + 1000)]


SCHEMES = [
    sf.Threshold("w"),
    sf.Threshold("w", min_rows=2, max_gap=5),
    sf.Threshold("w", merge_gap=3, min_duration=2),
    sf.Threshold("w", until="u", merge_gap=2, max_gap=4),
    sf.Threshold("w", gaps=True, min_rows=2),
    sf.Threshold("w", gaps=True, min_rows=2, merge_gap=2, max_gap=5),
    sf.Threshold("w", max_rows=3, max_duration=6, nulls="skip"),
    sf.Delta("v", "<", 2),
    sf.Delta("v", ">=", 2, base="first", max_gap=6),
    sf.Boundary({"v": 2.0}, nulls="break"),
    sf.Aggregate("sum(v)", ">=", 3),
    sf.Aggregate("avg(v)", "<", 2, min_rows=2),
    sf.Change("s"),
    sf.Gap(3),
    sf.Gap(3, max_gap=5, min_rows=2),
    sf.Every(5),
    sf.Every(6, slide=2),
    sf.Count(3),
    sf.Count(4, slide=2, max_gap=6),
]
named = pytest.mark.parametrize("scheme", SCHEMES, ids=repr)


def spelled(row: dict[str, Any]) -> str:
    return repr(sorted(row.items()))


def check_frames(found: list[dict[str, Any]], expected: list[dict[str, Any]]) -> None:
    """All closed frames of the table, and of its open ones at most those that time has closed."""
    by_id = {row["frame_id"]: row for row in expected}
    assert len({row["frame_id"] for row in found}) == len(found)
    for row in found:
        there = by_id[row["frame_id"]]
        if there["frame_closed_by"] == "end of data":
            there = {**there, "frame_closed_by": row["frame_closed_by"]}
            assert row["frame_closed_by"] in ("condition", "gap")
        assert spelled(row) == spelled(there)
    closed = {row["frame_id"] for row in expected if row["frame_closed_by"] != "end of data"}
    assert closed <= {row["frame_id"] for row in found}


@named
@examples(40)
@given(data=st.data())
def test_a_stream_reports_the_frames_of_the_table(scheme: Any, data: Any) -> None:
    plan = plan_for(scheme, measures=measures(scheme))
    batches = data.draw(streams(scheme))
    stream = Stream(plan)
    found = stream.run(batches)
    assert stream.late == 0
    check_frames(found, table(plan, [row for rows, _ in batches for row in rows]))


def measures(scheme: Any) -> tuple[Measure, ...]:
    if not scheme.inputs() or scheme.inputs()[0].kind != "number":
        return (Measure("n", "count", None, pa.int64()),)
    return (Measure("total", "sum", 0, pa.float64()), Measure("latest", "last", 0, pa.float64()))


@named
@examples(25)
@given(data=st.data())
def test_fragments_only_grow_and_the_last_is_the_frame(scheme: Any, data: Any) -> None:
    plan = plan_for(scheme, measures=measures(scheme), fragments=True)
    batches = data.draw(streams(scheme))
    found = Stream(plan).run(batches)
    frames = [row for row in found if row["frame_final"]]
    plain = Stream(replace(plan, fragments=False)).run(batches)
    assert sorted(spelled(without(row)) for row in frames) == sorted(map(spelled, plain))
    seen: dict[int, dict[str, Any]] = {}
    for row in found:
        before = seen.get(row["frame_id"])
        if before is None:
            assert row["frame_fragment"] == 0
        else:
            assert row["frame_fragment"] == before["frame_fragment"] + 1
            assert not before["frame_final"]
            assert row["frame_start"] == before["frame_start"]
            assert row["frame_end"] >= before["frame_end"]
            assert row["frame_rows"] > before["frame_rows"] or row["frame_final"]
        assert row["frame_closed_by"] is None or row["frame_final"]
        seen[row["frame_id"]] = row
    known = {row["frame_id"] for row in table(plan, [row for rows, _ in batches for row in rows])}
    assert set(seen) <= known


@pytest.mark.parametrize("scheme", [SCHEMES[0], SCHEMES[1], SCHEMES[6], SCHEMES[7], SCHEMES[12]], ids=repr)
@examples(40)
@given(data=st.data())
def test_the_first_fragment_comes_as_soon_as_the_frame_is_certain(scheme: Any, data: Any) -> None:
    """After each step, the frames that have been heard of are those of the table of the released rows."""
    plan = plan_for(scheme, fragments=True)
    stream = Stream(plan)
    heard: set[int] = set()
    rows: list[dict[str, Any]] = []
    point = MIN_INSTANT
    for part, watermark in data.draw(streams(scheme)):
        rows, point = rows + part, max(point, watermark)
        heard |= {row["frame_id"] for row in dicts(stream.step(part, watermark).results)}
        assert heard == {row["frame_id"] for row in table(plan, [row for row in rows if row["ts"] < point])}


def without(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in ("frame_fragment", "frame_final")}


@named
@examples(20)
@given(data=st.data())
def test_tags_are_those_of_the_table(scheme: Any, data: Any) -> None:
    tags = (TagColumn("key", "key", 0, pa.string()), TagColumn("ts", "ts", 0, pa.int64()))
    plan = plan_for(scheme, tags=tags)
    batches = data.draw(streams(scheme))
    found = Stream(plan).run(batches)
    expected = table(plan, [row for rows, _ in batches for row in rows])
    rest = sorted(map(spelled, expected))
    for row in sorted(map(spelled, found)):
        rest.remove(row)
    open_ids = {
        row["frame_id"]
        for row in table(replace(plan, tags=()), [row for rows, _ in batches for row in rows])
        if row["frame_closed_by"] == "end of data"
    }
    assert {row["frame_id"] for row in expected if spelled(row) in rest} <= open_ids


SCHEDULED = [
    (sf.Threshold("w"), Schedule(5)),
    (sf.Threshold("w", min_rows=2), Schedule(5, jitter=1, missing="holds")),
    (sf.Threshold("w"), Schedule(5, missing="true", open_on="real")),
    (sf.Threshold("w", min_rows=2), Schedule(5, jitter=1, missing="false")),
    (sf.Threshold("w", gaps=True, min_rows=2), Schedule(4, missing="false", offset=1)),
    (sf.Threshold("w", merge_gap=8), Schedule(5, missing="false")),
    (sf.Threshold("w", merge_gap=8), Schedule(5, missing="ends")),
    (sf.Delta("v", "<", 2), Schedule(5, missing="ends")),
    (sf.Delta("v", "<", 2, max_gap=7), Schedule(5, missing="holds")),
]


@st.composite
def reports(draw: Any, scheme: Any, schedule: Schedule) -> list[tuple[list[dict[str, Any]], int]]:
    """Reports on a schedule, some missing, at most one a tick, in any order that the lateness allows."""
    kinds = [needed.kind for needed in scheme.inputs()]
    rows = []
    for key in ("a", "b"):
        for tick in range(draw(st.integers(0, 9))):
            if draw(st.integers(0, 3)):
                offset = schedule.offset if schedule.offset is not None else (3 if key == "a" else 0)
                off = draw(st.integers(-schedule.jitter, schedule.jitter)) if rows else 0
                x = [draw(values[kind]) for kind in kinds]
                rows.append({"key": key, "ts": offset + tick * schedule.period + off, "x": x})
    delay = [draw(st.integers(0, LATENESS)) for _ in rows]
    return cut(draw, delayed(rows, delay))


@pytest.mark.parametrize(("scheme", "schedule"), SCHEDULED, ids=repr)
@examples(40)
@given(data=st.data())
def test_a_scheduled_stream_reports_the_frames_of_the_table(scheme: Any, schedule: Schedule, data: Any) -> None:
    plan = plan_for(scheme, schedule=schedule)
    batches = data.draw(reports(scheme, schedule))
    stream = Stream(plan)
    found = stream.run(batches)
    assert stream.late == 0
    check_frames(found, table(plan, [row for rows, _ in batches for row in rows]))


@st.composite
def schedules(draw: Any, kind: str) -> Schedule:
    """A schedule of any kind that the scheme can use."""
    missing = draw(st.sampled_from(["ends", "holds", *(["true", "false"] if kind == "threshold" else [])]))
    open_on = draw(st.sampled_from(["any", "real"])) if missing in ("true", "false") else "any"
    period, jitter, offset = (draw(st.sampled_from(each)) for each in ((3, 5, 10), (0, 1), (None, 1)))
    return Schedule(period, jitter, offset, missing, open_on)


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_whatever_closes_a_frame_closes_it_in_a_stream_too(kind: str) -> None:
    """Any scheme with any options, on a schedule or without one."""

    @examples(50)
    @given(data=st.data())
    def agree(data: Any) -> None:
        scheme = KINDS[kind](data.draw)
        if isinstance(scheme, sf.Threshold):
            # Whether rows of an open episode are a gap, the end of the data decides.
            scheme = replace(scheme, gaps=False)
        schedule = data.draw(st.one_of(st.none(), schedules(kind)))
        batches = data.draw(streams(scheme) if schedule is None else reports(scheme, schedule))
        plan = plan_for(scheme, schedule=schedule)
        stream = Stream(plan)
        found = stream.run(batches)
        assert stream.late == 0
        check_frames(found, table(plan, [row for rows, _ in batches for row in rows]))

    agree()


def closed_by(scheme: Any, rows: list[tuple[int, Any]], *watermarks: int, schedule: Schedule | None = None) -> Any:
    """Why each frame of a table ends, which must be what a stream says that is as far as these in turn."""
    plan = plan_for(scheme, schedule=schedule)
    every = [{"key": "a", "ts": ts, "x": list(x)} for ts, x in rows]
    expected = table(plan, every)
    check_frames(Stream(plan).run([(every, MIN_INSTANT), *(([], watermark) for watermark in watermarks)]), expected)
    return [(row["frame_start"], row["frame_end"], row["frame_closed_by"]) for row in expected]


def test_a_null_that_comes_after_a_gap_ends_no_frame_because_the_gap_has() -> None:
    scheme = sf.Threshold("w", max_gap=5, nulls="break")
    near, far = [(0, [True]), (3, [None])], [(0, [True]), (9, [None])]
    assert closed_by(scheme, near, 2, 4, 50) == [(0, 0, "condition")]
    assert closed_by(scheme, far, 2, 7, 50) == closed_by(scheme, far, 50) == [(0, 0, "gap")]


def test_a_report_that_waits_for_another_on_its_tick_is_known_to_have_come() -> None:
    rows = [(0, ["x"]), (2, ["x"])]
    assert closed_by(sf.Change("s", max_gap=2), rows, 1, 3, 50, schedule=Schedule(3, 1)) == [(0, 2, "end of data")]
    assert closed_by(sf.Gap(2), [(0, []), (2, [])], 1, 3, 50, schedule=Schedule(3, 1)) == [(0, 2, "end of data")]


def test_a_report_that_is_missing_ends_a_frame_in_one_way_only() -> None:
    scheme, rows = sf.Every(1), [(0, []), (6, [])]
    assert closed_by(scheme, rows, 2, 7, 50, schedule=Schedule(3)) == [(0, 0, "gap"), (6, 6, "end of data")]
    far, rows = sf.Threshold("w", max_gap=1), [(0, [True]), (6, [False])]
    assert closed_by(far, rows, 2, 4, 50, schedule=Schedule(3, missing="false")) == [(0, 0, "gap")]


def test_on_a_schedule_a_frame_is_reported_by_the_row_that_ends_it() -> None:
    plan = plan_for(sf.Threshold("w"), schedule=Schedule(10))
    stream = Stream(plan)
    row = lambda ts, x: {"key": "a", "ts": ts, "x": [x]}  # noqa: E731
    assert not stream.step([row(0, True)]).results
    assert not stream.step([row(10, True)], watermark=1).results
    found = dicts(stream.step([row(20, False)], watermark=1).results)
    assert [(frame["frame_start"], frame["frame_end"]) for frame in found] == [(0, 10)]
    assert not stream.step([row(40, True), row(50, False)], watermark=1).results
    other = [{"key": "b", "ts": ts, "x": [ts < 20]} for ts in (0, 10, 20)]
    fresh = Stream(plan)
    found = dicts(fresh.step(other, watermark=1).results)
    assert [(frame["frame_start"], frame["frame_end"]) for frame in found] == [(0, 10)]
    found = dicts(stream.step([row(60, True)], watermark=31).results)
    assert [(frame["frame_start"], frame["frame_end"]) for frame in found] == [(40, 40)]


def test_punctuation_releases_its_group_or_all() -> None:
    plan = plan_for(sf.Threshold("w"))
    stream = Stream(plan)
    a = [{"key": "a", "ts": ts, "x": [ts < 3]} for ts in range(5)]
    b = [{"key": "b", "ts": ts, "x": [ts < 4]} for ts in range(6)]
    assert not stream.step(a + b).results
    word = {"key": "a", "ts": 4, "x": [None], "word": ONE_GROUP}
    found = dicts(stream.step([word]).results)
    assert [(row["key"], row["frame_start"], row["frame_end"]) for row in found] == [("a", 0, 2)]
    assert stream.step([{"key": "a", "ts": 4, "x": [True]}]).counters["late"] == 1
    found = dicts(stream.step([{"key": None, "ts": 5, "x": [None], "word": ALL_GROUPS}]).results)
    assert [(row["key"], row["frame_start"], row["frame_end"]) for row in found] == [("b", 0, 3)]


def test_what_comes_in_one_step_comes_at_once() -> None:
    """Punctuation makes no row of its own micro-batch late, whatever came first."""
    word = {"key": "a", "ts": 4, "x": [None], "word": ONE_GROUP}
    rows = [{"key": "a", "ts": ts, "x": [ts < 3]} for ts in range(5)]
    plan = plan_for(sf.Threshold("w"))
    for parts in ([[word], rows], [rows, [word]]):
        chunks = [(c.start, pa.py_buffer(c.data)) for part in parts for c in chunks_of(plan, part)]
        step = StreamBucket(StreamPlan(plan, {}), DictStore()).step(chunks)
        assert step.counters["late"] == 0
        assert [(row["frame_start"], row["frame_end"]) for row in dicts(step.results)] == [(0, 2)]


def test_a_stream_without_group_columns() -> None:
    plan = replace(plan_for(sf.Threshold("w")), keys=pa.schema([]))
    store, found = DictStore(), []
    for ts in range(6):
        arrays = [pa.array([ts < 3])]
        packed = Packer(1).pack(pa.array([ts]), pa.RecordBatch.from_arrays([], []), arrays)
        chunks = [(chunk.start, pa.py_buffer(chunk.data)) for chunk in packed]
        found += dicts(StreamBucket(StreamPlan(plan, {}), store).step(chunks, ts - 1).results)
    assert [(row["frame_start"], row["frame_end"]) for row in found] == [(0, 2)]


@named
@examples(20)
@given(data=st.data())
def test_punctuation_instead_of_a_watermark(scheme: Any, data: Any) -> None:
    """Words per group that are true: the stream needs no watermark."""
    plan = plan_for(scheme)
    batches = data.draw(streams(scheme))
    rows = [row for part, _ in batches for row in part]
    last = max((row["ts"] for row in rows), default=0)
    words = [
        {"key": key, "ts": last + 1000, "x": [None] * len(plan.columns), "word": ONE_GROUP} for key in ("a", "b", None)
    ]
    told: list[tuple[list[dict[str, Any]], int]] = [(part, MIN_INSTANT) for part, _ in batches]
    stream = Stream(plan)
    found = stream.run([*told, (words, MIN_INSTANT)])
    check_frames(found, table(plan, rows))


def test_late_rows_are_counted_and_change_nothing() -> None:
    plan = plan_for(sf.Threshold("w"))
    rows = [{"key": "a", "ts": ts, "x": [ts % 5 < 3]} for ts in range(20)]
    stream = Stream(plan)
    found = stream.run([(rows, MIN_INSTANT), ([], 15)])
    late = [{"key": "a", "ts": ts, "x": [True]} for ts in (3, 4, 14)]
    step = stream.step([*late, {"key": "b", "ts": 2, "x": [True]}, {"key": "a", "ts": 15, "x": [None]}])
    assert step.counters["late"] == 4
    found += dicts(step.results) + stream.run([([], 40)])
    check_frames(found, table(plan, [*rows, {"key": "a", "ts": 15, "x": [None]}]))


def test_a_late_row_can_stop_the_stream() -> None:
    stream = Stream(plan_for(sf.Threshold("w")), late="fail")
    stream.step([{"key": "a", "ts": 5, "x": [True]}], watermark=4)
    stream.step([{"key": "a", "ts": 4, "x": [True]}], watermark=4)
    with pytest.raises(StreamFramesError, match=r"a row is late: \{'key': 'b'\} at 3, but all rows before 4"):
        stream.step([{"key": "b", "ts": 3, "x": [True]}], watermark=4)


def test_silent_groups_are_closed_and_forgotten() -> None:
    stream = Stream(plan_for(sf.Threshold("w", max_gap=10)))
    rows = [{"key": key, "ts": ts, "x": [True]} for key in "abcd" for ts in range(3)]
    assert not stream.step(rows, watermark=5).results
    assert not stream.step([], watermark=12).results
    found = dicts(stream.step([], watermark=13).results)
    assert {(row["key"], row["frame_end"], row["frame_closed_by"]) for row in found} == {(k, 2, "gap") for k in "abcd"}
    assert stream.store.record is not None
    assert state_codec.decode(stream.store.record)["operator"]["groups"]["first"].size == 0


def test_groups_without_an_open_frame_are_forgotten() -> None:
    stream = Stream(plan_for(sf.Threshold("w")))
    rows = [{"key": str(key), "ts": ts, "x": [ts < 2]} for key in range(100) for ts in range(3)]
    stream.run([(rows, 3), ([], 4)])
    assert stream.store.record is not None
    assert len(stream.store.record) < 4000
    assert not stream.store.chunks


def test_what_time_alone_does_wakes_a_bucket() -> None:
    stream = Stream(plan_for(sf.Threshold("w", max_gap=10)))
    step = stream.step([{"key": "a", "ts": 7, "x": [True]}], watermark=2)
    assert (step.due, step.counters["waiting"], step.counters["open"]) == (3, 1, 0)
    step = stream.step([], watermark=8)
    assert (step.due, step.counters["waiting"], step.counters["open"]) == (9, 0, 1)
    assert stream.step([], watermark=30).due is None


@named
@examples(20)
@given(data=st.data())
def test_punctuation_out_keeps_its_word(scheme: Any, data: Any) -> None:
    """After a word no frame comes that starts before, or ends up to, what it says."""
    plan = plan_for(scheme)
    found = Stream(plan, punctuations=True).run(data.draw(streams(scheme)))
    words: dict[Any, dict[str, Any]] = {}
    for row in found:
        said = words.get(row["key"])
        if row["frame_id"] is not None:
            if said is not None:
                assert row["frame_start"] >= said["frame_start"]
                assert row["frame_end"] > said["frame_end"]
        else:
            if said is not None:
                assert (row["frame_start"], row["frame_end"]) >= (said["frame_start"], said["frame_end"])
            words[row["key"]] = row
    assert {row["key"] for row in found} == set(words)


def test_another_plan_and_another_version_are_refused() -> None:
    stream = Stream(plan_for(sf.Threshold("w")))
    stream.step([{"key": "a", "ts": 7, "x": [True]}])
    other = Stream(plan_for(sf.Threshold("w", min_rows=2)))
    other.store = stream.store
    with pytest.raises(StreamFramesError, match=r"scheme was Threshold.where='w'., is Threshold.where='w', min_rows=2"):
        other.step([])
    record = stream.store.record or b""
    stream.store.record = record[:4] + (99).to_bytes(4, "little") + record[8:]
    with pytest.raises(StreamFramesError, match="holds version 99 of the state, this release reads version 3"):
        stream.step([])


@pytest.mark.parametrize("before", [0, 8, 11])
@pytest.mark.parametrize("compressed", [True, False])
def test_state_is_the_same_after_reading_it(compressed: bool, before: int) -> None:
    tree = {
        "a": np.arange(6).reshape(2, 3),
        "b": [pa.array(["x", None]), {"c": np.zeros((0, 2), np.uint8)}],
        "d": None,
        "e": {"f": "text", "g": 7},
    }
    among_others = bytes(before) + state_codec.encode(tree, compressed=compressed)
    again = state_codec.decode(pa.py_buffer(among_others)[before:])
    assert again["a"].tolist() == tree["a"].tolist()  # type: ignore[union-attr]
    assert again["b"][0].equals(pa.array(["x", None]))
    assert again["b"][1]["c"].shape == (0, 2)
    assert (again["d"], again["e"]) == (None, {"f": "text", "g": 7})
