"""Runs: consecutive alarms of a window are a frame, from the first of them to the last.

  rows      . . . . . . . . . . .
  w = 8         x x x       x x        two runs of the window of 8
  w = 12          x x x x x x          one of the window of 12

Open runs are kept in one table, whatever the number of windows.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import GroupIndex
from streamframes.core.batch.rows import CLOSED_BY, frame_ids, typed
from streamframes.core.batch.tree import Tree, array_at
from streamframes.core.bursts.batch import Alarms
from streamframes.core.bursts.results import Searched, thresholds_of
from streamframes.core.bursts.thresholds import Thresholds
from streamframes.core.frames.kernel import CONDITION, END_OF_DATA
from streamframes.core.jit.compiled import compiled

# Columns of a run: group, window, first and last instant, the places of its first and last row in its group.
GROUP, WINDOW, START, END, FIRST, LAST = range(6)
FIELDS = 6
# And its numbers: the largest aggregate, and the threshold.
PEAK, THRESHOLD = range(2)


@compiled
def _join(order: Any, runs: Any, peaks: Any, joined: Any, joined_peaks: Any) -> int:
    """Runs by group, window and row: one that begins right behind another extends it. Returns how many remain."""
    n = 0
    for i in order:
        last = n - 1
        if (
            n > 0
            and joined[last, GROUP] == runs[i, GROUP]
            and joined[last, WINDOW] == runs[i, WINDOW]
            and joined[last, LAST] == runs[i, FIRST] - 1
        ):
            joined[last, END], joined[last, LAST] = runs[i, END], runs[i, LAST]
            joined_peaks[last, PEAK] = max(joined_peaks[last, PEAK], peaks[i, PEAK])
        else:
            joined[n], joined_peaks[n] = runs[i], peaks[i]
            n += 1
    return n


class Runs:
    """The open runs of all groups and windows."""

    def __init__(self, ts_type: pa.DataType, schema: pa.Schema, last_tick: int, salt: int) -> None:
        self.ts_type = ts_type
        self.schema = schema
        self.last_tick = last_tick
        self.salt = salt
        self.table = np.empty((0, FIELDS), np.int64)
        self.peaks = np.empty((0, 2))

    def emit(
        self, batches: Iterator[Alarms], searched: Searched, thresholds: Thresholds, groups: GroupIndex
    ) -> Iterator[pa.RecordBatch]:
        """The runs that a feed closes: all that its last rows do not extend."""
        for found in batches:
            yield from self._merge(found, searched, thresholds, groups)
        latest = np.full(len(groups), -1)
        np.maximum.at(latest, searched.group, searched.number)
        over = self.table[:, LAST] < latest[self.table[:, GROUP]]
        yield from self._close(over, CONDITION, groups)

    def _merge(
        self, found: Alarms, searched: Searched, thresholds: Thresholds, groups: GroupIndex
    ) -> Iterator[pa.RecordBatch]:
        """Join open runs and alarms, each a run of one row; what a later run of its window follows is closed."""
        rows = found.rows
        fields = {GROUP: searched.group[rows], WINDOW: thresholds.lengths[found.which]}
        fields |= {START: searched.ts[rows], FIRST: searched.number[rows]}
        fields |= {END: fields[START], LAST: fields[FIRST]}
        fresh = np.stack([fields[field] for field in range(FIELDS)], axis=1)
        alarms = np.stack([found.values, thresholds_of(found, searched, thresholds)], axis=1)
        runs, peaks = np.concatenate([self.table, fresh]), np.concatenate([self.peaks, alarms])
        order = np.lexsort((runs[:, FIRST], runs[:, WINDOW], runs[:, GROUP]))
        joined, joined_peaks = np.empty_like(runs), np.empty_like(peaks)
        n = _join(order, runs, peaks, joined, joined_peaks)
        self.table, self.peaks = joined[:n].copy(), joined_peaks[:n].copy()
        behind = np.append((self.table[1:, :2] == self.table[:-1, :2]).all(axis=1), False)
        yield from self._close(behind, CONDITION, groups)

    def finish(self, groups: GroupIndex) -> Iterator[pa.RecordBatch]:
        """The runs that the end of the data closes."""
        yield from self._close(np.ones(self.table.shape[0], np.bool_), END_OF_DATA, groups)

    def _close(self, over: np.ndarray, reason: int, groups: GroupIndex) -> Iterator[pa.RecordBatch]:
        if not over.any():
            return
        closed, peaks = self.table[over], self.peaks[over]
        self.table, self.peaks = self.table[~over], self.peaks[~over]
        ids = frame_ids(
            self.salt, groups.first[closed[:, GROUP]], closed[:, START], closed[:, WINDOW], closed[:, FIRST]
        )  # fmt: skip
        columns = [
            *groups.values(closed[:, GROUP]),
            pa.array(ids),
            typed(pa.array(closed[:, START]), self.ts_type),
            typed(pa.array(closed[:, END] + self.last_tick), self.ts_type),
            pa.array(closed[:, LAST] - closed[:, FIRST] + 1),
            pa.array(CLOSED_BY).take(pa.array(np.full(closed.shape[0], reason))),
            pa.array(closed[:, WINDOW]),
            pa.array(peaks[:, PEAK]),
            pa.array(peaks[:, THRESHOLD]),
        ]
        yield pa.RecordBatch.from_arrays(columns, schema=self.schema)

    def drop(self, window: int, groups: GroupIndex) -> Iterator[pa.RecordBatch]:
        """The runs of a window that is watched no more."""
        yield from self._close(self.table[:, WINDOW] == window, CONDITION, groups)

    def min_unreported_start(self, starts: np.ndarray) -> np.ndarray:
        """For each group the instant before which no further run starts."""
        starts = starts.copy()
        np.minimum.at(starts, self.table[:, GROUP], self.table[:, START])
        return starts

    def retain(self, place: np.ndarray) -> None:
        """Give groups their new numbers; those that are forgotten have none."""
        stays = place[self.table[:, GROUP]] >= 0
        self.table, self.peaks = self.table[stays], self.peaks[stays]
        self.table[:, GROUP] = place[self.table[:, GROUP]]

    def snapshot(self) -> Tree:
        """The open runs."""
        return {"table": self.table, "peaks": self.peaks}

    def restore(self, tree: Tree) -> None:
        """The runs of a snapshot."""
        self.table, self.peaks = array_at(tree, "table").copy(), array_at(tree, "peaks").copy()
