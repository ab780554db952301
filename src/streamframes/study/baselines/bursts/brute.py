"""Brute force: every window at every row, from prefix sums.

Rows are taken in stretches whose sums stay in the nearest cache. There, four windows at a time are compared with
their thresholds in one vectorised pass: it reads the sum at each row once for all of them, and only says whether
any alarms.
"""

from __future__ import annotations

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
"""Rows at a time: the fastest of some powers of two, with few windows and with many."""


@compiled
def brute(values: Floats, windows: Integers, thresholds: Floats, limit: int = KEEP_ALL) -> tuple[Alarms, int]:
    """Compare every window with its threshold at every row."""
    prefix = prefix_sums(values)
    found, size = no_alarms(limit), 0
    for first in range(0, values.size, _STRETCH):
        after = min(first + _STRETCH, values.size)
        for k in range(0, windows.size, 4):
            last = min(k + 4, windows.size)
            if last - k == 4 and windows[k + 3] <= first + 1 and not _any(prefix, windows, thresholds, k, first, after):
                continue
            for each in range(k, last):
                found, size = search(prefix, windows[each], thresholds[each], first, after, found, size)
    return trimmed(found, size)


@compiled
def _any(prefix: Floats, windows: Integers, thresholds: Floats, k: int, first: int, after: int) -> bool:
    """Whether one of four windows alarms in any row of a stretch in which all of them are full."""
    here = prefix[first + 1 : after + 1]
    a, b, c, d = windows[k], windows[k + 1], windows[k + 2], windows[k + 3]
    before_a, before_b = prefix[first + 1 - a : after + 1 - a], prefix[first + 1 - b : after + 1 - b]
    before_c, before_d = prefix[first + 1 - c : after + 1 - c], prefix[first + 1 - d : after + 1 - d]
    least_a, least_b, least_c, least_d = thresholds[k], thresholds[k + 1], thresholds[k + 2], thresholds[k + 3]
    rows = 0
    for i in range(here.size):
        # No branch and no `or`, which would be one.
        rows += (
            (here[i] - before_a[i] >= least_a)
            | (here[i] - before_b[i] >= least_b)
            | (here[i] - before_c[i] >= least_c)
            | (here[i] - before_d[i] >= least_d)
        )
    return rows > 0
