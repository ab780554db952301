"""The algebra equals its definition, keeps the laws of sets, and compares no more than it must.

Covers: streamframes.core.algebra.inputs, streamframes.core.algebra.intervals,
streamframes.core.algebra.interval_join, streamframes.core.algebra.pairs, streamframes.core.algebra.sets
"""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

import streamframes as sf
from streamframes.core.algebra.interval_join import PER_BATCH, IntervalJoin
from streamframes.core.algebra.intervals import Intervals
from streamframes.core.algebra.pairs import PairColumn, PairPlan
from streamframes.core.algebra.sets import CoveragePlan, SetPlan
from streamframes.core.batch.packer import Packer
from tests.oracles import algebra as brute
from tests.oracles.algebra import Frame, canonical, in_order, instants
from tests.thoroughness import examples

KEYS = pa.schema([("key", pa.string())])
LONG = pa.int64()


def chunks(frames: list[Frame], input: int, cuts: int = 4) -> list[tuple[int, int, pa.Buffer]]:
    """Frames (key, start, end), each with its number as a column, packed in batches."""
    found = []
    for low in range(0, len(frames), cuts):
        key, start, end = (list(column) for column in zip(*frames[low : low + cuts], strict=True))
        names = pa.array(range(low, low + len(key)))
        keys = pa.RecordBatch.from_arrays([pa.array(key, pa.string())], schema=KEYS)
        packed = Packer(1, input).pack(pa.array(start, LONG), keys, [pa.array(end, LONG), names])
        found += [(each.bucket, each.start, pa.py_buffer(each.data)) for each in packed]
    return found


def results_of(plan: Any, a: list[Frame], b: list[Frame], cuts: int = 4) -> list[dict[str, Any]]:
    together = sorted(chunks(a, 0, cuts) + chunks(b, 1, cuts), key=lambda chunk: chunk[:2])
    return [row for batch in plan.results(together) for row in batch.to_pylist()]


def sets(operation: str, a: list[Frame], b: list[Frame], **plan: Any) -> list[Frame]:
    """The fast way, as frames in order."""
    rows = results_of(SetPlan(operation, KEYS, LONG, "", **plan), a, b)
    return in_order([(row["key"], row["start"], row["end"]) for row in rows])


edges = st.one_of(st.integers(-3, 13), st.integers(0, 6), st.none())
keys = st.sampled_from(["x", "y", None])
tables = st.lists(st.tuples(keys, edges, edges), max_size=9)
within = st.tuples(st.integers(-3, 13), st.integers(-3, 13)).map(sorted).map(tuple)


@examples(80)
@given(a=tables, b=tables)
def test_sets_of_instants_are_those_of_the_definition(a: list[Frame], b: list[Frame]) -> None:
    assert sets("union", a, b) == canonical(instants(a) | instants(b))
    assert sets("intersect", a, b) == canonical(instants(a) & instants(b))
    assert sets("subtract", a, b) == canonical(instants(a) - instants(b))
    assert sets("complement", a, b) == canonical(instants(a) - instants(b))


@examples(80)
@given(a=tables, edges=within)
def test_a_complement_within_two_instants_is_taken_in_every_group_that_has_frames(a: Any, edges: Any) -> None:
    there = {key for key, _ in instants(a)}
    everything = {(key, t) for key in there for t in range(edges[0], edges[1] + 1)}
    assert sets("complement", [], a, within=edges) == canonical(everything - instants(a))


@examples(60)
@given(a=tables, b=tables, edges=within)
def test_the_laws_of_sets(a: list[Frame], b: list[Frame], edges: Any) -> None:
    assert sets("union", a, b) == sets("union", b, a)
    assert sets("intersect", a, b) == sets("intersect", b, a)
    both, only_a = sets("intersect", a, b), sets("subtract", a, b)
    assert sets("union", both, only_a) == sets("union", a, [])
    assert sets("intersect", both, only_a) == []
    space = [(key, *edges) for key in ("x", "y", None)]

    def outside(frames: list[Frame]) -> list[Frame]:
        return sets("complement", space, frames)

    assert outside(sets("union", a, b)) == sets("intersect", outside(a), outside(b))
    assert outside(sets("intersect", a, b)) == sets("union", outside(a), outside(b))
    assert outside(outside(a)) == sets("intersect", space, a)


def covered(frames: list[Frame]) -> dict[Any, tuple[int, int]]:
    rows = results_of(CoveragePlan(KEYS, LONG), frames, [])
    return {row["key"]: (row["frames"], row["covered"]) for row in rows}


def ticks(frames: list[Frame], key: Any) -> int:
    """The instants in frames: the length of a stretch is one less than its instants."""
    return sum(covered(frames).get(key, (0, 0)))


@examples(80)
@given(a=tables, b=tables)
def test_coverage_counts_shared_time_once_and_adds_up(a: list[Frame], b: list[Frame]) -> None:
    assert covered(a) == brute.coverage(a)
    both, either = sets("intersect", a, b), sets("union", a, b)
    for key in ("x", "y", None):
        assert ticks(a, key) + ticks(b, key) == ticks(both, key) + ticks(either, key)


OVERLAPS = PairPlan(
    KEYS,
    (
        PairColumn("key", pa.string(), "key"),
        PairColumn("start", LONG, "shared start"),
        PairColumn("end", LONG, "shared end"),
        PairColumn("a_name", LONG, "column", 0, 1),
        PairColumn("b_name", LONG, "column", 1, 1),
        PairColumn("a_start", LONG, "instant", 0),
        PairColumn("b_end", LONG, "column", 1, 0),
    ),
)


@examples(80)
@given(a=tables, b=tables, cuts=st.integers(1, 9))
def test_overlaps_are_the_pairs_of_nested_loops(a: list[Frame], b: list[Frame], cuts: int) -> None:
    expected = [(*pair, a[pair[3]][1], b[pair[4]][2]) for pair in brute.overlaps(a, b)]
    assert in_order(tuple(row.values()) for row in results_of(OVERLAPS, a, b, cuts)) == in_order(expected)


def lookup(**plan: Any) -> PairPlan:
    columns = (
        PairColumn("key", pa.string(), "key"),
        PairColumn("at", LONG, "instant" if plan.get("instants") else "column", 1, 0),
        PairColumn("name", LONG, "column", 0, 1),
        PairColumn("start", LONG, "instant", 0),
    )
    return PairPlan(KEYS, columns, **plan)


@examples(80)
@given(frames=tables, points=st.lists(st.tuples(keys, edges), max_size=9), keep=st.booleans())
def test_points_are_in_the_frames_that_hold_them(frames: list[Frame], points: Any, keep: bool) -> None:
    # A point without an instant travels at 0, with a null end.
    sent = [(key, t if t is not None else 0, t) for key, t in points]
    rows = results_of(lookup(keep_outside=keep), frames, sent)
    assert in_order(tuple(row.values()) for row in rows) == brute.at(frames, points, keep_outside=keep)


@examples(80)
@given(frames=tables, wanted=st.lists(st.integers(-3, 13), min_size=1, max_size=4), keep=st.booleans())
def test_instants_are_looked_up_in_every_group_that_has_frames(frames: Any, wanted: list[int], keep: bool) -> None:
    points = [(key, t) for key in {key for key, _ in instants(frames)} for t in wanted]
    rows = results_of(lookup(keep_outside=keep, instants=tuple(wanted)), frames, [])
    assert in_order(tuple(row.values()) for row in rows) == brute.at(frames, points, keep_outside=keep)


def test_the_example_of_the_documentation() -> None:
    assert sets("subtract", [("x", 0, 10)], [("x", 4, 6)]) == [("x", 0, 3), ("x", 7, 10)]
    assert sets("union", [("x", 0, 3)], [("x", 4, 6)]) == [("x", 0, 6)]
    assert sets("intersect", [("x", 0, 3)], [("x", 3, 6)]) == [("x", 3, 3)]


def test_the_first_and_the_last_instant_of_a_long_are_instants() -> None:
    low, high = -(2**63), 2**63 - 1
    assert sets("union", [("x", low, -1)], [("x", 0, high)]) == [("x", low, high)]
    assert sets("union", [("x", high, high)], [("x", low, low)]) == [("x", low, low), ("x", high, high)]
    assert sets("subtract", [("x", low, high)], [("x", low, low), ("x", high, high)]) == [("x", low + 1, high - 1)]
    assert sets("complement", [], [("x", 0, 0)], within=(low, high)) == [("x", low, -1), ("x", 1, high)]
    assert covered([("x", low, -2), ("x", 0, 0)]) == {"x": (2, 2**63 - 2)}
    with pytest.raises(sf.StreamFramesError, match="longer than a long can say"):
        covered([("x", low, high)])


def test_ids_are_those_of_operation_group_and_start() -> None:
    def ids(operation: str, a: list[Frame]) -> set[int]:
        return {row["id"] for row in results_of(SetPlan(operation, KEYS, LONG, ""), a, [])}

    frames = [("x", 0, 3), (None, 0, 3), ("x", 7, 9)]
    assert len(ids("union", frames)) == 3
    assert ids("union", frames) == ids("union", frames[::-1]) == ids("union", [(k, s, e + 1) for k, s, e in frames])
    assert not ids("union", frames) & ids("subtract", frames)


def intervals(start: Any, end: Any) -> Intervals:
    order = np.argsort(start, kind="stable")
    return Intervals(np.array([0, order.size]), np.asarray(start)[order], np.asarray(end)[order])


@pytest.mark.parametrize("long_ones", [0, 1, 5])
def test_a_frame_that_covers_everything_does_not_make_the_search_quadratic(long_ones: int) -> None:
    n = 50_000
    starts = np.concatenate([np.zeros(long_ones, np.int64), 10 * np.arange(n)])
    ends = np.concatenate([np.full(long_ones, 10 * n), 10 * np.arange(n) + 4])
    a, b = intervals(starts, ends), intervals(starts + 2, ends + 2)
    pairs_of_both = IntervalJoin(a, b)
    sizes = [left.size for left, _ in pairs_of_both]
    assert sum(sizes) == n + 2 * long_ones * n + long_ones**2
    assert max(sizes) <= max(PER_BATCH, n + long_ones)
    assert pairs_of_both.comparisons <= a.start.size + b.start.size + sum(sizes)


def test_more_pairs_than_a_batch_holds_come_in_several() -> None:
    n = 600
    everything = intervals(np.arange(n), np.full(n, n))
    found = np.concatenate([left * n + right for left, right in IntervalJoin(everything, everything)])
    assert found.size == np.unique(found).size == n * n > 5 * PER_BATCH
