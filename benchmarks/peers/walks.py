"""Compiled loops that walk the rows of all keys at once, in the order of time, with a state record for each key.

Each takes a batch of (key code, instant, value), the states and room for frames, and returns how many it wrote. What
is open after the last batch stands in the states.
"""

from __future__ import annotations

import math
from typing import Any

import numba
import numpy as np

from streamframes.study.baselines.tasks import AMOUNT, BOUND, MIN_ROWS, Task

STATE = np.dtype(
    [("start", "i8"), ("end", "i8"), ("rows", "i8"), ("base", "f8"), ("total", "f8"), ("top", "f8")], align=True
)
# What is written of a frame: its key and these fields of the state, the last two only where they are measures.
FIELDS = ("start", "end", "rows", "total", "top")

Columns = tuple[np.ndarray, ...]


def room_for(task: Task, frames: int) -> Columns:
    """Columns that hold as many frames: keys, then the fields."""
    sizes = [frames if task.measures or name not in ("total", "top") else 0 for name in FIELDS]
    return np.empty(frames, np.int32), *(np.empty(size, STATE[name]) for size, name in zip(sizes, FIELDS, strict=True))


@numba.njit(nogil=True)
def _write(found: Any, n: int, key: int, state: Any) -> None:
    keys, starts, ends, sizes, _, _ = found
    keys[n], starts[n], ends[n], sizes[n] = key, state.start, state.end, state.rows


def _inside(measures: bool) -> Any:
    """Runs of a condition. Without branches on it: where keys mix, a processor cannot foresee it."""

    @numba.njit(nogil=True)
    def walk(keys: Any, ts: Any, values: Any, states: Any, found: Any) -> int:
        n = 0
        for i in range(keys.size):
            state = states[keys[i]]
            inside = values[i] > 0.5
            if not inside and state.rows >= MIN_ROWS:
                _write(found, n, keys[i], state)
                if measures:
                    found[4][n], found[5][n] = state.total, state.top
                n += 1
            is_new = state.rows == 0
            state.start = ts[i] if is_new else state.start
            state.end = ts[i]
            if measures:
                state.total = values[i] if is_new else state.total + values[i]
                state.top = values[i] if is_new else max(state.top, values[i])
            state.rows = state.rows + 1 if inside else 0
        return n

    return walk


def _staying(base_of: Any, stays: Any) -> Any:
    """A new frame where a value does not stay with the frame's first."""

    @numba.njit(nogil=True)
    def walk(keys: Any, ts: Any, values: Any, states: Any, found: Any) -> int:
        n = 0
        for i in range(keys.size):
            state, base = states[keys[i]], base_of(values[i])
            if state.rows and stays(state.base, base):
                state.rows += 1
            else:
                if state.rows:
                    _write(found, n, keys[i], state)
                    n += 1
                state.start, state.base, state.rows = ts[i], base, 1
            state.end = ts[i]
        return n

    return walk


@numba.njit(nogil=True)
def _summing(keys: Any, ts: Any, values: Any, states: Any, found: Any) -> int:
    n = 0
    for i in range(keys.size):
        state = states[keys[i]]
        if not state.rows:
            state.start, state.base = ts[i], 0.0
        state.rows += 1
        state.base += values[i]
        state.end = ts[i]
        if state.base >= BOUND:
            _write(found, n, keys[i], state)
            n += 1
            state.rows = 0
    return n


_WALKS = {
    "threshold": _inside(measures=False),
    "fill": _inside(measures=True),
    "delta": _staying(numba.njit(lambda value: value), numba.njit(lambda base, value: abs(value - base) < AMOUNT)),
    "boundary": _staying(numba.njit(lambda value: math.ceil(value * 4)), numba.njit(lambda base, value: base == value)),
    "aggregate": _summing,
}


def walk_of(task: Task) -> Any:
    """The loop of a task."""
    return _WALKS[task.name]


def still_open(task: Task, states: np.ndarray) -> Columns:
    """The frames that the end of the data closes."""
    keys = np.flatnonzero(states["rows"] >= (MIN_ROWS if task.is_threshold else 1)).astype(np.int32)
    return keys, *(states[name][keys] for name in FIELDS)
