"""The operator of frames equals the reference implementation, for every scheme and option, on random streams.

Covers: streamframes.core.frames.kernel, streamframes.core.frames.scanner, streamframes.core.frames.operator,
streamframes.core.frames.plan, streamframes.core.frames.builder, streamframes.core.frames.emitted,
streamframes.core.theory.reference, streamframes.core.theory.trial, streamframes.core.schemes.equal,
streamframes.core.schemes.columns, streamframes.core.schemes.comparison, streamframes.core.schemes.boundary,
streamframes.core.schemes.change, streamframes.core.schemes.count, streamframes.core.schemes.delta,
streamframes.core.schemes.every, streamframes.core.schemes.gap, streamframes.core.schemes.threshold,
streamframes.core.schemes.aggregate
"""

from __future__ import annotations

import itertools
import math
from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

import streamframes as sf
from streamframes.core.theory.reference import reference_frames
from streamframes.core.theory.trial import Trial
from tests.core.frames.options import options
from tests.thoroughness import examples

numbers = st.one_of(st.integers(-4, 4).map(float), st.sampled_from([None, math.nan, 0.5, -0.5]))
whole = st.one_of(st.integers(-4, 4), st.none())
conditions = st.sampled_from([True, True, False, None])
words = st.sampled_from(["a", "b", None])

operators = st.sampled_from(["<", "<=", ">", ">="])
amounts = st.sampled_from([0.5, 1, 2, 3.5])


def folds() -> Any:
    return st.just(
        sf.Fold("v", start=(0.0, 0.0), add=lambda s, v: (s[0] + 1, s[1] + v * v), result=lambda s: s[1] / s[0])
    )


def thresholds(draw: Any) -> Any:
    return sf.Threshold(
        "w",
        until=draw(st.sampled_from([None, None, "u"])),
        merge_gap=draw(st.sampled_from([None, None, 1, 3])),
        gaps=draw(st.booleans()),
        **draw(options()),
    )


def deltas(draw: Any) -> Any:
    base, op = draw(st.sampled_from(["range", "first", "previous"])), draw(operators)
    if draw(st.booleans()):
        return sf.Delta({"v": draw(amounts), "w": draw(amounts)}, op, base=base, **draw(options()))
    return sf.Delta("v", op, draw(amounts), base=base, **draw(options()))


def boundaries(draw: Any) -> Any:
    lines = st.one_of(amounts, st.lists(st.integers(-4, 4), min_size=1, max_size=4, unique=True).map(sorted))
    grid = {name: draw(lines) for name in draw(st.sampled_from([["x"], ["x", "y"], ["x", "y", "z"]]))}
    return sf.Boundary(grid, **draw(options()))


def aggregates(draw: Any) -> Any:
    functions = ["sum(v)", "count(*)", "count(v)", "avg(v)", "min(v)", "max(v)", "stddev(v)"]
    aggregate = draw(st.one_of(st.sampled_from(functions), folds()))
    return sf.Aggregate(aggregate, draw(operators), draw(st.sampled_from([-1, 0, 0.75, 2, 3])), **draw(options()))


def changes(draw: Any) -> Any:
    return sf.Change(*draw(st.sampled_from([["a"], ["a", "b"]])), **draw(options()))


def gap_sessions(draw: Any) -> Any:
    return sf.Gap(draw(st.integers(1, 4)), **draw(options()))


def every(draw: Any) -> Any:
    size = draw(st.integers(1, 7))
    return sf.Every(size, slide=draw(st.sampled_from([None, 1, 2, 3, 9])), **draw(options()))


def counts(draw: Any) -> Any:
    size = draw(st.integers(1, 5))
    return sf.Count(size, slide=draw(st.sampled_from([None, 1, 2, 3, 7])), **draw(options()))


KINDS = {
    "threshold": thresholds,
    "delta": deltas,
    "boundary": boundaries,
    "aggregate": aggregates,
    "change": changes,
    "gap": gap_sessions,
    "every": every,
    "count": counts,
}


@st.composite
def cases(draw: Any, kind: str) -> Any:
    """A scheme with options, and rows for it: (scheme, ts, columns)."""
    scheme = KINDS[kind](draw)
    size = draw(st.integers(0, 10))
    ts = draw(st.lists(st.integers(-9, 12), min_size=size, max_size=size))
    values = {"condition": conditions, "number": draw(st.sampled_from([numbers, whole])), "any": words}
    columns = {
        f"in{i}": draw(st.lists(values[needed.kind], min_size=size, max_size=size))
        for i, needed in enumerate(scheme.inputs())
    }
    return scheme, ts, columns


def rows_of(ts: list[int], columns: dict[str, list[Any]]) -> list[dict[str, Any]]:
    return [{"ts": t, **{name: column[i] for name, column in columns.items()}} for i, t in enumerate(ts)]


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_frames_are_those_of_the_reference_implementation(kind: str) -> None:
    @examples(100)
    @given(case=cases(kind), data=st.data())
    def agree(case: Any, data: Any) -> None:
        scheme, ts, columns = case
        trial = Trial(scheme, ts=ts, columns=columns)
        expected = reference_frames(scheme, rows_of(ts, columns))
        assert trial.frames([range(len(ts))]) == expected
        instants = sorted(set(ts))
        cuts = sorted(data.draw(st.sets(st.sampled_from(instants)))) if instants else []
        bounds = [-math.inf, *cuts, math.inf]
        batches = [[i for i, t in enumerate(ts) if low <= t < high] for low, high in itertools.pairwise(bounds)]
        assert trial.frames(batches) == expected

    agree()
