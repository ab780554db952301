"""Alarms: buffers that grow, and the search that fills them, which all methods share.

Rows of a window are searched in stretches. A stretch is counted first, without a branch, and is walked again
only if anything was found: so a stretch without alarms costs a subtraction and a comparison for each row.
"""

from __future__ import annotations

from typing import TypeAlias

import numpy as np
import numpy.typing as npt

from streamframes.core.jit.compiled import compiled

Floats: TypeAlias = npt.NDArray[np.float64]
Integers: TypeAlias = npt.NDArray[np.int64]
Alarms: TypeAlias = tuple[Integers, Integers, Floats]
"""The row, the window length and the sum of each alarm."""
Buffers: TypeAlias = tuple[Integers, Integers, Floats, Integers]
"""Alarms, and two numbers: after how many they are handed over, and how many have been."""
KEEP_ALL = 1 << 62
"""Hand nothing over."""


@compiled
def no_alarms(limit: int) -> Buffers:
    """Buffers for a few alarms; once there are `limit`, they are handed over: counted, and written over."""
    handed = np.zeros(2, np.int64)
    handed[0] = limit
    return np.empty(1024, np.int64), np.empty(1024, np.int64), np.empty(1024, np.float64), handed


@compiled
def with_room(found: Buffers, size: int, more: int) -> Buffers:
    """The buffers, or twice as large ones with the same alarms, so that `more` fit in and one to spare."""
    capacity = found[0].size
    if size + more < capacity:
        return found
    while size + more >= capacity:
        capacity *= 2
    rows, lengths, sums = np.empty(capacity, np.int64), np.empty(capacity, np.int64), np.empty(capacity, np.float64)
    for i in range(size):
        rows[i], lengths[i], sums[i] = found[0][i], found[1][i], found[2][i]
    return rows, lengths, sums, found[3]


@compiled
def trimmed(found: Buffers, size: int) -> tuple[Alarms, int]:
    """The alarms without the room, which are not copied once more, and how many there were in all."""
    return (found[0][:size], found[1][:size], found[2][:size]), found[3][1] + size


@compiled
def prefix_sums(values: Floats) -> Floats:
    """The sum of the first n values, for every n from 0."""
    sums = np.empty(values.size + 1, np.float64)
    sums[0] = 0.0
    for i in range(values.size):
        sums[i + 1] = sums[i] + values[i]
    return sums


@compiled
def search(
    prefix: Floats, window: int, threshold: float, first: int, after: int, found: Buffers, size: int
) -> tuple[Buffers, int]:
    """Add the alarms of one window in the rows first <= row < after; there is none before the window is full."""
    first = max(first, window - 1)
    if first >= after:
        return found, size
    upper, lower = prefix[first + 1 : after + 1], prefix[first + 1 - window : after + 1 - window]
    hits = 0
    for i in range(upper.size):
        hits += upper[i] - lower[i] >= threshold
    if hits == 0:
        return found, size
    if size >= found[3][0]:
        found[3][1] += size
        size = 0
    found = with_room(found, size, hits)
    rows, lengths, sums, _ = found
    for i in range(upper.size):
        # Every row is written and only alarms are kept: alarms come and go too often for a branch to be foreseen.
        total = upper[i] - lower[i]
        rows[size], lengths[size], sums[size] = first + i, window, total
        size += total >= threshold
    return found, size
