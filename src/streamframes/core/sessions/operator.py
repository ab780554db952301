"""The operator: one bucket's events in order in, sessions, measures or tagged events out.

rows ──> words of their columns, keys ──> machine ──> closed sessions, measures, who belongs where ──> results
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import GroupIndex, as_int64, fingerprints
from streamframes.core.batch.rows import Rows
from streamframes.core.jit.compiled import compiled
from streamframes.core.operator.protocol import NO_WATERMARKS, Command, Operator, OperatorPlan
from streamframes.core.sessions.commands import Watched
from streamframes.core.sessions.language.nodes import COMPUTED
from streamframes.core.sessions.language.symbols import kind_of
from streamframes.core.sessions.language.terms import DOUBLE, TEXT, Event, parts
from streamframes.core.sessions.plan import MEASURES, ODD, OPEN, SESSIONS, TAGGED, SessionSpec
from streamframes.core.sessions.results import Teller
from streamframes.core.sessions.string_ids import Texts
from streamframes.core.sessions.user_functions import caller
from streamframes.core.sessions.vm import layout as tables
from streamframes.core.sessions.vm.bits import NULL
from streamframes.core.sessions.vm.machine import Events, Found, Machine
from streamframes.core.sparksql import Expression

# So many texts are kept whether or not they are needed.
MANY_TEXTS = 10_000


@dataclass(frozen=True)
class SessionPlan(SessionSpec, OperatorPlan):
    """The plan of sessions."""

    def operator(self, *, live: bool = False) -> SessionOperator:
        """The plan at work on the groups of one bucket."""
        return SessionOperator(self)

    @property
    def counters(self) -> tuple[str, ...]:
        """Events whose key was null, and events that would have closed what was not open."""
        return ("null_keys", "stray_closes")

    @property
    def needs_end_of_data(self) -> bool:
        """Time alone closes sessions with a timeout."""
        return self.has_timeouts


class SessionOperator(Operator):
    """A plan at work on the groups of one bucket."""

    def __init__(self, plan: SessionSpec) -> None:
        self.plan = plan
        self.groups = GroupIndex(plan.keys)
        self.texts = Texts()
        self.base = plan
        self.watched = Watched({measure.name: None for measure in plan.measures}, {})
        self.more: list[Expression] = []
        self.machine = self._machine()
        self.teller = Teller(plan, self.texts, self.groups)
        self.point = NULL
        self.used = _used(plan)

    def apply(self, commands: Iterable[Command]) -> tuple[list[pa.RecordBatch], int]:
        """Add and drop measures; returns that this settles nothing, and how many commands mean nothing."""
        if self.plan.orders is None:
            return [], 0
        watched, refused = self.plan.orders.apply(self.watched, commands)
        if watched.texts != self.watched.texts or watched.births != self.watched.births:
            self._watch(watched)
            self.machine.move_to(self._tables())
        self.watched = watched
        return [], refused

    def _watch(self, watched: Watched) -> None:
        """Go on with these measures."""
        if self.base.orders is None:
            return
        planner, self.more = self.base.orders.replanned(watched)
        self.plan = replace(self.base, nodes=tuple(planner.nodes), measures=tuple(planner.measures))
        self.watched, self.used = watched, _used(self.plan)
        self.teller = Teller(self.plan, self.texts, self.groups, watched.births)

    def _machine(self) -> Machine:
        plan = self.plan
        wants = (plan.output in (SESSIONS, OPEN), plan.output == MEASURES, plan.output == TAGGED)
        return Machine(self._tables(), len(plan.classes), len(plan.told), caller(plan.functions), wants=wants)

    def _tables(self) -> tables.Tables:
        plan = self.plan
        return tables.build(
            plan.classes,
            plan.nodes,
            plan.own_measures,
            self._outputs(),
            salts=[plan.salt(i) for i in range(len(plan.classes))],
            texts=self.texts,
            ticks_per_second=plan.ticks_per_second,
            spans=plan.spans,
        )

    def _outputs(self) -> list[list[tables.Output]]:
        """For each class the columns of its results."""
        outputs: list[list[tables.Output]] = [[] for _ in self.plan.classes]
        for column, told in enumerate(self.plan.told):
            for cls, term in told.terms:
                outputs[cls].append(tables.Output(column, term))
        return outputs

    def feed(self, rows: Rows, watermarks: np.ndarray = NO_WATERMARKS) -> Iterator[pa.RecordBatch]:
        """The results that these rows settle; rows of a group must come in order.

        `watermarks`, if known, says for each group before which instant all rows have been seen.
        """
        if len(rows):
            yield from self._told(self.machine.flow(self._events(rows), len(self.groups)), rows)
        if watermarks.size and self.plan.has_timeouts:
            yield from self._told(self.machine.pass_time(watermarks), None)
        self._forget_texts()

    def _forget_texts(self) -> None:
        """Once they are many, forget the texts that no open session knows."""
        kept = [i for i, node in enumerate(self.plan.nodes) if node.type == TEXT and node.function != COMPUTED]
        if len(self.texts) < MANY_TEXTS + 4 * self.n_open * len(kept) or any(
            self.plan.nodes[i].is_windowed for i in kept
        ):
            return
        words, records = self.machine.W, self.machine.open_records()
        before = self.texts
        self.texts = self.teller.texts = Texts()
        # Texts that the plan names come first.
        self.machine.tables = self._tables()
        for i in kept:
            here = records[words[records] == self.plan.nodes[i].cls] + self.machine.tables.slots[i]
            words[here] = self.texts.words(before.texts(words[here]))

    def _told(self, found: Iterator[Found], rows: Rows | None) -> Iterator[pa.RecordBatch]:
        if self.plan.output == TAGGED:
            # One event may belong to many sessions: all of that must be known before it is told.
            belongs = [each.belongs for each in found]
            if rows is not None:
                yield self.teller.tagged(rows, np.concatenate(belongs))
            return
        for each in found:
            yield from self.teller.told(each)

    def _events(self, rows: Rows) -> Events:
        plan = self.plan
        columns = np.empty((len(plan.event_at) + len(self.more), len(rows)), np.int64)
        arrays: list[Any] = []
        flags: dict[int, np.ndarray] = {}
        sizes = np.diff(rows.bounds)
        keys = self.groups.values(rows.groups) if any(at < 0 for at in plan.event_at) else []
        for i, at in enumerate(plan.event_at):
            if i not in self.used:
                arrays.append(None)
            elif plan.bits and plan.bits[i] >= 0:
                arrays.append(None)
                if at not in flags:
                    flags[at] = rows.columns[at].to_numpy()
                _truths(flags[at], plan.bits[i], columns[i])
            elif at >= 0:
                arrays.append(rows.columns[at])
                columns[i] = self.words(rows.columns[at])
            else:
                arrays.append(keys[-1 - at])
                columns[i] = np.repeat(self.words(keys[-1 - at]), sizes)
        if self.more and plan.orders is not None:
            travelling = rows.columns[-len(plan.orders.columns) :]
            batch = pa.RecordBatch.from_arrays(travelling, schema=plan.orders.columns)
            for i, expression in enumerate(self.more):
                columns[len(plan.event_at) + i] = self.words(expression.evaluate(batch))
        return Events(rows.groups, rows.bounds, rows.ts, columns, self._keys(rows, arrays))

    def _keys(self, rows: Rows, arrays: Sequence[pa.Array]) -> np.ndarray:
        """Two words for the key of each keyed class; where it is null, the second says so."""
        plan = self.plan
        keyed = [i for i, each in enumerate(plan.classes) if each.keys]
        found = np.empty((2 * len(keyed), len(rows)), np.int64)
        sizes = np.diff(rows.bounds)
        for k, cls in enumerate(keyed):
            if cls in plan.grouped:
                values = self.groups.values(rows.groups)
                first, second = self.groups.first[rows.groups], self.groups.second[rows.groups]
            else:
                values = [arrays[column] for column in plan.classes[cls].keys]
                first, second = fingerprints(values, len(rows))
            second = second.view(np.int64)
            for each in values:
                if each.null_count:
                    second = np.where(each.is_valid().to_numpy(zero_copy_only=False), second, NULL)
            pair = (first.view(np.int64), second)
            found[2 * k], found[2 * k + 1] = (np.repeat(each, sizes) for each in pair) if cls in plan.grouped else pair
        return found

    def words(self, array: pa.Array) -> np.ndarray:
        """A column as words."""
        kind = kind_of(array.type.value_type if pa.types.is_dictionary(array.type) else array.type)
        if kind == TEXT:
            return self.texts.words(array)
        if kind == DOUBLE:
            values = array.cast(pa.float64()).fill_null(np.nan).to_numpy(zero_copy_only=False)
            return np.asarray(values).view(np.int64)
        words = as_int64(array)
        if array.null_count:
            return np.where(array.is_valid().to_numpy(zero_copy_only=False), words, NULL)
        return words

    def finish(self) -> Iterator[pa.RecordBatch]:
        """The results that the end of the data settles: time has come to its last instant, then all is closed."""
        if self.plan.has_timeouts and self.point > NULL:
            yield from self._told(self.machine.pass_time(np.full(len(self.groups), self.point)), None)
        if self.plan.output == ODD:
            yield self.teller.odd(self.machine.null_keys, self.machine.strays)
        elif self.plan.output in (SESSIONS, OPEN):
            yield from self._told(self.machine.end(), None)

    def end_of_data(self, instant: int) -> None:
        """The data of all buckets goes on to this instant."""
        self.point = max(self.point, instant)

    def idle_groups(self) -> np.ndarray:
        """For each group whether nothing need be known of it."""
        return ~self.machine.busy(len(self.groups))

    @property
    def n_open(self) -> int:
        """How many sessions are open."""
        return self.machine.n_open

    def figures(self) -> dict[str, int]:
        """Open sessions; and since the last call, events with a null key, and those that close what is not open."""
        unmatched = {"null_keys": int(self.machine.null_keys.sum()), "stray_closes": int(self.machine.strays.sum())}
        found = {"open": self.n_open, "held": 0, **unmatched}
        self.machine.null_keys[:] = 0
        self.machine.strays[:] = 0
        return found

    def min_unreported_start(self, watermarks: np.ndarray) -> np.ndarray:
        """For each group the instant before which no further session starts."""
        return self.machine.earliest(watermarks)

    def retain(self, numbers: np.ndarray) -> None:
        """Forget all groups but these."""
        self.machine.retain(numbers, len(self.groups))
        self.groups.retain(numbers)

    def snapshot(self) -> dict[str, Any]:
        """Everything that must be known to go on later."""
        return {
            "watched": self.watched.snapshot(),
            "groups": self.groups.snapshot(),
            "machine": self.machine.snapshot(),
            "texts": pa.array(self.texts.values, pa.string()),
        }

    def restore(self, saved: dict[str, Any]) -> None:
        """Go on from what was saved."""
        self.groups.restore(saved["groups"])
        self.texts = Texts(saved["texts"].to_pylist())
        self.teller = Teller(self.plan, self.texts, self.groups)
        self._watch(Watched.loaded(saved["watched"]))
        self.machine = self._machine()
        self.machine.restore(saved["machine"])


@compiled
def _truths(flags: Any, bit: int, out: Any) -> None:
    """The truth value at two bits: false, true or null."""
    for i in range(flags.size):
        word = (flags[i] >> bit) & 3
        out[i] = NULL if word == 2 else word


def _used(plan: SessionSpec) -> set[int]:
    """The columns of events that anything depends on; a key that is the group is known without."""
    found = {column for i, each in enumerate(plan.classes) if i not in plan.grouped for column in each.keys}
    terms = [term for each in plan.classes for term in (each.matches, each.opens, each.closes)]
    terms += [term for node in plan.nodes for term in (node.argument, node.where)]
    for term in terms:
        found |= {part.column for part in parts(term) if isinstance(part, Event)} if term is not None else set()
    return found
