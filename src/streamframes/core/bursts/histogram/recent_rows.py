"""The recent rows of a histogram: their values, and the sums from each of them on.

  values    x0 x1 ... x31 | x32 ... x63 | x64 ...
  ledger    0, x0, x0 + x1, ...              differences of prefixes: exact for whole numbers that doubles represent
  sums      by block of BLOCK rows           for all others: only added to, so that nothing cancels

Values and ledger are taken many rows at once and say what is to come; FRESH says up to where rows count.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled

RECENT, BLOCK = 512, 32
VALUES, LEDGER, SUMS = range(3)
# What is counted of a histogram: buckets, the row at which recent rows begin, recent rows, how many of them the sums
# by block know, and whether the ledger is exact, so that those are not needed.
BUCKETS, BEGIN, FRESH, SUMMED, EXACT = range(5)


@compiled
def empty_recent() -> Any:
    """No recent rows. The sum of the block that is not full stands behind the sums."""
    return np.zeros((3, RECENT + BLOCK)), np.zeros(5, np.int64)


@compiled
def forget(recent: Any, counts: Any) -> None:
    """Have no recent rows."""
    counts[FRESH], counts[SUMMED] = 0, 0
    recent[LEDGER, 0], recent[SUMS, RECENT] = 0.0, 0.0


@compiled
def take(recent: Any, counts: Any, x: Any, squared: bool, exact: bool) -> None:
    """Take values that come next, at most as many as there is room for; they do not count yet."""
    at = counts[FRESH]
    total = recent[LEDGER, at]
    for i in range(x.size):
        value = x[i] * x[i] if squared else x[i]
        total += value
        recent[VALUES, at + i], recent[LEDGER, at + i + 1] = value, total
    counts[EXACT] = exact


@compiled
def advance(recent: Any, counts: Any, upto: int) -> None:
    """Let the first `upto` of the recent rows count."""
    counts[FRESH] = upto
    if counts[EXACT]:
        return
    j = counts[SUMMED]
    while j < upto:
        if j % BLOCK == 0 and j + BLOCK <= upto:
            _add_block(recent, j)
            j += BLOCK
        else:
            _add(recent, j)
            j += 1
    counts[SUMMED] = upto


@compiled
def _add(recent: Any, j: int) -> None:
    """Add the j-th value to the sums of its block, and a block that is full to all before."""
    first = j & ~(BLOCK - 1)
    x = recent[VALUES, j]
    recent[SUMS, j] = 0.0
    for i in range(first, j + 1):
        recent[SUMS, i] += x
    recent[SUMS, RECENT] += x
    if j == first + BLOCK - 1:
        for i in range(first):
            recent[SUMS, i] += recent[SUMS, RECENT]
        recent[SUMS, RECENT] = 0.0


@compiled
def _add_block(recent: Any, first: int) -> None:
    """Add a block of values as `_add` would one by one: all sums take their second value, then their third, ..."""
    padded, sums = np.zeros(2 * BLOCK), np.empty(BLOCK)
    for i in range(BLOCK):
        padded[i] = recent[VALUES, first + i]
        sums[i] = padded[i]
    for step in range(1, BLOCK):
        for i in range(BLOCK):
            sums[i] += padded[i + step]
    for i in range(BLOCK):
        recent[SUMS, first + i] = sums[i]
    for i in range(first):
        recent[SUMS, i] += sums[0]


@compiled
def recent_sum(recent: Any, counts: Any, i: int) -> float:
    """The sum from the i-th recent row on."""
    fresh = counts[FRESH]
    if counts[EXACT]:
        total = recent[LEDGER, fresh] - recent[LEDGER, i]
    else:
        total = recent[SUMS, i]
        if i < fresh & ~(BLOCK - 1):
            total += recent[SUMS, RECENT]
    _ = recent.size + counts.size
    return float(total)
