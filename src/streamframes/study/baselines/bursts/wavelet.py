"""Shifted Wavelet Tree: a pyramid of overlapping boxes says where a window may alarm at all.

level 3   [-------]               boxes of 2^i rows, each half of its length after the one before;
              [-------]           any window of up to 2^(i-1) + 1 rows lies within one of them
level 2   [---]
            [---]                 sums of values that are not negative never fall when a window grows, so a box
              [---]               below all thresholds of its windows holds no alarm

Alarms that end in the second half of a box are those of the box, so none is found twice.

References
----------
Zhu and Shasha, Efficient elastic burst detection in data streams, KDD 2003.
"""

from __future__ import annotations

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


@compiled
def wavelet(values: Floats, windows: Integers, thresholds: Floats, limit: int = KEEP_ALL) -> tuple[Alarms, int]:
    """Search the boxes that reach the smallest threshold of their level, and nothing else."""
    prefix = prefix_sums(values)
    bounds, least = levels_of(windows, thresholds)
    found, size = no_alarms(limit), 0
    for row in range(values.size):
        prefix_here = prefix[row + 1]
        for level in range(least.size):
            # At level 0 the second half of a box is all of it.
            half = max(1, (1 << level) >> 1)
            if (row + 1) & (half - 1) and row + 1 < values.size:
                break
            total = prefix_here - prefix[max(0, row + 1 - (1 << level))]
            if total < least[level]:
                continue
            first = row & ~(half - 1)
            for k in range(bounds[level], bounds[level + 1]):
                if total >= thresholds[k]:
                    found, size = search(prefix, windows[k], thresholds[k], first, row + 1, found, size)
    return trimmed(found, size)


def kept(windows: Integers, thresholds: Floats) -> int:
    """The bytes that a stream needs: the rows of the longest window, to search it, and two boxes of each level."""
    return 8 * (int(windows[-1]) + 2 * int(levels_of(windows, thresholds)[1].size))


@compiled
def levels_of(windows: Integers, thresholds: Floats) -> tuple[Integers, Floats]:
    """Where the windows of each level begin, and the smallest threshold of each level."""
    levels = 1
    while windows.size and level_span(levels - 1) < windows[-1]:
        levels += 1
    bounds, least = np.zeros(levels + 1, np.int64), np.full(levels, np.inf)
    k = 0
    for level in range(levels):
        while k < windows.size and windows[k] <= level_span(level):
            least[level] = min(least[level], thresholds[k])
            k += 1
        bounds[level + 1] = k
    return bounds, least


@compiled
def level_span(level: int) -> int:
    """The longest window that always lies within a box of the level."""
    return 1 if level == 0 else (1 << (level - 1)) + 1
