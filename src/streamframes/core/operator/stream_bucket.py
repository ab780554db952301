"""The bucket of a stream, step by step: late rows are counted, others wait and are released in order.

  chunks ──> late? ──> waiting ──> released up to the watermark ──> operator ──> results
                                             │
  watermark, punctuation, schedule ──────────┘

All rows of a group before its watermark have been seen: they are released, in order. A row that comes for an instant
before it is late, and counted (`_without_late`). A step takes what one micro-batch brings to the bucket, and leaves all
that must be known later in a store, as bytes; a bucket holds nothing else between two steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from streamframes.core.batch.chunk import Chunk, decode, summary_of
from streamframes.core.batch.clock import MAX_INSTANT, MIN_INSTANT
from streamframes.core.batch.groups import fingerprints
from streamframes.core.batch.reorder_buffer import in_order
from streamframes.core.batch.rows import gather, no_rows
from streamframes.core.batch.tree import Tree, array_at, number_at, tree_at
from streamframes.core.operator import state_codec
from streamframes.core.operator.protocol import Operator, OperatorPlan
from streamframes.core.operator.step import Step, check_identity, group_of, late_row, numbered, punctuation, reported
from streamframes.core.operator.store import Store, WaitingChunks
from streamframes.errors import StreamFramesError


@dataclass(frozen=True)
class StreamPlan:
    """A plan on a stream; `identity` names what must not change while a checkpoint is in use."""

    plan: OperatorPlan
    identity: Mapping[str, str]
    late: str = "count"
    punctuations: bool = False

    @property
    def counters(self) -> tuple[str, ...]:
        """The names of what is counted."""
        return (*StreamBucket.COUNTERS, *self.plan.counters)

    @property
    def result_schema(self) -> pa.Schema:
        """The columns of the results."""
        return self.plan.result_schema

    def with_lookup(self, columns: Sequence[pa.Array]) -> StreamPlan:
        """The plan, completed by a lookup table."""
        return replace(self, plan=self.plan.with_lookup(columns))

    def bucket(self, store: Store, given: Iterable[tuple[int, pa.Buffer]] = ()) -> StreamBucket:
        """A bucket of this plan, with its state, and with what is given before its first step."""
        (bucket := StreamBucket(self, store)).take(given)
        return bucket


class StreamBucket:
    """The operator of one bucket, the watermarks of its groups, and the rows that wait."""

    # Late rows of a step; open frames, waiting rows and groups after it; what it reports; the watermark of the bucket.
    COUNTERS = ("late", "open", "waiting", "groups", "results", "fragments", "watermark")

    def __init__(self, plan: StreamPlan, store: Store, operator: Operator | None = None) -> None:
        self.plan = plan
        self.store = store
        self.operator = operator if operator is not None else plan.plan.operator(live=True)
        self.watermark = MIN_INSTANT
        # Watermarks of groups that are ahead of the bucket's, by punctuation or by their schedule.
        self.group_watermarks = np.empty(0, np.int64)
        # The output watermarks that punctuation has announced, for each group.
        self.announced = np.empty((0, 2), np.int64)
        self.waiting = WaitingChunks(store)
        if (saved := store.read()) is not None:
            self._restore(state_codec.decode(saved))

    def take(self, chunks: Iterable[tuple[int, pa.Buffer]]) -> None:
        """Let the operator take what is given before the first step: rows of any input."""
        for chunk in (decode(data) for _, data in chunks if len(data)):
            self.operator.take(numbered(chunk, self._numbers(chunk)), chunk.input_number)

    def step(self, chunks: Iterable[tuple[int, pa.Buffer]], watermark: int = MIN_INSTANT) -> Step:
        """Take chunks (start, bytes), and the watermark before which all rows have been seen.

        A chunk without bytes is punctuation: all rows of all groups up to its start have been seen.
        """
        before, self.watermark = self.watermark, max(self.watermark, watermark)
        arrived, n_late = self._arrived(chunks, before)
        arrived.sort(key=lambda chunk: int(chunk.rows.ts.min(initial=MAX_INSTANT)))
        scheduled = self.operator.scheduled_groups
        results = self._release(arrived, advance=self.watermark - before)
        if scheduled is not None and (self.operator.scheduled_groups or 0) > scheduled:
            # Groups whose schedule is known now may have reports waiting that continue it.
            results += self._release(self.waiting.take_before(None), advance=1)
        passed = reported(results, self.plan.plan.prefix)
        if self.plan.punctuations:
            results += self._punctuations()
        figures = self.operator.figures()
        self._forget()
        now = figures.pop("open"), self.waiting.n_rows + figures.pop("held"), len(self.operator.groups)
        self.save()
        counters = dict(zip(self.COUNTERS, (n_late, *now, *passed, self.watermark), strict=True))
        return Step(results, {**counters, **figures}, self._next_due())

    def _arrived(self, chunks: Iterable[tuple[int, pa.Buffer]], before: int) -> tuple[list[Chunk], int]:
        """The chunks of which rows may leave now, without late rows, and how many of those there are."""
        own_before, n_late = self.group_watermarks.copy(), 0
        arrived: list[Chunk] = []
        unopened: list[tuple[int, pa.Buffer]] = []
        for start, data in chunks:
            if not len(data):
                self.watermark = max(self.watermark, start + (start > MIN_INSTANT))
            elif self._must_open(start, data, before):
                chunk, late = self._without_late(decode(data), before, own_before)
                n_late += late
                arrived.append(chunk)
            else:
                unopened.append((start, data))
        latest = max(self.watermark, int(self.group_watermarks.max(initial=MIN_INSTANT)))
        for start, data in unopened:
            if start < latest:
                arrived.append(decode(data))
            else:
                self.waiting.put(start, data)
        # On a schedule any row may leave: a report may continue it.
        return arrived + self.waiting.take_before(None if self._is_scheduled else latest), n_late

    @property
    def _is_scheduled(self) -> bool:
        return self.operator.scheduled_groups is not None

    def _must_open(self, start: int, data: pa.Buffer, before: int) -> bool:
        """Whether rows may be late, bring punctuation, be ahead of the watermark, or need not wait."""
        ahead = self.group_watermarks.size and start < self.group_watermarks.max()
        looked_at = self._is_scheduled or self.operator.is_selective
        return bool(start < before or ahead or summary_of(data).announces or looked_at)

    def _without_late(self, chunk: Chunk, before: int, own_before: np.ndarray) -> tuple[Chunk, int]:
        """The rows that are not late, and how many are; then the watermarks of its groups move to their punctuation.

        What comes in one step comes at once: punctuation makes late only what comes in a later one.
        """
        numbers = self._numbers(chunk)
        watermarks = np.full(numbers.size, before)
        known = numbers < own_before.size
        watermarks[known] = np.maximum(own_before[numbers[known]], before)
        late = chunk.rows.ts < np.repeat(watermarks, np.diff(chunk.rows.bounds))
        if late.any() and self.plan.late == "fail":
            row = int(np.flatnonzero(late)[0])
            raise StreamFramesError(late_row(self.plan.plan.layout, chunk, row, int(watermarks[group_of(chunk, row)])))
        punctuated = chunk.upto + (chunk.upto > MIN_INSTANT)
        self.group_watermarks[numbers] = np.maximum(self.group_watermarks[numbers], punctuated)
        return chunk.filter(~late) if late.any() else chunk, int(late.sum())

    def _numbers(self, chunk: Chunk) -> np.ndarray:
        numbers = self.operator.groups.numbers(chunk.first, chunk.second, chunk.keys)
        self._grow()
        return numbers

    def _grow(self) -> None:
        fresh = len(self.operator.groups) - self.group_watermarks.size
        self.group_watermarks = np.concatenate([self.group_watermarks, np.full(fresh, MIN_INSTANT)])
        self.announced = np.concatenate([self.announced, np.full((fresh, 2), MIN_INSTANT)])

    @property
    def watermarks(self) -> np.ndarray:
        """The watermark of each group."""
        self._grow()
        return np.maximum(self.group_watermarks, self.watermark)

    def _release(self, chunks: list[Chunk], advance: int) -> list[pa.RecordBatch]:
        """Feed the operator with the rows before the watermarks; the others wait, in time buckets of an `advance`."""
        parts = [numbered(chunk, self._numbers(chunk)) for chunk in chunks]
        if parts and self._is_scheduled:
            watermarks = self.operator.advance_schedule(in_order(gather(parts)), self.watermarks)
            self.group_watermarks = np.where(watermarks > self.watermark, watermarks, self.group_watermarks)
        watermarks = self.watermarks
        leaving = []
        for chunk, rows in zip(chunks, parts, strict=True):
            leaves = rows.ts < watermarks[rows.group_of_row]
            waits = ~leaves
            if self.operator.is_selective:
                wanted = self.operator.wanted(rows)
                leaves, waits = leaves & wanted, waits & wanted
            leaving.append(rows.filter(leaves))
            if waits.any():
                self.waiting.put_rows(chunk.filter(waits), None if waits.all() else max(1, advance))
        released = in_order(gather(leaving)) if leaving else no_rows(self.plan.plan.columns)
        return list(self.operator.feed(released, watermarks))

    def min_unreported_start(self, keys: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The fingerprint of each group by these columns, and the instant before which nothing is still to be reported.

        Of groups that are not known, nothing is still to be reported before `watermark`.
        """
        groups, names = self.operator.groups, self.plan.plan.keys.names
        starts = self.operator.min_unreported_start(self.watermarks)
        if list(keys) == names:
            return groups.first, groups.second, starts
        values = dict(zip(names, groups.values(np.arange(len(groups))), strict=True))
        return *fingerprints([values[name] for name in keys], len(groups)), starts

    def _punctuations(self) -> list[pa.RecordBatch]:
        """For each group whose output watermark has moved: a row that says how far."""
        watermarks = self.watermarks
        if not watermarks.size:
            return []
        known = np.stack(self.operator.output_watermark(watermarks), axis=1)
        moved = np.flatnonzero((known > self.announced).any(axis=1) & (watermarks > MIN_INSTANT))
        if not moved.size:
            return []
        self.announced[moved] = known[moved]
        return [punctuation(self.plan.plan, self.operator.groups.values(moved), known[moved])]

    def _forget(self) -> None:
        """Drop the groups of which nothing need be known, once they are many."""
        idle = self.operator.idle_groups() & (self.group_watermarks <= self.watermark)
        if self.plan.punctuations or 2 * idle.sum() < max(1, idle.size):
            return
        numbers = np.flatnonzero(~idle)
        self.operator.retain(numbers)
        self.group_watermarks, self.announced = self.group_watermarks[numbers], self.announced[numbers]

    def _next_due(self) -> int | None:
        """The next advance of time, as long as there is anything here, so that all buckets report their counters."""
        busy = self.plan.punctuations or len(self.waiting) or not self.operator.idle_groups().all()
        return self.watermark + 1 if busy else None

    def save(self) -> None:
        """Write everything that must be known to go on later."""
        tree: Tree = {
            "identity": dict(self.plan.identity),
            "watermark": self.watermark,
            "group_watermarks": self.group_watermarks,
            "announced": self.announced,
            "waiting": self.waiting.snapshot(),
            "operator": self.operator.snapshot(),
        }
        self.store.write(state_codec.encode(tree))

    def _restore(self, tree: Tree) -> None:
        check_identity(tree_at(tree, "identity"), self.plan.identity)
        self.watermark = number_at(tree, "watermark")
        self.group_watermarks, self.announced = array_at(tree, "group_watermarks"), array_at(tree, "announced")
        self.waiting.restore(tree_at(tree, "waiting"))
        self.operator.restore(tree_at(tree, "operator"))
