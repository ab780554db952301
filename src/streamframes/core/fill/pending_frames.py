"""Pending frames: those that wait for rows, and what has been added up for each of them.

  frames     [-----)   [--------)  ...      wait, sorted by group and start
  rows        . . .  .  . . . .             come in order, and are added to every frame that holds them
  watermark  ---------->                    all rows before it have come: frames that end before it are complete

A frame is a row of `table`, in ticks, beside its columns in `frames`. Rows are added in their order, so that a
measure is the same however frames and rows were cut into batches.
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from streamframes.core.batch.clock import MIN_INSTANT
from streamframes.core.batch.groups import GroupIndex
from streamframes.core.batch.packer import counting_order
from streamframes.core.batch.rows import Rows, tagged
from streamframes.core.batch.tree import Tree, array_at, tree_at, trees_at
from streamframes.core.fill.kernel import held, pair
from streamframes.core.fill.plan import FillSpec
from streamframes.core.frames.edges import edges
from streamframes.core.frames.measures import Carry, accumulators

# Columns of the table: the group, first and last instant, before which instant rows have been added, how many, whether
# the last instant is final, how many fragments were emitted and up to which instant, whether measures have begun.
GROUP, LOW, HIGH, DONE, ADDED, FINAL, EMITTED, EMITTED_HIGH, BEGUN = range(9)
FIELDS = 9
# As a watermark: all rows have come.
NEVER = 2**63 - 1
FIRST_LONG = -(2**63)


class PendingFrames:
    """The frames of one bucket that wait for rows of their groups."""

    def __init__(self, plan: FillSpec, groups: GroupIndex) -> None:
        self.plan = plan
        self.groups = groups
        self.frames = pa.RecordBatch.from_pylist([], schema=plan.frames)
        self.table = np.empty((0, FIELDS), np.int64)
        self.measures = accumulators(plan.measures, 1)
        self._sorted: tuple[np.ndarray, np.ndarray] | None = None

    def __len__(self) -> int:
        return int(self.table.shape[0])

    def add(self, frames: pa.RecordBatch, groups: np.ndarray) -> None:
        """Let frames wait, of groups by number; with fragments, a frame that is known has grown."""
        low, high, there = edges(frames, self.plan.prefix)
        fresh = np.zeros((frames.num_rows, FIELDS), np.int64)
        fresh[:, GROUP] = groups
        fresh[:, LOW] = np.where(there, low, 0)
        fresh[:, HIGH] = np.where(there, high, MIN_INSTANT)
        fresh[:, DONE] = fresh[:, EMITTED_HIGH] = FIRST_LONG
        fresh[:, FINAL] = _flags(frames.column(f"{self.plan.prefix}final")) if self.plan.fragments else True
        position = self._positions(frames) if self.plan.fragments else np.full(frames.num_rows, -1)
        known = position >= 0
        for field in (HIGH, FINAL):
            self.table[position[known], field] = fresh[known, field]
        place = np.arange(len(self) + int((~known).sum()))
        place[position[known]] = len(self) + np.flatnonzero(known)
        place[len(self) :] = len(self) + np.flatnonzero(~known)
        self.frames = pa.concat_batches([self.frames, frames]).take(pa.array(place))
        self.table = np.concatenate([self.table, fresh[~known]])
        self._sorted = None

    def _positions(self, frames: pa.RecordBatch) -> np.ndarray:
        """Where a frame waits already, or -1."""
        name = f"{self.plan.prefix}id"
        waiting, ids = (_ids(batch.column(name)) for batch in (self.frames, frames))
        if not waiting.size:
            return np.full(ids.size, -1)
        order = np.argsort(waiting, kind="stable")
        at = order[np.minimum(np.searchsorted(waiting[order], ids), waiting.size - 1)]
        return np.where(waiting[at] == ids, at, -1)

    def hold(self, rows: Rows) -> np.ndarray:
        """Whether each row is in any waiting frame; each group's rows are in order."""
        order, first = self._by_start()
        out = np.zeros(len(rows), np.bool_)
        held(rows.groups, rows.bounds, rows.ts, first, self.table[order, LOW], self.table[order, HIGH], out)
        return out

    def lacking(self, watermarks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For each group the first and last instant at which frames may lack rows from before its watermark."""
        low, high = np.full(len(self.groups), NEVER), np.full(len(self.groups), MIN_INSTANT)
        table = self.table
        lacks = table[table[:, DONE] <= np.minimum(table[:, HIGH], watermarks[table[:, GROUP]] - 1)]
        np.minimum.at(low, lacks[:, GROUP], np.maximum(lacks[:, LOW], lacks[:, DONE]))
        np.maximum.at(high, lacks[:, GROUP], lacks[:, HIGH])
        return low, high

    def fill(self, rows: Rows, watermarks: np.ndarray) -> list[pa.RecordBatch]:
        """Add rows, in order, to the frames that hold them; no other row before the watermarks will come."""
        upto = watermarks[self.table[:, GROUP]]
        frame, row = self._pairs(rows)
        added = np.bincount(frame, minlength=len(self))
        self.table[:, ADDED] += added
        self.table[:, DONE] = np.maximum(self.table[:, DONE], np.minimum(_next(self.table[:, HIGH]), upto))
        taken = _taken(rows, frame, row)
        # Frames of which all rows that are certain have come.
        passed = (self.table[:, HIGH] < upto) | (upto == NEVER)
        results = self._tagged(taken) if self.plan.tags else self._measured(taken, added > 0, passed)
        complete = (self.table[:, FINAL] != 0) & passed
        if complete.any():
            self._retain(np.flatnonzero(~complete))
        return [batch for batch in results if batch.num_rows]

    def _pairs(self, rows: Rows) -> tuple[np.ndarray, np.ndarray]:
        """Frames and the rows they hold, frame by frame, each frame's rows in order."""
        order, first = self._by_start()
        table = self.table[order]
        where = (rows.groups, rows.bounds, rows.ts, first, table[:, LOW].copy(), table[:, HIGH].copy())
        done, active, room = table[:, DONE].copy(), np.empty(len(self), np.int64), np.empty(0, np.int64)
        size = pair(*where, done, active, room, room)
        frame, row = np.empty(size, np.int64), np.empty(size, np.int64)
        pair(*where, done, active, frame, row)
        if self.plan.places:
            inside = self._in_place(rows, order[frame], row)
            frame, row = frame[inside], row[inside]
        if (frame[1:] < frame[:-1]).any():
            by_frame = np.empty(frame.size, np.int64)
            counting_order(frame, np.bincount(frame, minlength=len(self)), by_frame)
            frame, row = frame[by_frame], row[by_frame]
        return order[frame], row

    def _in_place(self, rows: Rows, frame: np.ndarray, row: np.ndarray) -> np.ndarray:
        """Which pairs agree in space too; a row without a place is nowhere."""
        inside = np.ones(frame.size, np.bool_)
        for placed in self.plan.places:
            at = _doubles(rows.columns[placed.column])[row]
            low, high = (_doubles(self.frames.column(name))[frame] for name in (placed.low, placed.high))
            inside &= (low <= at) & (at <= high)
        return inside

    def _by_start(self) -> tuple[np.ndarray, np.ndarray]:
        """The frames sorted by group and start, and where each group begins."""
        if self._sorted is None or self._sorted[1].size != len(self.groups) + 1:
            order = np.lexsort((self.table[:, LOW], self.table[:, GROUP]))
            first = np.searchsorted(self.table[order, GROUP], np.arange(len(self.groups) + 1))
            self._sorted = (order, first)
        return self._sorted

    def _tagged(self, taken: Rows) -> list[pa.RecordBatch]:
        frame = taken.group_of_row
        keys = self.groups.values(self.table[frame, GROUP])
        of_frame = [self.frames.column(name).take(pa.array(frame)) for name in self.plan.frame_columns]
        return [tagged(self.plan.tags, taken, keys, of_frame, self.plan.result_schema)]

    def _measured(self, taken: Rows, touched: np.ndarray, passed: np.ndarray) -> list[pa.RecordBatch]:
        """The frames that are complete or have grown, with their measures so far."""
        final = self.table[:, FINAL] != 0
        emitted = passed & (final | (self.table[:, HIGH] > self.table[:, EMITTED_HIGH]))
        if not self.plan.keep_empty:
            emitted &= self.table[:, ADDED] > 0
        looked = np.flatnonzero(touched | emitted)
        carry = Carry(looked, self.table[looked, BEGUN] != 0, ~(passed & final)[looked])
        frame_of_row = np.searchsorted(looked, taken.group_of_row)[:, None]
        wanted = emitted[looked]
        values = [measure.feed(carry, taken, frame_of_row, len(self), wanted) for measure in self.measures]
        self.table[looked, BEGUN] = 1
        columns = self._columns(np.flatnonzero(emitted), final)
        self.table[emitted, EMITTED] += 1
        self.table[emitted, EMITTED_HIGH] = self.table[emitted, HIGH]
        return [pa.RecordBatch.from_arrays([*columns, *values], schema=self.plan.result_schema)]

    def _columns(self, chosen: np.ndarray, final: np.ndarray) -> list[pa.Array]:
        """The columns of frames; their fragments are counted here, because some may have come together."""
        frames = self.frames.take(pa.array(chosen))
        if self.plan.fragments:
            fragment, is_final = (
                frames.schema.get_field_index(f"{self.plan.prefix}{x}") for x in ("fragment", "final")
            )
            frames = frames.set_column(fragment, frames.schema.field(fragment), pa.array(self.table[chosen, EMITTED]))
            frames = frames.set_column(is_final, frames.schema.field(is_final), pa.array(final[chosen]))
        return list(frames.columns)

    def _retain(self, positions: np.ndarray) -> None:
        """Forget all frames but these."""
        place = np.full(len(self), -1)
        place[positions] = np.arange(positions.size)
        for measure in self.measures:
            measure.grow(len(self))
            measure.retain(positions, place)
        self.frames, self.table = self.frames.take(pa.array(positions)), self.table[positions]
        self._sorted = None

    def renumber(self, place: np.ndarray) -> None:
        """Group `g` is number `place[g]` from now on."""
        self.table[:, GROUP] = place[self.table[:, GROUP]]
        self._sorted = None

    def snapshot(self) -> Tree:
        """The frames and what has been added up for them."""
        columns = {str(i): column for i, column in enumerate(self.frames.columns)}
        measures = [measure.snapshot(len(self)) for measure in self.measures]
        return {"frames": columns, "table": self.table, "measures": measures}

    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot."""
        self.table = array_at(tree, "table")
        self.frames = pa.RecordBatch.from_arrays(list(tree_at(tree, "frames").values()), schema=self.plan.frames)
        for measure, state in zip(self.measures, trees_at(tree, "measures"), strict=True):
            measure.restore(state)
        self._sorted = None


def _ids(column: pa.Array) -> np.ndarray:
    """Longs that are all there."""
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _flags(column: pa.Array) -> np.ndarray:
    return np.asarray(column.to_numpy(zero_copy_only=False))


def _doubles(column: pa.Array) -> np.ndarray:
    """Doubles; what is null is NaN."""
    return np.asarray(column.cast(pa.float64()).to_numpy(zero_copy_only=False), np.float64)


def _next(instants: np.ndarray) -> np.ndarray:
    """The instants one tick later; there is none after the last."""
    return np.asarray(np.where(instants == NEVER, NEVER, instants + 1))


def _taken(rows: Rows, frame: np.ndarray, row: np.ndarray) -> Rows:
    """The rows of pairs that are sorted by frame, as rows of groups that are the frames."""
    edge = np.flatnonzero(np.diff(frame, prepend=-1))
    touched, bounds = frame[edge], np.append(edge, frame.size)
    if row.size == len(rows) and (row == np.arange(row.size)).all():
        return Rows(touched, bounds, rows.ts, rows.columns)
    return rows.take(row, touched, bounds)
