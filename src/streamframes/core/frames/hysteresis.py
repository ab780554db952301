"""Hysteresis (`until`, `merge_gap`): which rows are members of a Threshold frame, where it takes more than one row.

`until` needs the rows before; `merge_gap` needs the rows after, so the rows of a dip are held back until it is known
whether the dip is bridged:

  where    1 1 0 0 1 0 0 0 0
  members  1 1 1 1 1 . . . .      dips no longer than merge_gap are filled; the last four rows may still wait

The decision is made in `_find_members`.
"""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import Any, ClassVar

import numpy as np

from streamframes.core.batch.rows import Rows, gather
from streamframes.core.frames.kernel import CANNOT_OPEN, HOLE_BREAK, MISSING_REPORT, NULL_BREAK, SKIP
from streamframes.core.jit.compiled import compiled
from streamframes.core.operator.group_state import GroupState

# Columns of a group's state record: whether it is in an episode; whether an episode has ended that a later one may be
# merged with, and when; whether it has had a row, and when.
_ON, _HAS_END, _LAST_END, _SEEN, _LAST = range(5)


@dataclass(frozen=True)
class Hysteresis:
    """Whether there is an `until`, and the gaps in ticks."""

    until: bool
    merge_gap: np.uint64 | None
    max_gap: np.uint64


@compiled
def _find_members(  # noqa: PLR0915  (one loop, as in the kernel)
    groups: Any,
    bounds: Any,
    ts: Any,
    mark: Any,
    where: Any,
    until: Any,
    merges: bool,
    merge_gap: Any,
    max_gap: Any,
    watermarks: Any,
    final: bool,
    state: Any,
    member: Any,
    certain: Any,
) -> None:
    """Fill `member` and, for each group, `certain`: up to which row that is certain.

    `watermarks`, if known, says for each group before which instant all rows have been seen.
    """
    special = 0
    for k in range(groups.size):
        record = state[groups[k]]
        on, has_end, last_end = record[_ON] != 0, record[_HAS_END] != 0, record[_LAST_END]
        seen, last = record[_SEEN] != 0, record[_LAST]
        dip, seen_before_dip, last_before_dip = bounds[k], seen, last
        for i in range(bounds[k], bounds[k + 1]):
            member[i] = False
            if mark.size:
                special = mark[i]
            if special & HOLE_BREAK:
                on, has_end = False, False
            if special & SKIP:
                if special & MISSING_REPORT == MISSING_REPORT:
                    if on:
                        on = False
                        has_end = merges
                        dip, seen_before_dip, last_before_dip = i, seen, last
                elif special & NULL_BREAK:
                    on, has_end = False, False
                continue
            t = ts[i]
            if seen and np.uint64(t - last) > max_gap:
                on, has_end = False, False
            if on and (until[i] if until.size else not where[i]):
                on = False
                has_end = merges
                dip, seen_before_dip, last_before_dip = i, seen, last
            if has_end and np.uint64(t - last_end) > merge_gap:
                has_end = False
            seen, last = True, t
            opens = where[i] and not special & CANNOT_OPEN and not (until.size and until[i])
            if not on and opens:
                on = True
                if has_end:
                    member[dip:i] = True
                    has_end = False
            if on:
                member[i] = True
                last_end = t
        certain[k] = bounds[k + 1]
        if has_end and watermarks.size and watermarks[groups[k]] > last_end:
            has_end = np.uint64(watermarks[groups[k]] - last_end) <= merge_gap
        if has_end and not final:
            certain[k] = dip
            seen, last = seen_before_dip, last_before_dip
        record[_ON], record[_HAS_END], record[_LAST_END] = on, has_end, last_end
        record[_SEEN], record[_LAST] = seen, last


@dataclass
class HysteresisStage(GroupState):
    """Hysteresis at work: a record per group, and the rows of dips that may still be bridged."""

    per_group: ClassVar = ("state",)

    settings: Hysteresis
    state: np.ndarray = field(default_factory=lambda: np.zeros((0, 5), np.int64))
    held: list[Rows] = field(default_factory=list)

    def with_held(self, rows: Rows) -> Rows:
        """The rows that were held back, and then these."""
        return gather([*self.held, rows])

    def feed(
        self, rows: Rows, where: np.ndarray, until: np.ndarray, watermarks: np.ndarray, *, final: bool
    ) -> tuple[Rows, np.ndarray]:
        """The rows that are certain now, and which of them are members; the others are held back."""
        self.grow(int(rows.groups.max()) + 1)
        settings = self.settings
        merges = settings.merge_gap is not None
        merge_gap = settings.merge_gap if settings.merge_gap is not None else np.uint64(0)
        member, certain_to = np.empty(len(rows), np.bool_), np.empty(rows.groups.size, np.int64)
        inputs = (rows.groups, rows.bounds, rows.ts, rows.mark, where, until)
        _find_members(*inputs, merges, merge_gap, settings.max_gap, watermarks, final, self.state, member, certain_to)
        certain = np.arange(len(rows)) < np.repeat(certain_to, np.diff(rows.bounds))
        self.held = [] if certain.all() else [rows.filter(~certain)]
        return rows.filter(certain), member[certain]

    @property
    def busy(self) -> np.ndarray:
        """Whether a group is in an episode, or in a dip that may be bridged."""
        return np.asarray((self.state[:, _ON] | self.state[:, _HAS_END]) != 0)
