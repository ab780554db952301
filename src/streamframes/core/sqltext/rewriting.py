"""Rewriting: a query in which calls of ours are names, and nothing else is changed; places in it lead back.

Each name ends its line, so that a place behind it, as Spark reports it, is found without knowing how long the name is.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from dataclasses import dataclass, field

from streamframes.core.sqltext.finder import QUERY, Found
from streamframes.core.sqltext.source import Source, Span

_PLACE = re.compile(r"\bline (?P<line>\d+),? (?P<word>pos|position) (?P<column>\d+)")


@dataclass
class Rewritten:
    """The text for Spark, and of each of its lines where in the original it begins."""

    source: Source
    names: list[str] = field(default_factory=list)
    _parts: list[tuple[str, bool]] = field(default_factory=list)
    _lines: list[list[tuple[int, int]]] = field(default_factory=lambda: [[]])
    _column: int = 0

    @classmethod
    def unchanged(cls, source: Source) -> Rewritten:
        """The text as it is, with all that stands before the first token and behind the last."""
        made = cls(source)
        made._add_text(source.text, 0)
        return made

    @property
    def text(self) -> str:
        """The text, in which `{name}` stands for a call; where there is one, other braces are written twice."""
        if not self.names:
            return "".join(part for part, _ in self._parts)
        return "".join(
            f"{{{part}}}" if is_name else part.replace("{", "{{").replace("}", "}}") for part, is_name in self._parts
        )

    def add(self, span: Span, found: Sequence[Found] = (), names: Sequence[str] = ()) -> None:
        """Tokens as they are written, with names for the calls among them."""
        first = span.first
        for each, name in zip(found, names, strict=True):
            self._add_written(Span(first, each.span.first))
            self._lines[-1].append((self._column, self.source.start(each.span.first)))
            self._parts.append((name, True))
            self.names.append(name)
            self._new_line()
            first = each.span.last
        self._add_written(Span(first, span.last))

    def add_words(self, words: str) -> None:
        """Words that nobody has written, which end their line."""
        self._parts.append((words, False))
        self._new_line()

    def _add_written(self, span: Span) -> None:
        self._add_text(f"{self.source.written(span)} ", self.source.start(span.first))

    def _add_text(self, text: str, start: int) -> None:
        for number, line in enumerate(text.split("\n")):
            if number:
                self._new_line()
            self._lines[-1].append((self._column, start))
            self._column += len(line)
            start += len(line) + 1
            self._parts.append((line, False))

    def _new_line(self) -> None:
        self._parts.append(("\n", False))
        self._lines.append([])
        self._column = 0

    def place_in(self, message: str) -> int | None:
        """The place in the original of the first that a message of Spark names."""
        for found in _PLACE.finditer(message):
            at = self._offset(int(found["line"]), int(found["column"]) - (found["word"] == "position"))
            if at is not None:
                return at
        return None

    def _offset(self, line: int, column: int) -> int | None:
        """The place of a line, from 1, and a column, from 0; None where nobody has written it."""
        if not 1 <= line <= len(self._lines):
            return None
        places = [(begins, start) for begins, start in self._lines[line - 1] if begins <= column]
        return places[-1][1] + column - places[-1][0] if places else None


def is_query(source: Source, span: Span) -> bool:
    """Whether some tokens are a query, and not the name of a table or a call."""
    return source.word(span.first) in QUERY or source.text[source.start(span.first)] == "("
