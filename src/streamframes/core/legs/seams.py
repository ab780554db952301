"""Seams: the first run of each group of a leg, which may go on a run of the leg before.

Where a run begins anew whatever came before, every other run is certain. Of the first one, its first row, its end and
its number of rows say all that the join must know.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.columns import Rows
from streamframes.core.cutter import Cut
from streamframes.core.kernel import (
    NO_LIMIT,
    NO_ROWS,
    RUN_END,
    RUN_GROUP,
    RUN_REASON,
    RUN_ROWS,
    SKIP,
    STILL_OPEN,
)
from streamframes.core.plan import FramePlan
from streamframes.core.schemes.equal import Equal
from streamframes.core.schemes.gap import GapRule
from streamframes.core.schemes.threshold import Member
from streamframes.core.state import grown

NO_RUN = -1


def is_certain(plan: FramePlan) -> bool:
    """Whether a run that has begun after another is what it is, whatever came before."""
    limits = plan.scheme.limits(plan.clock)
    unlimited = limits.max_rows == NO_ROWS and limits.max_duration == NO_LIMIT
    return unlimited and isinstance(plan.compiled.rule, Member | Equal | GapRule)


def has_seams(plan: FramePlan) -> bool:
    """Whether runs alone say all: measures need rows, and a null that breaks is no row that begins a run."""
    return is_certain(plan) and not plan.measures and plan.scheme.null_policy() != "break"


@dataclass(frozen=True)
class Seam:
    """First rows of groups, with the end, the rows and the reason of the runs they begin; or NO_RUN."""

    first: Rows
    end: np.ndarray
    rows: np.ndarray
    reason: np.ndarray


class Seams:
    """The first runs of the groups of a leg."""

    def __init__(self, plan: FramePlan) -> None:
        self.rule = plan.compiled.rule
        self.met = np.zeros(0, np.bool_)
        self.is_open = np.zeros(0, np.bool_)
        self.end = np.zeros(0, np.int64)
        self.rows = np.zeros(0, np.int64)
        self.place = np.zeros(0, np.int64)
        self.firsts: list[Rows] = []
        self.n_firsts = 0

    def feed(self, rows: Rows, x: np.ndarray, cut: Cut, n_groups: int) -> tuple[np.ndarray, list[Seam]]:
        """Which runs are no seams, and the seams that are complete."""
        for name in ("met", "is_open", "end", "rows", "place"):
            setattr(self, name, grown(getattr(self, name), n_groups))
        others = np.ones(cut.runs.table.shape[0], np.bool_)
        at, fresh = self._first_rows(rows)
        begins = np.ones(fresh.size, np.bool_)
        if isinstance(self.rule, Member) and fresh.size:
            begins = np.asarray(x[at])
        going_on = rows.groups[self.is_open[rows.groups]]
        self._meet(rows, at, fresh)
        watched = np.concatenate([going_on, fresh[begins]])
        seams = [self._seam(fresh[~begins], np.full(int((~begins).sum()), NO_RUN))] if (~begins).any() else []
        if watched.size:
            table, first_run = cut.runs.table, np.full(n_groups, -1)
            heads = np.flatnonzero(np.diff(table[:, RUN_GROUP], prepend=-1))
            first_run[table[heads, RUN_GROUP]] = heads
            run = first_run[watched]
            others[run] = False
            self.end[watched], self.rows[watched] = table[run, RUN_END], table[run, RUN_ROWS]
            ended = table[run, RUN_REASON] != STILL_OPEN
            self.is_open[watched] = ~ended
            if ended.any():
                seams.append(self._seam(watched[ended], table[run, RUN_REASON][ended]))
        return others, seams

    def finish(self) -> list[Seam]:
        """First runs that the leg did not see the end of."""
        groups = np.flatnonzero(self.is_open)
        return [self._seam(groups, np.full(groups.size, STILL_OPEN))] if groups.size else []

    def _first_rows(self, rows: Rows) -> tuple[np.ndarray, np.ndarray]:
        """Where groups that are new have their first row that is not passed over."""
        new = np.flatnonzero(~self.met[rows.groups])
        at = rows.bounds[new]
        if rows.mark.size and new.size:
            there = np.append(np.flatnonzero((rows.mark & SKIP) == 0), len(rows))
            at = there[np.searchsorted(there, at)]
            found = at < rows.bounds[new + 1]
            new, at = new[found], at[found]
        return at, rows.groups[new]

    def _meet(self, rows: Rows, at: np.ndarray, fresh: np.ndarray) -> None:
        if fresh.size:
            columns = [column.take(pa.array(at)) for column in rows.columns]
            self.firsts.append(Rows(fresh, np.arange(fresh.size + 1), rows.ts[at], columns))
            self.place[fresh] = self.n_firsts + np.arange(fresh.size)
            self.n_firsts += fresh.size
            self.met[fresh] = True

    def _seam(self, groups: np.ndarray, reason: np.ndarray) -> Seam:
        if len(self.firsts) > 1:
            self.firsts = [_joined(self.firsts)]
        place = self.place[groups]
        columns = [column.take(pa.array(place)) for column in self.firsts[0].columns]
        first = Rows(groups, np.arange(groups.size + 1), self.firsts[0].ts[place], columns)
        return Seam(first, self.end[groups], self.rows[groups], reason)


def _joined(parts: list[Rows]) -> Rows:
    columns = [pa.concat_arrays(list(each)) for each in zip(*(part.columns for part in parts), strict=True)]
    ts = np.concatenate([part.ts for part in parts])
    return Rows(np.concatenate([part.groups for part in parts]), np.arange(ts.size + 1), ts, columns)


def seam_as_tree(seam: Seam, place: np.ndarray, mine: np.ndarray) -> dict[str, Any]:
    """Some of the groups of a seam, for a parcel."""
    return {
        "kind": "seams",
        "groups": place[seam.first.groups[mine]],
        "ts": seam.first.ts[mine],
        "columns": {str(i): column.take(pa.array(mine)) for i, column in enumerate(seam.first.columns)},
        "end": seam.end[mine],
        "rows": seam.rows[mine],
        "reason": seam.reason[mine],
    }


def seam_of_tree(tree: dict[str, Any], numbers: np.ndarray) -> Seam:
    """The seam of a parcel, in the order of its groups here."""
    groups = numbers[tree["groups"]]
    columns = list(tree["columns"].values())
    return Seam(
        Rows(groups, np.arange(groups.size + 1), tree["ts"], columns), tree["end"], tree["rows"], tree["reason"]
    )
