"""Every feature of row patterns that Trino documents, each in its smallest example."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import pytest

from streamframes.core.patterns.language.pattern import parse_pattern
from streamframes.errors import InvalidArgument, StreamFramesError
from tests.core.patterns.at_work import plan_of, results

PRICES = [90, 80, 70, 80, 90, 50, 40, 60]
MOVES = {
    "B": "x < PREV(x)",
    "C": "x > PREV(x) and x <= A.x",
    "D": "x > PREV(x)",
}


def found(
    pattern: str, define: Mapping[str, str], xs: Sequence[Any], measures: Mapping[str, str], **options: Any
) -> list[tuple[Any, ...]]:
    """The measures of each result over rows with these values."""
    plan, expressions, texts = plan_of(pattern, define, measures, **options)
    rows = [{"ts": at, "x": x, "y": float(at), "k": "p"} for at, x in enumerate(xs)]
    return [tuple(row[text] for text in texts.values()) for row in results(plan, expressions, rows)]


def ways(pattern: str, xs: Sequence[Any] = (1, 2, 3), define: Mapping[str, str] | None = None, **options: Any) -> Any:
    """For each match the variables of its rows, one letter each."""
    names = {"names": "collect_list(CLASSIFIER())"}
    return ["".join(row[0]) for row in found(pattern, define or {}, xs, names, **options)]


def test_the_example_of_the_page() -> None:
    measures = {"starting": "A.x", "bottom": "LAST(B.x)", "top": "LAST(U.x)"}
    assert found("A B+ C+ D+", MOVES, [100, 80, 70, 90, 110, 120, 50], measures, subset={"U": ["C", "D"]}) == [
        (100, 70, 120)
    ]


@pytest.mark.parametrize(
    ("pattern", "expected"),
    [
        ("A B C", ["ABC"]),
        ("A | B | C", ["A", "A", "A"]),
        ("PERMUTE(A, B, C)", ["ABC"]),
        ("(A B) C", ["ABC"]),
        ("()", ["", "", ""]),
        ("^ A", ["A"]),
        ("A $", ["A"]),
        ("A*", ["AAA"]),
        ("A+", ["AAA"]),
        ("A?", ["A", "A", "A"]),
        ("A{2}", ["AA"]),
        ("A{2,}", ["AAA"]),
        ("A{,2}", ["AA", "A"]),
        ("A{1,2}", ["AA", "A"]),
        ("A{,}", ["AAA"]),
        ("A*?", ["", "", ""]),
        ("A+?", ["A", "A", "A"]),
        ("A??", ["", "", ""]),
        ("A{2}?", ["AA"]),
        ("A{2,}?", ["AA"]),
        ("A{,2}?", ["", "", ""]),
        ("A{1,2}?", ["A", "A", "A"]),
        ("(() | A)*", ["", "", ""]),
        ("(A | ())+?", ["A", "A", "A"]),
    ],
)
def test_every_form_of_a_pattern(pattern: str, expected: list[str]) -> None:
    if "A" not in pattern:
        pattern = f"{pattern} | A"
    assert ways(pattern) == expected


def test_permute_prefers_the_order_in_which_it_is_written() -> None:
    define = {"A": "x >= 2", "B": "x >= 1", "C": "x >= 1"}
    assert ways("PERMUTE(A, B, C)", [1, 2, 2], define) == ["BAC"]


def test_excluded_rows_are_matched_and_not_shown() -> None:
    shown = found(
        "A {- B+ -} C", {"B": "x = 2", "C": "x = 3"}, [1, 2, 2, 3], {"x": "x", "n": "count(*)"}, rows_per_match="all"
    )
    assert shown == [(1, 1), (3, 4)]


@pytest.mark.parametrize(
    ("after_match", "starts"),
    [
        ("past last row", [0, 3]),
        ("to next row", [0, 1, 2, 3, 4]),
        ("to first B", [0, 1, 2, 3, 4]),
        ("to last B", [0, 2, 4]),
        ("to B", [0, 2, 4]),
        ("SKIP TO LAST b", [0, 2, 4]),
    ],
)
def test_after_match_skip_in_all_forms(after_match: str, starts: list[int]) -> None:
    rows = found("A B B?", {}, [1] * 6, {"start": "FIRST(y)"}, after_match=after_match)
    assert [row[0] for row in rows] == starts


def test_skipping_to_a_row_that_is_not_there_or_to_the_first_is_an_error() -> None:
    with pytest.raises(StreamFramesError, match="no row of it"):
        ways("A B?", [1], after_match="to B")
    with pytest.raises(StreamFramesError, match="first of the match"):
        ways("A B", [1, 2], after_match="to first A")


def test_navigation_goes_by_variable_then_by_row() -> None:
    measures = {
        "a": "FIRST(A.x)", "b": "LAST(A.x)", "c": "FIRST(A.x, 1)", "d": "LAST(A.x, 2)", "e": "LAST(A.x, 3)",
        "f": "PREV(A.x)", "g": "NEXT(LAST(A.x), 2)", "h": "PREV(FIRST(A.x, 2), 2)", "i": "PREV(x, 0)",
        "j": "FIRST(A.x + A.y)",
    }  # fmt: skip
    assert found("A+ B", {"B": "x = 9"}, [1, 2, 3, 9, 5], measures) == [(1, 3, 2, 1, None, 2, 5, 1, 9, 1.0)]


def test_running_and_final() -> None:
    measures = {
        "running": "LAST(A.x)",
        "final": "FINAL LAST(A.x)",
        "said": "RUNNING count(A.*)",
        "all": "FINAL count(A.*)",
    }
    shown = found("A+ B", {"B": "x = 9"}, [1, 2, 9], measures, rows_per_match="all")
    assert shown == [(1, 2, 1, 2), (2, 2, 2, 2), (2, 2, 2, 2)]


def test_classifier_and_match_number() -> None:
    measures = {"a": "CLASSIFIER()", "b": "CLASSIFIER(U)", "c": "LAST(CLASSIFIER(), 1)", "d": "MATCH_NUMBER()"}
    shown = found("A B", {}, [1, 2, 3, 4], measures, subset={"U": ["A"]})
    assert shown == [("B", "A", "A", 1), ("B", "A", "A", 2)]


def test_aggregates_over_variables() -> None:
    measures = {
        "rows": "count(*)", "of_a": "count(A.*)", "also": "count(A)", "values": "count(x)", "sum": "sum(A.x)",
        "avg": "avg(U.x + 1)", "max": "max(x)", "min": "min(B.x)", "best": "max_by(CLASSIFIER(), x)",
        "names": "array_agg(CLASSIFIER(U))",
    }  # fmt: skip
    shown = found("A A B", {}, [1, None, 5], measures, subset={"U": ["A", "B"]})
    assert shown == [(3, 2, 2, 2, 1, 4.0, 5, 5, "B", ["A", "A", "B"])]


def test_empty_matches_and_rows_in_none() -> None:
    measures = {"x": "x", "n": "count(*)", "m": "MATCH_NUMBER()", "c": "CLASSIFIER()"}
    pattern, define, xs = "A*", {"A": "x > 1"}, [1, 2, 1]
    assert found(pattern, define, xs, measures) == [(None, 0, 1, None), (2, 1, 2, "A"), (None, 0, 3, None)]
    shown = found(pattern, define, xs, measures, rows_per_match="all omit empty")
    assert shown == [(2, 1, 2, "A")]
    shown = found("A+", define, xs, measures, rows_per_match="all with unmatched")
    assert shown == [(None, None, None, None), (2, 1, 1, "A"), (None, None, None, None)]


@pytest.mark.parametrize(
    ("pattern", "why"),
    [
        ("", "write variables"),
        ("A |", "a part is missing"),
        ("A{0}", "repeats end at"),
        ("A{3,2}", "repeats end at"),
        ("A**", "one quantifier"),
        ("(A", "missing"),
        ("A)", "closes nothing"),
        ("A & B", "means nothing"),
        ("{- A", "missing"),
    ],
)
def test_what_is_no_pattern_is_refused(pattern: str, why: str) -> None:
    with pytest.raises(InvalidArgument, match=why):
        parse_pattern(pattern)


@pytest.mark.parametrize(
    ("define", "measures", "why"),
    [
        ({"A": "FINAL LAST(A.x) > 1"}, {}, "knows no FINAL"),
        ({"A": "x > PREV(B.x + x)"}, {}, "mixes variables"),
        ({"A": "sum(DISTINCT x) > 1"}, {}, "DISTINCT"),
        ({"A": "PREV(x, y) > 1"}, {}, "whole number"),
        ({"A": "CLASSIFIER(Z) = 'A'"}, {}, "no variable of the pattern"),
        ({}, {"m": "median(x)"}, "median"),
        ({}, {"m": "LAST(PREV(x))"}, "write it outside"),
        ({}, {"m": "sum(k)"}, "cannot be computed"),
        ({}, {"m": "FIRST()"}, "needs 1 or 2"),
        ({"A": "collect_list(x) is null"}, {}, "not known in a definition"),
        ({"A": "abs(FIRST(x)) > 1"}, {}, "more than can be done"),
    ],
)
def test_what_is_not_known_is_refused_by_name(define: dict[str, str], measures: dict[str, str], why: str) -> None:
    with pytest.raises(InvalidArgument, match=why):
        plan_of("A B", define, measures)


def test_a_pattern_that_is_too_large_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="more than"):
        plan_of("((A{100}){100}){100}", {})
    with pytest.raises(InvalidArgument, match="PERMUTE"):
        plan_of("PERMUTE(A, B, C, D, E, F, G, H)", {})
