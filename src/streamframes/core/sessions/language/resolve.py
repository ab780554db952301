"""The planner: a tree of sessions and its measures, with every name resolved and every type checked.

It knows the columns of events by name, and asks for the type of an expression over them; who asks the engine of rows,
and who computes the columns, is not its business.
"""

from __future__ import annotations

import inspect
from collections.abc import Callable, Collection
from dataclasses import replace
from typing import Any

import pyarrow as pa

from streamframes.core.batch.clock import Clock
from streamframes.core.schemes.folds import Fold
from streamframes.core.sessions.language import nodes as kinds
from streamframes.core.sessions.language.aggregates import Aggregate, Argument, Parser, read_measure
from streamframes.core.sessions.language.conditions import NUMBERS, Reader, as_double
from streamframes.core.sessions.language.nodes import CONTINUOUS, ON_CLOSE, ON_OPEN, Class, Measure, Node, path_of
from streamframes.core.sessions.language.terms import (
    BOOLEAN,
    DOUBLE,
    DURATION,
    INSTANT,
    LONG,
    TEXT,
    Call,
    Const,
    Event,
    Op,
    Term,
    Told,
    Value,
    a,
    parts,
)
from streamframes.core.sessions.tree import Session
from streamframes.core.sessions.vm.user_functions import MOST_ARGUMENTS, Function
from streamframes.errors import InvalidArgument

TypeOf = Callable[[Any, str], pa.DataType]
_TOLD = {"rows": LONG, "duration": DURATION, "start": INSTANT, "end": INSTANT}
_ONLY_ONCE = (kinds.SUM, kinds.AVG, kinds.COUNT, kinds.STDDEV)


def kind_of(arrow: pa.DataType) -> str | None:
    """What a value of an Arrow type is to a session."""
    if pa.types.is_boolean(arrow):
        return BOOLEAN
    if pa.types.is_integer(arrow):
        return LONG
    if pa.types.is_floating(arrow) or pa.types.is_decimal(arrow):
        return DOUBLE
    if pa.types.is_string(arrow) or pa.types.is_large_string(arrow):
        return TEXT
    return INSTANT if pa.types.is_timestamp(arrow) or pa.types.is_date32(arrow) else None


class Planner:
    """Resolves one tree."""

    def __init__(
        self, root: Session, columns: Collection[str], ts: str, ts_type: pa.DataType, clock: Clock, type_of: TypeOf
    ) -> None:
        self.sessions = list(root.walk())
        self.names = [each.name for each in self.sessions]
        self.numbers = {name.lower(): i for i, name in enumerate(self.names)}
        self.columns = {name.lower(): name for name in columns}
        self.ts, self.ts_type, self.clock, self.type_of = ts, ts_type, clock, type_of
        self.classes: list[Class] = []
        self.nodes: list[Node] = []
        self.arrow: dict[int, pa.DataType] = {}
        self.events: list[Any] = []
        self.event_types: list[pa.DataType] = []
        self.functions: list[Function] = []
        self.attributes: list[dict[str, int]] = [{} for _ in self.sessions]
        self.measures: list[Measure] = []
        self.texts: dict[str, str] = {}
        self._places: dict[str, int] = {}
        self._known: dict[Node, int] = {}
        self._plan()

    def __getstate__(self) -> dict[str, Any]:
        """What travels: everything but how types were asked for."""
        known = dict(self.__dict__)
        known.pop("type_of", None)
        return {**known, "events": [str(each) for each in self.events]}

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
                self._keep(i, name, Node(i, kinds.CLOSED, "", self._set(i, each, name, rule, "on_close", own=True)))

    def _key(self, each: Session, name: str) -> int:
        if name.lower() not in self.columns:
            raise InvalidArgument(
                f"Session {each.name!r} got key={name!r}; the columns are {', '.join(self.columns.values())}"
            )
        return self.event(_quoted(self.columns[name.lower()]), f"key of {each.name!r}").column

    def _conditions(self, number: int, each: Session) -> None:
        found: dict[str, Any] = {}
        for argument in ("matches", "opens", "closes"):
            text = getattr(each, argument)
            if text is not None:
                reader = Reader(self, number, f"{argument} of {each.name!r}", own=argument != "opens")
                found[argument] = reader.condition(text)
        self.classes[number] = replace(self.classes[number], **found)

    def _attributes(self, number: int, each: Session) -> None:
        for name, rule in (each.on_open or {}).items():
            self._keep(
                number, name, Node(number, kinds.OPENED, "", self._set(number, each, name, rule, "on_open", own=False))
            )
        for name, rule in each.attributes.items():
            what = f"attribute {name!r} of {each.name!r}"
            if isinstance(rule, Fold):
                term = self._number(Reader(self, number, what).read(rule.value), what)
                user = self._function(rule, what)
                start = tuple(map(float, rule.start))
                self._keep(number, name, Node(number, kinds.FOLD, DOUBLE, term, user=user, start=start))
            else:
                self._keep(number, name, self._rule(number, rule, what))

    def _rule(self, number: int, rule: Any, what: str) -> Node:
        """An attribute: a function of the events."""
        example = "write it like 'sum(bytes)', 'first(caller)' or 'last(step)', or give a Fold"
        if not isinstance(rule, str):
            raise InvalidArgument(f"{what} is {rule!r}; {example}")
        name = self.names[number]
        parser = Parser(f"{name}.{rule}", self.names)
        if parser.word(3) != "(":
            raise InvalidArgument(f"{what} is {rule!r}; {example}")
        aggregate, after = parser.aggregate(0, len(parser.tokens))
        value = aggregate.argument.value if aggregate.argument is not None else None
        if after != len(parser.tokens) or isinstance(value, Aggregate) or aggregate.last is not None:
            raise InvalidArgument(f"{what} is {rule!r}; {example}")
        return self.nodes[self.aggregate(aggregate)]

    def _set(self, number: int, each: Session, name: str, rule: Any, argument: str, *, own: bool) -> Term:
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

    def _keep(self, number: int, name: str, node: Node) -> None:
        """An attribute under its name; each is a node of its own."""
        term = node.argument
        if not node.type and term is not None:
            node = replace(node, type=term.type)
        self.attributes[number][name.lower()] = self._add(node)

    def _add(self, node: Node) -> int:
        if node not in self._known:
            self._known[node] = len(self.nodes)
            self.nodes.append(node)
            self.arrow[len(self.nodes) - 1] = self._arrow(node)
        return self._known[node]

    def _arrow(self, node: Node) -> pa.DataType:
        """The type of a node's values in results."""
        if node.type != INSTANT:
            seconds = pa.float64() if self.clock.kind == "timestamp" else pa.int64()
            plain = {LONG: pa.int64(), DOUBLE: pa.float64(), BOOLEAN: pa.bool_(), TEXT: pa.string(), DURATION: seconds}
            return plain[node.type]
        if node.source is not None:
            return self.arrow[node.source]
        for part in parts(node.argument) if node.argument is not None else ():
            if isinstance(part, Event) and part.type == INSTANT:
                return self.event_types[part.column]
            if isinstance(part, Value) and part.type == INSTANT:
                return self.arrow[part.node]
        return self.ts_type

    def event(self, expression: Any, what: str) -> Event:
        """A column of the event: an expression that the engine of rows computes."""
        key = expression if isinstance(expression, str) else f"{id(expression)}"
        if key not in self._places:
            arrow = self.type_of(expression, what)
            if kind_of(arrow) is None:
                raise InvalidArgument(
                    f"{what}: {expression!r} is a {arrow}; a session knows numbers, texts, truth values and instants, "
                    "so cast it"
                )
            self._places[key] = len(self.events)
            self.events.append(expression)
            self.event_types.append(arrow)
        column = self._places[key]
        return Event(column, str(kind_of(self.event_types[column])))

    def has_column(self, name: str) -> bool:
        """Whether events have a column of this name."""
        return name.lower() in self.columns

    def knows(self, cls: int, name: str) -> bool:
        """Whether the sessions of a class know something by this name."""
        return name.lower() in self.attributes[cls] or name.lower() in _TOLD

    def known(self, cls: int) -> list[str]:
        """All that the sessions of a class know by a name."""
        return [*self.attributes[cls], *_TOLD]

    def told(self, cls: int, name: str) -> Term | None:
        """An attribute, or what every session knows of itself."""
        if name.lower() in self.attributes[cls]:
            return self.value(self.attributes[cls][name.lower()])
        return Told(cls, name.lower(), _TOLD[name.lower()]) if name.lower() in _TOLD else None

    def value(self, node: int) -> Value:
        """The value of a node as a term."""
        return Value(node, self.nodes[node].type)

    def opening(self, cls: int, name: str, what: str) -> int:
        """The value of a column at the opening of a session: a node."""
        if not self.has_column(name):
            raise InvalidArgument(
                f"{what}: opening.{name} names no column; they are {', '.join(self.columns.values())}"
            )
        event = self.event(_quoted(self.columns[name.lower()]), what)
        return self._add(Node(cls, kinds.OPENED, event.type, event))

    def path(self, cls: int) -> list[int]:
        """A class and those it is in."""
        return path_of(self.classes, cls)

    def ticks(self, micros: int, text: str) -> int:
        """An interval in ticks of the clock."""
        if self.clock.kind == "timestamp":
            return micros
        days, rest = divmod(micros, 86_400_000_000)
        if self.clock.kind == "integer" or rest:
            raise InvalidArgument(f"{text!r} is no number of ticks of ts, which is {a(self.clock.kind)}")
        return days

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
        cls = self.numbers[wanted.cls.lower()]
        if wanted.argument is None:
            return self._attribute(cls, wanted)
        if wanted.function == "duration":
            return self._duration(cls, wanted, wanted.argument)
        function = kinds.LAST if wanted.function == "any" else wanted.function
        value = wanted.argument.value
        if isinstance(value, Aggregate):
            return self._received(cls, function, wanted, wanted.argument, value)
        return self._of_events(cls, function, wanted, wanted.argument, value)

    def _attribute(self, cls: int, wanted: Aggregate) -> int:
        if wanted.function.lower() in self.attributes[cls]:
            return self.attributes[cls][wanted.function.lower()]
        term = self.told(cls, wanted.function)
        if term is not None:
            return self._add(Node(cls, kinds.COMPUTED, term.type, term))
        if self.has_column(wanted.function):
            event = self.event(_quoted(self.columns[wanted.function.lower()]), f"{wanted.text!r}")
            return self._add(Node(cls, kinds.LAST, event.type, event))
        raise InvalidArgument(
            f"{wanted.text!r} names no attribute of {wanted.cls}; it has {', '.join(self.known(cls))}; the columns of "
            f"events are {', '.join(self.columns.values())}"
        )

    def _duration(self, cls: int, wanted: Aggregate, argument: Argument) -> int:
        value = argument.value
        if isinstance(value, Aggregate) or argument.when or argument.where or wanted.last is not None:
            raise InvalidArgument(
                f"{wanted.text!r}: duration is of a column of events, like {wanted.cls}.duration({self.ts})"
            )
        if value is None or value.strip("`").lower() == self.ts.lower():
            return self._add(Node(cls, kinds.COMPUTED, DURATION, Told(cls, "duration", DURATION)))
        term = Reader(self, cls, repr(wanted.text)).read(value)
        if term.type not in (*NUMBERS, INSTANT):
            raise InvalidArgument(f"{wanted.text!r} is the duration of {a(term.type)}; it needs an instant or a number")
        first = self._add(Node(cls, kinds.FIRST, term.type, term))
        last = self._add(Node(cls, kinds.LAST, term.type, term))
        double = term.type == DOUBLE
        kind = DURATION if term.type == INSTANT and self.event_types_alike(term) else term.type
        kind = LONG if kind == INSTANT else kind
        span = Op("double -" if double else "long -", (self.value(last), self.value(first)), kind)
        return self._add(Node(cls, kinds.COMPUTED, kind, span))

    def event_types_alike(self, term: Term) -> bool:
        """Whether an instant ticks as the clock does."""
        arrow = self.event_types[term.column] if isinstance(term, Event) else self.ts_type
        return bool(pa.types.is_timestamp(arrow) == (self.clock.kind == "timestamp"))

    def _of_events(self, cls: int, function: str, wanted: Aggregate, argument: Argument, value: str | None) -> int:
        """A function of the events of a session."""
        if argument.when is not None:
            raise InvalidArgument(
                f"{wanted.text!r}: events have no tag; {argument.when} goes with the value of a class below"
            )
        if value is None or value == "*":
            if function != kinds.COUNT:
                raise InvalidArgument(f"{wanted.text!r} is of nothing; name a column, an attribute or a class below")
            value = "1"
        reader = Reader(self, cls, repr(wanted.text))
        if argument.where is not None:
            condition = reader.condition(argument.where)
            if not isinstance(condition, Event) or not isinstance(reader.read(value), Event):
                raise InvalidArgument(
                    f"{wanted.text!r}: among events, where may only name columns; state is known of classes below"
                )
            value = f"case when {argument.where} then {value} end"
        term = reader.read(value)
        last, span = self._last(wanted)
        kind = self._type(function, term.type, wanted)
        return self._add(Node(cls, function, kind, term, last=last, span=span))

    def _received(self, cls: int, function: str, wanted: Aggregate, argument: Argument, value: Aggregate) -> int:
        """A function of the values of a class below."""
        below = self.numbers[value.cls.lower()]
        if below == cls or cls not in self.path(below):
            path = [self.names[each] for each in reversed(self.path(below))]
            raise InvalidArgument(
                f"{wanted.text!r}: {value.cls} is not inside {wanted.cls}; its path is {' > '.join(path)}, and an "
                "aggregate goes along one path"
            )
        if value.function == "" and function != kinds.COUNT:
            raise InvalidArgument(f"{wanted.text!r}: {value.cls} alone can only be counted; name a value of it")
        if value.function == "":
            source = self._add(Node(below, kinds.COMPUTED, LONG, Const(1, LONG)))
        else:
            source = self.aggregate(value)
        last, span = self._last(wanted)
        windowed = last is not None or span is not None
        when = argument.when or _default(function, windowed=windowed)
        if when == CONTINUOUS and (function in _ONLY_ONCE or windowed):
            why = "would count a session again whenever it changes" if function in _ONLY_ONCE else "has last="
            raise InvalidArgument(f"{wanted.text!r}: continuous into {wanted.function} {why}; use on_open or on_close")
        where = None
        if argument.where is not None:
            where = Reader(self, below, repr(wanted.text)).condition(argument.where)
            if not all(self._is_own(part, below) for part in parts(where)):
                raise InvalidArgument(
                    f"{wanted.text!r}: where may name the state of {value.cls} only, its attributes and aggregates"
                )
        kind = self._type(function, self.nodes[source].type, wanted)
        node = Node(cls, function, kind, source=source, when=when, where=where, last=last, span=span)
        return self._add(node)

    def _is_own(self, part: Term, cls: int) -> bool:
        if isinstance(part, Value):
            return self.nodes[part.node].cls == cls
        if isinstance(part, Told):
            return part.cls == cls
        return not isinstance(part, Event)

    def _last(self, wanted: Aggregate) -> tuple[int | None, int | None]:
        """How many values count, or for how long."""
        if isinstance(wanted.last, int) or wanted.last is None:
            return wanted.last, None
        whole = self.clock.kind == "integer" and wanted.last.strip().isdigit()
        return None, self.clock.ticks(int(wanted.last) if whole else wanted.last, "last")

    def _type(self, function: str, kind: str, wanted: Aggregate) -> str:
        """The type of a function of values of a type."""
        if function == kinds.COUNT:
            return LONG
        if function in (kinds.SUM, kinds.AVG, kinds.STDDEV) and kind not in NUMBERS:
            raise InvalidArgument(f"{wanted.text!r} is the {function} of {a(kind)}; it needs numbers")
        if function in (kinds.MIN, kinds.MAX) and kind in (TEXT, BOOLEAN):
            raise InvalidArgument(f"{wanted.text!r} orders values of type {kind}; it needs numbers or instants")
        return DOUBLE if function in (kinds.AVG, kinds.STDDEV) else kind


def _default(function: str, *, windowed: bool) -> str:
    """When a value is told, if nobody says."""
    if function == kinds.COUNT:
        return ON_OPEN
    return CONTINUOUS if function in (kinds.MIN, kinds.MAX) and not windowed else ON_CLOSE


def _quoted(name: str) -> str:
    """A column name in an expression."""
    return name if name.isidentifier() else f"`{name.replace('`', '``')}`"
