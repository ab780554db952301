"""Fragments: what is certain of a frame before it has ended.

rows       x x x x x x x x         a frame, released in three steps
fragments  [0  ]                   certain as soon as its minimums are met
           [1      ]               grown
           [2          ]           final, equal to the frame
"""

from __future__ import annotations

import numpy as np

from streamframes.core.frames.kernel import RUN_FRESH, RUN_ORDINAL, RUN_ROWS
from streamframes.core.frames.scanner import Runs, lane_ids
from streamframes.core.operator.group_state import GroupState
from streamframes.core.schemes.base import Compiled

_NUMBER, _ROWS = range(2)


class Fragments(GroupState):
    """For each open frame how many fragments have been emitted, and with how many rows."""

    per_group = ("emitted",)

    def __init__(self, scheme: Compiled) -> None:
        self.scheme = scheme
        self.emitted = np.zeros((0, scheme.lanes, 2), np.int64)

    def feed(self, runs: Runs, n_groups: int) -> tuple[np.ndarray, np.ndarray]:
        """Which runs are emitted now, as frames or fragments, and their fragment numbers."""
        self.grow(n_groups)
        emitted = self.emitted.reshape(-1, 2)
        lane_id, fresh = lane_ids(runs, self.scheme.lanes), runs.table[:, RUN_FRESH] != 0
        before = np.where(fresh[:, None], 0, emitted[lane_id])
        certain = runs.is_open & (runs.table[:, RUN_ORDINAL] >= 0) & (not self.scheme.certain_when_closed)
        grows = certain & (runs.table[:, RUN_ROWS] > before[:, _ROWS])
        emitted[lane_id[fresh]] = 0
        emitted[lane_id[grows], _NUMBER] = before[grows, _NUMBER] + 1
        emitted[lane_id[grows], _ROWS] = runs.table[grows, RUN_ROWS]
        return runs.is_frame | grows, before[:, _NUMBER]

    def has_emitted(self, n_groups: int) -> np.ndarray:
        """Whether a fragment of the frame in each (group, lane) has been emitted."""
        self.grow(n_groups)
        return np.asarray(self.emitted[:n_groups, :, _NUMBER] > 0)
