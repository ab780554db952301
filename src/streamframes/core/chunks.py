"""Chunks: rows of one bucket, packed for the shuffle.

A chunk is two Arrow streams, both compressed and self-describing, one after the other:

  size     where the second stream begins
  groups   fingerprint (2 x 64 bits), first instant, number of rows, and the group columns    one row a group
  rows     the steps between instants within a group, and the columns that travel             one row a row

Nothing is lost: instants are restored by summing the steps, which are small and compress well. Both streams are
padded, so that arrays that are read in place are aligned.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.columns import Rows
from streamframes.core.compiled import compiled

_OPTIONS = pa.ipc.IpcWriteOptions(compression=pa.Codec("lz4"), use_threads=False)
_READ = pa.ipc.IpcReadOptions(use_threads=False)
_INT32_MAX = 2**31 - 1
ALIGNED = 64


@dataclass
class Chunk:
    """A decoded chunk: rows whose groups are numbered 0, 1, 2, ... as in `keys`, and their fingerprints."""

    rows: Rows
    first: np.ndarray
    second: np.ndarray
    keys: pa.RecordBatch


@compiled
def _steps(bounds: Any, ts: Any, out: Any) -> int:
    """Differences within each group (0 for its first row); returns the largest."""
    largest: Any = np.int64(0)
    for k in range(bounds.size - 1):
        for i in range(bounds[k], bounds[k + 1]):
            step = ts[i] - ts[i - 1] if i > bounds[k] else 0
            out[i] = step
            if step > largest or step < 0:
                largest = step if step >= 0 else np.int64(2**62)
    return int(largest)


@compiled
def _instants(bounds: Any, first: Any, steps: Any, out: Any) -> None:
    for k in range(bounds.size - 1):
        t = first[k]
        for i in range(bounds[k], bounds[k + 1]):
            t += steps[i]
            out[i] = t


def encode(chunk: Chunk) -> bytes:
    """A chunk as bytes; its rows must be sorted by group and `ts`."""
    rows = chunk.rows
    steps = np.empty(len(rows), np.int64)
    narrow = _steps(rows.bounds, rows.ts, steps) <= _INT32_MAX
    groups = [chunk.first, chunk.second, rows.ts[rows.bounds[:-1]], np.diff(rows.bounds)]
    names = ["first", "second", "start", "rows", *(f"key{i}" for i in range(chunk.keys.num_columns))]
    head = pa.RecordBatch.from_arrays([*map(pa.array, groups), *chunk.keys.columns], names)
    columns = [pa.array(steps.astype(np.int32) if narrow else steps), *rows.columns]
    body = pa.RecordBatch.from_arrays(columns, [str(i) for i in range(len(columns))])
    sink = pa.BufferOutputStream()
    sink.write(bytes(ALIGNED))
    body_at = _write(head, sink)
    _write(body, sink)
    payload = bytearray(sink.getvalue())
    payload[:8] = body_at.to_bytes(8, "little")
    return bytes(payload)


def _write(batch: pa.RecordBatch, sink: pa.NativeFile) -> int:
    """Add a stream; returns where the next one may begin."""
    with pa.ipc.new_stream(sink, batch.schema, options=_OPTIONS) as writer:
        writer.write_batch(batch)
    sink.write(bytes(-sink.tell() % ALIGNED))
    return int(sink.tell())


def decode(payload: pa.Buffer) -> Chunk:
    """The chunk of these bytes."""
    body_at = int.from_bytes(payload[:8], "little")
    head, body = _read(payload[ALIGNED:body_at]), _read(payload[body_at:])
    first, second, start, sizes = (head.column(i).to_numpy() for i in range(4))
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    ts = np.empty(body.num_rows, np.int64)
    _instants(bounds, start, body.column(0).to_numpy(), ts)
    keys = head.select(range(4, head.num_columns))
    return Chunk(Rows(np.arange(first.size), bounds, ts, body.columns[1:]), first, second, keys)


def _read(stream: pa.Buffer) -> pa.RecordBatch:
    return pa.ipc.open_stream(stream, options=_READ).read_next_batch()
