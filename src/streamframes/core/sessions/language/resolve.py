"""The planner: a tree of sessions and its measures, with every name resolved and every type checked.

It knows the columns of events by name, and asks for the type of an expression over them; who asks the engine of rows,
and who computes the columns, is not its business.
"""

from __future__ import annotations

import copy
import inspect
from collections.abc import Collection
from dataclasses import replace

import pyarrow as pa

from streamframes.core.batch.clock import Clock
from streamframes.core.schemes.folds import Fold
from streamframes.core.sessions.language.aggregate_nodes import AggregateNodes
from streamframes.core.sessions.language.aggregates import Aggregate, Parser, read_measure
from streamframes.core.sessions.language.conditions import Reader
from streamframes.core.sessions.language.nodes import CLOSED, CONTINUOUS, FOLD, OPENED, Class, Measure, Node
from streamframes.core.sessions.language.operators import NUMBERS, as_double
from streamframes.core.sessions.language.symbols import Symbols, TypeOf
from streamframes.core.sessions.language.terms import BOOLEAN, DOUBLE, INSTANT, TEXT, Call, Term, a
from streamframes.core.sessions.tree import Session
from streamframes.core.sessions.user_functions import MOST_ARGUMENTS, Function
from streamframes.errors import InvalidArgument


class Planner(Symbols):
    """Resolves one tree."""

    def __init__(
        self, root: Session, columns: Collection[str], ts: str, ts_type: pa.DataType, clock: Clock, type_of: TypeOf
    ) -> None:
        super().__init__(root, columns, ts, ts_type, clock, type_of)
        self.functions: list[Function] = []
        self.measures: list[Measure] = []
        self.texts: dict[str, str] = {}
        self._plan()

    def __getstate__(self) -> dict[str, object]:
        """What travels: everything but how types were asked for."""
        known = dict(self.__dict__)
        known.pop("type_of", None)
        return {**known, "events": [str(each) for each in self.events]}

    def copied(self, type_of: TypeOf) -> Planner:
        """Another planner that goes on from here, and asks for types in its own way."""
        planner = copy.copy(self)
        for name, value in vars(self).items():
            if isinstance(value, list | dict):
                setattr(planner, name, copy.copy(value))
        planner.type_of = type_of
        return planner

    def _plan(self) -> None:
        parents: dict[int, int] = {}
        for i, each in enumerate(self.sessions):
            for part in each.parts:
                parents[id(part)] = i
            parent = parents.get(id(each), -1)
            level = self.classes[parent].level + 1 if parent >= 0 else 0
            keys = tuple(self._key(each, name) for name in each.keys)
            timeout = None if each.timeout is None else self.clock.ticks(each.timeout, "timeout")
            self.classes.append(Class(each.name, parent, level, keys, timeout=timeout))
        for i, each in enumerate(self.sessions):
            self._attributes(i, each)
        for i, each in enumerate(self.sessions):
            self._conditions(i, each)
        for i, each in enumerate(self.sessions):
            for name, rule in (each.on_close or {}).items():
                self.keep(i, name, Node(i, CLOSED, "", self._set(i, each, name, rule, "on_close", own=True)))

    def _key(self, each: Session, name: str) -> int:
        if name.lower() not in self.columns:
            raise InvalidArgument(
                f"Session {each.name!r} got key={name!r}; the columns are {', '.join(self.columns.values())}"
            )
        return self.column(name, f"key of {each.name!r}").column

    def _conditions(self, number: int, each: Session) -> None:
        def condition(argument: str, text: object) -> Term | None:
            reader = Reader(self, number, f"{argument} of {each.name!r}", own=argument != "opens")
            return None if text is None else reader.condition(text)

        matches = condition("matches", each.matches)
        opens = condition("opens", each.opens)
        closes = condition("closes", each.closes)
        self.classes[number] = replace(self.classes[number], matches=matches, opens=opens, closes=closes)

    def _attributes(self, number: int, each: Session) -> None:
        for name, rule in (each.on_open or {}).items():
            self.keep(number, name, Node(number, OPENED, "", self._set(number, each, name, rule, "on_open", own=False)))
        for name, rule in each.attributes.items():
            what = f"attribute {name!r} of {each.name!r}"
            if isinstance(rule, Fold):
                term = self._number(Reader(self, number, what).read(rule.value), what)
                user = self._function(rule, what)
                start = tuple(map(float, rule.start))
                self.keep(number, name, Node(number, FOLD, DOUBLE, term, user=user, start=start))
            else:
                self.keep(number, name, self._rule(number, rule, what))

    def _rule(self, number: int, rule: object, what: str) -> Node:
        """An attribute: a function of the events."""
        example = "write it like 'sum(bytes)', 'first(caller)' or 'last(step)', or give a Fold"
        if not isinstance(rule, str):
            raise InvalidArgument(f"{what} is {rule!r}; {example}")
        name = self.names[number]
        parser = Parser(f"{name}.{rule}", self.names)
        if parser.small(3) != "(":
            raise InvalidArgument(f"{what} is {rule!r}; {example}")
        aggregate, after = parser.aggregate(0, len(parser.tokens))
        value = aggregate.argument.value if aggregate.argument is not None else None
        if after != len(parser.tokens) or isinstance(value, Aggregate) or aggregate.last is not None:
            raise InvalidArgument(f"{what} is {rule!r}; {example}")
        return self.nodes[self.aggregate(aggregate)]

    def _set(self, number: int, each: Session, name: str, rule: object, argument: str, *, own: bool) -> Term:
        """What an attribute is set to when a session opens or closes."""
        what = f"{argument} {name!r} of {each.name!r}"
        reader = Reader(self, number, what, own=own)
        if callable(rule) and not isinstance(rule, Fold) and hasattr(rule, "__code__"):
            wanted = list(inspect.signature(rule).parameters)
            args = tuple(self._number(reader.read(parameter), what) for parameter in wanted)
            return Call(self._function(rule, what), args)
        if isinstance(rule, Fold):
            raise InvalidArgument(f"{what} is a Fold, which events are added to; move it to attributes=")
        return reader.read(rule)

    def _number(self, term: Term, what: str) -> Term:
        if term.type == BOOLEAN:
            raise InvalidArgument(f"{what} takes a truth value; write cast(... as int)")
        if term.type not in NUMBERS:
            raise InvalidArgument(f"{what} takes {a(term.type)}; functions of Python take numbers")
        return as_double(term)

    def _function(self, function: Function, what: str) -> int:
        size = len(function.start) + 1 if isinstance(function, Fold) else len(inspect.signature(function).parameters)
        if size > MOST_ARGUMENTS:
            raise InvalidArgument(f"{what} has {size} numbers; a function may have {MOST_ARGUMENTS}")
        self.functions.append(function.detached() if isinstance(function, Fold) else function)
        return len(self.functions) - 1

    def add_measure(self, name: str, text: str) -> int:
        """A measure; returns its number."""
        if not isinstance(name, str) or not name.isidentifier():
            raise InvalidArgument(f"measures got the name {name!r}; give a name like 'avg_call'")
        reported = read_measure(text, name, self.names)
        node = self.aggregate(reported.aggregate)
        if self.nodes[node].type in (TEXT, INSTANT):
            raise InvalidArgument(
                f"measures got {name}={text!r}, which is {a(self.nodes[node].type)}; measures are numbers, so make it "
                "an attribute of a session"
            )
        self.measures.append(Measure(name, node, reported.when or CONTINUOUS))
        self.texts[name] = " ".join(text.split())
        return len(self.measures) - 1

    def aggregate(self, wanted: Aggregate) -> int:
        """The node of an aggregate, and those it needs."""
        return AggregateNodes(self).node_of(wanted)
