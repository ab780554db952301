"""Aggregates as they are written, and the parser that reads them.

  aggregate  Class.function(argument [, last=N or "1 hour"])   or  Class.attribute
  argument   an aggregate of a class below | a class below | an expression | nothing
             then, if wanted: on_open, continuous or on_close, and: where condition

  System.avg(Call.sum(ATT.duration(ts)), last=1000)
  C.min(E.sum(v) on_close where E.sum(v) > 30)

Tokens are those of Spark SQL, so that text in quotes, numbers and parentheses are what they are there.
"""

from __future__ import annotations

from collections.abc import Collection
from dataclasses import dataclass

import sqlglot
from sqlglot.dialects.spark import Spark
from sqlglot.tokens import Token, TokenType  # type: ignore[attr-defined]

from streamframes.core.sessions.language.nodes import TAGS
from streamframes.errors import InvalidArgument

FUNCTIONS = ("sum", "avg", "min", "max", "count", "first", "last", "stddev", "any", "duration")


@dataclass(frozen=True)
class Argument:
    """What a function is of (an aggregate below, an expression or nothing); when it is passed on, and for which."""

    value: Aggregate | str | None
    when: str | None = None
    where: str | None = None


@dataclass(frozen=True)
class Aggregate:
    """A function of a class, or one of its attributes (`argument` is None)."""

    cls: str
    function: str
    argument: Argument | None
    last: int | str | None
    text: str


@dataclass(frozen=True)
class Reported:
    """An aggregate, and when it is reported."""

    aggregate: Aggregate
    when: str | None


class _Tokenizer(Spark.Tokenizer):
    """The tokens of Spark SQL; names that begin a statement there, like CALL, are names here."""

    COMMANDS = set()  # noqa: RUF012
    COMMAND_PREFIX_TOKENS = set()  # noqa: RUF012


def tokens_of(text: str) -> list[Token]:
    """The tokens of a text."""
    try:
        return list(_Tokenizer(dialect="spark").tokenize(text))
    except sqlglot.errors.SqlglotError as error:
        raise InvalidArgument(f"{text!r} cannot be read: {error}") from error


def read_measure(text: str, name: str, classes: Collection[str]) -> Reported:
    """A measure: an aggregate, and its tag if there is one."""
    if not isinstance(text, str) or not text.strip():
        raise InvalidArgument(f"measures got {name}={text!r}; write an aggregate like 'System.avg(Call.duration(ts))'")
    parser = Parser(text, classes)
    end = len(parser.tokens)
    when = None
    if end and parser.small(end - 1) in TAGS:
        when, end = parser.small(end - 1), end - 1
    aggregate, after = parser.aggregate(0, end)
    if after != end:
        raise InvalidArgument(
            f"measures got {name}={text!r}; what follows {aggregate.text!r} is not understood; it may be followed by "
            f"one of {', '.join(TAGS)}"
        )
    return Reported(aggregate, when)


class Parser:
    """Reads the aggregates of a text; classes are those that may be named, spelled as they are."""

    def __init__(self, text: str, classes: Collection[str]) -> None:
        self.text = text
        self.names = list(classes)
        self.classes = set(classes)
        self.tokens = tokens_of(text)

    def small(self, at: int) -> str:
        """A token in small letters; nothing behind the end."""
        return self.tokens[at].text.lower() if 0 <= at < len(self.tokens) else ""

    def slice(self, start: int, end: int) -> str:
        """The text of tokens."""
        return self.text[self.tokens[start].start : self.tokens[end - 1].end + 1] if start < end else ""

    def begins(self, at: int, end: int) -> bool:
        """Whether `Class.name` stands here."""
        is_name = at + 2 < end and self.tokens[at].token_type not in (TokenType.STRING, TokenType.NUMBER)
        return (
            is_name and self.tokens[at].text in self.classes and self.small(at + 1) == "." and self.small(at - 1) != "."
        )

    def aggregate(self, at: int, end: int) -> tuple[Aggregate, int]:
        """The aggregate that begins here, and where it ends."""
        if not self.begins(at, end):
            known = ", ".join(self.names)
            if at + 2 < end and self.small(at + 1) == ".":
                raise InvalidArgument(
                    f"{self.text!r} names the class {self.tokens[at].text!r}; the classes are {known}"
                )
            raise InvalidArgument(
                f"{self.text!r} must begin with a class and a function, like 'Call.count(ATT)'; the classes are {known}"
            )
        cls, name = self.tokens[at].text, self.tokens[at + 2].text
        if at + 3 >= end or self.small(at + 3) != "(":
            return Aggregate(cls, name, None, None, self.slice(at, at + 3)), at + 3
        if name.lower() not in FUNCTIONS:
            raise InvalidArgument(f"{self.text!r} has the function {name!r}; the functions are {', '.join(FUNCTIONS)}")
        close = self._closing(at + 3, end)
        argument, last = self._inside(at + 4, close)
        return Aggregate(cls, name.lower(), argument, last, self.slice(at, close + 1)), close + 1

    def _closing(self, at: int, end: int) -> int:
        depth = 0
        for i in range(at, end):
            depth += (self.small(i) == "(") - (self.small(i) == ")")
            if depth == 0:
                return i
        raise InvalidArgument(f"{self.text!r} has a parenthesis that is not closed")

    def _inside(self, start: int, end: int) -> tuple[Argument, int | str | None]:
        """What stands in the parentheses of a function."""
        last: int | str | None = None
        commas = [i for i in self._level(start, end) if self.small(i) == ","]
        if commas and self.small(commas[-1] + 1) == "last" and self.small(commas[-1] + 2) == "=":
            last = self._last(commas[-1] + 3, end)
            end = commas[-1]
        where = next((i for i in self._level(start, end) if self.small(i) == "where"), end)
        condition = self.slice(where + 1, end) if where < end else None
        if condition == "":
            raise InvalidArgument(f"{self.text!r} has a where without a condition")
        when = None
        if where > start + 1 and self.small(where - 1) in TAGS:
            when, where = self.small(where - 1), where - 1
        return Argument(self._value(start, where), when, condition), last

    def _level(self, start: int, end: int) -> list[int]:
        """The tokens that are in no further parentheses."""
        depth, outer = 0, []
        for i in range(start, end):
            depth -= self.small(i) == ")"
            if depth == 0:
                outer.append(i)
            depth += self.small(i) == "("
        return outer

    def _last(self, at: int, end: int) -> int | str:
        token = self.tokens[at] if at + 1 == end else None
        if token is not None and token.token_type == TokenType.STRING:
            return token.text
        if token is not None and token.token_type == TokenType.NUMBER and token.text.isdigit() and int(token.text) > 0:
            return int(token.text)
        raise InvalidArgument(
            f"{self.text!r} has last={self.slice(at, end)}; give a number of values like 1000, or a time like '1 hour'"
        )

    def _value(self, start: int, end: int) -> Aggregate | str | None:
        if start == end:
            return None
        if self.small(start) == "distinct":
            raise InvalidArgument(f"{self.text!r}: distinct values cannot be counted in passing; leave out distinct")
        if start + 1 == end and self.tokens[start].text in self.classes:
            return Aggregate(self.tokens[start].text, "", None, None, self.slice(start, end))
        looks = start + 3 < end and self.small(start + 1) == "." and self.small(start + 3) == "("
        if self.begins(start, end) or looks:
            inner, after = self.aggregate(start, end)
            if after == end:
                return inner
            raise InvalidArgument(
                f"{self.text!r}: {self.slice(start, end)!r} is more than an aggregate; keep it as an attribute "
                f"(on_close={{'name': ...}}) and use that"
            )
        return self.slice(start, end)
