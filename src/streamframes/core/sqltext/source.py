"""The source: the text of a query in tokens, with brackets that fit, and errors that say line and column."""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator, Mapping
from difflib import get_close_matches
from types import MappingProxyType
from typing import NamedTuple

from sqlglot import TokenType
from sqlglot.dialects.spark import Spark
from sqlglot.errors import SqlglotError

from streamframes.errors import InvalidArgument

OPENING = {TokenType.L_PAREN: TokenType.R_PAREN, TokenType.L_BRACE: TokenType.R_BRACE}
OPENING[TokenType.L_BRACKET] = TokenType.R_BRACKET
CLOSING = {closing: opening for opening, closing in OPENING.items()}
TEXTS = (TokenType.STRING, TokenType.RAW_STRING)
_NO_WORD = (*TEXTS, TokenType.HEX_STRING, TokenType.NATIONAL_STRING, TokenType.NUMBER)
_WORD = re.compile(r"\w+$")
_WORDS = re.compile(r"[^\W\d]\w*(\s+\w+)+$")


class Token(NamedTuple):
    """A word, a name, a literal or a sign; of literals and names in quotes `text` is what they mean."""

    token_type: TokenType
    text: str
    start: int
    end: int


class Span(NamedTuple):
    """Tokens from `first` on, up to but not with `last`."""

    first: int
    last: int


class Source:
    """A query, and the values of its parameters."""

    def __init__(self, text: str, parameters: Mapping[str, object] = MappingProxyType({})) -> None:
        self.text = text
        self.parameters = parameters
        self._lines = [0, *(found.end() for found in re.finditer(r"\n", text))]
        try:
            self.tokens = list(_tokens(text))
        except SqlglotError as error:
            raise InvalidArgument(f"sql() got a text that is not understood: {_first_line(error)}") from error
        self.partner = self._brackets()

    @property
    def whole(self) -> Span:
        """All tokens."""
        return Span(0, len(self.tokens))

    def _brackets(self) -> dict[int, int]:
        """For each bracket the one that it fits, in both directions; those that fit none are left to Spark."""
        found: dict[int, int] = {}
        open_ones: list[int] = []
        for i, token in enumerate(self.tokens):
            if token.token_type in OPENING:
                open_ones.append(i)
            elif token.token_type in CLOSING:
                if open_ones and self.tokens[open_ones[-1]].token_type is CLOSING[token.token_type]:
                    found[i] = open_ones.pop()
                    found[found[i]] = i
                else:
                    open_ones.clear()
        return found

    def place(self, offset: int) -> tuple[int, int]:
        """The line and the column of a character, counted from 1.

        >>> Source("SELECT 1,\\n  2").place(12)
        (2, 3)
        """
        line = bisect_right(self._lines, offset)
        return line, offset - self._lines[line - 1] + 1

    def error(self, offset: int, message: str) -> InvalidArgument:
        """An error that begins with the place of a character."""
        line, column = self.place(offset)
        return InvalidArgument(f"sql() line {line}, column {column}: {message}")

    def error_at(self, span: Span, message: str) -> InvalidArgument:
        """An error at the first of some tokens."""
        return self.error(self.start(span.first), message)

    def start(self, i: int) -> int:
        """Where a token begins."""
        return self.tokens[i].start if i < len(self.tokens) else len(self.text)

    def end(self, i: int) -> int:
        """Where a token has ended."""
        return self.tokens[i].end + 1

    def is_(self, i: int, *kinds: TokenType) -> bool:
        """Whether there is a token, of one of these kinds."""
        return 0 <= i < len(self.tokens) and self.tokens[i].token_type in kinds

    def word(self, i: int) -> str:
        """A token as a word in capitals: a keyword or a name without quotes; else nothing."""
        if not 0 <= i < len(self.tokens) or self.is_(i, TokenType.IDENTIFIER, *_NO_WORD):
            return ""
        text = self.written(Span(i, i + 1))
        return text.upper() if _WORD.match(text) else ""

    def name(self, i: int) -> str | None:
        """A token as a name, with or without quotes."""
        if self.is_(i, TokenType.IDENTIFIER):
            return self.tokens[i].text
        return self.written(Span(i, i + 1)) if self.word(i) else None

    def parameter(self, i: int) -> str | None:
        """The name of the parameter that begins here; a colon right behind a name is a path in a value."""
        if not self.is_(i, TokenType.COLON) or not self.word(i + 1) or self.start(i + 1) != self.end(i):
            return None
        is_value = self.is_(i - 1, TokenType.IDENTIFIER, TokenType.R_PAREN, TokenType.R_BRACKET) or self.word(i - 1)
        is_path = is_value and self.end(i - 1) == self.start(i)
        return None if is_path else self.written(Span(i + 1, i + 2))

    def written(self, span: Span) -> str:
        """Tokens as they are written."""
        if span.first >= span.last:
            return ""
        return self.text[self.start(span.first) : self.end(span.last - 1)]

    def plain(self, span: Span) -> str:
        """Tokens as they are written, without the comments between them."""
        parts, before = [], None
        for i in range(*span):
            start = self.start(i)
            if before is not None and start > before:
                gap = self.text[before:start]
                parts.append(gap if gap.isspace() else " ")
            if before is None or start >= before:
                parts.append(self.text[start : self.end(i)])
            before = self.end(i)
        return "".join(parts)

    def split(self, span: Span, kind: TokenType = TokenType.COMMA) -> Iterator[Span]:
        """The parts of some tokens between commas that stand in no brackets; none of nothing."""
        first = i = span.first
        while i < span.last:
            if self.tokens[i].token_type is kind:
                yield Span(first, i)
                first = i + 1
            i = self.after(i)
        if span.first < span.last:
            yield Span(first, span.last)

    def after(self, i: int) -> int:
        """The token behind this one, or behind the bracket that this one opens."""
        closed = self.partner.get(i, i) if self.tokens[i].token_type in OPENING else i
        return closed + 1

    def inside(self, i: int) -> Span:
        """The tokens inside the bracket that opens here."""
        if i not in self.partner:
            raise self.error(self.start(i), f"the bracket {self.tokens[i].text!r} is never closed")
        return Span(i + 1, self.partner[i])


def did_you_mean(name: str, known: list[str], what: str) -> str:
    """The nearest of the names that are there, or all of them.

    >>> did_you_mean("tresholds", ["threshold", "delta"], "schemes")
    "did you mean 'threshold'?"
    """
    near = get_close_matches(name.lower(), [each.lower() for each in known], 1, 0.6)
    if near:
        return f"did you mean {next(each for each in known if each.lower() == near[0])!r}?"
    return f"the {what} are {', '.join(known)}"


def _tokens(text: str, first: int = 0) -> Iterator[Token]:
    """The tokens of a text that begins at `first`; what is read as one there, but is several, is taken apart."""
    end, is_command = 0, False
    for each in Spark().tokenize(text):
        written = text[each.start : each.end + 1]
        start = first + each.start
        if is_command and each.token_type is TokenType.STRING:
            # What stands behind a command, such as EXPLAIN, comes as one text.
            yield from _tokens(each.text, first + text.index(each.text, end))
        elif _WORDS.match(written):
            # A keyword of several words, such as ORDER BY.
            for word in re.finditer(r"\w+", written):
                yield Token(TokenType.VAR, word[0], start + word.start(), start + word.end() - 1)
        else:
            yield Token(each.token_type, each.text, start, first + each.end)
        end, is_command = each.end + 1, each.token_type in Spark.Tokenizer.COMMANDS


def _first_line(error: Exception) -> str:
    return str(error).partition("\n")[0]
