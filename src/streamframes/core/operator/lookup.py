"""Lookup tables: small tables that complete a plan, such as thresholds by group. Every bucket has them before its rows.

  lookup ──> every bucket ──> plan ──> operator ──> results
  rows ────> their bucket ──────────────┘

A query is planned without a look at the table: it is read in the job that needs it, and kept in the state of a stream.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, field
from typing import Protocol

import pyarrow as pa

from streamframes.core.batch.chunk import decode, summary_of
from streamframes.core.batch.clock import MIN_INSTANT
from streamframes.core.batch.packer import Layout
from streamframes.core.operator.protocol import OperatorPlan
from streamframes.core.operator.step import Step
from streamframes.core.operator.store import SharedStore, Store
from streamframes.core.operator.table_bucket import Bucket, TableBucket

# Which input a chunk is of, beside those of rows, frames and commands.
LOOKUP = 2

Chunks = Iterable[tuple[int, pa.Buffer]]


def lookup_layout(types: Sequence[pa.DataType]) -> Layout:
    """How a lookup table is packed: it has neither groups nor an instant."""
    return Layout(pa.schema([]), pa.int64(), tuple(types))


def bucket_of(plan: OperatorPlan) -> Bucket:
    """The bucket of a table, whose plan may need a lookup table."""
    return LookupTableBucket(plan) if plan.lookup else TableBucket(plan)


class LookupTableBucket:
    """The bucket of a table: chunks of the lookup table come first, then those of rows."""

    def __init__(self, plan: OperatorPlan) -> None:
        self.plan = plan
        self.chunks: list[pa.Buffer] = []
        self.bucket: TableBucket | None = None

    def add(self, start: int, data: pa.Buffer) -> Iterable[pa.RecordBatch]:
        """Take the next chunk."""
        if self.bucket is None and _is_lookup(data):
            self.chunks.append(data)
            return ()
        return self._completed().add(start, data)

    def finish(self) -> Iterator[pa.RecordBatch]:
        """What the end of the bucket settles."""
        return self._completed().finish()

    def _completed(self) -> TableBucket:
        if self.bucket is None:
            self.bucket = TableBucket(self.plan.with_lookup(_columns(self.plan.lookup, self.chunks)))
            self.chunks = []
        return self.bucket


class StreamBucketOf(Protocol):
    """One bucket of a stream, with its state."""

    def step(self, chunks: Chunks, watermark: int) -> Step:
        """Take what one micro-batch brings."""


class CompletedStream(Protocol):
    """The plan of the buckets of a stream, which a lookup table completes."""

    @property
    def counters(self) -> tuple[str, ...]:
        """The names of what is counted."""

    @property
    def result_schema(self) -> pa.Schema:
        """The columns of the results."""

    def with_lookup(self, columns: Sequence[pa.Array]) -> CompletedStream:
        """The plan, once the lookup table has been read."""

    def bucket(self, store: Store, given: Chunks = ()) -> StreamBucketOf:
        """A bucket of this plan, with what is given before its first step."""


@dataclass(frozen=True)
class LookupStreamPlan:
    """A plan on a stream that a lookup table completes; the table is given before the first step."""

    stream: CompletedStream
    types: tuple[pa.DataType, ...]
    completed: dict[bytes, CompletedStream] = field(default_factory=dict, compare=False)

    @property
    def counters(self) -> tuple[str, ...]:
        """The names of what is counted."""
        return self.stream.counters

    @property
    def result_schema(self) -> pa.Schema:
        """The columns of the results."""
        return self.stream.result_schema

    def bucket(self, store: Store, given: Chunks = ()) -> LookupStreamBucket:
        """A bucket of this plan, with its state, and with what is given before its first step."""
        shared = SharedStore(store, 2)
        first, own = shared.parts
        others: list[tuple[int, pa.Buffer]] = []
        lookup: list[pa.Buffer] = []
        for start, data in given:
            if _is_lookup(data):
                lookup.append(data)
            else:
                others.append((start, data))
        table = own.read()
        if table is None:
            table = _written(_columns(self.types, lookup))
            own.write(table)
        return LookupStreamBucket(self._with(table).bucket(first, others), shared)

    def _with(self, table: bytes) -> CompletedStream:
        """The completed plan; all buckets of a process have the same table."""
        if table not in self.completed:
            self.completed.clear()
            self.completed[table] = self.stream.with_lookup(_read(table))
        return self.completed[table]


def completed(stream: CompletedStream, types: tuple[pa.DataType, ...]) -> CompletedStream | LookupStreamPlan:
    """The plan on a stream, which a lookup table of these types completes, if there are any."""
    return LookupStreamPlan(stream, types) if types else stream


class LookupStreamBucket:
    """One bucket of a stream, and the lookup table beside its state."""

    def __init__(self, bucket: StreamBucketOf, shared: SharedStore) -> None:
        self.bucket = bucket
        self.shared = shared

    def step(self, chunks: Chunks, watermark: int = MIN_INSTANT) -> Step:
        """Take what one micro-batch brings."""
        step = self.bucket.step(chunks, watermark)
        self.shared.write()
        return step


def _is_lookup(data: pa.Buffer) -> bool:
    return len(data) > 0 and summary_of(data).input_number == LOOKUP


def _columns(types: Sequence[pa.DataType], chunks: Sequence[pa.Buffer]) -> list[pa.Array]:
    """The columns of the table that has come in these chunks, in no particular order of rows."""
    tables = [decode(data).rows.columns for data in chunks]
    columns = [pa.chunked_array([table[i] for table in tables], kind) for i, kind in enumerate(types)]
    return [each.combine_chunks() if each.num_chunks else pa.array([], each.type) for each in columns]


def _written(columns: Sequence[pa.Array]) -> bytes:
    batch = pa.RecordBatch.from_arrays(columns, [str(i) for i in range(len(columns))])
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema) as writer:
        writer.write_batch(batch)
    return bytes(sink.getvalue().to_pybytes())


def _read(table: bytes) -> list[pa.Array]:
    (batch,) = pa.ipc.open_stream(table)
    return list(batch.columns)
