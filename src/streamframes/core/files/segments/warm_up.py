"""Warm-up rows: the first rows of each group of a segment, as many as it takes until what came before no longer shows.

The rows are scanned several times, each time as if the first few were not there. When all scans have come to the
same state, and stayed there for three times as long, a scan from what came before has most likely come to it as well.
Whether it has is seen by the merge; here it is only decided when to stop sending rows.
"""

from __future__ import annotations

import numpy as np

from streamframes.core.batch.rows import Rows
from streamframes.core.files.segments.split import is_certain
from streamframes.core.frames.kernel import (
    END,
    IMPUTED,
    LAST_START,
    OPEN,
    REPORTED,
    ROWS,
    SKIP,
    START,
)
from streamframes.core.frames.operator import FrameOperator
from streamframes.core.frames.scanner import Scan
from streamframes.core.operator.group_state import grown

# How many rows the other scans leave out.
LEFT_OUT = (1, 3, 8, 21)
_TIMES, _AT_LEAST = 4, 64


class WarmUp:
    """The groups of a segment whose rows are still sent."""

    def __init__(self, operator: FrameOperator) -> None:
        self.operator = operator
        plan = operator.plan
        self.certain = is_certain(plan)
        limits = operator.episodes.scan.limits
        self.others = {skip: Scan(plan.compiled, limits, wants_rows=False) for skip in LEFT_OUT}
        self.sent = np.zeros(0, np.int64)
        self.agreed = np.zeros(0, np.int64)
        self.done = np.zeros(0, np.bool_)

    def rows(self, rows: Rows, n_groups: int) -> Rows | None:
        """Those rows that must be sent."""
        self.sent, self.agreed, self.done = (grown(each, n_groups) for each in (self.sent, self.agreed, self.done))
        warming = ~self.done[rows.groups]
        if not warming.any():
            return None
        return rows.filter(np.repeat(warming, np.diff(rows.bounds)))

    def feed(self, warm_up: Rows, n_groups: int) -> np.ndarray:
        """Scan sent rows in the other ways, too; returns the groups whose warm-up rows end here."""
        ordinal = np.arange(len(warm_up)) - np.repeat(warm_up.bounds[:-1], np.diff(warm_up.bounds))
        ordinal += self.sent[warm_up.group_of_row]
        groups = warm_up.groups
        main = self.operator.episodes.scan.chosen(groups)
        x = self.operator.inputs.prepared(warm_up)
        alike = np.ones(groups.size, np.bool_)
        for skip, scan in self.others.items():
            scan.feed(warm_up.with_mark(ordinal < skip, SKIP), x, n_groups)
            alike &= same_state(main, scan.chosen(groups))
        self.sent[groups] += np.diff(warm_up.bounds)
        self.agreed[groups] = np.where(alike, np.where(self.agreed[groups], self.agreed[groups], self.sent[groups]), 0)
        long_enough = self.sent[groups] >= _TIMES * self.agreed[groups] + _AT_LEAST
        ended = alike if self.certain else alike & long_enough
        self.done[groups[ended]] = True
        return np.asarray(groups[ended])


def same_state(one: dict[str, np.ndarray], other: dict[str, np.ndarray]) -> np.ndarray:
    """For each group whether scans that are in these states find the same frames from here on."""
    a, b = one["lanes"][:, 0], other["lanes"][:, 0]
    is_open = a[:, OPEN] != 0
    same_run = np.ones(is_open.size, np.bool_)
    for field in (START, END, ROWS, IMPUTED):
        same_run &= a[:, field] == b[:, field]
    same_run &= (_bits(one["own"]) == _bits(other["own"])).all(axis=(1, 2))
    same = (a[:, OPEN] == b[:, OPEN]) & (same_run | ~is_open)
    same &= (one["last"] == other["last"]).all(axis=1)
    # How many frames began at an instant matters as long as one that began there is open, or another may begin there.
    since = np.where(is_open, a[:, START], one["last"][:, 1])
    past = (a[:, LAST_START] < since) & (b[:, LAST_START] < since)
    return np.asarray(same & (past | ((a[:, LAST_START] == b[:, LAST_START]) & (a[:, REPORTED] == b[:, REPORTED]))))


def _bits(own: np.ndarray) -> np.ndarray:
    return own.view(np.int64) if own.dtype == np.float64 else own
