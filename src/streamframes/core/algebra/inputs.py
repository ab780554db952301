"""Inputs: the frames of both tables of a bucket, as they came, and as intervals in order.

A row of an input is a frame: its instant is the start, its first travelling column the end. What is null there or ends
before it starts holds no instant: it is kept as a row and is no interval. A point is a frame that ends at its start.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Iterable, Iterator
from dataclasses import dataclass
from operator import itemgetter

import numpy as np
import pyarrow as pa

from streamframes.core.algebra.intervals import Intervals
from streamframes.core.batch.chunk import Chunk, decode
from streamframes.core.batch.groups import GroupIndex, as_int64, validity
from streamframes.core.batch.rows import Rows

Chunks = Iterable[tuple[int, int, pa.Buffer]]


@dataclass(frozen=True)
class Frames:
    """Rows as they came, with the numbers of their groups, and their intervals; order[i] is the row of interval i."""

    group: np.ndarray
    start: np.ndarray
    end: np.ndarray
    columns: list[pa.Array]
    intervals: Intervals
    order: np.ndarray


@dataclass(frozen=True)
class Bucket:
    """Both inputs of a bucket, and its groups."""

    groups: GroupIndex
    a: Frames
    b: Frames


def bucket_results(
    keys: pa.Schema, results: Callable[[Bucket], Iterator[pa.RecordBatch]], chunks: Chunks
) -> Iterator[pa.RecordBatch]:
    """The results of chunks (bucket, start, bytes) that are sorted by bucket."""
    for _, chunks_of_bucket in itertools.groupby(chunks, key=itemgetter(0)):
        yield from results(_bucket(keys, chunks_of_bucket))


def _bucket(keys: pa.Schema, chunks: Chunks) -> Bucket:
    groups = GroupIndex(keys)
    inputs: tuple[list[Rows], list[Rows]] = [], []
    for _, _, data in chunks:
        chunk = decode(data)
        inputs[chunk.input_number].append(_numbered(chunk, groups))
    return Bucket(groups, *(_frames(rows, len(groups)) for rows in inputs))


def _numbered(chunk: Chunk, groups: GroupIndex) -> Rows:
    numbers = groups.numbers(chunk.first, chunk.second, chunk.keys)
    return Rows(numbers, chunk.rows.bounds, chunk.rows.ts, chunk.rows.columns)


def _frames(parts: list[Rows], n_groups: int) -> Frames:
    if not parts:
        return points(np.empty(0, np.int64), np.empty(0, np.int64), n_groups)
    group = np.concatenate([part.group_of_row for part in parts])
    start = np.concatenate([part.ts for part in parts])
    columns = [pa.concat_arrays(column) for column in zip(*(part.columns for part in parts), strict=True)]
    end = as_int64(columns[0])
    lasts = start <= end
    valid = validity(columns[0])
    there = np.flatnonzero(lasts & valid if valid.size else lasts)
    order = there[np.lexsort((start[there], group[there]))]
    bounds = np.searchsorted(group[order], np.arange(n_groups + 1))
    return Frames(group, start, end, columns, Intervals(bounds, start[order], end[order]), order)


def points(group: np.ndarray, instants: np.ndarray, n_groups: int) -> Frames:
    """Points that came with nothing but their instants, already in order."""
    bounds = np.searchsorted(group, np.arange(n_groups + 1))
    return Frames(group, instants, instants, [], Intervals(bounds, instants, instants), np.arange(instants.size))
