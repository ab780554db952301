"""Linking: dense regions of successive units that share a cell belong together.

unit   0      1      2      3
       A ──── B ──┐
                  ├── D ──── (nothing)       A, B, C and D are one; it ends when unit 3 has nothing of it
              C ──┘
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from streamframes.core.batch.tree import Tree, array_at, number_at, trees_at

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

    def snapshot(self) -> Tree:
        """Everything that must be known to go on later."""
        return {
            "first": self.first,
            "last": self.last,
            "cells": np.array(list(self.cells), np.int64),
            "sizes": np.array(self.sizes, np.int64),
            "points": self.points,
            "peak": np.array([self.peak]),
            "name": np.array([self.name], np.int64),
        }

    @classmethod
    def restored(cls, tree: Tree) -> Linked:
        """The regions of a snapshot."""
        first, last, points = (number_at(tree, name) for name in ("first", "last", "points"))
        cells, sizes, peak = set(as_cells(array_at(tree, "cells"))), array_at(tree, "sizes"), array_at(tree, "peak")
        return cls(first, last, cells, sizes.tolist(), points, peak.item(), as_cells(array_at(tree, "name"))[0])


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
                linked = _merged(_whole(other), linked)
            owner |= dict.fromkeys(cells, linked)
        self.newest, self.owner = unit, owner
        return [each for each in before if each.into is None and each.last < unit]

    def snapshot(self) -> Tree:
        """Everything that must be known to go on later."""
        open_ = self.open()
        number = {id(each): k for k, each in enumerate(open_)}
        return {
            "newest": self.newest,
            "owned": np.array(list(self.owner), np.int64).reshape(-1, 2),
            "owner": np.array([number[id(_whole(each))] for each in self.owner.values()], np.int64),
            "open": [each.snapshot() for each in open_],
        }

    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot."""
        self.newest = number_at(tree, "newest")
        open_ = [Linked.restored(each) for each in trees_at(tree, "open")]
        owned = as_cells(array_at(tree, "owned"))
        self.owner = {cell: open_[k] for cell, k in zip(owned, array_at(tree, "owner").tolist(), strict=True)}


def as_cells(cells: np.ndarray) -> list[Cell]:
    """Rows of two numbers as cells."""
    return list(zip(cells[:, 0].tolist(), cells[:, 1].tolist(), strict=True))


def _whole(linked: Linked) -> Linked:
    """What a part belongs to by now."""
    while linked.into is not None:
        linked = linked.into
    return linked


def _merged(a: Linked, b: Linked) -> Linked:
    """Both as one; the one with more cells takes the other."""
    if a is b:
        return a
    larger, smaller = (a, b) if len(a.cells) >= len(b.cells) else (b, a)
    larger.add(smaller)
    return larger
