"""Silent groups: with `max_gap`, time alone ends the frame of a group that has sent nothing for too long."""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.batch.rows import Rows
from streamframes.core.frames.kernel import NO_LIMIT, SKIP
from streamframes.core.jit.compiled import compiled
from streamframes.core.operator.group_state import GroupState

_NEVER, _HEARD, _TOLD = range(3)


@compiled
def _watch(groups: Any, bounds: Any, ts: Any, mark: Any, heard: Any, last: Any) -> None:
    for k in range(groups.size):
        for i in range(bounds[k + 1] - 1, bounds[k] - 1, -1):
            if not (mark.size and mark[i] & SKIP):
                heard[groups[k]] = _HEARD
                last[groups[k]] = ts[i]
                break


class Silence(GroupState):
    """When each group was last heard, and whether it has been told that it is silent."""

    per_group = ("heard", "last")

    def __init__(self, max_gap: np.uint64) -> None:
        self.max_gap = max_gap
        self.heard = np.zeros(0, np.uint8)
        self.last = np.zeros(0, np.int64)

    def watch(self, rows: Rows, n_groups: int) -> None:
        """Hear rows; a row that the scheme skips does not count."""
        self.grow(n_groups)
        _watch(rows.groups, rows.bounds, rows.ts, rows.mark, self.heard, self.last)

    def find(self, points: np.ndarray) -> np.ndarray:
        """The groups that have fallen silent, each once."""
        if self.max_gap == NO_LIMIT:
            return np.empty(0, np.int64)
        last = self.last[: points.size]
        far = (points > last) & ((points - last).view(np.uint64) > self.max_gap)
        groups = np.flatnonzero(far & (self.heard[: points.size] == _HEARD))
        self.heard[groups] = _TOLD
        return groups
