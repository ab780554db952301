"""Option values: comparisons, grid lines, durations, and what an expression names."""

from __future__ import annotations

import pytest

from streamframes.cli.options.values import columns_in, comparison, duration, grid_lines, levels_in, named
from streamframes.errors import InvalidArgument


@pytest.mark.parametrize(
    ("text", "left", "op", "x"),
    [
        ("density < 0.1", "density", "<", 0.1),
        ("sum(volume)>=25", "sum(volume)", ">=", 25),
        ("abs(a - b) <= 1e3", "abs(a - b)", "<=", 1000.0),
        ("min(x) > -2", "min(x)", ">", -2),
        ("if(a > 1, 2, 3) > 2", "if(a > 1, 2, 3)", ">", 2),
        ("case when a > 1 then 2 else 3 end >= 5", "case when a > 1 then 2 else 3 end", ">=", 5),
        ("`a > b` < 1", "`a > b`", "<", 1),
        ("m['<'] < 1", "m['<']", "<", 1),
    ],
)
def test_a_comparison_is_split_at_its_outermost_operator(text, left, op, x):
    found = comparison(text, "--delta", "density < 0.1")
    assert (found.left, found.op, found.x) == (left, op, x)
    assert type(found.x) is type(x)


@pytest.mark.parametrize(
    "text",
    ["", "density", "a < b", "a > 1 and b > 2", "not a > 2", "(a > 2)", "a = 2", "'", "a < 1 < ", "2 < a"],
)
def test_what_is_no_comparison_with_a_number_is_refused_with_an_example(text):
    with pytest.raises(InvalidArgument, match=r"--delta .* write it like 'density < 0.1'"):
        comparison(text, "--delta", "density < 0.1")


@pytest.mark.parametrize(
    ("text", "name", "lines"),
    [
        ("x=4.25", "x", 4.25),
        ("y=0,10,25", "y", [0, 10, 25]),
        ("y = -5 , 5", "y", [-5, 5]),
        ("y=10,", "y", [10]),
        ("if(a=1, 2, 3)=4", "if(a=1, 2, 3)", 4),
    ],
)
def test_one_number_is_a_step_and_a_comma_makes_lines(text, name, lines):
    assert grid_lines(text) == (name, lines)


@pytest.mark.parametrize("text", ["x", "x=", "x=a", "x=1,b", ""])
def test_a_grid_without_lines_is_refused(text):
    with pytest.raises(InvalidArgument, match=r"--boundary .* names no lines; write a step like 'x=4.25'"):
        grid_lines(text)


def test_a_measure_has_a_name_and_keeps_its_expression():
    assert named(["worst=max(x)", "n = count_if(a = 1)"], "--agg", "") == {"worst": "max(x)", "n": "count_if(a = 1)"}


@pytest.mark.parametrize("texts", [["max(x)"], ["2x=max(x)"], ["a="], ["a=1", "a=2"]])
def test_a_measure_without_a_name_of_its_own_is_refused(texts):
    with pytest.raises(InvalidArgument, match=r"--agg"):
        named(texts, "--agg", "worst=max(x)")


def test_a_plain_number_is_a_duration_for_integers():
    assert [duration(text) for text in ("20", "2.5", "2 minutes", None)] == [20, 2.5, "2 minutes", None]


def test_columns_come_in_the_order_in_which_they_are_written():
    assert columns_in("b > 1 AND (a < 2 OR b > 3)") == ["b", "a"]
    assert columns_in("not sql (") == []


def test_levels_are_the_numbers_that_the_signal_is_compared_with():
    assert levels_in("x > 0.3 AND y < 9", "x") == [0.3]
    assert levels_in("-1 < x AND x between 2 and 3", "x") == [-1.0, 2.0, 3.0]
    assert levels_in("abs(x) >= 4", "abs(x)") == [4.0]
    assert levels_in("x > y", "x") == []
