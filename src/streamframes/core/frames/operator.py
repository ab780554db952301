"""The operator of frames: one bucket's rows in order in, frames or tagged rows out.

  rows ──> schedule ──> nulls ──> hysteresis ──> scan ──┬──> measures ────> frames
                                                        └──> membership ──> tagged rows
                                                                 └──────> scan of the gaps between (gaps=True)

A stage that must look ahead holds rows back itself; `finish` says that no more will come.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import cast

import numpy as np
import pyarrow as pa

from streamframes.core.batch.clock import MAX_INSTANT
from streamframes.core.batch.groups import GroupIndex
from streamframes.core.batch.rows import Rows, before_rows, control_rows, gather, no_rows
from streamframes.core.batch.tree import Tree, tree_at, trees_at
from streamframes.core.frames.builder import FrameBuilder
from streamframes.core.frames.hysteresis import HysteresisStage
from streamframes.core.frames.idle import Idleness
from streamframes.core.frames.inputs import SchemeInputs
from streamframes.core.frames.kernel import END, MISSING_REPORT, NO_LIMIT, START, TIMEOUT, WATERMARK
from streamframes.core.frames.membership import MemberRows, gathered
from streamframes.core.frames.plan import FrameSpec
from streamframes.core.frames.schedule import ScheduleStage
from streamframes.core.frames.tagged_rows import tagged_rows
from streamframes.core.operator.group_state import GroupState
from streamframes.core.operator.protocol import NO_WATERMARKS, Operator, OperatorPlan

# Marks rows of episodes on their way through the scan of gaps, beside the bits of the kernel.
_IN_EPISODE = 32


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
        self.inputs = SchemeInputs(plan)
        self.episodes = FrameBuilder(plan, gaps=False, live=live)
        self.gaps = FrameBuilder(plan, gaps=True, live=live) if plan.compiled.gaps else None
        self.schedule = ScheduleStage(plan.schedule) if plan.schedule is not None else None
        hysteresis = self.episodes.scheme.hysteresis
        self.hysteresis = HysteresisStage(hysteresis) if hysteresis is not None else None
        self.idleness = Idleness(self.episodes.scan.limits.max_gap)

    @property
    def builders(self) -> list[FrameBuilder]:
        """That of the frames, and that of the gaps between."""
        return [self.episodes, *([self.gaps] if self.gaps else [])]

    @property
    def stages(self) -> dict[str, GroupState]:
        """All that has state by group number, by name."""
        stages: dict[str, GroupState] = {"idleness": self.idleness}
        optional = {"schedule": self.schedule, "hysteresis": self.hysteresis}
        stages.update({name: stage for name, stage in optional.items() if stage is not None})
        for builder in self.builders:
            stages.update({f"{builder.kind} {i}": stage for i, stage in enumerate(builder.stages)})
        return stages

    def feed(self, rows: Rows, watermarks: np.ndarray = NO_WATERMARKS, *, final: bool = False) -> list[pa.RecordBatch]:
        """The results that these rows settle; rows of a group must come in order.

        `watermarks`, if known, says for each group before which instant all rows have been seen: what time alone
        decides is settled too.
        """
        if self.schedule is not None:
            rows = self.schedule.feed(rows, len(self.groups), watermarks, final=final)
        rows = self.inputs.marked(rows)
        if watermarks.size:
            rows = gather([rows, *self._control_rows(rows, watermarks)])
        if self.hysteresis is not None:
            rows = self.hysteresis.with_held(rows)
        if not len(rows):
            return []
        x = self.inputs.prepared(rows)
        if self.hysteresis is not None:
            until = self.inputs.until(rows) if self.hysteresis.settings.until else np.empty(0, np.bool_)
            rows, x = self.hysteresis.feed(rows, x, until, watermarks, final=final)
        return self._results(*self.episodes.feed(rows, x, self.groups))

    def _control_rows(self, rows: Rows, watermarks: np.ndarray) -> Iterator[Rows]:
        """What time alone says to groups: that they have timed out, and how far the watermark is."""
        self.idleness.note(rows, len(self.groups))
        imputes = self.schedule is not None and self.schedule.settings.imputes
        if self.schedule is not None:
            watermarks = before_rows(watermarks, self.schedule.held)
        timed_out = np.empty(0, np.int64) if imputes else self.idleness.timed_out(watermarks)
        if timed_out.size:
            yield control_rows(timed_out, self.idleness.last[timed_out], self.plan.columns, TIMEOUT)
        expires = self.episodes.scheme.expires and self.episodes.scan.limits.max_gap == NO_LIMIT
        # Where a missing report ends frames, time does nothing else: which came first, a table does not know.
        if expires and (self.schedule is None or self.schedule.settings.missing != "ends"):
            self.episodes.scan.grow(len(self.groups))
            active = np.asarray(self.episodes.scan.is_open.any(axis=1))
            active[rows.groups] = True
            groups = np.flatnonzero(active[: len(self.groups)])
            yield control_rows(groups, watermarks[groups], self.plan.columns, WATERMARK)

    def finish(self) -> list[pa.RecordBatch]:
        """The results that the end of the data settles."""
        results = self.feed(no_rows(self.plan.columns), final=True)
        results += self._results(*self.episodes.finish(self.groups))
        if self.gaps is not None:
            frames, members = self.gaps.finish(self.groups)
            results += frames + tagged_rows(self.plan, self.groups, members)
        return results

    def snapshot(self) -> Tree:
        """Everything that must be known to go on later."""
        size = len(self.groups)
        stages = {name: stage.snapshot(size) for name, stage in self.stages.items()}
        waiting = {builder.kind: builder.membership.snapshot() for builder in self.builders}
        return {"groups": self.groups.snapshot(), "stages": stages, "membership": waiting}

    def restore(self, tree: Tree) -> None:
        """Go on from what was saved."""
        self.groups.restore(tree_at(tree, "groups"))
        for name, stage in self.stages.items():
            stage.restore(tree_at(tree_at(tree, "stages"), name))
        for builder in self.builders:
            builder.membership.restore(trees_at(tree_at(tree, "membership"), builder.kind))

    def retain(self, numbers: np.ndarray) -> None:
        """Forget all groups but these."""
        place = np.full(len(self.groups), -1)
        place[numbers] = np.arange(numbers.size)
        for stage in self.stages.values():
            stage.grow(place.size)
            stage.retain(numbers, place)
        for builder in self.builders:
            builder.membership.retain(place)
        self.groups.retain(numbers)

    def copy(self, numbers: np.ndarray) -> FrameOperator:
        """An operator that goes on from here with these groups alone, numbered anew; nothing changes here."""
        made = FrameOperator(self.plan, live=self.live)
        keys = pa.RecordBatch.from_arrays(self.groups.values(numbers), schema=self.plan.keys)
        made.groups.numbers(self.groups.first[numbers], self.groups.second[numbers], keys)
        made.adopt(np.arange(numbers.size), self, numbers)
        return made

    def adopt(self, numbers: np.ndarray, other: Operator, theirs: np.ndarray) -> None:
        """Take what another operator of the plan knows of `theirs` as what is known of `numbers`."""
        others = cast(FrameOperator, other)
        own, taken = np.arange(len(self.groups)), np.full(len(other.groups), -1)
        own[numbers], taken[theirs] = -1, numbers
        for (_, stage), (_, their) in zip(self.stages.items(), others.stages.items(), strict=True):
            stage.grow(own.size)
            their.grow(taken.size)
            stage.adopt(numbers, their.chosen(theirs))
            stage.adopt_held(own, their.held, taken)
        for builder, theirs_builder in zip(self.builders, others.builders, strict=True):
            builder.membership.adopt(own, theirs_builder.membership, taken)

    def idle_groups(self) -> np.ndarray:
        """For each group whether there is no open frame, no row held back, and no place in a schedule."""
        size = len(self.groups)
        if self.schedule is not None:
            return np.zeros(size, np.bool_)
        busy = np.zeros(size, np.bool_)
        for builder in self.builders:
            is_open, _ = builder.open_lanes(size)
            busy |= is_open.any(axis=1)
            if self.episodes.scheme.remembers:
                busy |= builder.scan.own[:size].any(axis=(1, 2))
        if self.hysteresis is not None:
            self.hysteresis.grow(size)
            busy |= self.hysteresis.busy[:size]
        for rows in self._held():
            busy[rows.groups] = True
        return ~busy

    def figures(self) -> dict[str, int]:
        """Open frames, and rows that wait for later ones to say what they are."""
        n_open = sum(int(builder.scan.is_open.sum()) for builder in self.builders)
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
        starts, ends = self._before_held(watermarks), self._before_held(watermarks) - 1
        for builder in self.builders:
            is_open, lanes = builder.open_lanes(watermarks.size)
            for at, field, less in ((starts, START, 0), (ends, END, 1)):
                np.minimum(at, np.where(is_open, lanes[:, :, field] - less, MAX_INSTANT).min(axis=1), out=at)
        return starts, ends

    def min_unreported_start(self, watermarks: np.ndarray) -> np.ndarray:
        """For each group the instant before which no further frame starts, and no fragment adds anything."""
        starts = self._before_held(watermarks)
        for builder in self.builders:
            is_open, lanes = builder.open_lanes(watermarks.size)
            at = np.where(builder.has_emitted(watermarks.size), lanes[:, :, END] + 1, lanes[:, :, START])
            np.minimum(starts, np.where(is_open, at, MAX_INSTANT).min(axis=1), out=starts)
        return starts

    def _before_held(self, starts: np.ndarray) -> np.ndarray:
        """The instants, no later than the rows that are held back and the reports that may be made up."""
        starts = before_rows(starts, self._held())
        if self.schedule is not None and self.schedule.settings.imputes:
            starts = np.minimum(starts, self.schedule.next_tick[: starts.size])
        return starts

    def _held(self) -> Iterator[Rows]:
        for stage in (self.schedule, self.hysteresis):
            yield from stage.held if stage is not None else []
        for builder in self.builders:
            yield from (rows for rows, _, _ in builder.membership.held)

    def _results(self, frames: list[pa.RecordBatch], members: list[MemberRows]) -> list[pa.RecordBatch]:
        """Frames and tagged rows; with gaps, the rows outside of episodes go through the scan of gaps first."""
        if self.gaps is None or not members:
            return frames + tagged_rows(self.plan, self.groups, members)
        episodes = gathered(members)
        inside = episodes.inside[:, 0]
        rows = episodes.rows.with_mark(inside, _IN_EPISODE)
        if rows.mark.size:
            real = (rows.mark & MISSING_REPORT) != MISSING_REPORT
            rows, inside, episodes = rows.filter(real), inside[real], episodes.chosen(real)
        gaps, others = self.gaps.feed(rows, ~inside, self.groups)
        others = [part.chosen((part.rows.mark & _IN_EPISODE) == 0) if part.rows.mark.size else part for part in others]
        return frames + gaps + tagged_rows(self.plan, self.groups, [episodes.chosen(inside), *others])
