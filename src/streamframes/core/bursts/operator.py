"""The operator: one bucket's rows in order in, alarms or runs out.

rows ──> values ──> units of time ──> training ──┬──> remembered
                                                 └──> search ──> alarms ──> runs, latest, any
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from streamframes.core.batch.clock import MAX_INSTANT
from streamframes.core.batch.groups import GroupIndex
from streamframes.core.batch.rows import Rows, no_rows
from streamframes.core.batch.tree import Tree, array_at, tree_at
from streamframes.core.bursts.alarm_runs import Runs
from streamframes.core.bursts.arguments import search_of, windows_of
from streamframes.core.bursts.batch import Batch, numbers_of
from streamframes.core.bursts.commands import read_commands
from streamframes.core.bursts.engines import Engine, ExactEngine, HistogramEngine
from streamframes.core.bursts.learning import Learn, Training
from streamframes.core.bursts.plan import ANY, EXACT, LATEST, LEARNT, RUNS, BurstSpec
from streamframes.core.bursts.results import AlarmRows, AnyRows, LatestRows, Searched
from streamframes.core.bursts.threshold_table import group_table, windows_in
from streamframes.core.bursts.units import Units
from streamframes.core.operator import state_codec
from streamframes.core.operator.protocol import NO_WATERMARKS, Command, Operator, OperatorPlan

_REPORTERS = {RUNS: None, LATEST: LatestRows, ANY: AnyRows}


@dataclass(frozen=True)
class BurstPlan(BurstSpec, OperatorPlan):
    """The plan of a search for bursts."""

    def operator(self, *, live: bool = False) -> BurstOperator:
        """The plan at work on the groups of one bucket."""
        return BurstOperator(self)

    @property
    def is_early(self) -> bool:
        """Whether results can be reported before they are certain: those that are frames."""
        return self.output == RUNS

    @property
    def lookup(self) -> tuple[pa.DataType, ...]:
        """The columns of a table of thresholds: groups, window, threshold."""
        return () if self.unread is None else (*self.unread.keys, pa.int64(), pa.float64())

    def with_lookup(self, columns: Sequence[pa.Array]) -> BurstPlan:
        """The plan with the thresholds of a table."""
        if self.unread is None:
            return self
        *keys, length, threshold = columns
        windows = self.windows or windows_of(windows_in(length), self.unit, self.clock)
        search, _ = search_of(self.unread.search, self.agg, windows[-1])
        thresholds = group_table(keys, length, threshold, windows)
        return replace(self, windows=windows, thresholds=thresholds, search=search, unread=None)


class BurstOperator(Operator):
    """A plan at work on the groups of one bucket."""

    def __init__(self, plan: BurstSpec) -> None:
        self.plan = plan
        self.groups = GroupIndex(plan.keys)
        self.thresholds = plan.first_thresholds()
        self.units = Units(plan.unit) if plan.unit is not None else None
        learn = plan.thresholds if isinstance(plan.thresholds, Learn) else None
        self.training = Training(learn, plan.aggregate) if learn is not None else None
        self.unsigned = plan.search if plan.search != EXACT else None
        self.engine: Engine = self._engine()
        self.counted = np.zeros(0, np.int64)
        last_tick = plan.unit - 1 if plan.unit is not None else 0
        self.runs = Runs(plan.ts_type, plan.frame_schema, last_tick, plan.salt)
        self.reporter = (_REPORTERS.get(plan.output) or AlarmRows)(plan.ts_type, plan.result_schema)

    def _engine(self) -> Engine:
        plan = self.plan
        if plan.search == EXACT:
            return ExactEngine(plan.aggregate)
        over, counted = plan.error_side == "never_miss", plan.agg == "count"
        return HistogramEngine(plan.aggregate, plan.searching, over=over, error=plan.error, counted=counted)

    def feed(
        self, rows: Rows, watermarks: np.ndarray = NO_WATERMARKS, *, final: bool = False
    ) -> Iterator[pa.RecordBatch]:
        """The results that these rows settle; rows of a group must come in order."""
        size = len(self.groups)
        self.thresholds.grow(self.groups)
        self.engine.grow(size)
        self.counted = np.concatenate([self.counted, np.zeros(size - self.counted.size, np.int64)])
        if self.training is not None:
            self.training.values.grow(size)
        fed, ts = numbers_of(rows, self.plan.n_ties, self.plan.agg, self.unsigned)
        if self.units is not None:
            watermarks = np.full(size, np.iinfo(np.int64).max) if final else watermarks
            ts, fed = self.units.feed(fed, ts, watermarks, self._most_zeros(), size)
        if self.training is not None and fed.values.size:
            trains, results = self._trained(fed, self.training)
            yield from results
            ts, fed = ts[~trains], fed.chosen(~trains)
        if fed.values.size and self.plan.output != LEARNT:
            yield from self._search(fed, ts)

    def _trained(self, fed: Batch, training: Training) -> tuple[np.ndarray, list[pa.RecordBatch]]:
        """Which rows are for training; they are remembered and learnt from. Also the results of what was learnt."""
        thresholds = self.thresholds
        trains, ready, learnt = training.take(fed, thresholds.set_of_group, thresholds.lengths)
        if trains.any():
            part = fed.chosen(trains)
            self.counted[part.groups] += np.diff(part.bounds)
            # Without thresholds nothing alarms: the engine only remembers.
            for _ in self.engine.search(part, thresholds, one=False):
                pass
        if not ready.size:
            return trains, []
        thresholds.keep_learnt(ready, learnt)
        if self.plan.output != LEARNT:
            return trains, []
        lengths = np.tile(thresholds.lengths, ready.size)
        columns = [*self.groups.values(np.repeat(ready, thresholds.lengths.size)), pa.array(lengths)]
        return trains, [
            pa.RecordBatch.from_arrays([*columns, pa.array(learnt.ravel())], schema=self.plan.result_schema)
        ]

    def _search(self, fed: Batch, ts: np.ndarray) -> Iterator[pa.RecordBatch]:
        group = np.repeat(fed.groups, np.diff(fed.bounds))
        place = np.arange(ts.size) - np.repeat(fed.bounds[:-1], np.diff(fed.bounds))
        skipped = _running(fed) if fed.skips.size else 0
        searched = Searched(group, ts, self.counted[group] + place + skipped)
        self.counted[group] = searched.number + 1
        found = self.engine.search(fed, self.thresholds, one=self.plan.output == ANY)
        reporter = self.runs if self.plan.output == RUNS else self.reporter
        yield from reporter.emit(found, searched, self.thresholds, self.groups)

    def apply(self, commands: Iterable[Command]) -> tuple[list[pa.RecordBatch], int]:
        """Remove and add windows, in this order. Returns the runs that end, and how many commands mean nothing."""
        changes = read_commands(commands)
        closed = [batch for window in sorted(changes.removed) for batch in self.remove(window)]
        for window, threshold in sorted(changes.added.items()):
            self.thresholds.add(window, threshold)
        return closed, changes.refused

    def remove(self, window: int) -> Iterator[pa.RecordBatch]:
        """Watch a window no more; its open runs end."""
        if self.thresholds.remove(window):
            yield from self.runs.drop(window, self.groups)

    def _most_zeros(self) -> np.ndarray:
        """For each group, how many zeros in a row can say anything: all, where zeros alarm or may be learnt to."""
        sets, set_of_group = self.thresholds.sets, self.thresholds.set_of_group
        alarms = np.append((sets <= 0).any(axis=1), self.training is not None)
        return np.where(alarms[set_of_group], MAX_INSTANT, self.thresholds.lengths.max(initial=1))

    def finish(self) -> Iterator[pa.RecordBatch]:
        """The results that the end of the data settles."""
        yield from self.feed(no_rows(self.plan.columns), final=True)
        yield from self.runs.finish(self.groups)

    def idle_groups(self) -> np.ndarray:
        """No group can be forgotten: its windows cover past rows."""
        return np.zeros(len(self.groups), np.bool_)

    def figures(self) -> dict[str, int]:
        """Open runs; rows are taken at once."""
        return {"open": int(self.runs.table.shape[0]), "held": 0}

    def min_unreported_start(self, watermarks: np.ndarray) -> np.ndarray:
        """For each group the instant before which no further run starts."""
        starts = self.units.min_unreported_start(watermarks) if self.units is not None else watermarks
        return self.runs.min_unreported_start(starts)

    def retain(self, numbers: np.ndarray) -> None:
        """Forget all groups but these."""
        place = np.full(len(self.groups), -1)
        place[numbers] = np.arange(numbers.size)
        self.thresholds.retain(numbers)
        self.engine.retain(numbers)
        self.runs.retain(place)
        self.counted = self.counted[numbers]
        if self.training is not None:
            self.training.values.retain(numbers)
        if self.units is not None:
            self.units.retain(numbers, place)
        self.groups.retain(numbers)

    def copy(self, numbers: np.ndarray) -> BurstOperator:
        """An operator that goes on from here with these groups alone, numbered anew; nothing changes here."""
        made = BurstOperator(self.plan)
        made.restore(state_codec.copied(self.snapshot()))
        made.retain(numbers)
        return made

    def snapshot(self) -> Tree:
        """Everything that must be known to go on later."""
        return {
            "groups": self.groups.snapshot(),
            "thresholds": self.thresholds.snapshot(),
            "engine": self.engine.snapshot(),
            "runs": self.runs.snapshot(),
            "counted": self.counted,
            "training": self.training.values.snapshot() if self.training is not None else {},
            "units": self.units.snapshot(len(self.groups)) if self.units is not None else {},
        }

    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot."""
        self.groups.restore(tree_at(tree, "groups"))
        self.thresholds.restore(tree_at(tree, "thresholds"))
        self.engine.restore(tree_at(tree, "engine"))
        self.runs.restore(tree_at(tree, "runs"))
        self.counted = array_at(tree, "counted").copy()
        if self.training is not None:
            self.training.values.restore(tree_at(tree, "training"))
        if self.units is not None:
            self.units.restore(tree_at(tree, "units"))
            self.units.state, self.units.sums = self.units.state.copy(), self.units.sums.copy()


def _running(fed: Batch) -> np.ndarray:
    """How many zeros have been left out before each row, within its group."""
    total = np.cumsum(fed.skips)
    before = np.concatenate([[0], total])[fed.bounds[:-1]]
    return np.asarray(total - np.repeat(before, np.diff(fed.bounds)))
