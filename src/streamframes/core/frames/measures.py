"""Measures: aggregates over the rows of each frame, in the same pass that finds or fills the frames.

Each measure keeps a few scalars for every open frame and adds the rows of a frame in their order, so that a sum
of doubles does not depend on how rows were partitioned. Null handling is Spark's: nulls take no part in count,
sum, avg, min, max and stddev; first and last return what stands there; NaN is larger than any number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any, Literal

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import as_int64, validity
from streamframes.core.batch.rows import Rows, typed
from streamframes.core.jit.compiled import compiled
from streamframes.core.operator.group_state import GroupState
from streamframes.core.schemes.folds import Fold
from streamframes.errors import StreamFramesError

Function = Literal["count", "sum", "avg", "min", "max", "first", "last", "stddev", "fold"]
MEASURES: tuple[str, ...] = ("count", "sum", "avg", "min", "max", "first", "last", "stddev")
_LONGEST = 2**63 - 1
_COUNT, _SUM, _AVG, _MIN, _MAX, _FIRST, _LAST, _STDDEV = range(8)


@dataclass(frozen=True)
class Measure:
    """A function of one travelling column (None: of the rows themselves), and the type of its result."""

    name: str
    function: Function
    column: int | None
    type: pa.DataType
    fold: Fold | None = None


@dataclass(frozen=True)
class Shares:
    """The running totals that rows are added to, one for each frame that is looked at.

    `slot` says where it is kept between two batches, `goes_on` whether it was begun before, `stays` whether it will
    be needed again.
    """

    slot: np.ndarray
    goes_on: np.ndarray
    stays: np.ndarray


@compiled
def _accumulate(function: int, values: Any, valid: Any, share_of_row: Any, n: Any, a: Any, b: Any) -> bool:
    """Add each row to its share; returns whether a sum of integers overflowed."""
    overflow = False
    for i in range(share_of_row.size):
        share = share_of_row[i]
        if share < 0 or (valid.size and not valid[i]):
            continue
        n[share] += 1
        if function == _COUNT:
            continue
        value = values[i]
        if function == _SUM or function == _AVG:  # noqa: SIM109  (Numba compiles this to two comparisons)
            overflow |= a[share] > _LONGEST - value if value > 0 else a[share] < -_LONGEST - value
            a[share] += value
        elif function == _MIN:
            if n[share] == 1 or value < a[share] or a[share] != a[share]:
                a[share] = value
        elif function == _MAX:
            if n[share] == 1 or value > a[share] or value != value:
                a[share] = value
        else:
            step = value - a[share]
            a[share] += step / n[share]
            b[share] += step * (value - a[share])
    return overflow


@compiled
def _edges(share_of_row: Any, first: Any, last: Any) -> None:
    for i in range(share_of_row.size):
        share = share_of_row[i]
        if share >= 0:
            if first[share] < 0:
                first[share] = i
            last[share] = i


class NumberAccumulator(GroupState):
    """count, sum, avg, min, max or stddev: a count and two scalars for each open frame."""

    per_group = ("count", "first", "second")

    def __init__(self, measure: Measure, n_lanes: int) -> None:
        self.measure = measure
        self.n_lanes = n_lanes
        self.number = MEASURES.index(measure.function)
        self.whole = measure.function in ("sum", "min", "max") and not pa.types.is_floating(measure.type)
        dtype = np.int64 if self.whole else np.float64
        self.count = np.zeros((0, n_lanes), np.int64)
        self.first = np.zeros((0, n_lanes), dtype)
        self.second = np.zeros((0, n_lanes), np.float64)

    def feed(self, shares: Shares, rows: Rows, share_of_row: np.ndarray, n_groups: int, wanted: np.ndarray) -> pa.Array:
        """Add the rows to their shares; returns the measure of the wanted ones."""
        self.grow(n_groups)
        slot, goes_on = shares.slot, shares.goes_on
        carried = self._carried()
        n, a, b = (np.zeros(slot.size, array.dtype) for array in carried)
        for own, array in zip((n, a, b), carried, strict=True):
            own[goes_on] = array[slot[goes_on]]
        values, valid = self._values(rows)
        for lane in range(self.n_lanes):
            overflow = _accumulate(self.number, values, valid, share_of_row[:, lane], n, a, b)
            if overflow and self.whole:
                name = self.measure.name
                raise StreamFramesError(f"the sum {name!r} exceeds a long; write sum(cast(... as double))")
        for own, array in zip((n, a, b), carried, strict=True):
            array[slot[shares.stays]] = own[shares.stays]
        return self._result(n[wanted], a[wanted], b[wanted])

    def finish(self, slot: np.ndarray) -> pa.Array:
        """The measure of the frames that the end of the data closed."""
        return self._result(*(array[slot] for array in self._carried()))

    def _carried(self) -> list[np.ndarray]:
        """The scalars by slot, as views."""
        return [array.reshape(-1) for array in (self.count, self.first, self.second)]

    def _values(self, rows: Rows) -> tuple[np.ndarray, np.ndarray]:
        if self.measure.column is None:
            return np.empty(0, np.int64), np.empty(0, np.bool_)
        column = rows.columns[self.measure.column]
        if self.number == _COUNT:
            return np.empty(0, np.int64), validity(column)
        if self.whole:
            return as_int64(column), validity(column)
        doubles = (column.fill_null(0) if column.null_count else column).to_numpy(zero_copy_only=False)
        return doubles.astype(np.float64, copy=False), validity(column)

    def _result(self, n: np.ndarray, a: np.ndarray, b: np.ndarray) -> pa.Array:
        if self.number == _COUNT:
            return pa.array(n)
        if self.number == _AVG:
            return pa.array(a / np.maximum(n, 1), pa.float64(), mask=n == 0)
        if self.number == _STDDEV:
            return pa.array(np.sqrt(b / np.maximum(n - 1, 1)), pa.float64(), mask=n < 2)
        return typed(pa.array(a, mask=n == 0), self.measure.type)


class EdgeAccumulator(GroupState):
    """first or last: the value of a frame's first or last row, of any type.

    `values` holds one value for each open frame, `place` says at which position, counted from 1; a frame of
    made-up reports alone has none.
    """

    per_group = ("place",)

    def __init__(self, measure: Measure, n_lanes: int) -> None:
        self.measure = measure
        self.n_lanes = n_lanes
        self.values = pa.array([], measure.type)
        self.place = np.zeros((0, n_lanes), np.int64)

    def snapshot(self, n_groups: int) -> dict[str, Any]:
        """The places, and the values there."""
        return {**super().snapshot(n_groups), "values": self.values}

    def restore(self, saved: dict[str, Any]) -> None:
        """Go on from what was saved."""
        super().restore(saved)
        self.values = saved["values"]

    def chosen(self, numbers: np.ndarray) -> dict[str, Any]:
        """The values of these groups, side by side."""
        place = self.place[numbers]
        there = place > 0
        values = self.values.take(pa.array(place[there] - 1))
        place[there] = np.arange(1, len(values) + 1)
        return {"place": place, "values": values}

    def adopt(self, numbers: np.ndarray, saved: dict[str, Any]) -> None:
        """Values of another are added; those that they replace are dropped with the next rows."""
        place = saved["place"]
        self.place[numbers] = np.where(place > 0, place + len(self.values), 0)
        self.values = pa.concat_arrays([self.values, saved["values"]])

    def feed(self, shares: Shares, rows: Rows, share_of_row: np.ndarray, n_groups: int, wanted: np.ndarray) -> pa.Array:
        """Look at the rows of the shares; returns the measure of the wanted ones."""
        self.grow(n_groups)
        place = self.place.reshape(-1)
        slot, goes_on = shares.slot, shares.goes_on
        first, last = np.full(slot.size, -1), np.full(slot.size, -1)
        for lane in range(self.n_lanes):
            _edges(share_of_row[:, lane], first, last)
        from_before = np.where(goes_on, place[slot], 0)
        nothing = len(rows) + len(self.values)
        index = np.where(from_before > 0, from_before - 1 + len(rows), nothing)
        if self.measure.function == "first":
            index = np.where((index == nothing) & (first >= 0), first, index)
        else:
            index = np.where(last >= 0, last, index)
        column = rows.columns[self.measure.column or 0].cast(self.measure.type)
        joined = pa.concat_arrays([column, self.values, pa.nulls(1, self.measure.type)])
        self._remember(joined, index, slot, shares.stays & (index != nothing), len(rows))
        return joined.take(pa.array(index[wanted]))

    def _remember(self, joined: pa.Array, index: np.ndarray, slot: np.ndarray, keep: np.ndarray, shift: int) -> None:
        """Keep one value for each open frame: those of these shares, and those of groups that had no row."""
        place = self.place.reshape(-1)
        place[slot] = 0
        others = np.flatnonzero(place)
        kept = np.concatenate([index[keep], place[others] - 1 + shift])
        place[np.concatenate([slot[keep], others])] = np.arange(1, kept.size + 1)
        self.values = joined.take(pa.array(kept))

    def finish(self, slot: np.ndarray) -> pa.Array:
        """The measure of the frames that the end of the data closed."""
        place = self.place.reshape(-1)[slot]
        return self.values.take(pa.array(place - 1, mask=place == 0))
