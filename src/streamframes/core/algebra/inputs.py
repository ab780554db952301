"""Sides: the frames of both tables of a bucket, as they came, and as intervals in order.

A row of a side is a frame: its instant is the start, its first travelling column the end. What is null there or ends
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
class Side:
    """Rows as they came, with the numbers of their groups, and their intervals; order[i] is the row of interval i."""

    group: np.ndarray
    start: np.ndarray
    end: np.ndarray
    columns: list[pa.Array]
    intervals: Intervals
    order: np.ndarray


@dataclass(frozen=True)
class Bucket:
    """Both sides of a bucket, and its groups."""

    groups: GroupIndex
    a: Side
    b: Side


def folded(
    keys: pa.Schema, results: Callable[[Bucket], Iterator[pa.RecordBatch]], chunks: Chunks
) -> Iterator[pa.RecordBatch]:
    """The results of chunks (bucket, start, bytes) that are sorted by bucket."""
    for _, part in itertools.groupby(chunks, key=itemgetter(0)):
        yield from results(_bucket(keys, part))


def _bucket(keys: pa.Schema, chunks: Chunks) -> Bucket:
    groups = GroupIndex(keys)
    parts: tuple[list[Rows], list[Rows]] = [], []
    for _, _, data in chunks:
        chunk = decode(data)
        parts[chunk.input_number].append(_numbered(chunk, groups))
    return Bucket(groups, *(_side(rows, len(groups)) for rows in parts))


def _numbered(chunk: Chunk, groups: GroupIndex) -> Rows:
    numbers = groups.numbers(chunk.first, chunk.second, chunk.keys)
    return Rows(numbers, chunk.rows.bounds, chunk.rows.ts, chunk.rows.columns)


def _side(parts: list[Rows], n_groups: int) -> Side:
    if not parts:
        return point_side(np.empty(0, np.int64), np.empty(0, np.int64), n_groups)
    group = np.concatenate([part.group_of_row for part in parts])
    start = np.concatenate([part.ts for part in parts])
    columns = [pa.concat_arrays(column) for column in zip(*(part.columns for part in parts), strict=True)]
    end = as_int64(columns[0])
    lasts = start <= end
    valid = validity(columns[0])
    there = np.flatnonzero(lasts & valid if valid.size else lasts)
    order = there[np.lexsort((start[there], group[there]))]
    bounds = np.searchsorted(group[order], np.arange(n_groups + 1))
    return Side(group, start, end, columns, Intervals(bounds, start[order], end[order]), order)


def point_side(group: np.ndarray, instants: np.ndarray, n_groups: int) -> Side:
    """A side of points that came with nothing but their instants, already in order."""
    bounds = np.searchsorted(group, np.arange(n_groups + 1))
    return Side(group, instants, instants, [], Intervals(bounds, instants, instants), np.arange(instants.size))
