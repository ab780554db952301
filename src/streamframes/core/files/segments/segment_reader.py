"""Reading a segment: its row groups, one after the other, become rows of groups in order.

Row groups that come one after the other in time are handed on as they are read; rows that may lie behind rows of the
next row group wait. Within a row group a look at the instants decides whether it is cut into slices, which stay in the
caches, or brought into order as a whole.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple, Protocol

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streamframes.core.batch.groups import GroupIndex, as_int64
from streamframes.core.batch.packer import Layout
from streamframes.core.batch.reorder_buffer import ReorderBuffer, disorder, in_order, sorted_by_ts
from streamframes.core.batch.rows import Rows
from streamframes.core.files.keys.group_by import grouped
from streamframes.core.files.keys.key_index import KeyNumbers
from streamframes.core.files.parquet.projection import Arrays
from streamframes.core.files.parquet.row_groups import RowGroup
from streamframes.core.files.segments.split import Chain, Segment
from streamframes.core.jit.compiled import compiled

# A slice that stays in the caches while it is grouped and scanned; of many groups, each should have a few rows in it.
SLICE_ROWS, ROWS_OF_A_GROUP = 1 << 17, 8
# The first slices of a segment that sends warm-up rows: these end with a slice.
FIRST_SLICE = 1 << 14


class Source(Protocol):
    """Where row groups are read."""

    layout: Layout

    def batches(self, group: RowGroup) -> Iterable[Arrays]:
        """The rows of a row group: one batch, or several if it is very large."""

    def is_rising(self, group: RowGroup) -> bool:
        """Whether the instants of a very large row group, read in several batches, never fall."""


class Slice(NamedTuple):
    """Rows of a row group, and what is known of their instants: none is before `low` or after `high`.

    `in_turn` says that no later slice has an earlier one, `alone` that none has an equal one either, `strict` that no
    two rows of it have the same.
    """

    rows: Rows
    low: int
    high: int
    in_turn: bool
    alone: bool
    strict: bool = False


class SegmentReader:
    """The rows of a segment by group, in order, with the numbers that `index` gives to groups.

    `mine` says which groups are wanted, if not all are.
    """

    def __init__(
        self,
        source: Source,
        segment: Segment,
        index: GroupIndex,
        mine: Callable[[GroupIndex], np.ndarray] | None = None,
    ) -> None:
        self.source = source
        self.segment = segment
        self.index = index
        self.mine = mine
        self.key_numbers = KeyNumbers(source.layout.keys, index)
        self.slice = SLICE_ROWS if segment.first else FIRST_SLICE

    def rows(self) -> Iterator[Rows]:
        """All rows, slice by slice."""
        for chain in self.segment.chains:
            yield from self._chain(chain)

    def _chain(self, chain: Chain) -> Iterator[Rows]:
        room = ReorderBuffer(self.source.layout.columns)
        for i, group in enumerate(chain):
            # Rows before this instant are complete once the row group has been read.
            bound = chain[i + 1].low if i + 1 < len(chain) else None
            for part in self._slices(group):
                rows = part.rows
                if part.in_turn and len(room):
                    yield room.release(part.low if bound is None else min(part.low, bound))
                if part.alone and not len(room) and (bound is None or part.high < bound):
                    yield rows if part.strict else in_order(rows)
                else:
                    room.add(sorted_by_ts(rows) if disorder(rows.bounds, rows.ts)[0] else rows)
            if len(room):
                yield room.release(bound)

    def _slices(self, group: RowGroup) -> Iterator[Slice]:
        whole, in_turn = True, True
        batches = iter(self.source.batches(group))
        first = list(itertools.islice(batches, 2))
        if len(first) > 1:
            whole, in_turn = False, self.source.is_rising(group)
        for arrays in itertools.chain((first.pop(0) for _ in range(len(first))), batches):
            inside = self._within(group, arrays)
            if len(inside.ts):
                yield from self._cut(inside, in_turn=in_turn, whole=whole)

    def _within(self, group: RowGroup, arrays: Arrays) -> Arrays:
        """The rows that have an instant, and one that lies in the segment."""
        keep = arrays.ts.is_valid() if arrays.ts.null_count else None
        low, high = self.segment.low, self.segment.high
        if (low is not None and (group.low or 0) < low) or (high is not None and (group.high or 0) >= high):
            ticks = pa.array(as_int64(arrays.ts))
            inside = pc.and_(
                pc.greater_equal(ticks, pa.scalar(-(2**63) if low is None else low)),
                pc.less(ticks, pa.scalar(high)) if high is not None else pa.repeat(True, len(ticks)),
            )
            keep = inside if keep is None else pc.and_(keep, inside)
        return arrays if keep is None else arrays.filter(keep)

    def _cut(self, arrays: Arrays, *, in_turn: bool, whole: bool) -> Iterator[Slice]:
        ts, columns = as_int64(arrays.ts), arrays.columns
        numbers = self.key_numbers.numbers(arrays.keys, ts.size)
        n_groups = len(self.index)
        wanted = self.mine(self.index) if self.mine is not None else None
        if wanted is not None and isinstance(numbers, int) and not wanted[numbers]:
            return
        rises, strict = _rises(ts) if in_turn else (False, False)
        if not rises:
            rows = grouped(numbers, ts, columns, n_groups, wanted)
            if len(rows):
                yield Slice(rows, int(rows.ts.min()), int(rows.ts.max()), in_turn, whole)
            return
        low = 0
        while low < ts.size:
            self.slice = min(2 * self.slice, SLICE_ROWS)
            high = int(_after(ts, low + max(self.slice, ROWS_OF_A_GROUP * n_groups)))
            parts = [column.slice(low, high - low) for column in columns]
            some = numbers if isinstance(numbers, int) else numbers[low:high]
            rows = grouped(some, ts[low:high], parts, n_groups, wanted)
            if len(rows):
                yield Slice(rows, int(ts[low]), int(ts[high - 1]), True, whole or high < ts.size, strict)
            low = high


@compiled
def _rises(ts: Any) -> Any:
    """Whether instants never fall, and whether no two neighbours are equal."""
    strictly = True
    for i in range(1, ts.size):
        if ts[i] < ts[i - 1]:
            return False, False
        strictly &= ts[i] != ts[i - 1]
    return True, strictly


@compiled
def _after(ts: Any, place: Any) -> Any:
    """The first place from here on at which an instant differs from the one before."""
    while place < ts.size and ts[place] == ts[place - 1]:
        place += 1
    return min(place, ts.size)
