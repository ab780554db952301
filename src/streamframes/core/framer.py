"""The framer: one bucket's rows in order in, frames or tagged rows out.

  rows ──> schedule ──> nulls ──> labels ──> scan ──┬──> measures ──> frames
                                                    └──> settle ────> tagged rows
                                                           └──────> scan of the gaps between (gaps=True)

Every stage that must look ahead holds rows back itself; `finish` tells them that no more will come.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from streamframes.core.columns import CLOSED_BY, Rows, frame_ids, no_rows, typed
from streamframes.core.groups import GroupIndex
from streamframes.core.kernel import (
    IMPUTED_ROW,
    NULL_BREAK,
    RUN_END,
    RUN_GROUP,
    RUN_IMPUTED,
    RUN_LANE,
    RUN_ORDINAL,
    RUN_REASON,
    RUN_ROWS,
    RUN_START,
    SKIP,
)
from streamframes.core.labels import LabelStage
from streamframes.core.measures import accumulators
from streamframes.core.plan import KINDS, FramePlan
from streamframes.core.scan import Runs, Scan
from streamframes.core.schedule import ScheduleStage
from streamframes.core.schemes.threshold import satisfied
from streamframes.core.settle import Settled, Settlement, joined

_GAP_SALT = 0x6A09E667F3BCC908
IN_EPISODE = 32


class Cutter:
    """A scan with what is wanted of its frames: measures, and the rows they are made of."""

    def __init__(self, plan: FramePlan, *, gaps: bool) -> None:
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
        self.settlement = Settlement(self.scheme.lanes)

    def feed(self, rows: Rows, x: np.ndarray, groups: GroupIndex) -> tuple[list[pa.RecordBatch], list[Settled]]:
        """Frames that ended, and rows whose frames are known."""
        runs, run_of_row = self.scan.feed(rows, x, len(groups))
        real = run_of_row
        if rows.mark.size and self.measures:
            real = np.where((rows.mark & IMPUTED_ROW)[:, None], -1, run_of_row)
        values = [measure.feed(runs, rows, real, len(groups)) for measure in self.measures]
        settled: list[Settled] = []
        if self.settles:
            settled = self.settlement.feed(rows, run_of_row, runs, self._ids(runs, groups), len(groups))
        return self._frames(runs, values, groups), settled

    def finish(self, groups: GroupIndex) -> tuple[list[pa.RecordBatch], list[Settled]]:
        """The frames that the end of the data closes, and the rows that waited."""
        runs = self.scan.finish()
        values = [measure.finish(runs) for measure in self.measures]
        settled = self.settlement.finish(runs, self._ids(runs, groups)) if self.settles else []
        return self._frames(runs, values, groups), settled

    def _ids(self, runs: Runs, groups: GroupIndex) -> np.ndarray:
        columns = (runs.table[:, field] for field in (RUN_START, RUN_LANE, RUN_ORDINAL))
        return frame_ids(self.salt, groups.first[runs.table[:, RUN_GROUP]], *columns)

    def _frames(self, runs: Runs, values: list[pa.Array], groups: GroupIndex) -> list[pa.RecordBatch]:
        chosen = runs.is_frame
        if self.plan.tags or not chosen.any():
            return []
        frames = Runs(runs.table[chosen], runs.own[chosen] if self.scheme.cell else runs.own)
        start, end = (typed(pa.array(frames.table[:, field]), self.plan.ts_type) for field in (RUN_START, RUN_END))
        columns = [
            *groups.values(frames.table[:, RUN_GROUP]),
            pa.array(self._ids(frames, groups)),
            start,
            end,
            pa.array(frames.table[:, RUN_ROWS]),
            pa.array(CLOSED_BY).take(pa.array(frames.table[:, RUN_REASON])),
            *self._extras(frames),
            *values,
        ]
        return [pa.RecordBatch.from_arrays(columns, schema=self.plan.frame_schema)]

    def _extras(self, frames: Runs) -> Iterator[pa.Array]:
        size = frames.table.shape[0]
        if self.plan.reports_gaps:
            yield pa.repeat(self.kind, size)
        if self.scheme.cell:
            width = self.scheme.cell
            offsets = pa.array(np.arange(0, (size + 1) * width, width, dtype=np.int32))
            yield pa.ListArray.from_arrays(offsets, pa.array(frames.own.ravel()))
        if self.plan.schedule is not None and self.plan.schedule.imputes:
            yield pa.array(frames.table[:, RUN_IMPUTED])


class Framer:
    """A plan at work on the groups of one bucket."""

    def __init__(self, plan: FramePlan) -> None:
        self.plan = plan
        self.groups = GroupIndex(plan.keys)
        self.episodes = Cutter(plan, gaps=False)
        self.between = Cutter(plan, gaps=True) if plan.reports_gaps else None
        self.schedule = ScheduleStage(plan.schedule) if plan.schedule is not None else None
        labels = self.episodes.scheme.labels
        self.labels = LabelStage(labels) if labels is not None else None

    def feed(self, rows: Rows, *, final: bool = False) -> list[pa.RecordBatch]:
        """The results that these rows settle; rows of a group must come in order."""
        if self.schedule is not None:
            rows = self.schedule.feed(rows, len(self.groups), final=final)
        if self.labels is not None:
            rows = self.labels.with_held(rows)
        if not len(rows):
            return []
        rows = self._marked(rows)
        x = self._prepared(rows)
        if self.labels is not None:
            until = self._condition(rows, 1) if self.labels.settings.until else np.empty(0, np.bool_)
            rows, x = self.labels.feed(rows, x, until, len(self.groups), final=final)
        return self._results(*self.episodes.feed(rows, x, self.groups))

    def finish(self) -> list[pa.RecordBatch]:
        """The results that the end of the data settles."""
        last = self.feed(no_rows(self.plan.columns), final=True)
        rest = self._results(*self.episodes.finish(self.groups))
        if self.between is not None:
            frames, settled = self.between.finish(self.groups)
            rest += frames + self._tagged(settled)
        return last + rest

    def _marked(self, rows: Rows) -> Rows:
        """Mark rows whose inputs are null or NaN as the scheme says; made-up reports have none."""
        policy = self.plan.scheme.null_policy()
        inputs = rows.columns[self.plan.input_slice]
        if policy == "value" or not inputs:
            return rows
        absent = np.zeros(len(rows), np.bool_)
        for column in inputs:
            absent |= _absent(column)
        if rows.mark.size:
            absent &= (rows.mark & IMPUTED_ROW) == 0
        return rows.with_mark(absent, SKIP | (NULL_BREAK if policy == "break" else 0))

    def _prepared(self, rows: Rows) -> np.ndarray:
        x = self.episodes.scheme.prepare(rows.columns[self.plan.input_slice])
        if self.plan.schedule is not None and self.plan.schedule.imputes and rows.mark.size:
            x = np.where(rows.mark & IMPUTED_ROW, self.plan.schedule.missing == "true", x)
        return x

    def _condition(self, rows: Rows, which: int) -> np.ndarray:
        """Another condition than `where`; on a made-up report it says the opposite of it."""
        values = satisfied(rows.columns[self.plan.input_slice][which : which + 1])
        if self.plan.schedule is not None and self.plan.schedule.imputes and rows.mark.size:
            return np.where(rows.mark & IMPUTED_ROW, self.plan.schedule.missing == "false", values)
        return values

    def _results(self, frames: list[pa.RecordBatch], settled: list[Settled]) -> list[pa.RecordBatch]:
        if self.between is None or not settled:
            return frames + self._tagged(settled)
        episodes = joined(settled)
        inside = episodes.inside[:, 0]
        rows = episodes.rows.with_mark(inside, IN_EPISODE)
        more, known = self.between.feed(rows, ~inside, self.groups)
        known = [part.chosen((part.rows.mark & IN_EPISODE) == 0) if part.rows.mark.size else part for part in known]
        return frames + more + self._tagged([episodes.chosen(inside), *known])

    def _tagged(self, settled: list[Settled]) -> list[pa.RecordBatch]:
        if not self.plan.tags:
            return []
        return [batch for part in settled for batch in self._tag(part) if batch.num_rows]

    def _tag(self, part: Settled) -> Iterator[pa.RecordBatch]:
        """Each row once for each frame it is in, and, if wanted, rows in none with a null id."""
        real = (part.rows.mark & IMPUTED_ROW) == 0 if part.rows.mark.size else np.ones(len(part.rows), np.bool_)
        for lane in range(part.inside.shape[1]):
            chosen = part.inside[:, lane] & real
            yield self._batch(part.rows, chosen, pa.array(part.ids[chosen, lane]))
        if self.plan.keep_outside:
            chosen = ~part.inside.any(axis=1) & real
            yield self._batch(part.rows, chosen, pa.nulls(int(chosen.sum()), pa.int64()))

    def _batch(self, rows: Rows, chosen: np.ndarray, ids: pa.Array) -> pa.RecordBatch:
        group_of_row = rows.group_of_row
        rows, group_of_row = rows.filter(chosen), group_of_row[chosen]
        keys = self.groups.values(group_of_row)
        columns = []
        for tag in self.plan.tags:
            if tag.source == "key":
                columns.append(keys[tag.index])
            elif tag.source == "ts":
                columns.append(typed(pa.array(rows.ts), tag.type))
            else:
                columns.append(rows.columns[tag.index])
        return pa.RecordBatch.from_arrays([*columns, ids], schema=self.plan.tag_schema)


def _absent(column: pa.Array) -> np.ndarray:
    absent = column.is_null(nan_is_null=pa.types.is_floating(column.type))
    return np.asarray(absent.to_numpy(zero_copy_only=False))
