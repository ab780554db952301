"""Units of time: rows are summed into seconds, minutes, ...; a unit without rows is 0.

  rows    x  x   x  |        | x      |           |  x
  units   3         | 0      | 1      | 0         |  (open until time has passed it)

After a gap longer than everything remembered, further zeros say nothing: they are left out and counted.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from streamframes.core.bursts.batch import NO_SKIPS, Batch
from streamframes.core.jit.compiled import compiled
from streamframes.core.operator.group_state import GroupState
from streamframes.errors import StreamFramesError

# Of each group: whether it has been seen, whether a unit is open, its number or that of the last one, zeros left out.
SEEN, OPEN, UNIT, SKIPPED = range(4)
_TOO_MANY = 10_000_000


class Summed(NamedTuple):
    """Units in the place of rows: when each begins, and their sums."""

    ts: np.ndarray
    fed: Batch


@compiled
def _floor(t: int, unit: int) -> int:
    return t // unit


@compiled
def _sum(
    groups: Any, bounds: Any, ts: Any, x: Any, watermarks: Any, unit: int, most: Any, state: Any, sums: Any,
    write: bool, out_bounds: Any, out_ts: Any, out_x: Any, out_skips: Any,
) -> int:  # fmt: skip
    """Close units: count them, or write them and change the state. Returns their number, -1 for too many."""
    n = 0
    for k in range(groups.size):
        g = groups[k]
        seen, is_open, at, skipped = state[g, SEEN] != 0, state[g, OPEN] != 0, state[g, UNIT], state[g, SKIPPED]
        total, rest = sums[g, 0], sums[g, 1]
        last = bounds[k + 1]
        for i in range(bounds[k], last + 1):
            ends = i == last
            if ends and not (is_open and watermarks[k] >= (at + 1) * unit):
                break
            here = at + 1 if ends else _floor(ts[i], unit)
            if is_open and here > at:
                if write:
                    out_ts[n], out_x[n], out_skips[n] = at * unit, total + rest, skipped
                n += 1
                is_open, skipped = False, 0
            if ends:
                break
            if not is_open:
                gap = here - at - 1 if seen else 0
                zeros = min(gap, most[g])
                if zeros > _TOO_MANY:
                    return -1
                if write:
                    for j in range(zeros):
                        out_ts[n + j], out_x[n + j], out_skips[n + j] = (at + 1 + j) * unit, 0.0, 0
                n += zeros
                is_open, seen, at, skipped, total, rest = True, True, here, gap - zeros, 0.0, 0.0
            more = total + x[i]
            back = more - total
            rest += (total - (more - back)) + (x[i] - back)
            total = more
        out_bounds[k + 1] = n
        if write:
            state[g, SEEN], state[g, OPEN], state[g, UNIT], state[g, SKIPPED] = seen, is_open, at, skipped
            sums[g, 0], sums[g, 1] = total, rest
    return n


class Units(GroupState):
    """The open unit of each group."""

    per_group = ("state", "sums")

    def __init__(self, unit: int) -> None:
        self.unit = unit
        self.state = np.zeros((0, 4), np.int64)
        self.sums = np.zeros((0, 2))

    def feed(self, fed: Batch, ts: np.ndarray, watermarks: np.ndarray, most: np.ndarray, n_groups: int) -> Summed:
        """The units that are complete: all but the last of each group, and that too once time has passed it.

        Of the zeros of a gap, a group gets `most`.
        """
        self.grow(n_groups)
        fed, watermarks = self._awake(fed, watermarks, n_groups)
        rows = (fed.groups, fed.bounds, ts, fed.values, watermarks, self.unit, most, self.state, self.sums)
        bounds = np.zeros(fed.groups.size + 1, np.int64)
        size = _sum(*rows, False, bounds, NO_SKIPS, np.empty(0), NO_SKIPS)
        if size < 0:
            raise StreamFramesError(
                f"a group has been idle for more than {_TOO_MANY:,} units, each of which would raise alarms because "
                "a threshold is zero or less, or is still learnt from; use a larger unit="
            )
        out_ts, out_x, skips = np.empty(size, np.int64), np.empty(size), np.empty(size, np.int64)
        _sum(*rows, True, bounds, out_ts, out_x, skips)
        some = np.diff(bounds) > 0
        closed = Batch(fed.groups[some], np.append(bounds[:-1][some], size), out_x, skips if skips.any() else NO_SKIPS)
        return Summed(out_ts, closed)

    def _awake(self, fed: Batch, watermarks: np.ndarray, n_groups: int) -> tuple[Batch, np.ndarray]:
        """The groups that are fed, with those whose open unit is over, and the watermarks of both."""
        if not watermarks.size:
            return fed, np.full(fed.groups.size, np.iinfo(np.int64).min)
        over = (self.state[:n_groups, OPEN] != 0) & (watermarks[:n_groups] // self.unit > self.state[:n_groups, UNIT])
        over[fed.groups] = False
        more = np.flatnonzero(over)
        groups = np.concatenate([fed.groups, more])
        bounds = np.concatenate([fed.bounds, np.full(more.size, fed.bounds[-1])])
        return fed._replace(groups=groups, bounds=bounds), watermarks[groups]

    def min_unreported_start(self, watermarks: np.ndarray) -> np.ndarray:
        """For each group the instant from which on units may still be reported."""
        self.grow(watermarks.size)
        state = self.state[: watermarks.size]
        starts = (state[:, UNIT] + (state[:, OPEN] == 0)) * self.unit
        return np.where(state[:, SEEN] != 0, np.minimum(watermarks, starts), watermarks)
