"""Components: those of a group that are open, with their runs and the columns of these, and those that are closed.

Labels, runs and columns are numbered as they come. When there are twice as many as there were, those of open
components move together and the rest is forgotten.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np

from streamframes.core.batch.tree import Tree, array_at, number_at
from streamframes.core.jit.compiled import compiled
from streamframes.core.regions.connected.union_find import (
    COLUMN,
    FACTS,
    FIRST,
    FROM,
    HEAD,
    LABELS,
    LIVE,
    NEXT,
    PARENT,
    RUN,
    RUNS,
    START,
    TAIL,
    TO,
    find,
    gathered,
)

# The numbers of a column: its instant, those of the columns before and after it. Where there is none: its own.
AT, BEFORE, AFTER = range(3)
_LEAST = 1024


@compiled
def _relabel(label: Any, facts: Any, number: Any) -> None:
    for s in range(label.size):
        if label[s] >= 0:
            label[s] = number[find(facts, label[s])]


def _with_room(table: np.ndarray, used: int, more: int) -> np.ndarray:
    if used + more <= table.shape[0]:
        return table
    bigger = np.empty((max(used + more, 2 * table.shape[0]), table.shape[1]), table.dtype)
    bigger[:used] = table[:used]
    return bigger


class Components:
    """Labels, runs and columns."""

    def __init__(self, ndim: int) -> None:
        self.facts = np.empty((0, FACTS), np.int64)
        self.box = np.empty((0, 2 * ndim))
        self.runs = np.empty((0, RUN), np.int64)
        self.columns = np.empty((0, 3), np.int64)
        self.count = np.zeros(2, np.int64)
        self.n_columns = 0
        self.kept = 0
        self.latest: int | None = None

    def open(self) -> np.ndarray:
        """The components that are open, by start and first place."""
        facts = self.facts[: self.count[LABELS]]
        roots = np.flatnonzero((facts[:, PARENT] == np.arange(facts.shape[0])) & (facts[:, LIVE] > 0))
        return np.asarray(roots[self.by_start(roots)])

    def by_start(self, roots: np.ndarray, *last: np.ndarray) -> np.ndarray:
        """The order of components: by the last key given, start, and first place."""
        return np.asarray(np.lexsort((self.facts[roots, FIRST], self.facts[roots, START], *last)))

    def add_columns(self, times: np.ndarray) -> int:
        """Number columns that follow; the one before learns when the next came. Returns the first number."""
        first, n = self.n_columns, times.size
        table = self.columns[first : first + n]
        table[:] = times[:, None]
        table[1:, BEFORE], table[:-1, AFTER] = times[:-1], times[1:]
        if self.latest is not None:
            table[0, BEFORE] = self.latest
            if first and self.columns[first - 1, AT] == self.latest:
                self.columns[first - 1, AFTER] = times[0]
        self.n_columns, self.latest = first + n, int(times[-1])
        return first

    @property
    def used(self) -> int:
        """How many labels, runs and columns there are."""
        return int(self.count.sum()) + self.n_columns

    def reserve(self, n_reports: int, n_times: int, label: np.ndarray) -> None:
        """Make room for reports in columns; `label` are the labels of the places."""
        if self.used > _LEAST + 2 * self.kept:
            self.compact(label)
        self.facts = _with_room(self.facts, self.count[LABELS], n_reports)
        self.box = _with_room(self.box, self.count[LABELS], n_reports)
        self.runs = _with_room(self.runs, self.count[RUNS], n_reports)
        self.columns = _with_room(self.columns, self.n_columns, n_times)

    def trim(self, label: np.ndarray) -> None:
        """Give back room that stands empty for the most part."""
        room = self.facts.shape[0] + self.runs.shape[0] + self.columns.shape[0]
        if room > _LEAST + 4 * self.used:
            self.compact(label)

    def compact(self, label: np.ndarray) -> None:
        """Forget all but open components."""
        roots = self.open()
        number = np.full(self.count[LABELS], -1)
        number[roots] = np.arange(roots.size)
        _relabel(label, self.facts, number)
        bounds, runs = gathered(self.facts, self.runs, roots)
        self.facts, self.box = self.facts[roots], self.box[roots]
        self.facts[:, PARENT] = np.arange(roots.size)
        self.facts[:, HEAD], self.facts[:, TAIL] = bounds[:-1], bounds[1:] - 1
        used = np.zeros(self.n_columns, np.bool_)
        used[runs[:, COLUMN]] = True
        runs[:, COLUMN] = (np.cumsum(used) - 1)[runs[:, COLUMN]]
        self.columns = self.columns[: self.n_columns][used]
        self.runs = np.empty((runs.shape[0], RUN), np.int64)
        self.runs[:, :NEXT], self.runs[:, NEXT] = runs, np.arange(1, runs.shape[0] + 1)
        self.runs[bounds[1:] - 1, NEXT] = -1
        self.count[:] = roots.size, runs.shape[0]
        self.n_columns = self.columns.shape[0]
        self.kept = self.used

    def renumber(self, moved_to: np.ndarray) -> None:
        """Place i is now moved_to[i]."""
        facts, runs = self.facts[: self.count[LABELS]], self.runs[: self.count[RUNS]]
        facts[:, FIRST] = moved_to[facts[:, FIRST]]
        runs[:, FROM : TO + 1] = moved_to[runs[:, FROM : TO + 1]]

    def snapshot(self) -> Tree:
        """The open components; to be called after `compact`."""
        tables = {"facts": self.facts, "box": self.box, "runs": self.runs, "columns": self.columns}
        return {name: table.copy() for name, table in tables.items()} | {"latest": self.latest}

    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot."""
        self.facts, self.box = array_at(tree, "facts").copy(), array_at(tree, "box").copy()
        self.runs, self.columns = array_at(tree, "runs").copy(), array_at(tree, "columns").copy()
        self.latest = None if tree["latest"] is None else number_at(tree, "latest")
        self.count[:] = self.facts.shape[0], self.runs.shape[0]
        self.n_columns = self.columns.shape[0]
        self.kept = self.used


@dataclass
class ClosedComponents:
    """Components that are closed, with their runs column after column.

    facts     int64[n, FACTS]    their numbers
    box       float64[n, 2 ndim] lowest and highest places
    cause     int64[n]
    bounds    int64[n + 1]       runs bounds[i] up to bounds[i + 1] are those of component i
    columns   int64[r, 3]        the column of each run: its instant, those of the columns before and after
    spans     int64[r, 2]        first and last place of each run
    """

    facts: np.ndarray
    box: np.ndarray
    cause: np.ndarray
    bounds: np.ndarray
    columns: np.ndarray
    spans: np.ndarray

    def __len__(self) -> int:
        return int(self.facts.shape[0])

    @property
    def component_of_run(self) -> np.ndarray:
        """The number of each run's component."""
        return np.repeat(np.arange(len(self)), np.diff(self.bounds))

    def only(self, which: np.ndarray) -> ClosedComponents:
        """Some of them, by a mask."""
        runs = np.repeat(which, np.diff(self.bounds))
        bounds = np.append(0, np.cumsum(np.diff(self.bounds)[which]))
        return ClosedComponents(
            self.facts[which], self.box[which], self.cause[which], bounds, self.columns[runs], self.spans[runs]
        )


def no_components(ndim: int) -> ClosedComponents:
    """No components."""
    empty = np.empty(0, np.int64)
    runs = np.empty((0, NEXT), np.int64)
    return ClosedComponents(
        np.empty((0, FACTS), np.int64), np.empty((0, 2 * ndim)), empty, np.zeros(1, np.int64), runs, runs[:, :2]
    )


def extracted(components: Components, roots: np.ndarray, cause: np.ndarray) -> ClosedComponents:
    """Components as they stand."""
    bounds, runs = gathered(components.facts, components.runs, roots)
    columns, component = components.columns[runs[:, COLUMN]], np.repeat(np.arange(roots.size), np.diff(bounds))
    order = np.lexsort((runs[:, FROM], columns[:, AT], component))
    return ClosedComponents(
        components.facts[roots], components.box[roots], cause, bounds, columns[order], runs[order, FROM:NEXT]
    )


def concat(pieces: Sequence[ClosedComponents]) -> ClosedComponents:
    """All of them, one after the other."""
    if len(pieces) == 1:
        return pieces[0]
    sizes = np.concatenate([np.diff(piece.bounds) for piece in pieces])
    return ClosedComponents(
        np.concatenate([piece.facts for piece in pieces]),
        np.concatenate([piece.box for piece in pieces]),
        np.concatenate([piece.cause for piece in pieces]),
        np.append(0, np.cumsum(sizes)),
        np.concatenate([piece.columns for piece in pieces]),
        np.concatenate([piece.spans for piece in pieces]),
    )
