"""Grouping: rows of a file brought together by group, without a sort."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.buffers import empty, flags, packed
from streamframes.core.columns import Rows
from streamframes.core.compiled import compiled


@compiled
def _places(numbers: Any, counts: Any) -> None:
    for i in range(numbers.size):
        counts[numbers[i]] += 1


@compiled
def _order(numbers: Any, place: Any, order: Any) -> None:
    for i in range(numbers.size):
        order[place[numbers[i]]] = i
        place[numbers[i]] += 1


@compiled
def _moved(numbers: Any, place: Any, values: Any, out: Any) -> None:
    for i in range(numbers.size):
        out[place[numbers[i]]] = values[i]
        place[numbers[i]] += 1


@compiled
def _both_moved(numbers: Any, place: Any, ts: Any, values: Any, ts_out: Any, out: Any) -> None:
    for i in range(numbers.size):
        at = place[numbers[i]]
        ts_out[at], out[at] = ts[i], values[i]
        place[numbers[i]] = at + 1


def grouped(numbers: np.ndarray | int, ts: np.ndarray, columns: Sequence[pa.Array], n_groups: int) -> Rows:
    """Rows by group, each group in the order in which its rows came."""
    if isinstance(numbers, int):
        return Rows(np.array([numbers]), np.array([0, ts.size]), ts, list(columns))
    counts = np.zeros(n_groups, np.int64)
    _places(numbers, counts)
    groups = np.flatnonzero(counts)
    bounds = np.concatenate([[0], np.cumsum(counts[groups])])
    if groups.size == 1:
        return Rows(groups, bounds, ts, list(columns))
    place = np.zeros(n_groups, np.int64)
    place[groups] = bounds[:-1]
    mover = _Mover(numbers, place)
    plain = [_is_plain(column) for column in columns]
    if plain and plain[0]:
        # The column that a scheme looks at goes along with the instants.
        ts, first = mover.both(ts, _values(columns[0]))
        return Rows(groups, bounds, ts, [_array(first), *map(mover.column, columns[1:])])
    return Rows(groups, bounds, mover.moved(ts), [mover.column(column) for column in columns])


def _is_plain(column: pa.Array) -> bool:
    kind = column.type
    plain = pa.types.is_float64(kind) or pa.types.is_int64(kind) or pa.types.is_boolean(kind)
    return plain and not column.null_count


def _values(column: pa.Array) -> np.ndarray:
    return np.asarray(flags(column) if pa.types.is_boolean(column.type) else column.to_numpy())


def _array(values: np.ndarray) -> pa.Array:
    return packed(values) if values.dtype == np.bool_ else pa.array(values)


class _Mover:
    """Brings columns into the order of groups; plain numbers are written straight to their places."""

    def __init__(self, numbers: np.ndarray, place: np.ndarray) -> None:
        self.numbers = numbers
        self.place = place
        self.order: pa.Array | None = None

    def moved(self, values: np.ndarray) -> np.ndarray:
        out = empty(values.size, values.dtype)
        _moved(self.numbers, self.place.copy(), values, out)
        return out

    def both(self, ts: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        ts_out, out = empty(ts.size, ts.dtype), empty(values.size, values.dtype)
        _both_moved(self.numbers, self.place.copy(), ts, values, ts_out, out)
        return ts_out, out

    def column(self, column: pa.Array) -> pa.Array:
        if _is_plain(column):
            return _array(self.moved(_values(column)))
        if self.order is None:
            order = np.empty(self.numbers.size, np.int64)
            _order(self.numbers, self.place.copy(), order)
            self.order = pa.array(order)
        return column.take(self.order)
