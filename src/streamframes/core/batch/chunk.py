"""Chunks: rows of one bucket, packed for the shuffle.

A chunk is two Arrow streams, both compressed and self-describing, one after the other:

  summary  where the second stream begins, the number of rows, whether there is punctuation, the input
  groups   fingerprint (2 x 64 bits), first instant, number of rows, punctuation, and the group columns
                                                                                               one row a group
  rows     the steps between instants within a group, and the columns that travel             one row a row

Nothing is lost: instants are restored by summing the steps, which are small and compress well. Both streams are
padded, so that arrays that are read in place are aligned.
"""

from __future__ import annotations

import struct
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from streamframes.core.batch.clock import MIN_INSTANT
from streamframes.core.batch.rows import Rows
from streamframes.core.jit.compiled import compiled

_OPTIONS = pa.ipc.IpcWriteOptions(compression=pa.Codec("lz4"), use_threads=False)
_READ = pa.ipc.IpcReadOptions(use_threads=False)
_INT32_MAX = 2**31 - 1
ALIGNED = 64
_SUMMARY = struct.Struct("<4q")


@dataclass
class Chunk:
    """A decoded chunk: rows whose groups are numbered 0, 1, 2, ... as in `keys`, and their fingerprints.

    `upto` is the punctuation of each group: all of its rows up to this instant have been seen; or MIN_INSTANT.
    `input_number` tells chunks apart where rows of several inputs meet.
    """

    rows: Rows
    first: np.ndarray
    second: np.ndarray
    keys: pa.RecordBatch
    upto: np.ndarray
    input_number: int = 0

    def filter(self, keep: np.ndarray) -> Chunk:
        """The rows where `keep` holds; groups that lose all of their rows are left out."""
        rows = self.rows.filter(keep)
        there = rows.groups
        keys = self.keys.take(pa.array(there)) if self.keys.num_columns else self.keys
        left = Rows(np.arange(there.size), rows.bounds, rows.ts, rows.columns)
        return Chunk(left, self.first[there], self.second[there], keys, self.upto[there], self.input_number)


class Summary(NamedTuple):
    """What is known of a chunk without decoding it."""

    body_at: int
    rows: int
    announces: int
    input_number: int


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
    rows, sizes = chunk.rows, np.diff(chunk.rows.bounds)
    steps = np.empty(len(rows), np.int64)
    narrow = _steps(rows.bounds, rows.ts, steps) <= _INT32_MAX
    starts = np.zeros(sizes.size, np.int64)
    starts[sizes > 0] = rows.ts[rows.bounds[:-1][sizes > 0]]
    groups = [chunk.first, chunk.second, starts, sizes, chunk.upto]
    names = ["first", "second", "start", "rows", "upto", *(f"key{i}" for i in range(chunk.keys.num_columns))]
    groups_batch = pa.RecordBatch.from_arrays([*map(pa.array, groups), *chunk.keys.columns], names)
    columns = [pa.array(steps.astype(np.int32) if narrow else steps), *rows.columns]
    rows_batch = pa.RecordBatch.from_arrays(columns, [str(i) for i in range(len(columns))])
    groups_part, rows_part = _stream(groups_batch), _stream(rows_batch)
    announces = int((chunk.upto > MIN_INSTANT).any())
    summary = Summary(ALIGNED + len(groups_part), len(rows), announces, chunk.input_number)
    return b"".join([_SUMMARY.pack(*summary).ljust(ALIGNED, b"\0"), groups_part, rows_part])


def _stream(batch: pa.RecordBatch) -> bytes:
    """A batch as a stream, so long that the next one is aligned."""
    sink = pa.BufferOutputStream()
    with pa.ipc.new_stream(sink, batch.schema, options=_OPTIONS) as writer:
        writer.write_batch(batch)
    data = sink.getvalue().to_pybytes()
    return bytes(data.ljust(-(-len(data) // ALIGNED) * ALIGNED, b"\0"))


def decode(payload: pa.Buffer) -> Chunk:
    """The chunk of these bytes."""
    body_at, _, _, input_number = summary_of(payload)
    groups, body = _read(payload[ALIGNED:body_at]), _read(payload[body_at:])
    first, second, start, sizes, upto = (groups.column(i).to_numpy() for i in range(5))
    bounds = np.concatenate([[0], np.cumsum(sizes)])
    ts = np.empty(body.num_rows, np.int64)
    _instants(bounds, start, body.column(0).to_numpy(), ts)
    keys = groups.select(range(5, groups.num_columns))
    return Chunk(Rows(np.arange(first.size), bounds, ts, body.columns[1:]), first, second, keys, upto, input_number)


def summary_of(payload: pa.Buffer) -> Summary:
    """What can be known without decoding."""
    return Summary(*_SUMMARY.unpack(payload[: _SUMMARY.size]))


def _read(stream: pa.Buffer) -> pa.RecordBatch:
    return pa.ipc.open_stream(stream, options=_READ).read_next_batch()
