"""State by group: what a stage of an operator knows of each group, in arrays that the group's number indexes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import ClassVar

import numpy as np

from streamframes.core.batch.rows import Rows
from streamframes.core.batch.tree import Tree, array_at, trees_at
from streamframes.core.operator.state_codec import rows_as_tree, rows_of_tree


def grown(state: np.ndarray, n_groups: int) -> np.ndarray:
    """State records with room for more groups; new ones are zero."""
    if state.shape[0] >= n_groups:
        return state
    bigger = np.zeros((max(n_groups, 2 * state.shape[0]), *state.shape[1:]), state.dtype)
    bigger[: state.shape[0]] = state
    return bigger


class GroupState:
    """A stage with state by group number: `per_group` names its arrays, `held` are rows that it holds back."""

    per_group: ClassVar[tuple[str, ...]] = ()
    held: Sequence[Rows] = ()

    def grow(self, n_groups: int) -> None:
        """Make room for groups that are new."""
        for name in self.per_group:
            setattr(self, name, grown(getattr(self, name), n_groups))

    def snapshot(self, n_groups: int) -> Tree:
        """Everything that must be known to go on later."""
        self.grow(n_groups)
        arrays = {name: getattr(self, name)[:n_groups] for name in self.per_group}
        return {**arrays, "held": [rows_as_tree(rows) for rows in self.held]}

    def restore(self, tree: Tree) -> None:
        """Go on from what was saved."""
        for name in self.per_group:
            setattr(self, name, array_at(tree, name))
        if held := trees_at(tree, "held"):
            self.held = [rows_of_tree(rows) for rows in held]

    def chosen(self, numbers: np.ndarray) -> dict[str, np.ndarray]:
        """What is known of these groups, for `adopt`."""
        return {name: getattr(self, name)[numbers] for name in self.per_group}

    def adopt(self, numbers: np.ndarray, arrays: dict[str, np.ndarray]) -> None:
        """Take what another knows of groups as what is known of `numbers`."""
        for name in self.per_group:
            getattr(self, name)[numbers] = arrays[name]

    def retain(self, numbers: np.ndarray, place: np.ndarray) -> None:
        """Forget all groups but `numbers`; group `g` is number `place[g]` from now on."""
        for name in self.per_group:
            setattr(self, name, getattr(self, name)[numbers])
        if self.held:
            self.held = [renumbered(rows, place) for rows in self.held]

    def adopt_held(self, place: np.ndarray, held: Sequence[Rows], theirs: np.ndarray) -> None:
        """Hold the rows that another holds of groups: `theirs[g]` is the number here of its group `g`.

        `place` has the number of each group whose own rows stay, and -1 of the others.
        """
        if self.held or held:
            both = [*(renumbered(rows, place) for rows in self.held), *(renumbered(rows, theirs) for rows in held)]
            self.held = [rows for rows in both if len(rows)]


def stays(rows: Rows, place: np.ndarray) -> np.ndarray:
    """Which rows are of groups that have a number, at their place."""
    return np.repeat(place[rows.groups] >= 0, np.diff(rows.bounds))


def renumbered(rows: Rows, place: np.ndarray) -> Rows:
    """The same rows of groups that have got new numbers; without those of groups that have none."""
    rows = rows.filter(stays(rows, place))
    return Rows(place[rows.groups], rows.bounds, rows.ts, rows.columns, rows.mark)
