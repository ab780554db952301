"""Batches: what a search takes at once, the values of many groups as doubles, and the alarms that it gives back."""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa

from streamframes.core.batch.rows import Rows
from streamframes.core.bursts.exact.sums import WHOLE
from streamframes.core.jit.compiled import compiled
from streamframes.errors import StreamFramesError

NO_SKIPS = np.empty(0, np.int64)
# Beyond these, a sum or a variance may overflow.
_LARGEST, _LARGEST_SQUARED = 1e300, 1e145


class Batch(NamedTuple):
    """Values of groups: `bounds[k]` up to `bounds[k + 1]` are those of `groups[k]`, in order.

    `skips` says how many zeros have been left out before a value; it is empty where none have.
    """

    groups: np.ndarray
    bounds: np.ndarray
    values: np.ndarray
    skips: np.ndarray = NO_SKIPS

    def chosen(self, keep: np.ndarray) -> Batch:
        """The values where `keep` holds."""
        before = np.concatenate([[0], np.cumsum(keep)])
        counts = np.diff(before[self.bounds])
        bounds = np.concatenate([[0], np.cumsum(counts[counts > 0])])
        return Batch(
            self.groups[counts > 0], bounds, self.values[keep], self.skips[keep] if self.skips.size else NO_SKIPS
        )


class Alarms(NamedTuple):
    """Windows that reached their thresholds: the row of the feed, the number of the window, the aggregate."""

    rows: np.ndarray
    which: np.ndarray
    values: np.ndarray


def no_alarms() -> Alarms:
    """Room for some alarms."""
    size = 1 << 12
    return Alarms(np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size))


@compiled
def with_room(alarms: Any, n: int, more: int) -> Any:
    """The alarms, with room for more and one to spare."""
    rows, which, values = alarms
    if n + more < rows.size:
        return alarms
    size = 2 * (n + more)
    new_rows, new_which, new_values = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.float64)
    for i in range(n):
        new_rows[i], new_which[i], new_values[i] = rows[i], which[i], values[i]
    return new_rows, new_which, new_values


def numbers_of(rows: Rows, place: int, agg: str, unsigned: str | None) -> tuple[Batch, np.ndarray]:
    """The values in a column of rows, as doubles, and their instants.

    Rows without a value are left out; a count takes them for 0. `unsigned` is a search that takes no negative values.
    """
    column = rows.columns[place]
    if pa.types.is_boolean(column.type):
        values = column.fill_null(False).to_numpy(zero_copy_only=False).astype(np.float64)
        return Batch(rows.groups, rows.bounds, values), rows.ts
    absent = column.is_null(nan_is_null=pa.types.is_floating(column.type))
    if absent.true_count:
        rows = rows.filter(~absent.to_numpy(zero_copy_only=False))
        column = rows.columns[place]
    if pa.types.is_integer(column.type):
        _check_whole(column)
    values = np.array(column.to_numpy(zero_copy_only=False), np.float64)
    _check(values, agg, unsigned)
    return Batch(rows.groups, rows.bounds, values), rows.ts


def _check_whole(column: pa.Array) -> None:
    whole = column.to_numpy(zero_copy_only=False)
    beyond = np.flatnonzero((whole > WHOLE) | (whole < -WHOLE))
    if beyond.size:
        raise StreamFramesError(
            f"bursts() met the value {whole[beyond[0]]}, a whole number beyond 2^53, which cannot be summed exactly; "
            "scale it, or let it be rounded with cast(... as double)"
        )


def _check(values: np.ndarray, agg: str, unsigned: str | None) -> None:
    if not values.size:
        return
    largest = _LARGEST_SQUARED if agg == "variance" else _LARGEST
    most = np.abs(values).max()
    if not most <= largest:
        raise StreamFramesError(
            f"bursts() met the value {most}, beyond {largest:g}, of which no {agg} can be known; filter such rows"
        )
    if unsigned is not None and values.min() < 0:
        raise StreamFramesError(
            f"bursts() met the value {values.min()}, but search={unsigned!r} needs values that are not negative; "
            "use search='exact', which takes any"
        )
