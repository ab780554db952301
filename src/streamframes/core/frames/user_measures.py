"""A user's fold as a measure: the rows of many frames added one by one, compiled where Numba can.

Nulls and NaN take no part; a frame without values has no result.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import numba
import numpy as np
import pyarrow as pa

from streamframes.core.batch.rows import Rows
from streamframes.core.frames.measures import Measure, Shares
from streamframes.core.jit import usercode
from streamframes.core.operator.group_state import GroupState
from streamframes.core.schemes.folds import Fold

Add = Callable[[np.ndarray, np.ndarray, np.ndarray, np.ndarray], None]
Result = Callable[[np.ndarray], float]


class FoldAccumulator(GroupState):
    """A user's fold: how many values there were, and the declared scalars, for each open frame."""

    per_group = ("count", "scalars")

    def __init__(self, measure: Measure, fold: Fold, n_lanes: int) -> None:
        self.measure = measure
        self.n_lanes = n_lanes
        self.start = np.array(fold.start, np.float64)
        self.add, self.result = _running(fold)
        self.count = np.zeros((0, n_lanes), np.int64)
        self.scalars = np.zeros((0, n_lanes, self.start.size), np.float64)

    def feed(self, shares: Shares, rows: Rows, share_of_row: np.ndarray, n_groups: int, wanted: np.ndarray) -> pa.Array:
        """Add the rows to their shares; returns the measure of the wanted ones."""
        self.grow(n_groups)
        count, scalars = self.count.reshape(-1), self.scalars.reshape(-1, self.start.size)
        n = np.where(shares.goes_on, count[shares.slot], 0)
        state = np.where(shares.goes_on[:, None], scalars[shares.slot], self.start)
        column = rows.columns[self.measure.column or 0]
        values = column.cast(pa.float64()).fill_null(np.nan).to_numpy(zero_copy_only=False)
        for lane in range(self.n_lanes):
            self.add(values, share_of_row[:, lane], n, state)
        count[shares.slot[shares.stays]] = n[shares.stays]
        scalars[shares.slot[shares.stays]] = state[shares.stays]
        return self._result(n[wanted], state[wanted])

    def finish(self, slot: np.ndarray) -> pa.Array:
        """The measure of the frames that the end of the data closed."""
        return self._result(self.count.reshape(-1)[slot], self.scalars.reshape(-1, self.start.size)[slot])

    def _result(self, n: np.ndarray, state: np.ndarray) -> pa.Array:
        return pa.array(
            [self.result(record) if size else None for size, record in zip(n, state, strict=True)], pa.float64()
        )


def _running(fold: Fold) -> tuple[Add, Result]:
    """Two functions: one adds rows to the states of their frames, one tells the result of a state."""
    found: tuple[Add, Result] = usercode.built_once(f"measure {fold}", lambda: _build(fold))
    return found


def _build(fold: Fold) -> tuple[Add, Result]:
    size = len(fold.start)
    first = tuple(map(float, fold.start))

    def probe(add: Any, result: Any) -> None:
        state = add(first, 1.0)
        usercode.store(np.zeros(size), state)
        float(result(tuple(map(float, state))))

    def told(record: np.ndarray) -> float:
        return float(fold.result(tuple(record.tolist())))

    functions = usercode.jitted([fold.add, fold.result], probe)
    if functions is None:
        return _loop(fold.add, size, usercode.tuple_python, usercode.store_python), told
    loop: Any = numba.njit(_loop(functions[0], size, usercode.to_fixed_tuple, usercode.store))
    return loop, told


def _loop(add: Any, size: int, as_tuple: Any, store: Any) -> Add:
    def loop(values: Any, share_of_row: Any, n: Any, state: Any) -> None:
        for i in range(share_of_row.size):
            share = share_of_row[i]
            if share >= 0 and values[i] == values[i]:
                store(state[share], add(as_tuple(state[share], size), values[i]))
                n[share] += 1

    return loop
