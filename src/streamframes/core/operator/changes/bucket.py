"""The bucket of a stream that reports changes: provisional results, and results that late rows amend.

  rows ──┬──> level 0  at the watermark          ──> results that are certain
         ├──> level 1  some time behind           ──> what a row is late for, is run again from the level behind it
         └──> level 2  `amend_within` behind      ──> results that are settled: nothing amends them

  what all levels have found, and what rows that still wait would give ──> compared with what was reported ──> changes

A level is a bucket of a stream as it is without changes, with a watermark that is later by its delay. Without
amendments there is only level 0, which is left as it is: a copy of its groups runs over the rows that wait
(`ChangeBucket._found`), and gives the provisional results.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from streamframes.core.batch.clock import MIN_INSTANT
from streamframes.core.batch.tree import Tree, tree_at
from streamframes.core.operator import state_codec
from streamframes.core.operator.changes.ahead import Ahead
from streamframes.core.operator.changes.arrivals import Arrivals
from streamframes.core.operator.changes.reported import AHEAD, PROVISIONAL, Reported, change_schema, frame_table
from streamframes.core.operator.changes.rerun import Rerun
from streamframes.core.operator.step import Step, reported
from streamframes.core.operator.store import SharedStore, Store
from streamframes.core.operator.stream_bucket import StreamBucket, StreamPlan

# A level is so many times as far behind as the one before it.
_FACTOR = 8


def delays_of(amend_within: int | None) -> tuple[int, ...]:
    """How far each level is behind the watermark."""
    delays = [0]
    if amend_within is not None:
        delays += [delay for delay in (amend_within // _FACTOR**2, amend_within // _FACTOR) if delay > 0]
        delays += [amend_within]
    return tuple(dict.fromkeys(delays))


@dataclass(frozen=True)
class ChangePlan:
    """A plan on a stream that reports changes: provisional results with `early`, amended ones with `amend_within`."""

    stream: StreamPlan
    early: bool
    amend_within: int | None = None

    @property
    def counters(self) -> tuple[str, ...]:
        """The names of what is counted."""
        return (*self.stream.counters, *ChangeBucket.COUNTERS)

    @property
    def result_schema(self) -> pa.Schema:
        """The columns of the results."""
        return change_schema(self.stream.plan)

    def with_lookup(self, columns: Sequence[pa.Array]) -> ChangePlan:
        """The plan, completed by a lookup table."""
        return replace(self, stream=self.stream.with_lookup(columns))

    def bucket(self, store: Store, given: Iterable[tuple[int, pa.Buffer]] = ()) -> ChangeBucket:
        """A bucket of this plan, with its state, and with what is given before its first step."""
        bucket = ChangeBucket(self, store)
        chunks = list(given)
        for level in bucket.levels:
            level.take(chunks)
        return bucket


class ChangeBucket:
    """The levels of one bucket, and what was last reported of its frames."""

    # Rows that have amended in a step; after it, rows that are kept to be run again, and frames that may change.
    COUNTERS = ("amended", "kept", "changeable")

    def __init__(self, plan: ChangePlan, store: Store) -> None:
        self.plan = plan
        self.delays = delays_of(plan.amend_within)
        self.shared = SharedStore(store, len(self.delays) + 1)
        *parts, self.part = self.shared.parts
        counting, last = replace(plan.stream, late="count"), len(parts) - 1
        self.levels = [
            StreamBucket(plan.stream if number == last else counting, part) for number, part in enumerate(parts)
        ]
        self.reported = Reported(plan.stream.plan, certain=0, settled=last)
        self.ahead = Ahead(plan.stream.plan) if plan.early else None
        if (saved := self.part.read()) is not None:
            tree = state_codec.decode(saved)
            self.reported.restore(tree_at(tree, "reported"))
            if self.ahead is not None:
                self.ahead.restore(tree_at(tree, "ahead"))

    def step(self, chunks: Iterable[tuple[int, pa.Buffer]], watermark: int = MIN_INSTANT) -> Step:
        """Take what one micro-batch brings, to every level."""
        chunks = list(chunks)
        arrivals = Arrivals(self.plan.stream.plan.keys, chunks)
        up_to_level, before = self._rerun_levels(arrivals), arrivals.watermarks(self.levels[0])
        steps = [
            level.step(chunks, max(MIN_INSTANT, watermark - delay))
            for level, delay in zip(self.levels, self.delays, strict=True)
        ]
        found = self._found(steps, arrivals, up_to_level)
        if self.ahead is not None:
            self.ahead.note_decided(steps[0].results, self.reported.table)
            provisional = self.ahead.go_on(arrivals, self.levels[0], before, up_to_level >= 0)
            found += provisional.found
            up_to_level[provisional.restarted] = np.maximum(up_to_level[provisional.restarted], AHEAD)
        now = frame_table(self.plan.stream.plan, found)
        results = self.reported.changes(now, arrivals.groups, up_to_level)
        self.reported.forget(self.levels[-1])
        self._save()
        self.shared.write()
        dues = [step.due + delay for step, delay in zip(steps, self.delays, strict=True) if step.due is not None]
        return Step(results, {**self._counters(steps), **self._passed(results)}, min(dues, default=None))

    def _rerun_levels(self, arrivals: Arrivals) -> np.ndarray:
        """For each group with rows the last level that a row is late for which the level behind it still takes.

        Without such a row that is -1; what is provisional of these groups is found anew all the same.
        """
        last = np.full(len(arrivals), PROVISIONAL)
        if len(self.levels) > 1:
            earliest = arrivals.earliest(arrivals.watermarks(self.levels[-1]))
            for number, level in enumerate(self.levels[:-1]):
                last[earliest < arrivals.watermarks(level)] = number
        return last

    def _found(
        self, steps: list[Step], arrivals: Arrivals, up_to_level: np.ndarray
    ) -> list[tuple[int, list[pa.RecordBatch]]]:
        """The frames that each level has found, with what is provisional of the groups that rows came for."""
        plan = self.plan.stream.plan
        found = [(number, step.results) for number, step in enumerate(steps)]
        for number in range(len(self.levels) - 2, -1, -1):
            amended = np.flatnonzero(up_to_level >= number)
            if amended.size:
                level = self.levels[number]
                rerun = Rerun(plan, self.levels[number + 1], arrivals.groups, amended)
                others = arrivals.results_of_others(steps[number].results, amended)
                found[number] = number, [*others, *rerun.feed_up_to(level)]
                rerun.replace_in(level)
        return found

    def _save(self) -> None:
        tree: Tree = {"reported": self.reported.snapshot()}
        if self.ahead is not None:
            self.ahead.forget(self.levels[0])
            tree["ahead"] = self.ahead.snapshot()
        self.part.write(state_codec.encode(tree))

    def _counters(self, steps: list[Step]) -> dict[str, int]:
        first, last = steps[0].counters, steps[-1].counters
        kept = last["waiting"] if len(steps) > 1 else 0
        own = {"amended": first["late"] - last["late"], "kept": kept, "changeable": len(self.reported)}
        return {**first, "late": last["late"], **own}

    def _passed(self, results: list[pa.RecordBatch]) -> dict[str, int]:
        """The changes, and those of them that are provisional."""
        return dict(zip(("results", "fragments"), reported(results, self.plan.stream.plan.prefix), strict=True))
