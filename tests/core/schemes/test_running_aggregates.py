"""The running aggregates: what is promised of their rounding.

Covers: streamframes.core.jit.pairs
"""

from __future__ import annotations

import math
from fractions import Fraction

import hypothesis.strategies as st
import numpy as np
import pytest
from hypothesis import given

import streamframes as sf
from streamframes.core.schemes.running_aggregates import first_stddev, next_stddev
from tests.thoroughness import examples


def deviations(values: list[float]) -> list[float]:
    """The deviation of the sample after each value."""
    state = np.full(5, 7.0)
    return [
        first_stddev(value, state) if i == 0 else next_stddev(value, i, state)
        for i, value in enumerate(map(float, values))
    ]


def true_deviation(values: list[float]) -> float:
    exact = [Fraction(value) for value in values]
    mean = sum(exact) / len(exact)
    return math.sqrt(sum((value - mean) ** 2 for value in exact) / (len(exact) - 1))


def test_a_deviation_that_equals_the_bound_does_not_exceed_it() -> None:
    above, at_least = (sf.Aggregate("stddev(v)", op, 6) for op in (">", ">="))
    rows = {"ts": range(1, 6), "v": [15, 15, 7, 3, 40]}
    assert [frame.rows for frame in sf.frames_of(above, **rows)] == [5]
    assert [frame.rows for frame in sf.frames_of(at_least, **rows)] == [4, 1]
    below, at_most = (sf.Aggregate("stddev(v)", op, 6) for op in ("<", "<="))
    assert [frame.rows for frame in sf.frames_of(below, **rows)] == [3, 1, 1]
    assert [frame.rows for frame in sf.frames_of(at_most, **rows)] == [4, 1]


@examples(100)
@given(st.lists(st.integers(-(2**25), 2**25), min_size=2, max_size=40))
def test_whole_numbers_deviate_by_the_true_deviation_rounded(values: list[int]) -> None:
    assert deviations(values)[-1] == true_deviation(values)


@examples(100)
@given(st.lists(st.floats(-1e6, 1e6), min_size=2, max_size=40), st.sampled_from([0.0, 1e9]))
def test_doubles_deviate_by_the_true_deviation_up_to_rounding(values: list[float], offset: float) -> None:
    moved = [value + offset for value in values]
    assert deviations(moved)[-1] == pytest.approx(true_deviation(moved), rel=1e-15, abs=1e-150)


@pytest.mark.parametrize("value", [0.1, 1e-9, 123456.789])
def test_equal_values_do_not_deviate(value: float) -> None:
    assert deviations([value] * 9) == [0.0] * 9


@pytest.mark.parametrize(("values", "expected"), [([0.0, 1e160], math.inf), ([0.0, math.inf], math.nan)])
def test_what_no_double_holds_is_infinite_or_no_number(values: list[float], expected: float) -> None:
    assert str(deviations(values)[-1]) == str(expected)
