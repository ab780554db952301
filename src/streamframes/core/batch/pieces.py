"""Pieces: chunks on their way through Spark, cut into rows of a kilobyte.

Spark hands rows to Python in batches of a number of rows. Were a chunk one row, a batch of many would not fit into
memory; as pieces, a batch is as small as a batch of ordinary rows. The pieces of a chunk lie side by side in the
batch in which they arrive, so that putting them together copies nothing, unless a batch ends within a chunk.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterable, Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa

from streamframes.core.batch.chunk import ALIGNED
from streamframes.core.batch.packer import Packed

PIECE = 16 * ALIGNED
# The stateful stage handles rows one by one, and a micro-batch has an end: fewer, larger pieces.
STREAM_PIECE = 8 * PIECE
SCHEMA = pa.schema(
    [("bucket", pa.int32()), ("start", pa.int64()), ("chunk", pa.int64()), ("piece", pa.int32()), ("data", pa.binary())]
)


def split(chunks: Sequence[Packed], number: int, piece_size: int = PIECE) -> pa.RecordBatch:
    """The pieces of chunks, which are numbered from `number` on."""
    sizes = np.array([len(chunk.data) for chunk in chunks])
    counts = np.maximum(1, -(-sizes // piece_size))
    which = np.repeat(np.arange(len(chunks)), counts)
    piece = np.arange(which.size) - np.repeat(np.cumsum(counts) - counts, counts)
    starts = (np.cumsum(sizes) - sizes)[which] + piece * piece_size
    offsets = np.append(starts, sizes.sum()).astype(np.int32)
    data = pa.py_buffer(b"".join(chunk.data for chunk in chunks))
    return pa.RecordBatch.from_arrays(
        [
            pa.array(np.array([chunk.bucket for chunk in chunks], np.int32)[which]),
            pa.array(np.array([chunk.start for chunk in chunks], np.int64)[which]),
            pa.array(number + which),
            pa.array(piece.astype(np.int32)),
            pa.BinaryArray.from_buffers(pa.binary(), which.size, [None, pa.py_buffer(offsets), data]),
        ],
        schema=SCHEMA,
    )


def joined(batches: Iterable[pa.RecordBatch]) -> Iterator[tuple[int, int, pa.Buffer]]:
    """The chunks (bucket, start, bytes) of pieces that come in the order of bucket, start, chunk and piece."""
    waiting: list[pa.Buffer] = []
    head, last = (0, 0), None
    for batch in batches:
        bucket, start, chunk = (batch.column(i).to_numpy() for i in range(3))
        _, offsets, data = batch.column(4).buffers()
        ends = np.frombuffer(offsets, np.int32)[batch.column(4).offset :]
        edges = np.flatnonzero(np.diff(chunk, prepend=-1, append=-1)).tolist()
        for low, high in itertools.pairwise(edges):
            if waiting and chunk[low] != last:
                yield *head, _one(waiting)
                waiting = []
            waiting.append(data[int(ends[low]) : int(ends[high])])
            head, last = (int(bucket[low]), int(start[low])), chunk[low]
    if waiting:
        yield *head, _one(waiting)


def gathered(batches: Iterable[Mapping[str, np.ndarray]]) -> list[tuple[int, pa.Buffer]]:
    """The chunks (start, bytes) of pieces that come in any order."""
    columns = list(batches)
    if not columns:
        return []
    start, chunk, piece, data = (
        np.concatenate([batch[name] for batch in columns]) for name in ("start", "chunk", "piece", "data")
    )
    order = np.lexsort((piece, chunk))
    edges = np.flatnonzero(np.diff(chunk[order], prepend=-1, append=-1)).tolist()
    return [
        (int(start[order[low]]), pa.py_buffer(b"".join(data[order[low:high]])))
        for low, high in itertools.pairwise(edges)
    ]


def _one(parts: list[pa.Buffer]) -> pa.Buffer:
    return parts[0] if len(parts) == 1 else pa.py_buffer(b"".join(parts))
