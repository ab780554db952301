"""Idle groups: with `max_gap`, time alone ends the frame of a group that has sent nothing for too long."""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.batch.rows import Rows
from streamframes.core.frames.kernel import NO_LIMIT, SKIP
from streamframes.core.jit.compiled import compiled
from streamframes.core.operator.group_state import GroupState

_NO_ROW, _ACTIVE, _TIMED_OUT = range(3)


@compiled
def _note_last(groups: Any, bounds: Any, ts: Any, mark: Any, status: Any, last: Any) -> None:
    for k in range(groups.size):
        for i in range(bounds[k + 1] - 1, bounds[k] - 1, -1):
            if not (mark.size and mark[i] & SKIP):
                status[groups[k]] = _ACTIVE
                last[groups[k]] = ts[i]
                break


class Idleness(GroupState):
    """The instant of each group's last row, and whether the group has timed out since."""

    per_group = ("status", "last")

    def __init__(self, max_gap: np.uint64) -> None:
        self.max_gap = max_gap
        self.status = np.zeros(0, np.uint8)
        self.last = np.zeros(0, np.int64)

    def note(self, rows: Rows, n_groups: int) -> None:
        """Note the last rows of groups; a row that the scheme skips does not count."""
        self.grow(n_groups)
        _note_last(rows.groups, rows.bounds, rows.ts, rows.mark, self.status, self.last)

    def timed_out(self, watermarks: np.ndarray) -> np.ndarray:
        """The groups whose last row lies further than `max_gap` behind their watermark, each once."""
        if self.max_gap == NO_LIMIT:
            return np.empty(0, np.int64)
        last = self.last[: watermarks.size]
        far = (watermarks > last) & ((watermarks - last).view(np.uint64) > self.max_gap)
        groups = np.flatnonzero(far & (self.status[: watermarks.size] == _ACTIVE))
        self.status[groups] = _TIMED_OUT
        return groups
