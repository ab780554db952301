"""Filling in a stream, without an engine: for any arrival order and any cut, what nested loops over all rows give.

Covers: streamframes.core.fill.operator
"""

from __future__ import annotations

import math
from typing import Any

import hypothesis.strategies as st
import pyarrow as pa
import pytest
from hypothesis import given

import streamframes as sf
from streamframes.core.batch.clock import Clock
from streamframes.core.batch.packer import DATA, Packer
from streamframes.core.batch.rows import TagColumn
from streamframes.core.fill.filling_bucket import FillBucket, FillStreamPlan
from streamframes.core.fill.operator import FillPlan
from streamframes.core.fill.plan import FRAMES, ROWS
from streamframes.core.frames.edges import Expand, Move, Split
from streamframes.core.frames.measures import Measure
from streamframes.core.frames.operator import FramePlan
from streamframes.core.operator.stream_bucket import StreamPlan
from streamframes.errors import StreamFramesError
from tests.core.fill.test_fill import moved_by_hand, spelled
from tests.core.operator.test_stream_bucket import (
    LATENESS,
    DictStore,
    Stream,
    chunks_of,
    cut,
    delayed,
    plan_for,
    values,
)
from tests.oracles import fill as oracle
from tests.thoroughness import examples

COLUMNS = {"v": pa.float64()}
MEASURES = (
    Measure("n", "count", None, pa.int64()),
    Measure("total", "sum", 0, pa.float64()),
    Measure("last", "last", 0, pa.float64()),
)
TAGS = (TagColumn("ts", "ts", 0, pa.int64()), TagColumn("v", "column", 0, pa.float64()))
SCHEMES = [
    sf.Threshold("w"),
    sf.Threshold("w", min_rows=3, max_gap=8),
    sf.Threshold("w", merge_gap=3, min_duration=2),
    sf.Threshold("w", gaps=True, min_rows=2),
    sf.Delta("v", ">=", 2, base="first"),
    sf.Change("s"),
    sf.Gap(3),
    sf.Every(6, slide=2),
    sf.Count(3),
]
MOVES: list[tuple[Move, ...]] = [(), (Expand(4, 0),), (Expand(0, 6),), (Expand(3, 2), Split(4))]
named = pytest.mark.parametrize("scheme", SCHEMES, ids=repr)


@st.composite
def two_streams(draw: Any, scheme: Any) -> list[tuple[list[dict[str, Any]], int]]:
    """Rows to be framed and rows that fill, under one watermark that keeps its word for both."""
    kinds = [needed.kind for needed in scheme.inputs()]
    rows: list[dict[str, Any]] = [
        {
            "key": draw(st.sampled_from(["a", "b", None])),
            "ts": draw(st.integers(-5, 30)),
            "x": [draw(values[kind]) for kind in kinds],
        }
        for _ in range(draw(st.integers(0, 20)))
    ]
    rows += [
        {
            "key": draw(st.sampled_from(["a", "b", "c", None])),
            "ts": draw(st.integers(-9, 36)),
            "v": draw(st.one_of(st.integers(-3, 3).map(lambda v: v / 10), st.sampled_from([None, math.nan]))),
        }
        for _ in range(draw(st.integers(0, 20)))
    ]
    return cut(draw, delayed(rows, [draw(st.integers(0, LATENESS)) for _ in rows]))


def framed_and_filling(rows: list[dict[str, Any]]) -> tuple[list[dict[str, Any]], list[dict[str, Any]]]:
    return [row for row in rows if "x" in row], [row for row in rows if "v" in row]


def filling(frames: FramePlan, moves: tuple[Move, ...], keys: list[str], **wanted: Any) -> FillPlan:
    return FillPlan(
        clock=Clock("integer"),
        frames=oracle.moved_schema(frames.frame_schema, moves, "frame_"),
        keys=pa.schema([frames.keys.field(name) for name in keys]),
        ts_type=pa.int64(),
        columns=tuple(COLUMNS.values()),
        fragments=frames.fragments,
        **wanted,
    )


def chunks_that_fill(plan: FillPlan, rows: list[dict[str, Any]]) -> list[Any]:
    keys = [pa.array([row[field.name] for row in rows], field.type) for field in plan.keys]
    columns = [pa.array([row["v"] for row in rows], pa.float64())]
    word = pa.array([DATA] * len(rows), pa.int8())
    instants = pa.array([row["ts"] for row in rows], pa.int64())
    return list(Packer(1, ROWS).pack(instants, pa.RecordBatch.from_arrays(keys, schema=plan.keys), columns, word))


def buffers(chunks: list[Any]) -> list[tuple[int, pa.Buffer]]:
    return [(chunk.start, pa.py_buffer(chunk.data)) for chunk in chunks]


class FillStream:
    """A bucket that is written to its store and read again at each step."""

    def __init__(
        self, framing: FramePlan | None, fill: FillPlan, moves: tuple[Move, ...] = (), **settings: Any
    ) -> None:
        stream = StreamPlan(framing, {"scheme": "x"}) if framing is not None else None
        self.plan = FillStreamPlan(fill, {"scheme": "x"}, stream, moves, **settings)
        self.store = DictStore()
        self.counters: list[Any] = []

    def begin(self, chunks: list[Any]) -> None:
        bucket = self.plan.bucket(self.store, buffers(chunks))
        self.counters.append(bucket.step([]).counters)

    def step(self, rows: list[dict[str, Any]], watermark: int) -> list[dict[str, Any]]:
        ours, theirs = framed_and_filling(rows)
        chunks = chunks_of(self.plan.frames.plan, ours, FRAMES) if self.plan.frames and ours else []
        made = FillBucket(self.plan, self.store).step(
            buffers([*chunks, *chunks_that_fill(self.plan.fill, theirs)]), watermark
        )
        self.counters.append(made.counters)
        return [row for batch in made.results for row in batch.to_pylist()]

    def run(self, batches: list[tuple[list[dict[str, Any]], int]]) -> list[dict[str, Any]]:
        return [row for rows, watermark in batches for row in self.step(rows, watermark)]


def told_frames(plan: FramePlan, batches: list[tuple[list[dict[str, Any]], int]]) -> list[dict[str, Any]]:
    """The frames that the stream reports without being filled."""
    return Stream(plan).run([(framed_and_filling(rows)[0], watermark) for rows, watermark in batches])


def measured(frame: dict[str, Any], rows: list[dict[str, Any]]) -> dict[str, Any]:
    told = {"n": len(rows), "total": oracle.measured("sum", rows, "v"), "last": oracle.measured("last", rows, "v")}
    return {**frame, **told}


def all_filling(batches: list[tuple[list[dict[str, Any]], int]]) -> list[dict[str, Any]]:
    return [row for rows, _ in batches for row in framed_and_filling(rows)[1]]


@named
@examples(30)
@given(data=st.data(), moves=st.sampled_from(MOVES), keys=st.sampled_from([["key"], []]), keep_empty=st.booleans())
def test_two_streams_give_what_their_tables_give(
    scheme: Any, moves: Any, data: Any, keys: Any, keep_empty: bool
) -> None:
    plan, batches = plan_for(scheme), data.draw(two_streams(scheme))
    stream = FillStream(plan, filling(plan, moves, keys, measures=MEASURES, keep_empty=keep_empty), moves)
    found = stream.run(batches)
    frames = moved_by_hand(told_frames(plan, batches), moves)
    pairs = oracle.filled(frames, all_filling(batches), keys, list(COLUMNS))
    assert spelled(found) == spelled([measured(frame, held) for frame, held in pairs if held or keep_empty])
    last = stream.counters[-1]
    assert (last["fill_frames"], sum(each["fill_late"] for each in stream.counters)) == (0, 0)
    if not last["open"] + last["waiting"]:
        assert last["fill_rows"] == len(stream.store.chunks) == 0


@named
@examples(30)
@given(data=st.data(), fragments=st.booleans())
def test_rows_are_tagged_once_for_each_frame(scheme: Any, data: Any, fragments: bool) -> None:
    moves = (Expand(3, 2),)
    batches = data.draw(two_streams(scheme))
    plan = plan_for(scheme, fragments=fragments)
    found = FillStream(plan, filling(plan, moves, ["key"], tags=TAGS, frame_columns=("frame_id",)), moves).run(batches)
    frames = moved_by_hand(told_frames(plan_for(scheme), batches), moves)
    expected = [
        {"ts": row["ts"], "v": row["v"], "frame_id": frame["frame_id"]}
        for frame, held in oracle.filled(frames, all_filling(batches), ["key"], list(COLUMNS))
        for row in held
    ]
    told = {row["frame_id"] for row in expected}
    # With fragments, rows of frames that are certain but have not ended are tagged already.
    extra = [row for row in found if row["frame_id"] not in {frame["frame_id"] for frame in frames}]
    assert fragments or not extra
    assert spelled([row for row in found if row["frame_id"] in told]) == spelled(expected)


@named
@examples(30)
@given(data=st.data())
def test_fragments_grow_and_the_last_one_is_the_frame(scheme: Any, data: Any) -> None:
    moves = (Expand(2, 3),)
    batches = data.draw(two_streams(scheme))
    plan = plan_for(scheme, fragments=True)
    found = FillStream(plan, filling(plan, moves, ["key"], measures=MEASURES), moves).run(batches)
    frames = moved_by_hand(told_frames(plan_for(scheme), batches), moves)
    rows = all_filling(batches)
    pairs = oracle.filled(frames, rows, ["key"], list(COLUMNS))
    final = [
        {key: value for key, value in row.items() if key != "frame_fragment"} for row in found if row["frame_final"]
    ]
    assert spelled(final) == spelled([{**measured(frame, held), "frame_final": True} for frame, held in pairs])
    for frame_id in {row["frame_id"] for row in found}:
        story = [row for row in found if row["frame_id"] == frame_id]
        assert [row["frame_fragment"] for row in story] == list(range(len(story)))
        assert [row["frame_end"] for row in story] == sorted(row["frame_end"] for row in story)
        for snapshot, held in oracle.filled(story, rows, ["key"], list(COLUMNS)):
            assert spelled([measured(snapshot, held)]) == spelled([snapshot])


@named
@examples(25)
@given(data=st.data(), fragments=st.booleans())
def test_history_fills_the_frames_of_a_stream_as_soon_as_they_are_told(scheme: Any, data: Any, fragments: bool) -> None:
    moves = (Expand(5, 4),)
    batches = data.draw(two_streams(scheme))
    history = all_filling(batches)
    plan = plan_for(scheme, fragments=fragments)
    stream = FillStream(plan, filling(plan, moves, ["key"], measures=MEASURES), moves, rows_given=True)
    stream.begin(chunks_that_fill(stream.plan.fill, history))
    only_frames = [(framed_and_filling(rows)[0], watermark) for rows, watermark in batches]
    found = [row for row in stream.run(only_frames) if row.pop("frame_final", True)]
    frames = moved_by_hand(told_frames(plan_for(scheme), batches), moves)
    pairs = oracle.filled(frames, history, ["key"], list(COLUMNS))
    for row in found:
        row.pop("frame_fragment", None)
    assert spelled(found) == spelled([measured(frame, held) for frame, held in pairs])


@examples(60)
@given(data=st.data(), keys=st.sampled_from([["key"], []]))
def test_a_stream_fills_frames_that_are_given(data: Any, keys: Any) -> None:
    plan = plan_for(sf.Threshold("w"))
    instants = st.one_of(st.integers(-8, 30), st.none())
    given_frame = {"key": st.sampled_from(["a", "b", None]), "frame_id": st.integers(0, 9)}
    drawn = data.draw(
        st.lists(st.fixed_dictionaries({**given_frame, "frame_start": instants, "frame_end": instants}), max_size=8)
    )
    frames = [{**frame, "frame_rows": 1, "frame_closed_by": "gap"} for frame in drawn]
    batches = data.draw(two_streams(sf.Threshold("w")))
    stream = FillStream(None, filling(plan, (), keys, measures=MEASURES))
    stream.begin(frame_chunks(stream.plan.fill, frames))
    found = stream.run([(framed_and_filling(rows)[1], watermark) for rows, watermark in batches])
    pairs = oracle.filled(frames, all_filling(batches), keys, list(COLUMNS))
    assert spelled(found) == spelled([measured(frame, held) for frame, held in pairs])


def frame_chunks(plan: FillPlan, frames: list[dict[str, Any]]) -> list[Any]:
    keys = [pa.array([row[field.name] for row in frames], field.type) for field in plan.keys]
    columns = [pa.array([row[field.name] for row in frames], field.type) for field in plan.frames]
    starts = [next((x for x in (row["frame_start"], row["frame_end"]) if x is not None), 0) for row in frames]
    groups = pa.RecordBatch.from_arrays(keys, schema=plan.keys)
    return list(Packer(1, FRAMES).pack(pa.array(starts, pa.int64()), groups, columns)) if frames else []


def a_long_episode(batches: int) -> list[tuple[list[dict[str, Any]], int]]:
    """One frame that never seems to end; ten rows of either kind in each batch, the watermark one batch behind."""
    found = []
    for batch in range(batches):
        ticks = range(10 * batch, 10 * batch + 10)
        rows = [{"key": "a", "ts": t, "x": [batch < batches - 2]} for t in ticks]
        found.append((rows + [{"key": "a", "ts": t, "v": 1.0} for t in ticks], 10 * batch - 1))
    return found


@pytest.mark.parametrize("fragments", [True, False])
def test_fragments_bound_the_rows_that_wait(fragments: bool) -> None:
    plan = plan_for(sf.Threshold("w", min_rows=3), fragments=fragments)
    most = []
    for batches in (20, 80):
        stream = FillStream(plan, filling(plan, (), ["key"], measures=MEASURES))
        found = stream.run(a_long_episode(batches))
        assert [row["n"] for row in found if row.get("frame_final", True)] == [10 * (batches - 2)]
        most.append(stream.counters[-1]["max_rows"])
    assert most == ([11, 11] if fragments else [190, 790])


def test_a_row_behind_the_watermark_is_counted_or_stops_the_query() -> None:
    plan = plan_for(sf.Threshold("w"))
    late = [{"key": "a", "ts": 5, "v": 1.0}]
    stream = FillStream(plan, filling(plan, (), ["key"], measures=MEASURES))
    stream.step([], 10)
    stream.step(late, 10)
    assert stream.counters[-1]["fill_late"] == 1
    strict = FillStream(plan, filling(plan, (), ["key"], measures=MEASURES), late="fail")
    strict.step([], 10)
    with pytest.raises(StreamFramesError, match=r"a row is late: .'key': 'a'. at 5"):
        strict.step(late, 10)


def test_a_group_without_frames_and_rows_is_forgotten() -> None:
    plan = plan_for(sf.Threshold("w"))
    stream = FillStream(plan, filling(plan, (), ["key"], measures=MEASURES))
    stream.step([{"key": str(i), "ts": 1, "v": 1.0} for i in range(50)], 0)
    stream.step([], 9)
    assert len(FillBucket(stream.plan, stream.store).operator.groups) == 0


def test_a_long_episode_of_one_group_does_not_keep_the_rows_of_others() -> None:
    plan = plan_for(sf.Threshold("w"))
    stream = FillStream(plan, filling(plan, (), ["key"], measures=MEASURES))
    for tick in range(0, 400, 10):
        rows: list[dict[str, Any]] = [{"key": "a", "ts": tick, "x": [True]}]
        rows += [{"key": key, "ts": tick + i, "v": 1.0} for key in "abcdefgh" for i in range(10)]
        stream.step(rows, tick)
    assert stream.counters[-1]["fill_rows"] < 2 * 400 + 80
