"""Reporting schedules: which reports are missing, and what stands in for them.

ticks     |     |     |     |     |     |        multiples of the period from the group's phase
reports   x     x x         x     x              two on one tick: the last counts
missing                 ?               (?)      "ends", "holds", "true" or "false"; the last is not known yet
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.columns import Rows, gather
from streamframes.core.compiled import compiled
from streamframes.core.kernel import CANNOT_OPEN, HOLE_BREAK, IMPUTED_ROW
from streamframes.core.labels import grown
from streamframes.errors import StreamFramesError

MISSING = ("ends", "holds", "true", "false")
OPEN_ON = ("any", "real")
_KNOWN, _PHASE, _STARTED, _NEXT = range(4)
_OFF = -(2**62)
_TOO_MANY = 50_000_000


@dataclass(frozen=True)
class Schedule:
    """A declared schedule, in ticks of the clock."""

    period: int
    jitter: int = 0
    offset: int | None = None
    missing: str = "ends"
    open_on: str = "any"

    @property
    def imputes(self) -> bool:
        """Whether reports are made up."""
        return self.missing in ("true", "false")


@compiled
def _number_ticks(groups: Any, bounds: Any, ts: Any, plan: Any, state: Any, tick: Any) -> None:
    """The number of each row's tick, counted from the group's phase, or _OFF for a row off the schedule."""
    period, jitter, has_offset, offset = plan
    for k in range(groups.size):
        record = state[groups[k]]
        if not record[_KNOWN]:
            record[_KNOWN], record[_PHASE] = 1, offset if has_offset else ts[bounds[k]]
        for i in range(bounds[k], bounds[k + 1]):
            since = ts[i] - record[_PHASE]
            nearest = (since + period // 2) // period
            tick[i] = nearest if abs(since - nearest * period) <= jitter else _OFF


@compiled
def _settle(bounds: Any, tick: Any, keep: Any, settled: Any) -> None:
    """Of several reports on one tick only the last is kept; on a group's last tick another may follow."""
    for k in range(bounds.size - 1):
        following, last = _OFF, _OFF
        settled[k] = bounds[k + 1]
        for i in range(bounds[k + 1] - 1, bounds[k] - 1, -1):
            keep[i] = tick[i] == _OFF or tick[i] != following
            if tick[i] != _OFF:
                following = tick[i]
                last = following if last == _OFF else last
                if tick[i] == last:
                    settled[k] = i


@compiled
def _absent(groups: Any, bounds: Any, ts: Any, tick: Any, plan: Any, state: Any, out: Any) -> None:
    """How many ticks are missing right before each row; none are before a group's first report."""
    period, jitter = plan[0], plan[1]
    for k in range(groups.size):
        record = state[groups[k]]
        for i in range(bounds[k], bounds[k + 1]):
            on = tick[i] != _OFF
            upto = tick[i] if on else (ts[i] - jitter - 1 - record[_PHASE]) // period + 1
            if not record[_STARTED]:
                record[_STARTED], record[_NEXT] = 1, upto
            out[i] = max(0, upto - record[_NEXT])
            record[_NEXT] = max(record[_NEXT], upto + on)


@dataclass
class ScheduleStage:
    """The state of a schedule: per group its phase and next tick, and the rows on a last tick."""

    settings: Schedule
    state: np.ndarray = field(default_factory=lambda: np.zeros((0, 4), np.int64))
    held: list[Rows] = field(default_factory=list)

    def feed(self, rows: Rows, n_groups: int, *, final: bool) -> Rows:
        """The reports that count, with breaks marked or imputed reports put in."""
        rows = gather([*self.held, rows])
        self.state = grown(self.state, n_groups)
        settings = self.settings
        plan = (settings.period, settings.jitter, settings.offset is not None, settings.offset or 0)
        tick, keep = np.empty(len(rows), np.int64), np.empty(len(rows), np.bool_)
        settled = np.empty(rows.groups.size, np.int64)
        _number_ticks(rows.groups, rows.bounds, rows.ts, plan, self.state, tick)
        _settle(rows.bounds, tick, keep, settled)
        certain = (np.arange(len(rows)) < np.repeat(settled, np.diff(rows.bounds))) | final
        self.held = [] if certain.all() else [rows.filter(~certain)]
        rows, tick = rows.filter(certain & keep), tick[certain & keep]
        absent = np.zeros(len(rows), np.int64)
        _absent(rows.groups, rows.bounds, rows.ts, tick, plan, self.state, absent)
        if settings.missing == "ends":
            return rows.with_mark(absent > 0, HOLE_BREAK)
        return self._imputed(rows, absent) if settings.imputes and absent.any() else rows

    def _imputed(self, rows: Rows, absent: np.ndarray) -> Rows:
        """Put `absent[i]` made-up reports before row i, on the ticks that are missing."""
        total = int(absent.sum())
        if total > _TOO_MANY:
            raise StreamFramesError(
                f"{total} reports are missing on a schedule of {self.settings.period} ticks; is the period right?"
            )
        order = np.repeat(np.arange(len(rows)), absent + 1)
        last_of_row = np.cumsum(absent + 1) - 1
        made_up = np.ones(order.size, np.bool_)
        made_up[last_of_row] = False
        phase = self.state[rows.group_of_row, _PHASE]
        on_or_before = phase + (rows.ts + self.settings.jitter - phase) // self.settings.period * self.settings.period
        last_tick = on_or_before - np.where(on_or_before + self.settings.jitter >= rows.ts, self.settings.period, 0)
        back = last_of_row[order] - 1 - np.arange(order.size)
        ts = np.where(made_up, last_tick[order] - back * self.settings.period, rows.ts[order])
        indices = pa.array(order, mask=made_up)
        columns = [column.take(indices) for column in rows.columns]
        sizes = np.add.reduceat(absent + 1, rows.bounds[:-1]) if len(rows) else np.empty(0, np.int64)
        bounds = np.concatenate([[0], np.cumsum(sizes)])
        mark = rows.mark[order] if rows.mark.size else np.empty(0, np.uint8)
        bits = IMPUTED_ROW | (CANNOT_OPEN if self.settings.open_on == "real" else 0)
        return Rows(rows.groups, bounds, ts, columns, mark).with_mark(made_up, bits)
