"""Linking: dense regions of successive units that share a cell belong together.

unit   0      1      2      3
       A ──── B ──┐
                  ├── D ──── (nothing)       A, B, C and D are one; it ends when unit 3 has nothing of it
              C ──┘
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

Cell = tuple[int, int]


@dataclass(eq=False)
class Linked:
    """Regions that belong together.

    first, last   its units
    cells         every cell that it has had
    sizes         how many cells it has in each unit, from the first on
    points        how many points were counted
    peak          the highest mean density of one of its regions
    name          the smallest cell of its first unit
    """

    first: int
    last: int
    cells: set[Cell]
    sizes: list[int]
    points: int
    peak: float
    name: Cell
    into: Linked | None = None

    def add(self, other: Linked) -> None:
        """Take what turned out to belong to it."""
        if other.first < self.first:
            self.sizes = [0] * (self.first - other.first) + self.sizes
        if other.first <= self.first:
            self.name = other.name if other.first < self.first else min(self.name, other.name)
        self.first = min(self.first, other.first)
        self.sizes += [0] * (other.last - self.first + 1 - len(self.sizes))
        for k, size in enumerate(other.sizes, other.first - self.first):
            self.sizes[k] += size
        self.last = max(self.last, other.last)
        self.cells |= other.cells
        self.points += other.points
        self.peak = max(self.peak, other.peak)
        other.into = self

    def box(self) -> tuple[np.ndarray, np.ndarray]:
        """Its lowest and highest cell in each dimension."""
        cells = np.array(list(self.cells))
        return cells.min(axis=0), cells.max(axis=0)


class Links:
    """What is open: all that has a region in the newest unit, and whose its cells are."""

    def __init__(self, area: float) -> None:
        self.area = area
        self.newest = 0
        self.owner: dict[Cell, Linked] = {}

    def open(self) -> list[Linked]:
        """What is open."""
        return list(dict.fromkeys(map(_whole, self.owner.values())))

    def step(self, unit: int, regions: Sequence[tuple[list[Cell], int]]) -> list[Linked]:
        """Link the regions of a unit, as cells and points; what ends there."""
        before = self.open()
        if unit != self.newest + 1:
            self.owner = {}
        owner: dict[Cell, Linked] = {}
        for cells, points in regions:
            peak = points / (len(cells) * self.area)
            linked = Linked(unit, unit, set(cells), [len(cells)], points, peak, min(cells))
            for other in {id(each): each for each in map(self.owner.get, cells) if each is not None}.values():
                linked = _together(_whole(other), linked)
            owner |= dict.fromkeys(cells, linked)
        self.newest, self.owner = unit, owner
        return [each for each in before if each.into is None and each.last < unit]

    def snapshot(self) -> dict[str, Any]:
        """Everything that must be known to go on later."""
        open_ = self.open()
        number = {id(each): k for k, each in enumerate(open_)}
        return {
            "newest": self.newest,
            "owned": np.array(list(self.owner), np.int64).reshape(-1, 2),
            "owner": np.array([number[id(_whole(each))] for each in self.owner.values()], np.int64),
            "open": [
                [
                    each.first,
                    each.last,
                    each.points,
                    each.peak,
                    each.name,
                    np.array(list(each.cells)),
                    np.array(each.sizes),
                ]
                for each in open_
            ],
        }

    def restore(self, saved: dict[str, Any]) -> None:
        """Go on from what was saved."""
        self.newest = saved["newest"]
        open_ = [
            Linked(first, last, set(as_cells(cells)), sizes.tolist(), points, peak, (name[0], name[1]))
            for first, last, points, peak, name, cells, sizes in saved["open"]
        ]
        owned = as_cells(saved["owned"])
        self.owner = {cell: open_[k] for cell, k in zip(owned, saved["owner"].tolist(), strict=True)}


def as_cells(cells: np.ndarray) -> list[Cell]:
    """Rows of two numbers as cells."""
    return list(zip(cells[:, 0].tolist(), cells[:, 1].tolist(), strict=True))


def _whole(linked: Linked) -> Linked:
    """What a part belongs to by now."""
    while linked.into is not None:
        linked = linked.into
    return linked


def _together(a: Linked, b: Linked) -> Linked:
    """Both as one; the one with more cells takes the other."""
    if a is b:
        return a
    larger, smaller = (a, b) if len(a.cells) >= len(b.cells) else (b, a)
    larger.add(smaller)
    return larger
