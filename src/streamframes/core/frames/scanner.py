"""The scan of a scheme: rows in order in, runs out, and the state of every group in between.

State is a value: arrays indexed by group number, which grow as groups appear. The loop itself is in `kernel`.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

from streamframes.core.batch.rows import Rows
from streamframes.core.frames.kernel import (
    END,
    END_OF_DATA,
    IMPUTED,
    KERNELS,
    LANE_FIELDS,
    LAST_START,
    OPEN,
    REPORTED,
    ROWS,
    RUN_FIELDS,
    RUN_GROUP,
    RUN_LANE,
    RUN_ORDINAL,
    RUN_REASON,
    START,
    STILL_OPEN,
    Limits,
)
from streamframes.core.jit.buffers import empty
from streamframes.core.operator.group_state import GroupState
from streamframes.core.schemes.base import Compiled
from streamframes.errors import StreamFramesError


@dataclass
class Runs:
    """The runs of one scan: a row of `kernel.RUN_FIELDS` numbers each, and the own state with which each began."""

    table: np.ndarray
    own: np.ndarray

    @property
    def is_frame(self) -> np.ndarray:
        """Closed, and large enough."""
        return np.asarray((self.table[:, RUN_REASON] != STILL_OPEN) & (self.table[:, RUN_ORDINAL] >= 0))

    @property
    def is_open(self) -> np.ndarray:
        """Open at the end of the rows."""
        return np.asarray(self.table[:, RUN_REASON] == STILL_OPEN)


class Scan(GroupState):
    """One scheme at work on many groups."""

    per_group = ("lanes", "last", "own")

    def __init__(self, scheme: Compiled, limits: Limits, *, wants_rows: bool) -> None:
        self.scheme = scheme
        self.limits = limits
        self.wants_rows = wants_rows
        self.lanes = np.zeros((0, scheme.lanes, LANE_FIELDS), np.int64)
        self.last = np.zeros((0, 2), np.int64)
        self.own = np.zeros((0, scheme.lanes, scheme.width), scheme.state or np.float64)

    def feed(self, rows: Rows, x: np.ndarray, n_groups: int) -> tuple[Runs, np.ndarray]:
        """Scan rows in order; returns the runs, and the run of each (row, lane) or -1 if that is wanted."""
        self._make_room(n_groups, x)
        n_lanes, width = self.scheme.lanes, self.scheme.width
        room = (len(rows) + rows.groups.size) * n_lanes
        runs = empty(room * RUN_FIELDS, np.int64).reshape(room, RUN_FIELDS)
        run_own = np.empty((room if self.scheme.cell else 0, width), self.own.dtype)
        run_of_row = np.empty((len(rows) if self.wants_rows else 0, n_lanes), np.int64)
        state = (self.lanes, self.own, self.last)
        # Instants that may be written to would be another type, for which Numba would compile the kernel anew.
        ts = rows.ts.view()
        ts.flags.writeable = False
        inputs = (self.scheme.rule, self.limits, x, ts, rows.mark, rows.groups, rows.bounds)
        n_runs = KERNELS[self.scheme.kernel](*inputs, *state, runs, run_own, run_of_row)
        met = Runs(runs[:n_runs], run_own[:n_runs])
        if self.scheme.overflow and (met.table[:, RUN_LANE] == n_lanes - 1).any():
            raise StreamFramesError(self.scheme.overflow)
        return met, run_of_row

    def finish(self) -> Runs:
        """Close every open frame: the data has ended."""
        groups, lanes = np.nonzero(self.lanes[:, :, OPEN])
        records = self.lanes[groups, lanes]
        long_enough = (records[:, END] - records[:, START]).view(np.uint64) >= self.limits.min_duration
        reportable = long_enough & (records[:, ROWS] >= self.limits.min_rows)
        ordinal = np.where(records[:, LAST_START] == records[:, START], records[:, REPORTED], 0)
        ordinal = np.where(reportable, ordinal, -1)
        reason, goes_on = np.full(groups.size, END_OF_DATA), np.zeros(groups.size, np.int64)
        interval = [records[:, START], records[:, END], records[:, ROWS], records[:, IMPUTED]]
        table = np.stack([groups, lanes, *interval, reason, ordinal, goes_on], axis=1)
        self.lanes[:, :, OPEN] = 0
        return Runs(table.reshape(-1, RUN_FIELDS), self.own[groups, lanes])

    def adopt(self, numbers: np.ndarray, arrays: dict[str, np.ndarray]) -> None:
        """Take the state of groups from another scan; one that has scalars knows their type of number."""
        if arrays["own"].any():
            self.own = self.own.astype(arrays["own"].dtype, copy=False)
        super().adopt(numbers, arrays)

    @property
    def is_open(self) -> np.ndarray:
        """Whether each (group, lane) has an open frame."""
        return np.asarray(self.lanes[:, :, OPEN] != 0)

    def _make_room(self, n_groups: int, x: np.ndarray) -> None:
        if self.scheme.state is None and self.own.dtype != x.dtype:
            self.own = self.own.astype(x.dtype)
        self.grow(n_groups)


def lane_ids(runs: Runs, n_lanes: int) -> np.ndarray:
    """The number of each run's (group, lane)."""
    return np.asarray(runs.table[:, RUN_GROUP] * n_lanes + runs.table[:, RUN_LANE])
