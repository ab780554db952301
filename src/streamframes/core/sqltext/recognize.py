"""MATCH_RECOGNIZE: the clause of the standard, as Databricks and Trino write it, read as a call of `match`.

PARTITION BY, ORDER BY, MEASURES, ONE ROW | ALL ROWS PER MATCH, AFTER MATCH SKIP, PATTERN, WITHIN, SUBSET, DEFINE
"""

from __future__ import annotations

from collections.abc import Iterator

from sqlglot import TokenType

from streamframes.core.sqltext.arguments import Argument, Call, TableText, Value
from streamframes.core.sqltext.calls import Applied
from streamframes.core.sqltext.finder import RECOGNIZE, Found
from streamframes.core.sqltext.functions import FUNCTIONS
from streamframes.core.sqltext.kinds import DURATION
from streamframes.core.sqltext.signature import ROWS_ONLY
from streamframes.core.sqltext.source import Source, Span

# What each part begins with, in the order in which they stand.
_PARTS = (
    ("PARTITION", "BY"),
    ("ORDER", "BY"),
    ("MEASURES",),
    ("ONE", "ROW", "PER", "MATCH"),
    ("ALL", "ROWS", "PER", "MATCH"),
    ("AFTER", "MATCH", "SKIP"),
    ("PATTERN",),
    ("WITHIN",),
    ("SUBSET",),
    ("DEFINE",),
)
_ALL_ROWS = {
    "": "all",
    "SHOW EMPTY MATCHES": "all",
    "OMIT EMPTY MATCHES": "all omit empty",
    "WITH UNMATCHED ROWS": "all with unmatched",
}
_SKIPS = ("PAST LAST ROW", "TO NEXT ROW")
_REFUSED = {
    "INITIAL": "a pattern is sought from every row; begin it with ^ to match at the first row only",
    "SEEK": "a pattern is sought from every row, which is what SEEK means; leave it out",
    "WITHOUT": "write ONE ROW PER MATCH for one row for each match",
    "EXACTLY": "write ONE ROW PER MATCH or ALL ROWS PER MATCH",
}
_FORMS = "ONE ROW PER MATCH, ALL ROWS PER MATCH, AFTER MATCH SKIP, PATTERN, WITHIN, SUBSET and DEFINE"


def read_clause(source: Source, found: Found) -> Applied:
    """The call of `match` that a clause is."""
    clause = _Clause(source, found)
    named, places = clause.arguments()
    signature = FUNCTIONS["match"][ROWS_ONLY]
    return Applied(Call("match", ROWS_ONLY, found.span, named, places=places), clause.rows(), signature)


class _Clause:
    """The parts of a clause."""

    def __init__(self, source: Source, found: Found) -> None:
        self.source = source
        self.before = found.rows
        self.at = found.rows.last
        self.parts: dict[str, Span] = {}
        self._divide(source.inside(self.at + 1))

    def _divide(self, inside: Span) -> None:
        """Find where each part begins; it lasts until the next one."""
        source, i, open_part, last = self.source, inside.first, "", -1
        while i < inside.last:
            number = self._begins(i, last)
            if number is not None:
                first = i + len(_PARTS[number])
                last, open_part = number, _PARTS[number][0]
                self.parts[open_part] = Span(first, first)
                i = first
                continue
            word = source.word(i)
            if not open_part or (word in _REFUSED and self._is_apart(i, open_part)):
                why = _REFUSED.get(word, f"its parts are PARTITION BY, ORDER BY, MEASURES, {_FORMS}, in this order")
                raise source.error(source.start(i), f"{RECOGNIZE} got {source.written(Span(i, i + 1))}; {why}")
            i = source.after(i)
            self.parts[open_part] = Span(self.parts[open_part].first, i)

    def _begins(self, i: int, last: int) -> int | None:
        """The number of the part that begins here, behind those that there were."""
        for number, words in enumerate(_PARTS):
            if all(self.source.word(i + k) == word for k, word in enumerate(words)):
                pattern = _numbers("PATTERN")
                if number == pattern and not self.source.is_(i + 1, TokenType.L_PAREN):
                    continue
                if number > pattern and "PATTERN" not in self.parts:
                    continue  # the name of a column
                if number > last:
                    return number
                if number < pattern and len(words) > 1:
                    raise self.source.error(
                        self.source.start(i), f"{RECOGNIZE} got {' '.join(words)} twice or too late; {_ORDER}"
                    )
        return None

    def _is_apart(self, i: int, open_part: str) -> bool:
        """Whether a word cannot belong to the part that is open."""
        return open_part in ("AFTER", "ONE", "ALL") or self.source.is_(i - 1, TokenType.R_PAREN)

    def rows(self) -> Value:
        """The table, query or call before the clause; an alias means nothing, and is left out."""
        source, first, last = self.source, *self.before
        if source.is_(first, TokenType.L_PAREN):
            return TableText(source.inside(first))
        if source.is_(first + 1, TokenType.L_PAREN):
            return TableText(Span(first, source.after(first + 1)))
        end = first + (2 if source.is_(first, TokenType.COLON) else 1)
        while end + 1 < last and source.is_(end, TokenType.DOT):
            end += 2
        return TableText(Span(first, end))

    def arguments(self) -> tuple[dict[str, Value], dict[str, int]]:
        """The arguments of `match`, and where each is written."""
        for part, example in (("ORDER", "ORDER BY at"), ("PATTERN", "PATTERN (A B+)")):
            if part not in self.parts or self.parts[part].first == self.parts[part].last:
                raise self.source.error(self.source.start(self.at), f"{RECOGNIZE} has no {part}; write {example}")
        named: dict[str, Value] = {"pattern": self._pattern(), "ts": self._columns("ORDER"), **self._rest()}
        if "PARTITION" in self.parts:
            named["by"] = self._columns("PARTITION")
        if "MEASURES" in self.parts:
            named["measures"] = dict(self._measures())
        if "DEFINE" in self.parts:
            named["define"] = dict(self._definitions())
        if "SUBSET" in self.parts:
            named["subset"] = dict(self._subsets())
        where = {
            "ts": "ORDER",
            "by": "PARTITION",
            "rows_per_match": "ALL",
            "after_match": "AFTER",
            "timeouts": "WITHIN",
        }
        starts = {name: self.parts.get(where.get(name, name.upper())) for name in named}
        return named, {name: self.source.start(span.first) for name, span in starts.items() if span is not None}

    def _rest(self) -> dict[str, Value]:
        """What says how matches are reported."""
        found: dict[str, Value] = {}
        if "ONE" in self.parts and (self.source.written(self.parts["ONE"]) or "ALL" in self.parts):
            raise self.source.error_at(
                self.parts["ONE"], f"{RECOGNIZE} got more behind ONE ROW PER MATCH; leave it out"
            )
        if "ALL" in self.parts:
            found["rows_per_match"] = self._choice("ALL", _ALL_ROWS, "ALL ROWS PER MATCH")
        if "AFTER" in self.parts:
            found["after_match"] = self._skip()
        if "WITHIN" in self.parts:
            found |= self._within()
        return found

    def _choice(self, part: str, choices: dict[str, str], said: str) -> str:
        text = " ".join(self.source.plain(self.parts[part]).upper().split())
        if text not in choices:
            forms = ", ".join(choice for choice in choices if choice)
            raise self.source.error_at(self.parts[part], f"{RECOGNIZE} got {said} {text}; it is followed by {forms}")
        return choices[text]

    def _skip(self) -> str:
        text = " ".join(self.source.plain(self.parts["AFTER"]).split())
        words = text.split()
        if text.upper() in _SKIPS:
            return text.lower()
        if (
            len(words) in (2, 3)
            and words[0].upper() == "TO"
            and (len(words) == 2 or words[1].upper() in ("FIRST", "LAST"))
        ):
            return " ".join([*map(str.lower, words[:-1]), words[-1].strip("`")])
        forms = "PAST LAST ROW, TO NEXT ROW, TO FIRST A, TO LAST A or TO A"
        raise self.source.error_at(self.parts["AFTER"], f"{RECOGNIZE} got AFTER MATCH SKIP {text}; write {forms}")

    def _within(self) -> dict[str, Value]:
        """How long a match may last; WITH TIMEOUTS reports those that took too long."""
        source, span = self.source, self.parts["WITHIN"]
        timeouts = source.word(span.last - 1) == "TIMEOUTS" and source.word(span.last - 2) == "WITH"
        limit = Span(span.first, span.last - 2) if timeouts else span
        found: dict[str, Value] = {"within": DURATION.value(Argument(source, limit, "WITHIN"))}
        return {**found, "timeouts": True} if timeouts else found

    def _pattern(self) -> str:
        source, span = self.source, self.parts["PATTERN"]
        inside = source.inside(span.first)
        if inside.last + 1 != span.last:
            behind = source.written(Span(inside.last + 1, span.last))
            raise source.error(
                source.start(inside.last + 1), f"{RECOGNIZE} got {behind!r} behind PATTERN; it has {_FORMS}"
            )
        return source.plain(inside)

    def _columns(self, part: str) -> list[str]:
        """Names of columns; rows are in the order of the first, ascending."""
        source, names = self.source, []
        for span in source.split(self.parts[part]):
            last = span.last - 1 if part == "ORDER" and source.word(span.last - 1) == "ASC" else span.last
            name = source.name(span.first) if last - span.first == 1 else None
            if name is None:
                wanted = "rows are in ascending order of columns" if part == "ORDER" else "name columns"
                raise source.error_at(
                    span,
                    f"{RECOGNIZE} got {part} BY {source.plain(span)}; {wanted}, made in the query before it if need be",
                )
            names.append(name)
        return names

    def _measures(self) -> Iterator[tuple[str, str]]:
        """Name and expression of each `expression AS name`."""
        source = self.source
        for span in source.split(self.parts["MEASURES"]):
            name = source.name(span.last - 1)
            if span.last - span.first < 3 or name is None or source.word(span.last - 2) != "AS":
                raise source.error_at(
                    span, f"{RECOGNIZE} got MEASURES {source.plain(span)}; write LAST(A.price) AS bottom"
                )
            yield name, Argument(source, Span(span.first, span.last - 2), name).expression()

    def _definitions(self) -> Iterator[tuple[str, str]]:
        """Variable and condition of each `name AS condition`."""
        source = self.source
        for span in source.split(self.parts["DEFINE"]):
            name = source.name(span.first)
            if span.last - span.first < 3 or name is None or source.word(span.first + 1) != "AS":
                raise source.error_at(span, f"{RECOGNIZE} got DEFINE {source.plain(span)}; write A AS price > 10")
            yield name, Argument(source, Span(span.first + 2, span.last), name).expression()

    def _subsets(self) -> Iterator[tuple[str, list[str]]]:
        """Name and variables of each `name = (A, B)`."""
        source = self.source
        for span in source.split(self.parts["SUBSET"]):
            name = source.name(span.first)
            if (
                name is None
                or not source.is_(span.first + 1, TokenType.EQ)
                or not source.is_(span.first + 2, TokenType.L_PAREN)
            ):
                raise source.error_at(span, f"{RECOGNIZE} got SUBSET {source.plain(span)}; write U = (A, B)")
            inside = source.inside(span.first + 2)
            yield name, [source.plain(part).strip("`") for part in source.split(inside)]


def _numbers(part: str) -> int:
    return next(number for number, words in enumerate(_PARTS) if words[0] == part)


_ORDER = "write its parts in this order: " + ", ".join(" ".join(words) for words in _PARTS)
