"""The bucket of a table: its chunks, sorted by their start, become results.

A chunk that starts at `s` proves that every row before `s` has been seen, so rows before it are released and
fed to the operator; what is held is only what overlaps. Memory follows that overlap, not the number of rows of a group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

import pyarrow as pa

from streamframes.core.batch.chunk import decode
from streamframes.core.batch.reorder_buffer import ReorderBuffer
from streamframes.core.batch.rows import Rows
from streamframes.core.operator.protocol import OperatorPlan

RELEASE_ROWS = 200_000


class Bucket(Protocol):
    """What is made of the chunks of one bucket."""

    def add(self, start: int, data: pa.Buffer) -> Iterable[pa.RecordBatch]:
        """Take the next chunk, which starts no earlier than those before; returns what is settled."""

    def finish(self) -> Iterable[pa.RecordBatch]:
        """There is no other chunk."""


class TableBucket:
    """The operator of one bucket of a table."""

    def __init__(self, plan: OperatorPlan) -> None:
        self.operator = plan.operator()
        self.buffer = ReorderBuffer(plan.columns)
        self.wanted = RELEASE_ROWS

    def add(self, start: int, data: pa.Buffer) -> Iterator[pa.RecordBatch]:
        """Take the next chunk; one without bytes says that the data goes on to its start, here or elsewhere."""
        if not len(data):
            self.operator.end_of_data(start)
            return
        if len(self.buffer) >= self.wanted:
            yield from self.operator.feed(self.buffer.release(start))
            # Where little could be released, chunks overlap: wait for more before trying again.
            self.wanted = max(RELEASE_ROWS, 2 * len(self.buffer))
        chunk = decode(data)
        numbers = self.operator.groups.numbers(chunk.first, chunk.second, chunk.keys)
        self.buffer.add(Rows(numbers, chunk.rows.bounds, chunk.rows.ts, chunk.rows.columns))

    def finish(self) -> Iterator[pa.RecordBatch]:
        """What the end of the bucket settles."""
        yield from self.operator.feed(self.buffer.release(None))
        yield from self.operator.finish()


def fold(make: Callable[[], Bucket], chunks: Iterable[tuple[int, int, pa.Buffer]]) -> Iterator[pa.RecordBatch]:
    """The results of chunks (bucket, start, bytes) that are sorted by bucket and start."""
    current: int | None = None
    table_bucket = make()
    for bucket, start, data in chunks:
        if bucket != current and current is not None:
            yield from table_bucket.finish()
            table_bucket = make()
        current = bucket
        yield from table_bucket.add(start, data)
    yield from table_bucket.finish()
