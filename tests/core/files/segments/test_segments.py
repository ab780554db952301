"""Segments: cut anywhere, read in any row groups, merged in any parts, they give the frames of the whole.

Covers: streamframes.core.files.segments.first_run, streamframes.core.files.segments.merge,
streamframes.core.files.segments.partial, streamframes.core.files.segments.partitioned_read,
streamframes.core.files.segments.rereading, streamframes.core.files.segments.segment_reader,
streamframes.core.files.segments.segment_worker, streamframes.core.files.segments.warm_up
"""

from __future__ import annotations

import math
from collections.abc import Iterable
from dataclasses import replace
from random import Random
from typing import Any
from unittest import mock

import hypothesis.strategies as st
import pyarrow as pa
import pytest
from hypothesis import given

import streamframes as sf
from streamframes.core.batch.clock import Clock
from streamframes.core.batch.packer import Layout
from streamframes.core.batch.rows import TagColumn
from streamframes.core.files.parquet import RowGroup
from streamframes.core.files.parquet.projection import Arrays
from streamframes.core.files.segments import partitioned_read as partitions
from streamframes.core.files.segments import segment_reader as reading
from streamframes.core.files.segments import split as cuts
from streamframes.core.files.segments import warm_up as warm_ups
from streamframes.core.files.segments.merge import SegmentMerger, merge
from streamframes.core.files.segments.partial import Route
from streamframes.core.files.segments.rereading import Rereader
from streamframes.core.files.segments.segment_reader import SegmentReader
from streamframes.core.files.segments.segment_worker import SegmentScan
from streamframes.core.files.segments.split import Segment, can_be_merged
from streamframes.core.frames.measures import Measure
from streamframes.core.frames.operator import FramePlan
from tests.core.frames.options import options as common_options
from tests.thoroughness import examples

KEYS = pa.schema([("name", pa.string())])
TYPES = {"w": pa.bool_(), "v": pa.float64(), "n": pa.int64(), "word": pa.string()}

row_lists = st.lists(
    st.fixed_dictionaries(
        {
            "name": st.sampled_from(["a", "b", "c", None]),
            "ts": st.one_of(st.integers(-6, 40), st.integers(-6, 40), st.none()),
            "w": st.sampled_from([True, True, True, False, None]),
            "v": st.one_of(st.integers(-3, 3).map(float), st.sampled_from([None, math.nan, -0.0, 0.5])),
            "n": st.one_of(st.integers(0, 3), st.none()),
            "word": st.sampled_from(["x", "y", None]),
        }
    ),
    max_size=70,
)


def worlds(random: Random) -> list[dict[str, Any]]:
    """Two groups whose rows crowd at few instants, so that many frames begin at each, and cuts go through them."""
    return sorted(
        (
            {
                "name": random.choice("ab"),
                "ts": random.randrange(12),
                "w": random.random() < 0.7,
                "v": float(random.randrange(-3, 4)),
                "n": random.randrange(3),
                "word": random.choice("xy"),
            }
            for _ in range(random.randrange(5, 50))
        ),
        key=lambda row: row["ts"],
    )


MEASURES = (
    Measure("values", "count", 1, pa.int64()),
    Measure("total", "sum", 1, pa.float64()),
    Measure("mean", "avg", 2, pa.float64()),
    Measure("least", "min", 1, pa.float64()),
    Measure("first_word", "first", 3, pa.string()),
    Measure("last_word", "last", 3, pa.string()),
    Measure("spread", "stddev", 2, pa.float64()),
)


@st.composite
def schemes(draw: Any) -> tuple[Any, list[str]]:
    """A scheme with some options, and the columns it needs."""
    options = draw(common_options(2))
    kind = draw(st.sampled_from(["threshold", "delta", "boundary", "aggregate", "count", "change", "gap", "every"]))
    operator = draw(st.sampled_from(["<", "<=", ">", ">="]))
    if kind == "threshold":
        options = {**options, "nulls": "skip"} if options.pop("nulls", None) == "skip" else options
        return sf.Threshold("w", **options), ["w"]
    if kind == "delta":
        base = draw(st.sampled_from(["first", "range", "previous"]))
        return sf.Delta("v", operator, 1.0, base=base, **options), ["v"]
    if kind == "boundary":
        return sf.Boundary({"v": 2}, **options), ["v"]
    if kind == "aggregate":
        return sf.Aggregate("sum(n)", operator, draw(st.integers(2, 6)), **options), ["n"]
    if kind == "count":
        return sf.Aggregate("count(*)", "<=", 3, **options), []
    if kind == "change":
        return sf.Change("word", **options), ["word"]
    if kind == "gap":
        return sf.Gap(draw(st.integers(1, 5)), **options), []
    return sf.Every(draw(st.integers(2, 9)), **options), []


class Memory:
    """Row groups that lie in memory, the dictionary of their keys sometimes kept."""

    def __init__(self, plan: FramePlan, parts: list[list[dict[str, Any]]], names: list[str], step: int) -> None:
        self.layout: Layout = plan.layout
        self.parts = parts
        self.names = names
        self.step = step

    def groups(self) -> list[RowGroup]:
        found = []
        for number, part in enumerate(self.parts):
            instants = [row["ts"] for row in part if row["ts"] is not None]
            if instants:
                found.append(RowGroup(0, number, len(part), min(instants), max(instants)))
        return found

    def batches(self, group: RowGroup) -> Iterable[Arrays]:
        part = self.parts[group.number]
        for at in range(0, len(part), self.step):
            some = part[at : at + self.step]
            keys = pa.array([row["name"] for row in some], pa.string())
            if group.number % 2:
                keys = keys.dictionary_encode()
            ts = pa.array([row["ts"] for row in some], pa.int64())
            columns = [pa.array([row[name] for row in some], TYPES[name]) for name in self.names]
            yield Arrays([keys], ts, columns)

    def is_rising(self, group: RowGroup) -> bool:
        instants = [row["ts"] for row in self.parts[group.number] if row["ts"] is not None]
        return instants == sorted(instants)


def plan_of(scheme: Any, names: list[str], measured: bool) -> tuple[FramePlan, list[str]]:
    wanted = [*names, *TYPES] if measured else names
    shift = len(names)
    measures = tuple(Measure(m.name, m.function, shift + (m.column or 0), m.type) for m in MEASURES) if measured else ()
    kinds = tuple(TYPES[name] for name in wanted)
    return FramePlan(scheme, Clock("integer"), KEYS, pa.int64(), kinds, measures=measures), wanted


def whole(plan: FramePlan, source: Memory) -> list[str]:
    """The frames of all rows at once."""
    operator = plan.operator()
    every = [row for part in source.parts for row in part]
    all_rows = Memory(plan, [every], source.names, max(1, len(every)))
    segment = Segment(0, True, None, None, (tuple(all_rows.groups()),))
    found = [
        batch for rows in SegmentReader(all_rows, segment, operator.groups).rows() for batch in operator.feed(rows)
    ]
    return results(found + operator.finish())


def merged(plan: FramePlan, source: Memory, segments: list[Segment], route: Route) -> list[str]:
    """The frames that segments give, each worked on by itself."""
    partial_results = []
    for segment in segments:
        run = SegmentScan(plan, segment, route)
        for rows in SegmentReader(source, segment, run.groups).rows():
            partial_results += list(run.feed(rows))
        partial_results += list(run.finish())
    placed = sorted(enumerate(partial_results), key=lambda each: (each[1].bucket, each[1].start, each[0]))
    ordered = [
        (partial_result.bucket, partial_result.start, pa.py_buffer(partial_result.data)) for _, partial_result in placed
    ]
    return results(list(merge(lambda: SegmentMerger(plan, segments, route, Rereader(source)), ordered)))


def results(batches: list[pa.RecordBatch]) -> list[str]:
    return sorted(repr(row) for batch in batches for row in batch.to_pylist())


@pytest.fixture(autouse=True)
def small_sizes(monkeypatch: pytest.MonkeyPatch) -> None:
    """A few rows are many here: slices of two rows, warm-up rows that end soon, segments of one row."""
    monkeypatch.setattr(reading, "SLICE_ROWS", 4)
    monkeypatch.setattr(reading, "FIRST_SLICE", 1)
    monkeypatch.setattr(reading, "ROWS_OF_A_GROUP", 0)
    monkeypatch.setattr(warm_ups, "_AT_LEAST", 0)
    monkeypatch.setattr(warm_ups, "_TIMES", 1)
    monkeypatch.setattr(cuts, "LEAST_ROWS", 1)
    monkeypatch.setattr(cuts, "MOST_READ", 100)


@pytest.mark.parametrize(
    "left_out", [(1,), ()], ids=["warm-up rows as they are", "warm-up rows that are always too short"]
)
@examples(100)
@given(
    scheme=schemes(),
    rows=row_lists,
    sort=st.booleans(),
    size=st.integers(1, 30),
    step=st.sampled_from([3, 1000]),
    wanted=st.integers(1, 6),
    route=st.sampled_from([Route(1, 1), Route(1, 2), Route(2, 2), Route(3, 6)]),
    measured=st.booleans(),
)
def test_legs_give_the_frames_of_the_whole(
    left_out: Any, scheme: Any, rows: Any, sort: bool, size: int, step: int, wanted: int, route: Route, measured: bool
) -> None:
    plan, names = plan_of(scheme[0], scheme[1], measured)
    assert can_be_merged(plan) == ""
    if sort:
        rows = sorted(rows, key=lambda row: row["ts"] if row["ts"] is not None else 0)
    parts = [rows[at : at + size] for at in range(0, len(rows), size)]
    source = Memory(plan, parts, names, step)
    segments = cuts.split_by_time([source.groups()], wanted)
    with mock.patch.object(warm_ups, "LEFT_OUT", left_out):
        assert merged(plan, source, segments, route) == whole(plan, source)


@st.composite
def unmergeable(draw: Any) -> tuple[FramePlan, list[str]]:
    """Plans of frames that look ahead, overlap or tag rows: no segments, but key-partitioned reads."""
    scheme, names = draw(
        st.sampled_from(
            [
                (sf.Threshold("w", merge_gap=2), ["w"]),
                (sf.Threshold("w", gaps=True, max_gap=3), ["w"]),
                (sf.Every(9, slide=4), []),
                (sf.Delta("v", "<", 1.0), ["v"]),
            ]
        )
    )
    plan, wanted = plan_of(scheme, names, False)
    if draw(st.booleans()) and not isinstance(scheme, sf.Every):
        return replace(
            plan, tags=(TagColumn("name", "key", 0, pa.string()), TagColumn("ts", "ts", 0, pa.int64()))
        ), wanted
    return plan, wanted


@examples(100)
@given(
    scheme=st.one_of(schemes().map(lambda each: plan_of(each[0], each[1], True)), unmergeable()),
    rows=row_lists,
    sort=st.booleans(),
    size=st.integers(1, 30),
    step=st.sampled_from([3, 1000]),
    number=st.integers(1, 4),
)
def test_strands_give_the_frames_of_the_whole(
    scheme: Any, rows: Any, sort: bool, size: int, step: int, number: int
) -> None:
    plan, names = scheme
    if sort:
        rows = sorted(rows, key=lambda row: row["ts"] if row["ts"] is not None else 0)
    source = Memory(plan, [rows[at : at + size] for at in range(0, len(rows), size)], names, step)
    chains = cuts.in_order([source.groups()])
    found = [
        batch
        for k in range(number)
        for batch in partitions.partition_results(plan, source, chains, partitions.KeyPartition(k, number))
    ]
    assert results(found) == whole(plan, source)


CROWDED = [
    (sf.Threshold("w"), ["w"]),
    (sf.Threshold("w", max_rows=2), ["w"]),
    (sf.Boundary({"v": 2}), ["v"]),
    (sf.Boundary({"v": 2}, min_rows=2, max_gap=1), ["v"]),
    (sf.Change("word"), ["word"]),
    (sf.Gap(1), []),
    (sf.Every(2), []),
    (sf.Delta("v", "<", 1.0), ["v"]),
    (sf.Aggregate("sum(n)", ">=", 2), ["n"]),
]


@pytest.mark.parametrize(
    "left_out", [(1,), ()], ids=["warm-up rows as they are", "warm-up rows that are always too short"]
)
@pytest.mark.parametrize("scheme", CROWDED, ids=lambda scheme: repr(scheme[0]))
def test_frames_that_begin_at_one_instant_keep_their_numbers(scheme: Any, left_out: Any) -> None:
    random = Random(1)
    for _ in range(60):
        plan, names = plan_of(scheme[0], scheme[1], random.random() < 0.3)
        rows, size = worlds(random), random.randrange(3, 12)
        source = Memory(plan, [rows[at : at + size] for at in range(0, len(rows), size)], names, 1000)
        segments = cuts.split_by_time([source.groups()], 4)
        with mock.patch.object(warm_ups, "LEFT_OUT", left_out):
            assert merged(plan, source, segments, Route(1, 2)) == whole(plan, source)
