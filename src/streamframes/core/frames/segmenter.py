"""Cutting: one scan of the rows of a bucket, and what is made of its runs.

rows ──> scan ──┬──> measures, fragments ──> frames
                └──> settle ───────────────> rows whose frames are known
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import GroupIndex
from streamframes.core.batch.rows import Rows, frame_ids, typed
from streamframes.core.frames.accumulators import accumulators
from streamframes.core.frames.emitted import Told, fields_of, told_of, words_of
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
from streamframes.core.frames.measures import Shares
from streamframes.core.frames.membership import Settled, Settlement
from streamframes.core.frames.plan import KINDS, FrameSpec
from streamframes.core.frames.scanner import Runs, Scan, slots
from streamframes.core.operator.group_state import GroupState

_GAP_SALT = 0x6A09E667F3BCC908


@dataclass(frozen=True)
class Cut:
    """Runs that were met, which of them are told, with which fragment number, and the measures of those."""

    runs: Runs
    wanted: np.ndarray
    numbers: np.ndarray
    values: list[pa.Array]

    @property
    def told(self) -> Told:
        """Those that are told."""
        return told_of(self.runs, self.wanted, self.numbers, self.values)


class Cutter:
    """A scan with what is wanted of its frames: measures, fragments, and the rows they are made of."""

    def __init__(self, plan: FrameSpec, *, gaps: bool, live: bool) -> None:
        self.plan = plan
        self.kind = KINDS[gaps]
        self.scheme = plan.compiled
        limits = plan.scheme.limits(plan.clock)
        if gaps:
            limits = limits._replace(min_rows=np.int64(1), min_duration=np.uint64(0))
        self.salt = plan.scheme.fingerprint() ^ (_GAP_SALT if gaps else 0)
        self.settles = bool(plan.tags) or (plan.reports_gaps and not gaps)
        self.scan = Scan(self.scheme, limits, wants_rows=self.settles or bool(plan.measures))
        self.measures = accumulators(plan.measures, self.scheme.lanes)
        self.fragments = Fragments(self.scheme) if plan.fragments and live else None
        self.settlement = Settlement(self.scheme.lanes)

    @property
    def stages(self) -> list[GroupState]:
        """All that has state by group number."""
        return [self.scan, *self.measures, *([self.fragments] if self.fragments else [])]

    def feed(self, rows: Rows, x: np.ndarray, groups: GroupIndex) -> tuple[list[pa.RecordBatch], list[Settled]]:
        """Frames that ended, fragments of those that have grown, and rows whose frames are known."""
        cut, run_of_row = self.cut(rows, x, len(groups))
        settled: list[Settled] = []
        if self.settles:
            ids = self._ids_of_all(cut.runs, groups)
            settled = self.settlement.feed(rows, run_of_row, cut.runs, ids, len(groups))
        return self.told(cut.told, groups), settled

    def cut(self, rows: Rows, x: np.ndarray, n_groups: int) -> tuple[Cut, np.ndarray]:
        """What the scan makes of rows, and the run of each (row, lane) where somebody needs it."""
        runs, run_of_row = self.scan.feed(rows, x, n_groups)
        real = run_of_row
        if rows.mark.size and self.measures:
            real = np.where((rows.mark & IMPUTED_ROW)[:, None], -1, run_of_row)
        wanted, numbers = runs.is_frame, np.zeros(0, np.int64)
        if self.fragments is not None:
            wanted, numbers = self.fragments.feed(runs, n_groups)
        values: list[pa.Array] = []
        if self.measures:
            shares = Shares(slots(runs, self.scheme.lanes), runs.table[:, RUN_FRESH] == 0, runs.is_open)
            values = [measure.feed(shares, rows, real, n_groups, wanted) for measure in self.measures]
        return Cut(runs, wanted, numbers, values), run_of_row

    def finish(self, groups: GroupIndex) -> tuple[list[pa.RecordBatch], list[Settled]]:
        """The frames that the end of the data closes, and the rows that waited."""
        runs = self.scan.finish()
        slot = slots(runs, self.scheme.lanes)[runs.is_frame]
        values = [measure.finish(slot) for measure in self.measures]
        settled: list[Settled] = []
        if self.settles:
            settled = self.settlement.finish(runs, self._ids_of_all(runs, groups), len(groups))
        told = told_of(runs, runs.is_frame, np.zeros(0, np.int64), values)
        return self.told(told, groups), settled

    def open_lanes(self, n_groups: int) -> tuple[np.ndarray, np.ndarray]:
        """Which lanes of each group have an open frame, and their records."""
        self.scan.grow(n_groups)
        return self.scan.is_open[:n_groups], self.scan.lanes[:n_groups]

    def is_told(self, n_groups: int) -> np.ndarray:
        """Which lanes of each group have been told of in fragments."""
        if self.fragments is None:
            return np.zeros((n_groups, self.scheme.lanes), np.bool_)
        self.fragments.grow(n_groups)
        return self.fragments.n_told[:n_groups] > 0

    def _ids(self, fields: np.ndarray, groups: GroupIndex) -> np.ndarray:
        columns = (fields[field] for field in (RUN_START, RUN_LANE, RUN_ORDINAL))
        return frame_ids(self.salt, groups.first[fields[RUN_GROUP]], *columns)

    def _ids_of_all(self, runs: Runs, groups: GroupIndex) -> np.ndarray:
        return self._ids(fields_of(runs, np.ones(runs.table.shape[0], np.bool_)), groups)

    def told(self, told: Told, groups: GroupIndex) -> list[pa.RecordBatch]:
        """Frames as rows of the result."""
        if self.plan.tags or not len(told):
            return []
        fields = told.fields
        start, end = (typed(pa.array(fields[field]), self.plan.ts_type) for field in (RUN_START, RUN_END))
        columns = [
            *groups.values(told.groups),
            pa.array(self._ids(fields, groups)),
            start,
            end,
            pa.array(fields[RUN_ROWS]),
            words_of(fields[RUN_REASON]),
            *self._extras(told),
            *self._fragment_columns(told),
            *told.values,
        ]
        return [pa.RecordBatch.from_arrays(columns, schema=self.plan.frame_schema)]

    def _fragment_columns(self, told: Told) -> list[pa.Array]:
        if not self.plan.fragments:
            return []
        numbers = told.numbers if told.numbers.size else np.zeros(len(told), np.int64)
        return [pa.array(numbers), pa.array(told.fields[RUN_REASON] != STILL_OPEN)]

    def _extras(self, told: Told) -> Iterator[pa.Array]:
        if self.plan.reports_gaps:
            yield pa.repeat(self.kind, len(told))
        if self.scheme.cell:
            width = self.scheme.cell
            offsets = pa.array(np.arange(0, (len(told) + 1) * width, width, dtype=np.int32))
            yield pa.ListArray.from_arrays(offsets, pa.array(told.own.ravel()))
        if self.plan.schedule is not None and self.plan.schedule.imputes:
            yield pa.array(told.fields[RUN_IMPUTED])
