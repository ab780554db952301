"""Preferences: of regions that overlap, a selection that does not.

Regions that overlap, directly or through others, are a cluster. In each the best is kept, all that overlap it are
dropped, and so on. What is better is a comparison of numbers, one after the other, so it is transitive; the last ones
differ between any two regions, so the selection depends on nothing else. A cluster is decided when it is closed: when
nothing that is open, or is still to come, can overlap any of its regions.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.batch.tree import Tree
from streamframes.core.jit.compiled import compiled
from streamframes.core.regions.types import OpenRegions, Regions, concat

PREFERENCES = ("largest", "longest", "widest")


@compiled
def _overlap(i: int, j: int, start: Any, end: Any, low: Any, high: Any) -> Any:
    """Whether two regions share an instant and a place."""
    meet = start[i] <= end[j] and start[j] <= end[i]
    for d in range(low.shape[1]):
        meet &= low[i, d] <= high[j, d] and low[j, d] <= high[i, d]
    return meet


@compiled
def _root(parent: Any, i: int) -> int:
    while parent[i] != i:
        parent[i] = parent[parent[i]]
        i = parent[i]
    return i


@compiled
def _clusters(start: Any, end: Any, low: Any, high: Any, order: Any, parent: Any) -> None:
    """Bring together what overlaps; `order` sorts by start."""
    active = np.empty(order.size, np.int64)
    n_active = 0
    for i in order:
        left = 0
        for a in active[:n_active]:
            if end[a] >= start[i]:
                active[left] = a
                left += 1
                if _root(parent, a) != _root(parent, i) and _overlap(i, a, start, end, low, high):
                    parent[_root(parent, a)] = _root(parent, i)
        active[left] = i
        n_active = left + 1
    for i in range(parent.size):
        parent[i] = _root(parent, i)


@compiled
def _choose(start: Any, end: Any, low: Any, high: Any, order: Any, kept: Any) -> None:
    """Keep, in this order, what overlaps nothing that has been kept."""
    chosen = np.empty(order.size, np.int64)
    n_chosen = 0
    for i in order:
        free = True
        for c in chosen[:n_chosen]:
            if _overlap(i, c, start, end, low, high):
                free = False
                break
        if free:
            chosen[n_chosen] = i
            n_chosen += 1
            kept[i] = True


@compiled
def _held_back(start: Any, end: Any, low: Any, high: Any, candidates: Any, out: Any) -> None:
    """Whether something open may come to overlap each region."""
    since, open_low, open_high = candidates
    for i in range(start.size):
        for j in range(since.size):
            near = since[j] <= end[i]
            for d in range(low.shape[1]):
                near &= open_low[j, d] <= high[i, d] and low[i, d] <= open_high[j, d]
            if near:
                out[i] = True
                break


def _best_first(regions: Regions, prefer: str) -> np.ndarray:
    """Regions from the best to the worst."""
    duration, extent = regions.end - regions.start, (regions.high - regions.low).prod(axis=1)
    better = {
        "largest": (regions.rows, duration, extent),
        "longest": (duration, extent, regions.rows),
        "widest": (extent, duration, regions.rows),
    }[prefer]
    ties = [regions.start, *regions.low.T, *regions.high.T, regions.end]
    return np.lexsort([*reversed(ties), *(-each for each in reversed(better))])


class Clusters:
    """The ended regions of one group that are not decided yet."""

    def __init__(self, prefer: str) -> None:
        self.prefer = prefer
        self.waiting: Regions | None = None

    def feed(self, ended: Regions, candidates: OpenRegions) -> Regions:
        """Take regions that have ended; returns the selection of the clusters that are closed."""
        waiting = ended if self.waiting is None else concat([self.waiting, ended])
        edges = (waiting.start, waiting.end, waiting.low, waiting.high)
        held = np.zeros(len(waiting), np.bool_)
        _held_back(*edges, (candidates.start, candidates.low, candidates.high), held)
        cluster = np.arange(len(waiting))
        _clusters(*edges, np.argsort(waiting.start, kind="stable"), cluster)
        held = np.isin(cluster, cluster[held])
        closed = waiting.take(np.flatnonzero(~held))
        self.waiting = waiting.take(np.flatnonzero(held)) if held.any() else None
        kept = np.zeros(len(closed), np.bool_)
        _choose(closed.start, closed.end, closed.low, closed.high, _best_first(closed, self.prefer), kept)
        return closed.take(np.flatnonzero(kept))

    @property
    def earliest(self) -> int | None:
        """The first start of what is not decided."""
        return None if self.waiting is None else int(self.waiting.start.min())

    def snapshot(self) -> Tree:
        """Everything that must be known to go on later."""
        return {} if self.waiting is None else self.waiting.snapshot()

    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot."""
        self.waiting = Regions.restored(tree) if tree else None
