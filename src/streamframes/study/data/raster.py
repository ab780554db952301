"""Rasters: which cells of a grid the points of a plot fall into, and how different two plots are.

Cells are counted on one fine grid; those of coarser grids are made of whole cells of it.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
from numpy.typing import NDArray

FINE = 300

Cells = NDArray[np.int64]


@dataclass(frozen=True)
class Extent:
    """Where an axis begins and ends."""

    low: float
    high: float

    @property
    def length(self) -> float:
        """From begin to end; one where they are the same."""
        return self.high - self.low or 1.0

    def cell(self, column: str) -> str:
        """SQL for the cell of a value on the fine grid."""
        return f"least(CAST(floor(({column} - {self.low!r}D) / {self.length!r}D * {FINE}) AS BIGINT), {FINE - 1})"

    def cells(self, values: NDArray[np.float64]) -> Cells:
        """The cell of each value on the fine grid."""
        return np.minimum(np.floor((values - self.low) / self.length * FINE).astype(np.int64), FINE - 1)

    def values(self, cells: Cells) -> NDArray[np.float64]:
        """The middle of each cell."""
        return self.low + (cells + 0.5) / FINE * self.length


def occupied(x: Cells, y: Cells, *, grid: int) -> set[tuple[int, int]]:
    """The cells of a grid that have a point, from those of the fine grid.

    Examples
    --------
    >>> sorted(occupied(np.array([0, 5, 299]), np.array([0, 5, 150]), grid=50))
    [(0, 0), (49, 25)]
    """
    size = FINE // grid
    return set(zip((x // size).tolist(), (y // size).tolist(), strict=True))


def jaccard(a: set[tuple[int, int]], b: set[tuple[int, int]]) -> float:
    """How much two sets differ: 0 if they are the same, 1 if they share nothing.

    Examples
    --------
    >>> jaccard({(0, 0), (0, 1)}, {(0, 1), (0, 2)})
    0.6666666666666667
    """
    return 1 - len(a & b) / len(a | b) if a | b else 0.0
