"""Filling without an engine: frames and rows of any kind, against nested loops.

Covers: streamframes.core.fill.kernel, streamframes.core.fill.operator, streamframes.core.fill.pending_frames,
streamframes.core.fill.plan
"""

from __future__ import annotations

import math
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

import streamframes as sf
from streamframes.core.batch.clock import Clock
from streamframes.core.batch.groups import as_int64
from streamframes.core.batch.packer import Packer
from streamframes.core.batch.rows import TagColumn
from streamframes.core.fill.operator import FillPlan
from streamframes.core.fill.plan import FRAMES, ROWS
from streamframes.core.frames.edges import Expand, Move, Split, moved
from streamframes.core.frames.measures import Measure
from streamframes.core.operator import table_bucket
from streamframes.core.operator.table_bucket import bucket_results
from tests.oracles import fill as oracle
from tests.thoroughness import examples

FRAME_COLUMNS = pa.schema(
    {
        "name": pa.string(),
        "number": pa.int32(),
        "frame_id": pa.int64(),
        "frame_start": pa.int64(),
        "frame_end": pa.int64(),
    }
)
COLUMNS = {"v": pa.float64(), "word": pa.string()}
KEYS = st.sampled_from([["name", "number"], ["name"], ["number"], []])
RMS = sf.Fold(
    "v",
    start=(0.0, 0.0),
    add=lambda state, v: (state[0] + 1, state[1] + v * v),
    result=lambda state: (state[1] / state[0]) ** 0.5,
)
MEASURES = (
    Measure("n", "count", None, pa.int64()),
    Measure("there", "count", 0, pa.int64()),
    Measure("total", "sum", 0, pa.float64()),
    Measure("mean", "avg", 0, pa.float64()),
    Measure("most", "max", 0, pa.float64()),
    Measure("begins", "first", 1, pa.string()),
    Measure("ends", "last", 1, pa.string()),
    Measure("rms", "fold", 0, pa.float64(), RMS),
)
TAGS = (TagColumn("ts", "ts", 0, pa.int64()), TagColumn("v", "column", 0, pa.float64()))

group = {"name": st.sampled_from(["a", "b", None]), "number": st.sampled_from([1, 2, None])}
instants = st.one_of(st.integers(-8, 20), st.none())
frames_strategy = st.lists(
    st.fixed_dictionaries({**group, "frame_id": st.integers(0, 9), "frame_start": instants, "frame_end": instants}),
    max_size=12,
)
rows_strategy = st.lists(
    st.fixed_dictionaries(
        {
            **group,
            "ts": instants,
            "v": st.one_of(st.integers(-3, 3).map(lambda v: v / 10), st.sampled_from([None, math.nan, -0.0])),
            "word": st.sampled_from(["x", "y", None]),
        }
    ),
    max_size=30,
)
moves_strategy = st.sampled_from([(), (Expand(3, 2),), (Split(4),), (Expand(0, 5), Split(3)), (Split(5), Expand(1, 1))])


def plan_for(keys: list[str], moves: tuple[Move, ...] = (), **wanted: Any) -> FillPlan:
    return FillPlan(
        clock=Clock("integer"),
        frames=oracle.moved_schema(FRAME_COLUMNS, moves, "frame_"),
        keys=pa.schema([FRAME_COLUMNS.field(name) for name in keys]),
        ts_type=pa.int64(),
        columns=tuple(COLUMNS.values()),
        **wanted,
    )


def chunks_of(rows: list[dict[str, Any]], keys: pa.Schema, ts: str, columns: Any, packer: Packer, size: int) -> Any:
    for at in range(0, len(rows), size):
        part = rows[at : at + size]
        groups = pa.RecordBatch.from_arrays(
            [pa.array([row[f.name] for row in part], f.type) for f in keys], schema=keys
        )
        travelling = [pa.array([row[name] for row in part], kind) for name, kind in columns.items()]
        yield from packer.pack(pa.array([row[ts] for row in part], pa.int64()), groups, travelling)


def chunks_of_frames(plan: FillPlan, frames: pa.RecordBatch, buckets: int, size: int) -> Any:
    """As on the way through Spark: a frame without a start is packed under its end, or under 0."""
    rows = [
        {**row, "__ts": next((x for x in (row["frame_start"], row["frame_end"]) if x is not None), 0)}
        for row in frames.to_pylist()
    ]
    columns = {field.name: field.type for field in plan.frames}
    return chunks_of(rows, plan.keys, "__ts", columns, Packer(buckets, FRAMES), size)


def run(plan: FillPlan, frames: Any, rows: Any, buckets: int, size: int, moves: tuple[Move, ...] = ()) -> list[Any]:
    batch = moved(pa.RecordBatch.from_pylist(frames, FRAME_COLUMNS), moves, "frame_")
    chunks = [
        *chunks_of_frames(plan, batch, buckets, size),
        *chunks_of(rows, plan.keys, "ts", COLUMNS, Packer(buckets, ROWS), size),
    ]
    chunks.sort(key=lambda chunk: (chunk.bucket, chunk.start))
    travelled = ((chunk.bucket, chunk.start, pa.py_buffer(chunk.data)) for chunk in chunks)
    return [row for batch in bucket_results(plan, travelled) for row in batch.to_pylist()]


def moved_by_hand(frames: list[dict[str, Any]], moves: tuple[Move, ...]) -> list[dict[str, Any]]:
    for move in moves:
        frames = (
            oracle.expanded(frames, move.before, move.after)
            if isinstance(move, Expand)
            else oracle.split(frames, move.every)
        )
    return frames


def rms(rows: list[dict[str, Any]]) -> float | None:
    values = [row["v"] for row in rows if row["v"] is not None and not math.isnan(row["v"])]
    total = 0.0
    for value in values:
        total += value * value
    return (total / len(values)) ** 0.5 if values else None


def measured(frame: dict[str, Any], rows: list[dict[str, Any]]) -> dict[str, Any]:
    told = {"n": len(rows)}
    for name, function, column in (
        ("there", "count", "v"),
        ("total", "sum", "v"),
        ("mean", "avg", "v"),
        ("most", "max", "v"),
        ("begins", "first", "word"),
        ("ends", "last", "word"),
    ):
        told[name] = oracle.measured(function, rows, column)
    return {**frame, **told, "rms": rms(rows)}


def spelled(rows: list[dict[str, Any]]) -> list[str]:
    return sorted(repr(sorted(row.items())) for row in rows)


@pytest.fixture(autouse=True)
def release_often(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(table_bucket, "RELEASE_ROWS", 1)


@examples(100)
@given(
    frames=frames_strategy,
    rows=rows_strategy,
    keys=KEYS,
    moves=moves_strategy,
    buckets=st.sampled_from([1, 3]),
    size=st.integers(1, 12),
    keep_empty=st.booleans(),
)
def test_measures_are_those_of_the_rows_that_each_frame_holds(
    frames: Any, rows: Any, keys: Any, moves: Any, buckets: int, size: int, keep_empty: bool
) -> None:
    plan = plan_for(keys, moves, measures=MEASURES, keep_empty=keep_empty)
    pairs = oracle.filled(moved_by_hand(frames, moves), rows, keys, list(COLUMNS))
    expected = [measured(frame, held) for frame, held in pairs if held or keep_empty]
    assert spelled(run(plan, frames, rows, buckets, size, moves)) == spelled(expected)


@examples(100)
@given(frames=frames_strategy, rows=rows_strategy, keys=KEYS, buckets=st.sampled_from([1, 3]), size=st.integers(1, 12))
def test_a_row_is_tagged_once_for_each_frame_that_holds_it(
    frames: Any, rows: Any, keys: Any, buckets: int, size: int
) -> None:
    key_tags = tuple(TagColumn(name, "key", i, FRAME_COLUMNS.field(name).type) for i, name in enumerate(keys))
    plan = plan_for(keys, tags=(*TAGS, *key_tags), frame_columns=("frame_id",))
    expected = [
        {"ts": row["ts"], "v": row["v"], **{name: row[name] for name in keys}, "frame_id": frame["frame_id"]}
        for frame, held in oracle.filled(frames, rows, keys, list(COLUMNS))
        for row in held
    ]
    assert spelled(run(plan, frames, rows, buckets, size)) == spelled(expected)


def test_edges_of_the_range_of_longs_are_instants_like_others() -> None:
    least, most = -(2**63), 2**63 - 1
    edges = [(least + 5, most), (most, most), (least, least)]
    frames = [
        {"name": "a", "number": 1, "frame_id": n, "frame_start": start, "frame_end": end}
        for n, (start, end) in enumerate(edges, 1)
    ]
    rows = [{"name": "a", "number": 1, "ts": ts, "v": 1.0, "word": "x"} for ts in (least, most)]
    plan = plan_for(["name", "number"], measures=MEASURES[:1])
    found = run(plan, frames, rows, 1, 10, (Expand(10, 10),))
    assert sorted((row["frame_id"], row["frame_start"], row["frame_end"], row["n"]) for row in found) == [
        (1, least, most, 2),
        (2, most - 10, most, 1),
        (3, least, least + 10, 1),
    ]


@pytest.mark.parametrize(
    ("kind", "least"), [(pa.int16(), -(2**15)), (pa.int32(), -(2**31)), (pa.date32(), -(2**31)), (pa.int64(), -(2**63))]
)
def test_an_edge_is_moved_up_to_the_last_instant_of_its_type(kind: pa.DataType, least: int) -> None:
    most = -least - 1
    numbers = pa.int32() if pa.types.is_date(kind) else kind
    for start, end in ((least, most), (least, least), (most, most)):
        columns = [pa.array([ticks], numbers).cast(kind) for ticks in (start, end)]
        frames = moved(pa.RecordBatch.from_arrays(columns, ["frame_start", "frame_end"]), (Expand(9, 9),), "frame_")
        assert [as_int64(column).tolist() for column in frames.columns] == [
            [max(least, start - 9)],
            [min(most, end + 9)],
        ]


def test_a_split_of_dates_ends_a_day_before_the_next_piece() -> None:
    kinds = pa.schema([("frame_start", pa.date32()), ("frame_end", pa.date32())])
    days = [pa.array([day], pa.int32()).cast(pa.date32()) for day in (-3, 8)]
    frames = pa.RecordBatch.from_arrays(days, schema=kinds)
    pieces = moved(frames, (Split(7),), "frame_")
    assert as_int64(pieces.column("frame_start")).tolist() == [-3, 0, 7]
    assert as_int64(pieces.column("frame_end")).tolist() == [-1, 6, 8]
    assert np.asarray(pieces.column("frame_piece")).tolist() == [0, 1, 2]
