"""Filling in a stream: what frames are found in, and what fills them, each in a bucket of a stream, step by step.

  rows to frame ──> StreamBucket of the frames ──> moved ──> taken ──┐
  rows that fill ─────────────────────────────────────────> StreamBucket of FillOperator ──> results

Rows that fill wait until all frames that could hold them have come: for those still to come, the bucket of the frames
says before which instant none starts. Either input may be given instead, as a table that is there before the stream
begins: the frames, or the rows of a historical table.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from streamframes.core.batch.chunk import summary_of
from streamframes.core.batch.clock import MIN_INSTANT
from streamframes.core.batch.groups import fingerprints
from streamframes.core.batch.rows import Rows
from streamframes.core.batch.tree import array_at
from streamframes.core.fill.operator import FillOperator, FillPlan
from streamframes.core.fill.pending_frames import NEVER
from streamframes.core.fill.plan import FRAMES, ROWS
from streamframes.core.frames.edges import Move, lookback_of, moved
from streamframes.core.operator import state_codec
from streamframes.core.operator.step import Step
from streamframes.core.operator.store import SharedStore, Store
from streamframes.core.operator.stream_bucket import StreamBucket, StreamPlan

Chunks = Iterable[tuple[int, pa.Buffer]]
# Late rows of this step; rows and frames that wait after it; and of all steps so far their number, sums and maxima.
COUNTERS = ("fill_late", "fill_rows", "fill_frames", "steps", "sum_rows", "sum_frames", "max_rows", "max_frames")


@dataclass(frozen=True)
class FillStreamPlan:
    """A filling in a stream: where frames come from, how they are moved, and who says what has been seen.

    Without `frames`, they are given; with `rows_given`, the rows are. `frames_watched` says that the watermark
    speaks for the rows that are framed, too.
    """

    fill: FillPlan
    identity: Mapping[str, str]
    frames: StreamPlan | None = None
    moves: tuple[Move, ...] = ()
    rows_given: bool = False
    frames_watched: bool = True
    late: str = "count"

    @property
    def counters(self) -> tuple[str, ...]:
        """The names of what is counted."""
        return (*(StreamBucket.COUNTERS if self.frames is None else self.frames.counters), *COUNTERS)

    @property
    def result_schema(self) -> pa.Schema:
        """The columns of the results."""
        return self.fill.result_schema

    def with_lookup(self, columns: Sequence[pa.Array]) -> FillStreamPlan:
        """The plan, completed by a lookup table of the frames."""
        return self if self.frames is None else replace(self, frames=self.frames.with_lookup(columns))

    def bucket(self, store: Store, given: Chunks = ()) -> FillBucket:
        """A bucket of this plan, with its state, and with what is given before its first step."""
        bucket = FillBucket(self, store)
        bucket.filling.take(given)
        return bucket


class FillBucket:
    """One bucket of a stream: the bucket of its frames, and the bucket of the rows that fill them."""

    def __init__(self, plan: FillStreamPlan, store: Store) -> None:
        self.plan = plan
        self.store = SharedStore(store, 3)
        of_frames, of_rows, self.own = self.store.parts
        self.frames = None if plan.frames is None else StreamBucket(plan.frames, of_frames)
        self.operator = FillOperator(plan.fill, self._later_frames if self.frames else None, self.own)
        self.filling = StreamBucket(StreamPlan(plan.fill, plan.identity, plan.late), of_rows, self.operator)
        self.lookback = lookback_of(plan.moves)
        # Of all steps: their number, the sums and the maxima of what waits.
        self.record = np.zeros(5, np.int64)
        saved = self.own.read()
        if saved is not None:
            self.record = array_at(state_codec.decode(saved), "record")

    def step(self, chunks: Chunks, watermark: int = MIN_INSTANT) -> Step:
        """Take chunks (start, bytes) of both inputs, and the watermark before which all rows have been seen."""
        of_frames, of_rows = _by_input(chunks)
        framed = self._framed(of_frames, watermark)
        self._take_frames(framed.results)
        filled = self.filling.step(of_rows, NEVER if self.plan.rows_given else watermark)
        reported = {name: filled.counters[name] for name in ("results", "fragments")}
        counters = {**framed.counters, **reported, **self._counters(filled.counters)}
        self.own.write(state_codec.encode({"record": self.record}))
        self.store.write()
        is_busy = framed.due is not None or filled.due is not None
        woken = framed.due if self.plan.rows_given else self.filling.watermark + 1
        return Step(filled.results, counters, woken if is_busy else None)

    def _framed(self, chunks: list[tuple[int, pa.Buffer]], watermark: int) -> Step:
        if self.frames is None:
            return Step([], dict.fromkeys(StreamBucket.COUNTERS, 0) | {"watermark": watermark}, None)
        return self.frames.step(chunks, watermark if self.plan.frames_watched else MIN_INSTANT)

    def _take_frames(self, results: list[pa.RecordBatch]) -> None:
        """Let the frames that have been found wait for rows, by the group that rows go by."""
        plan = self.plan.fill
        for frames in results:
            final = np.asarray(frames.column(f"{plan.prefix}final").to_numpy(False)) if plan.fragments else None
            frames = moved(frames, self.plan.moves, plan.prefix, final)
            keys = frames.select(plan.keys.names)
            numbers = self.operator.groups.numbers(*fingerprints(keys.columns, frames.num_rows), keys)
            size = frames.num_rows
            self.operator.take(Rows(numbers, np.arange(size + 1), np.zeros(size, np.int64), frames.columns), FRAMES)

    def _later_frames(self) -> np.ndarray:
        """For each group of rows the instant before which no frame starts, or grows, that is still to come."""
        groups = self.operator.groups
        if self.frames is None:
            return np.full(len(groups), NEVER)
        first, second, starts = self.frames.min_unreported_start(self.plan.fill.keys.names)
        numbers = groups.find(first, second)
        earliest = np.full(len(groups), self.frames.watermark)
        np.minimum.at(earliest, numbers[numbers >= 0], starts[numbers >= 0])
        return earliest - self.lookback

    def _counters(self, filled: Mapping[str, int]) -> dict[str, int]:
        """How much waits, now, at most and on average, for the query's progress."""
        rows, frames = filled["waiting"], filled["open"]
        steps, sum_rows, sum_frames, max_rows, max_frames = self.record.tolist()
        self.record[:] = steps + 1, sum_rows + rows, sum_frames + frames, max(max_rows, rows), max(max_frames, frames)
        return dict(zip(COUNTERS, (filled["late"], rows, frames, *self.record.tolist()), strict=True))


def _by_input(chunks: Chunks) -> tuple[list[tuple[int, pa.Buffer]], list[tuple[int, pa.Buffer]]]:
    """Chunks to be framed, with those that only bring punctuation, and chunks of rows that fill."""
    of_frames: list[tuple[int, pa.Buffer]] = []
    of_rows: list[tuple[int, pa.Buffer]] = []
    for start, data in chunks:
        is_row = len(data) and summary_of(data).input_number == ROWS
        (of_rows if is_row else of_frames).append((start, data))
    return of_frames, of_rows
