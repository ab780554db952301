"""The operator of patterns: one bucket's rows in order in, matches or the rows of matches out.

rows ──> those that wait ──> conditions ──> matcher ──> measures ──> results
              ^                                │
              └── from where the next match ───┘
                  may begin

Rows wait until the matches that may hold them are certain. In a table nobody waits for results, so that rows are looked
at again only once they have doubled: each is looked at a few times in all.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from streamframes.core.batch.clock import MIN_INSTANT
from streamframes.core.batch.groups import GroupIndex
from streamframes.core.batch.rows import Rows, gather, no_rows
from streamframes.core.batch.tree import Tree, array_at, number_at, tree_at
from streamframes.core.operator.group_state import grown
from streamframes.core.operator.protocol import NO_WATERMARKS, Operator, OperatorPlan
from streamframes.core.operator.state_codec import rows_as_tree, rows_of_tree
from streamframes.core.patterns.matching import FoundMatches, Matcher
from streamframes.core.patterns.plan import PatternSpec
from streamframes.core.patterns.results import ResultWriter

# What is known of a group: rows before the next start that are kept, whether rows were dropped, up to where rows have
# been matched (counted from the next start), how many matches, and the start and ordinal of the last one.
N_BEFORE, DROPPED, MATCHED, NUMBER, LAST_START, ORDINAL = range(6)
MANY_ROWS = 100_000


@dataclass(frozen=True)
class PatternPlan(PatternSpec, OperatorPlan):
    """The plan of a pattern."""

    def operator(self, *, live: bool = False) -> PatternOperator:
        """The plan at work on the groups of one bucket; only a live one reports matches as soon as they are certain."""
        return PatternOperator(self, live=live)

    @property
    def needs_end_of_data(self) -> bool:
        """Time alone ends what has begun and will not be completed."""
        return self.timeouts


class PatternOperator(Operator):
    """A plan at work on the groups of one bucket."""

    def __init__(self, plan: PatternSpec, *, live: bool) -> None:
        self.plan, self.live = plan, live
        self.groups = GroupIndex(plan.keys)
        self.matcher = Matcher(plan)
        self.writer = ResultWriter(plan, self.groups)
        self.state = np.zeros((0, 6), np.int64)
        self.parts = [no_rows(plan.columns)]
        self.enough = MANY_ROWS
        self.end = MIN_INSTANT

    def feed(self, rows: Rows, watermarks: np.ndarray = NO_WATERMARKS) -> Iterator[pa.RecordBatch]:
        """The results that these rows settle; rows of a group must come in order."""
        if len(rows):
            self.parts.append(rows)
        if self.live or sum(map(len, self.parts)) >= self.enough:
            yield from self._results(watermarks, at_end=False)

    def finish(self) -> Iterator[pa.RecordBatch]:
        """The results that the end of the data settles."""
        yield from self._results(np.full(len(self.groups), self.end), at_end=True)

    def end_of_data(self, instant: int) -> None:
        """The data of all buckets goes on to this instant."""
        self.end = max(self.end, instant)

    def _results(self, watermarks: np.ndarray, *, at_end: bool) -> Iterator[pa.RecordBatch]:
        rows = self._rows()
        if not len(rows):
            return
        self._grow()
        known = self.state[rows.groups]
        first = rows.bounds[:-1]
        watermark = watermarks[rows.groups] if watermarks.size else np.full(rows.groups.size, MIN_INSTANT)
        found = self.matcher.matches(rows, known, watermark, at_end=at_end)
        ordinals = self._ordinals(rows, found)
        yield from self.writer.batches(rows, found, ordinals)
        start = found.next_start
        keep_from = np.maximum(first, start - self.plan.reach[0])
        known[:, N_BEFORE] = start - keep_from
        known[:, DROPPED] |= keep_from > first
        known[:, MATCHED] = np.maximum(0, found.matched - start)
        known[:, NUMBER] = found.counts
        self.state[rows.groups, :LAST_START] = known[:, :LAST_START]
        kept = np.arange(len(rows)) >= np.repeat(keep_from, np.diff(rows.bounds))
        self.parts = [rows.filter(kept)]
        self.enough = max(MANY_ROWS, 2 * len(self.parts[0]))

    def _rows(self) -> Rows:
        """All rows that are here, in order."""
        self.parts = [gather(self.parts)]
        return self.parts[0]

    def _grow(self) -> None:
        before = self.state.shape[0]
        self.state = grown(self.state, len(self.groups))
        self.state[before:, LAST_START] = MIN_INSTANT

    def _ordinals(self, rows: Rows, found: FoundMatches) -> np.ndarray:
        """The place of each match among those of its group that have the same start; known of groups from now on."""
        group, start = rows.groups[found.group], rows.ts[found.start]
        if not start.size:
            return np.empty(0, np.int64)
        counts = found.is_frame
        same = (group[1:] == group[:-1]) & (start[1:] == start[:-1])
        begins = np.concatenate([[True], ~same])
        before = np.concatenate([[0], np.cumsum(counts)[:-1]])
        run = np.cumsum(begins) - 1
        ordinal = before - before[begins][run]
        goes_on = self.state[group, LAST_START] == start
        ordinal += np.where(goes_on, self.state[group, ORDINAL], 0)
        last = np.append(group[1:] != group[:-1], True)
        self.state[group[last], ORDINAL] = (ordinal + counts)[last]
        self.state[group[last], LAST_START] = start[last]
        return np.asarray(ordinal)

    def figures(self) -> dict[str, int]:
        """Groups in which a match may have begun, and rows that wait."""
        waiting = self._waiting()
        return {"open": int((waiting > 0).sum()), "held": int(waiting.sum())}

    def _waiting(self) -> np.ndarray:
        """How many rows of each group wait for their match to be certain."""
        self._grow()
        rows = self._rows()
        counts = np.zeros(len(self.groups), np.int64)
        counts[rows.groups] = np.diff(rows.bounds)
        return np.asarray(counts - self.state[: counts.size, N_BEFORE])

    def min_unreported_start(self, watermarks: np.ndarray) -> np.ndarray:
        """For each group the instant before which no further match begins."""
        starts, rows = watermarks.copy(), self._rows()
        self._grow()
        at = rows.bounds[:-1] + self.state[rows.groups, N_BEFORE]
        waits = at < rows.bounds[1:]
        groups = rows.groups[waits]
        starts[groups] = np.minimum(starts[groups], rows.ts[at[waits]])
        return starts

    def idle_groups(self) -> np.ndarray:
        """A group is forgotten if no row of it waits or is looked back at, and it has had no match."""
        self._grow()
        counts = np.zeros(len(self.groups), np.bool_)
        counts[self._rows().groups] = True
        state = self.state[: counts.size]
        idle = ~counts & (state[:, NUMBER] == 0) & (state[:, ORDINAL] == 0)
        return np.asarray(idle & (state[:, DROPPED] == 0) if self._anchored else idle)

    @property
    def _anchored(self) -> bool:
        program = self.plan.program
        return bool(program.begins.tolist() != program.begins_first.tolist())

    def retain(self, numbers: np.ndarray) -> None:
        """Forget all groups but these."""
        self._grow()
        place = np.full(len(self.groups), -1)
        place[numbers] = np.arange(numbers.size)
        rows = self._rows()
        rows = rows.filter(np.repeat(place[rows.groups] >= 0, np.diff(rows.bounds)))
        self.parts = [Rows(place[rows.groups], rows.bounds, rows.ts, rows.columns)]
        self.state = self.state[numbers]
        self.groups.retain(numbers)

    def snapshot(self) -> Tree:
        """Everything that must be known to go on later."""
        self._grow()
        state = {"state": self.state[: len(self.groups)], "end": self.end}
        return {"groups": self.groups.snapshot(), **state, "rows": rows_as_tree(self._rows())}

    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot."""
        self.groups.restore(tree_at(tree, "groups"))
        self.state, self.end = array_at(tree, "state"), number_at(tree, "end")
        self.parts = [rows_of_tree(tree_at(tree, "rows"))]
