"""Density regions by their definition: counts in dictionaries, growth by looking at every neighbour."""

from __future__ import annotations

from collections import Counter
from dataclasses import dataclass
from itertools import chain
from math import prod

Cell = tuple[int, ...]
# Start, end, low, high, points, cells, area, peak, density, name.
Dense = tuple[int, int, Cell, Cell, int, int, float, float, float, Cell]


@dataclass
class Region:
    """A region of one unit."""

    unit: int
    cells: frozenset[Cell]
    points: int


@dataclass
class Grid:
    """How space and time are cut, and what is dense."""

    unit: int
    sides: tuple[int, ...]
    above: float
    min_area: float = 0.0

    @property
    def area(self) -> int:
        """The area of a cell."""
        return prod(self.sides)

    def neighbours(self, cells: set[Cell]) -> set[Cell]:
        """The cells beside some cells."""
        steps = [(axis, way) for axis in range(len(self.sides)) for way in (-1, 1)]
        beside = {tuple(v + way * (k == axis) for k, v in enumerate(cell)) for cell in cells for axis, way in steps}
        return beside - cells


def _grown(seed: Cell, counts: Counter[Cell], taken: set[Cell], grid: Grid) -> set[Cell]:
    """What grows from a seed."""
    cells = {seed}
    while free := grid.neighbours(cells) - taken:
        best = min(free, key=lambda cell: (-counts[cell], cell))
        mean = sum(counts[cell] for cell in cells) / len(cells)
        if len(cells) * grid.area >= grid.min_area and counts[best] < mean:
            break
        cells.add(best)
    return cells


def _regions(unit: int, counts: Counter[Cell], grid: Grid) -> list[Region]:
    taken: set[Cell] = set()
    aside: set[Cell] = set()
    out = []
    while left := set(counts) - taken - aside:
        seed = min(left, key=lambda cell: (-counts[cell], cell))
        if counts[seed] / grid.area < grid.above:
            break
        cells = _grown(seed, counts, taken, grid)
        points = sum(counts[cell] for cell in cells)
        area = len(cells) * grid.area
        if area >= grid.min_area and points / area >= grid.above:
            taken |= cells
            out.append(Region(unit, frozenset(cells), points))
        else:
            aside.add(seed)
    return out


def _linked(regions: list[Region]) -> list[list[Region]]:
    """The connected sets of regions."""
    groups: list[list[Region]] = []
    for region in regions:
        near = [g for g in groups if any(r.unit == region.unit - 1 and r.cells & region.cells for r in g)]
        groups = [g for g in groups if g not in near] + [[*chain(*near), region]]
    return groups


def dense(points: list[tuple[int, Cell]], grid: Grid, min_duration: int = 0) -> list[Dense]:
    """All density regions, in order."""
    counts: dict[int, Counter[Cell]] = {}
    for ts, cell in points:
        counts.setdefault(ts // grid.unit, Counter())[cell] += 1
    regions = [region for unit in sorted(counts) for region in _regions(unit, counts[unit], grid)]
    out = []
    for group in _linked(regions):
        units = sorted({region.unit for region in group})
        cells = set().union(*(region.cells for region in group))
        total = sum(region.points for region in group)
        low, high = (tuple(edge(axis) for axis in zip(*cells, strict=True)) for edge in (min, max))
        sizes = [sum(len(r.cells) for r in group if r.unit == unit) * grid.area for unit in units]
        peak = max(r.points / (len(r.cells) * grid.area) for r in group)
        name = min(cell for r in group if r.unit == units[0] for cell in r.cells)
        start, end = units[0] * grid.unit, (units[-1] + 1) * grid.unit
        if end - start >= min_duration:
            high = tuple(v + 1 for v in high)
            out.append((start, end, low, high, total, len(cells), max(sizes), peak, total / sum(sizes), name))
    return sorted(out)
