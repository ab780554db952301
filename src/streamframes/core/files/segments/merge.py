"""The join: what the legs of a bucket say, one leg after the other, becomes its frames.

The operator here always knows what is true. A leg tells it where its groups stood at the end, which is taken over
wherever the leg can have known: from the start, after a seam, or after a head that led both to the same state.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.batch import chunk as chunks
from streamframes.core.batch.rows import Rows, control_rows
from streamframes.core.files.segments.first_run import NO_RUN, Seam, has_seams, seam_of_tree
from streamframes.core.files.segments.partial import Route, runs_of
from streamframes.core.files.segments.split import Leg
from streamframes.core.files.segments.warm_up import same_state
from streamframes.core.frames.emitted import EmittedFrames
from streamframes.core.frames.kernel import END, GAP, MISSING_REPORT, ROWS, STILL_OPEN, TIMEOUT
from streamframes.core.frames.operator import FramePlan
from streamframes.core.operator.state_codec import decode, is_tree
from streamframes.core.schemes.gap import GapRule

Batches = list[pa.RecordBatch]
# The rows of some groups of a leg, in order: fingerprints in, rows with their numbers among these out.
Rereading = Callable[[Leg, np.ndarray, np.ndarray], Iterable[Rows]]


class Joiner:
    """The legs of one bucket, of which this part tells some."""

    def __init__(self, plan: FramePlan, legs: list[Leg], route: Route, reread: Rereading) -> None:
        self.operator = plan.operator()
        self.legs = {leg.number: leg for leg in legs}
        self.route = route
        self.reread = reread
        self.certain = has_seams(plan)
        self.leg = -1
        self.tells = False
        self.partition = 0
        # Of the groups of the leg: their numbers here, whether the leg is right about them, and how many rows came.
        self.numbers = np.empty(0, np.int64)
        self.sure = np.empty(0, np.bool_)
        self.doubted = np.empty(0, np.bool_)
        self.fed = np.zeros(0, np.int64)

    def add(self, partition: int, leg: int, data: pa.Buffer) -> Batches:
        """Take the next parcel; returns frames."""
        if leg != self.leg:
            self._begin(partition, leg)
        if not is_tree(data):
            found = self._head(chunks.decode(data))
            return found if self.tells else []
        tree: dict[str, Any] = decode(data)
        if tree["kind"] == "runs":
            return self._runs(runs_of(tree, self.numbers), tree["groups"])
        steps = {"groups": self._groups, "seams": self._seams, "coupled": self._coupled, "end": self._end}
        found = steps[tree["kind"]](tree)
        return found if self.tells else []

    def finish(self) -> Batches:
        """What the end of the data closes; the first part of a bucket tells it."""
        found = self.operator.finish()
        return found if self.route.is_first(self.partition) else []

    def _begin(self, partition: int, leg: int) -> None:
        self.partition, self.leg = partition, leg
        bucket = partition // self.route.parts
        self.tells = self.route.is_first(partition) if self.certain else self.route.of_leg(bucket, leg) == partition
        self.numbers, self.fed = np.empty(0, np.int64), np.zeros(0, np.int64)
        self.sure, self.doubted = np.empty(0, np.bool_), np.empty(0, np.bool_)

    def _groups(self, tree: dict[str, Any]) -> Batches:
        keys = pa.RecordBatch.from_arrays(list(tree["keys"].values()), schema=self.operator.plan.keys)
        fresh = self.operator.groups.numbers(tree["first"], tree["second"], keys)
        right = self.certain or self.legs[self.leg].first
        self.numbers = np.concatenate([self.numbers, fresh])
        self.sure = np.concatenate([self.sure, np.full(fresh.size, right)])
        self.doubted = np.concatenate([self.doubted, np.zeros(fresh.size, np.bool_)])
        for stage in self.operator.stages.values():
            stage.grow(len(self.operator.groups))
        self.fed = np.concatenate([self.fed, np.zeros(len(self.operator.groups) - self.fed.size, np.int64)])
        return []

    def _runs(self, told: EmittedFrames, groups: np.ndarray) -> Batches:
        sure = self.sure[groups]
        if not sure.all():
            told = told.take(np.flatnonzero(sure))
        return self.operator.episodes.batches(told, self.operator.groups)

    def _head(self, chunk: chunks.Chunk) -> Batches:
        numbers = self.operator.groups.numbers(chunk.first, chunk.second, chunk.keys)
        self.fed[numbers] += np.diff(chunk.rows.bounds)
        return self.operator.feed(Rows(numbers, chunk.rows.bounds, chunk.rows.ts, chunk.rows.columns))

    def _coupled(self, tree: dict[str, Any]) -> Batches:
        groups = tree["groups"]
        alike = same_state(self.operator.episodes.scan.chosen(self.numbers[groups]), tree["state"])
        self.sure[groups[alike]] = True
        self.doubted[groups[~alike]] = True
        return []

    def _seams(self, tree: dict[str, Any]) -> Batches:
        """The rows of the first instant do what they do; then the rest of their run is added, and its end told."""
        seam = seam_of_tree(tree, self.numbers)
        found = self.operator.feed(seam.first)
        scan, runs = self.operator.episodes.scan, seam.reason != NO_RUN
        groups = seam.first.groups[runs]
        scan.lanes[groups, 0, END] = seam.end[runs]
        scan.lanes[groups, 0, ROWS] += seam.more[runs]
        scan.last[groups, 1] = seam.end[runs]
        if isinstance(self.operator.plan.compiled.rule, GapRule):
            scan.own[groups, 0, 0] = seam.end[runs]
        return found + self._ended(seam)

    def _ended(self, seam: Seam) -> Batches:
        found: Batches = []
        ended = (seam.reason != NO_RUN) & (seam.reason != STILL_OPEN)
        for why, bits in ((seam.reason == GAP, TIMEOUT), (seam.reason != GAP, MISSING_REPORT)):
            mine = np.flatnonzero(ended & why)
            if mine.size:
                said = control_rows(seam.first.groups[mine], seam.end[mine], self.operator.plan.columns, bits)
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
        """Groups for which the leg was wrong: their other rows are read again."""
        if not groups.size:
            return []
        numbers = self.numbers[groups]
        index = self.operator.groups
        found: Batches = []
        for rows in self.reread(self.legs[self.leg], index.first[numbers], index.second[numbers]):
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


def join(make: Callable[[], Joiner], parcels: Iterable[tuple[int, int, pa.Buffer]]) -> Iterator[pa.RecordBatch]:
    """The frames of parcels (partition, leg, bytes) that are sorted by partition and leg."""
    joiner: Joiner | None = None
    current = -1
    for partition, leg, data in parcels:
        if joiner is None or partition != current:
            if joiner is not None:
                yield from joiner.finish()
            joiner, current = make(), partition
        yield from joiner.add(partition, leg, data)
    if joiner is not None:
        yield from joiner.finish()
