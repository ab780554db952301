"""Pairs of doubles: what a sum, a square or a product lacks when it is rounded is kept beside it."""

from __future__ import annotations

from typing import Any

from streamframes.core.jit.compiled import compiled

_SPLITTER = 134217729.0


@compiled
def rounded_sum(x: float, y: float) -> Any:
    """x + y as a double and its error."""
    total = x + y
    back = total - x
    return total, (x - (total - back)) + (y - back)


@compiled
def square(x: float) -> Any:
    """x * x as a double and its error."""
    whole = x * x
    c = _SPLITTER * x
    high = c - (c - x)
    low = x - high
    return whole, ((high * high - whole) + 2.0 * high * low) + low * low


@compiled
def product(x: float, y: float) -> Any:
    """x * y as a double and its error."""
    whole = x * y
    c, d = _SPLITTER * x, _SPLITTER * y
    a, b = c - (c - x), d - (d - y)
    e, f = x - a, y - b
    return whole, ((a * b - whole) + a * f + e * b) + e * f
