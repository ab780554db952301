"""Feeds: what reaches a search at once, rows of many groups as numbers."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from streamframes.core.jit.compiled import compiled

NO_SKIPS = np.empty(0, np.int64)


class Fed(NamedTuple):
    """Values of groups: `bounds[k]` up to `bounds[k + 1]` are those of `groups[k]`, in order.

    `skips` says how many zeros have been left out before a value; it is empty where none have.
    """

    groups: np.ndarray
    bounds: np.ndarray
    values: np.ndarray
    skips: np.ndarray = NO_SKIPS

    def chosen(self, keep: np.ndarray) -> Fed:
        """The values where `keep` holds."""
        before = np.concatenate([[0], np.cumsum(keep)])
        counts = np.diff(before[self.bounds])
        bounds = np.concatenate([[0], np.cumsum(counts[counts > 0])])
        return Fed(
            self.groups[counts > 0], bounds, self.values[keep], self.skips[keep] if self.skips.size else NO_SKIPS
        )


class Alarms(NamedTuple):
    """Windows that reached their thresholds: the row of the feed, the number of the window, the aggregate."""

    rows: np.ndarray
    which: np.ndarray
    values: np.ndarray


def no_alarms() -> Alarms:
    """Room for some alarms."""
    size = 1 << 12
    return Alarms(np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size))


@compiled
def with_room(alarms: Any, n: int, more: int) -> Any:
    """The alarms, with room for more and one to spare."""
    rows, which, values = alarms
    if n + more < rows.size:
        return alarms
    size = 2 * (n + more)
    new_rows, new_which, new_values = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.float64)
    for i in range(n):
        new_rows[i], new_which[i], new_values[i] = rows[i], which[i], values[i]
    return new_rows, new_which, new_values
