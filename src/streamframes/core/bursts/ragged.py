"""Ragged tables: for each group, by its number, some rows of numbers; how state of any length is kept."""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.batch.tree import Tree, array_at
from streamframes.core.jit.compiled import compiled


@compiled
def _replace(old: Any, old_bounds: Any, groups: Any, new: Any, new_bounds: Any, bounds: Any, data: Any) -> None:
    """Copy every group's rows: the new ones of `groups`, the old ones of all others."""
    which = np.full(bounds.size - 1, -1, np.int64)
    for k in range(groups.size):
        which[groups[k]] = k
    for g in range(bounds.size - 1):
        source, at = old, old_bounds[g]
        if which[g] >= 0:
            source, at = new, new_bounds[which[g]]
        for i in range(bounds[g + 1] - bounds[g]):
            for c in range(data.shape[1]):
                data[bounds[g] + i, c] = source[at + i, c]


class Ragged:
    """Rows of `width` numbers for each group."""

    def __init__(self, width: int) -> None:
        self.data = np.empty((0, width))
        self.bounds = np.zeros(1, np.int64)

    def grow(self, n_groups: int) -> None:
        """Make room for groups that are new; they have no rows."""
        more = n_groups + 1 - self.bounds.size
        if more > 0:
            self.bounds = np.concatenate([self.bounds, np.full(more, self.bounds[-1])])

    @property
    def sizes(self) -> np.ndarray:
        """How many rows each group has."""
        return np.diff(self.bounds)

    def of(self, group: int) -> np.ndarray:
        """The rows of a group."""
        return self.data[self.bounds[group] : self.bounds[group + 1]]

    def replace(self, groups: np.ndarray, data: np.ndarray, bounds: np.ndarray) -> None:
        """Give some groups other rows: row `bounds[k]` up to `bounds[k + 1]` of `data` are those of `groups[k]`."""
        sizes = self.sizes
        sizes[groups] = np.diff(bounds)
        merged = np.concatenate([[0], np.cumsum(sizes)])
        room = np.empty((int(merged[-1]), self.data.shape[1]))
        _replace(self.data, self.bounds, groups, data.reshape(-1, room.shape[1]), bounds, merged, room)
        self.data, self.bounds = room, merged

    def retain(self, numbers: np.ndarray) -> None:
        """Forget all groups but these, which are numbered anew in this order."""
        kept = Ragged(self.data.shape[1])
        kept.grow(numbers.size)
        parts = [self.of(number) for number in numbers.tolist()]
        sizes = np.cumsum([0, *map(len, parts)])
        kept.replace(np.arange(numbers.size), np.concatenate([self.data[:0], *parts]), sizes)
        self.data, self.bounds = kept.data, kept.bounds

    def snapshot(self) -> Tree:
        """All rows."""
        return {"data": self.data, "bounds": self.bounds}

    def restore(self, tree: Tree) -> None:
        """The rows of a snapshot."""
        self.data, self.bounds = array_at(tree, "data"), array_at(tree, "bounds")
