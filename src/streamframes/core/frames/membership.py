"""Settling: rows wait until it is known which frame they are in, if any.

A row of a run that is still too small to be a frame is held; when the run has become one, or has ended without,
the row goes on with the frame's id or without.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.batch.rows import Rows, gather
from streamframes.core.frames.kernel import RUN_FRESH, RUN_ORDINAL
from streamframes.core.frames.scanner import Runs, slots
from streamframes.core.operator.group_state import grown, renumbered
from streamframes.core.operator.state_codec import rows_as_tree, rows_of_tree

NONE, KNOWN, UNKNOWN = 0, 1, 2


@dataclass
class Settled:
    """Rows whose frames are known: `inside[row, lane]` says whether there is one, `ids[row, lane]` which."""

    rows: Rows
    inside: np.ndarray
    ids: np.ndarray

    def chosen(self, keep: np.ndarray) -> Settled:
        """The rows where `keep` holds."""
        return Settled(self.rows.filter(keep), self.inside[keep], self.ids[keep])


@dataclass
class Settlement:
    """The rows that wait, with what is known of each lane, and the run that a group's lane is in."""

    n_lanes: int
    held: list[tuple[Rows, np.ndarray, np.ndarray]] = field(default_factory=list)
    fate: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int8))
    fate_id: np.ndarray = field(default_factory=lambda: np.zeros(0, np.int64))

    def feed(self, rows: Rows, run_of_row: np.ndarray, runs: Runs, ids: np.ndarray, n_groups: int) -> list[Settled]:
        """What can go on now: first rows that waited, then new ones, so that each group stays in order."""
        fate = np.where(runs.table[:, RUN_ORDINAL] >= 0, KNOWN, np.where(runs.is_open, UNKNOWN, NONE))
        self._decide(runs, fate.astype(np.int8), ids, n_groups)
        inside = run_of_row >= 0
        status = np.where(inside, fate[np.where(inside, run_of_row, 0)] if fate.size else NONE, NONE)
        row_ids = np.where(inside, ids[np.where(inside, run_of_row, 0)] if ids.size else 0, 0)
        return [*self._release(), *self._hold(rows, status.astype(np.int8), row_ids)]

    def finish(self, runs: Runs, ids: np.ndarray, n_groups: int) -> list[Settled]:
        """The rest: the data has ended, and with it every run."""
        self._decide(runs, np.where(runs.table[:, RUN_ORDINAL] >= 0, KNOWN, NONE).astype(np.int8), ids, n_groups)
        return self._release()

    def snapshot(self) -> list[dict[str, Any]]:
        """The rows that wait, with what is known of them."""
        return [{**rows_as_tree(rows), "status": status, "ids": ids} for rows, status, ids in self.held]

    def restore(self, saved: list[dict[str, Any]]) -> None:
        """Go on from what was saved."""
        self.held = [(rows_of_tree(tree), tree["status"], tree["ids"]) for tree in saved]

    def retain(self, place: np.ndarray) -> None:
        """Groups have got new numbers."""
        self.held = [(renumbered(rows, place), status, ids) for rows, status, ids in self.held]

    def _decide(self, runs: Runs, fate: np.ndarray, ids: np.ndarray, n_groups: int) -> None:
        """What has become of the runs that rows are waiting for; a lane without news keeps them waiting."""
        self.fate = grown(self.fate, n_groups * self.n_lanes)
        self.fate_id = grown(self.fate_id, n_groups * self.n_lanes)
        self.fate[:] = UNKNOWN
        goes_on = runs.table[:, RUN_FRESH] == 0
        slot = slots(runs, self.n_lanes)[goes_on]
        self.fate[slot] = fate[goes_on]
        self.fate_id[slot] = ids[goes_on]

    def _release(self) -> list[Settled]:
        waiting, self.held = self.held, []
        settled: list[Settled] = []
        for rows, status, ids in waiting:
            slot = rows.group_of_row[:, None] * self.n_lanes + np.arange(self.n_lanes)
            unknown = status == UNKNOWN
            status = np.where(unknown, self.fate[slot], status)
            settled += self._hold(rows, status, np.where(unknown, self.fate_id[slot], ids))
        return settled

    def _hold(self, rows: Rows, status: np.ndarray, ids: np.ndarray) -> list[Settled]:
        known = (status != UNKNOWN).all(axis=1)
        if not known.all():
            self.held.append((rows.filter(~known), status[~known], ids[~known]))
        return [Settled(rows.filter(known), status[known] == KNOWN, ids[known])] if known.any() else []


def joined(settled: list[Settled]) -> Settled:
    """Several batches as one, each group's rows in order."""
    if len(settled) == 1:
        return settled[0]
    numbered: list[Rows] = []
    start = 0
    for part in settled:
        numbered.append(_with_numbers(part.rows, start))
        start += len(part.rows)
    rows = gather(numbered)
    order = rows.columns[-1].to_numpy()
    inside = np.concatenate([part.inside for part in settled])[order]
    ids = np.concatenate([part.ids for part in settled])[order]
    return Settled(Rows(rows.groups, rows.bounds, rows.ts, rows.columns[:-1], rows.mark), inside, ids)


def _with_numbers(rows: Rows, start: int) -> Rows:
    numbers = pa.array(np.arange(start, start + len(rows)))
    return Rows(rows.groups, rows.bounds, rows.ts, [*rows.columns, numbers], rows.mark)
