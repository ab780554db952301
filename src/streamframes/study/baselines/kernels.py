"""What a user would write by hand for Delta and Aggregate: the same loop in Python and compiled with Numba.

Each takes one group's instants and values in the order of time and returns the frames' first and last instants
and numbers of rows.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled


def delta_loop(ts: list[int], values: list[float], amount: float) -> tuple[list[int], list[int], list[int]]:
    """A new frame when a value is `amount` or more away from the frame's first."""
    starts: list[int] = []
    ends: list[int] = []
    sizes: list[int] = []
    first, start, end, size = 0.0, 0, 0, 0
    for t, value in zip(ts, values, strict=True):
        if size and abs(value - first) < amount:
            size += 1
        else:
            if size:
                starts.append(start)
                ends.append(end)
                sizes.append(size)
            first, start, size = value, t, 1
        end = t
    if size:
        starts.append(start)
        ends.append(end)
        sizes.append(size)
    return starts, ends, sizes


def aggregate_loop(ts: list[int], values: list[int], bound: float) -> tuple[list[int], list[int], list[int]]:
    """A frame ends with the row at which its sum reaches `bound`."""
    starts: list[int] = []
    ends: list[int] = []
    sizes: list[int] = []
    total, start, end, size = 0, 0, 0, 0
    for t, value in zip(ts, values, strict=True):
        if not size:
            start = t
        total += value
        size += 1
        end = t
        if total >= bound:
            starts.append(start)
            ends.append(end)
            sizes.append(size)
            total, size = 0, 0
    if size:
        starts.append(start)
        ends.append(end)
        sizes.append(size)
    return starts, ends, sizes


@compiled
def delta_compiled(ts: Any, values: Any, amount: float) -> Any:
    """`delta_loop` on arrays."""
    starts, ends, sizes = np.empty(ts.size, np.int64), np.empty(ts.size, np.int64), np.empty(ts.size, np.int64)
    n, size, first = 0, 0, 0.0
    for i in range(ts.size):
        if size and abs(values[i] - first) < amount:
            size += 1
        else:
            n += size > 0
            first, size = values[i], 1
            starts[n] = ts[i]
        ends[n], sizes[n] = ts[i], size
    n += size > 0
    return starts[:n], ends[:n], sizes[:n]


@compiled
def aggregate_compiled(ts: Any, values: Any, bound: float) -> Any:
    """`aggregate_loop` on arrays."""
    starts, ends, sizes = np.empty(ts.size, np.int64), np.empty(ts.size, np.int64), np.empty(ts.size, np.int64)
    n, size, total = 0, 0, values.dtype.type(0)
    for i in range(ts.size):
        if not size:
            starts[n] = ts[i]
        total += values[i]
        size += 1
        ends[n], sizes[n] = ts[i], size
        if total >= bound:
            n, size, total = n + 1, 0, values.dtype.type(0)
    n += size > 0
    return starts[:n], ends[:n], sizes[:n]
