"""Streams: one bucket of a stream, step by step.

  chunks ──> late? ──> waiting, in time slots ──> released up to the point ──> framer ──> frames, fragments, rows
                                                        │
  watermark, punctuation, schedule ──> points ──────────┘

A *point* says of a group that all rows before this instant have been seen. Rows before it are released, in order;
a row that comes for an instant before it is late. A step takes what one micro-batch brings to the bucket, and leaves
everything that must be known later in a store, as bytes; a bucket holds nothing else between two steps.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.batch.chunk import NO_WORD, Chunk, decode, summary_of
from streamframes.core.batch.groups import fingerprints
from streamframes.core.batch.packer import packed, slots
from streamframes.core.batch.reorder_buffer import in_order
from streamframes.core.batch.rows import Rows, gather, no_rows, typed
from streamframes.core.frames.schedule import LATEST
from streamframes.core.operator import state
from streamframes.core.operator.protocol import AtWork, Counting, Plan, figures_of
from streamframes.core.operator.steps import Step, check_identity, group_of, late_row
from streamframes.core.operator.store import Store
from streamframes.errors import StreamFramesError

LATE = ("count", "fail")
# Columns of the table of waiting chunks.
_NUMBER, _START, _ROWS = range(3)


@dataclass(frozen=True)
class StreamPlan:
    """A framing of a stream: the framing, what it is called in a checkpoint, and what is done with late rows.

    `identity` names what must not change while a checkpoint is in use.
    """

    frames: Plan
    identity: Mapping[str, str]
    late: str = "count"
    punctuations: bool = False

    @property
    def figures(self) -> tuple[str, ...]:
        """The names of what is counted."""
        return (*BucketStream.FIGURES, *figures_of(self.frames))

    @property
    def result_schema(self) -> pa.Schema:
        """The columns of the results."""
        return self.frames.result_schema

    def bucket(self, store: Store, given: Iterable[tuple[int, pa.Buffer]] = ()) -> BucketStream:
        """A bucket of this plan, with its state; nothing is given to a framing."""
        return BucketStream(self, store)


class BucketStream:
    """The framing of one bucket of a stream."""

    # Late rows of a step; open frames and waiting rows after it; before which instant all rows have been seen.
    FIGURES = ("late", "open", "waiting", "point")

    def __init__(self, plan: StreamPlan, store: Store) -> None:
        self.plan = plan
        self.store = store
        self.framer: AtWork = plan.frames.framer(live=True)
        self.point = NO_WORD
        self.own_points = np.empty(0, np.int64)
        self.announced = np.empty((0, 2), np.int64)
        self.waiting = np.empty((0, 3), np.int64)
        self.next_number = 0
        saved = store.read()
        if saved is not None:
            self._load(state.decode(saved))

    def step(self, chunks: Iterable[tuple[int, pa.Buffer]], watermark: int = NO_WORD) -> Step:
        """Take chunks (start, bytes), and the news that all rows before the watermark have been seen.

        A chunk without bytes is punctuation: all rows of all groups up to its start have been seen.
        """
        before, own_before, late = self.point, self.own_points.copy(), 0
        self.point = max(self.point, watermark)
        arrived: list[Chunk] = []
        unopened: list[tuple[int, pa.Buffer]] = []
        for start, data in chunks:
            if not len(data):
                self.point = max(self.point, start + (start > NO_WORD))
            elif self._must_open(start, data, before):
                chunk, lost = self._on_time(decode(data), before, own_before)
                late += lost
                arrived.append(chunk)
            else:
                unopened.append((start, data))
        reach = max(self.point, int(self.own_points.max(initial=NO_WORD)))
        for start, data in unopened:
            if start < reach:
                arrived.append(decode(data))
            else:
                self._wait(start, data)
        arrived += self._due_chunks(reach)
        arrived.sort(key=lambda chunk: int(chunk.rows.ts.min(initial=LATEST)))
        n_started = self._n_started
        results = self._release(arrived, advance=self.point - before)
        if self._n_started > n_started:
            # Groups whose schedule is known now may have reports waiting that continue it.
            results += self._release(self._due_chunks(reach), advance=1)
        if self.plan.punctuations:
            results += self._punctuations()
        odd = self.framer.counted() if isinstance(self.framer, Counting) else {}
        self._forget()
        rows_waiting = int(self.waiting[:, _ROWS].sum()) + self.framer.n_held
        self.store.write(state.encode(self._save()))
        figures = zip(self.FIGURES, (late, self.framer.n_open, rows_waiting, self.point), strict=True)
        return Step(results, {**dict(figures), **odd}, self._next_due())

    def _must_open(self, start: int, data: pa.Buffer, before: int) -> bool:
        """Whether rows may be late, bring punctuation, or be ahead of the watermark."""
        ahead = self.own_points.size and start < self.own_points.max()
        return bool(start < before or ahead or summary_of(data).announces or self.framer.schedule is not None)

    def _on_time(self, chunk: Chunk, before: int, own_before: np.ndarray) -> tuple[Chunk, int]:
        """The rows that are not late, and how many are; then the points of its groups move to their punctuation.

        What comes in one step comes at once: punctuation makes late only what comes in a later one.
        """
        numbers = self._numbers(chunk)
        points = np.full(numbers.size, before)
        known = numbers < own_before.size
        points[known] = np.maximum(own_before[numbers[known]], before)
        late = chunk.rows.ts < np.repeat(points, np.diff(chunk.rows.bounds))
        if late.any() and self.plan.late == "fail":
            row = int(np.flatnonzero(late)[0])
            raise StreamFramesError(late_row(self.plan.frames.layout, chunk, row, int(points[group_of(chunk, row)])))
        self.own_points[numbers] = np.maximum(self.own_points[numbers], chunk.upto + (chunk.upto > NO_WORD))
        return chunk.filter(~late) if late.any() else chunk, int(late.sum())

    def _numbers(self, chunk: Chunk) -> np.ndarray:
        numbers = self.framer.groups.numbers(chunk.first, chunk.second, chunk.keys)
        fresh = len(self.framer.groups) - self.own_points.size
        self.own_points = np.concatenate([self.own_points, np.full(fresh, NO_WORD)])
        self.announced = np.concatenate([self.announced, np.full((fresh, 2), NO_WORD)])
        return numbers

    def _wait(self, start: int, data: Any) -> None:
        entry = [self.next_number, start, summary_of(data).rows]
        self.waiting = np.concatenate([self.waiting, [entry]])
        self.store.put(self.next_number, bytes(data))
        self.next_number += 1

    def _due_chunks(self, reach: int) -> list[Chunk]:
        """The waiting chunks of which rows may leave now. On a schedule any may: a report may continue it."""
        due = self.waiting[:, _START] < reach
        if self.framer.schedule is not None:
            due[:] = True
        chunks = []
        for number in self.waiting[due, _NUMBER].tolist():
            chunks.append(decode(pa.py_buffer(self.store.get(number))))
            self.store.remove(number)
        self.waiting = self.waiting[~due]
        return chunks

    def _release(self, chunks: list[Chunk], advance: int) -> list[pa.RecordBatch]:
        """Feed the framer with the rows before the points, and let the others wait, in slots of an `advance`."""
        parts = [_numbered(chunk, self._numbers(chunk)) for chunk in chunks]
        if self.framer.schedule is not None:
            points = np.maximum(self.own_points, self.point)
            if parts:
                self.framer.schedule.advance(in_order(gather(parts)), points.size, points)
            self.own_points = np.where(points > self.point, points, self.own_points)
        points = np.maximum(self.own_points, self.point)
        leaving = []
        for chunk, rows in zip(chunks, parts, strict=True):
            leaves = rows.ts < points[rows.group_of_row]
            leaving.append(rows.filter(leaves))
            if not leaves.all():
                rest = chunk.filter(~leaves)
                for piece in slots(rest, max(1, advance)) if leaves.any() else [rest]:
                    entry = packed(0, piece)
                    self._wait(entry.start, pa.py_buffer(entry.data))
        released = in_order(gather(leaving)) if leaving else no_rows(self.plan.frames.columns)
        return list(self.framer.feed(released, points))

    @property
    def _n_started(self) -> int:
        return self.framer.schedule.n_started if self.framer.schedule is not None else 0

    def untold(self, keys: Sequence[str]) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """The fingerprint of each group by these columns, and the instant before which nothing is still to be told.

        Of groups that are not known, nothing is still to be told before `point`.
        """
        groups, names = self.framer.groups, self.plan.frames.keys.names
        starts = self.framer.untold(np.maximum(self.own_points, self.point))
        if list(keys) == names:
            return groups.first, groups.second, starts
        values = dict(zip(names, groups.values(np.arange(len(groups))), strict=True))
        return *fingerprints([values[name] for name in keys], len(groups)), starts

    def _punctuations(self) -> list[pa.RecordBatch]:
        """For each group of which more is known than before: a row that says how much."""
        points = np.maximum(self.own_points, self.point)
        known = np.stack(self.framer.horizon(points), axis=1) if points.size else np.empty((0, 2), np.int64)
        news = np.flatnonzero((known > self.announced).any(axis=1) & (points > NO_WORD))
        if not news.size:
            return []
        self.announced[news] = known[news]
        plan = self.plan.frames
        told: dict[str, pa.Array] = dict(
            zip(plan.keys.names, self.framer.groups.values(news), strict=True),
        )
        for name, column in ((f"{plan.prefix}start", 0), (f"{plan.prefix}end", 1)):
            told[name] = typed(pa.array(known[news, column]), plan.ts_type)
        columns = [told.get(field.name, pa.nulls(news.size, field.type)) for field in plan.frame_schema]
        return [pa.RecordBatch.from_arrays(columns, schema=plan.frame_schema)]

    def _forget(self) -> None:
        """Drop the groups of which nothing need be known, once they are many."""
        idle = self.framer.is_idle & (self.own_points <= self.point)
        if self.plan.punctuations:
            idle &= False
        if 2 * idle.sum() < max(1, idle.size):
            return
        numbers = np.flatnonzero(~idle)
        self.framer.keep(numbers)
        self.own_points, self.announced = self.own_points[numbers], self.announced[numbers]

    def _next_due(self) -> int | None:
        """The next advance of time, as long as there is anything here; so the figures of all buckets are told."""
        busy = self.plan.punctuations or len(self.waiting) or not self.framer.is_idle.all()
        return self.point + 1 if busy else None

    def _save(self) -> dict[str, Any]:
        return {
            "identity": dict(self.plan.identity),
            "point": self.point,
            "own_points": self.own_points,
            "announced": self.announced,
            "waiting": self.waiting,
            "next_number": self.next_number,
            "framer": self.framer.save(),
        }

    def _load(self, saved: dict[str, Any]) -> None:
        check_identity(saved["identity"], self.plan.identity)
        self.point, self.next_number = saved["point"], saved["next_number"]
        self.own_points, self.announced = saved["own_points"], saved["announced"]
        self.waiting = saved["waiting"]
        self.framer.load(saved["framer"])


def _numbered(chunk: Chunk, numbers: np.ndarray) -> Rows:
    """The rows under the numbers of the bucket; groups that brought only punctuation are left out."""
    rows = chunk.rows
    some = np.diff(rows.bounds) > 0
    bounds = np.append(rows.bounds[:-1][some], rows.bounds[-1])
    return Rows(numbers[some], bounds, rows.ts, rows.columns)
