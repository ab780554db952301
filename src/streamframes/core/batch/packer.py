"""Packing: rows as they come become chunks, one for each bucket, before anything is shuffled.

  batch   b a a c b a ...          rows of many groups, in the order of a file
  bucket  hash(group) % buckets    so that all rows of a group meet in one place
  chunk   a a a | b b              one bucket's groups, each sorted by ts, encoded

Rows that come in no order would make every chunk overlap every other in time, and the bucket would have to hold
them all. Such a batch is also cut into aligned time buckets, so that only what shares one overlaps.
"""

from __future__ import annotations

import itertools
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from typing import Any, TypeAlias

import numpy as np
import pyarrow as pa

from streamframes.core.batch.chunk import Chunk, encode
from streamframes.core.batch.clock import MIN_INSTANT
from streamframes.core.batch.groups import as_int64, fingerprints, number_groups, without_dictionary
from streamframes.core.batch.reorder_buffer import disorder, sorted_by_ts
from streamframes.core.batch.rows import Rows
from streamframes.core.jit.compiled import compiled

TIME_BUCKETS = 16

# What a row is: data, or punctuation, by which all rows up to its instant have been seen, of its group or of all.
DATA, ONE_GROUP, ALL_GROUPS = range(3)


@dataclass(frozen=True)
class Layout:
    """The columns of rows that are packed: those of the groups, the instant, and what travels with it."""

    keys: pa.Schema
    ts_type: pa.DataType
    columns: tuple[pa.DataType, ...]


@dataclass(frozen=True)
class Packed:
    """An encoded chunk and what the shuffle must know of it."""

    bucket: int
    start: int
    data: bytes


@compiled
def counting_order(codes: Any, sizes: Any, order: Any) -> Any:
    """A stable order by group number; returns where each group starts."""
    bounds = np.zeros(sizes.size + 1, np.int64)
    for k in range(sizes.size):
        bounds[k + 1] = bounds[k] + sizes[k]
    place = bounds[:-1].copy()
    for i in range(codes.size):
        order[place[codes[i]]] = i
        place[codes[i]] += 1
    return bounds


_Grouped: TypeAlias = "tuple[Rows, np.ndarray, pa.RecordBatch, tuple[np.ndarray, np.ndarray]]"


class Packer:
    """Makes chunks of batches; of the last one, `disordered` says whether it ran backwards, `latest` its last instant.

    `input_number` is written on each chunk, where rows of several inputs meet in a bucket.
    """

    def __init__(self, n_buckets: int, input_number: int = 0) -> None:
        self.n_buckets = n_buckets
        self.input_number = input_number
        self.disordered = False
        self.latest = MIN_INSTANT

    def pack(
        self,
        ts: pa.Array,
        keys: pa.RecordBatch,
        columns: Sequence[pa.Array],
        kinds: pa.Array | None = None,
    ) -> Iterator[Packed]:
        """The chunks of one batch; rows without an instant are left out.

        Group columns may be dictionaries. `kinds` says which rows are punctuation: DATA, ONE_GROUP or ALL_GROUPS.
        """
        for there in _not_all(ts.is_valid() if ts.null_count else None):
            ts, keys, columns, kinds = _filtered(there, ts, keys, columns, kinds)
        of_group: np.ndarray | None = None
        if kinds is not None:
            kind = kinds.to_numpy()
            yield from self._to_all(as_int64(ts)[kind == ALL_GROUPS])
            for there in _not_all(pa.array(kind != ALL_GROUPS)):
                ts, keys, columns, _ = _filtered(there, ts, keys, columns, None)
            of_group = kind[kind != ALL_GROUPS] == ONE_GROUP
        if not len(ts):
            return
        if of_group is not None:
            columns = [*columns, pa.array(of_group)]
        rows, buckets, chunk_keys, pair = self._grouped(as_int64(ts), keys, list(columns))
        upto = np.full(buckets.size, MIN_INSTANT)
        if of_group is not None:
            rows, upto = _punctuated(rows)
        self.disordered, _ = disorder(rows.bounds, rows.ts)
        self.latest = int(rows.ts.max(initial=MIN_INSTANT))
        if self.disordered:
            rows = sorted_by_ts(rows)
        edges = np.flatnonzero(np.diff(buckets, prepend=-1, append=self.n_buckets)).tolist()
        for low, high in itertools.pairwise(edges):
            part = _groups_between(rows, low, high)
            first, second = (half[low:high] for half in pair)
            chunk = Chunk(part, first, second, chunk_keys.slice(low, high - low), upto[low:high], self.input_number)
            whole = not self.disordered or (chunk.upto > MIN_INSTANT).any()
            for piece in [chunk] if whole else split_by_time(chunk):
                yield packed(int(buckets[low]), piece)

    def _to_all(self, instants: np.ndarray) -> Iterator[Packed]:
        """Punctuation of all groups, for every bucket: no data, only an instant."""
        if instants.size:
            for bucket in range(self.n_buckets):
                yield Packed(bucket, int(instants.max()), b"")

    def _grouped(self, ts: np.ndarray, keys: pa.RecordBatch, columns: list[pa.Array]) -> _Grouped:
        """Rows by group, groups by bucket; with the bucket, the values and the fingerprint of each group."""
        if not keys.num_columns:
            pair = fingerprints([], 1)
            whole = Rows(np.zeros(1, np.int64), np.array([0, ts.size]), ts, columns)
            return whole, (pair[0] % np.uint64(self.n_buckets)).astype(np.int64), keys, pair
        first, second = fingerprints(keys.columns, ts.size)
        codes, seen = number_groups(first, second)
        buckets = (first[seen] % np.uint64(self.n_buckets)).astype(np.int64)
        by_bucket = np.argsort(buckets, kind="stable")
        rank = np.empty(seen.size, np.int64)
        rank[by_bucket] = np.arange(seen.size)
        codes = rank[codes]
        order = np.empty(ts.size, np.int64)
        bounds = counting_order(codes, np.bincount(codes, minlength=seen.size), order)
        seen = seen[by_bucket]
        rows = Rows(np.arange(seen.size), bounds, ts, columns)
        if seen.size > 1:
            rows = rows.take(order, rows.groups, bounds)
        found = [without_dictionary(key.take(pa.array(seen))) for key in keys.columns]
        chunk_keys = pa.RecordBatch.from_arrays(found, keys.schema.names)
        return rows, buckets[by_bucket], chunk_keys, (first[seen], second[seen])


def split_by_time(chunk: Chunk, least: int = 1) -> Iterator[Chunk]:
    """The chunk cut at multiples of a power of two, which is at least `least`, into `TIME_BUCKETS` pieces or so."""
    ts = chunk.rows.ts
    span = int(ts.max()) - int(ts.min())
    shift = max((span // TIME_BUCKETS).bit_length(), (least - 1).bit_length())
    time_bucket = ts >> min(shift, 62)
    for number in np.unique(time_bucket):
        yield chunk.filter(time_bucket == number)


def packed(bucket: int, chunk: Chunk) -> Packed:
    """The chunk, encoded."""
    start = int(chunk.rows.ts.min()) if len(chunk.rows) else MIN_INSTANT
    return Packed(bucket, start, encode(chunk))


def _not_all(keep: pa.Array | None) -> list[pa.Array]:
    """The mask, if it leaves anything out."""
    return [] if keep is None or keep.true_count == len(keep) else [keep]


def _filtered(
    keep: pa.Array, ts: pa.Array, keys: pa.RecordBatch, columns: Sequence[pa.Array], kinds: pa.Array | None
) -> tuple[pa.Array, pa.RecordBatch, Sequence[pa.Array], pa.Array | None]:
    keys = keys.filter(keep) if keys.num_columns else keys
    kinds = kinds.filter(keep) if kinds is not None else None
    return ts.filter(keep), keys, [column.filter(keep) for column in columns], kinds


def _punctuated(rows: Rows) -> tuple[Rows, np.ndarray]:
    """The rows that are data, with groups that have none kept, and the punctuation of each group."""
    punctuation = np.asarray(rows.columns[-1].to_numpy(zero_copy_only=False))
    upto = np.full(rows.groups.size, MIN_INSTANT)
    np.maximum.at(upto, rows.group_of_row[punctuation], rows.ts[punctuation])
    counts = np.bincount(rows.group_of_row[~punctuation], minlength=rows.groups.size)
    bounds = np.concatenate([[0], np.cumsum(counts)])
    data = pa.array(~punctuation)
    columns = [column.filter(data) for column in rows.columns[:-1]]
    return Rows(rows.groups, bounds, rows.ts[~punctuation], columns), upto


def _groups_between(rows: Rows, low: int, high: int) -> Rows:
    """The rows of groups `low` up to `high`, renumbered from 0."""
    start, size = rows.bounds[low], rows.bounds[high] - rows.bounds[low]
    columns = [column.slice(start, size) for column in rows.columns]
    bounds = rows.bounds[low : high + 1] - start
    return Rows(np.arange(high - low), bounds, rows.ts[start : start + size], columns)
