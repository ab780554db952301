"""Membership: which frame each row is in, if any; rows wait until that is decided.

A row of a run that is still too small to be a frame is held; when the run has become one, or has ended without,
the row goes on with the frame's id or without.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from streamframes.core.batch.rows import Rows, gather
from streamframes.core.batch.tree import Tree, array_at
from streamframes.core.frames.kernel import RUN_FRESH, RUN_ORDINAL
from streamframes.core.frames.scanner import Runs, lane_ids
from streamframes.core.operator.group_state import grown, renumbered, stays
from streamframes.core.operator.state_codec import rows_as_tree, rows_of_tree

_OUTSIDE, _INSIDE, _UNDECIDED = 0, 1, 2
# Rows that wait, with what is decided of each (row, lane), and the id of its run.
Held: TypeAlias = tuple[Rows, np.ndarray, np.ndarray]


@dataclass
class MemberRows:
    """Rows whose frames are known: `inside[row, lane]` says whether they are in a frame, `ids[row, lane]` in which."""

    rows: Rows
    inside: np.ndarray
    ids: np.ndarray

    def chosen(self, keep: np.ndarray) -> MemberRows:
        """The rows where `keep` holds."""
        return MemberRows(self.rows.filter(keep), self.inside[keep], self.ids[keep])


@dataclass
class Membership:
    """The rows that wait, with what is decided for each lane, and the run that is open in each (group, lane)."""

    n_lanes: int
    held: list[Held] = field(default_factory=list)
    _status: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int8))
    _ids: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))

    def feed(self, rows: Rows, run_of_row: np.ndarray, runs: Runs, ids: np.ndarray, n_groups: int) -> list[MemberRows]:
        """What can go on now: first rows that waited, then new ones, so that each group stays in order."""
        undecided = np.where(runs.is_open, _UNDECIDED, _OUTSIDE)
        of_run = np.where(runs.table[:, RUN_ORDINAL] >= 0, _INSIDE, undecided).astype(np.int8)
        self._decide(runs, of_run, ids, n_groups)
        in_run = run_of_row >= 0
        status = np.where(in_run, of_run[np.where(in_run, run_of_row, 0)] if of_run.size else _OUTSIDE, _OUTSIDE)
        row_ids = np.where(in_run, ids[np.where(in_run, run_of_row, 0)] if ids.size else 0, 0)
        return [*self._release(), *self._hold(rows, status.astype(np.int8), row_ids)]

    def finish(self, runs: Runs, ids: np.ndarray, n_groups: int) -> list[MemberRows]:
        """The rows that still wait: the data has ended, and with it every run."""
        of_run = np.where(runs.table[:, RUN_ORDINAL] >= 0, _INSIDE, _OUTSIDE)
        self._decide(runs, of_run.astype(np.int8), ids, n_groups)
        return self._release()

    def snapshot(self) -> list[Tree]:
        """The rows that wait, with what is decided."""
        return [{**rows_as_tree(rows), "status": status, "ids": ids} for rows, status, ids in self.held]

    def restore(self, trees: list[Tree]) -> None:
        """Go on from what was saved."""
        self.held = [(rows_of_tree(tree), array_at(tree, "status"), array_at(tree, "ids")) for tree in trees]

    def retain(self, place: np.ndarray) -> None:
        """Groups have got new numbers; rows of those that have none are dropped."""
        self.held = _renumbered(self.held, place)

    def adopt(self, place: np.ndarray, other: Membership, theirs: np.ndarray) -> None:
        """Hold the rows that another holds of groups; see `GroupState.adopt_held`."""
        self.held = _renumbered(self.held, place) + _renumbered(other.held, theirs)

    def _decide(self, runs: Runs, of_run: np.ndarray, ids: np.ndarray, n_groups: int) -> None:
        """What has become of the runs that rows wait for; a lane whose run is not among these is undecided."""
        self._status = grown(self._status, n_groups * self.n_lanes)
        self._ids = grown(self._ids, n_groups * self.n_lanes)
        self._status[:] = _UNDECIDED
        goes_on = runs.table[:, RUN_FRESH] == 0
        lane_id = lane_ids(runs, self.n_lanes)[goes_on]
        self._status[lane_id] = of_run[goes_on]
        self._ids[lane_id] = ids[goes_on]

    def _release(self) -> list[MemberRows]:
        waiting, self.held = self.held, []
        released: list[MemberRows] = []
        for rows, status, ids in waiting:
            lane_id = rows.group_of_row[:, None] * self.n_lanes + np.arange(self.n_lanes)
            undecided = status == _UNDECIDED
            status = np.where(undecided, self._status[lane_id], status)
            released += self._hold(rows, status, np.where(undecided, self._ids[lane_id], ids))
        return released

    def _hold(self, rows: Rows, status: np.ndarray, ids: np.ndarray) -> list[MemberRows]:
        """Hold the rows that are undecided in any lane; returns the others."""
        decided = (status != _UNDECIDED).all(axis=1)
        if not decided.all():
            self.held.append((rows.filter(~decided), status[~decided], ids[~decided]))
        if not decided.any():
            return []
        return [MemberRows(rows.filter(decided), status[decided] == _INSIDE, ids[decided])]


def _renumbered(held: list[Held], place: np.ndarray) -> list[Held]:
    kept = [(rows, stays(rows, place), status, ids) for rows, status, ids in held]
    return [(renumbered(rows, place), status[here], ids[here]) for rows, here, status, ids in kept if here.any()]


def gathered(parts: list[MemberRows]) -> MemberRows:
    """Several batches as one, each group's rows in order."""
    if len(parts) == 1:
        return parts[0]
    numbered: list[Rows] = []
    start = 0
    for part in parts:
        numbered.append(_with_numbers(part.rows, start))
        start += len(part.rows)
    rows = gather(numbered)
    order = rows.columns[-1].to_numpy()
    inside = np.concatenate([part.inside for part in parts])[order]
    ids = np.concatenate([part.ids for part in parts])[order]
    return MemberRows(Rows(rows.groups, rows.bounds, rows.ts, rows.columns[:-1], rows.mark), inside, ids)


def _with_numbers(rows: Rows, start: int) -> Rows:
    numbers = pa.array(np.arange(start, start + len(rows)))
    return Rows(rows.groups, rows.bounds, rows.ts, [*rows.columns, numbers], rows.mark)
