"""The row buffer: rows that have been fed and may be in frames that come later, in a store, with an index.

  chunk 3   a: 5 rows, 10:00 .. 10:04      one line for each group of each chunk
            b: 9 rows, 10:00 .. 10:03
  chunk 4   a: 6 rows, 10:04 .. 10:09

A chunk is opened when a frame has come that may hold some of its rows, or when most of them are of no more use to
anybody; it is thrown away unopened when all are.
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa

from streamframes.core.batch.chunk import Chunk, decode, encode
from streamframes.core.batch.clock import MIN_INSTANT
from streamframes.core.batch.groups import GroupIndex
from streamframes.core.batch.packer import split_by_time
from streamframes.core.batch.rows import Rows
from streamframes.core.batch.tree import Tree, array_at, number_at
from streamframes.core.operator.step import numbered
from streamframes.core.operator.store import Store

# Columns of the index.
_CHUNK, _GROUP, _FIRST, _LAST, _ROWS = range(5)
# More rows than this are cut by time, so that a frame need not open all of them.
_MANY = 1 << 18


class RowBuffer:
    """Rows in chunks in a store, and which rows of which groups each chunk has."""

    def __init__(self, store: Store, groups: GroupIndex) -> None:
        self.store = store
        self.groups = groups
        self.index = np.empty((0, 5), np.int64)
        self.next_number = 0

    @property
    def n_rows(self) -> int:
        """How many rows are kept."""
        return int(self.index[:, _ROWS].sum())

    @property
    def busy_groups(self) -> np.ndarray:
        """The groups that have rows here."""
        return self.index[:, _GROUP]

    def put(self, rows: Rows) -> None:
        """Keep rows; each group's are sorted by time."""
        if not len(rows):
            return
        chunk = self._chunk(rows)
        for piece in split_by_time(chunk) if len(rows) > _MANY else [chunk]:
            self._put(piece, self._rows(piece))

    def look(self, low: np.ndarray, high: np.ndarray) -> Iterator[Rows]:
        """The chunks with rows of a group between its `low` and `high`; they stay."""
        group = self.index[:, _GROUP]
        wanted = (self.index[:, _FIRST] <= high[group]) & (self.index[:, _LAST] >= low[group])
        for number in np.unique(self.index[wanted, _CHUNK]).tolist():
            yield self._rows(decode(pa.py_buffer(self.store.get(number))))

    def purge(self, useful_from: np.ndarray) -> None:
        """Drop chunks of which no row is useful any more; those of which less than half is are written anew."""
        useless = self.index[:, _LAST] < useful_from[self.index[:, _GROUP]]
        if not useless.any():
            return
        numbers, which = np.unique(self.index[:, _CHUNK], return_inverse=True)
        total = np.bincount(which, self.index[:, _ROWS])
        left = total - np.bincount(which, np.where(useless, self.index[:, _ROWS], 0))
        rewritten = numbers[(left > 0) & (2 * left < total)]
        chunks = [decode(pa.py_buffer(self.store.get(number))) for number in rewritten.tolist()]
        dropped = numbers[2 * left < total]
        for number in dropped.tolist():
            self.store.remove(number)
        self.index = self.index[~np.isin(self.index[:, _CHUNK], dropped)]
        for rows in map(self._rows, chunks):
            self.put(rows.filter(rows.ts >= useful_from[rows.group_of_row]))

    def _chunk(self, rows: Rows) -> Chunk:
        keys = pa.RecordBatch.from_arrays(self.groups.values(rows.groups), schema=self.groups.schema)
        first, second = self.groups.first[rows.groups], self.groups.second[rows.groups]
        return Chunk(rows, first, second, keys, np.full(rows.groups.size, MIN_INSTANT))

    def _rows(self, chunk: Chunk) -> Rows:
        return numbered(chunk, self.groups.find(chunk.first, chunk.second))

    def _put(self, chunk: Chunk, rows: Rows) -> None:
        lines = np.empty((rows.groups.size, 5), np.int64)
        lines[:, _CHUNK], lines[:, _GROUP], lines[:, _ROWS] = self.next_number, rows.groups, np.diff(rows.bounds)
        lines[:, _FIRST], lines[:, _LAST] = rows.ts[rows.bounds[:-1]], rows.ts[rows.bounds[1:] - 1]
        self.store.put(self.next_number, encode(chunk))
        self.index = np.concatenate([self.index, lines])
        self.next_number += 1

    def renumber(self, place: np.ndarray) -> None:
        """Group `g` is number `place[g]` from now on."""
        self.index[:, _GROUP] = place[self.index[:, _GROUP]]

    def snapshot(self) -> Tree:
        """The index; the chunks are in the store."""
        return {"index": self.index, "next_number": self.next_number}

    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot."""
        self.index, self.next_number = array_at(tree, "index"), number_at(tree, "next_number")
