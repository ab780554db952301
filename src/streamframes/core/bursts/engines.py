"""Engines: the exact search and the search in histograms, with what each must keep of every group.

Both take feeds and give alarms, a batch at a time, so that no number of alarms is too large.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, Protocol

import numpy as np

from streamframes.core.batch.tree import Tree, array_at, float_at, tree_at, trees_at
from streamframes.core.bursts.batch import Alarms, Batch, no_alarms
from streamframes.core.bursts.exact import measured
from streamframes.core.bursts.exact import search as exact
from streamframes.core.bursts.exact.sums import MAX, MIN, VARIANCE
from streamframes.core.bursts.histogram import approximate
from streamframes.core.bursts.histogram.suffix_sums import FIELDS
from streamframes.core.bursts.ragged import Ragged
from streamframes.core.bursts.thresholds import Thresholds
from streamframes.core.jit.compiled import compiled
from streamframes.core.operator.group_state import grown

# A search hands over its alarms once there are so many.
ALARMS_AT_ONCE = 1 << 18
# Prefix sums begin anew every so many rows, or as many as the longest window has.
LEAST_BLOCK = 2048
_TILE_ROWS, _LEAST_TILE_ROWS, _TILE_CELLS = 1024, 64, 1 << 22


class Engine(Protocol):
    """A search with the state of every group."""

    def search(self, fed: Batch, thresholds: Thresholds, *, one: bool) -> Iterator[Alarms]:
        """Take values and find alarms; groups without thresholds only remember. With `one`, one a row is enough."""

    def grow(self, n_groups: int) -> None:
        """Make room for groups that are new."""

    def retain(self, numbers: np.ndarray) -> None:
        """Forget all groups but these."""

    def snapshot(self) -> Tree:
        """Everything that must be known to go on later."""

    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot."""


@compiled
def _remembered(
    groups: Any,
    bounds: Any,
    values: Any,
    history: Any,
    history_bounds: Any,
    seen: Any,
    kept: Any,
    block: int,
    longest: int,
) -> Any:
    """What must be remembered of groups that have been fed: values from where the sums of their next row begin."""
    sizes = np.empty(groups.size + 1, np.int64)
    sizes[0] = 0
    starts = np.empty(groups.size, np.int64)
    for k in range(groups.size):
        g = groups[k]
        before = seen[g] - (history_bounds[g + 1] - history_bounds[g])
        after = seen[g] + bounds[k + 1] - bounds[k]
        starts[k] = max(after // block * block - longest, before, kept[g])
        sizes[k + 1] = sizes[k] + after - starts[k]
    data = np.empty(sizes[-1])
    for k in range(groups.size):
        g = groups[k]
        before = seen[g] - (history_bounds[g + 1] - history_bounds[g])
        after = seen[g] + bounds[k + 1] - bounds[k]
        for i in range(starts[k], after):
            old = i < seen[g]
            value = history[history_bounds[g] + i - before] if old else values[bounds[k] + i - seen[g]]
            data[sizes[k] + i - starts[k]] = value
        seen[g] = after
    return data, sizes


class ExactEngine:
    """The exact search: of each group it keeps the last values, as many as two of the longest windows at most."""

    def __init__(self, aggregate: int) -> None:
        self.aggregate = aggregate
        self.history = Ragged(1)
        self.seen = np.zeros(0, np.int64)
        self.kept = np.zeros(0, np.int64)
        self.lowest = 0.0

    def search(self, fed: Batch, thresholds: Thresholds, *, one: bool) -> Iterator[Alarms]:
        """Take values and find alarms."""
        self.lowest = min(self.lowest, float(fed.values.min(initial=0.0)))
        watched, set_of_group = thresholds.watched, thresholds.set_of_group
        longest = int(watched.lengths.max(initial=1))
        block = max(LEAST_BLOCK, longest)
        past = (self.history.data.ravel(), self.history.bounds, self.seen, self.kept)
        tile = max(_LEAST_TILE_ROWS, min(_TILE_ROWS, _TILE_CELLS // max(1, watched.lengths.size)))
        done = np.zeros(fed.values.size if one else 0, np.uint8)
        pace = (np.zeros((watched.shortest.size // 2, 2), np.int64), np.array([0, 1]))
        resume, found = (0, 0), tuple(no_alarms())
        while resume[0] < fed.groups.size and watched.lengths.size:
            n, found, resume = exact.search_rows(
                self.aggregate, self._bounding, tuple(fed), past, watched, set_of_group, block, tile, resume,
                ALARMS_AT_ONCE, done, pace, found,
            )  # fmt: skip
            if n:
                yield Alarms(*(part[:n] for part in found))
        data, bounds = _remembered(*fed[:3], *past, block, longest)
        self.history.replace(fed.groups, data, bounds)

    @property
    def _bounding(self) -> int:
        if self.aggregate in (MIN, MAX):
            return measured.LOWEST if self.aggregate == MIN else measured.HIGHEST
        return measured.ENDS if self.lowest >= 0 or self.aggregate == VARIANCE else measured.EXTREMES

    def grow(self, n_groups: int) -> None:
        """Make room for groups that are new."""
        self.history.grow(n_groups)
        self.seen, self.kept = grown(self.seen, n_groups), grown(self.kept, n_groups)

    def retain(self, numbers: np.ndarray) -> None:
        """Forget all groups but these."""
        self.history.retain(numbers)
        self.seen, self.kept = self.seen[numbers], self.kept[numbers]

    def snapshot(self) -> Tree:
        """Everything that must be known to go on later."""
        return {"history": self.history.snapshot(), "seen": self.seen, "kept": self.kept, "lowest": self.lowest}

    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot."""
        self.history.restore(tree_at(tree, "history"))
        self.seen, self.kept = array_at(tree, "seen").copy(), array_at(tree, "kept").copy()
        self.lowest = float_at(tree, "lowest")


class HistogramEngine:
    """The search in histograms: of each group it keeps buckets, their number bounded by the logarithm of its sum."""

    def __init__(self, aggregate: int, search: int, *, over: bool, error: float, counted: bool) -> None:
        self.settings = (aggregate, counted, search, over, error)
        self.tables = (Ragged(FIELDS), Ragged(FIELDS), Ragged(1))
        self.numbers = np.zeros((0, 3), np.int64)
        self.totals = np.zeros((0, 3))

    def search(self, fed: Batch, thresholds: Thresholds, *, one: bool) -> Iterator[Alarms]:
        """Take values and find alarms."""
        resume, found = (0, 0), tuple(no_alarms())
        while resume[0] < fed.groups.size:
            sums, squares, recent = self.tables
            past = (
                sums.data, sums.bounds, squares.data, squares.bounds, recent.data.ravel(), recent.bounds,
                self.numbers, self.totals,
            )  # fmt: skip
            first = resume[0]
            n, found, resume, states, ends = approximate.search_rows(
                *self.settings, tuple(fed), past, thresholds.watched, thresholds.set_of_group, thresholds.logs, resume,
                ALARMS_AT_ONCE, one, found,
            )  # fmt: skip
            groups = fed.groups[first : first + ends.shape[0] - 1]
            for i, (table, state) in enumerate(zip(self.tables, states, strict=True)):
                table.replace(groups, state[: ends[-1, i]], ends[:, i].copy())
            if n:
                yield Alarms(*(part[:n] for part in found))

    def grow(self, n_groups: int) -> None:
        """Make room for groups that are new."""
        for table in self.tables:
            table.grow(n_groups)
        self.numbers, self.totals = grown(self.numbers, n_groups), grown(self.totals, n_groups)

    def retain(self, numbers: np.ndarray) -> None:
        """Forget all groups but these."""
        for table in self.tables:
            table.retain(numbers)
        self.numbers, self.totals = self.numbers[numbers], self.totals[numbers]

    def snapshot(self) -> Tree:
        """Everything that must be known to go on later."""
        return {"tables": [table.snapshot() for table in self.tables], "numbers": self.numbers, "totals": self.totals}

    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot."""
        for table, state in zip(self.tables, trees_at(tree, "tables"), strict=True):
            table.restore(state)
        self.numbers, self.totals = array_at(tree, "numbers").copy(), array_at(tree, "totals").copy()
