"""Frame building: one scan of the rows of a bucket, and what is made of its runs.

rows ──> scan ──┬──> measures, fragments ──> frames
                └──> membership ───────────> rows whose frames are known
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import GroupIndex
from streamframes.core.batch.rows import Rows, frame_ids, typed
from streamframes.core.frames.emitted import EmittedFrames, closed_by, emitted_frames, fields_of
from streamframes.core.frames.fragments import Fragments
from streamframes.core.frames.kernel import (
    IMPUTED_ROW,
    RUN_END,
    RUN_FRESH,
    RUN_GROUP,
    RUN_IMPUTED,
    RUN_LANE,
    RUN_ORDINAL,
    RUN_REASON,
    RUN_ROWS,
    RUN_START,
    STILL_OPEN,
)
from streamframes.core.frames.measures import Carry, accumulators
from streamframes.core.frames.membership import MemberRows, Membership
from streamframes.core.frames.plan import KINDS, FrameSpec
from streamframes.core.frames.scanner import Runs, Scan, lane_ids
from streamframes.core.operator.group_state import GroupState

_GAP_SALT = 0x6A09E667F3BCC908


@dataclass(frozen=True)
class ScannedRuns:
    """The runs of some rows: which of them are emitted, with which fragment number, and the measures of those."""

    runs: Runs
    wanted: np.ndarray
    numbers: np.ndarray
    values: list[pa.Array]

    @property
    def emitted(self) -> EmittedFrames:
        """Those that are emitted."""
        return emitted_frames(self.runs, self.wanted, self.numbers, self.values)


class FrameBuilder:
    """A scan with what is wanted of its frames: measures, fragments, and the rows they are made of."""

    def __init__(self, plan: FrameSpec, *, gaps: bool, live: bool) -> None:
        self.plan = plan
        self.kind = KINDS[gaps]
        self.scheme = plan.compiled
        limits = plan.scheme.limits(plan.clock)
        if gaps:
            limits = limits._replace(min_rows=np.int64(1), min_duration=np.uint64(0))
        self.salt = plan.scheme.fingerprint() ^ (_GAP_SALT if gaps else 0)
        self.wants_members = bool(plan.tags) or (plan.compiled.gaps and not gaps)
        self.scan = Scan(self.scheme, limits, wants_rows=self.wants_members or bool(plan.measures))
        self.measures = accumulators(plan.measures, self.scheme.lanes)
        self.fragments = Fragments(self.scheme) if plan.fragments and live else None
        self.membership = Membership(self.scheme.lanes)

    @property
    def stages(self) -> list[GroupState]:
        """All that has state by group number."""
        return [self.scan, *self.measures, *([self.fragments] if self.fragments else [])]

    def feed(self, rows: Rows, x: np.ndarray, groups: GroupIndex) -> tuple[list[pa.RecordBatch], list[MemberRows]]:
        """Frames that ended, fragments of those that have grown, and rows whose frames are known."""
        scanned, run_of_row = self.scanned(rows, x, len(groups))
        members: list[MemberRows] = []
        if self.wants_members:
            ids = self._ids_of_all(scanned.runs, groups)
            members = self.membership.feed(rows, run_of_row, scanned.runs, ids, len(groups))
        return self.batches(scanned.emitted, groups), members

    def scanned(self, rows: Rows, x: np.ndarray, n_groups: int) -> tuple[ScannedRuns, np.ndarray]:
        """The runs of rows, and the run of each (row, lane) where somebody needs it."""
        runs, run_of_row = self.scan.feed(rows, x, n_groups)
        wanted, numbers = runs.is_frame, np.zeros(0, np.int64)
        if self.fragments is not None:
            wanted, numbers = self.fragments.feed(runs, n_groups)
        values: list[pa.Array] = []
        if self.measures:
            real = run_of_row
            if rows.mark.size:
                real = np.where((rows.mark & IMPUTED_ROW)[:, None], -1, run_of_row)
            carry = Carry(lane_ids(runs, self.scheme.lanes), runs.table[:, RUN_FRESH] == 0, runs.is_open)
            values = [measure.feed(carry, rows, real, n_groups, wanted) for measure in self.measures]
        return ScannedRuns(runs, wanted, numbers, values), run_of_row

    def finish(self, groups: GroupIndex) -> tuple[list[pa.RecordBatch], list[MemberRows]]:
        """The frames that the end of the data closes, and the rows that waited."""
        runs = self.scan.finish()
        lane_id = lane_ids(runs, self.scheme.lanes)[runs.is_frame]
        values = [measure.finish(lane_id) for measure in self.measures]
        members: list[MemberRows] = []
        if self.wants_members:
            members = self.membership.finish(runs, self._ids_of_all(runs, groups), len(groups))
        return self.batches(emitted_frames(runs, runs.is_frame, np.zeros(0, np.int64), values), groups), members

    def open_lanes(self, n_groups: int) -> tuple[np.ndarray, np.ndarray]:
        """Which lanes of each group have an open frame, and their records."""
        self.scan.grow(n_groups)
        return self.scan.is_open[:n_groups], self.scan.lanes[:n_groups]

    def has_emitted(self, n_groups: int) -> np.ndarray:
        """Which lanes of each group have an open frame of which a fragment has been emitted."""
        if self.fragments is None:
            return np.zeros((n_groups, self.scheme.lanes), np.bool_)
        return self.fragments.has_emitted(n_groups)

    def batches(self, frames: EmittedFrames, groups: GroupIndex) -> list[pa.RecordBatch]:
        """Frames as rows of the result."""
        if self.plan.tags or not len(frames):
            return []
        fields = frames.fields
        start, end = (typed(pa.array(fields[field]), self.plan.ts_type) for field in (RUN_START, RUN_END))
        columns = [
            *groups.values(frames.groups),
            pa.array(self._ids(fields, groups)),
            start,
            end,
            pa.array(fields[RUN_ROWS]),
            closed_by(fields[RUN_REASON]),
            *self._extras(frames),
            *self._fragment_columns(frames),
            *frames.values,
        ]
        return [pa.RecordBatch.from_arrays(columns, schema=self.plan.frame_schema)]

    def _ids(self, fields: np.ndarray, groups: GroupIndex) -> np.ndarray:
        columns = (fields[field] for field in (RUN_START, RUN_LANE, RUN_ORDINAL))
        return frame_ids(self.salt, groups.first[fields[RUN_GROUP]], *columns)

    def _ids_of_all(self, runs: Runs, groups: GroupIndex) -> np.ndarray:
        return self._ids(fields_of(runs, np.ones(runs.table.shape[0], np.bool_)), groups)

    def _fragment_columns(self, frames: EmittedFrames) -> list[pa.Array]:
        if not self.plan.fragments:
            return []
        numbers = frames.numbers if frames.numbers.size else np.zeros(len(frames), np.int64)
        return [pa.array(numbers), pa.array(frames.fields[RUN_REASON] != STILL_OPEN)]

    def _extras(self, frames: EmittedFrames) -> Iterator[pa.Array]:
        if self.plan.compiled.gaps:
            yield pa.repeat(self.kind, len(frames))
        if self.scheme.cell:
            width = self.scheme.cell
            offsets = pa.array(np.arange(0, (len(frames) + 1) * width, width, dtype=np.int32))
            yield pa.ListArray.from_arrays(offsets, pa.array(frames.own.ravel()))
        if self.plan.schedule is not None and self.plan.schedule.imputes:
            yield pa.array(frames.fields[RUN_IMPUTED])
