"""The bucket of a table: its chunks, sorted by their start, become results.

A chunk that starts at `s` proves that every row before `s` has been seen, so rows before it are released and
fed to the operator; what is held is only what overlaps. Memory follows that overlap, not the number of rows of a group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

import numpy as np
import pyarrow as pa

from streamframes.core.batch.chunk import decode
from streamframes.core.batch.reorder_buffer import ReorderBuffer
from streamframes.core.batch.rows import Rows
from streamframes.core.operator.protocol import NO_WATERMARKS, OperatorPlan

RELEASE_ROWS = 200_000
_LAST_INSTANT = 2**63 - 1


class TableBucket:
    """The operator of one bucket of a table, and the rows that overlap."""

    def __init__(self, plan: OperatorPlan) -> None:
        self.operator = plan.operator()
        self.buffer = ReorderBuffer(plan.columns)
        self.needs_watermarks = plan.needs_watermarks
        self._n_taken = 0
        self._enough = RELEASE_ROWS

    def add(self, start: int, data: pa.Buffer) -> Iterator[pa.RecordBatch]:
        """Take the next chunk; one without bytes says that the data goes on to its start, here or elsewhere."""
        if not len(data):
            self.operator.end_of_data(start)
            return
        if len(self.buffer) + self._n_taken >= self._enough:
            yield from self.operator.feed(self._released(start), self._watermarks(start))
            # Where little could be released, chunks overlap: wait for more before trying again.
            self._enough = max(RELEASE_ROWS, 2 * len(self.buffer))
            self._n_taken = 0
        chunk = decode(data)
        numbers = self.operator.groups.numbers(chunk.first, chunk.second, chunk.keys)
        rows = Rows(numbers, chunk.rows.bounds, chunk.rows.ts, chunk.rows.columns)
        if chunk.input_number:
            self.operator.take(rows, chunk.input_number)
            self._n_taken += len(rows)
        else:
            self.buffer.add(rows)

    def finish(self) -> Iterator[pa.RecordBatch]:
        """What the end of the bucket settles."""
        yield from self.operator.feed(self._released(None))
        yield from self.operator.finish()

    def _released(self, bound: int | None) -> Rows:
        return self.buffer.release(bound, self.operator.wanted if self.operator.is_selective else None)

    def _watermarks(self, start: int) -> np.ndarray:
        """The watermark of each group; before the end of the data, the last instant has not been seen."""
        if not self.needs_watermarks:
            return NO_WATERMARKS
        return np.full(len(self.operator.groups), min(start, _LAST_INSTANT - 1))


class Bucket(Protocol):
    """What takes the chunks of one bucket."""

    def add(self, start: int, data: pa.Buffer) -> Iterable[pa.RecordBatch]:
        """Take the next chunk, which starts no earlier than those before; returns what is settled."""

    def finish(self) -> Iterable[pa.RecordBatch]:
        """What the end of the bucket settles."""


def bucket_results(
    plan: OperatorPlan,
    chunks: Iterable[tuple[int, int, pa.Buffer]],
    make: Callable[[OperatorPlan], Bucket] = TableBucket,
) -> Iterator[pa.RecordBatch]:
    """The results of chunks (bucket, start, bytes) that are sorted by bucket and start; no chunks are one bucket."""
    current: int | None = None
    bucket = make(plan)
    for number, start, data in chunks:
        if number != current and current is not None:
            yield from bucket.finish()
            bucket = make(plan)
        current = number
        yield from bucket.add(start, data)
    yield from bucket.finish()
