"""A leg at work: rows in order in, parcels out."""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from streamframes.core.batch.chunk import Chunk, encode
from streamframes.core.batch.clock import MIN_INSTANT
from streamframes.core.batch.packer import Packed
from streamframes.core.batch.rows import Rows
from streamframes.core.files.segments.first_run import Seam, Seams, has_seams, seam_as_tree
from streamframes.core.files.segments.partial import Post, Route
from streamframes.core.files.segments.split import Leg
from streamframes.core.files.segments.warm_up import Heads
from streamframes.core.frames.builder import ScannedRuns
from streamframes.core.frames.emitted import EmittedFrames, emitted_frames
from streamframes.core.frames.operator import FramePlan
from streamframes.core.operator.group_state import grown


def can_be_joined(plan: FramePlan) -> str:
    """Why frames cannot be found leg by leg; empty where they can."""
    scheme = plan.compiled
    if plan.tags:
        return "tag() returns rows, not frames"
    if plan.schedule is not None:
        return "a schedule makes up reports across the cut"
    if plan.reports_gaps:
        return "gaps=True needs the rows between frames"
    if scheme.hysteresis is not None:
        return "until= and merge_gap= look ahead"
    if scheme.lanes > 1:
        return "frames overlap"
    if scheme.kernel != "cached" or scheme.remembers:
        return "the scheme is written in Python or remembers more than its open frame"
    return ""


class LegRun:
    """The scan of one leg, as if nothing came before."""

    def __init__(self, plan: FramePlan, leg: Leg, route: Route) -> None:
        self.leg = leg
        self.operator = plan.operator()
        self.groups = self.operator.groups
        self.post = Post(route, leg.number, self.groups, certain=has_seams(plan))
        self.seams = Seams(plan) if not leg.first and has_seams(plan) else None
        self.heads = Heads(self.operator) if not leg.first and not has_seams(plan) else None

    def feed(self, rows: Rows) -> Iterator[Packed]:
        """What these rows, the next in order, let leave the worker."""
        yield from self.post.introduced()
        n_groups = len(self.groups)
        head = self.heads.rows(rows, n_groups) if self.heads is not None else None
        marked = self.operator.inputs.marked(rows)
        x = self.operator.inputs.prepared(marked)
        cut, _ = self.operator.episodes.scanned(marked, x, n_groups)
        told = cut.wanted
        if self.seams is not None:
            others, seams = self.seams.feed(marked, x, cut, n_groups)
            told = told & others
            yield from self._sewn(seams)
        if head is not None and self.heads is not None:
            told = told & self.heads.done[cut.runs.table[:, 0]]
            yield from self._sent(head)
            yield from self._coupled(self.heads.feed(self.operator.inputs.marked(head), n_groups))
        if told.any():
            yield from self.post.runs(_chosen(cut, told))

    def finish(self) -> Iterator[Packed]:
        """What is known at the end of the leg."""
        if self.seams is not None:
            yield from self._sewn(self.seams.finish())
        size = len(self.groups)
        for stage in self.operator.stages.values():
            stage.grow(size)
        # Of a group that is only named in a dictionary the leg knows nothing.
        known = self.operator.episodes.scan.last[:size, 0] != 0
        if self.seams is not None:
            known &= ~grown(self.seams.is_open, size)[:size]
        if self.heads is not None:
            known &= grown(self.heads.done, size)[:size]
        numbers = np.flatnonzero(known)
        for bucket, mine in self.post.by_bucket(numbers):
            chosen = numbers[mine]
            states = {name: stage.chosen(chosen) for name, stage in self.operator.stages.items()}
            yield from self.post.of_edges(bucket, {"kind": "end", "groups": self.post.place[chosen], "states": states})

    def _sewn(self, seams: list[Seam]) -> Iterator[Packed]:
        for seam in seams:
            for bucket, mine in self.post.by_bucket(seam.first.groups):
                yield from self.post.of_edges(bucket, seam_as_tree(seam, self.post.place, mine))

    def _sent(self, head: Rows) -> Iterator[Packed]:
        for bucket, mine in self.post.by_bucket(head.groups):
            chosen = np.zeros(head.groups.size, np.bool_)
            chosen[mine] = True
            part = head.filter(np.repeat(chosen, np.diff(head.bounds)))
            keys = pa.RecordBatch.from_arrays(self.groups.values(part.groups), schema=self.operator.plan.keys)
            first, second = self.groups.first[part.groups], self.groups.second[part.groups]
            rows = Rows(np.arange(part.groups.size), part.bounds, part.ts, part.columns)
            chunk = Chunk(rows, first, second, keys, np.full(first.size, MIN_INSTANT))
            yield from self.post.of_edges(bucket, encode(chunk))

    def _coupled(self, groups: np.ndarray) -> Iterator[Packed]:
        scan = self.operator.episodes.scan
        for bucket, mine in self.post.by_bucket(groups):
            tree = {"kind": "coupled", "groups": self.post.place[groups[mine]], "state": scan.chosen(groups[mine])}
            yield from self.post.of_edges(bucket, tree)


def _chosen(cut: ScannedRuns, told: np.ndarray) -> EmittedFrames:
    """Those of the runs that are told by the leg, with their measures."""
    values = cut.values
    if values and told is not cut.wanted:
        keep = pa.array(told[cut.wanted])
        values = [column.filter(keep) for column in values]
    return emitted_frames(cut.runs, told, cut.numbers, values)
