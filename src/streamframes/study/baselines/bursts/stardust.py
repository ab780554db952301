"""Stardust: sums at several resolutions bound the sum of any window, and bounds say which windows to verify.

window of 13   [1][---4---][-------8-------]     13 = 8 + 4 + 1, counted back from the current row
level           0     2            3             each piece is a sum of its level, known up to its box

At each level, the sums that end at `capacity` rows in a row share a box, of which the largest is kept. Windows
that agree in their latest pieces share the bound of these. Rows are taken in stretches, as in brute force: the
published method takes them one by one, which here would only cost it the vector instructions.

References
----------
Bulut and Singh, A unified framework for monitoring data streams in real time, ICDE 2005.
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.study.baselines.bursts.alarms import (
    KEEP_ALL,
    Alarms,
    Floats,
    Integers,
    no_alarms,
    prefix_sums,
    search,
    trimmed,
)

_STRETCH = 1024
"""Rows at a time, as in brute force."""


class Pieces(NamedTuple):
    """Sums that bounds are put together from, by the length of what they complete.

    `offset` rows lie between a piece and the current row, `level` says how long it is, `depth` how many pieces come
    before it. What it completes is the window of that number, or only the beginning of windows: -1.
    """

    offset: Integers
    level: Integers
    depth: Integers
    window: Integers


def stardust(
    values: Floats, windows: Integers, thresholds: Floats, limit: int = KEEP_ALL, base: int = 1, capacity: int = 2
) -> tuple[Alarms, int]:
    """Bound all windows at every row, and verify those whose bound reaches the threshold.

    `base` is the length of the sums of level 0, `capacity` how many sums share a box. The sums of all levels are
    exact, not put together from boxes below: bounds are as tight as boxes allow.
    """
    return _watch(values, windows, thresholds, pieces_of(windows, base), base, capacity, limit)


def kept(windows: Integers, base: int = 1, capacity: int = 2) -> int:
    """The bytes that a stream needs: the rows of the longest window, to verify it, and its boxes at each level."""
    longest, levels = int(windows[-1]), int(pieces_of(windows, base).level.max()) + 1
    return 8 * (longest + levels * -(-longest // capacity))


def pieces_of(windows: Integers, base: int) -> Pieces:
    """The pieces of all windows; a window that is no multiple of `base` is bounded by the next longer one."""
    units = [-(-int(window) // base) for window in windows]
    ends = set(zip(units, range(len(units)), strict=True))
    for unit in set(units):
        shorter = unit & (unit - 1)
        while shorter and (shorter, -1) not in ends:
            ends.add((shorter, -1))
            shorter &= shorter - 1
    # Rising numbers of units are a walk through the tree of beginnings: the latest of each depth is what is needed.
    lines = [
        ((unit & (unit - 1)) * base, (unit & -unit).bit_length() - 1, unit.bit_count() - 1, k)
        for unit, k in sorted(ends)
    ]
    return Pieces(*np.array(lines, np.int64).reshape(-1, 4).T.copy())


@compiled
def _watch(
    values: Floats, windows: Integers, thresholds: Floats, pieces: Pieces, base: int, capacity: int, limit: int
) -> tuple[Alarms, int]:
    """Add up the bounds of a stretch of rows, piece by piece, and search it where a bound is too high."""
    prefix = prefix_sums(values)
    found, size = no_alarms(limit), 0
    if windows.size == 0:
        return trimmed(found, size)
    before = windows[-1] + base
    largest = _boxes(prefix, pieces.level.max() + 1, base, capacity, before)
    bounds = np.zeros((pieces.depth.max() + 2, _STRETCH))
    for first in range(0, values.size, _STRETCH):
        after = min(first + _STRETCH, values.size)
        for p in range(pieces.offset.size):
            if pieces.offset[p] >= after:
                break
            k, depth, start = pieces.window[p], pieces.depth[p], before + first - pieces.offset[p]
            least = thresholds[k] if k >= 0 else np.inf
            sums = largest[pieces.level[p], start : start + after - first]
            if _add(bounds[depth], sums, least, bounds[depth + 1]):
                found, size = search(prefix, windows[k], thresholds[k], first, after, found, size)
    return trimmed(found, size)


@compiled
def _boxes(prefix: Floats, levels: int, base: int, capacity: int, before: int) -> Floats:
    """For each level and row the largest sum of the row's box; `before` the first row there are zeros."""
    rows = prefix.size - 1
    largest = np.zeros((levels, before + rows))
    for level in range(levels):
        for first in range(0, rows, capacity):
            after, most = min(first + capacity, rows), 0.0
            for row in range(first, after):
                most = max(most, prefix[row + 1] - prefix[max(0, row + 1 - (base << level))])
            for row in range(first, after):
                largest[level, before + row] = most
    return largest


@compiled
def _add(bounds: Floats, sums: Floats, least: float, added: Floats) -> bool:
    """Add a piece to the bounds of what comes before it, and tell whether any of them reaches `least`."""
    rows = 0
    for i in range(sums.size):
        bound = bounds[i] + sums[i]
        added[i] = bound
        rows += bound >= least
    return rows > 0
