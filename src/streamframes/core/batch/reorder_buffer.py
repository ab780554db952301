"""The waiting room: rows come in any order and leave in the one order that results may depend on.

Within a group that order is `ts`, then the columns that travel, smaller first, false before true, nulls first.
Rows that agree in all of these are the same to every scheme and measure, so no result shows who came earlier.

  add      [3 1 2] [5 4]          chunks as they arrive
  release  1 2 3 | 4 5            up to the bound, in order; the rest waits
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streamframes.core.batch.group_values import as_text
from streamframes.core.batch.groups import as_int64, validity
from streamframes.core.batch.rows import Rows, gather, no_rows
from streamframes.core.jit.compiled import compiled


class ReorderBuffer:
    """Rows that wait until everything before them has been seen."""

    def __init__(self, types: Sequence[pa.DataType]) -> None:
        self._types = list(types)
        self._waiting: list[Rows] = []

    def __len__(self) -> int:
        return sum(len(part) for part in self._waiting)

    def add(self, rows: Rows) -> None:
        """Let rows in; each group's rows in `rows` must be sorted by `ts`."""
        if len(rows):
            self._waiting.append(rows)

    def release(self, bound: int | None, wanted: Callable[[Rows], np.ndarray] | None = None) -> Rows:
        """The waiting rows with `ts < bound` (None: all), in order; those that are not `wanted` are dropped."""
        leaving, staying = [], []
        for part in self._waiting:
            leaves = np.ones(len(part), np.bool_) if bound is None else part.ts < bound
            if not leaves.all():
                staying.append(part.filter(~leaves))
            leaving.append(part.filter(leaves if wanted is None else leaves & wanted(part)))
        self._waiting = staying
        return in_order(gather(leaving)) if leaving else no_rows(self._types)


@compiled
def disorder(bounds: Any, ts: Any) -> Any:
    """Whether any group runs backwards, and whether any two neighbours tie."""
    backwards, ties = False, False
    for k in range(bounds.size - 1):
        for i in range(bounds[k] + 1, bounds[k + 1]):
            if ts[i] < ts[i - 1]:
                return True, True
            if ts[i] == ts[i - 1]:
                ties = True
    return backwards, ties


def in_order(rows: Rows) -> Rows:
    """Sort each group's rows by `ts`, ties by the columns that travel."""
    backwards, ties = disorder(rows.bounds, rows.ts)
    if backwards:
        rows = sorted_by_ts(rows)
        _, ties = disorder(rows.bounds, rows.ts)
    if not ties or not rows.columns or _has_no_ties_left(rows):
        return rows
    return _ties_broken(rows)


def _has_no_ties_left(rows: Rows) -> bool:
    """Whether all ties are broken by the first column that travels, and in order: most logs come so."""
    first = rows.columns[0]
    if first.null_count or not rows.groups.size:
        return False
    if pa.types.is_float64(first.type):
        # Where doubles rise, they do so in the order of sort_keys as well: no NaN and no two zeros are among them.
        return bool(_rises(rows.bounds, rows.ts, first.to_numpy()))
    plain = pa.types.is_integer(first.type) or pa.types.is_temporal(first.type)
    return plain and bool(_rises(rows.bounds, rows.ts, as_int64(first)))


@compiled
def _rises(bounds: Any, ts: Any, values: Any) -> Any:
    """Whether values rise wherever instants of a group tie."""
    for k in range(bounds.size - 1):
        for i in range(bounds[k] + 1, bounds[k + 1]):
            if ts[i] == ts[i - 1] and not values[i] > values[i - 1]:
                return False
    return True


def sorted_by_ts(rows: Rows) -> Rows:
    """Sort each group's rows by `ts` alone; rows of one instant keep their order."""
    order, spare, edges = (np.empty(len(rows) + 1, np.int64) for _ in range(3))
    _order_by_ts(rows.bounds, rows.ts, order, spare, edges)
    return rows.take(order[:-1], rows.groups, rows.bounds)


@compiled
def _order_by_ts(bounds: Any, ts: Any, order: Any, spare: Any, edges: Any) -> None:
    """Merge the rising stretches of each group, two by two: rows that come in batches are few such stretches."""
    for k in range(bounds.size - 1):
        low, high = bounds[k], bounds[k + 1]
        n = 0
        edges[0] = low
        for i in range(low, high):
            order[i] = i
            if i > low and ts[i] < ts[i - 1]:
                n += 1
                edges[n] = i
        n += 1
        edges[n] = high
        while n > 1:
            for j in range(0, n, 2):
                left, middle = edges[j], edges[j + 1]
                right, end = middle, edges[min(j + 2, n)]
                edges[j // 2] = left
                for i in range(left, end):
                    if right >= end or (left < middle and ts[order[left]] <= ts[order[right]]):
                        spare[i] = order[left]
                        left += 1
                    else:
                        spare[i] = order[right]
                        right += 1
            order[low:high] = spare[low:high]
            n = (n + 1) // 2
            edges[n] = high


def _ties_broken(rows: Rows) -> Rows:
    segment = np.repeat(np.arange(rows.groups.size), np.diff(rows.bounds))
    same = (rows.ts[1:] == rows.ts[:-1]) & (segment[1:] == segment[:-1])
    tied = np.flatnonzero(np.append(same, False) | np.append(False, same))
    indices = pa.array(tied)
    keys: list[np.ndarray] = []
    for column in rows.columns:
        keys.extend(sort_keys(column.take(indices)))
    chosen = np.lexsort((*reversed(keys), rows.ts[tied], segment[tied]))
    if (chosen == np.arange(tied.size)).all():
        return rows
    order = np.arange(len(rows))
    order[tied] = tied[chosen]
    return rows.take(order, rows.groups, rows.bounds)


def sort_keys(array: pa.Array) -> list[np.ndarray]:
    """Arrays whose joint order is the order of the values: smaller first, nulls first, NaN last."""
    kind = array.type
    if pa.types.is_dictionary(kind):
        return sort_keys(array.dictionary_decode())
    if pa.types.is_integer(kind) or pa.types.is_temporal(kind) or pa.types.is_boolean(kind):
        return [*_nulls_first(array), as_int64(array)]
    if pa.types.is_floating(kind):
        return [*_nulls_first(array), _total_order(array)]
    if pa.types.is_nested(kind) or pa.types.is_null(kind):
        array = pc.if_else(array.is_valid(), as_text(array), pa.scalar(None, pa.large_binary()))
    return [*_nulls_first(array), pc.rank(array, "ascending", tiebreaker="dense").to_numpy()]


def _nulls_first(array: pa.Array) -> list[np.ndarray]:
    valid = validity(array)
    return [valid] if valid.size else []


def _total_order(array: pa.Array) -> np.ndarray:
    """Doubles as integers in the same order, with -0.0 below 0.0 and every NaN above all."""
    values = array.cast(pa.float64()).fill_null(0.0).to_numpy(zero_copy_only=False)
    bits = np.where(np.isnan(values), np.nan, values).view(np.int64)
    return np.asarray(bits ^ ((bits >> 63) & np.int64(2**63 - 1)))
