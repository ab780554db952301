"""Pairs: frames of one side with what they meet on the other, frames or points, and all columns of both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
import pyarrow as pa

from streamframes.core.algebra.inputs import Bucket, Chunks, Side, folded, point_side
from streamframes.core.algebra.interval_join import Meetings
from streamframes.core.batch.rows import typed

# A group column; the instant of a side's row; a travelling column of it; an edge of what a pair shares.
Source = Literal["key", "instant", "column", "shared start", "shared end"]


@dataclass(frozen=True)
class PairColumn:
    """A column of the result: from where it comes, of which side, and which one it is there."""

    name: str
    type: pa.DataType
    source: Source
    side: int = 0
    index: int = 0


@dataclass(frozen=True)
class PairPlan:
    """Which pairs are wanted, and what of them.

    `instants`, in ticks, are looked up in every group that has frames, in place of side b. With `keep_outside` a row
    of side b that meets nothing is kept, with nulls for what side a gives.
    """

    keys: pa.Schema
    columns: tuple[PairColumn, ...]
    keep_outside: bool = False
    instants: tuple[int, ...] | None = None

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns of the result."""
        return pa.schema([(column.name, column.type) for column in self.columns])

    def fold(self, chunks: Chunks) -> Iterator[pa.RecordBatch]:
        """The pairs of each bucket."""
        return folded(self.keys, self._results, chunks)

    def _results(self, bucket: Bucket) -> Iterator[pa.RecordBatch]:
        if self.instants is not None:
            bucket = replace(bucket, b=_everywhere(bucket.a, self.instants))
        alone = np.ones(bucket.b.start.size, np.bool_)
        for left, right in Meetings(bucket.a.intervals, bucket.b.intervals):
            pairs = Pairs(bucket, bucket.a.order[left], bucket.b.order[right])
            alone[pairs.of_b] = False
            yield self._batch(pairs)
        if self.keep_outside and alone.any():
            yield self._batch(Pairs(bucket, None, np.flatnonzero(alone)))

    def _batch(self, pairs: Pairs) -> pa.RecordBatch:
        return pa.RecordBatch.from_arrays([pairs.column(each) for each in self.columns], schema=self.schema)


@dataclass(frozen=True)
class Pairs:
    """Some pairs of a bucket: numbers of rows of side a, or None where there is none, and of side b."""

    bucket: Bucket
    of_a: np.ndarray | None
    of_b: np.ndarray

    def column(self, wanted: PairColumn) -> pa.Array:
        """The values of a column of the result."""
        if wanted.source == "key":
            return self._keys[wanted.index]
        side, rows = ((self.bucket.a, self.of_a), (self.bucket.b, self.of_b))[wanted.side]
        if rows is None:
            return pa.nulls(self.of_b.size, wanted.type)
        if wanted.source == "column":
            return side.columns[wanted.index].take(pa.array(rows))
        return typed(pa.array(self._ticks(wanted.source, side, rows)), wanted.type)

    def _ticks(self, source: Source, side: Side, rows: np.ndarray) -> np.ndarray:
        a, b = self.bucket.a, self.bucket.b
        if source == "shared start":
            return np.asarray(np.maximum(a.start[self.of_a], b.start[self.of_b]))
        if source == "shared end":
            return np.asarray(np.minimum(a.end[self.of_a], b.end[self.of_b]))
        return np.asarray(side.start[rows])

    @cached_property
    def _keys(self) -> list[pa.Array]:
        return self.bucket.groups.values(self.bucket.b.group[self.of_b])


def _everywhere(frames: Side, instants: tuple[int, ...]) -> Side:
    """A side of these instants for each group that has frames."""
    bounds = frames.intervals.bounds
    groups = np.flatnonzero(np.diff(bounds))
    wanted = np.sort(np.array(instants, np.int64))
    return point_side(np.repeat(groups, wanted.size), np.tile(wanted, groups.size), bounds.size - 1)
