"""The finder: where calls of our functions stand in a query: in FROM and JOIN, and nowhere else.

SELECT split(a, ',') FROM frames(TABLE(r), ...) f, (split(frames(...), every => ...)) JOIN t MATCH_RECOGNIZE (...) m
       Spark's            ours                      ours                                   ours
"""

from __future__ import annotations

from dataclasses import dataclass

from sqlglot import TokenType

from streamframes.core.sqltext.functions import FUNCTIONS
from streamframes.core.sqltext.source import Source, Span

RECOGNIZE = "MATCH_RECOGNIZE"
# What a query begins with.
QUERY = ("SELECT", "WITH", "FROM", "VALUES", "TABLE", "MAP", "REDUCE")
# What ends the list of tables of FROM.
_ENDS = {
    *("SELECT", "WHERE", "GROUP", "HAVING", "ORDER", "SORT", "CLUSTER", "DISTRIBUTE", "LIMIT", "OFFSET", "WINDOW"),
    *("UNION", "EXCEPT", "INTERSECT", "MINUS", "SET", "WITH", "VALUES", "PIVOT", "UNPIVOT"),
}


@dataclass(frozen=True)
class Found:
    """A call, its clause MATCH_RECOGNIZE, or a parameter that is a table; the rows of a clause stand before it."""

    span: Span
    kind: str
    rows: Span


class Finder:
    """Goes through the tokens of a query and knows for each whether a table may stand there."""

    def __init__(self, source: Source) -> None:
        self.source = source
        self.found: list[Found] = []

    def query(self, span: Span) -> list[Found]:
        """The outermost calls in a query, in their order."""
        self._group(span, in_from=False)
        return self.found

    def relation(self, span: Span) -> list[Found]:
        """The outermost calls in what stands in the place of a table."""
        self._group(span, in_from=True)
        return self.found

    def _group(self, span: Span, *, in_from: bool) -> None:
        """Tokens of one pair of brackets; `in_from`: they stand where a table may."""
        source, i, begins = self.source, span.first, in_from
        is_query = span.first == 0 or in_from or source.word(i) in QUERY or source.is_(i, TokenType.L_PAREN)
        while i < span.last:
            word = source.word(i)
            if begins and (taken := self._ours(i)) is not None:
                i, begins = taken, False
                continue
            if word == RECOGNIZE and source.is_(i + 1, TokenType.L_PAREN):
                i, begins = self._clause(i, span), False
                continue
            if source.is_(i, TokenType.L_PAREN) and i in source.partner:
                self._group(source.inside(i), in_from=begins)
                i, begins = source.after(i), False
                continue
            if word == "FROM" and is_query and not self._is_distinct_from(i):
                in_from = begins = True
            elif (word == "JOIN" and is_query) or (word == "LATERAL" and begins):
                begins = True
            elif source.is_(i, TokenType.COMMA):
                begins = in_from
            else:
                in_from = in_from and word not in _ENDS and not source.is_(i, TokenType.PIPE_GT)
                begins = False
            i += 1

    def _is_distinct_from(self, i: int) -> bool:
        source = self.source
        return source.word(i - 1) == "DISTINCT" and source.word(i - 2) in ("IS", "NOT")

    def _ours(self, i: int) -> int | None:
        """The token behind a call of ours, or behind a parameter, that begins here; None where there is none."""
        source = self.source
        if source.is_(i, TokenType.COLON) and source.word(i + 1):
            self.found.append(Found(Span(i, i + 2), "parameter", Span(i, i)))
            return i + 2
        if source.word(i).lower() in FUNCTIONS and source.is_(i + 1, TokenType.L_PAREN):
            last = source.inside(i + 1).last + 1
            self.found.append(Found(Span(i, last), "call", Span(i, i)))
            return last
        return None

    def _clause(self, i: int, span: Span) -> int:
        """A clause MATCH_RECOGNIZE takes the place of the rows before it too."""
        source = self.source
        first = self._rows_before(i, span)
        last = source.inside(i + 1).last + 1
        while self.found and self.found[-1].span.first >= first:
            self.found.pop()
        self.found.append(Found(Span(first, last), "clause", Span(first, i)))
        return last

    def _rows_before(self, i: int, span: Span) -> int:
        """The first token of the table, subquery or call that stands before the clause, an alias included."""
        source, last = self.source, i - 1
        has_alias = source.name(last) is not None and (
            source.name(last - 1) is not None or source.is_(last - 1, TokenType.R_PAREN)
        )
        if has_alias and source.word(last - 1) not in ("FROM", "JOIN", "LATERAL"):
            last -= 2 if source.word(last - 1) == "AS" else 1
        if source.is_(last, TokenType.R_PAREN) and last in source.partner:
            first = source.partner[last]
            return first - 1 if source.word(first - 1).lower() in FUNCTIONS else first
        while last - 2 >= span.first and source.is_(last - 1, TokenType.DOT):
            last -= 2
        if last < span.first or source.name(last) is None:
            raise source.error(source.start(i), f"{RECOGNIZE} stands behind no table; write FROM t {RECOGNIZE} (...)")
        if source.is_(last - 1, TokenType.COLON):
            last -= 1
        return last


def found_in(source: Source, span: Span, *, in_from: bool = False) -> list[Found]:
    """The outermost calls among some tokens, which are a query, or what stands in the place of a table."""
    finder = Finder(source)
    return finder.relation(span) if in_from else finder.query(span)
