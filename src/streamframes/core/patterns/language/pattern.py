"""Patterns as they are written, and the parser that reads them.

A B+ (C | D)*? {- E -} PERMUTE(F, G) ^ $ ()   ->   a tree of variables, sequences, choices and repeats
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from dataclasses import dataclass

from streamframes.errors import InvalidArgument

_TOKEN = re.compile(
    r"\s*(?:(?P<name>[A-Za-z_]\w*)|(?P<quoted>\"(?:[^\"]|\"\")+\"|`(?:[^`]|``)+`)"
    r"|(?P<sign>\{-|-\}|[(){}|,*+?^$])|(?P<number>\d+))"
)
# More repetitions than this are no pattern that anybody waits for.
MOST_REPETITIONS = 10_000


@dataclass(frozen=True)
class Variable:
    """One row that satisfies the definition of a variable."""

    name: str


@dataclass(frozen=True)
class Anchor:
    """The start (`^`) or the end (`$`) of the rows of a group."""

    sign: str


@dataclass(frozen=True)
class Sequence:
    """One part after the other; without parts, the empty pattern."""

    parts: tuple[Pattern, ...]


@dataclass(frozen=True)
class Choice:
    """One of several parts, the first preferred."""

    parts: tuple[Pattern, ...]


@dataclass(frozen=True)
class Permutation:
    """All parts in any order, the listed one preferred."""

    parts: tuple[Pattern, ...]


@dataclass(frozen=True)
class Exclusion:
    """Rows that are matched and left out of ALL ROWS PER MATCH."""

    part: Pattern


@dataclass(frozen=True)
class Repeat:
    """At least and at most so many times (None: any number), as often as possible or as seldom."""

    part: Pattern
    least: int
    most: int | None
    greedy: bool


Pattern = Variable | Anchor | Sequence | Choice | Permutation | Exclusion | Repeat

_QUANTIFIERS = {"*": (0, None), "+": (1, None), "?": (0, 1)}


def subpatterns(pattern: Pattern) -> Iterator[Pattern]:
    """The pattern and all within it, in the order in which it is written."""
    yield pattern
    parts = getattr(pattern, "parts", None) or [part for part in [getattr(pattern, "part", None)] if part is not None]
    for part in parts:
        yield from subpatterns(part)


def variables(pattern: Pattern) -> tuple[str, ...]:
    """The variables of a pattern, each once, as they were spelled first."""
    found: dict[str, str] = {}
    for part in subpatterns(pattern):
        if isinstance(part, Variable):
            found.setdefault(part.name.lower(), part.name)
    return tuple(found.values())


def parse_pattern(text: object) -> Pattern:
    """The tree of a pattern.

    >>> parse_pattern("A B+?")
    Sequence(parts=(Variable(name='A'), Repeat(part=Variable(name='B'), least=1, most=None, greedy=False)))
    """
    if not isinstance(text, str):
        raise InvalidArgument(f"pattern={text!r} is no text; write a pattern like 'A B+ C'")
    return _Parser(text).whole()


class _Parser:
    """Reads the tokens of a pattern from left to right."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.tokens: list[tuple[str, str, int]] = []
        at = 0
        while text[at:].strip():
            found = _TOKEN.match(text, at)
            if found is None:
                raise self.wrong(f"{text[at:].strip()[0]!r} means nothing there", at)
            kind = str(found.lastgroup)
            self.tokens.append((kind, found[kind], found.start(kind)))
            at = found.end()
        self.at = 0

    def wrong(self, why: str, at: int | None = None) -> InvalidArgument:
        """The error at a place of the text."""
        if at is None:
            at = self.tokens[self.at][2] if self.at < len(self.tokens) else len(self.text)
        return InvalidArgument(f"pattern={self.text!r} is not understood at {self.text[at:]!r}: {why}")

    def whole(self) -> Pattern:
        """All of the text."""
        if not self.tokens:
            raise self.wrong("write variables, like 'A B+ C', or () for the empty pattern")
        found = self.choice()
        if self.at < len(self.tokens):
            raise self.wrong(f"{self.sign()!r} closes nothing")
        return found

    def sign(self) -> str:
        """The next token, if it is a sign."""
        if self.at < len(self.tokens) and self.tokens[self.at][0] in ("sign", "number"):
            return self.tokens[self.at][1]
        return ""

    def take(self, sign: str) -> bool:
        """Go over a sign, if it comes next."""
        found = self.sign() == sign
        self.at += found
        return found

    def expect(self, sign: str) -> None:
        """Go over a sign that must come next."""
        if not self.take(sign):
            raise self.wrong(f"{sign!r} is missing")

    def choice(self) -> Pattern:
        """Sequences between bars."""
        parts = [self.sequence()]
        while self.take("|"):
            parts.append(self.sequence())
        return parts[0] if len(parts) == 1 else Choice(tuple(parts))

    def sequence(self) -> Pattern:
        """Parts one after the other."""
        parts = []
        while self.at < len(self.tokens) and self.sign() not in (")", "|", ",", "-}"):
            parts.append(self.repeated())
        if not parts:
            raise self.wrong("a part is missing; the empty pattern is written ()")
        return parts[0] if len(parts) == 1 else Sequence(tuple(parts))

    def repeated(self) -> Pattern:
        """A part and its quantifier."""
        part = self.primary()
        sign = self.sign()
        if sign in _QUANTIFIERS:
            self.at += 1
            least, most = _QUANTIFIERS[sign]
        elif sign == "{":
            least, most = self.bounds()
        else:
            return part
        greedy = not self.take("?")
        if self.sign() in (*_QUANTIFIERS, "{"):
            raise self.wrong("a part has one quantifier; use parentheses")
        return Repeat(part, least, most, greedy)

    def bounds(self) -> tuple[int, int | None]:
        """`{n}`, `{n,}`, `{,m}`, `{n,m}` or `{,}`."""
        start = self.at
        self.expect("{")
        least = self.number()
        if self.take(","):
            most = self.number()
        elif least is None:
            raise self.wrong("a number is missing")
        else:
            most = least
        self.expect("}")
        if (most is not None and (most < 1 or most < (least or 0))) or max(least or 0, most or 0) > MOST_REPETITIONS:
            self.at = start
            raise self.wrong(f"repeats end at a number from 1 to {MOST_REPETITIONS:,} that is not below their start")
        return least or 0, most

    def number(self) -> int | None:
        """A number, if one comes next."""
        if self.at < len(self.tokens) and self.tokens[self.at][0] == "number":
            self.at += 1
            return int(self.tokens[self.at - 1][1])
        return None

    def primary(self) -> Pattern:
        """A variable, an anchor, or what stands in brackets."""
        kind, text, _ = self.tokens[self.at]
        if kind == "quoted":
            self.at += 1
            return Variable(text[1:-1].replace(text[0] * 2, text[0]))
        if kind == "name":
            self.at += 1
            return self.permutation() if text.upper() == "PERMUTE" and self.sign() == "(" else Variable(text)
        if text in ("^", "$"):
            self.at += 1
            return Anchor(text)
        if self.take("{-"):
            found: Pattern = Exclusion(self.choice())
            self.expect("-}")
            return found
        if self.take("("):
            if self.take(")"):
                return Sequence(())
            found = self.choice()
            self.expect(")")
            return found
        raise self.wrong("a variable, a group, ^ or $ belongs there")

    def permutation(self) -> Pattern:
        """`PERMUTE(A, B, C)`."""
        self.expect("(")
        parts = [self.choice()]
        while self.take(","):
            parts.append(self.choice())
        self.expect(")")
        return Permutation(tuple(parts))
