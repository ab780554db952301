"""Density regions by their definition: in each unit of time the densest cell grows as long as that thins nothing.

unit 0   | 1 | 3 | 2 |   |        3 2 is a region of mean 2.5, if two cells are the minimum
unit 1   |   |   | 2 | 2 |        2 2 is one, and shares a cell with it: they are one region
         +---+---+---+---+--> cell
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping, Sequence
from fractions import Fraction
from math import floor
from typing import NamedTuple

from tests.oracles.region_reports import Place
from tests.oracles.region_shapes import joined_sets
from tests.oracles.regions import CONDITION, END

Cell = tuple[int, ...]
Part = tuple[int, frozenset[Cell]]  # a unit and what is dense in it


class Dense(NamedTuple):
    """A density region; its edges are those of units and bins."""

    start: int
    end: int
    low: Place
    high: Place
    rows: int
    places: int
    area: float
    peak: float
    density: float
    closed_by: str


def density(
    points: Sequence[tuple[int, Place]],
    *,
    bin: float,
    unit: int,
    above: float,
    min_area: float | None = None,
    min_duration: int | None = None,
) -> list[Dense]:
    """The regions in which the points of one group, each an instant and a place, are dense.

    Examples
    --------
    >>> at = {0: [0.5, 1.0, 1.5, 1.5, 2.0, 2.5], 10: [2.5, 2.5, 3.0, 3.5]}
    >>> points = [(ts, (x,)) for ts, xs in at.items() for x in xs]
    >>> density(points, bin=1.0, unit=10, above=2.0, min_area=2.0)
    [Dense(start=0, end=20, low=(1.0,), high=(4.0,), rows=9, places=3, area=2.0, peak=2.5, density=2.25,
           closed_by='end of data')]
    """
    counts: dict[int, Counter[Cell]] = {ts // unit: Counter() for ts, _ in sorted(points)}
    for ts, place in points:
        counts[ts // unit][tuple(floor(x / bin) for x in place)] += 1
    size = Fraction(bin) ** len(points[0][1]) if points else Fraction(1)
    parts = [(number, cells) for number in counts for cells in dense_cells(counts[number], size, above, min_area or 0)]
    pairs = [(a, b) for a in parts for b in parts if a[0] + 1 == b[0] and a[1] & b[1]]
    regions = [_region(each, counts, bin, unit, size) for each in joined_sets(parts, pairs)]
    return sorted(region for region in regions if region.end - region.start >= (min_duration or 0))


def dense_cells(counts: Mapping[Cell, int], size: Fraction, above: float, min_area: float) -> list[frozenset[Cell]]:
    """The regions of one unit, the densest seed first. A seed that fails may still be part of another's region.

    Examples
    --------
    >>> for cells in dense_cells({(0,): 1, (1,): 3, (2,): 2, (9,): 2}, Fraction(1), 2.0, 2.0):
    ...     print(sorted(cells))
    [(1,), (2,)]
    """
    found: list[frozenset[Cell]] = []
    for seed in sorted(counts, key=lambda cell: (-counts[cell], cell)):
        taken = frozenset[Cell]().union(*found)
        if seed in taken or counts[seed] / size < above:
            continue
        cells = _grown(seed, counts, taken, min_area / size)
        mean = Fraction(sum(counts.get(cell, 0) for cell in cells), len(cells))
        around = {near for cell in cells for near in _beside(cell)} - cells
        if mean / size >= above and all(counts.get(near, 0) < mean for near in around):
            found.append(frozenset(cells))
    return found


def _grown(seed: Cell, counts: Mapping[Cell, int], taken: Collection[Cell], enough: float | Fraction) -> set[Cell]:
    """The seed and what goes with it: so many cells as are enough, then those that do not lower the mean."""
    cells = {seed}
    while around := {near for cell in cells for near in _beside(cell)} - cells - set(taken):
        densest = min(around, key=lambda cell: (-counts.get(cell, 0), cell))
        mean = Fraction(sum(counts.get(cell, 0) for cell in cells), len(cells))
        if len(cells) >= enough and counts.get(densest, 0) < mean:
            break
        cells.add(densest)
    return cells


def _beside(cell: Cell) -> list[Cell]:
    return [(*cell[:axis], cell[axis] + step, *cell[axis + 1 :]) for axis in range(len(cell)) for step in (-1, 1)]


def _region(
    parts: Collection[Part], counts: Mapping[int, Mapping[Cell, int]], bin: float, unit: int, size: Fraction
) -> Dense:
    numbers = [number for number, _ in parts]
    cells = {cell for _, part in parts for cell in part}
    rows = [sum(counts[number].get(cell, 0) for cell in part) for number, part in parts]
    areas = [len(part) * size for _, part in parts]
    return Dense(
        start=min(numbers) * unit,
        end=(max(numbers) + 1) * unit,
        low=tuple(min(axis) * bin for axis in zip(*cells, strict=True)),
        high=tuple((max(axis) + 1) * bin for axis in zip(*cells, strict=True)),
        rows=sum(rows),
        places=len(cells),
        area=float(max(sum(area for at, area in zip(numbers, areas, strict=True) if at == now) for now in numbers)),
        peak=float(max(n / area for n, area in zip(rows, areas, strict=True))),
        density=float(sum(rows) / sum(areas)),
        closed_by=END if max(numbers) == max(counts) else CONDITION,
    )
