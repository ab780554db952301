"""Scopes: which common table expressions a part of a query can name, as the brackets around it say.

WITH a AS (...), b AS (SELECT ... FROM frames(TABLE(a), ...))     inside of b there is a, and no b
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import TokenType

from streamframes.core.sqltext.source import Source, Span


@dataclass(frozen=True)
class Scope:
    """A clause WITH: where it holds, its first word, and its expressions with their names."""

    holds: Span
    word: Span
    expressions: tuple[tuple[str, Span], ...]

    def before(self, i: int) -> Span | None:
        """WITH and the expressions that end before a token."""
        ends = [span.last for _, span in self.expressions if span.last <= i]
        return Span(self.word.first, ends[-1]) if ends else None


def scopes(source: Source) -> list[Scope]:
    """All clauses WITH, the outer ones first."""
    found: list[Scope] = []
    _within(source, source.whole, found)
    return found


def visible(source: Source, known: list[Scope], span: Span) -> list[Span]:
    """The clauses, cut at what is visible, that a part of the query needs; the outer ones first."""
    wanted: list[Span] = []
    words = _names(source, span)
    for scope in reversed(known):
        if not scope.holds.first <= span.first < span.last <= scope.holds.last or scope.word.first >= span.first:
            continue
        cut = scope.before(span.first)
        if cut is not None and words & {name.lower() for name, other in scope.expressions if other.last <= cut.last}:
            wanted.append(cut)
            words |= _names(source, cut)
    return wanted[::-1]


def _names(source: Source, span: Span) -> set[str]:
    return {name.lower() for i in range(*span) if (name := source.name(i)) is not None}


def _within(source: Source, span: Span, found: list[Scope]) -> None:
    i = span.first
    while i < span.last:
        if source.word(i) == "WITH" and (scope := _scope(source, i, span)) is not None:
            found.append(scope)
        if source.is_(i, TokenType.L_PAREN) and i in source.partner:
            _within(source, source.inside(i), found)
        i = source.after(i)


def _scope(source: Source, i: int, span: Span) -> Scope | None:
    """The clause that begins here; None where WITH means something else."""
    first = i + 2 if source.word(i + 1) == "RECURSIVE" else i + 1
    expressions: list[tuple[str, Span]] = []
    at = first
    while at < span.last:
        name, begins = source.name(at), at
        at += 1
        if source.is_(at, TokenType.L_PAREN) and at in source.partner:
            at = source.after(at)
        at += source.word(at) == "AS"
        if name is None or not source.is_(at, TokenType.L_PAREN) or at not in source.partner:
            break
        at = source.after(at)
        expressions.append((name, Span(begins, at)))
        if not source.is_(at, TokenType.COMMA):
            break
        at += 1
    return Scope(span, Span(i, first), tuple(expressions)) if expressions else None
