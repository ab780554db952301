"""Pairs: frames of one input with the frames or points of the other that they overlap, and all columns of both."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Literal

import numpy as np
import pyarrow as pa

from streamframes.core.algebra.inputs import Bucket, Chunks, Frames, bucket_results, points
from streamframes.core.algebra.interval_join import IntervalJoin
from streamframes.core.batch.rows import typed

# A group column; the instant of an input's row; a travelling column of it; an edge of what a pair shares.
Source = Literal["key", "instant", "column", "shared start", "shared end"]


@dataclass(frozen=True)
class PairColumn:
    """A column of the result: from where it comes, of which input, 0 or 1, and which column it is there."""

    name: str
    type: pa.DataType
    source: Source
    input_number: int = 0
    index: int = 0


@dataclass(frozen=True)
class PairPlan:
    """Which pairs are wanted, and what of them.

    `instants`, in ticks, are looked up in every group that has frames, in place of input b. With `keep_outside` a row
    of input b that overlaps nothing is kept, with nulls for what input a gives.
    """

    keys: pa.Schema
    columns: tuple[PairColumn, ...]
    keep_outside: bool = False
    instants: tuple[int, ...] | None = None

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns of the result."""
        return pa.schema([(column.name, column.type) for column in self.columns])

    def results(self, chunks: Chunks) -> Iterator[pa.RecordBatch]:
        """The pairs of each bucket."""
        return bucket_results(self.keys, self._results, chunks)

    def _results(self, bucket: Bucket) -> Iterator[pa.RecordBatch]:
        if self.instants is not None:
            bucket = replace(bucket, b=_everywhere(bucket.a, self.instants))
        alone = np.ones(bucket.b.start.size, np.bool_)
        for left, right in IntervalJoin(bucket.a.intervals, bucket.b.intervals):
            pairs = Pairs(bucket, bucket.a.order[left], bucket.b.order[right])
            alone[pairs.of_b] = False
            yield self._batch(pairs)
        if self.keep_outside and alone.any():
            yield self._batch(Pairs(bucket, None, np.flatnonzero(alone)))

    def _batch(self, pairs: Pairs) -> pa.RecordBatch:
        return pa.RecordBatch.from_arrays([pairs.column(each) for each in self.columns], schema=self.schema)


@dataclass(frozen=True)
class Pairs:
    """Some pairs of a bucket: numbers of rows of input a, or None where there is none, and of input b."""

    bucket: Bucket
    of_a: np.ndarray | None
    of_b: np.ndarray

    def column(self, wanted: PairColumn) -> pa.Array:
        """The values of a column of the result."""
        if wanted.source == "key":
            return self._keys[wanted.index]
        frames, rows = ((self.bucket.a, self.of_a), (self.bucket.b, self.of_b))[wanted.input_number]
        if rows is None:
            return pa.nulls(self.of_b.size, wanted.type)
        if wanted.source == "column":
            return frames.columns[wanted.index].take(pa.array(rows))
        return typed(pa.array(self._ticks(wanted.source, frames, rows)), wanted.type)

    def _ticks(self, source: Source, frames: Frames, rows: np.ndarray) -> np.ndarray:
        a, b = self.bucket.a, self.bucket.b
        if source == "shared start":
            return np.asarray(np.maximum(a.start[self.of_a], b.start[self.of_b]))
        if source == "shared end":
            return np.asarray(np.minimum(a.end[self.of_a], b.end[self.of_b]))
        return np.asarray(frames.start[rows])

    @cached_property
    def _keys(self) -> list[pa.Array]:
        return self.bucket.groups.values(self.bucket.b.group[self.of_b])


def _everywhere(frames: Frames, instants: tuple[int, ...]) -> Frames:
    """These instants as points of each group that has frames."""
    bounds = frames.intervals.bounds
    groups = np.flatnonzero(np.diff(bounds))
    wanted = np.sort(np.array(instants, np.int64))
    return points(np.repeat(groups, wanted.size), np.tile(wanted, groups.size), bounds.size - 1)
