"""Stores: where a bucket of a stream keeps its state, the chunks that wait in it, and a store that several share."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Protocol

import numpy as np
import pyarrow as pa

from streamframes.core.batch.chunk import Chunk, decode, summary_of
from streamframes.core.batch.packer import packed, split_by_time
from streamframes.core.batch.tree import Tree, array_at, number_at

# Columns of the index of waiting chunks.
_NUMBER, _START, _ROWS = range(3)
_SIZE = 8  # bytes of the length of each part of a shared record


class Store(Protocol):
    """Where a bucket keeps its state: a record, and chunks by number."""

    def read(self) -> bytes | None:
        """The record, if there is one."""

    def write(self, data: bytes) -> None:
        """Replace the record."""

    def get(self, number: int) -> bytes:
        """A chunk."""

    def put(self, number: int, data: bytes) -> None:
        """Keep a chunk."""

    def remove(self, number: int) -> None:
        """Forget a chunk."""


class WaitingChunks:
    """Rows ahead of the watermark, encoded as they came: chunks by number, and when each starts and how long it is."""

    def __init__(self, store: Store) -> None:
        self.store = store
        self.index = np.empty((0, 3), np.int64)
        self.next_number = 0

    def __len__(self) -> int:
        return int(self.index.shape[0])

    @property
    def n_rows(self) -> int:
        """How many rows wait."""
        return int(self.index[:, _ROWS].sum())

    def put(self, start: int, data: pa.Buffer) -> None:
        """Keep a chunk."""
        entry = [self.next_number, start, summary_of(data).rows]
        self.index = np.concatenate([self.index, [entry]])
        self.store.put(self.next_number, bytes(data))
        self.next_number += 1

    def put_rows(self, chunk: Chunk, least: int | None = None) -> None:
        """Keep rows, cut into time buckets of `least` ticks or more, or as one chunk."""
        for piece in [chunk] if least is None else split_by_time(chunk, least):
            entry = packed(0, piece)
            self.put(entry.start, pa.py_buffer(entry.data))

    def take_before(self, watermark: int | None) -> list[Chunk]:
        """The chunks that start before a watermark, or all; they wait no more."""
        due = self._due(watermark)
        chunks = list(self.read_before(watermark))
        for number in self.index[due, _NUMBER].tolist():
            self.store.remove(number)
        self.index = self.index[~due]
        return chunks

    def read_before(self, watermark: int | None) -> Iterator[Chunk]:
        """The chunks that start before a watermark, or all; they go on waiting."""
        for number in self.index[self._due(watermark), _NUMBER].tolist():
            yield decode(pa.py_buffer(self.store.get(number)))

    def _due(self, watermark: int | None) -> np.ndarray:
        return np.ones(len(self), np.bool_) if watermark is None else self.index[:, _START] < watermark

    def snapshot(self) -> Tree:
        """The index; the chunks are in the store."""
        return {"index": self.index, "next_number": self.next_number}

    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot."""
        self.index, self.next_number = array_at(tree, "index"), number_at(tree, "next_number")


class SharedStore:
    """A store for several: each has a part of the record, and of the chunks every so many-th number."""

    def __init__(self, store: Store, n_parts: int) -> None:
        self.store = store
        data = store.read() or bytes(n_parts * _SIZE)
        sizes = [int.from_bytes(data[i * _SIZE : (i + 1) * _SIZE], "little") for i in range(n_parts)]
        starts = np.cumsum([n_parts * _SIZE, *sizes]).tolist()
        records = [data[start : start + size] for start, size in zip(starts, sizes, strict=False)]
        self.parts = [StorePart(store, i, n_parts, record) for i, record in enumerate(records)]

    def write(self) -> None:
        """Write the records of all."""
        records = [part.record for part in self.parts]
        self.store.write(b"".join([*(len(record).to_bytes(_SIZE, "little") for record in records), *records]))


class StorePart:
    """One of the stores in a shared one."""

    def __init__(self, store: Store, which: int, n_parts: int, record: bytes) -> None:
        self.store = store
        self.which = which
        self.n_parts = n_parts
        self.record = record

    def read(self) -> bytes | None:
        """The record, if there is one."""
        return self.record or None

    def write(self, data: bytes) -> None:
        """Keep the record until all parts are written."""
        self.record = data

    def get(self, number: int) -> bytes:
        """A chunk."""
        return self.store.get(self.n_parts * number + self.which)

    def put(self, number: int, data: bytes) -> None:
        """Keep a chunk."""
        self.store.put(self.n_parts * number + self.which, data)

    def remove(self, number: int) -> None:
        """Forget a chunk."""
        self.store.remove(self.n_parts * number + self.which)
