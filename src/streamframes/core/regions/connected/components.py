"""Parts: the components of a group that are open, with their runs and the columns those lie in.

Labels, runs and columns are numbered as they come. When there are twice as many as there were, those of open
components move together and the rest is forgotten.
"""

from __future__ import annotations

from typing import Any

import numpy as np

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
_NAMES = ("facts", "box", "runs", "columns")
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


class Parts:
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
        """The components that are open, by start and first slot."""
        facts = self.facts[: self.count[LABELS]]
        roots = np.flatnonzero((facts[:, PARENT] == np.arange(facts.shape[0])) & (facts[:, LIVE] > 0))
        return np.asarray(roots[self.by_start(roots)])

    def by_start(self, roots: np.ndarray, *last: np.ndarray) -> np.ndarray:
        """The order of components: by the last key given, start, and first slot."""
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
        """Make room for reports in columns; `label` are the labels of the slots."""
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
        bounds, found = gathered(self.facts, self.runs, roots)
        self.facts, self.box = self.facts[roots], self.box[roots]
        self.facts[:, PARENT] = np.arange(roots.size)
        self.facts[:, HEAD], self.facts[:, TAIL] = bounds[:-1], bounds[1:] - 1
        used = np.zeros(self.n_columns, np.bool_)
        used[found[:, COLUMN]] = True
        found[:, COLUMN] = (np.cumsum(used) - 1)[found[:, COLUMN]]
        self.columns = self.columns[: self.n_columns][used]
        self.runs = np.empty((found.shape[0], RUN), np.int64)
        self.runs[:, :NEXT], self.runs[:, NEXT] = found, np.arange(1, found.shape[0] + 1)
        self.runs[bounds[1:] - 1, NEXT] = -1
        self.count[:] = roots.size, found.shape[0]
        self.n_columns = self.columns.shape[0]
        self.kept = self.used

    def move(self, place: np.ndarray) -> None:
        """Slots have got new numbers."""
        facts, runs = self.facts[: self.count[LABELS]], self.runs[: self.count[RUNS]]
        facts[:, FIRST] = place[facts[:, FIRST]]
        runs[:, FROM : TO + 1] = place[runs[:, FROM : TO + 1]]

    def snapshot(self) -> dict[str, Any]:
        """The open components; to be called after `compact`."""
        return {name: getattr(self, name).copy() for name in _NAMES} | {"latest": self.latest}

    def restore(self, saved: dict[str, Any]) -> None:
        """The components that were saved."""
        for name in _NAMES:
            setattr(self, name, saved[name].copy())
        self.latest = saved["latest"]
        self.count[:] = self.facts.shape[0], self.runs.shape[0]
        self.n_columns = self.columns.shape[0]
        self.kept = self.used
