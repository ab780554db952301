"""Symbols: what the names in a tree of sessions stand for, and of which type.

A name is a column of events, an attribute, or what every session knows of itself. The nodes that expressions need are
kept here, each once.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Callable, Collection
from dataclasses import replace

import pyarrow as pa

from streamframes.core.batch.clock import Clock
from streamframes.core.sessions.language.aggregates import Aggregate
from streamframes.core.sessions.language.nodes import OPENED, Class, Node, path_of
from streamframes.core.sessions.language.terms import (
    BOOLEAN,
    DOUBLE,
    DURATION,
    INSTANT,
    LONG,
    TEXT,
    BuiltIn,
    Event,
    Term,
    Value,
    a,
    subterms,
)
from streamframes.core.sessions.tree import Session
from streamframes.errors import InvalidArgument

# The type of an expression over the columns of events; the text says what it is for.
TypeOf = Callable[[object, str], pa.DataType]
_BUILT_IN = {"rows": LONG, "duration": DURATION, "start": INSTANT, "end": INSTANT}


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


def quoted(name: str) -> str:
    """A column name in an expression."""
    return name if name.isidentifier() else f"`{name.replace('`', '``')}`"


class Symbols(ABC):
    """The names of one tree. The engine of rows says what types expressions have; who asks it is `type_of`."""

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
        self.events: list[object] = []
        self.event_types: list[pa.DataType] = []
        self.attributes: list[dict[str, int]] = [{} for _ in self.sessions]
        self._event_numbers: dict[str, int] = {}
        self._node_numbers: dict[Node, int] = {}

    @abstractmethod
    def aggregate(self, wanted: Aggregate) -> int:
        """The node of an aggregate."""

    def event(self, expression: object, what: str) -> Event:
        """A column of the event: an expression that the engine of rows computes."""
        key = expression if isinstance(expression, str) else f"{id(expression)}"
        if key not in self._event_numbers:
            arrow = self.type_of(expression, what)
            if kind_of(arrow) is None:
                raise InvalidArgument(
                    f"{what}: {expression!r} is a {arrow}; a session knows numbers, texts, truth values and instants, "
                    "so cast it"
                )
            self._event_numbers[key] = len(self.events)
            self.events.append(expression)
            self.event_types.append(arrow)
        column = self._event_numbers[key]
        return Event(column, str(kind_of(self.event_types[column])))

    def column(self, name: str, what: str) -> Event:
        """A column of the event by its name, in any spelling."""
        return self.event(quoted(self.columns[name.lower()]), what)

    def has_column(self, name: str) -> bool:
        """Whether events have a column of this name."""
        return name.lower() in self.columns

    def has_state(self, cls: int, name: str) -> bool:
        """Whether the sessions of a class have state of this name."""
        return name.lower() in self.attributes[cls] or name.lower() in _BUILT_IN

    def state_names(self, cls: int) -> list[str]:
        """The names of all state of the sessions of a class."""
        return [*self.attributes[cls], *_BUILT_IN]

    def state(self, cls: int, name: str) -> Term | None:
        """An attribute, or what every session knows of itself."""
        if name.lower() in self.attributes[cls]:
            return self.value(self.attributes[cls][name.lower()])
        return BuiltIn(cls, name.lower(), _BUILT_IN[name.lower()]) if name.lower() in _BUILT_IN else None

    def value(self, node: int) -> Value:
        """The value of a node as a term."""
        return Value(node, self.nodes[node].type)

    def opening(self, cls: int, name: str, what: str) -> int:
        """The value of a column at the opening of a session: a node."""
        if not self.has_column(name):
            raise InvalidArgument(
                f"{what}: opening.{name} names no column; they are {', '.join(self.columns.values())}"
            )
        event = self.column(name, what)
        return self.add(Node(cls, OPENED, event.type, event))

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

    def add(self, node: Node) -> int:
        """A node by number; each is kept once."""
        if node not in self._node_numbers:
            self._node_numbers[node] = len(self.nodes)
            self.nodes.append(node)
            self.arrow[len(self.nodes) - 1] = self._arrow(node)
        return self._node_numbers[node]

    def keep(self, number: int, name: str, node: Node) -> None:
        """An attribute under its name; each is a node of its own."""
        term = node.argument
        if not node.type and term is not None:
            node = replace(node, type=term.type)
        self.attributes[number][name.lower()] = self.add(node)

    def _arrow(self, node: Node) -> pa.DataType:
        """The type of a node's values in results."""
        if node.type != INSTANT:
            seconds = pa.float64() if self.clock.kind == "timestamp" else pa.int64()
            plain = {LONG: pa.int64(), DOUBLE: pa.float64(), BOOLEAN: pa.bool_(), TEXT: pa.string(), DURATION: seconds}
            return plain[node.type]
        if node.source is not None:
            return self.arrow[node.source]
        for part in subterms(node.argument) if node.argument is not None else ():
            if isinstance(part, Event) and part.type == INSTANT:
                return self.event_types[part.column]
            if isinstance(part, Value) and part.type == INSTANT:
                return self.arrow[part.node]
        return self.ts_type

    def ticks_as_clock(self, term: Term) -> bool:
        """Whether an instant ticks as the clock does."""
        arrow = self.event_types[term.column] if isinstance(term, Event) else self.ts_type
        return bool(pa.types.is_timestamp(arrow) == (self.clock.kind == "timestamp"))
