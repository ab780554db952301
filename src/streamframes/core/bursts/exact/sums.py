"""Sums of windows, to the last bit: prefix sums in pairs of doubles, and what is made of their differences.

A prefix sum is kept as a double and the error that its additions made, so that a difference is the true sum rounded
once, whatever came before the window: whole numbers are exact, and a huge value leaves nothing behind. Prefix sums
begin anew at fixed rows, so that results depend on the data alone and do not drift.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.jit.pairs import product, square

SUM, AVG, VARIANCE, MIN, MAX = range(5)
AGGREGATES = {"sum": SUM, "avg": AVG, "variance": VARIANCE, "count": SUM, "min": MIN, "max": MAX}

EPSILON = 2.0**-52
# Below this, doubles represent every whole number.
WHOLE = 2.0**53


@compiled
def prefix_sums(x: Any, size: int, high: Any, low: Any) -> float:
    """Prefix sums of the first `size` values, from 0; returns how far a difference of `high` can be off.

    Whole numbers are not off at all, as long as doubles can represent them.
    """
    high[0], low[0] = 0.0, 0.0
    fraction, most = 0.0, 0.0
    for i in range(size):
        fraction = max(fraction, abs(x[i] - np.floor(x[i])))
        most += abs(x[i])
    if fraction == 0.0 and most < WHOLE:
        total = 0.0
        for i in range(size):
            total += x[i]
            high[i + 1], low[i + 1] = total, 0.0
        return 0.0
    total, error, off = 0.0, 0.0, 0.0
    for i in range(size):
        more = total + x[i]
        back = more - total
        error += (total - (more - back)) + (x[i] - back)
        total = more
        high[i + 1], low[i + 1] = total, error
        off = max(off, abs(error))
    return 2.0 * off + 4.0 * EPSILON * most


@compiled
def prefix_squares(x: Any, size: int, high: Any, low: Any) -> None:
    """Prefix sums of the squares."""
    total, error = 0.0, 0.0
    high[0], low[0] = 0.0, 0.0
    for i in range(size):
        value, rest = square(x[i])
        more = total + value
        back = more - total
        error += ((total - (more - back)) + (value - back)) + rest
        total = more
        high[i + 1], low[i + 1] = total, error


@compiled
def equal_since(x: Any, size: int, since: Any) -> None:
    """Before each prefix, where the values that equal its last one begin."""
    since[0] = 0
    for i in range(size):
        since[i + 1] = since[i] if i > 0 and x[i] == x[i - 1] else i


@compiled
def difference(high: Any, low: Any, end: int, start: int) -> Any:
    """The sum between two prefixes, as a double and its error."""
    a, b = high[end], high[start]
    whole = a - b
    back = whole - a
    rest = ((a - (whole - back)) - (b + back)) + (low[end] - low[start])
    rounded = whole + rest
    return rounded, (whole - rounded) + rest


@compiled
def variance(sums: Any, squares: Any, end: int, start: int) -> Any:
    """The population variance between two prefixes: (w * sum of squares - sum * sum) / (w * w).

    Rounding would leave a little of the squares of equal values, which do not vary at all.
    """
    if squares[2][end] <= start:
        return 0.0
    w = float(end - start)
    s, s_rest = difference(sums[0], sums[1], end, start)
    q, q_rest = difference(squares[0], squares[1], end, start)
    a, a_rest = product(w, q)
    b, b_rest = square(s)
    rest = (a_rest - b_rest) + (w * q_rest - 2.0 * s * s_rest)
    return max(0.0, ((a - b) + rest) / (w * w))


@compiled
def prefix_spread(x: Any, size: int, out: Any) -> float:
    """Prefix sums of squared distances from the mean, which bound w * variance; returns how far they can be off."""
    total = 0.0
    for i in range(size):
        total += x[i]
    centre = total / max(1, size)
    spread = 0.0
    out[0] = 0.0
    for i in range(size):
        spread += (x[i] - centre) * (x[i] - centre)
        out[i + 1] = spread
    return float((size + 8.0) * EPSILON * spread)
