"""A user's fold as a measure: the rows of many frames are added one by one, compiled where Numba can.

Nulls and NaN take no part; a frame without values has no result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any, cast

import numba
import numpy as np
import pyarrow as pa

from streamframes.core.batch.rows import Rows
from streamframes.core.frames.measures.measure import Carry, Measure
from streamframes.core.jit import usercode
from streamframes.core.operator.group_state import GroupState
from streamframes.core.schemes.folds import Fold, probe_of

Add = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], None]
Result = Callable[[np.ndarray], float]


class FoldAccumulator(GroupState):
    """A user's fold: how many values there were, and the declared scalars, for each open frame."""

    per_group = ("count", "scalars")

    def __init__(self, measure: Measure, fold: Fold, n_lanes: int) -> None:
        self.measure = measure
        self.n_lanes = n_lanes
        self.start = np.array(fold.start, np.float64)
        self.add, self.result = _add_and_result(fold)
        self.count = np.zeros((0, n_lanes), np.int64)
        self.scalars = np.zeros((0, n_lanes, self.start.size), np.float64)

    def feed(self, frames: Carry, rows: Rows, frame_of_row: np.ndarray, n_groups: int, wanted: np.ndarray) -> pa.Array:
        """Add the rows to their frames; returns the measure of the wanted ones."""
        self.grow(n_groups)
        count, scalars = self.count.reshape(-1), self.scalars.reshape(-1, self.start.size)
        n = np.where(frames.goes_on, count[frames.lane_id], 0)
        state = np.where(frames.goes_on[:, None], scalars[frames.lane_id], self.start)
        column = rows.columns[self.measure.column or 0]
        values = column.cast(pa.float64()).fill_null(np.nan).to_numpy(zero_copy_only=False)
        for lane in range(self.n_lanes):
            self.add(values, frame_of_row[:, lane], n, state)
        count[frames.lane_id[frames.stays]] = n[frames.stays]
        scalars[frames.lane_id[frames.stays]] = state[frames.stays]
        return self._result(n[wanted], state[wanted])

    def finish(self, lane_id: np.ndarray) -> pa.Array:
        """The measure of the frames that the end of the data closed."""
        return self._result(self.count.reshape(-1)[lane_id], self.scalars.reshape(-1, self.start.size)[lane_id])

    def _result(self, n: np.ndarray, state: np.ndarray) -> pa.Array:
        return pa.array(
            [self.result(record) if size else None for size, record in zip(n, state, strict=True)], pa.float64()
        )


def _add_and_result(fold: Fold) -> tuple[Add, Result]:
    """Two functions: one adds rows to the states of their frames, one gives the result of a state."""
    functions: tuple[Add, Result] = usercode.built_once(f"measure {fold}", lambda: _build(fold))
    return functions


def _build(fold: Fold) -> tuple[Add, Result]:
    def result(record: np.ndarray) -> float:
        return float(fold.result(tuple(record.tolist())))

    size = len(fold.start)
    functions = usercode.jitted([fold.add, fold.result], probe_of(fold))
    if functions is None:
        return _loop(fold.add, size, usercode.PLAIN), result
    return cast(Add, numba.njit(_loop(functions[0], size, usercode.COMPILED))), result


def _loop(add: Callable[..., object], size: int, access: usercode.RecordAccess) -> Add:
    as_tuple, store = access

    def loop(values: Any, frame_of_row: Any, n: Any, state: Any) -> None:
        for i in range(frame_of_row.size):
            frame = frame_of_row[i]
            if frame >= 0 and values[i] == values[i]:
                store(state[frame], add(as_tuple(state[frame], size), values[i]))
                n[frame] += 1

    return loop
