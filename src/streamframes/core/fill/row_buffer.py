"""The shelf: rows that wait for frames, in a store, and what is known of them without opening a chunk.

  chunk 3   a: 5 rows, 10:00 .. 10:04      one line for each group of each chunk
            b: 9 rows, 10:00 .. 10:03
  chunk 4   a: 6 rows, 10:04 .. 10:09

A chunk is opened when its rows may leave, when a frame has come that may hold some of them, or when most of them are
of no more use to anybody; it is thrown away unopened when all are.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.batch.chunk import Chunk, decode, encode
from streamframes.core.operator.store import Store

CHUNK, GROUP, FIRST, LAST, ROWS, SEEN = range(6)
FIELDS = 6


class Shelf:
    """Chunks in a store, by the lines of their groups.

    A chunk that has been *seen* holds rows that were offered to all frames there were, and wait for later ones.
    """

    def __init__(self, store: Store) -> None:
        self.store = store
        self.lines = np.empty((0, FIELDS), np.int64)
        self.next_number = 0

    @property
    def n_rows(self) -> int:
        """How many rows wait."""
        return int(self.lines[:, ROWS].sum())

    def put(self, chunk: Chunk, groups: np.ndarray, *, seen: bool) -> None:
        """Keep the rows of a chunk, whose groups have these numbers."""
        sizes = np.diff(chunk.rows.bounds)
        some = sizes > 0
        if not some.any():
            return
        lines = np.empty((int(some.sum()), FIELDS), np.int64)
        lines[:, CHUNK], lines[:, GROUP], lines[:, ROWS], lines[:, SEEN] = (
            self.next_number,
            groups[some],
            sizes[some],
            seen,
        )
        lines[:, FIRST] = chunk.rows.ts[chunk.rows.bounds[:-1][some]]
        lines[:, LAST] = chunk.rows.ts[chunk.rows.bounds[1:][some] - 1]
        self.store.put(self.next_number, encode(chunk))
        self.lines = np.concatenate([self.lines, lines])
        self.next_number += 1

    def take_due(self, point: int) -> Iterator[Chunk]:
        """The chunks with rows before a point that have not been seen; they leave the shelf."""
        due = (self.lines[:, SEEN] == 0) & (self.lines[:, FIRST] < point)
        yield from self._take(np.unique(self.lines[due, CHUNK]))

    def look(self, low: np.ndarray, high: np.ndarray) -> Iterator[Chunk]:
        """The seen chunks with rows of a group between its `low` and `high`; they stay."""
        group = self.lines[:, GROUP]
        wanted = (
            (self.lines[:, SEEN] != 0) & (self.lines[:, FIRST] <= high[group]) & (self.lines[:, LAST] >= low[group])
        )
        for number in np.unique(self.lines[wanted, CHUNK]).tolist():
            yield decode(pa.py_buffer(self.store.get(number)))

    def purge(self, useful_from: np.ndarray) -> Iterator[Chunk]:
        """Throw away seen chunks of which no row is useful; those of which less than half is leave the shelf."""
        seen = self.lines[:, SEEN] != 0
        dead = seen & (self.lines[:, LAST] < useful_from[self.lines[:, GROUP]])
        if not dead.any():
            return
        numbers, which = np.unique(self.lines[:, CHUNK], return_inverse=True)
        total = np.bincount(which, self.lines[:, ROWS])
        left = total - np.bincount(which, np.where(dead, self.lines[:, ROWS], 0))
        gone = numbers[left == 0]
        for number in gone.tolist():
            self.store.remove(number)
        self.lines = self.lines[~np.isin(self.lines[:, CHUNK], gone)]
        yield from self._take(numbers[(left > 0) & (2 * left < total)])

    def _take(self, numbers: np.ndarray) -> Iterator[Chunk]:
        self.lines = self.lines[~np.isin(self.lines[:, CHUNK], numbers)]
        for number in numbers.tolist():
            data = self.store.get(number)
            self.store.remove(number)
            yield decode(pa.py_buffer(data))

    def renumber(self, place: np.ndarray) -> None:
        """Groups have got new numbers."""
        self.lines[:, GROUP] = place[self.lines[:, GROUP]]

    def snapshot(self) -> dict[str, Any]:
        """What is known of the chunks."""
        return {"lines": self.lines, "next_number": self.next_number}

    def restore(self, saved: dict[str, Any]) -> None:
        """Go on from what was saved."""
        self.lines, self.next_number = saved["lines"], saved["next_number"]
