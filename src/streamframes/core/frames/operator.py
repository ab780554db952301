"""The operator: one bucket's rows in order in, frames or tagged rows out.

  rows ──> schedule ──> nulls ──> labels ──> scan ──┬──> measures ──> frames
                                                    └──> settle ────> tagged rows
                                                           └──────> scan of the gaps between (gaps=True)

Every stage that must look ahead holds rows back itself; `finish` tells them that no more will come.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.batch.clock import MAX_INSTANT
from streamframes.core.batch.groups import GroupIndex
from streamframes.core.batch.rows import Rows, gather, news, no_rows, tagged
from streamframes.core.frames.hysteresis import LabelStage
from streamframes.core.frames.idle import Silence
from streamframes.core.frames.kernel import (
    END,
    IMPUTED_ROW,
    NO_LIMIT,
    NULL_BREAK,
    REFUSAL,
    SILENCE,
    SKIP,
    START,
    TIME_PASSED,
)
from streamframes.core.frames.membership import Settled, joined
from streamframes.core.frames.plan import FrameSpec
from streamframes.core.frames.schedule import ScheduleStage
from streamframes.core.frames.segmenter import Cutter
from streamframes.core.operator.group_state import GroupState
from streamframes.core.operator.protocol import NO_WATERMARKS, Operator, OperatorPlan
from streamframes.core.schemes.threshold import satisfied

IN_EPISODE = 32


@dataclass(frozen=True)
class FramePlan(FrameSpec, OperatorPlan):
    """The plan of frames."""

    def operator(self, *, live: bool = False) -> FrameOperator:
        """The plan at work on the groups of one bucket; only a live one reports fragments before the end."""
        return FrameOperator(self, live=live)


class FrameOperator(Operator):
    """A plan at work on the groups of one bucket; only a live one reports fragments before the end."""

    def __init__(self, plan: FrameSpec, *, live: bool = False) -> None:
        self.plan = plan
        self.live = live
        self.groups = GroupIndex(plan.keys)
        self.episodes = Cutter(plan, gaps=False, live=live)
        self.between = Cutter(plan, gaps=True, live=live) if plan.reports_gaps else None
        self.schedule = ScheduleStage(plan.schedule) if plan.schedule is not None else None
        labels = self.episodes.scheme.labels
        self.labels = LabelStage(labels) if labels is not None else None
        self.silence = Silence(self.episodes.scan.limits.max_gap)

    @property
    def cutters(self) -> list[Cutter]:
        """That of the frames, and that of the gaps between."""
        return [self.episodes, *([self.between] if self.between else [])]

    @property
    def stages(self) -> dict[str, GroupState]:
        """All that has state by group number, by name."""
        named: dict[str, GroupState | None] = {
            "schedule": self.schedule,
            "labels": self.labels,
            "silence": self.silence,
        }
        stages = {name: stage for name, stage in named.items() if stage is not None}
        for cutter in self.cutters:
            stages.update({f"{cutter.kind} {i}": stage for i, stage in enumerate(cutter.stages)})
        return stages

    def feed(self, rows: Rows, watermarks: np.ndarray = NO_WATERMARKS, *, final: bool = False) -> list[pa.RecordBatch]:
        """The results that these rows settle; rows of a group must come in order.

        `watermarks`, if known, says for each group before which instant all rows have been seen: what time alone
        decides is settled too.
        """
        if self.schedule is not None:
            rows = self.schedule.feed(rows, len(self.groups), watermarks, final=final)
        rows = self.marked(rows)
        if watermarks.size:
            rows = gather([rows, *self._news(rows, watermarks)])
        if self.labels is not None:
            rows = self.labels.with_held(rows)
        if not len(rows):
            return []
        x = self.prepared(rows)
        if self.labels is not None:
            until = self._condition(rows, 1) if self.labels.settings.until else np.empty(0, np.bool_)
            rows, x = self.labels.feed(rows, x, until, watermarks, final=final)
        return self._results(*self.episodes.feed(rows, x, self.groups))

    def _news(self, rows: Rows, watermarks: np.ndarray) -> Iterator[Rows]:
        """What time alone says to groups: that they have been silent for too long, and what time it is."""
        self.silence.watch(rows, len(self.groups))
        imputes = self.plan.schedule is not None and self.plan.schedule.imputes
        silent = np.empty(0, np.int64) if imputes else self.silence.find(watermarks)
        if silent.size:
            yield news(silent, self.silence.last[silent], self.plan.columns, SILENCE)
        if self.episodes.scheme.expires and self.episodes.scan.limits.max_gap == NO_LIMIT:
            self.episodes.scan.grow(len(self.groups))
            awake = np.asarray(self.episodes.scan.is_open.any(axis=1))
            awake[rows.groups] = True
            groups = np.flatnonzero(awake[: len(self.groups)])
            yield news(groups, watermarks[groups], self.plan.columns, TIME_PASSED)

    def finish(self) -> list[pa.RecordBatch]:
        """The results that the end of the data settles."""
        last = self.feed(no_rows(self.plan.columns), final=True)
        rest = self._results(*self.episodes.finish(self.groups))
        if self.between is not None:
            frames, settled = self.between.finish(self.groups)
            rest += frames + self._tagged(settled)
        return last + rest

    def snapshot(self) -> dict[str, Any]:
        """Everything that must be known to go on later."""
        size = len(self.groups)
        stages = {name: stage.snapshot(size) for name, stage in self.stages.items()}
        waiting = {cutter.kind: cutter.settlement.snapshot() for cutter in self.cutters}
        return {"groups": self.groups.snapshot(), "stages": stages, "settlement": waiting}

    def restore(self, saved: dict[str, Any]) -> None:
        """Go on from what was saved."""
        self.groups.restore(saved["groups"])
        for name, stage in self.stages.items():
            stage.restore(saved["stages"][name])
        for cutter in self.cutters:
            cutter.settlement.restore(saved["settlement"][cutter.kind])

    def retain(self, numbers: np.ndarray) -> None:
        """Forget all groups but these."""
        place = np.full(len(self.groups), -1)
        place[numbers] = np.arange(numbers.size)
        for stage in self.stages.values():
            stage.grow(place.size)
            stage.retain(numbers, place)
        for cutter in self.cutters:
            cutter.settlement.retain(place)
        self.groups.retain(numbers)

    def idle_groups(self) -> np.ndarray:
        """For each group whether there is no open frame, no row held back, and no place in a schedule."""
        size = len(self.groups)
        if self.schedule is not None:
            return np.zeros(size, np.bool_)
        busy = np.zeros(size, np.bool_)
        for cutter in self.cutters:
            cutter.scan.grow(size)
            busy |= cutter.scan.is_open[:size].any(axis=1)
            if self.episodes.scheme.remembers:
                busy |= cutter.scan.own[:size].any(axis=(1, 2))
        if self.labels is not None:
            self.labels.grow(size)
            busy |= self.labels.busy[:size]
        for rows in self._held():
            busy[rows.groups] = True
        return ~busy

    def figures(self) -> dict[str, int]:
        """Open frames, and rows that wait for later ones to say what they are."""
        n_open = sum(int(cutter.scan.is_open.sum()) for cutter in self.cutters)
        return {"open": n_open, "held": sum(len(rows) for rows in self._held())}

    @property
    def scheduled_groups(self) -> int | None:
        """How many groups have a known schedule; None without one."""
        return None if self.schedule is None else self.schedule.n_started

    def advance_schedule(self, rows: Rows, watermarks: np.ndarray) -> np.ndarray:
        """The watermarks, moved on by reports that continue the schedule of their group."""
        if self.schedule is not None:
            self.schedule.advance(rows, watermarks.size, watermarks)
        return watermarks

    def output_watermark(self, watermarks: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For each group: the instant before which no further frame starts, and up to which all that end are known."""
        starts, ends = self._before_held(watermarks.copy()), self._before_held(watermarks.copy()) - 1
        for cutter in self.cutters:
            is_open, lanes = cutter.open_lanes(watermarks.size)
            for at, field, less in ((starts, START, 0), (ends, END, 1)):
                np.minimum(at, np.where(is_open, lanes[:, :, field] - less, MAX_INSTANT).min(axis=1), out=at)
        return starts, ends

    def min_unreported_start(self, watermarks: np.ndarray) -> np.ndarray:
        """For each group the instant before which no further frame starts, and no fragment adds anything."""
        starts = self._before_held(watermarks.copy())
        for cutter in self.cutters:
            is_open, lanes = cutter.open_lanes(watermarks.size)
            at = np.where(cutter.is_told(watermarks.size), lanes[:, :, END] + 1, lanes[:, :, START])
            np.minimum(starts, np.where(is_open, at, MAX_INSTANT).min(axis=1), out=starts)
        return starts

    def _before_held(self, starts: np.ndarray) -> np.ndarray:
        """The instants, no later than the rows that are held back and the reports that may be made up."""
        for rows in self._held():
            np.minimum.at(starts, rows.group_of_row, rows.ts)
        if self.schedule is not None and self.schedule.settings.imputes:
            starts = np.minimum(starts, self.schedule.next_tick[: starts.size])
        return starts

    def _held(self) -> Iterator[Rows]:
        for stage in (self.schedule, self.labels):
            yield from stage.held if stage is not None else []
        for cutter in self.cutters:
            yield from (rows for rows, _, _ in cutter.settlement.held)

    def marked(self, rows: Rows) -> Rows:
        """Mark rows whose inputs are null or NaN as the scheme says; made-up reports have none."""
        policy = self.plan.scheme.null_policy()
        inputs = rows.columns[self.plan.input_slice]
        if policy == "value" or not inputs:
            return rows
        lacking = [_absent(column) for column in inputs if _may_be_absent(column)]
        if not lacking:
            return rows
        absent = np.logical_or.reduce(lacking)
        if rows.mark.size:
            absent &= (rows.mark & IMPUTED_ROW) == 0
        return rows.with_mark(absent, SKIP | (NULL_BREAK if policy == "break" else 0))

    def prepared(self, rows: Rows) -> np.ndarray:
        """The scheme's input, as its rule takes it."""
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
        if rows.mark.size:
            told = (rows.mark & REFUSAL) == REFUSAL
            rows, inside = rows.filter(~told), inside[~told]
            episodes = episodes.chosen(~told)
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
        keys = self.groups.values(rows.group_of_row[chosen])
        return tagged(self.plan.tags, rows.filter(chosen), keys, [ids], self.plan.tag_schema)


def _may_be_absent(column: pa.Array) -> bool:
    """Whether any value is null or NaN; most columns have none, which is seen quickly."""
    if column.null_count or not pa.types.is_floating(column.type):
        return bool(column.null_count)
    # A sum is NaN where a number is, or where infinities meet: then every value is looked at.
    return bool(np.isnan(np.add.reduce(column.to_numpy(zero_copy_only=False))))


def _absent(column: pa.Array) -> np.ndarray:
    absent = column.is_null(nan_is_null=pa.types.is_floating(column.type))
    return np.asarray(absent.to_numpy(zero_copy_only=False))
