"""Reporting schedules: which reports are missing, and what stands in for them.

ticks     |     |     |     |     |     |        multiples of the period from the group's phase
reports   x     x x         x     x              two on one tick: the last counts
missing                 ?               (?)      "ends", "holds", "true" or "false"; the last is not known yet
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from streamframes.core.batch.clock import MAX_INSTANT
from streamframes.core.batch.rows import Rows, control_rows, gather
from streamframes.core.frames.kernel import CANNOT_OPEN, HOLE_BREAK, IMPUTED_ROW, MISSING_REPORT, TIMEOUT
from streamframes.core.jit.compiled import compiled
from streamframes.core.operator.group_state import GroupState
from streamframes.errors import StreamFramesError

MISSING = ("ends", "holds", "true", "false")
OPEN_ON = ("any", "real")
# Columns of a group's state record: whether its phase is known, and which; whether it has reported, and which tick is
# next; whether a control row has said that this one is missing.
_HAS_PHASE, _PHASE, _STARTED, _NEXT, _REPORTED_MISSING = range(5)
_OFF = -(2**62)
_EARLIEST = -(2**62)
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
        if not record[_HAS_PHASE]:
            record[_HAS_PHASE], record[_PHASE] = 1, offset if has_offset else ts[bounds[k]]
        for i in range(bounds[k], bounds[k + 1]):
            since = ts[i] - record[_PHASE]
            nearest = (since + period // 2) // period
            tick[i] = nearest if abs(since - nearest * period) <= jitter else _OFF


@compiled
def _keep_last(
    groups: Any, bounds: Any, tick: Any, plan: Any, state: Any, watermarks: Any, keep: Any, certain: Any
) -> None:
    """Of several reports on one tick only the last is kept; on a group's last tick another may follow.

    None follows where the watermark has passed that tick. `certain` says for each group up to which row that is so.
    """
    for k in range(bounds.size - 1):
        following, last = _OFF, _OFF
        certain[k] = bounds[k + 1]
        for i in range(bounds[k + 1] - 1, bounds[k] - 1, -1):
            keep[i] = tick[i] == _OFF or tick[i] != following
            if tick[i] != _OFF:
                following = tick[i]
                last = following if last == _OFF else last
                if tick[i] == last:
                    certain[k] = i
        if watermarks.size and last != _OFF:
            end = state[groups[k], _PHASE] + last * plan[0] + plan[1]
            if watermarks[groups[k]] > end:
                certain[k] = bounds[k + 1]


@compiled
def _count_missing(groups: Any, bounds: Any, ts: Any, tick: Any, plan: Any, state: Any, out: Any) -> None:
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
            record[_REPORTED_MISSING] = 0


@compiled
def _advance(groups: Any, bounds: Any, ts: Any, plan: Any, state: Any, watermarks: Any) -> None:
    """Move the watermarks of groups behind the reports that continue their schedule without a gap."""
    period, jitter = plan[0], plan[1]
    for k in range(groups.size):
        record, watermark = state[groups[k]], watermarks[groups[k]]
        if not record[_STARTED]:
            continue
        expected = record[_NEXT]
        if watermark > _EARLIEST:
            expected = max(expected, (watermark - 1 - jitter - record[_PHASE]) // period + 1)
        for i in range(bounds[k], bounds[k + 1]):
            since = ts[i] - record[_PHASE]
            nearest = (since + period // 2) // period
            if abs(since - nearest * period) > jitter or nearest < expected - 1:
                continue
            if nearest > expected:
                break
            expected = nearest + 1
            watermark = max(watermark, record[_PHASE] + nearest * period + jitter + 1)
        watermarks[groups[k]] = watermark


@dataclass
class ScheduleStage(GroupState):
    """The state of a schedule: per group its phase and next tick, and the rows on a last tick."""

    per_group: ClassVar = ("state",)

    settings: Schedule
    state: np.ndarray = field(default_factory=lambda: np.zeros((0, 5), np.int64))
    held: list[Rows] = field(default_factory=list)

    def feed(self, rows: Rows, n_groups: int, watermarks: np.ndarray, *, final: bool) -> Rows:
        """The reports that count, with breaks marked or imputed reports put in.

        `watermarks`, if known, says for each group before which instant all rows have been seen.
        """
        rows = gather([*self.held, rows])
        self.grow(n_groups)
        settings, plan = self.settings, self._plan
        tick, keep = np.empty(len(rows), np.int64), np.empty(len(rows), np.bool_)
        certain_to = np.empty(rows.groups.size, np.int64)
        _number_ticks(rows.groups, rows.bounds, rows.ts, plan, self.state, tick)
        _keep_last(rows.groups, rows.bounds, tick, plan, self.state, watermarks, keep, certain_to)
        certain = (np.arange(len(rows)) < np.repeat(certain_to, np.diff(rows.bounds))) | final
        self.held = [] if certain.all() else [rows.filter(~certain)]
        rows, tick = rows.filter(certain & keep), tick[certain & keep]
        missing = np.zeros(len(rows), np.int64)
        _count_missing(rows.groups, rows.bounds, rows.ts, tick, plan, self.state, missing)
        if settings.missing == "ends":
            rows = rows.with_mark(missing > 0, HOLE_BREAK)
        elif settings.imputes and missing.any():
            rows = self._imputed(rows, missing)
        return gather([rows, *self._overdue(watermarks, [column.type for column in rows.columns])])

    def advance(self, rows: Rows, n_groups: int, watermarks: np.ndarray) -> None:
        """Move watermarks behind the reports among these waiting rows that continue the schedule."""
        self.grow(n_groups)
        _advance(rows.groups, rows.bounds, rows.ts, self._plan, self.state, watermarks)

    @property
    def n_started(self) -> int:
        """How many groups have reported."""
        return int(self.state[:, _STARTED].sum())

    @property
    def next_tick(self) -> np.ndarray:
        """The instant at which each group is expected to report next; far off for one that never did."""
        expected = self.state[:, _PHASE] + self.state[:, _NEXT] * self.settings.period
        return np.where(self.state[:, _STARTED] != 0, expected, MAX_INSTANT)

    @property
    def _plan(self) -> tuple[int, int, bool, int]:
        settings = self.settings
        return settings.period, settings.jitter, settings.offset is not None, settings.offset or 0

    def _overdue(self, watermarks: np.ndarray, types: list[pa.DataType]) -> list[Rows]:
        """A control row, once, for each group whose next tick has passed without a report."""
        bits = {"ends": TIMEOUT, "false": MISSING_REPORT}.get(self.settings.missing)
        if bits is None or not watermarks.size:
            return []
        expected = self.next_tick[: watermarks.size]
        overdue = (watermarks > expected) & (watermarks - 1 - self.settings.jitter >= expected)
        groups = np.flatnonzero(overdue & (self.state[: watermarks.size, _REPORTED_MISSING] == 0))
        self.state[groups, _REPORTED_MISSING] = 1
        return [control_rows(groups, expected[groups], types, bits)]

    def _imputed(self, rows: Rows, missing: np.ndarray) -> Rows:
        """Put `missing[i]` made-up reports before row i, on the ticks that are missing."""
        total = int(missing.sum())
        if total > _TOO_MANY:
            raise StreamFramesError(
                f"{total} reports are missing on a schedule of {self.settings.period} ticks; is the period right?"
            )
        order = np.repeat(np.arange(len(rows)), missing + 1)
        last_of_row = np.cumsum(missing + 1) - 1
        made_up = np.ones(order.size, np.bool_)
        made_up[last_of_row] = False
        phase = self.state[rows.group_of_row, _PHASE]
        on_or_before = phase + (rows.ts + self.settings.jitter - phase) // self.settings.period * self.settings.period
        last_tick = on_or_before - np.where(on_or_before + self.settings.jitter >= rows.ts, self.settings.period, 0)
        back = last_of_row[order] - 1 - np.arange(order.size)
        ts = np.where(made_up, last_tick[order] - back * self.settings.period, rows.ts[order])
        indices = pa.array(order, mask=made_up)
        columns = [column.take(indices) for column in rows.columns]
        sizes = np.add.reduceat(missing + 1, rows.bounds[:-1]) if len(rows) else np.empty(0, np.int64)
        bounds = np.concatenate([[0], np.cumsum(sizes)])
        mark = rows.mark[order] if rows.mark.size else np.empty(0, np.uint8)
        bits = IMPUTED_ROW | (CANNOT_OPEN if self.settings.open_on == "real" else 0)
        return Rows(rows.groups, bounds, ts, columns, mark).with_mark(made_up, bits)
