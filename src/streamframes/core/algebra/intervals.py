"""Intervals: sets of instants of many groups as sorted stretches, and what can be made of two such sets.

  a             [---------]     [--]      closed, in whole ticks: [0,3] and [4,6] are one stretch
  b                 [---]    [----]
  union         [---------]  [-----]
  intersection      [---]       [-]
  difference    [--]     []        |

Each is one walk over both sets. A running maximum of ends joins frames into stretches, so a long frame among short
ones costs nothing extra. No edge is moved beyond the edges that were given, so no sum can overflow.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, NamedTuple

import numpy as np

from streamframes.core.jit.compiled import compiled


class Intervals(NamedTuple):
    """Intervals by group and start: number bounds[k] up to bounds[k + 1] are those of group k."""

    bounds: np.ndarray
    start: np.ndarray
    end: np.ndarray

    @property
    def groups(self) -> np.ndarray:
        """The group of each interval."""
        return np.repeat(np.arange(self.bounds.size - 1), np.diff(self.bounds))


def no_intervals(groups: int) -> Intervals:
    """The empty set, for so many groups."""
    empty = np.empty(0, np.int64)
    return Intervals(np.zeros(groups + 1, np.int64), empty, empty)


def stretches(a: Intervals) -> Intervals:
    """The same instants as disjoint stretches, each as long as possible."""
    return union(a, no_intervals(a.bounds.size - 1))


def union(a: Intervals, b: Intervals) -> Intervals:
    """The stretches of instants that are in either."""
    return _walked(_union, a, b)


def intersection(a: Intervals, b: Intervals) -> Intervals:
    """The stretches of instants that are in both."""
    return _walked(_intersection, stretches(a), stretches(b))


def difference(a: Intervals, b: Intervals) -> Intervals:
    """The stretches of instants that are in `a` and not in `b`."""
    return _walked(_difference, stretches(a), stretches(b))


def _walked(walk: Callable[..., int], a: Intervals, b: Intervals) -> Intervals:
    most = a.start.size + b.start.size
    out = Intervals(np.zeros(a.bounds.size, np.int64), np.empty(most, np.int64), np.empty(most, np.int64))
    n = walk(a, b, out)
    return Intervals(out.bounds, out.start[:n], out.end[:n])


@compiled
def _union(a: Any, b: Any, out: Any) -> int:
    n = 0
    for k in range(a.bounds.size - 1):
        i, j, first = a.bounds[k], b.bounds[k], n
        while i < a.bounds[k + 1] or j < b.bounds[k + 1]:
            if j == b.bounds[k + 1] or (i < a.bounds[k + 1] and a.start[i] <= b.start[j]):
                start, end = a.start[i], a.end[i]
                i += 1
            else:
                start, end = b.start[j], b.end[j]
                j += 1
            if n > first and (start <= out.end[n - 1] or start == out.end[n - 1] + 1):
                out.end[n - 1] = max(out.end[n - 1], end)
            else:
                out.start[n], out.end[n] = start, end
                n += 1
        out.bounds[k + 1] = n
    return n


@compiled
def _intersection(a: Any, b: Any, out: Any) -> int:
    n = 0
    for k in range(a.bounds.size - 1):
        i, j = a.bounds[k], b.bounds[k]
        while i < a.bounds[k + 1] and j < b.bounds[k + 1]:
            start, end = max(a.start[i], b.start[j]), min(a.end[i], b.end[j])
            if start <= end:
                out.start[n], out.end[n] = start, end
                n += 1
            if a.end[i] < b.end[j]:
                i += 1
            else:
                j += 1
        out.bounds[k + 1] = n
    return n


@compiled
def _difference(a: Any, b: Any, out: Any) -> int:
    n = 0
    for k in range(a.bounds.size - 1):
        j = b.bounds[k]
        for i in range(a.bounds[k], a.bounds[k + 1]):
            start, end, left = a.start[i], a.end[i], True
            while j < b.bounds[k + 1] and b.end[j] < start:
                j += 1
            while left and j < b.bounds[k + 1] and b.start[j] <= end:
                if start < b.start[j]:
                    out.start[n], out.end[n] = start, b.start[j] - 1
                    n += 1
                left = b.end[j] < end
                if left:
                    start = b.end[j] + 1
                    j += 1
            if left:
                out.start[n], out.end[n] = start, end
                n += 1
        out.bounds[k + 1] = n
    return n
