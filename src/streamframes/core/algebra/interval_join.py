"""Interval join: all pairs of intervals of two inputs that share an instant.

Both inputs are walked together in the order of their starts. What has begun is on its input's list until it is seen to
have ended:

  a   [0-------------------------]          on a's list at 7:  [0
  b      [2--]    [5-]  [7--]               7 is compared with it: it goes on, so they overlap

An interval is compared with the whole list of the other input, and what ended before it is struck off. Each comparison
either finds a pair or strikes off an interval for good: there are at most as many as intervals and pairs together,
however long the longest interval is.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from streamframes.core.algebra.intervals import Intervals
from streamframes.core.jit.compiled import compiled

PER_BATCH = 1 << 16
# Where the walk stands: the group, the next of a and of b, the lengths of both lists; and the number of comparisons.
_GROUP, _NEXT_A, _NEXT_B, _LIST_A, _LIST_B, _COMPARISONS = range(6)


class IntervalJoin:
    """The pairs (a, b) of numbers of intervals that overlap, in batches; `comparisons` counts the work."""

    def __init__(self, a: Intervals, b: Intervals) -> None:
        self._inputs = a, b
        self._place = np.zeros(6, np.int64)

    @property
    def comparisons(self) -> int:
        """How often an interval has been compared with another."""
        return int(self._place[_COMPARISONS])

    def __iter__(self) -> Iterator[tuple[np.ndarray, np.ndarray]]:
        a, b = self._inputs
        lists = np.empty(a.start.size, np.int64), np.empty(b.start.size, np.int64)
        # The pairs of one interval must fit: at most as many as a group has intervals.
        room = max(PER_BATCH, *(int(np.diff(each.bounds).max(initial=0)) for each in self._inputs))
        while self._place[_GROUP] < a.bounds.size - 1:
            pairs = np.empty(room, np.int64), np.empty(room, np.int64)
            n = _walk(a, b, *lists, self._place, *pairs)
            if n:
                yield pairs[0][:n], pairs[1][:n]


@compiled
def _compare(me: int, t: int, listed: Any, n_listed: int, ends: Any, mine: Any, theirs: Any, n: int) -> Any:
    """Pair with all on a list that have not ended before `t`, and strike off the others; returns both new lengths."""
    left = 0
    for k in range(n_listed):
        other = listed[k]
        if ends[other] >= t:
            listed[left] = other
            left += 1
            mine[n] = me
            theirs[n] = other
            n += 1
    return left, n


@compiled
def _remember(place: Any, k: int, i: int, j: int, n_a: int, n_b: int) -> None:
    place[_GROUP], place[_NEXT_A], place[_NEXT_B] = k, i, j
    place[_LIST_A], place[_LIST_B] = n_a, n_b


@compiled
def _walk(a: Any, b: Any, list_a: Any, list_b: Any, place: Any, left: Any, right: Any) -> int:
    """Go on from `place` until the pairs might not fit or all groups are done; returns the number of pairs."""
    n = 0
    k, i, j = place[_GROUP], place[_NEXT_A], place[_NEXT_B]
    n_a, n_b = place[_LIST_A], place[_LIST_B]
    while k < a.bounds.size - 1:
        while i < a.bounds[k + 1] or j < b.bounds[k + 1]:
            a_is_next = j == b.bounds[k + 1] or (i < a.bounds[k + 1] and a.start[i] <= b.start[j])
            n_compared = n_b if a_is_next else n_a
            if n + n_compared > left.size:
                _remember(place, k, i, j, n_a, n_b)
                return n
            place[_COMPARISONS] += n_compared
            if a_is_next:
                n_b, n = _compare(i, a.start[i], list_b, n_b, b.end, left, right, n)
                list_a[n_a] = i
                n_a += 1
                i += 1
            else:
                n_a, n = _compare(j, b.start[j], list_a, n_a, a.end, right, left, n)
                list_b[n_b] = j
                n_b += 1
                j += 1
        k, n_a, n_b = k + 1, 0, 0
    _remember(place, k, i, j, n_a, n_b)
    return n
