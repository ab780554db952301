"""Worlds: random trees of sessions and random logs that flow down them, small enough for things to collide.

  columns ─> classes ─> nodes, each from columns and from nodes made before ─> conditions ─> measures ─> new numbers

What is ROUGH is never a continuous measure, because an engine may round it in its own way.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, replace
from typing import Any

from hypothesis import strategies as st

from streamframes.core.sessions.language.nodes import CONTINUOUS, ON_CLOSE, TAGS, Class, Measure, Node, path_of
from streamframes.core.sessions.language.nodes import FUNCTIONS as AGGREGATES
from streamframes.core.sessions.language.terms import TYPES, Call, Const, Op, Term, Value
from tests.core.sessions.random_terms import (
    DOMAINS,
    EXACT,
    FIXED,
    LARGEST,
    MOST_EVENTS,
    MOST_SESSIONS,
    NUMBERS,
    ORDERED,
    ROUGH,
    Scope,
    TermMaker,
)  # fmt: skip

Log = list[tuple[int, tuple[Any, ...]]]

INPUTS: dict[str, Sequence[str]] = {
    **dict.fromkeys(("sum", "avg", "stddev"), NUMBERS),
    **dict.fromkeys(("min", "max"), ORDERED),
    "fold": ("long", "double"),
}


def mean_of_two(x: float, y: float) -> float:
    """A function of the user, for terms."""
    return (x + y) / 2


class Fading:
    """A fold of the user: each value counts half of the one after it."""

    start = (0.0, 0.0)

    @staticmethod
    def add(state: tuple[float, ...], value: float) -> tuple[float, ...]:
        """One value more."""
        return state[0] / 2 + value, state[1] + 1

    @staticmethod
    def result(state: tuple[float, ...]) -> float:
        """The faded sum."""
        return state[0]


FUNCTIONS = (mean_of_two, Fading())


@dataclass(frozen=True)
class Plan:
    """A tree of sessions; `columns` are the types of the event's columns."""

    columns: tuple[str, ...]
    classes: tuple[Class, ...]
    nodes: tuple[Node, ...]
    measures: tuple[Measure, ...]


@dataclass(frozen=True)
class World:
    """A plan and a log for it."""

    plan: Plan
    log: Log


@dataclass
class PlanMaker(TermMaker):
    """Draws a plan, piece by piece."""

    def make(self) -> Plan:
        """A plan."""
        others = self.draw(st.lists(st.sampled_from(TYPES), max_size=3))
        self.columns = ("long", "text", "long", *others)
        self._make_classes()
        for _ in range(self.draw(st.integers(0, 9))):
            self._make_node()
        self._make_conditions()
        measures = [self._measure(m) for m in range(self.draw(st.integers(0, 4)))] if self.nodes else []
        return renumbered(Plan(self.columns, tuple(self.classes), tuple(self.nodes), tuple(measures)), self._order())

    def _make_classes(self) -> None:
        keys: list[tuple[int, ...]] = [(), (0,), (1,), (0, 1)]
        for i in range(self.draw(st.integers(1, 6))):
            deeper = self.chance(3) if i else False
            near = [j for j in range(i) if self.classes[j].level < 4]
            parent = -1 if i == 0 else near[-1] if deeper else self.pick(near)
            level = 0 if i == 0 else self.classes[parent].level + 1
            self.classes.append(Class(f"C{i}", parent, level, self.pick(keys) if i or self.chance(1) else ()))

    def _make_conditions(self) -> None:
        several = 0
        for i, cls in enumerate(self.classes):
            if i == 0 and self.chance(2):
                continue
            within = self._scope(i)
            changes: dict[str, Any] = {}
            if self.with_state and several < 2 and not cls.keys and self.chance(1):
                several += 1
                changes["matches"] = self.condition(within)
            if self.chance(1, 3):
                changes["opens"] = self.condition(self._scope(i, above_only=True))
            if self.chance(2):
                changes["closes"] = self.condition(within)
            if self.chance(1):
                changes["timeout"] = self.draw(st.integers(1, 8))
            self.classes[i] = replace(cls, **changes)

    def _scope(self, cls: int, above_only: bool = False) -> Scope:
        """The event, and the sessions of a class and those that it is in."""
        path = path_of(self.classes, cls)[1 if above_only else 0 :] if self.with_state else []
        return Scope(True, path, self._exact_nodes(path))

    def _own(self, cls: int) -> Scope:
        return Scope(False, [cls], self._exact_nodes([cls]))

    def _exact_nodes(self, classes: Sequence[int]) -> list[int]:
        return [n for n, node in enumerate(self.nodes) if node.cls in classes and self.known[n][1] < ROUGH]

    def _make_node(self) -> None:
        above = [cls for node in self.nodes for cls in path_of(self.classes, node.cls)[1:]]
        cls = self.pick(above) if above and self.chance(2) else self.draw(st.integers(0, len(self.classes) - 1))
        below = [n for n, node in enumerate(self.nodes) if cls in path_of(self.classes, node.cls)[1:]]
        node = self._receiver(cls, self.pick(below)) if below and self.chance(3) else self._reader(cls)
        size, grade = self._known_of(node)
        if size > LARGEST:
            node = replace(node, function="count", type="long", user=None, start=(), when=ON_CLOSE)
            size, grade = self._known_of(node)
        self.nodes.append(node)
        self.known.append((size, grade))

    def _reader(self, cls: int) -> Node:
        """A node with an argument."""
        function = self.pick([*AGGREGATES, "fold", "opened", "closed", *(["computed"] if self.with_state else [])])
        kind = self.pick(INPUTS.get(function, TYPES))
        if function == "computed":
            own = self._own(cls)
            kind = self.pick([leaf.type for any_kind in TYPES for leaf in self._leaves(any_kind, own)])
            return Node(cls, function, kind, self.term(kind, own, 2))
        argument = self.term(kind, self._scope(cls), 2)
        keeps_kind = kind == "long" and function in ("sum", "min", "max", "count", "first", "last")
        if keeps_kind and self.with_state and self.chance(1):
            argument = self._running(len(self.nodes), argument)
        return self._node(cls, function, kind, argument=argument)

    def _running(self, n: int, step: Term) -> Term:
        """An argument that names its own node; the remainder keeps it small."""
        before = Op("coalesce", (Value(n, "long"), Const(0, "long")), "long")
        return Op("long %", (Op("long +", (before, step), "long"), Const(7, "long")), "long")

    def _receiver(self, cls: int, source: int) -> Node:
        """A node that is given the values of another."""
        given = self.nodes[source]
        function = self.pick([f for f in (*AGGREGATES, "fold") if given.type in INPUTS.get(f, TYPES)])
        where = self.condition(self._own(given.cls)) if self.with_state and self.chance(1) else None
        once = function in ("sum", "avg", "count", "stddev")
        node = self._node(cls, function, given.type, source=source, where=where)
        return replace(node, when=self.pick([t for t in TAGS if t != CONTINUOUS or not (once or node.is_windowed)]))

    def _node(self, cls: int, function: str, given: str, **settings: Any) -> Node:
        kind = {"count": "long", "avg": "double", "stddev": "double", "fold": "double"}.get(function, given)
        if function == "fold":
            return Node(cls, function, kind, user=1, start=Fading.start, **settings)
        last = self.draw(st.integers(1, 3)) if function in AGGREGATES and self.chance(1, 6) else None
        span = self.draw(st.integers(1, 9)) if function in AGGREGATES and self.chance(1, 6) else None
        return Node(cls, function, kind, last=last, span=span, **settings)

    def _measure(self, m: int) -> Measure:
        n = self.draw(st.integers(0, len(self.nodes) - 1))
        return Measure(f"m{m}", n, self.pick([t for t in TAGS if t != CONTINUOUS or self.known[n][1] < ROUGH]))

    def _known_of(self, node: Node) -> tuple[int, int]:
        size, grade = self.known[node.source] if node.source is not None else (0, EXACT)
        if node.argument is not None:
            size, grade = self.size_of(node.argument), self.grade_of(node.argument)
        times = MOST_EVENTS if node.source is None else MOST_SESSIONS
        if node.function == "count":
            return times, EXACT
        if node.function == "sum":
            return size * times, ROUGH if grade else EXACT
        if node.function == "avg":
            return size, ROUGH if grade else FIXED
        if node.function == "stddev":
            return size, ROUGH
        return (2 * size, max(grade, FIXED)) if node.function == "fold" else (size, grade)

    def _order(self) -> list[int]:
        """The nodes in any order in which a computed one comes after those that it names."""
        order: list[int] = []
        for n in self.draw(st.permutations(range(len(self.nodes)))):
            self._place(n, order)
        return order

    def _place(self, n: int, order: list[int]) -> None:
        node = self.nodes[n]
        if node.function == "computed" and node.argument is not None:
            for name in sorted(named(node.argument)):
                self._place(name, order)
        if n not in order:
            order.append(n)


def named(term: Term) -> set[int]:
    """The nodes in a term."""
    if isinstance(term, Value):
        return {term.node}
    return {n for arg in getattr(term, "args", ()) for n in named(arg)}


def renumbered(plan: Plan, order: Sequence[int]) -> Plan:
    """The same plan with its nodes in another order."""
    now = {old: new for new, old in enumerate(order)}

    def moved(term: Any) -> Any:
        if isinstance(term, Value):
            return replace(term, node=now[term.node])
        if isinstance(term, Op | Call):
            return replace(term, args=tuple(map(moved, term.args)))
        return term

    def moved_node(node: Node) -> Node:
        source = None if node.source is None else now[node.source]
        return replace(node, argument=moved(node.argument), source=source, where=moved(node.where))

    classes = (replace(c, matches=moved(c.matches), opens=moved(c.opens), closes=moved(c.closes)) for c in plan.classes)
    nodes = (moved_node(plan.nodes[n]) for n in order)
    measures = (replace(measure, node=now[measure.node]) for measure in plan.measures)
    return Plan(plan.columns, tuple(classes), tuple(nodes), tuple(measures))


@st.composite
def plans(draw: Any, with_state: bool = True) -> Plan:
    """Any valid plan; without state no condition and no argument names a session."""
    return PlanMaker(draw, with_state).make()


def simple_plans() -> st.SearchStrategy[Plan]:
    """Plans whose conditions and arguments are of the event alone."""
    return plans(with_state=False)


def values_of(kind: str) -> st.SearchStrategy[Any]:
    """Values of a column, null now and then."""
    nulls = [None, float("nan")] if kind == "double" else [None]
    return st.sampled_from([*DOMAINS[kind], *DOMAINS[kind], *nulls])


@st.composite
def logs(draw: Any, columns: Sequence[str], most: int = 30) -> Log:
    """Events in order, many at the same time, some after long silence."""
    events = st.tuples(st.sampled_from([0, 1, 0, 1, 2, 3, 5, 9, 20]), st.tuples(*map(values_of, columns)))
    ts = draw(st.integers(-5, 5))
    log = []
    size = most - draw(st.integers(0, most))
    for gap, values in draw(st.lists(events, min_size=size, max_size=size)):
        ts += gap
        log.append((ts, values))
    return log


@st.composite
def worlds(draw: Any, with_state: bool = True) -> World:
    """A plan and a log."""
    plan = draw(plans(with_state))
    return World(plan, draw(logs(plan.columns)))


def simple_worlds() -> st.SearchStrategy[World]:
    """A simple plan and a log."""
    return worlds(with_state=False)
