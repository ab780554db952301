"""Running aggregates: what Aggregate frames compare with a bound, as scalars that one row after another is added to."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.jit.pairs import product, rounded_sum, square


@compiled
def first_value(value: Any, s: Any) -> Any:
    """Start sum, avg, min or max with the first row of a frame."""
    s[0] = value
    return float(value)


@compiled
def first_count(value: Any, s: Any) -> Any:
    """One row."""
    return 1.0


@compiled
def first_stddev(value: Any, s: Any) -> Any:
    """The first value, and sums of the distances from it and of their squares; one row does not deviate."""
    s[0] = value
    s[1:5] = 0
    return 0.0


@compiled
def next_sum(value: Any, rows: int, s: Any) -> Any:
    """The sum with one more row."""
    s[0] += value
    return float(s[0])


@compiled
def next_count(value: Any, rows: int, s: Any) -> Any:
    """The rows before, and this one."""
    return float(rows + 1)


@compiled
def next_avg(value: Any, rows: int, s: Any) -> Any:
    """The mean with one more row."""
    s[0] += value
    return s[0] / (rows + 1)


@compiled
def next_min(value: Any, rows: int, s: Any) -> Any:
    """The least with one more row."""
    s[0] = min(s[0], value)
    return float(s[0])


@compiled
def next_max(value: Any, rows: int, s: Any) -> Any:
    """The greatest with one more row."""
    s[0] = max(s[0], value)
    return float(s[0])


@compiled
def next_stddev(value: Any, rows: int, s: Any) -> Any:
    """The deviation of the sample with one more row: (n * squares - sum * sum) / (n * (n - 1)), under a root.

    All but the root is worked out in pairs of doubles, so that a deviation that equals a bound does not exceed it.
    """
    distance = value - s[0]
    n = rows + 1.0
    whole, rest = square(distance)
    s[1], error = rounded_sum(s[1], distance)
    s[2] += error
    s[3], error = rounded_sum(s[3], whole)
    s[4] += error + rest
    a, a_rest = product(n, s[3])
    b, b_rest = square(s[1])
    high = a - b
    low = ((a - high) - b) + ((a_rest - b_rest) + (n * s[4] - 2.0 * s[1] * s[2]))
    if low != low:
        # Squares that no double holds: at least it is no less than the deviation.
        return np.sqrt(s[3] / rows) if np.isfinite(s[1]) else np.nan
    divisor = n * rows
    quotient = high / divisor
    back, error = product(quotient, divisor)
    return np.sqrt(max(quotient + (((high - back) - error) + low) / divisor, 0.0))


# Function -> how a frame's aggregate starts, and how a row is added to it.
STEPS: dict[str, tuple[Callable[..., float], Callable[..., float]]] = {
    "sum": (first_value, next_sum),
    "count": (first_count, next_count),
    "avg": (first_value, next_avg),
    "min": (first_value, next_min),
    "max": (first_value, next_max),
    "stddev": (first_stddev, next_stddev),
}
FUNCTIONS = tuple(STEPS)
