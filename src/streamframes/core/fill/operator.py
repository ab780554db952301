"""The operator of filling: rows are fed, frames are taken, and every frame gets the rows that it holds.

  frames ──> taken ──> pending ──┐
                                 ├──> filled frames, or tagged rows
  rows ────> fed ────> row buffer┘     rows that frames which come later may hold

In a table, and where all frames are given, a row is needed only once. Where frames are found in a stream they come
after their rows: the rows are kept until no frame that could hold them can still come.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from streamframes.core.batch.clock import MAX_INSTANT
from streamframes.core.batch.groups import GroupIndex
from streamframes.core.batch.reorder_buffer import in_order
from streamframes.core.batch.rows import Rows, gather, no_rows
from streamframes.core.batch.tree import Tree, tree_at
from streamframes.core.fill.pending_frames import FIRST_LONG, GROUP, LOW, NEVER, PendingFrames
from streamframes.core.fill.plan import FRAMES, FillSpec
from streamframes.core.fill.row_buffer import RowBuffer
from streamframes.core.operator.protocol import NO_WATERMARKS, Operator, OperatorPlan
from streamframes.core.operator.store import Store

# For each group the instant before which no frame starts, or grows, that is still to be taken.
LaterFrames = Callable[[], np.ndarray]


@dataclass(frozen=True)
class FillPlan(FillSpec, OperatorPlan):
    """The plan of filling."""

    @property
    def needs_watermarks(self) -> bool:
        """A frame is complete once the rows up to its end have been fed."""
        return True

    def operator(self, *, live: bool = False) -> FillOperator:
        """The plan at work on the groups of one bucket."""
        return FillOperator(self)


class FillOperator(Operator):
    """Frames of one bucket and their rows; `later_frames` says where frames are still to come for rows that are fed."""

    def __init__(self, plan: FillSpec, later_frames: LaterFrames | None = None, store: Store | None = None) -> None:
        self.plan = plan
        self.groups = GroupIndex(plan.keys)
        self.later_frames = later_frames
        self.rows = None if store is None else RowBuffer(store, self.groups)
        self._pending = PendingFrames(plan, self.groups)
        self._taken: list[Rows] = []

    @property
    def pending(self) -> PendingFrames:
        """The frames that wait, with those that were taken last."""
        taken, self._taken = self._taken, []
        # Fragments of one frame must come one after the other.
        for some in [[rows] for rows in taken] if self.plan.fragments else [taken] if taken else []:
            frames = [pa.RecordBatch.from_arrays(rows.columns, schema=self.plan.frames) for rows in some]
            self._pending.add(pa.concat_batches(frames), np.concatenate([rows.group_of_row for rows in some]))
        return self._pending

    def take(self, rows: Rows, input_number: int) -> None:
        """Take frames, or rows that are all there before the first frame comes."""
        if input_number == FRAMES:
            self._taken.append(rows)
        elif self.rows is not None:
            self.rows.put(rows)

    @property
    def is_selective(self) -> bool:
        """Whether rows that are in no frame can be left out: all frames that could hold them have been taken."""
        return self.later_frames is None

    def wanted(self, rows: Rows) -> np.ndarray:
        """Which rows are in a frame."""
        return self.pending.hold(rows)

    def feed(self, rows: Rows, watermarks: np.ndarray = NO_WATERMARKS) -> list[pa.RecordBatch]:
        """The frames that the watermarks complete, or the rows that are in frames."""
        if not watermarks.size:
            watermarks = np.full(len(self.groups), FIRST_LONG)
        pending = self.pending
        if self.later_frames is None or self.rows is None:
            return pending.fill(rows, watermarks)
        kept = self.rows.look(*pending.lacking(watermarks))
        before = [each.filter((each.ts < watermarks[each.group_of_row]) & pending.hold(each)) for each in kept]
        results = pending.fill(in_order(gather([*before, rows])) if before else rows, watermarks)
        useful_from = self.later_frames()
        self.rows.put(rows.filter(rows.ts >= useful_from[rows.group_of_row]))
        self.rows.purge(useful_from)
        return results

    def finish(self) -> list[pa.RecordBatch]:
        """The frames that the end of the data completes."""
        return self.pending.fill(no_rows(self.plan.columns), np.full(len(self.groups), NEVER))

    def min_unreported_start(self, watermarks: np.ndarray) -> np.ndarray:
        """For each group the first instant of a frame that waits or may still come."""
        starts = np.full(watermarks.size, MAX_INSTANT) if self.later_frames is None else self.later_frames().copy()
        table = self.pending.table
        np.minimum.at(starts, table[:, GROUP], table[:, LOW])
        return starts

    def idle_groups(self) -> np.ndarray:
        """For each group whether it has neither frames nor rows."""
        idle = np.ones(len(self.groups), np.bool_)
        idle[self.pending.table[:, GROUP]] = False
        if self.rows is not None:
            idle[self.rows.busy_groups] = False
        return idle

    def retain(self, numbers: np.ndarray) -> None:
        """Forget all groups but these, which are numbered anew in this order."""
        place = np.full(len(self.groups), -1)
        place[numbers] = np.arange(numbers.size)
        self.pending.renumber(place)
        if self.rows is not None:
            self.rows.renumber(place)
        self.groups.retain(numbers)

    def figures(self) -> dict[str, int]:
        """Frames that wait, and rows that are kept."""
        return {"open": len(self.pending), "held": 0 if self.rows is None else self.rows.n_rows}

    def snapshot(self) -> Tree:
        """The whole state; rows are in the store."""
        rows: Tree = {} if self.rows is None else self.rows.snapshot()
        return {"groups": self.groups.snapshot(), "pending": self.pending.snapshot(), "rows": rows}

    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot of the same plan."""
        self.groups.restore(tree_at(tree, "groups"))
        self._pending.restore(tree_at(tree, "pending"))
        if self.rows is not None:
            self.rows.restore(tree_at(tree, "rows"))
