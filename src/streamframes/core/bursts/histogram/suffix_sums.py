"""The inverted histogram: sums of the last 1, 2, 3, ... rows in buckets whose ends differ by a factor of 1 + error.

  rows      oldest ..................................................... latest
  buckets   [        b3         ][     b2     ][    b1    ][ b0 ] r r r r r r r r
            sum_old     sum_new                                   recent rows, each exact

A bucket covers neighbouring windows by where they begin; `sum_new` is the sum from its latest row on, `sum_old` from
its oldest. A value adds to all of these sums, but not at once: only when RECENT rows have come are they brought to the
buckets, which are merged then. Buckets that are not merged yet are only more than need be. Nothing is ever subtracted
that was rounded, so that no error grows: not by cancellation, and not with time.

References
----------
Qin, Qian and Zhou, Approximately processing multi-granularity aggregate queries over data streams, ICDE 2006,
algorithm 3; there, each value touches every bucket.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.bursts.histogram.recent_rows import (
    BEGIN,
    BUCKETS,
    FRESH,
    VALUES,
    empty_recent,
    forget,
    recent_sum,
)
from streamframes.core.jit.compiled import compiled

# Fields of a bucket: its oldest row; the sums from its oldest and from its latest row on; the value of its latest row;
# the largest and the smallest value between, by which neighbouring sums differ.
OLDEST, SUM_OLD, SUM_NEW, LATEST, MOST, LEAST = range(6)
FIELDS = 6

# Buckets are found by the leading bits of an age, so many cells for each power of two. In an index, the cells come
# first, then a zero, then the largest age of each bucket.
_CELL_BITS = 7
_AGES = (64 << _CELL_BITS) + 1
_SHIFT = 52 - _CELL_BITS
_FIRST_CELL = 1023 << _CELL_BITS


@compiled
def empty_histogram() -> Any:
    """Buckets, their index, recent rows, what is counted of them, and room to merge buckets in."""
    recent, counts = empty_recent()
    index = np.zeros(_AGES + 2048, np.int64)
    return np.empty((2048, FIELDS)), index, recent, counts, np.empty((2048, FIELDS))


@compiled
def restored(histogram: Any, buckets: Any, begin: int, max_age: int) -> Any:
    """A histogram with these buckets and no recent rows, in the arrays of another."""
    own, index, recent, counts, spare = histogram
    n = buckets.shape[0]
    own = _with_room(own, n)
    for b in range(n):
        for field in range(FIELDS):
            own[b, field] = buckets[b, field]
    forget(recent, counts)
    counts[BUCKETS], counts[BEGIN] = n, begin
    return own, _indexed(own, index, n, begin, max_age), recent, counts, spare


@compiled
def _with_room(buckets: Any, n: int) -> Any:
    """An array for so many buckets, this one if it is large enough."""
    return buckets if n <= buckets.shape[0] else np.empty((2 * n, FIELDS))


@compiled
def _cell(age: int) -> int:
    """The leading bits of an age, from 1; larger ages have larger ones."""
    return int((np.float64(age).view(np.int64) >> _SHIFT) - _FIRST_CELL)


@compiled
def _indexed(buckets: Any, index: Any, n: int, begin: int, max_age: int) -> Any:
    """The index by which buckets are found, up to an age; larger if need be."""
    if _AGES + n > index.size:
        index = np.zeros(_AGES + 2 * n, np.int64)
    at, b, age = 0, 0, 0
    while b < n and age < max_age:
        age = begin - int(buckets[b, OLDEST])
        index[_AGES + b] = age
        upto = _cell(age)
        while at <= upto:
            index[at] = b
            at += 1
        b += 1
    return index


@compiled
def compact(histogram: Any, error: float, zeros: int, max_age: int) -> Any:
    """Bring recent rows to the buckets, with zeros after them that nobody has added, and merge what may be merged.

    From the latest on, each bucket joins the one before where that keeps the error. `max_age` is the
    largest age of an estimate.
    """
    buckets, index, recent, counts, merged = histogram
    n, begin, fresh = counts[BUCKETS], counts[BEGIN], counts[FRESH]
    merged = _with_room(merged, n + fresh + 1)
    last = (-1, -np.inf, 0.0, 0.0, 0.0, 0.0)
    if zeros:
        steps = zeros > 1
        last = _joined(last, 1.0 + error, 0.0, 0.0, 0.0, 0.0 if steps else -np.inf, 0.0 if steps else np.inf)
        _write(merged, last, begin + fresh, 0.0)
    for i in range(fresh - 1, -1, -1):
        here = recent_sum(recent, counts, i)
        last = _joined(last, 1.0 + error, here, here, recent[VALUES, i], -np.inf, np.inf)
        _write(merged, last, begin + i, here)
    total = recent_sum(recent, counts, 0) if fresh else 0.0
    for b in range(n):
        old, new = buckets[b, SUM_OLD] + total, buckets[b, SUM_NEW] + total
        last = _joined(last, 1.0 + error, old, new, buckets[b, LATEST], buckets[b, MOST], buckets[b, LEAST])
        _write(merged, last, buckets[b, OLDEST], old)
    forget(recent, counts)
    counts[BUCKETS], counts[BEGIN] = last[0] + 1, begin + fresh + zeros
    return merged, _indexed(merged, index, counts[BUCKETS], counts[BEGIN], max_age), recent, counts, buckets


@compiled
def _joined(last: Any, factor: float, old: float, new: float, latest: float, most: float, least: float) -> Any:
    """The last bucket with the next older one, or that one by itself: its number, how large a sum may join, and fields.

    There is no branch, as it could not be foreseen.
    """
    kept, limit, its_new, its_latest, its_most, its_least = last
    joins = old <= limit
    above, below, next_limit = max(its_most, latest, most), min(its_least, latest, least), factor * new
    return (
        kept if joins else kept + 1, limit if joins else next_limit, its_new if joins else new,
        its_latest if joins else latest, above if joins else most, below if joins else least,
    )  # fmt: skip


@compiled
def _write(merged: Any, last: Any, oldest: float, old: float) -> None:
    kept, _, new, latest, most, least = last
    merged[kept, OLDEST], merged[kept, SUM_OLD], merged[kept, SUM_NEW] = oldest, old, new
    merged[kept, LATEST], merged[kept, MOST], merged[kept, LEAST] = latest, most, least


@compiled
def _between(old: float, new: float, most: float, least: float, before: int, after: int, over: bool) -> float:
    """The sum from a row within a bucket, so many rows before it and after: by steps from the nearer bound."""
    if before == 0:
        return old
    if after == 0:
        return new
    if over:
        return min(old - least * before, new + most * after)
    return max(old - most * before, new + least * after)


@compiled
def older(buckets: Any, index: Any, age: int, over: bool) -> float:
    """The sum of the last `age` rows before the recent ones: not less than it is, or not more, and nearly it."""
    b = index[_cell(age)]
    while index[_AGES + b] < age:
        b += 1
    before, after = index[_AGES + b] - age, age - 1 - index[_AGES + b - 1]
    return _between(
        buckets[b, SUM_OLD], buckets[b, SUM_NEW], buckets[b, MOST], buckets[b, LEAST], before, after, over
    )  # fmt: skip


@compiled
def estimate(buckets: Any, index: Any, recent: Any, counts: Any, start: int, over: bool) -> float:
    """The sum from row `start` on: not less than it is, or not more, and within the error of it.

    It must not cost a few nanoseconds more, so it has one exit, at which all arrays are named: Numba counts a
    reference out where it is used last, and only if that is one place for all does it see that it need not count.
    """
    age, total = counts[BEGIN] - start, 0.0
    if counts[FRESH]:
        total = recent_sum(recent, counts, max(0, -age))
    if age > 0:
        total = older(buckets, index, age, over) + total
    _ = buckets.size + index.size + recent.size + counts.size
    return total


@compiled
def _appended(state: Any, at: int, part: Any) -> Any:
    """A table with rows written at a place, larger if need be."""
    if at + part.shape[0] > state.shape[0]:
        larger = np.empty((2 * (at + part.shape[0]), FIELDS))
        larger[:at] = state[:at]
        state = larger
    state[at : at + part.shape[0]] = part
    return state


@compiled
def saved(states: Any, ends: Any, at_group: int, first: Any, second: Any, two: bool) -> Any:
    """The states with that of one more group."""
    sums, squares, recent = states
    counts = first[3]
    sums = _appended(sums, ends[at_group, 0], first[0][: counts[BUCKETS]])
    ends[at_group + 1, 0] = ends[at_group, 0] + counts[BUCKETS]
    ends[at_group + 1, 1] = ends[at_group, 1]
    if two:
        squares = _appended(squares, ends[at_group, 1], second[0][: second[3][BUCKETS]])
        ends[at_group + 1, 1] += second[3][BUCKETS]
    at, fresh = ends[at_group, 2], counts[FRESH]
    if at + fresh > recent.size:
        larger = np.empty(2 * (at + fresh))
        larger[:at] = recent[:at]
        recent = larger
    recent[at : at + fresh] = first[2][VALUES, :fresh]
    ends[at_group + 1, 2] = at + fresh
    return sums, squares, recent
