"""Packing: batches of rows become chunks, which cross the shuffle as pieces (bucket, start, chunk, piece, data)."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from pyspark import TaskContext
from pyspark.sql import types as T

from streamframes.core.batch.clock import MAX_INSTANT, MIN_INSTANT
from streamframes.core.batch.packer import Layout, Packed, Packer
from streamframes.core.batch.pieces import STREAM_PIECE, split
from streamframes.errors import StreamFramesError
from streamframes.spark.worker.worker import lasting

PIECES = T.StructType(
    [
        T.StructField("bucket", T.IntegerType()),
        T.StructField("start", T.LongType()),
        T.StructField("chunk", T.LongType()),
        T.StructField("piece", T.IntegerType()),
        T.StructField("data", T.BinaryType()),
    ]
)
# The order in which a bucket takes them.
IN_ORDER = ("start", "chunk", "piece")
# Large enough that a chunk's fixed costs do not show, small enough to stay in the caches.
ROWS_PER_CHUNK = 1 << 18
# In no order at all, time buckets cut a batch into 16; in a stream, every chunk is kept in state with its groups:
# gather more, so that chunks are few and not small.
ROWS_IF_MANY = 1 << 20
# Wide rows (tag() sends every column) must not make a chunk that a binary column cannot hold.
BYTES_PER_CHUNK = 1 << 27

Batches = Iterator[pa.RecordBatch]


@dataclass(frozen=True)
class StreamPacking:
    """What differs for a stream: buckets go by names, and a piece has an event time, which is null."""

    names: tuple[int, ...]

    def addressed(self, pieces: pa.RecordBatch) -> pa.RecordBatch:
        """The pieces as the stateful stage takes them."""
        names = np.array(self.names, np.int32)[pieces.column("bucket").to_numpy()]
        pieces = pieces.set_column(0, "bucket", pa.array(names))
        return pieces.append_column("event", pa.nulls(pieces.num_rows, pa.timestamp("us", "UTC")))


def packing(
    layout: Layout,
    n_buckets: int,
    stream: StreamPacking | None = None,
    *,
    input_number: int = 0,
    to_all: bool = False,
    end_of_data: bool = False,
) -> Callable[[Batches], Batches]:
    """A function for `mapInArrow`; its input is the group columns, the instant, then what travels.

    In a stream a last column says which rows are punctuation, and every bucket gets a piece of every batch. With
    `to_all` every bucket gets every row; with `end_of_data`, every bucket gets the latest instant.
    """

    def sent(packed: list[Packed], number: int) -> pa.RecordBatch:
        return split(packed, number) if stream is None else stream.addressed(split(packed, number, STREAM_PIECE))

    def pack(batches: Batches) -> Batches:
        packer = Packer(1 if to_all else n_buckets, input_number)
        context = TaskContext.get()
        # Where both inputs have a single partition, Spark reads them in one task: its number does not tell them apart.
        number = (2 * (context.partitionId() if context else 0) + input_number) << 32
        latest = MIN_INSTANT
        for batch in _gathered(batches, packer, many=stream is not None):
            punctuation = batch.column(batch.num_columns - 1) if stream is not None else None
            ts, keys, columns = _parts(layout, batch)
            if stream is not None:
                _check_range(ts)
            packed = list(packer.pack(ts, keys, columns, punctuation))
            if to_all:
                packed = [replace(chunk, bucket=bucket) for bucket in range(n_buckets) for chunk in packed]
            if packed:
                yield sent(packed, number)
                number += len(packed)
            latest = max(latest, packer.latest)
        if end_of_data and latest > MIN_INSTANT:
            yield sent([Packed(bucket, latest, b"") for bucket in range(n_buckets)], number)
        if stream is not None:
            yield sent([Packed(bucket, MIN_INSTANT, b"") for bucket in range(n_buckets)], number)

    return lambda batches: lasting(pack(batches))


def _check_range(ts: pa.Array) -> None:
    """A watermark lies between the instants that stand for never: rows beyond would be late, or wait for ever."""
    for ticks in pc.min_max(ts).as_py().values() if pa.types.is_int64(ts.type) else ():
        if ticks is not None and not MIN_INSTANT < ticks < MAX_INSTANT:
            raise StreamFramesError(
                f"a stream got a row at {ticks}; its instants lie between -2^62 and 2^62: shift or filter them"
            )


def _gathered(batches: Batches, packer: Packer, *, many: bool) -> Batches:
    """The batches, several at a time as one."""
    waiting: list[pa.RecordBatch] = []
    n_rows, n_bytes = 0, 0
    for batch in batches:
        if waiting and batch.schema != waiting[0].schema:
            # Keys of one row group come as a dictionary, those of the next one as texts.
            yield pa.concat_batches(waiting)
            waiting, n_rows, n_bytes = [], 0, 0
        waiting.append(batch)
        n_rows += batch.num_rows
        n_bytes += batch.nbytes
        enough = ROWS_IF_MANY if many or packer.disordered else ROWS_PER_CHUNK
        if n_rows >= enough or n_bytes >= BYTES_PER_CHUNK:
            yield pa.concat_batches(waiting)
            waiting, n_rows, n_bytes = [], 0, 0
    if n_rows:
        yield pa.concat_batches(waiting)


def _parts(layout: Layout, batch: pa.RecordBatch) -> tuple[pa.Array, pa.RecordBatch, list[pa.Array]]:
    """Instant, group columns and travelling columns, in the types of the layout; groups may stay dictionaries."""
    n_keys = len(layout.keys)
    kinds = [*layout.keys.types, layout.ts_type, *layout.columns]
    arrays = [
        array if i < n_keys and pa.types.is_dictionary(array.type) else array.cast(kind)
        for i, (array, kind) in enumerate(zip(batch.columns, kinds, strict=False))
    ]
    keys = pa.RecordBatch.from_arrays(arrays[:n_keys], layout.keys.names)
    return arrays[n_keys], keys, arrays[n_keys + 1 :]
