"""Groups ahead of the watermark: what is provisional goes on from their last rows, not from the watermark.

  level 0 ──────────────> ahead ──────────────────> copy ─────> what would be, were no other row to come
  rows before 10:00:00    rows before `until`       the rows of the tail
                          of the group              and those that come

`until` follows the last row of a group, so far behind it that rows seldom come for an instant before. Where one does,
or where time alone has decided what rows did not, the group goes on from the watermark again. The tail has all rows of
a group from `until` on, or from the watermark if that is later.
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from streamframes.core.batch.clock import MIN_INSTANT
from streamframes.core.batch.groups import as_int64, fingerprints
from streamframes.core.batch.reorder_buffer import in_order
from streamframes.core.batch.rows import Rows, gather, no_rows
from streamframes.core.batch.tree import Tree, array_at, number_at, tree_at
from streamframes.core.operator.changes.arrivals import Arrivals, watermarks_in
from streamframes.core.operator.changes.reported import AHEAD, PROVISIONAL, FrameTable
from streamframes.core.operator.changes.rerun import Rerun
from streamframes.core.operator.group_state import grown, renumbered
from streamframes.core.operator.protocol import OperatorPlan
from streamframes.core.operator.state_codec import rows_as_tree, rows_of_tree
from streamframes.core.operator.stream_bucket import StreamBucket

# How much what is expected of lateness shrinks in a step that has seen less: one part in so many; and what is added.
_SHRINKS, _ADDED = 64, 4
# With fewer waiting rows than so many times those that come in a step, going on from the watermark is as good.
_WORTHWHILE = 4
_NUMBERS = ("typical", "behind", "latest", "unknown")


@dataclass(frozen=True)
class Provisional:
    """What is provisional of groups that rows came for, by level, and which of them had to start at the watermark."""

    found: list[tuple[int, list[pa.RecordBatch]]]
    restarted: np.ndarray


class Ahead:
    """The groups of a bucket that are ahead of its watermark; each has rows in the tail, the last one at least."""

    def __init__(self, plan: OperatorPlan) -> None:
        self.plan = plan
        # How many rows come in a step, how far behind the last row of its group a row came, and the last instant.
        self.typical, self.behind, self.latest = 0, 0, MIN_INSTANT
        self._clear()

    def _clear(self) -> None:
        """Know nothing; of rows up to the latest instant it is not known which groups have any that wait."""
        self.operator = self.plan.operator(live=True)
        # By the number of a group: rows before `until` have been fed; whether time has decided more since.
        self.until, self.decided = np.empty(0, np.int64), np.empty(0, np.bool_)
        self.tail = no_rows(self.plan.columns)
        self.unknown = self.latest

    def note_decided(self, results: list[pa.RecordBatch], reported: FrameTable) -> None:
        """Note the groups of which the watermark has decided what is open or unknown here."""
        known = np.sort(reported.ids[(reported.level >= AHEAD) & ~reported.retracted])
        width = len(self.plan.keys)
        for batch in results if len(self.operator.groups) else []:
            ids = as_int64(batch.column(f"{self.plan.prefix}id"))
            at = np.minimum(np.searchsorted(known, ids), known.size - 1)
            is_new = known[at] != ids if known.size else np.ones(ids.size, np.bool_)
            numbers = self.operator.groups.find(*fingerprints(batch.columns[:width], batch.num_rows))
            self.decided[numbers[is_new & (numbers >= 0)]] = True

    def go_on(
        self, arrivals: Arrivals, level: StreamBucket, not_before: np.ndarray, amended: np.ndarray
    ) -> Provisional:
        """What is provisional with the rows that have come for an instant that is not before that of their group."""
        if not self._is_worthwhile(arrivals, level):
            self._clear()
            everything = np.arange(len(arrivals))
            found = Rerun(self.plan, level, arrivals.groups, everything).finish() if everything.size else []
            return Provisional([(PROVISIONAL, found)], np.ones(everything.size, np.bool_))
        numbers = self.operator.groups.find(arrivals.groups.first, arrivals.groups.second)
        watermarks = arrivals.watermarks(level)
        restarted, unread = self._restarted(numbers, arrivals.earliest(not_before), watermarks, amended)
        rerun = Rerun(self.plan, level, arrivals.groups, np.flatnonzero(restarted))
        self._restart(numbers, restarted, rerun)
        goes_on = np.where(unread, -1, numbers)
        come = [renumbered(rows.filter(rows.ts >= watermarks[rows.group_of_row]), goes_on) for rows in arrivals.rows]
        here, others = self._parted(numbers, goes_on, watermarks)
        waiting = self._waiting(rerun, numbers[restarted], unread[restarted]) if unread.any() else []
        rows = in_order(gather([here, *come, *waiting]))
        self._advance(rows, level)
        fed = rows.ts < self.until[rows.group_of_row]
        rest = rows.filter(~fed)
        self.tail = gather([others, rest])
        passed = list(self.operator.feed(rows.filter(fed))) if fed.any() else []
        last = self.operator.copy(numbers)
        place = np.full(len(self.operator.groups), -1)
        place[numbers] = np.arange(numbers.size)
        found = [*last.feed(renumbered(rest, place)), *last.finish()]
        return Provisional([(AHEAD, passed), (PROVISIONAL, found)], restarted)

    def _is_worthwhile(self, arrivals: Arrivals, level: StreamBucket) -> bool:
        """Whether many more rows wait than come; groups can be taken over only where late rows can amend."""
        n_rows = sum(map(len, arrivals.rows))
        self.typical = (7 * self.typical + n_rows) // 8 if self.typical and n_rows else self.typical or n_rows
        self.latest = max([self.latest, *(int(rows.ts.max(initial=MIN_INSTANT)) for rows in arrivals.rows)])
        return bool(len(arrivals) and self.plan.amends and level.waiting.n_rows > _WORTHWHILE * self.typical)

    def _restarted(
        self, numbers: np.ndarray, earliest: np.ndarray, watermarks: np.ndarray, amended: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray]:
        """Which groups cannot go on from here, and of which of those some rows are not in the tail."""
        size = len(self.operator.groups)
        last, is_here = np.full(size + 1, MIN_INSTANT), np.zeros(size + 1, np.bool_)
        last[self.tail.groups], is_here[self.tail.groups] = self.tail.ts[self.tail.bounds[1:] - 1], True
        last, is_here = last[numbers], is_here[numbers]
        behind = int((np.maximum(last, earliest) - earliest).max(initial=0))
        self.behind = max(behind, self.behind - -(-self.behind // _SHRINKS))
        until = np.append(self.until, MIN_INSTANT)[numbers]
        is_ahead = is_here & (until > watermarks)
        restarted = ~is_ahead | (earliest < until) | np.append(self.decided, False)[numbers] | amended
        return restarted, np.where(is_here, is_ahead & restarted, self.unknown >= watermarks)

    def _restart(self, numbers: np.ndarray, restarted: np.ndarray, rerun: Rerun) -> None:
        """Let groups go on from the watermark; `numbers` gets those of groups that are new here."""
        numbers[restarted] = self.operator.groups.numbers(rerun.first, rerun.second, rerun.keys)
        size = len(self.operator.groups)
        self.until, self.decided = grown(self.until, size)[:size], grown(self.decided, size)[:size]
        self.until[numbers[restarted]], self.decided[numbers[restarted]] = MIN_INSTANT, False
        self.operator.adopt(numbers[restarted], rerun.operator, rerun.numbers)

    def _waiting(self, rerun: Rerun, numbers: np.ndarray, unread: np.ndarray) -> list[Rows]:
        """The rows that wait of groups that are unread."""
        of_copy = np.full(len(rerun.operator.groups), -1)
        of_copy[rerun.numbers] = np.where(unread, numbers, -1)
        return [renumbered(rerun.waiting(None), of_copy)]

    def _parted(self, numbers: np.ndarray, goes_on: np.ndarray, watermarks: np.ndarray) -> tuple[Rows, Rows]:
        """The tail of the groups that go on, from their watermarks, and that of groups that nothing has come for."""
        own = np.arange(len(self.operator.groups))
        here, starts = np.full(own.size, -1), np.full(own.size, MIN_INSTANT)
        starts[numbers], own[numbers] = watermarks, -1
        here[numbers] = goes_on
        mine = renumbered(self.tail, here)
        return mine.filter(mine.ts >= starts[mine.group_of_row]), renumbered(self.tail, own)

    def _advance(self, rows: Rows, level: StreamBucket) -> None:
        """Move `until` of these groups: behind the last row as far as rows may be late, but by half at the most."""
        groups, last = rows.groups, rows.ts[rows.bounds[1:] - 1]
        late = last - (self.behind + self.behind // _ADDED)
        half = (self._watermarks(level)[groups] >> 1) + (last >> 1)
        self.until[groups] = np.maximum(self.until[groups], np.minimum(np.maximum(late, half), last))

    def _watermarks(self, level: StreamBucket) -> np.ndarray:
        return watermarks_in(level, self.operator.groups.first, self.operator.groups.second)

    def forget(self, level: StreamBucket) -> None:
        """Forget the rows and the groups that the watermark has passed."""
        watermarks, rows = self._watermarks(level), self.tail.group_of_row
        self.tail = self.tail.filter((self.until > watermarks)[rows] | (self.tail.ts >= watermarks[rows]))
        if 2 * self.tail.groups.size < watermarks.size:
            kept = np.sort(self.tail.groups)
            place = np.full(watermarks.size, -1)
            place[kept] = np.arange(kept.size)
            self.operator.retain(kept)
            self.until, self.decided, self.tail = self.until[kept], self.decided[kept], renumbered(self.tail, place)

    def snapshot(self) -> Tree:
        """Everything that must be known to go on later."""
        numbers = {name: getattr(self, name) for name in _NUMBERS}
        tree = {"operator": self.operator.snapshot(), "tail": rows_as_tree(self.tail), **numbers}
        return {**tree, "until": self.until, "decided": self.decided}

    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot."""
        self.operator.restore(tree_at(tree, "operator"))
        self.tail = rows_of_tree(tree_at(tree, "tail"))
        self.until, self.decided = array_at(tree, "until"), array_at(tree, "decided")
        for name in _NUMBERS:
            setattr(self, name, number_at(tree, name))
