"""Numbers: count, sum, avg, min, max and stddev, as a count and two scalars for each open frame.

The rows of a frame are added in their order, so that a sum of doubles does not depend on how rows were partitioned.
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import as_int64, validity
from streamframes.core.batch.rows import Rows, typed
from streamframes.core.frames.measures.measure import MEASURES, Carry, Measure
from streamframes.core.jit.compiled import compiled
from streamframes.core.operator.group_state import GroupState
from streamframes.errors import StreamFramesError

_LONGEST = 2**63 - 1
_COUNT, _SUM, _AVG, _MIN, _MAX, _FIRST, _LAST, _STDDEV = range(8)


@compiled
def _accumulate(function: int, values: Any, valid: Any, frame_of_row: Any, n: Any, a: Any, b: Any) -> bool:
    """Add each row to its frame; returns whether a sum of integers overflowed."""
    overflow = False
    for i in range(frame_of_row.size):
        frame = frame_of_row[i]
        if frame < 0 or (valid.size and not valid[i]):
            continue
        n[frame] += 1
        if function == _COUNT:
            continue
        value = values[i]
        if function == _SUM or function == _AVG:  # noqa: SIM109  (Numba compiles this to two comparisons)
            overflow |= a[frame] > _LONGEST - value if value > 0 else a[frame] < -_LONGEST - value
            a[frame] += value
        elif function == _MIN:
            if n[frame] == 1 or value < a[frame] or a[frame] != a[frame]:
                a[frame] = value
        elif function == _MAX:
            if n[frame] == 1 or value > a[frame] or value != value:
                a[frame] = value
        else:
            step = value - a[frame]
            a[frame] += step / n[frame]
            b[frame] += step * (value - a[frame])
    return overflow


class NumberAccumulator(GroupState):
    """The totals of one measure: for each open frame how many values there were, and two scalars."""

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

    def feed(self, frames: Carry, rows: Rows, frame_of_row: np.ndarray, n_groups: int, wanted: np.ndarray) -> pa.Array:
        """Add the rows to their frames; returns the measure of the wanted ones."""
        self.grow(n_groups)
        lane_id, goes_on = frames.lane_id, frames.goes_on
        carried = self._carried()
        n, a, b = (np.zeros(lane_id.size, array.dtype) for array in carried)
        for own, array in zip((n, a, b), carried, strict=True):
            own[goes_on] = array[lane_id[goes_on]]
        values, valid = self._values(rows)
        for lane in range(self.n_lanes):
            overflow = _accumulate(self.number, values, valid, frame_of_row[:, lane], n, a, b)
            if overflow and self.whole:
                name = self.measure.name
                raise StreamFramesError(f"the sum {name!r} exceeds a long; write sum(cast(... as double))")
        for own, array in zip((n, a, b), carried, strict=True):
            array[lane_id[frames.stays]] = own[frames.stays]
        return self._result(n[wanted], a[wanted], b[wanted])

    def finish(self, lane_id: np.ndarray) -> pa.Array:
        """The measure of the frames that the end of the data closed."""
        return self._result(*(array[lane_id] for array in self._carried()))

    def _carried(self) -> list[np.ndarray]:
        """The totals by lane id, as views."""
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
