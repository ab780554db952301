"""Matching: the rows of a bucket that are at hand, and the matches that are certain among them.

The compiled matcher that finds them is `kernels.matcher.match_rows`.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import cached_property

import numpy as np

from streamframes.core.batch.rows import Rows
from streamframes.core.patterns.conditions import Conditions
from streamframes.core.patterns.encoding import depth_of, history_of
from streamframes.core.patterns.kernels.history import Scratch
from streamframes.core.patterns.kernels.matcher import match_rows
from streamframes.core.patterns.kernels.paths import UNMATCHED, Paths
from streamframes.core.patterns.kernels.rules import NO_ROW_TO_SKIP_TO, Groups, Room, Rules
from streamframes.core.patterns.plan import ALL_UNMATCHED, SKIPS, PatternSpec
from streamframes.errors import StreamFramesError


@dataclass(frozen=True)
class FoundMatches:
    """Matches, and rows in none where they are wanted, as columns: `group` is the place among the groups of the rows.

    `steps` are those of all matches, one after the other. Of each group: where the next match may begin, up to where
    rows have been matched, and how many matches there have been.
    """

    group: np.ndarray
    start: np.ndarray
    length: np.ndarray
    kind: np.ndarray
    number: np.ndarray
    steps: np.ndarray
    next_start: np.ndarray
    matched: np.ndarray
    counts: np.ndarray

    @cached_property
    def is_frame(self) -> np.ndarray:
        """Which are matches or have timed out, and so have a frame."""
        return np.asarray(self.kind != UNMATCHED)


class Matcher:
    """A plan with the arrays that the kernel needs."""

    def __init__(self, plan: PatternSpec) -> None:
        self.plan = plan
        self.conditions = Conditions(plan)
        self.program = plan.program
        self.history = history_of(plan)
        _, ahead, measures_ahead = plan.reach
        self.rules = Rules(
            skip=SKIPS[plan.skip],
            skip_mask=plan.skip_mask,
            within=-1 if plan.within is None else plan.within,
            unmatched=plan.rows_per_match == ALL_UNMATCHED,
            timeouts=plan.timeouts,
            steps=plan.needs_steps,
            history=plan.has_history,
            ahead=ahead,
            measures_ahead=measures_ahead,
        )

    def matches(self, rows: Rows, known: np.ndarray, watermark: np.ndarray, *, at_end: bool) -> FoundMatches:
        """The matches that are certain among rows; `known` is what the operator knows of their groups."""
        first = rows.bounds[:-1]
        start = first + known[:, 0]
        groups = Groups(rows.bounds, start, start + known[:, 2], known[:, 1] == 0, known[:, 3].copy(), watermark)
        inputs, row_ok = self.conditions.inputs(rows), self.conditions.row_ok(rows)
        size = int((rows.bounds[1:] - start).max(initial=0)) + 1
        found, n_found, steps, wrong = match_rows(
            self.program,
            self.history,
            inputs,
            row_ok,
            rows.ts,
            groups,
            self.rules,
            at_end,
            self._room(size),
            np.empty((1024, 6), np.int64),
            np.empty(1024, np.int64),
        )
        if wrong:
            raise StreamFramesError(self._wrong(wrong))
        found = found[:n_found]
        n_steps = int(found[:, 2].sum()) if self.rules.steps else 0
        group, begin, length, kind, number, _ = (np.ascontiguousarray(found[:, i]) for i in range(6))
        after = (groups.start, groups.matched, groups.number)
        return FoundMatches(group, begin, length, kind, number, steps[:n_steps], *after)

    def _room(self, size: int) -> Room:
        """Room for the rows of one group at a time."""
        width = self.history.begin.size
        registers, stack = np.empty(width, np.int64), np.empty(depth_of(self.plan), np.int64)
        scratch = Scratch(
            registers, registers.view(np.float64), stack, stack.view(np.float64), np.zeros(stack.size, np.uint8)
        )
        paths = [Paths(np.empty(64, np.int64), np.empty(64, np.int64), np.empty((64, width), np.int64)) for _ in "12"]
        nodes = (np.empty(1024, np.int64), np.empty(1024, np.int64), 0)
        ends = np.empty((size, self.program.variable.size), np.int32)
        return Room(ends, paths[0], paths[1], scratch, nodes)

    def _wrong(self, wrong: int) -> str:
        if wrong == NO_ROW_TO_SKIP_TO:
            return (
                f"after_match={self.plan.skip!r} a variable: a match has no row of it; skip to a variable that every "
                "match has, or past the last row"
            )
        return (
            f"after_match={self.plan.skip!r} a variable: its row is the first of the match, so the same match would be "
            "found for ever; skip to the next row"
        )
