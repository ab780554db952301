"""Arguments: what a call of ours holds, before it is known what each stands for."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from datetime import date, timedelta
from decimal import Decimal
from typing import TypeAlias

from sqlglot import TokenType

from streamframes.core.sqltext.literals import as_literal
from streamframes.core.sqltext.source import TEXTS, Source, Span, did_you_mean
from streamframes.errors import InvalidArgument

Value: TypeAlias = object


def is_plain(value: object) -> bool:
    """Whether a value of a parameter can be a literal of SQL."""
    return value is None or isinstance(
        value, str | bytes | int | float | Decimal | date | timedelta | list | tuple | dict
    )


@dataclass(frozen=True)
class TableText:
    """A table, a view, or a query, which Spark will look up."""

    span: Span


@dataclass(frozen=True)
class Rows:
    """A parameter that is a table: a DataFrame, a scan, or what a verb has returned."""

    value: object
    name: str
    span: Span


@dataclass(frozen=True)
class Call:
    """A call of a function of ours: what is to be called, with what, and where each of it is written.

    `receiver` is what the first argument has to be; `unnamed` are those behind it that Python takes by their place.
    """

    name: str
    receiver: str
    span: Span
    named: dict[str, Value]
    unnamed: tuple[Value, ...] = ()
    measures: dict[str, Value] = field(default_factory=dict)
    places: dict[str, int] = field(default_factory=dict)


@dataclass(frozen=True)
class Argument:
    """The tokens of one argument."""

    source: Source
    span: Span
    name: str

    @property
    def size(self) -> int:
        """How many tokens there are."""
        return self.span.last - self.span.first

    @property
    def written(self) -> str:
        """As it is written, without comments."""
        return self.source.plain(self.span)

    def error(self, message: str) -> InvalidArgument:
        """An error at its place."""
        return self.source.error_at(self.span, message)

    def wrong(self, wanted: str) -> InvalidArgument:
        """The error that it is not what it should be, and of a call the nearest that would be."""
        call, known = self.call(), re.findall(r"(\w+)\(\.\.\.\)", wanted)
        if call is not None and known and call[0] not in known:
            hint = did_you_mean(call[0], known, "functions here")
            return self.error(f"{self.name} => {call[0]}(...) is not known; {hint}")
        return self.error(f"{self.name} => {self.written} is not {wanted}")

    def parameter(self) -> str | None:
        """The name of the parameter that the argument consists of."""
        first = self.span.first
        is_one = self.size == 2 and self.source.is_(first, TokenType.COLON) and self.source.word(first + 1) != ""
        return self.source.written(Span(first + 1, first + 2)) if is_one else None

    def bound(self, name: str, offset: int | None = None) -> object:
        """The value of a parameter."""
        known = self.source.parameters
        if name not in known:
            hint = did_you_mean(name, sorted(known), "parameters") if known else f"give it: sql(..., {name}=...)"
            raise self.source.error(
                self.source.start(self.span.first) if offset is None else offset,
                f"there is no parameter :{name}; {hint}",
            )
        return known[name]

    def call(self) -> tuple[str, Span] | None:
        """The word before the brackets that the argument ends with, and what is in them."""
        source, first = self.source, self.span.first
        if not source.word(first) or not source.is_(first + 1, TokenType.L_PAREN):
            return None
        inside = source.inside(first + 1)
        return (source.word(first).lower(), inside) if inside.last == self.span.last - 1 else None

    def items(self) -> list[Argument] | None:
        """The items of `array(...)` or `(...)`; None where it is neither."""
        call = self.call()
        if call is not None and call[0] == "array":
            inside = call[1]
        elif self.source.is_(self.span.first, TokenType.L_PAREN):
            inside = self.source.inside(self.span.first)
            if inside.last != self.span.last - 1:
                return None
        else:
            return None
        return [Argument(self.source, part, self.name) for part in self.source.split(inside)]

    def pairs(self) -> list[tuple[Argument, Argument]] | None:
        """The keys and values of `map(...)`; None where it is none."""
        call = self.call()
        if call is None or call[0] != "map":
            return None
        parts = [Argument(self.source, part, self.name) for part in self.source.split(call[1])]
        if len(parts) % 2:
            raise self.error(f"{self.name} => map(...) has a key without a value; write map(key, value, ...)")
        return list(zip(parts[::2], parts[1::2], strict=True))

    def text(self) -> str | None:
        """The text that it is; None where it is none."""
        return self.source.tokens[self.span.first].text if self.size == 1 and self._is_text() else None

    def _is_text(self) -> bool:
        return self.source.is_(self.span.first, *TEXTS)

    def expression(self) -> str:
        """Spark SQL, with literals in the place of parameters."""
        source, parts, first = self.source, [], self.span.first
        for i in range(*self.span):
            name = source.parameter(i)
            if name is None:
                continue
            try:
                literal = as_literal(self.bound(name, source.start(i)), name)
            except InvalidArgument as error:
                raise error if str(error).startswith("sql()") else source.error(source.start(i), str(error)) from None
            parts += [source.plain(Span(first, i)), _gap(source, first, i), literal, _gap(source, i + 2, i + 2)]
            first = i + 2
        parts.append(source.plain(Span(first, self.span.last)))
        return "".join(parts).strip()


def _gap(source: Source, first: int, i: int) -> str:
    """A blank where one stands before a token."""
    return " " if 0 < i < len(source.tokens) and source.end(i - 1) < source.start(i) else ""
