"""Waiting chunks: rows of a stream ahead of the watermark, encoded as they came, in the store of their bucket."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from streamframes.core.batch.chunk import Chunk, decode, summary_of
from streamframes.core.batch.tree import Tree, array_at, number_at
from streamframes.core.operator.store import Store

# Columns of the index.
_NUMBER, _START, _ROWS = range(3)


class WaitingChunks:
    """The chunks by number, and an index of when each starts and how many rows it has."""

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

    def take_before(self, watermark: int | None) -> list[Chunk]:
        """The chunks that start before a watermark, or all; they wait no more."""
        due = np.ones(len(self), np.bool_) if watermark is None else self.index[:, _START] < watermark
        chunks = []
        for number in self.index[due, _NUMBER].tolist():
            chunks.append(decode(pa.py_buffer(self.store.get(number))))
            self.store.remove(number)
        self.index = self.index[~due]
        return chunks

    def snapshot(self) -> Tree:
        """The index; the chunks are in the store."""
        return {"index": self.index, "next_number": self.next_number}

    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot."""
        self.index, self.next_number = array_at(tree, "index"), number_at(tree, "next_number")
