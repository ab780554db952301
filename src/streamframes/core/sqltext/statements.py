"""Statements: where one ends, and the view that one makes."""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import TokenType

from streamframes.core.sqltext.source import Source, Span

_TEMPORARY = ("TEMP", "TEMPORARY")


@dataclass(frozen=True)
class View:
    """A temporary view that is to be made of a query."""

    name: str
    columns: tuple[str, ...]
    query: Span
    replace: bool
    is_global: bool


def statements(source: Source) -> list[Span]:
    """The statements of a text; empty ones are left out."""
    return [span for span in source.split(source.whole, TokenType.SEMICOLON) if span.first < span.last]


def view_of(source: Source, span: Span) -> View | None:
    """The view that a statement makes; None where it makes none. One that would last is refused."""
    if source.word(span.first) != "CREATE":
        return None
    i = span.first + 1
    replace = source.word(i) == "OR" and source.word(i + 1) == "REPLACE"
    i += 2 * replace
    is_global = source.word(i) == "GLOBAL"
    i += is_global
    is_temporary = source.word(i) in _TEMPORARY
    i += is_temporary
    if source.word(i) != "VIEW":
        return None
    if not is_temporary:
        raise source.error_at(span, "a view over these functions lasts as long as the session; write CREATE TEMP VIEW")
    name = source.name(i + 1)
    if name is None or name.upper() == "IF":
        raise source.error(source.start(i + 1), "CREATE TEMP VIEW is followed by a name, and by AS and a query")
    i += 2
    columns: tuple[str, ...] = ()
    if source.is_(i, TokenType.L_PAREN):
        names = [
            source.name(part.first) if part.last - part.first == 1 else None for part in source.split(source.inside(i))
        ]
        if not all(names):
            raise source.error(source.start(i), "the columns of a view over these functions are names: (a, b)")
        columns = tuple(each for each in names if each)
        i = source.after(i)
    if source.word(i) != "AS" or i + 1 >= span.last:
        raise source.error(source.start(i), f"CREATE TEMP VIEW {name} is followed by AS and a query")
    return View(name, columns, Span(i + 1, span.last), replace, is_global)
