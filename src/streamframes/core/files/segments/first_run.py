"""Boundary runs: the first run of each group of a segment, which may go on a run of the segment before.

Where a run begins anew whatever came before, every other run is certain. What the first one must be merged with is said
by the rows of the group's first instant, and of the run that the last of them is in by its end and its number of rows.
(All rows of the instant, because frames that begin at the same instant differ in their number there.)
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.batch.rows import Rows
from streamframes.core.frames.builder import ScannedRuns
from streamframes.core.frames.kernel import (
    RUN_END,
    RUN_GROUP,
    RUN_REASON,
    RUN_ROWS,
    RUN_START,
    SKIP,
    STILL_OPEN,
)
from streamframes.core.frames.plan import FrameSpec
from streamframes.core.jit.compiled import compiled
from streamframes.core.operator.group_state import grown
from streamframes.core.schemes.gap import GapRule
from streamframes.core.schemes.threshold import Member

NO_RUN = -1


@dataclass(frozen=True)
class BoundaryRun:
    """The first instants of groups: their rows, and of the run that the last of them is in, what comes after them.

    `end` is where that run ends, `more` how many rows it has after the first instant, `reason` why it ended; or NO_RUN.
    """

    first: Rows
    end: np.ndarray
    more: np.ndarray
    reason: np.ndarray


class BoundaryRuns:
    """The first runs of the groups of a segment."""

    def __init__(self, plan: FrameSpec) -> None:
        self.rule = plan.compiled.rule
        self.met = np.zeros(0, np.bool_)
        self.is_open = np.zeros(0, np.bool_)
        self.end = np.zeros(0, np.int64)
        self.rows = np.zeros(0, np.int64)
        self.counted = np.zeros(0, np.int64)
        self.place = np.zeros(0, np.int64)
        self.sizes = np.zeros(0, np.int64)
        self.firsts: list[Rows] = []
        self.n_firsts = 0

    def feed(self, rows: Rows, x: np.ndarray, cut: ScannedRuns, n_groups: int) -> tuple[np.ndarray, list[BoundaryRun]]:
        """Which runs are no boundary runs, and the boundary runs that are complete."""
        for name in ("met", "is_open", "end", "rows", "counted", "place", "sizes"):
            setattr(self, name, grown(getattr(self, name), n_groups))
        table = cut.runs.table
        others = np.ones(table.shape[0], np.bool_)
        going_on = rows.groups[self.is_open[rows.groups]]
        firsts_of_group = np.flatnonzero(np.diff(table[:, RUN_GROUP], prepend=-1))
        run_of = np.full(n_groups, -1)
        run_of[table[firsts_of_group, RUN_GROUP]] = firsts_of_group
        boundary_runs, fresh = [], going_on[:0]
        new = ~self.met[rows.groups]
        at, first = self._first_rows(rows, new) if new.any() else (going_on[:0], rows)
        if at.size:
            begins = self._meet(first, x[..., at] if x.size else x)
            at_once = table[:, RUN_START] == self._instant(first, n_groups)[table[:, RUN_GROUP]]
            others[at_once] = False
            # Of the runs that begin at the first instant, the last is the one that its last row is in.
            run_of[table[at_once, RUN_GROUP]] = np.flatnonzero(at_once)
            fresh = first.groups[begins]
            if not begins.all():
                boundary_runs.append(self._boundary(first.groups[~begins], np.full(int((~begins).sum()), NO_RUN)))
        watched = np.concatenate([going_on, fresh])
        run = run_of[watched]
        others[run] = False
        self.end[watched], self.rows[watched] = table[run, RUN_END], table[run, RUN_ROWS]
        ended = table[run, RUN_REASON] != STILL_OPEN
        self.is_open[watched] = ~ended
        if ended.any():
            boundary_runs.append(self._boundary(watched[ended], table[run, RUN_REASON][ended]))
        return others, boundary_runs

    def finish(self) -> list[BoundaryRun]:
        """First runs that the segment did not see the end of."""
        groups = np.flatnonzero(self.is_open)
        return [self._boundary(groups, np.full(groups.size, STILL_OPEN))] if groups.size else []

    def _first_rows(self, rows: Rows, new: np.ndarray) -> tuple[np.ndarray, Rows]:
        """Of groups that are new, the rows of their first instant that are not passed over, and where they stand."""
        wanted = np.repeat(new, np.diff(rows.bounds))
        if rows.mark.size:
            wanted &= (rows.mark & SKIP) == 0
        left = rows.filter(wanted)
        instants = np.repeat(left.ts[left.bounds[:-1]], np.diff(left.bounds))
        at = np.flatnonzero(wanted)[left.ts == instants]
        return at, left.filter(left.ts == instants)

    def _instant(self, first: Rows, n_groups: int) -> np.ndarray:
        """The first instant of each group that is new here; of others one that no run begins at."""
        instants = np.full(n_groups, -(2**63))
        instants[first.groups] = first.ts[first.bounds[:-1]]
        return instants

    def _meet(self, first: Rows, x: np.ndarray) -> np.ndarray:
        """Remember first rows, of which `x` is the input; returns whether the last of each group is in a run."""
        sizes = np.diff(first.bounds)
        self.met[first.groups] = True
        self.place[first.groups] = self.n_firsts + first.bounds[:-1]
        self.sizes[first.groups] = sizes
        self.firsts.append(Rows(first.groups, first.bounds, first.ts, first.columns))
        self.n_firsts += len(first)
        if isinstance(self.rule, GapRule):
            self.counted[first.groups] = sizes
            return np.ones(sizes.size, np.bool_)
        alike = np.ones(sizes.size, np.int64)
        _alike_at_the_end(np.atleast_2d(x).astype(np.int64, copy=False), first.bounds, alike)
        self.counted[first.groups] = alike
        return np.asarray(x[first.bounds[1:] - 1]) if isinstance(self.rule, Member) else np.ones(sizes.size, np.bool_)

    def _boundary(self, groups: np.ndarray, reason: np.ndarray) -> BoundaryRun:
        if len(self.firsts) > 1:
            self.firsts = [_joined(self.firsts)]
        sizes = self.sizes[groups]
        bounds = np.concatenate([[0], np.cumsum(sizes)])
        at = np.arange(bounds[-1]) + np.repeat(self.place[groups] - bounds[:-1], sizes)
        columns = [column.take(pa.array(at)) for column in self.firsts[0].columns]
        first = Rows(groups, bounds, self.firsts[0].ts[at], columns)
        return BoundaryRun(first, self.end[groups], self.rows[groups] - self.counted[groups], reason)


@compiled
def _alike_at_the_end(values: Any, bounds: Any, out: Any) -> None:
    """How many values at the end of each stretch are the same."""
    for k in range(bounds.size - 1):
        at = bounds[k + 1] - 1
        while at > bounds[k] and (values[:, at - 1] == values[:, at]).all():
            at -= 1
        out[k] = bounds[k + 1] - at


def _joined(parts: list[Rows]) -> Rows:
    """First rows one after the other; which are whose is remembered elsewhere."""
    columns = [pa.concat_arrays(list(each)) for each in zip(*(part.columns for part in parts), strict=True)]
    ts = np.concatenate([part.ts for part in parts])
    return Rows(np.empty(0, np.int64), np.zeros(1, np.int64), ts, columns)


def boundary_as_tree(boundary_run: BoundaryRun, place: np.ndarray, mine: np.ndarray) -> dict[str, Any]:
    """Some of the groups of a boundary run, for a partial result."""
    chosen = np.zeros(boundary_run.first.groups.size, np.bool_)
    chosen[mine] = True
    first = boundary_run.first.filter(np.repeat(chosen, np.diff(boundary_run.first.bounds)))
    return {
        "kind": "boundary_runs",
        "groups": place[first.groups],
        "bounds": first.bounds,
        "ts": first.ts,
        "columns": {str(i): column for i, column in enumerate(first.columns)},
        "end": boundary_run.end[mine],
        "more": boundary_run.more[mine],
        "reason": boundary_run.reason[mine],
    }


def boundary_of_tree(tree: dict[str, Any], numbers: np.ndarray) -> BoundaryRun:
    """The boundary run of a partial result, with the numbers of its groups here."""
    first = Rows(numbers[tree["groups"]], tree["bounds"], tree["ts"], list(tree["columns"].values()))
    return BoundaryRun(first, tree["end"], tree["more"], tree["reason"])
