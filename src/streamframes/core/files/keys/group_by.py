"""Grouping: rows of a file brought together by group, without a sort."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.batch.rows import Rows
from streamframes.core.jit.buffers import empty, flags, packed
from streamframes.core.jit.compiled import compiled
from streamframes.core.jit.pointers import inlined


@compiled
def _places(numbers: Any, counts: Any) -> None:
    for i in range(numbers.size):
        counts[numbers[i]] += 1


@compiled
def _laid_out(counts: Any, wanted: Any, groups: Any, bounds: Any, place: Any) -> Any:
    """Where the rows of each wanted group begin; of others, behind the last. Returns how many groups have rows."""
    n_groups, n = 0, 0
    for group in range(counts.size):
        if counts[group] and (wanted.size == 0 or wanted[group]):
            groups[n_groups], place[group] = group, n
            n += counts[group]
            n_groups += 1
            bounds[n_groups] = n
        else:
            place[group] = -1
    for group in range(counts.size):
        if place[group] < 0:
            place[group] = n
    return n_groups


@compiled
def _order(numbers: Any, place: Any, order: Any) -> None:
    for i in range(numbers.size):
        order[_next(numbers[i], place, order)] = i


@compiled
def _moved(numbers: Any, place: Any, values: Any, out: Any) -> None:
    for i in range(numbers.size):
        out[_next(numbers[i], place, out)] = values[i]


@compiled
def _both_moved(numbers: Any, place: Any, ts: Any, values: Any, ts_out: Any, out: Any) -> None:
    for i in range(numbers.size):
        at = _next(numbers[i], place, out)
        ts_out[at], out[at] = ts[i], values[i]


@inlined
def _next(number: Any, place: Any, out: Any) -> Any:
    """Where the next row of a group goes: rows that nobody wants go to the last place, one over the other."""
    at = place[number]
    place[number] = at + 1
    return min(at, out.size - 1)


def grouped(
    numbers: np.ndarray | int,
    ts: np.ndarray,
    columns: Sequence[pa.Array],
    n_groups: int,
    wanted: np.ndarray | None = None,
) -> Rows:
    """Rows by group, each group in the order in which its rows came; of wanted groups, if not all are."""
    if isinstance(numbers, int):
        return Rows(np.array([numbers]), np.array([0, ts.size]), ts, list(columns))
    counts, place = np.zeros(n_groups, np.int64), np.empty(n_groups, np.int64)
    _places(numbers, counts)
    groups, bounds = np.empty(n_groups, np.int64), np.zeros(n_groups + 1, np.int64)
    size = _laid_out(counts, np.empty(0, np.bool_) if wanted is None else wanted, groups, bounds, place)
    groups, bounds = groups[:size], bounds[: size + 1]
    n = int(bounds[-1])
    if n == 0 or (groups.size == 1 and n == ts.size):
        return Rows(groups, bounds, ts[:n], [column.slice(0, n) for column in columns])
    mover = _Mover(numbers, place, n)
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

    def __init__(self, numbers: np.ndarray, place: np.ndarray, rows: int) -> None:
        self.numbers = numbers
        self.place = place
        self.rows = rows
        self.order: pa.Array | None = None

    def room(self, dtype: Any) -> np.ndarray:
        """Room for the wanted rows, and one for all others."""
        return empty(self.rows + 1, dtype)

    def moved(self, values: np.ndarray) -> np.ndarray:
        out = self.room(values.dtype)
        _moved(self.numbers, self.place.copy(), values, out)
        return out[: self.rows]

    def both(self, ts: np.ndarray, values: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        ts_out, out = self.room(ts.dtype), self.room(values.dtype)
        _both_moved(self.numbers, self.place.copy(), ts, values, ts_out, out)
        return ts_out[: self.rows], out[: self.rows]

    def column(self, column: pa.Array) -> pa.Array:
        if _is_plain(column):
            return _array(self.moved(_values(column)))
        if self.order is None:
            order = self.room(np.int64)
            _order(self.numbers, self.place.copy(), order)
            self.order = pa.array(order[: self.rows])
        return column.take(self.order)
