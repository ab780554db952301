"""Thresholds: one set for all groups, one for each by a table, or one for each that is learnt.

A *set* holds a threshold for each window; every group has the number of its set, or -1 while it has none.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from functools import cached_property

import numpy as np

from streamframes.core.batch.groups import GroupIndex
from streamframes.core.batch.tree import Tree, array_at, float_at, tree_at
from streamframes.core.bursts.window_tree import Watched, watched

ADD, REMOVE = "add", "remove"


@dataclass(frozen=True)
class GroupTable:
    """Thresholds by group: fingerprints, and for each a threshold for every window."""

    first: np.ndarray
    second: np.ndarray
    thresholds: np.ndarray

    @cached_property
    def places(self) -> dict[tuple[int, int], int]:
        """Which line is a group's."""
        pairs = zip(self.first.tolist(), self.second.tolist(), strict=True)
        return {pair: line for line, pair in enumerate(pairs)}

    def __getstate__(self) -> dict[str, np.ndarray]:
        return {"first": self.first, "second": self.second, "thresholds": self.thresholds}


@dataclass
class Thresholds:
    """The windows that are watched now, and whose thresholds are whose.

    `given` are thresholds that came while running: they go before what is learnt.
    """

    aggregate: int
    lengths: np.ndarray
    sets: np.ndarray
    table: GroupTable | None = None
    learns: bool = False
    set_of_group: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))
    given: dict[int, float] = field(default_factory=dict)

    @cached_property
    def watched(self) -> Watched:
        """The tree over the windows."""
        return watched(self.aggregate, self.lengths, self.sets)

    @cached_property
    def logs(self) -> tuple[np.ndarray, np.ndarray]:
        """Logarithms of lengths and thresholds; NaN or infinite where there is none."""
        with np.errstate(divide="ignore", invalid="ignore"):
            return np.log(self.lengths.astype(np.float64)), np.log(self.sets)

    def grow(self, groups: GroupIndex) -> None:
        """Give groups that are new their set."""
        before, after = self.set_of_group.size, len(groups)
        if before == after:
            return
        fresh = np.full(after - before, -1 if self.learns or self.table else 0, np.int64)
        if self.table is not None:
            pairs = zip(groups.first[before:].tolist(), groups.second[before:].tolist(), strict=True)
            fresh[:] = [self.table.places.get(pair, -1) for pair in pairs]
        self.set_of_group = np.concatenate([self.set_of_group, fresh])

    def keep_learnt(self, groups: np.ndarray, learnt: np.ndarray) -> None:
        """Give groups sets of their own, a line each."""
        for length, threshold in self.given.items():
            learnt[:, self.lengths == length] = threshold
        self.set_of_group[groups] = self.sets.shape[0] + np.arange(groups.size)
        self._change(self.lengths, np.concatenate([self.sets, learnt]))

    def add(self, length: int, threshold: float) -> None:
        """Watch a window from now on, or with another threshold."""
        self.remove(length)
        at = int(np.searchsorted(self.lengths, length))
        self.given[length] = threshold
        self._change(np.insert(self.lengths, at, length), np.insert(self.sets, at, threshold, axis=1))

    def remove(self, length: int) -> bool:
        """Watch a window no more; says whether it was."""
        stays = self.lengths != length
        self.given.pop(length, None)
        self._change(self.lengths[stays], self.sets[:, stays])
        return not stays.all()

    def retain(self, numbers: np.ndarray) -> None:
        """Forget all groups but these."""
        self.set_of_group = self.set_of_group[numbers]
        if self.learns:
            used = self.set_of_group[self.set_of_group >= 0]
            self.set_of_group[self.set_of_group >= 0] = np.arange(used.size)
            self._change(self.lengths, self.sets[used])

    def _change(self, lengths: np.ndarray, sets: np.ndarray) -> None:
        self.lengths, self.sets = lengths, sets
        for name in ("watched", "logs"):
            self.__dict__.pop(name, None)

    def snapshot(self) -> Tree:
        """Everything that must be known to go on later; a table is known from the plan."""
        given = {str(length): threshold for length, threshold in self.given.items()}
        return {"lengths": self.lengths, "sets": self.sets, "set_of_group": self.set_of_group, "given": given}

    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot."""
        self._change(array_at(tree, "lengths"), array_at(tree, "sets"))
        self.set_of_group = array_at(tree, "set_of_group").copy()
        given = tree_at(tree, "given")
        self.given = {int(length): float_at(given, length) for length in given}
