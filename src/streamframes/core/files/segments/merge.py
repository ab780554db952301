"""The merge: the partial results of the segments of a bucket, one segment after the other, become its frames.

The operator here is always in the true state. A segment sends the states of its groups at its end, which are taken over
where they must be right: from the start, after a boundary run, or after warm-up rows that led both to the same state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.batch import chunk as chunks
from streamframes.core.batch.rows import Rows, control_rows
from streamframes.core.files.segments.first_run import NO_RUN, BoundaryRun, boundary_of_tree
from streamframes.core.files.segments.partial import Route, runs_of
from streamframes.core.files.segments.split import Segment, has_boundary_runs
from streamframes.core.files.segments.warm_up import same_state
from streamframes.core.frames.emitted import EmittedFrames
from streamframes.core.frames.kernel import END, GAP, MISSING_REPORT, ROWS, STILL_OPEN, TIMEOUT
from streamframes.core.frames.operator import FramePlan
from streamframes.core.operator.state_codec import decode, is_tree
from streamframes.core.schemes.gap import GapRule

Batches = list[pa.RecordBatch]
# The rows of some groups of a segment, in order: fingerprints in, rows with their numbers among these out.
Rereading = Callable[[Segment, np.ndarray, np.ndarray], Iterable[Rows]]


class SegmentMerger:
    """The segments of one bucket, of which this part emits some."""

    def __init__(self, plan: FramePlan, segments: list[Segment], route: Route, reread: Rereading) -> None:
        self.operator = plan.operator()
        self.segments = {segment.number: segment for segment in segments}
        self.route = route
        self.reread = reread
        self.certain = has_boundary_runs(plan)
        self.segment = -1
        self.emits = False
        self.partition = 0
        # Of the groups of the segment: their numbers here, whether it is right about them, and how many rows came.
        self.numbers = np.empty(0, np.int64)
        self.sure = np.empty(0, np.bool_)
        self.doubted = np.empty(0, np.bool_)
        self.fed = np.zeros(0, np.int64)

    def add(self, partition: int, segment: int, data: pa.Buffer) -> Batches:
        """Take the next partial result; returns frames."""
        if segment != self.segment:
            self._begin(partition, segment)
        if not is_tree(data):
            found = self._warm_up(chunks.decode(data))
            return found if self.emits else []
        tree: dict[str, Any] = decode(data)
        if tree["kind"] == "runs":
            return self._runs(runs_of(tree, self.numbers), tree["groups"])
        steps = {
            "groups": self._groups,
            "boundary_runs": self._boundary_runs,
            "same state": self._same_state,
            "end": self._end,
        }
        found = steps[tree["kind"]](tree)
        return found if self.emits else []

    def finish(self) -> Batches:
        """What the end of the data closes; the first part of a bucket emits it."""
        found = self.operator.finish()
        return found if self.route.is_first(self.partition) else []

    def _begin(self, partition: int, segment: int) -> None:
        self.partition, self.segment = partition, segment
        bucket = partition // self.route.parts
        self.emits = (
            self.route.is_first(partition) if self.certain else self.route.of_segment(bucket, segment) == partition
        )
        self.numbers, self.fed = np.empty(0, np.int64), np.zeros(0, np.int64)
        self.sure, self.doubted = np.empty(0, np.bool_), np.empty(0, np.bool_)

    def _groups(self, tree: dict[str, Any]) -> Batches:
        keys = pa.RecordBatch.from_arrays(list(tree["keys"].values()), schema=self.operator.plan.keys)
        fresh = self.operator.groups.numbers(tree["first"], tree["second"], keys)
        right = self.certain or self.segments[self.segment].first
        self.numbers = np.concatenate([self.numbers, fresh])
        self.sure = np.concatenate([self.sure, np.full(fresh.size, right)])
        self.doubted = np.concatenate([self.doubted, np.zeros(fresh.size, np.bool_)])
        for stage in self.operator.stages.values():
            stage.grow(len(self.operator.groups))
        self.fed = np.concatenate([self.fed, np.zeros(len(self.operator.groups) - self.fed.size, np.int64)])
        return []

    def _runs(self, emitted: EmittedFrames, groups: np.ndarray) -> Batches:
        sure = self.sure[groups]
        if not sure.all():
            emitted = emitted.take(np.flatnonzero(sure))
        return self.operator.episodes.batches(emitted, self.operator.groups)

    def _warm_up(self, chunk: chunks.Chunk) -> Batches:
        numbers = self.operator.groups.numbers(chunk.first, chunk.second, chunk.keys)
        self.fed[numbers] += np.diff(chunk.rows.bounds)
        return self.operator.feed(Rows(numbers, chunk.rows.bounds, chunk.rows.ts, chunk.rows.columns))

    def _same_state(self, tree: dict[str, Any]) -> Batches:
        groups = tree["groups"]
        alike = same_state(self.operator.episodes.scan.chosen(self.numbers[groups]), tree["state"])
        self.sure[groups[alike]] = True
        self.doubted[groups[~alike]] = True
        return []

    def _boundary_runs(self, tree: dict[str, Any]) -> Batches:
        """The rows of the first instant do what they do; then the rest of their run is added, and its end applied."""
        boundary_run = boundary_of_tree(tree, self.numbers)
        found = self.operator.feed(boundary_run.first)
        scan, runs = self.operator.episodes.scan, boundary_run.reason != NO_RUN
        groups = boundary_run.first.groups[runs]
        scan.lanes[groups, 0, END] = boundary_run.end[runs]
        scan.lanes[groups, 0, ROWS] += boundary_run.more[runs]
        scan.last[groups, 1] = boundary_run.end[runs]
        if isinstance(self.operator.plan.compiled.rule, GapRule):
            scan.own[groups, 0, 0] = boundary_run.end[runs]
        return found + self._ended(boundary_run)

    def _ended(self, boundary_run: BoundaryRun) -> Batches:
        found: Batches = []
        ended = (boundary_run.reason != NO_RUN) & (boundary_run.reason != STILL_OPEN)
        for why, bits in ((boundary_run.reason == GAP, TIMEOUT), (boundary_run.reason != GAP, MISSING_REPORT)):
            mine = np.flatnonzero(ended & why)
            if mine.size:
                said = control_rows(
                    boundary_run.first.groups[mine], boundary_run.end[mine], self.operator.plan.columns, bits
                )
                found += self.operator.feed(said)
        return found

    def _end(self, tree: dict[str, Any]) -> Batches:
        groups = tree["groups"]
        right = self.sure[groups]
        for name, stage in self.operator.stages.items():
            saved = tree["states"][name]
            # Stages keep arrays by group; a few have values beside them, which they sort out themselves.
            stage.adopt(self.numbers[groups[right]], _of(stage, saved, right))
        return self._again(np.flatnonzero(self.doubted))

    def _again(self, groups: np.ndarray) -> Batches:
        """Groups for which the segment was wrong: their other rows are read again."""
        if not groups.size:
            return []
        numbers = self.numbers[groups]
        index = self.operator.groups
        found: Batches = []
        for rows in self.reread(self.segments[self.segment], index.first[numbers], index.second[numbers]):
            rest = _without(Rows(numbers[rows.groups], rows.bounds, rows.ts, rows.columns), self.fed)
            found += self.operator.feed(rest)
        return found


def _of(stage: Any, saved: dict[str, Any], right: np.ndarray) -> dict[str, Any]:
    """What was saved, of some of the groups."""
    if right.all():
        return saved
    kept = {name: saved[name][right] for name in stage.per_group}
    return {**saved, **kept}


def _without(rows: Rows, fed: np.ndarray) -> Rows:
    """The rows but the first `fed` of each group, which is counted down."""
    sizes = np.diff(rows.bounds)
    gone = np.minimum(fed[rows.groups], sizes)
    fed[rows.groups] -= gone
    ordinal = np.arange(len(rows)) - np.repeat(rows.bounds[:-1], sizes)
    return rows.filter(ordinal >= np.repeat(gone, sizes))


def merge(
    make: Callable[[], SegmentMerger], partial_results: Iterable[tuple[int, int, pa.Buffer]]
) -> Iterator[pa.RecordBatch]:
    """The frames of partial results (partition, segment, bytes) that are sorted by partition and segment."""
    merger: SegmentMerger | None = None
    current = -1
    for partition, segment, data in partial_results:
        if merger is None or partition != current:
            if merger is not None:
                yield from merger.finish()
            merger, current = make(), partition
        yield from merger.add(partition, segment, data)
    if merger is not None:
        yield from merger.finish()
