"""The compiled loops over many groups, as one table: what an engine that has put the rows in order hands over.

The rows of a group stand together, in the order of time; `bounds[g]` to `bounds[g + 1]` are those of group g.
"""

from __future__ import annotations

import os
from collections.abc import Sequence
from concurrent.futures import ThreadPoolExecutor
from typing import Any

import numba
import numpy as np
import pyarrow as pa

from streamframes.study.baselines.kernels import aggregate_compiled, delta_compiled
from streamframes.study.baselines.tasks import AMOUNT, BOUND, FRAME_COLUMNS, Task

INSTANT = pa.timestamp("us", tz="UTC")


def compiled_frames(task: Task, ts: np.ndarray, values: np.ndarray) -> Any:
    """First and last instants and numbers of rows of one group's frames."""
    return delta_compiled(ts, values, AMOUNT) if task.name == "delta" else aggregate_compiled(ts, values, BOUND)


def frames_of_groups(task: Task, names: pa.Array, bounds: np.ndarray, ts: np.ndarray, values: np.ndarray) -> pa.Table:
    """The frames of all groups, found by as many threads as there are cores."""
    find = _DELTA if task.name == "delta" else _AGGREGATE
    limit = AMOUNT if task.name == "delta" else BOUND

    def some(low: int, high: int) -> Any:
        return find(low, bounds[low : high + 1], ts, values, limit)

    cuts = _cuts(bounds, os.cpu_count() or 1)
    with ThreadPoolExecutor() as pool:
        parts = list(pool.map(some, cuts, cuts[1:]))
    return frame_table(names, *(np.concatenate(column) for column in zip(*parts, strict=True)))


def frame_table(
    names: pa.Array, groups: np.ndarray, starts: np.ndarray, ends: np.ndarray, sizes: np.ndarray
) -> pa.Table:
    """Frames as every way returns them; a group is named by its number."""
    keys = pa.DictionaryArray.from_arrays(pa.array(groups), names)
    instants = [pa.array(each).cast(INSTANT) for each in (starts, ends)]
    return pa.table([keys, *instants, pa.array(sizes)], names=FRAME_COLUMNS)


def _cuts(bounds: np.ndarray, parts: int) -> Sequence[int]:
    """Numbers of groups between which about as many rows lie."""
    inner = np.searchsorted(bounds, np.linspace(0, bounds[-1], parts + 1)[1:-1])
    return [0, *inner.tolist(), bounds.size - 1]


def _over_groups(find: Any) -> Any:
    """The loop of one group, over those between the bounds."""

    @numba.njit(nogil=True)
    def frames(first_group: int, bounds: Any, ts: Any, values: Any, limit: float) -> Any:
        rows = bounds[-1] - bounds[0]
        groups = np.empty(rows, np.int32)
        starts, ends, sizes = np.empty(rows, np.int64), np.empty(rows, np.int64), np.empty(rows, np.int64)
        n = 0
        for group in range(bounds.size - 1):
            low, high = bounds[group], bounds[group + 1]
            some = find(ts[low:high], values[low:high], limit)
            until = n + some[0].size
            groups[n:until] = first_group + group
            starts[n:until], ends[n:until], sizes[n:until] = some
            n = until
        return groups[:n], starts[:n], ends[:n], sizes[:n]

    return frames


_DELTA, _AGGREGATE = _over_groups(delta_compiled), _over_groups(aggregate_compiled)
