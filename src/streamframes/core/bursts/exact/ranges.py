"""Extremes of ranges in constant time: a table of the extremes of all stretches of 1, 2, 4, 8, ... values."""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled


def levels(size: int) -> int:
    """How many rows a table of so many values has."""
    return max(1, int(size).bit_length())


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
