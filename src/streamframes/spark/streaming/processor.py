"""The stateful processor: one bucket of a stream is one group of Spark's state.

Its state is a record and a map of waiting chunks, all bytes of the core's own format. An event-time timer wakes a
bucket that gets no rows. Results leave as Arrow streams in binary, with figures beside them.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Any, Protocol, TypeAlias

import numpy as np
import pandas as pd
import pyarrow as pa
from pyspark.sql.streaming.stateful_processor import (
    ExpiredTimerInfo,
    StatefulProcessor,
    StatefulProcessorHandle,
    TimerValues,
)

from streamframes.core.batch.clock import MIN_INSTANT
from streamframes.core.batch.pieces import gathered
from streamframes.core.operator.step import Step
from streamframes.core.operator.store import Store
from streamframes.spark.streaming.events import EventClock
from streamframes.spark.worker.worker import lasting, set_aside

Batches = Iterator[pa.RecordBatch]
_PIECE = ("start", "chunk", "piece", "data")
# The group of Spark's state that is a bucket.
Key: TypeAlias = tuple[int]


class Bucket(Protocol):
    """One bucket of a stream, with its state."""

    def step(self, chunks: Iterable[tuple[int, pa.Buffer]], watermark: int) -> Step:
        """Take what one micro-batch brings."""


class BucketPlan(Protocol):
    """What makes the buckets of a stream."""

    @property
    def counters(self) -> tuple[str, ...]:
        """The names of what is counted."""

    @property
    def result_schema(self) -> pa.Schema:
        """The columns of the results."""

    def bucket(self, store: Store, given: Iterable[tuple[int, pa.Buffer]] = ()) -> Bucket:
        """A bucket of this plan, with what is given before its first step."""


class SparkStore:
    """The state of one bucket in Spark's state store."""

    def __init__(self, handle: StatefulProcessorHandle) -> None:
        self.handle = handle
        self.record = handle.getValueState("record", "data binary, timer long")
        self.chunks = handle.getMapState("chunks", "number long", "data binary")
        self.timer: int | None = None
        self.pending = b""

    def read(self) -> bytes | None:
        """The record of the current bucket."""
        found = self.record.get()
        self.timer = None if found is None else found[1]
        return None if found is None else bytes(found[0])

    def write(self, data: bytes) -> None:
        """Keep the record until the timer is known."""
        self.pending = data

    def wake_at(self, millis: int | None) -> None:
        """Set the timer of the bucket, and write its record."""
        if millis != self.timer:
            if self.timer is not None:
                self.handle.deleteTimer(self.timer)
            if millis is not None:
                self.handle.registerTimer(millis)
        self.record.update((self.pending, millis))

    def get(self, number: int) -> bytes:
        """A waiting chunk."""
        found = self.chunks.getValue((number,))
        if found is None:
            raise KeyError(number)
        return bytes(found[0])

    def put(self, number: int, data: bytes) -> None:
        """Keep a chunk."""
        self.chunks.updateValue((number,), (data,))

    def remove(self, number: int) -> None:
        """Forget a chunk."""
        self.chunks.removeKey((number,))


class FrameProcessor(StatefulProcessor):
    """Carries the buckets of a stream to the core; the names of its methods are Spark's."""

    def __init__(self, plan: BucketPlan, clock: EventClock | None) -> None:
        self.plan = plan
        self.clock = clock
        self.given: list[dict[str, np.ndarray]] = []

    def init(self, handle: StatefulProcessorHandle) -> None:
        """Spark's beginning of a task."""
        self.store = SparkStore(handle)

    def handleInputRows(self, key: Key, rows: Iterator[Any], timerValues: TimerValues) -> Iterator[pd.DataFrame]:
        """Pieces of chunks have come."""
        yield self._step(gathered(map(_columns, rows)), timerValues)

    def handleInitialState(self, key: Key, initialState: Any, timerValues: TimerValues) -> None:
        """Pieces that are given. In the first batch every bucket gets rows next, if only a piece without bytes."""
        self.given.append(_columns(initialState))

    def handleExpiredTimer(
        self, key: Key, timerValues: TimerValues, expiredTimerInfo: ExpiredTimerInfo
    ) -> Iterator[pd.DataFrame]:
        """The watermark has reached the instant for which the bucket had set its timer."""
        yield self._step([], timerValues, fired=expiredTimerInfo.getExpiryTimeInMs())

    def close(self) -> None:
        """Spark's end of a task."""
        set_aside()

    def _step(self, chunks: list[tuple[int, pa.Buffer]], times: TimerValues, fired: int | None = None) -> pd.DataFrame:
        watermark = MIN_INSTANT
        if self.clock is not None:
            watermark = self.clock.watermark(times.getCurrentWatermarkInMs())
        bucket = self.plan.bucket(self.store, gathered(self.given))
        self.given = []
        if fired is not None and self.store.timer == fired:
            self.store.timer = None
        step = bucket.step(chunks, watermark)
        due = None if step.due is None or self.clock is None else self.clock.wake(step.due)
        self.store.wake_at(due)
        return pd.DataFrame([{"data": _written(step.results, self.plan.result_schema), **step.counters}])


def _columns(pieces: pd.DataFrame) -> dict[str, np.ndarray]:
    return {name: pieces[name].to_numpy() for name in _PIECE}


def _written(batches: list[pa.RecordBatch], schema: pa.Schema) -> bytes:
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, schema) as writer:
        for batch in batches:
            writer.write_batch(batch)
    return bytes(sink.getvalue().to_pybytes())


def unpacking() -> Callable[[Batches], Batches]:
    """A function for `mapInArrow` that turns the results of steps into rows."""

    def unpack(batches: Batches) -> Batches:
        for batch in batches:
            for data in batch.column(0):
                yield from pa.ipc.open_stream(data.as_buffer())

    return lambda batches: lasting(unpack(batches))
