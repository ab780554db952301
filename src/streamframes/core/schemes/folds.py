"""Folds: the running aggregates of Aggregate frames, as scalars that one row after another is added to."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any

import numpy as np

from streamframes.core.compiled import compiled
from streamframes.core.usercode import code_of
from streamframes.errors import InvalidArgument

FUNCTIONS = ("sum", "count", "avg", "min", "max", "stddev")


@dataclass(frozen=True)
class Fold:
    """A user's own running aggregate: declared scalar state, a way to add a value, and the result.

    The functions are compiled with Numba where that is possible and run as plain Python elsewhere.

    Parameters
    ----------
    value
        A numeric expression.
    start
        The state of an empty frame: a tuple of numbers.
    add
        `add(state, value) -> state`, tuples of the same length.
    result
        `result(state) -> number`.

    Examples
    --------
    The root mean square of the rows so far:

    >>> rms = Fold(
    ...     "v",
    ...     start=(0.0, 0.0),
    ...     add=lambda state, v: (state[0] + 1, state[1] + v * v),
    ...     result=lambda state: (state[1] / state[0]) ** 0.5,
    ... )
    """

    value: Any
    start: tuple[float, ...]
    add: Callable[[Any, float], Any]
    result: Callable[[Any], float]

    def __post_init__(self) -> None:
        if not isinstance(self.start, tuple) or not self.start:
            raise InvalidArgument(f"start={self.start!r} must be a tuple of numbers, like (0.0,)")
        for name in ("add", "result"):
            if not callable(getattr(self, name)):
                raise InvalidArgument(f"{name}={getattr(self, name)!r} must be a function")

    def detached(self) -> Fold:
        """The same fold with its expression as text, so that it can travel."""
        return replace(self, value=str(self.value))

    def __str__(self) -> str:
        """What stands for the fold in `frame_id`: its expression, its state and its code."""
        return f"Fold({self.value}, {self.start}, {code_of(self.add)}, {code_of(self.result)})"


@compiled
def fold_first(function: int, value: Any, s: Any) -> Any:
    """Start a frame's aggregate with its first row; returns the result."""
    s[0] = value
    s[1] = 0
    if function == 1:
        return 1.0
    return 0.0 if function == 5 else float(value)


@compiled
def fold_next(function: int, value: Any, rows: int, s: Any) -> Any:
    """Add a row to the aggregate of `rows` rows; returns the result."""
    if function == 0:
        s[0] += value
        return float(s[0])
    if function == 1:
        return float(rows + 1)
    if function == 2:
        s[0] += value
        return s[0] / (rows + 1)
    if function == 3:
        s[0] = min(s[0], value)
        return float(s[0])
    if function == 4:
        s[0] = max(s[0], value)
        return float(s[0])
    step = value - s[0]
    s[0] += step / (rows + 1)
    s[1] += step * (value - s[0])
    return np.sqrt(s[1] / rows)
