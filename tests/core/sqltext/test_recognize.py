"""MATCH_RECOGNIZE is the call of match() that it stands for; what is not supported is refused by name and place."""

from __future__ import annotations

import pytest

from streamframes.core.sqltext.finder import found_in
from streamframes.core.sqltext.recognize import read_clause
from streamframes.core.sqltext.source import Source
from streamframes.errors import InvalidArgument


def arguments(clause: str, **parameters: object) -> dict[str, object]:
    source = Source(f"SELECT * FROM prices MATCH_RECOGNIZE ({clause}) AS m", parameters)
    (found,) = found_in(source, source.whole)
    return read_clause(source, found).call.named


def test_a_clause_is_a_call_of_match() -> None:
    assert arguments(
        """
        PARTITION BY symbol, `the market`
        ORDER BY at ASC, seq
        MEASURES STRT.within AS top, FINAL LAST(cast(DOWN.price AS double)) AS `bottom price`, count(*) AS n
        ALL ROWS PER MATCH WITH UNMATCHED ROWS
        AFTER MATCH SKIP TO LAST DOWN
        PATTERN (^ STRT DOWN+? {- UP{2,} -} (A | PERMUTE(B, C))* $)   -- a comment
        WITHIN INTERVAL '1' HOUR WITH TIMEOUTS
        SUBSET MOVES = (DOWN, UP), ALLES = (A, B)
        DEFINE DOWN AS price < PREV(price) AND kind IN ('a', :kind), UP AS price > PREV(price)
        """,
        kind="b",
    ) == {
        "pattern": "^ STRT DOWN+? {- UP{2,} -} (A | PERMUTE(B, C))* $",
        "ts": ["at", "seq"],
        "by": ["symbol", "the market"],
        "measures": {"top": "STRT.within", "bottom price": "FINAL LAST(cast(DOWN.price AS double))", "n": "count(*)"},
        "rows_per_match": "all with unmatched",
        "after_match": "to last DOWN",
        "within": "1 hour",
        "timeouts": True,
        "subset": {"MOVES": ["DOWN", "UP"], "ALLES": ["A", "B"]},
        "define": {"DOWN": "price < PREV(price) AND kind IN ('a', 'b')", "UP": "price > PREV(price)"},
    }


@pytest.mark.parametrize(
    ("text", "value"),
    [
        ("ONE ROW PER MATCH", None),
        ("ALL ROWS PER MATCH", "all"),
        ("ALL ROWS PER MATCH SHOW EMPTY MATCHES", "all"),
        ("all rows per match omit empty matches", "all omit empty"),
    ],
)
def test_rows_per_match(text: str, value: str | None) -> None:
    assert arguments(f"ORDER BY at {text} PATTERN (A)").get("rows_per_match") == value


@pytest.mark.parametrize("text", ["PAST LAST ROW", "TO NEXT ROW", "TO FIRST A", "TO LAST A", "TO A"])
def test_where_the_search_goes_on(text: str) -> None:
    got = arguments(f"ORDER BY at AFTER MATCH SKIP {text} PATTERN (A)")
    assert str(got["after_match"]).upper() == text


@pytest.mark.parametrize(
    ("clause", "message"),
    [
        ("PATTERN (A)", "has no ORDER; write ORDER BY at"),
        ("ORDER BY at DEFINE A AS true", "has no PATTERN"),
        ("ORDER BY at DESC PATTERN (A)", "column 48: .* ascending order"),
        ("ORDER BY at + 1 PATTERN (A)", "ascending order of columns, made in the query before it"),
        ("PARTITION BY lower(a) ORDER BY at PATTERN (A)", "PARTITION BY lower"),
        ("ORDER BY at ALL ROWS PER MATCH HIDE EMPTY MATCHES PATTERN (A)", "it is followed by SHOW EMPTY MATCHES"),
        ("ORDER BY at AFTER MATCH SKIP TO THE MOON NOW PATTERN (A)", "write PAST LAST ROW"),
        ("ORDER BY at AFTER MATCH SKIP PAST LAST ROW INITIAL PATTERN (A)", "got INITIAL; .* begin it with"),
        ("ORDER BY at AFTER MATCH SKIP PAST LAST ROW SEEK PATTERN (A)", "got SEEK; .* leave it out"),
        ("ORDER BY at PATTERN (A) DEFINE A price > 1", "write A AS price > 10"),
        ("ORDER BY at MEASURES A.price PATTERN (A)", r"write LAST\(A.price\) AS bottom"),
        ("ORDER BY at PATTERN (A) SUBSET U (A)", r"write U = \(A, B\)"),
        ("ORDER BY at PATTERN (A) ORDER BY at", "ORDER BY twice or too late"),
        ("GROUP BY x ORDER BY at PATTERN (A)", "got GROUP; its parts are PARTITION BY"),
        ("ORDER BY at PATTERN (A)+", r"'\+' behind PATTERN"),
        ("ORDER BY at PATTERN (A) WITHIN a while", "WITHIN => a while is not a duration"),
    ],
)
def test_what_is_not_supported_is_refused_by_name_and_place(clause: str, message: str) -> None:
    with pytest.raises(InvalidArgument, match=rf"sql\(\) line 1, .*{message}"):
        arguments(clause)
