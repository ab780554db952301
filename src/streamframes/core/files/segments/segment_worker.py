"""A segment at work: rows in order in, partial results out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from streamframes.core.batch.chunk import Chunk, encode
from streamframes.core.batch.clock import MIN_INSTANT
from streamframes.core.batch.packer import Packed
from streamframes.core.batch.rows import Rows
from streamframes.core.files.segments.first_run import BoundaryRun, BoundaryRuns, boundary_as_tree
from streamframes.core.files.segments.partial import Outbox, Route
from streamframes.core.files.segments.split import Segment, has_boundary_runs
from streamframes.core.files.segments.warm_up import WarmUp
from streamframes.core.frames.builder import ScannedRuns
from streamframes.core.frames.emitted import EmittedFrames, emitted_frames
from streamframes.core.frames.operator import FramePlan
from streamframes.core.operator.group_state import grown


class SegmentScan:
    """The scan of one segment, as if nothing came before."""

    def __init__(self, plan: FramePlan, segment: Segment, route: Route) -> None:
        self.segment = segment
        self.operator = plan.operator()
        self.groups = self.operator.groups
        self.outbox = Outbox(route, segment.number, self.groups, certain=has_boundary_runs(plan))
        self.boundary_runs = BoundaryRuns(plan) if not segment.first and has_boundary_runs(plan) else None
        self.warm_ups = WarmUp(self.operator) if not segment.first and not has_boundary_runs(plan) else None

    def feed(self, rows: Rows) -> Iterator[Packed]:
        """What these rows, the next in order, let leave the worker."""
        yield from self.outbox.introduced()
        n_groups = len(self.groups)
        warm_up = self.warm_ups.rows(rows, n_groups) if self.warm_ups is not None else None
        marked = self.operator.inputs.marked(rows)
        x = self.operator.inputs.prepared(marked)
        cut, _ = self.operator.episodes.scanned(marked, x, n_groups)
        emitted = cut.wanted
        if self.boundary_runs is not None:
            others, boundary_runs = self.boundary_runs.feed(marked, x, cut, n_groups)
            emitted = emitted & others
            yield from self._boundaries(boundary_runs)
        if warm_up is not None and self.warm_ups is not None:
            emitted = emitted & self.warm_ups.done[cut.runs.table[:, 0]]
            yield from self._warm_up_rows(warm_up)
            yield from self._same_states(self.warm_ups.feed(self.operator.inputs.marked(warm_up), n_groups))
        if emitted.any():
            yield from self.outbox.runs(_chosen(cut, emitted))

    def finish(self) -> Iterator[Packed]:
        """What is known at the end of the segment."""
        if self.boundary_runs is not None:
            yield from self._boundaries(self.boundary_runs.finish())
        size = len(self.groups)
        for stage in self.operator.stages.values():
            stage.grow(size)
        # Of a group that is only named in a dictionary the segment has no state.
        known = self.operator.episodes.scan.last[:size, 0] != 0
        if self.boundary_runs is not None:
            known &= ~grown(self.boundary_runs.is_open, size)[:size]
        if self.warm_ups is not None:
            known &= grown(self.warm_ups.done, size)[:size]
        numbers = np.flatnonzero(known)
        for bucket, mine in self.outbox.by_bucket(numbers):
            chosen = numbers[mine]
            states = {name: stage.chosen(chosen) for name, stage in self.operator.stages.items()}
            yield from self.outbox.of_edges(
                bucket, {"kind": "end", "groups": self.outbox.place[chosen], "states": states}
            )

    def _boundaries(self, boundary_runs: list[BoundaryRun]) -> Iterator[Packed]:
        for boundary_run in boundary_runs:
            for bucket, mine in self.outbox.by_bucket(boundary_run.first.groups):
                yield from self.outbox.of_edges(bucket, boundary_as_tree(boundary_run, self.outbox.place, mine))

    def _warm_up_rows(self, warm_up: Rows) -> Iterator[Packed]:
        for bucket, mine in self.outbox.by_bucket(warm_up.groups):
            chosen = np.zeros(warm_up.groups.size, np.bool_)
            chosen[mine] = True
            part = warm_up.filter(np.repeat(chosen, np.diff(warm_up.bounds)))
            keys = pa.RecordBatch.from_arrays(self.groups.values(part.groups), schema=self.operator.plan.keys)
            first, second = self.groups.first[part.groups], self.groups.second[part.groups]
            rows = Rows(np.arange(part.groups.size), part.bounds, part.ts, part.columns)
            chunk = Chunk(rows, first, second, keys, np.full(first.size, MIN_INSTANT))
            yield from self.outbox.of_edges(bucket, encode(chunk))

    def _same_states(self, groups: np.ndarray) -> Iterator[Packed]:
        scan = self.operator.episodes.scan
        for bucket, mine in self.outbox.by_bucket(groups):
            tree = {"kind": "same state", "groups": self.outbox.place[groups[mine]], "state": scan.chosen(groups[mine])}
            yield from self.outbox.of_edges(bucket, tree)


def _chosen(cut: ScannedRuns, emitted: np.ndarray) -> EmittedFrames:
    """Those of the runs that the segment emits, with their measures."""
    values = cut.values
    if values and emitted is not cut.wanted:
        keep = pa.array(emitted[cut.wanted])
        values = [column.filter(keep) for column in values]
    return emitted_frames(cut.runs, emitted, cut.numbers, values)
