"""Sets: the frames of a table as sets of instants, group by group.

bucket ──> intervals of a, of b ──> stretches of the result ──> frames, or how much they cover
"""

from __future__ import annotations

import hashlib
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import cached_property

import numpy as np
import pyarrow as pa

from streamframes.core.algebra.inputs import Bucket, Chunks, bucket_results
from streamframes.core.algebra.intervals import Intervals, difference, intersection, stretches, union
from streamframes.core.batch.rows import frame_ids, typed
from streamframes.errors import StreamFramesError

_OPERATIONS: dict[str, Callable[[Intervals, Intervals], Intervals]] = {
    "intersect": intersection,
    "union": union,
    "subtract": difference,
    # What it is taken from is input a, as in subtract.
    "complement": difference,
}


@dataclass(frozen=True)
class SetPlan:
    """An operation on two sets of instants; `within`, in ticks, stands for input a in every group that has frames."""

    operation: str
    keys: pa.Schema
    ts_type: pa.DataType
    prefix: str
    within: tuple[int, int] | None = None

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns of the result."""
        edges = [pa.field(f"{self.prefix}{edge}", self.ts_type) for edge in ("start", "end")]
        return pa.schema([*self.keys, pa.field(f"{self.prefix}id", pa.int64()), *edges])

    @property
    def salt(self) -> int:
        """What sets the ids of this operation apart from those of others and of schemes."""
        return int.from_bytes(hashlib.blake2b(self.operation.encode(), digest_size=8).digest(), "little")

    def results(self, chunks: Chunks) -> Iterator[pa.RecordBatch]:
        """The result of each bucket."""
        return bucket_results(self.keys, self._results, chunks)

    def _results(self, bucket: Bucket) -> Iterator[pa.RecordBatch]:
        a, b = bucket.a.intervals, bucket.b.intervals
        result = _OPERATIONS[self.operation](a if self.within is None else _everywhere(b, *self.within), b)
        groups = result.groups
        nothing = np.zeros(groups.size, np.int64)
        ids = frame_ids(self.salt, bucket.groups.first[groups], result.start, nothing, nothing)
        edges = [typed(pa.array(edge), self.ts_type) for edge in (result.start, result.end)]
        columns = [*bucket.groups.values(groups), pa.array(ids), *edges]
        yield pa.RecordBatch.from_arrays(columns, schema=self.schema)


def _everywhere(intervals: Intervals, start: int, end: int) -> Intervals:
    """One interval in each group that has any."""
    there = np.diff(intervals.bounds) > 0
    n = int(there.sum())
    return Intervals(np.append(0, np.cumsum(there)), np.full(n, start), np.full(n, end))


@dataclass(frozen=True)
class CoveragePlan:
    """How long each group is in frames; `covered` is the type of a length."""

    keys: pa.Schema
    covered: pa.DataType

    @cached_property
    def schema(self) -> pa.Schema:
        """The columns of the result."""
        return pa.schema([*self.keys, pa.field("frames", pa.int64()), pa.field("covered", self.covered)])

    def results(self, chunks: Chunks) -> Iterator[pa.RecordBatch]:
        """The result of each bucket."""
        return bucket_results(self.keys, self._results, chunks)

    def _results(self, bucket: Bucket) -> Iterator[pa.RecordBatch]:
        covering = stretches(bucket.a.intervals)
        counts = np.diff(covering.bounds)
        there = np.flatnonzero(counts)
        # Disjoint stretches of 64-bit ticks last less than 2^64 in all, so an unsigned sum is exact.
        lengths = covering.end.view(np.uint64) - covering.start.view(np.uint64)
        totals = np.add.reduceat(lengths, covering.bounds[there]) if there.size else lengths
        if (totals >> np.uint64(63)).any():
            raise StreamFramesError("coverage() found a group that is in frames for longer than a long can say")
        covered = typed(pa.array(totals.view(np.int64)), self.covered)
        columns = [*bucket.groups.values(there), pa.array(counts[there]), covered]
        yield pa.RecordBatch.from_arrays(columns, schema=self.schema)
