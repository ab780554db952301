"""Boundary frames: the stretches on which values stay inside one cell of a grid.

y |       |   x x |
  |   x x | x     |          cells (1,1) (2,1) (2,2) ...
  | x     |       |          a frame ends when the cell changes
  +-------+-------+--> x
"""

from __future__ import annotations

import itertools
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from streamframes.core.batch.clock import Clock
from streamframes.core.jit.compiled import compiled
from streamframes.core.schemes.base import Compiled, Input, Scheme
from streamframes.core.schemes.columns import numbers
from streamframes.core.schemes.equal import Equal
from streamframes.core.validation import check_expression, check_positive
from streamframes.errors import InvalidArgument

# The step of a grid, or its rising breakpoints.
Lines: TypeAlias = float | Sequence[float]

_FAR = 2.0**62


@dataclass(frozen=True, eq=False, repr=False)
class Boundary(Scheme):
    """Maximal runs of rows whose values share one grid cell; `frame_cell` names it.

    Parameters
    ----------
    grid
        Value expression -> step, or -> rising breakpoints. Cell `n` of step `s` holds `(n - 1) s < a <= n s`;
        with breakpoints the cell is the number of breakpoints below the value. A value on a line belongs to the
        cell below it. Any number of dimensions.

    Examples
    --------
    >>> from streamframes.core.theory.trial import frames_of
    >>> frames_of(Boundary({"x": 10}), ts=[1, 2, 3], x=[4.0, 9.0, 11.0])
    [Frame(start=1, end=2, rows=2, closed_by='condition', cell=(1,)), \
Frame(start=3, end=3, rows=1, closed_by='end of data', cell=(2,))]

    References
    ----------
    Grossniklaus et al., Frames: data-driven windows, DEBS 2016, sections 2.3 and 3.2.
    """

    grid: Mapping[str, Lines]

    def __post_init__(self) -> None:
        super().__post_init__()
        if not isinstance(self.grid, Mapping) or not self.grid:
            raise InvalidArgument(f"grid={self.grid!r} names no dimension; write Boundary({{'x': 4.25, 'y': 4.2}})")
        object.__setattr__(self, "grid", {name: _plain(lines) for name, lines in self.grid.items()})
        for name, lines in self.grid.items():
            check_expression(name, "grid", "x")
            if isinstance(lines, list):
                _check_breakpoints(name, lines)
            else:
                check_positive(lines, f"grid[{name!r}]")

    def inputs(self) -> tuple[Input, ...]:
        """One number for each dimension."""
        return tuple(Input("grid", expression, "number") for expression in self.grid)

    def compile(self, clock: Clock) -> Compiled:
        """Runs of rows whose cells are equal."""
        lines = list(self.grid.values())

        def prepare(columns: Sequence[pa.Array]) -> np.ndarray:
            dimensions = [cells(numbers(column), line) for column, line in zip(columns, lines, strict=True)]
            return dimensions[0][None, :] if len(dimensions) == 1 else np.stack(dimensions)

        return Compiled(rule=Equal(), prepare=prepare, width=len(lines), cell=len(lines))


def _plain(lines: object) -> object:
    return list(lines) if isinstance(lines, list | tuple | np.ndarray) else lines


def _check_breakpoints(name: str, lines: Sequence[float]) -> None:
    numbers = all(isinstance(line, int | float) and not isinstance(line, bool) for line in lines)
    if not lines or not numbers or not all(a < b for a, b in itertools.pairwise(lines)):
        raise InvalidArgument(f"grid[{name!r}]={lines!r} must be numbers that rise strictly, like [0, 10, 25]")


def cells(values: np.ndarray, lines: Lines) -> np.ndarray:
    """The number of each value's cell; whole numbers are not rounded.

    >>> cells(np.array([-0.5, 0.0, 4.0, 4.1]), 4.0).tolist(), cells(np.array([1.0, 2.0, 9.0]), [1, 5]).tolist()
    ([0, 0, 1, 2], [0, 1, 2])
    >>> cells(np.array([2**60, 2**60 + 1]), 2**60).tolist()
    [1, 2]
    """
    whole = values.dtype == np.int64 and np.asarray(lines).dtype == np.int64
    if not isinstance(lines, int | float):
        kind = np.int64 if whole else np.float64
        return np.searchsorted(np.array(lines, kind), values.astype(kind, copy=False), side="left").astype(np.int64)
    if whole:
        return np.asarray(-(-values // lines))
    numbers_of_cells = np.empty(values.size, np.int64)
    _step_cells(values, np.float64(lines), numbers_of_cells)
    return numbers_of_cells


@compiled
def _step_cells(values: Any, step: float, out: Any) -> None:
    for i in range(values.size):
        value = np.float64(values[i])
        quotient = value / step
        if quotient != quotient:
            out[i] = 0
            continue
        number = np.ceil(min(max(quotient, -_FAR), _FAR))
        # The quotient may be rounded across a line; the definition compares with multiples of the step.
        if abs(number) < _FAR:
            if value > number * step:
                number += 1.0
            if value <= (number - 1.0) * step:
                number -= 1.0
        out[i] = np.int64(number)
