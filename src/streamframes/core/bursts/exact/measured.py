"""Measuring: what the exact search knows of a stretch of values before it looks at windows.

A *ledger* bounds: its differences are sums, or for a variance sums of squared distances, which no w * variance exceeds.
Beside it are the sums that values are made of, and tables of extremes where sums do not grow with their window.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.bursts.exact.sums import (
    AVG,
    MAX,
    MIN,
    VARIANCE,
    difference,
    equal_since,
    prefix_spread,
    prefix_squares,
    prefix_sums,
    variance,
)
from streamframes.core.jit.compiled import compiled

# How the aggregates of a tile are bounded: by two ends, by the extremes of prefix sums, or of the values.
ENDS, EXTREMES, HIGHEST, LOWEST = range(4)


@compiled
def work_for(aggregate: int, bounding: int, size: int) -> Any:
    """Room to measure so many values."""
    squares = size + 1 if aggregate == VARIANCE else 1
    width = size + 1 if bounding != ENDS else 1
    deep = int(np.log2(float(max(2, width)))) + 2
    return (
        (np.empty(size + 1), np.empty(size + 1)),
        (np.empty(squares), np.empty(squares), np.empty(squares, np.int64)),
        np.empty(squares),
        (np.empty((deep, width)), np.empty((deep, width))),
    )


@compiled
def measure(aggregate: int, bounding: int, x: Any, size: int, work: Any) -> Any:
    """Prefix sums and tables of the first `size` values: what bounds, how far it can be off, and what is exact."""
    sums, squares, spread, tables = work
    slack = prefix_sums(x, size, sums[0], sums[1])
    ledger = sums[0]
    if aggregate == VARIANCE:
        prefix_squares(x, size, squares[0], squares[1])
        equal_since(x, size, squares[2])
        slack = prefix_spread(x, size, spread)
        ledger = spread
    if bounding == EXTREMES:
        fill_highest(ledger, size + 1, tables[0])
        fill_lowest(ledger, size + 1, tables[1])
    elif bounding == HIGHEST:
        fill_highest(x, size, tables[0])
        slack = 0.0
    elif bounding == LOWEST:
        fill_lowest(x, size, tables[1])
        slack = 0.0
    return ledger, slack, sums, squares, tables


@compiled
def value_of(aggregate: int, sums: Any, squares: Any, tables: Any, end: int, start: int) -> float:
    """The aggregate of the rows between two prefixes."""
    if aggregate == VARIANCE:
        return float(variance(sums, squares, end, start))
    if aggregate == MAX:
        return highest(tables[0], start, end - 1)
    if aggregate == MIN:
        return lowest(tables[1], start, end - 1)
    total, _ = difference(sums[0], sums[1], end, start)
    return float(total / (end - start)) if aggregate == AVG else float(total)


@compiled
def bound(bounding: int, ledger: Any, tables: Any, first: int, last: int, shortest: int, longest: int) -> float:
    """What no aggregate of rows `first` to `last` over windows `shortest` to `longest` exceeds."""
    start = max(0, first + 1 - longest)
    if bounding == ENDS:
        return float(ledger[last + 1] - ledger[start])
    if last + 1 < shortest:
        return -np.inf
    if bounding == EXTREMES:
        return highest(tables[0], first + 1, last + 1) - lowest(tables[1], start, last + 1 - shortest)
    if bounding == HIGHEST:
        return highest(tables[0], start, last)
    if last - shortest >= first:
        return np.inf
    return lowest(tables[1], max(0, last + 1 - shortest), first)


@compiled
def log2_floor(size: int) -> int:
    """The largest power of two that fits."""
    return int(np.log2(float(size)) + 1e-12)


@compiled
def fill_highest(x: Any, size: int, table: Any) -> None:
    """Maxima of the first `size` values."""
    table[0, :size] = x[:size]
    step, level = 1, 1
    while 2 * step <= size:
        for i in range(size - 2 * step + 1):
            table[level, i] = max(table[level - 1, i], table[level - 1, i + step])
        step *= 2
        level += 1


@compiled
def fill_lowest(x: Any, size: int, table: Any) -> None:
    """Minima of the first `size` values."""
    table[0, :size] = x[:size]
    step, level = 1, 1
    while 2 * step <= size:
        for i in range(size - 2 * step + 1):
            table[level, i] = min(table[level - 1, i], table[level - 1, i + step])
        step *= 2
        level += 1


@compiled
def highest(table: Any, first: int, last: int) -> float:
    """The maximum of the values from `first` to `last`."""
    level = log2_floor(last - first + 1)
    return float(max(table[level, first], table[level, last + 1 - (1 << level)]))


@compiled
def lowest(table: Any, first: int, last: int) -> float:
    """The minimum of the values from `first` to `last`."""
    level = log2_floor(last - first + 1)
    return float(min(table[level, first], table[level, last + 1 - (1 << level)]))
