"""Aggregates over the rows of matches: the running value at each row, of which the last is the final one."""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled

_MOST, _LEAST = np.int64(2**63 - 1), np.int64(-(2**63))


@compiled
def running_counts(bounds: Any, counts: Any, out: Any) -> None:
    """How many rows of each match count, up to each row; `bounds` are those of the matches among the rows."""
    for m in range(bounds.size - 1):
        n = 0
        for f in range(bounds[m], bounds[m + 1]):
            n += counts[f]
            out[f] = n


@compiled
def running_sums(bounds: Any, counts: Any, values: Any, out: Any) -> None:
    """The sum of the rows of each match that count, up to each row."""
    for m in range(bounds.size - 1):
        total = 0.0
        for f in range(bounds[m], bounds[m + 1]):
            if counts[f]:
                total += values[f]
            out[f] = total


@compiled
def running_whole_sums(bounds: Any, counts: Any, values: Any, out: Any) -> Any:
    """The same for whole numbers; returns whether a sum was too large for a long."""
    overflow = False
    for m in range(bounds.size - 1):
        total = np.int64(0)
        for f in range(bounds[m], bounds[m + 1]):
            if counts[f]:
                after = total + values[f]
                overflow |= ((total ^ after) & (values[f] ^ after)) < 0
                total = after
            out[f] = total
    return overflow


@compiled
def running_extremes(bounds: Any, counts: Any, values: Any, largest: Any, out: Any) -> None:
    """The row with the largest or smallest value of each match, up to each row; of several the first, -1 for none."""
    for m in range(bounds.size - 1):
        best = -1
        for f in range(bounds[m], bounds[m + 1]):
            if counts[f] and (best < 0 or (values[f] > values[best] if largest else values[f] < values[best])):
                best = f
            out[f] = best
