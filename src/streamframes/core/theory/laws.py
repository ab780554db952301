"""The theory, executable: what frames are by definition, for streams small enough to try every interval.

  possible frames  ── local condition ──>  candidate frames  ── global condition ──>  final frames

`final_frames` does exactly that, slowly, and is what every compiled scan is proved equal to. *Minimal* and
*maximal* are meant for a given starting row, and each frame starts at the row after the one before it.
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from fractions import Fraction
from functools import singledispatch
from typing import Any

from streamframes.core.batch.clock import Clock, Duration
from streamframes.core.schemes import (
    Aggregate,
    Boundary,
    Change,
    Count,
    Delta,
    Every,
    Fold,
    Gap,
    Scheme,
    Threshold,
)
from streamframes.core.schemes.boundary import Lines

Row = Mapping[str, Any]
Interval = tuple[int, int]


@dataclass(frozen=True)
class Theory:
    """A scheme in the terms of the definition.

    `local(rows)` is the local condition on the rows of an interval; the global condition asks for minimal or
    maximal candidates. For `minimal` schemes an interval is complete as soon as the condition holds.
    """

    local: Callable[[Sequence[Row]], bool]
    minimal: bool = False


def possible_frames(size: int) -> Iterator[Interval]:
    """All intervals of rows."""
    return ((i, j) for i in range(size) for j in range(i, size))


def candidate_frames(rows: Sequence[Row], theory: Theory) -> set[Interval]:
    """The possible frames on which the local condition holds."""
    return {(i, j) for i, j in possible_frames(len(rows)) if theory.local(rows[i : j + 1])}


def final_frames(
    rows: Sequence[Row], theory: Theory, fits: Callable[[Sequence[Row]], bool]
) -> list[tuple[Interval, str]]:
    """The final frames of rows without a break, and why each ended.

    `fits` is the data-independent condition (max_rows, max_duration). A frame that reaches the last row is
    `open` unless its condition is complete.
    """
    candidates = candidate_frames(rows, theory)
    frames: list[tuple[Interval, str]] = []
    i = 0
    while i < len(rows):
        ends = [j for j in range(i, len(rows)) if (i, j) in candidates]
        if theory.minimal:
            end, why = (min(ends), "condition") if ends else (len(rows) - 1, "open")
        elif ends:
            end, why = max(ends), "condition" if max(ends) < len(rows) - 1 else "open"
        else:
            i += 1
            continue
        fitting = max(j for j in range(i, end + 1) if fits(rows[i : j + 1]))
        frames.append(((i, fitting), why if fitting == end else "limit"))
        i = fitting + 1
    return frames


def ticks(duration: Duration) -> int:
    """A duration, where instants are integers."""
    return Clock("integer").ticks(duration, "duration")


@singledispatch
def theory_of(scheme: Scheme) -> Theory:
    """The theory of a scheme; own schemes register theirs with `theory_of.register`."""
    raise NotImplementedError(f"{type(scheme).__name__} has no theory; register one with theory_of.register")


_OPERATORS: dict[str, Callable[[float, float], bool]] = {
    "<": lambda a, b: a < b,
    "<=": lambda a, b: a <= b,
    ">": lambda a, b: a > b,
    ">=": lambda a, b: a >= b,
}


@theory_of.register
def _(scheme: Threshold) -> Theory:
    if scheme.until is None:
        return Theory(lambda rows: all(row["in0"] for row in rows))
    return Theory(lambda rows: bool(rows[0]["in0"]) and not any(row["in1"] for row in rows))


@theory_of.register
def _(scheme: Delta) -> Theory:
    amounts = [amount for _, amount in scheme.amounts()]
    holds = _OPERATORS[scheme.op]
    grows = scheme.op in ("<", "<=")

    def distances(values: Sequence[float]) -> list[float]:
        if scheme.base == "range":
            return [abs(a - b) for a in values for b in values]
        if scheme.base == "first":
            return [abs(value - values[0]) for value in values]
        return [abs(a - b) for a, b in itertools.pairwise(values)]

    def local(rows: Sequence[Row]) -> bool:
        verdicts = [
            holds(distance, amount)
            for a, amount in enumerate(amounts)
            for distance in distances([row[f"in{a}"] for row in rows])
        ]
        return all(verdicts) if grows else any(verdicts)

    return Theory(local, minimal=not grows)


@theory_of.register
def _(scheme: Boundary) -> Theory:
    lines = list(scheme.grid.values())

    def cell(row: Row) -> tuple[int, ...]:
        return tuple(reference_cell(row[f"in{d}"], line) for d, line in enumerate(lines))

    return Theory(lambda rows: len({cell(row) for row in rows}) == 1)


def reference_cell(value: float, lines: Lines) -> int:
    """The cell by the definition: try them all."""
    if not isinstance(lines, int | float):
        return sum(1 for line in lines if line < value)
    near = int(value // lines)
    return next(n for n in range(near - 2, near + 4) if (n - 1) * lines < value <= n * lines)


@theory_of.register
def _(scheme: Aggregate) -> Theory:
    holds = _OPERATORS[scheme.op]

    def value(rows: Sequence[Row]) -> float:
        return reference_aggregate(scheme, [row.get("in0", 0) for row in rows])

    if scheme.op in (">", ">="):
        return Theory(lambda rows: holds(value(rows), scheme.x), minimal=True)
    return Theory(lambda rows: all(holds(value(rows[: j + 1]), scheme.x) for j in range(len(rows))))


def reference_aggregate(scheme: Aggregate, values: Sequence[float]) -> float:
    """The aggregate over the values of one interval."""
    if isinstance(scheme.aggregate, Fold):
        state = tuple(map(float, scheme.aggregate.start))
        for value in values:
            state = scheme.aggregate.add(state, value)
        return scheme.aggregate.result(state)
    function, _ = scheme.call()
    if function == "stddev":
        exact = [Fraction(v) for v in values]
        mean = sum(exact) / len(exact)
        return math.sqrt(sum((v - mean) ** 2 for v in exact) / (len(exact) - 1)) if len(exact) > 1 else 0.0
    simple: dict[str, Callable[[Sequence[float]], float]] = {
        "sum": sum,
        "count": len,
        "avg": lambda values: sum(values) / len(values),
        "min": min,
        "max": max,
    }
    return simple[function](values)


@theory_of.register
def _(scheme: Change) -> Theory:
    names = [f"in{i}" for i in range(len(scheme.states))]
    return Theory(lambda rows: len({tuple(row[name] for name in names) for row in rows}) == 1)


@theory_of.register
def _(scheme: Gap) -> Theory:
    gap = ticks(scheme.gap)
    return Theory(lambda rows: all(b["ts"] - a["ts"] <= gap for a, b in itertools.pairwise(rows)))


@theory_of.register
def _(scheme: Every) -> Theory:
    size = ticks(scheme.size)
    return Theory(lambda rows: len({row["ts"] // size for row in rows}) == 1)


@theory_of.register
def _(scheme: Count) -> Theory:
    return Theory(lambda rows: len(rows) == scheme.size, minimal=True)
