"""Imputed reports of the points of a lattice: how many lie in any box that may still end.

A box begins where one of its points began to hold or became known, so only those columns must be kept apart: what lies
between two of them is merged, and a point never needs more entries than there are such columns.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled

_LEAST_ROOM = 16


def no_entries(n_points: int) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
    """Of each point the columns with imputed reports, how many each entry stands for, and the number of entries."""
    return np.zeros((n_points, 0), np.int64), np.zeros((n_points, 0), np.int64), np.zeros(n_points, np.int64)


def moved(entries: tuple[np.ndarray, ...], moved_to: np.ndarray, n_points: int) -> tuple[np.ndarray, ...]:
    """The entries of points that have got new numbers among more points."""
    fresh = tuple(np.zeros((n_points, *each.shape[1:]), np.int64) for each in entries)
    for old, new in zip(entries, fresh, strict=True):
        new[moved_to] = old
    return fresh


@compiled
def count_since(entries: Any, p: int, since: int) -> int:
    """How many imputed reports of a point came at this column or later."""
    at, much, size = entries
    count, k = 0, size[p] - 1
    while k >= 0 and at[p, k] >= since:
        count += much[p, k]
        k -= 1
    return count


@compiled
def note(entries: Any, p: int, column: int, starts: Any) -> Any:
    """One more imputed report of a point; the entries, with room for it. `starts` are kept apart, in order."""
    at, much, size = entries
    if size[p] == at.shape[1]:
        size[p] = _merge(at[p], much[p], starts)
        if 2 * size[p] >= at.shape[1]:
            room = max(_LEAST_ROOM, 2 * at.shape[1])
            at, much = _roomy(at, room), _roomy(much, room)
    at[p, size[p]], much[p, size[p]] = column, 1
    size[p] += 1
    return at, much, size


@compiled
def _merge(at: Any, much: Any, starts: Any) -> int:
    """Merge entries that no start separates; returns how many are left."""
    n, s = 0, 0
    for k in range(at.size):
        apart = False
        while s < starts.size and starts[s] <= at[k]:
            apart = True
            s += 1
        if n and not apart:
            much[n - 1] += much[k]
        else:
            at[n], much[n] = at[k], much[k]
            n += 1
    return n


@compiled
def _roomy(table: Any, room: int) -> Any:
    bigger = np.zeros((table.shape[0], room), np.int64)
    bigger[:, : table.shape[1]] = table
    return bigger
