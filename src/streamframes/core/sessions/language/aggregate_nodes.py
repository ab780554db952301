"""Aggregates as nodes: each becomes a node of its class, and nodes of the classes below that its values come from.

System.avg(Call.sum(ATT.duration(ts)))  ──>  avg of System <── sum of Call <── duration of ATT
"""

from __future__ import annotations

from streamframes.core.sessions.language import nodes as kinds
from streamframes.core.sessions.language.aggregates import Aggregate, Argument
from streamframes.core.sessions.language.conditions import Reader
from streamframes.core.sessions.language.nodes import CONTINUOUS, ON_CLOSE, ON_OPEN, Node
from streamframes.core.sessions.language.operators import NUMBERS
from streamframes.core.sessions.language.symbols import Symbols
from streamframes.core.sessions.language.terms import (
    BOOLEAN,
    DOUBLE,
    DURATION,
    INSTANT,
    LONG,
    TEXT,
    BuiltIn,
    Const,
    Event,
    Op,
    Term,
    Value,
    a,
    subterms,
)
from streamframes.errors import InvalidArgument

_ONLY_ONCE = (kinds.SUM, kinds.AVG, kinds.COUNT, kinds.STDDEV)


class AggregateNodes:
    """Finds or makes the nodes of aggregates."""

    def __init__(self, symbols: Symbols) -> None:
        self.symbols = symbols

    def node_of(self, wanted: Aggregate) -> int:
        """The node of an aggregate, and those it needs."""
        cls = self.symbols.numbers[wanted.cls.lower()]
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
        if wanted.function.lower() in self.symbols.attributes[cls]:
            return self.symbols.attributes[cls][wanted.function.lower()]
        term = self.symbols.state(cls, wanted.function)
        if term is not None:
            return self.symbols.add(Node(cls, kinds.COMPUTED, term.type, term))
        if self.symbols.has_column(wanted.function):
            event = self.symbols.column(wanted.function, f"{wanted.text!r}")
            return self.symbols.add(Node(cls, kinds.LAST, event.type, event))
        names = ", ".join(self.symbols.state_names(cls))
        raise InvalidArgument(
            f"{wanted.text!r} names no attribute of {wanted.cls}; it has {names}; the "
            f"columns of events are {', '.join(self.symbols.columns.values())}"
        )

    def _duration(self, cls: int, wanted: Aggregate, argument: Argument) -> int:
        value = argument.value
        if isinstance(value, Aggregate) or argument.when or argument.where or wanted.last is not None:
            raise InvalidArgument(
                f"{wanted.text!r}: duration is of a column of events, like {wanted.cls}.duration({self.symbols.ts})"
            )
        if value is None or value.strip("`").lower() == self.symbols.ts.lower():
            return self.symbols.add(Node(cls, kinds.COMPUTED, DURATION, BuiltIn(cls, "duration", DURATION)))
        term = Reader(self.symbols, cls, repr(wanted.text)).read(value)
        if term.type not in (*NUMBERS, INSTANT):
            raise InvalidArgument(f"{wanted.text!r} is the duration of {a(term.type)}; it needs an instant or a number")
        first = self.symbols.add(Node(cls, kinds.FIRST, term.type, term))
        last = self.symbols.add(Node(cls, kinds.LAST, term.type, term))
        double = term.type == DOUBLE
        kind = DURATION if term.type == INSTANT and self.symbols.ticks_as_clock(term) else term.type
        kind = LONG if kind == INSTANT else kind
        span = Op("double -" if double else "long -", (self.symbols.value(last), self.symbols.value(first)), kind)
        return self.symbols.add(Node(cls, kinds.COMPUTED, kind, span))

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
        reader = Reader(self.symbols, cls, repr(wanted.text))
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
        return self.symbols.add(Node(cls, function, kind, term, last=last, span=span))

    def _received(self, cls: int, function: str, wanted: Aggregate, argument: Argument, value: Aggregate) -> int:
        """A function of the values of a class below."""
        below = self.symbols.numbers[value.cls.lower()]
        if below == cls or cls not in self.symbols.path(below):
            path = [self.symbols.names[each] for each in reversed(self.symbols.path(below))]
            raise InvalidArgument(
                f"{wanted.text!r}: {value.cls} is not inside {wanted.cls}; its path is {' > '.join(path)}, and an "
                "aggregate goes along one path"
            )
        if value.function == "" and function != kinds.COUNT:
            raise InvalidArgument(f"{wanted.text!r}: {value.cls} alone can only be counted; name a value of it")
        if value.function == "":
            source = self.symbols.add(Node(below, kinds.COMPUTED, LONG, Const(1, LONG)))
        else:
            source = self.node_of(value)
        last, span = self._last(wanted)
        windowed = last is not None or span is not None
        when = argument.when or _default(function, windowed=windowed)
        if when == CONTINUOUS and (function in _ONLY_ONCE or windowed):
            why = "would count a session again whenever it changes" if function in _ONLY_ONCE else "has last="
            raise InvalidArgument(f"{wanted.text!r}: continuous into {wanted.function} {why}; use on_open or on_close")
        where = None
        if argument.where is not None:
            where = Reader(self.symbols, below, repr(wanted.text)).condition(argument.where)
            if not all(self._is_own(part, below) for part in subterms(where)):
                raise InvalidArgument(
                    f"{wanted.text!r}: where may name the state of {value.cls} only, its attributes and aggregates"
                )
        kind = self._type(function, self.symbols.nodes[source].type, wanted)
        node = Node(cls, function, kind, source=source, when=when, where=where, last=last, span=span)
        return self.symbols.add(node)

    def _is_own(self, part: Term, cls: int) -> bool:
        if isinstance(part, Value):
            return self.symbols.nodes[part.node].cls == cls
        if isinstance(part, BuiltIn):
            return part.cls == cls
        return not isinstance(part, Event)

    def _last(self, wanted: Aggregate) -> tuple[int | None, int | None]:
        """How many values count, or for how long."""
        if isinstance(wanted.last, int) or wanted.last is None:
            return wanted.last, None
        whole = self.symbols.clock.kind == "integer" and wanted.last.strip().isdigit()
        return None, self.symbols.clock.ticks(int(wanted.last) if whole else wanted.last, "last")

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
    """When a value is passed on, if nobody says."""
    if function == kinds.COUNT:
        return ON_OPEN
    return CONTINUOUS if function in (kinds.MIN, kinds.MAX) and not windowed else ON_CLOSE
