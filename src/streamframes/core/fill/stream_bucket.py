"""Filling in a stream: one bucket, step by step, with two waiting lists.

  frames ──> framing, or given ──> waiting for rows ──┐
                                                      ├──> filled frames, tagged rows
  rows ────> late? ──────────────> waiting for frames ┘

A frame leaves when all rows up to its end have been seen; a row leaves when no frame that could hold it can still
come. Either side may be given: the frames of a table, or the rows of a historical table, which are there before the
stream begins.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.batch.chunk import Chunk, decode, summary_of
from streamframes.core.batch.clock import MIN_INSTANT
from streamframes.core.batch.groups import fingerprints
from streamframes.core.batch.packer import split_by_time
from streamframes.core.batch.reorder_buffer import in_order
from streamframes.core.batch.rows import Rows, gather, no_rows
from streamframes.core.fill.pending_frames import DONE, GROUP, HIGH, LOW, NEVER, Filler
from streamframes.core.fill.plan import FRAMES, ROWS, FillPlan
from streamframes.core.fill.row_buffer import GROUP as SHELVED
from streamframes.core.fill.row_buffer import Shelf
from streamframes.core.frames.edges import Move, lookback_of, moved
from streamframes.core.operator import state_codec
from streamframes.core.operator.step import Step, check_identity, late_row
from streamframes.core.operator.store import SharedStore, Store
from streamframes.core.operator.stream_bucket import StreamBucket, StreamPlan
from streamframes.errors import StreamFramesError

Chunks = Iterable[tuple[int, pa.Buffer]]
# Late rows of this step; rows and frames that wait after it; and of all steps so far their number, sums and maxima.
COUNTERS = ("fill_late", "fill_rows", "fill_frames", "steps", "sum_rows", "sum_frames", "max_rows", "max_frames")


@dataclass(frozen=True)
class FillStreamPlan:
    """A filling in a stream: where frames come from, how they are moved, and who says what has been seen.

    Without `framing`, the frames are given; with `rows_given`, the rows are. `frames_watched` says that the watermark
    speaks for the rows that are framed, too.
    """

    fill: FillPlan
    identity: Mapping[str, str]
    framing: StreamPlan | None = None
    moves: tuple[Move, ...] = ()
    rows_given: bool = False
    frames_watched: bool = True
    late: str = "count"

    @property
    def counters(self) -> tuple[str, ...]:
        """The names of what is counted."""
        return (*StreamBucket.COUNTERS, *COUNTERS)

    @property
    def result_schema(self) -> pa.Schema:
        """The columns of the results."""
        return self.fill.result_schema

    def bucket(self, store: Store, given: Chunks = ()) -> FillBucket:
        """A bucket of this plan, with its state, and with what is given before its first step."""
        bucket = FillBucket(self, store)
        bucket.begin(given)
        return bucket


class FillBucket:
    """The filling of one bucket of a stream."""

    def __init__(self, plan: FillStreamPlan, store: Store) -> None:
        self.plan = plan
        self.store = SharedStore(store, 2)
        first, self.own = self.store.parts
        self.framing = StreamBucket(plan.framing, first) if plan.framing is not None else None
        self.filler = Filler(plan.fill)
        self.shelf = Shelf(self.own)
        self.point = NEVER if plan.rows_given else MIN_INSTANT
        self.reach = lookback_of(plan.moves)
        self.record = np.zeros(5, np.int64)
        saved = self.own.read()
        if saved is not None:
            self._load(state_codec.decode(saved))

    def begin(self, chunks: Chunks) -> None:
        """Take what is given, before the first step."""
        for _, data in chunks:
            if not len(data):
                continue
            chunk = decode(data)
            numbers = self._numbers(chunk)
            if chunk.input_number == ROWS:
                self.shelf.put(chunk, numbers, seen=True)
            else:
                frames = pa.RecordBatch.from_arrays(chunk.rows.columns, schema=self.plan.fill.frames)
                self.filler.add(frames, np.repeat(numbers, np.diff(chunk.rows.bounds)))

    def step(self, chunks: Chunks, watermark: int = MIN_INSTANT) -> Step:
        """Take chunks (start, bytes) of both sides, and the news that all rows before the watermark have been seen."""
        ours, theirs = _by_input(chunks)
        framed = self._framed(ours, watermark)
        before, self.point = self.point, max(self.point, watermark)
        arrived, late = self._arrived(theirs, before)
        self._take_frames(framed.results)
        parts = [(chunk, self._rows(chunk)) for chunk in (*arrived, *self.shelf.take_due(self.point))]
        useful_from = self._useful_from()
        results = self._fill(parts, useful_from, advance=self.point - before)
        self._purge(useful_from)
        self._forget()
        counters = self._counters(framed, late)
        self.own.write(state_codec.encode(self._save()))
        self.store.write()
        busy = framed.due is not None or len(self.filler) or self.shelf.n_rows
        woken = framed.due if self.plan.rows_given else self.point + 1
        return Step(results, counters, woken if busy else None)

    def _framed(self, chunks: list[tuple[int, pa.Buffer]], watermark: int) -> Step:
        if self.framing is None:
            return Step([], dict.fromkeys(StreamBucket.COUNTERS, 0) | {"watermark": watermark}, None)
        return self.framing.step(chunks, watermark if self.plan.frames_watched else MIN_INSTANT)

    def _arrived(self, chunks: list[tuple[int, pa.Buffer]], before: int) -> tuple[list[Chunk], int]:
        """The chunks of rows without those that are late, and how many are."""
        arrived, n_late = [], 0
        for _, data in chunks:
            chunk = decode(data)
            late = chunk.rows.ts < before
            if late.any() and self.plan.late == "fail":
                raise StreamFramesError(
                    late_row(self.plan.fill.row_layout, chunk, int(np.flatnonzero(late)[0]), before)
                )
            n_late += int(late.sum())
            arrived.append(chunk.filter(~late) if late.any() else chunk)
        return arrived, n_late

    def _take_frames(self, results: list[pa.RecordBatch]) -> None:
        """Let the frames that the framing has told wait for rows, by the group that rows go by."""
        plan = self.plan.fill
        for frames in results:
            name = f"{plan.prefix}final"
            final = np.asarray(frames.column(name).to_numpy(False)) if plan.fragments else None
            frames = moved(frames, self.plan.moves, plan.prefix, final)
            keys = frames.select(plan.keys.names)
            numbers = self.filler.groups.numbers(*fingerprints(keys.columns, frames.num_rows), keys)
            self.filler.add(frames, numbers, final)

    def _fill(self, parts: list[tuple[Chunk, Rows]], useful_from: np.ndarray, advance: int) -> list[pa.RecordBatch]:
        """Fill frames with the rows that leave now, and let the others wait."""
        offered = [self._held(rows) for rows in self._seen_too_early()]
        for chunk, rows in parts:
            leaves = rows.ts < self.point
            offered.append(self._held(rows))
            # Where frames are given, none will come that is not known.
            waits = ~leaves if self.framing is not None else ~leaves & self.filler.holds(rows)
            self._shelve(chunk, waits, advance, seen=False)
            self._shelve(chunk, leaves & (rows.ts >= useful_from[rows.group_of_row]), advance, seen=True)
        rows = in_order(gather(offered)) if offered else no_rows(self.plan.fill.columns)
        return self.filler.fill(rows, self.point)

    def _rows(self, chunk: Chunk) -> Rows:
        """The rows under the numbers of the filler's groups."""
        return Rows(self._numbers(chunk), chunk.rows.bounds, chunk.rows.ts, chunk.rows.columns)

    def _numbers(self, chunk: Chunk) -> np.ndarray:
        return self.filler.groups.numbers(chunk.first, chunk.second, chunk.keys)

    def _held(self, rows: Rows) -> Rows:
        """The rows that leave now and are in a frame."""
        return rows.filter((rows.ts < self.point) & self.filler.holds(rows))

    def _seen_too_early(self) -> Iterator[Rows]:
        """Rows that were offered before the frames that have come, or grown, since."""
        n_groups = len(self.filler.groups)
        low, high = np.full(n_groups, NEVER), np.full(n_groups, MIN_INSTANT)
        table = self.filler.table
        lacks = table[table[:, DONE] <= np.minimum(table[:, HIGH], self.point - 1)]
        np.minimum.at(low, lacks[:, GROUP], np.maximum(lacks[:, LOW], lacks[:, DONE]))
        np.maximum.at(high, lacks[:, GROUP], lacks[:, HIGH])
        for chunk in self.shelf.look(low, high):
            yield self._rows(chunk)

    def _shelve(self, chunk: Chunk, keep: np.ndarray, advance: int, *, seen: bool) -> None:
        if not keep.any():
            return
        rest = chunk.filter(keep)
        for piece in [rest] if seen or keep.all() else split_by_time(rest, max(1, advance)):
            self.shelf.put(piece, self._numbers(piece), seen=seen)

    def _useful_from(self) -> np.ndarray:
        """For each group the instant before which no row can be in a frame that is still to come or to grow."""
        groups = self.filler.groups
        if self.framing is None:
            return np.full(len(groups), NEVER)
        *pair, starts = self.framing.min_unreported_start(self.plan.fill.keys.names)
        numbers = groups.find(*pair)
        useful = np.full(len(groups), self.framing.watermark)
        np.minimum.at(useful, numbers[numbers >= 0], starts[numbers >= 0])
        return useful - self.reach

    def _purge(self, useful_from: np.ndarray) -> None:
        for chunk in self.shelf.purge(useful_from):
            rows = self._rows(chunk)
            self._shelve(chunk, rows.ts >= useful_from[rows.group_of_row], 1, seen=True)

    def _forget(self) -> None:
        """Drop the groups without frames and rows, once they are many."""
        busy = np.zeros(len(self.filler.groups), np.bool_)
        busy[self.shelf.lines[:, SHELVED]] = True
        busy[self.filler.table[:, GROUP]] = True
        if 2 * busy.sum() > busy.size:
            return
        numbers = np.flatnonzero(busy)
        place = np.full(busy.size, -1)
        place[numbers] = np.arange(numbers.size)
        self.shelf.renumber(place)
        self.filler.renumber(numbers, place)

    def _counters(self, framed: Step, late: int) -> dict[str, int]:
        """How much waits, now, at most and on average, for the query's progress."""
        rows, frames = self.shelf.n_rows, len(self.filler)
        steps, sum_rows, sum_frames, max_rows, max_frames = self.record.tolist()
        self.record[:] = steps + 1, sum_rows + rows, sum_frames + frames, max(max_rows, rows), max(max_frames, frames)
        told = zip(COUNTERS, (late, rows, frames, *self.record.tolist()), strict=True)
        return {**framed.counters, **dict(told)}

    def _save(self) -> dict[str, Any]:
        return {
            "identity": dict(self.plan.identity),
            "point": self.point,
            "record": self.record,
            "filler": self.filler.snapshot(),
            "shelf": self.shelf.snapshot(),
        }

    def _load(self, saved: dict[str, Any]) -> None:
        check_identity(saved["identity"], self.plan.identity)
        self.point, self.record = saved["point"], saved["record"]
        self.filler.restore(saved["filler"])
        self.shelf.restore(saved["shelf"])


def _by_input(
    chunks: Chunks,
) -> tuple[list[tuple[int, pa.Buffer]], list[tuple[int, pa.Buffer]]]:
    """Chunks to be framed, with those that only bring news, and chunks of rows that fill."""
    inputs: tuple[list[tuple[int, pa.Buffer]], list[tuple[int, pa.Buffer]]] = ([], [])
    for start, data in chunks:
        inputs[summary_of(data).input_number if len(data) else FRAMES].append((start, data))
    return inputs[FRAMES], inputs[ROWS]
