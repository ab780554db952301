"""Calls of ours are found where a table may stand, and what is left reaches Spark as it was written.

Covers: streamframes.core.sqltext.finder,
streamframes.core.sqltext.rewriting,
streamframes.core.sqltext.scopes,
streamframes.core.sqltext.statements
"""

from __future__ import annotations

import pytest

from streamframes.core.sqltext.finder import found_in
from streamframes.core.sqltext.rewriting import Rewritten
from streamframes.core.sqltext.scopes import scopes, visible
from streamframes.core.sqltext.source import Source, Span
from streamframes.core.sqltext.statements import statements, view_of
from streamframes.errors import InvalidArgument

CALL = "frames(TABLE(r), gap(3), ts => t)"


def ours(text: str) -> list[str]:
    source = Source(text)
    return [source.written(each.span) for each in found_in(source, source.whole)]


@pytest.mark.parametrize(
    "text",
    [
        "SELECT * FROM {}",
        "FROM {} |> WHERE a > split(b, ',')[0] |> SELECT a, split(b, ',')",
        "SELECT split(a, ','), any(b), at(c) FROM t, LATERAL {} f WHERE x IS NOT DISTINCT FROM fill(x)",
        "SELECT extract(day FROM at(x)), trim(both FROM fill(y)) FROM a JOIN {} USING (x) ORDER BY a, at(x)",
        "WITH w AS (SELECT * FROM {}), at AS (SELECT 1) SELECT * FROM w, at",
        "SELECT (SELECT max(x) FROM {}) FROM t GROUP BY a, split(b, ',')",
        "SELECT * FROM (a JOIN {} ON true), b",
        "EXPLAIN EXTENDED SELECT * FROM {} -- fill(x)",
        "INSERT INTO t /* FROM fill(x) */ SELECT ' FROM fill(x)' FROM {}",
        "SELECT * FROM my_udtf(TABLE(SELECT a, split(b, ',') FROM {}), 3)",
        "SELECT 1 UNION ALL (SELECT * FROM {}) UNION (SELECT split(a, ',') FROM union)",
    ],
)
def test_calls_are_found_in_from_alone(text: str) -> None:
    assert ours(text.format(CALL)) == [CALL]


def test_a_clause_takes_the_rows_before_it() -> None:
    for rows in ("t", "t AS x", "a.`b c`.d x", "(SELECT * FROM t) x", CALL, ":rows"):
        found = f"{rows} MATCH_RECOGNIZE (ORDER BY a PATTERN (A))"
        assert ours(f"SELECT * FROM {found} m JOIN {CALL}") == [found, CALL]
    with pytest.raises(InvalidArgument, match="stands behind no table"):
        ours("SELECT * FROM (SELECT 1), MATCH_RECOGNIZE (PATTERN (A))")


def test_what_is_not_ours_is_left_as_it_is_and_places_lead_back() -> None:
    text = f"SELECT /*+ BROADCAST(s) */ s.`a{{b}}`, -- why\n  '{{x}} :p' FROM {CALL} f\n JOIN s ON nope = 1"
    source = Source(text)
    found = found_in(source, source.whole)
    made = Rewritten(source)
    made.add(source.whole, found, ["sf_0"])
    assert made.text.format(sf_0="name").split() == text.replace(CALL, "name").split()
    # Spark says `nope` is in the third line, behind the name that ends the second.
    line = made.text.format(sf_0="name").split("\n")
    (number,) = [i for i, each in enumerate(line) if "nope" in each]
    at = made.place_in(f"[X] no such column; line {number + 1} pos {line[number].index('nope')};")
    assert at == text.index("nope")
    assert made.place_in("(line 1, position 8)") == 7
    assert made.place_in("nothing") is None


def test_a_part_of_a_query_sees_what_is_defined_before_it_and_around_it() -> None:
    text = "WITH a AS (SELECT 1), b(x) AS (SELECT * FROM (WITH c AS (SELECT 2) SELECT * FROM f(TABLE(a), c))) TABLE(b)"
    source = Source(text)

    def seen(word: str) -> list[str]:
        i = max(k for k in range(len(source.tokens)) if source.text[source.start(k) :].startswith(word))
        return [source.written(span) for span in visible(source, scopes(source), Span(i, i + 1))]

    assert seen("a)") == ["WITH a AS (SELECT 1)"]
    assert seen("c)") == ["WITH c AS (SELECT 2)"]
    assert seen("b)") == [text[: text.index(" TABLE(b)")]]


def test_views_last_as_long_as_the_session() -> None:
    source = Source("CREATE OR REPLACE TEMP VIEW `my view` (a, `b c`) AS SELECT 1;")
    (span,) = statements(source)
    view = view_of(source, span)
    assert view is not None
    assert (view.name, view.columns, view.replace, view.is_global) == ("my view", ("a", "b c"), True, False)
    assert source.written(view.query) == "SELECT 1"
    for text, message in (("CREATE VIEW v AS SELECT 1", "CREATE TEMP VIEW"), ("CREATE TEMP VIEW v SELECT 1", "AS")):
        other = Source(text)
        with pytest.raises(InvalidArgument, match=message):
            view_of(other, other.whole)
    assert len(statements(Source("SELECT ';'; SELECT (';');;"))) == 2
