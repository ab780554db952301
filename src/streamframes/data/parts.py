"""Parts: a table that is made piece by piece, each piece on its own.

span 0 ........................... 100        ticks or scans, in time order
part |----0----|----1----|----2----|          made when asked for, by number
file |------0------|------1--------|          pieces of parts, cut by position
"""

from __future__ import annotations

from collections import deque
from collections.abc import Callable, Iterator
from dataclasses import dataclass

import pyarrow as pa

ROWS_PER_PART = 1 << 18
"""Few enough for a processor's cache, enough for the cost of a call not to matter."""


@dataclass(frozen=True, slots=True)
class Parts:
    """How to make a table of any length in bounded memory.

    Parameters
    ----------
    schema
        The columns.
    span
        Positions (ticks, scans, rows) of the whole.
    step
        Positions of one part.
    make
        Number, low and high of a part -> its rows, those of positions low <= p < high in time order.

    Examples
    --------
    >>> def squares(part, low, high):
    ...     return pa.table({"square": [p * p for p in range(low, high)]})
    >>> parts = Parts(pa.schema({"square": pa.int64()}), span=5, step=2, make=squares)
    >>> [part["square"].to_pylist() for part in parts]
    [[0, 1], [4, 9], [16]]
    >>> [[piece["square"].to_pylist() for piece in file] for file in parts.files(2)]
    [[[0, 1]], [[4, 9], [16]]]
    """

    schema: pa.Schema
    span: int
    step: int
    make: Callable[[int, int, int], pa.Table]

    @classmethod
    def of(cls, table: pa.Table) -> Parts:
        """Wrap a table that exists already.

        Parameters
        ----------
        table
            The rows, in order.
        """
        return cls(table.schema, table.num_rows, ROWS_PER_PART, lambda _, low, high: table.slice(low, high - low))

    def __iter__(self) -> Iterator[pa.Table]:
        """Make one part after the other."""
        for part, low in enumerate(range(0, self.span, self.step)):
            yield self.make(part, low, min(low + self.step, self.span))

    def table(self) -> pa.Table:
        """Make the whole table, in memory."""
        return pa.concat_tables([self.schema.empty_table(), *self])

    def files(self, count: int) -> Iterator[Iterator[pa.Table]]:
        """Share the rows out over `count` files of about equal size; to be consumed in order.

        Parameters
        ----------
        count
            How many files.
        """
        pieces = self._pieces([self.span * file // count for file in range(1, count)])
        for _ in range(count):
            yield _one_file(pieces)

    def _pieces(self, cuts: list[int]) -> Iterator[pa.Table | None]:
        """Cut the parts between the files; None stands for the end of a file."""
        waiting = deque(cuts)
        for part, rows in enumerate(self):
            low, done = part * self.step, 0
            high = min(low + self.step, self.span)
            while waiting and waiting[0] < high:
                cut = (waiting.popleft() - low) * rows.num_rows // (high - low)
                yield rows.slice(done, cut - done)
                yield None
                done = cut
            yield rows.slice(done)


def _one_file(pieces: Iterator[pa.Table | None]) -> Iterator[pa.Table]:
    for piece in pieces:
        if piece is None:
            return
        if piece.num_rows:
            yield piece
