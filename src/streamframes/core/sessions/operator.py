"""The operator: one bucket's events in order in, sessions, measures or tagged events out.

rows ──> words of their columns and keys ──> machine ──> words of sessions, measures, memberships ──> results
         (events)                            (vm)                                                     (results)
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass, replace

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import GroupIndex
from streamframes.core.batch.rows import Rows
from streamframes.core.batch.tree import Tree, arrow_at, tree_at
from streamframes.core.operator.protocol import NO_WATERMARKS, Command, Operator, OperatorPlan
from streamframes.core.sessions.commands import ActiveMeasures
from streamframes.core.sessions.events import EventEncoder
from streamframes.core.sessions.kernels.fields import NULL
from streamframes.core.sessions.language.nodes import COMPUTED
from streamframes.core.sessions.language.terms import TEXT
from streamframes.core.sessions.plan import DIAGNOSTICS, MEASURES, OPEN, SESSIONS, TAGGED, SessionSpec
from streamframes.core.sessions.results import ResultWriter
from streamframes.core.sessions.string_ids import StringIds
from streamframes.core.sessions.user_functions import caller
from streamframes.core.sessions.vm.encoded_tree import EncodedTree, encode
from streamframes.core.sessions.vm.machine import Machine
from streamframes.core.sessions.vm.memory import EngineResults
from streamframes.core.sessions.vm.tree_rows import ResultColumn
from streamframes.core.sparksql import Expression

# So many strings are kept whether or not they are needed.
MANY_STRINGS = 10_000


@dataclass(frozen=True)
class SessionPlan(SessionSpec, OperatorPlan):
    """The plan of sessions."""

    def operator(self, *, live: bool = False) -> SessionOperator:
        """The plan at work on the groups of one bucket."""
        return SessionOperator(self)

    @property
    def counters(self) -> tuple[str, ...]:
        """Events whose key was null, and events that would have closed what was not open."""
        return ("null_keys", "unmatched_closes")

    @property
    def needs_end_of_data(self) -> bool:
        """Time alone closes sessions with a timeout."""
        return self.has_timeouts


class SessionOperator(Operator):
    """A plan at work on the groups of one bucket."""

    def __init__(self, plan: SessionSpec) -> None:
        self.plan = self.base = plan
        self.groups = GroupIndex(plan.keys)
        self.strings = StringIds()
        self.active = ActiveMeasures({measure.name: None for measure in plan.measures}, {})
        self.more: list[Expression] = []
        self.end = NULL
        self._connect()
        self.machine = self._machine()

    def _connect(self) -> None:
        """What encodes events and writes results, with the plan, the groups and the strings as they are now."""
        self.encoder = EventEncoder(self.plan, self.groups, self.strings, self.more)
        self.writer = ResultWriter(self.plan, self.strings, self.groups, self.active.births)

    def apply(self, commands: Iterable[Command]) -> tuple[list[pa.RecordBatch], int]:
        """Add and drop measures; returns that this settles nothing, and how many commands mean nothing."""
        if self.plan.commands is None:
            return [], 0
        active, refused = self.plan.commands.apply(self.active, commands)
        if active.texts != self.active.texts or active.births != self.active.births:
            self._replan(active)
            self.machine.move_to(self._tree())
        self.active = active
        return [], refused

    def _replan(self, active: ActiveMeasures) -> None:
        """Go on with these measures."""
        self.active = active
        if self.base.commands is not None:
            planner, self.more = self.base.commands.replanned(active)
            self.plan = replace(self.base, nodes=tuple(planner.nodes), measures=tuple(planner.measures))
        self._connect()

    def _machine(self) -> Machine:
        plan = self.plan
        wants = (plan.output in (SESSIONS, OPEN), plan.output == MEASURES, plan.output == TAGGED)
        n_columns = len(plan.output_columns)
        return Machine(self._tree(), len(plan.classes), n_columns, caller(plan.functions), wants=wants)

    def _tree(self) -> EncodedTree:
        plan = self.plan
        return encode(
            plan.classes,
            plan.nodes,
            plan.own_measures,
            self._result_columns(),
            salts=[plan.salt(i) for i in range(len(plan.classes))],
            strings=self.strings,
            ticks_per_second=plan.ticks_per_second,
            merges_root=plan.merges_root,
        )

    def _result_columns(self) -> list[list[ResultColumn]]:
        """For each class the columns of its results."""
        columns: list[list[ResultColumn]] = [[] for _ in self.plan.classes]
        for number, column in enumerate(self.plan.output_columns):
            for cls, term in column.terms:
                columns[cls].append(ResultColumn(number, term))
        return columns

    def feed(self, rows: Rows, watermarks: np.ndarray = NO_WATERMARKS) -> Iterator[pa.RecordBatch]:
        """The results that these rows settle; rows of a group must come in order.

        `watermarks`, if known, says for each group before which instant all rows have been seen.
        """
        if len(rows):
            yield from self._results(self.machine.flow(self.encoder.events(rows), len(self.groups)), rows)
        if watermarks.size and self.plan.has_timeouts:
            yield from self._results(self.machine.pass_time(watermarks), None)
        self._forget_strings()

    def _forget_strings(self) -> None:
        """Once they are many, forget the strings that no open session knows."""
        kept = [i for i, node in enumerate(self.plan.nodes) if node.type == TEXT and node.function != COMPUTED]
        if len(self.strings) < MANY_STRINGS + 4 * self.n_open * len(kept) or any(
            self.plan.nodes[i].is_windowed for i in kept
        ):
            return
        memory = self.machine.memory
        words, places = memory.records, memory.open_sessions()
        before, self.strings = self.strings, StringIds()
        self._connect()
        # Strings that the plan names come first.
        memory.tree = self._tree()
        for i in kept:
            here = places[words[places] == self.plan.nodes[i].cls] + memory.tree.node_places[i]
            words[here] = self.strings.encode(before.decode(words[here]))

    def _results(self, words: Iterator[EngineResults], rows: Rows | None) -> Iterator[pa.RecordBatch]:
        if self.plan.output == TAGGED:
            # One event may belong to many sessions: all of these must be known before it is a result.
            memberships = [each.memberships for each in words]
            if rows is not None:
                yield self.writer.tagged(rows, np.concatenate(memberships))
            return
        for each in words:
            yield from self.writer.results(each)

    def finish(self) -> Iterator[pa.RecordBatch]:
        """The results that the end of the data settles: time has come to its last instant, then all is closed."""
        if self.plan.has_timeouts and self.end > NULL:
            yield from self._results(self.machine.pass_time(np.full(len(self.groups), self.end)), None)
        if self.plan.output == DIAGNOSTICS:
            yield self.writer.diagnostics(self.machine.null_keys, self.machine.unmatched_closes)
        elif self.plan.output in (SESSIONS, OPEN):
            yield from self._results(self.machine.end(), None)

    def end_of_data(self, instant: int) -> None:
        """The data of all buckets goes on to this instant."""
        self.end = max(self.end, instant)

    def idle_groups(self) -> np.ndarray:
        """For each group whether nothing need be known of it."""
        return ~self.machine.busy(len(self.groups))

    @property
    def n_open(self) -> int:
        """How many sessions are open."""
        return self.machine.n_open

    def figures(self) -> dict[str, int]:
        """Open sessions; and since the last call, events with a null key, and those that close what is not open."""
        counts = {"null_keys": self.machine.null_keys, "unmatched_closes": self.machine.unmatched_closes}
        figures = {"open": self.n_open, "held": 0, **{name: int(each.sum()) for name, each in counts.items()}}
        for each in counts.values():
            each[:] = 0
        return figures

    def min_unreported_start(self, watermarks: np.ndarray) -> np.ndarray:
        """For each group the instant before which no further session starts."""
        return self.machine.earliest(watermarks)

    def retain(self, numbers: np.ndarray) -> None:
        """Forget all groups but these."""
        self.machine.retain(numbers, len(self.groups))
        self.groups.retain(numbers)

    def snapshot(self) -> Tree:
        """Everything that must be known to go on later."""
        return {
            "measures": self.active.snapshot(),
            "groups": self.groups.snapshot(),
            "machine": self.machine.snapshot(),
            "strings": pa.array(self.strings.strings, pa.string()),
        }

    def restore(self, tree: Tree) -> None:
        """Go on from what was saved."""
        self.groups.restore(tree_at(tree, "groups"))
        self.strings = StringIds(arrow_at(tree, "strings").to_pylist())
        self._replan(ActiveMeasures.restored(tree_at(tree, "measures")))
        self.machine = self._machine()
        self.machine.restore(tree_at(tree, "machine"))
