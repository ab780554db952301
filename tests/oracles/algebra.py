"""The algebra by its definition: sets of whole numbers for the sets, nested loops for the pairs."""

from __future__ import annotations

import itertools
from typing import Any

UNIVERSE = range(-3, 14)

# Group, start and end; edges may be null, and in any order.
Frame = tuple[Any, Any, Any]
Members = set[tuple[Any, int]]


def in_order(rows: Any) -> list[Any]:
    """Rows that may hold nulls, in some order that depends on nothing else."""
    return sorted(rows, key=repr)


def holds(frame: Frame, t: int) -> bool:
    """Whether an instant is in a frame."""
    return frame[1] is not None and frame[2] is not None and frame[1] <= t <= frame[2]


def instants(frames: list[Frame]) -> Members:
    """Which instants of which groups are in frames."""
    return {(frame[0], t) for frame in frames for t in UNIVERSE if holds(frame, t)}


def canonical(members: Members) -> list[Frame]:
    """Stretches: they begin where the instant before is missing, and end where the next one is."""
    starts = [(key, t) for key, t in members if (key, t - 1) not in members]
    ends = [next(t for t in itertools.count(first) if (key, t + 1) not in members) for key, first in starts]
    return in_order((key, first, last) for (key, first), last in zip(starts, ends, strict=True))


def coverage(frames: list[Frame]) -> dict[Any, tuple[int, int]]:
    """Stretches and their length, by group."""
    found: dict[Any, tuple[int, int]] = {}
    for key, first, last in canonical(instants(frames)):
        n, length = found.get(key, (0, 0))
        found[key] = (n + 1, length + last - first)
    return found


def overlaps(a: list[Frame], b: list[Frame]) -> list[Any]:
    """Group, what is shared, and the numbers of both frames."""
    found = []
    for (i, left), (j, right) in itertools.product(enumerate(a), enumerate(b)):
        shared = [t for t in UNIVERSE if holds(left, t) and holds(right, t)]
        if left[0] == right[0] and shared:
            found.append((left[0], shared[0], shared[-1], i, j))
    return in_order(found)


def at(frames: list[Frame], points: list[tuple[Any, Any]], *, keep_outside: bool) -> list[Any]:
    """Group and instant of each point with the number and the start of each frame that holds it."""
    found: list[Any] = []
    for key, t in points:
        there = [
            (n, frame[1]) for n, frame in enumerate(frames) if frame[0] == key and t is not None and holds(frame, t)
        ]
        found += [(key, t, *each) for each in there or ([(None, None)] if keep_outside else [])]
    return in_order(found)
