"""Signatures: which arguments a function takes, and how a call of it is read."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

from sqlglot import TokenType

from streamframes.core.sqltext.arguments import Argument, Call, Value
from streamframes.core.sqltext.kinds import EXPRESSION, Kind
from streamframes.core.sqltext.source import Source, Span, did_you_mean

FRAMES, REGIONS, BURSTS, SESSIONS, MATCHES, ROWS_ONLY = "frames", "regions", "bursts", "sessions", "matches", "rows"


@dataclass(frozen=True)
class Signature:
    """A function: its arguments in the order of Python, and which of them may stand without a name.

    `rest` is the kind of any number of unnamed ones. `measures`: further named arguments are measures; `into` is the
    argument of Python that they belong to, where they are not measures of frames.
    """

    name: str
    parameters: Mapping[str, Kind]
    unnamed: tuple[str, ...] = ()
    required: tuple[str, ...] = ()
    rest: Kind | None = None
    measures: bool = False
    into: str | None = None
    returns: str = ROWS_ONLY

    def read(self, source: Source, span: Span, arguments: Span, receiver: str = "") -> Call:
        """A call at `span`, with these arguments."""
        unnamed: list[Value] = []
        named: dict[str, Value] = {}
        measures: dict[str, Value] = {}
        places: dict[str, int] = {}
        for part in source.split(arguments):
            if part.first == part.last:
                raise source.error_at(part, f"{self.name}() has an empty argument; leave out the comma")
            if not source.is_(part.first + 1, TokenType.FARROW):
                self._add_unnamed(Argument(source, part, ""), named, unnamed, places, behind=bool(measures or named))
                continue
            written = source.name(part.first)
            argument = Argument(source, Span(part.first + 2, part.last), written or "")
            if written is None or argument.size == 0:
                raise source.error_at(part, f"{self.name}() got {source.plain(part)!r}; write name => value")
            known = written.lower() if written.lower() in self.parameters else written
            if known in places:
                raise source.error_at(part, f"{self.name}() got {written} twice; leave one of them out")
            places[known] = source.start(part.first)
            if known in self.parameters:
                named[known] = self.parameters[known].value(argument)
            elif self.measures:
                measures[written] = EXPRESSION.value(argument)
            else:
                raise source.error_at(part, self._unknown(written))
        self._check_missing(source, span, named)
        if self.into is not None and measures:
            named[self.into] = self._joined(source, named.get(self.into), measures, places)
            measures = {}
        return Call(self.name, receiver, span, named, tuple(unnamed), measures, places)

    def _add_unnamed(
        self,
        argument: Argument,
        named: dict[str, Value],
        unnamed: list[Value],
        places: dict[str, int],
        *,
        behind: bool,
    ) -> None:
        """An argument without a name has that of its place."""
        taken = [name for name in self.unnamed if name in places]
        if behind and len(taken) < len(places):
            raise argument.error(
                f"{self.name}() got {argument.written!r} without a name behind named arguments; write name => value"
            )
        if self.rest is not None:
            unnamed.append(self.rest.value(Argument(argument.source, argument.span, self.name)))
            return
        if len(taken) == len(self.unnamed):
            names = did_you_mean("", list(self.parameters), "arguments")
            raise argument.error(f"{self.name}() got {argument.written!r} without a name; write name => value; {names}")
        name = self.unnamed[len(taken)]
        places[name] = argument.source.start(argument.span.first)
        named[name] = self.parameters[name].value(Argument(argument.source, argument.span, name))

    def _unknown(self, name: str) -> str:
        return f"{self.name}() has no argument {name}; {did_you_mean(name, list(self.parameters), 'arguments')}"

    def _check_missing(self, source: Source, span: Span, named: Mapping[str, Value]) -> None:
        for name in self.required:
            if name not in named:
                wanted = self.parameters[name].wanted
                raise source.error_at(span, f"{self.name}() has no {name}; add {name} => {wanted}")

    def _joined(
        self, source: Source, given: Value, measures: Mapping[str, Value], places: Mapping[str, int]
    ) -> dict[str, Value]:
        """Measures by name, and those of the argument that holds them."""
        both = dict(given) if isinstance(given, Mapping) else {}
        for name, expression in measures.items():
            if name in both:
                raise source.error(places[name], f"{self.name}() got {name} twice; leave one of them out")
            both[name] = expression
        return both


def read_option(argument: Argument, signatures: Mapping[str, Signature]) -> Call | None:
    """A call of one of some functions as an argument; None where it is none of them."""
    call = argument.call()
    if call is None or call[0] not in signatures:
        return None
    return signatures[call[0]].read(argument.source, argument.span, call[1])


def option(signatures: Mapping[str, Signature], classes: tuple[str, ...]) -> Kind:
    """A kind that is the call of one of some functions, or a Python value of one of these classes."""

    def accepts(value: object) -> bool:
        return any(each.__name__ in classes for each in type(value).__mro__)

    names = " or ".join(f"{name}(...)" for name in signatures)
    return Kind(names, lambda argument: read_option(argument, signatures), accepts)
