"""The inverted histogram: sums of the last 1, 2, 3, ... rows in buckets whose ends differ by a factor of 1 + error.

  rows      oldest ..................................................... latest
  buckets   [        b3         ][     b2     ][    b1    ][ b0 ] r r r r r r r r
            sum_old     sum_new                                   recent rows, each exact

A bucket covers neighbouring windows by where they begin; `sum_new` is the sum from its latest row on, `sum_old` from
its oldest. A value adds to all of these sums, but not at once: recent rows add up block by block, and only when RECENT
rows have come are they brought to the buckets, which are merged then. Buckets that are not merged yet are only more
than need be. Nothing is ever subtracted, so that no error grows: not by cancellation, and not with time.

References
----------
Qin, Qian and Zhou, Approximately processing multi-granularity aggregate queries over data streams, ICDE 2006,
algorithm 3; there, each value touches every bucket.
"""

from __future__ import annotations

import math
from typing import Any

import numpy as np

from streamframes.core.compiled import compiled

# Fields of a bucket: its oldest row; the sums from its oldest and from its latest row on; the value of its latest row;
# the largest and the smallest value between, by which neighbouring sums differ.
OLDEST, SUM_OLD, SUM_NEW, HEAD, MOST, LEAST = range(6)
FIELDS = 6

RECENT, BLOCK = 512, 32
# What is counted of a histogram: buckets, the row at which recent rows begin, recent rows.
BUCKETS, BEGIN, FRESH = range(3)
# Ages are looked up by their leading bits: so many cells for each power of two.
_CELL_BITS = 5
_CELLS = 64 << _CELL_BITS


@compiled
def empty_histogram(size: int) -> Any:
    """Room for so many buckets: buckets, their largest ages, the directory of ages, recent sums, values, counts.

    The sum of the block that is not full stands behind the recent sums. Arrays are passed one by one: unpacking them
    at each row would cost more than the row.
    """
    cells = np.zeros(_CELLS, np.int32)
    counts = np.zeros(3, np.int64)
    return np.empty((size, FIELDS)), np.empty(size, np.int64), cells, np.zeros(RECENT + 1), np.zeros(RECENT), counts


@compiled
def _cell(age: int) -> int:
    """The leading bits of an age; larger ages have larger ones."""
    mantissa, exponent = math.frexp(float(age))
    return int((exponent << _CELL_BITS) + int(mantissa * (2 << _CELL_BITS)) - (1 << _CELL_BITS))


@compiled
def index_ages(buckets: Any, ages: Any, cells: Any, counts: Any) -> None:
    """Fill the ages of the buckets, and the directory that finds a bucket by age."""
    n, begin = counts[BUCKETS], counts[BEGIN]
    at = 0
    for b in range(n):
        ages[b] = begin - np.int64(buckets[b, OLDEST])
        upto = _cell(ages[b])
        while at <= upto:
            cells[at] = b
            at += 1


@compiled
def add(sums: Any, values: Any, counts: Any, x: float) -> None:
    """Take a value; the sums of recent rows are kept by block."""
    j = counts[FRESH]
    first = j & ~(BLOCK - 1)
    values[j], sums[j] = x, 0.0
    for i in range(first, j + 1):
        sums[i] += x
    sums[RECENT] += x
    counts[FRESH] = j + 1
    if j & (BLOCK - 1) == BLOCK - 1:
        for i in range(first):
            sums[i] += sums[RECENT]
        sums[RECENT] = 0.0


@compiled
def _recent_sum(sums: Any, counts: Any, i: int) -> float:
    """The sum from the i-th recent row on."""
    return float(sums[i] + sums[RECENT]) if i < counts[FRESH] & ~(BLOCK - 1) else float(sums[i])


@compiled
def compact(histogram: Any, error: float, zeros: int) -> Any:
    """Bring recent rows to the buckets, with zeros after them that nobody has added, and merge what may be merged."""
    buckets, ages, cells, sums, values, counts = histogram
    n, begin, fresh = counts[BUCKETS], counts[BEGIN], counts[FRESH]
    merged = np.empty((n + fresh + 1, FIELDS))
    total = _recent_sum(sums, counts, 0) if fresh else 0.0
    kept = -1
    if zeros:
        kept = 0
        steps = zeros > 1
        _write(merged, 0, begin + fresh, 0.0, 0.0, 0.0, 0.0 if steps else -np.inf, 0.0 if steps else np.inf)
    for i in range(fresh - 1, -1, -1):
        here = _recent_sum(sums, counts, i)
        kept = _merge(merged, kept, error, begin + i, here, here, values[i], -np.inf, np.inf)
    for b in range(n):
        kept = _merge(
            merged, kept, error, buckets[b, OLDEST], buckets[b, SUM_OLD] + total, buckets[b, SUM_NEW] + total,
            buckets[b, HEAD], buckets[b, MOST], buckets[b, LEAST],
        )  # fmt: skip
    counts[BUCKETS], counts[BEGIN], counts[FRESH] = kept + 1, begin + fresh + zeros, 0
    sums[RECENT] = 0.0
    if merged.shape[0] > ages.size:
        ages = np.empty(2 * merged.shape[0], np.int64)
    index_ages(merged, ages, cells, counts)
    return merged, ages, cells, sums, values, counts


@compiled
def _merge(
    merged: Any, kept: int, error: float, oldest: float, old: float, new: float, head: float, most: float, least: float
) -> int:
    """Add the next older bucket, as a part of the last one if that keeps the error; returns the number of the last."""
    if kept >= 0 and old <= (1.0 + error) * merged[kept, SUM_NEW]:
        merged[kept, OLDEST], merged[kept, SUM_OLD] = oldest, old
        merged[kept, MOST] = max(merged[kept, MOST], head, most)
        merged[kept, LEAST] = min(merged[kept, LEAST], head, least)
        return kept
    _write(merged, kept + 1, oldest, old, new, head, most, least)
    return kept + 1


@compiled
def _write(merged: Any, at: int, oldest: float, old: float, new: float, head: float, most: float, least: float) -> None:
    merged[at, OLDEST], merged[at, SUM_OLD], merged[at, SUM_NEW] = oldest, old, new
    merged[at, HEAD], merged[at, MOST], merged[at, LEAST] = head, most, least


@compiled
def estimate(buckets: Any, ages: Any, cells: Any, sums: Any, counts: Any, start: int, over: bool) -> float:
    """The sum from row `start` on: not less than it is, or not more, and within the error of it."""
    begin, fresh = counts[BEGIN], counts[FRESH]
    if start >= begin:
        return _recent_sum(sums, counts, start - begin)
    total = sums[0] + (sums[RECENT] if fresh >= BLOCK else 0.0) if fresh else 0.0
    age = begin - start
    b = np.int64(cells[_cell(age)])
    while ages[b] < age:
        b += 1
    old, new = buckets[b, SUM_OLD], buckets[b, SUM_NEW]
    after = age - 1
    if b > 0:
        after -= ages[b - 1]
    before = ages[b] - age
    if over:
        if before == 0 or after == 0:
            return float((old if before == 0 else new) + total)
        return float(min(old - buckets[b, LEAST] * before, new + buckets[b, MOST] * after) + total)
    if before == 0 or after == 0:
        return float((new if after == 0 else old) + total)
    return float(max(old - buckets[b, MOST] * before, new + buckets[b, LEAST] * after) + total)
