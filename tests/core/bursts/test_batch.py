"""Batches: rows without a value are left out, and values that cannot be searched are refused."""

from __future__ import annotations

import math

import pytest

from streamframes.errors import StreamFramesError
from tests.core.bursts.worlds import alarms, plan_of, results_of


def test_rows_without_a_value_are_no_rows_and_ties_are_broken_by_the_value():
    plan = plan_of({2: 5.0})
    rows = [(1, 3.0), (2, None), (3, float("nan")), (4, 2.0), (5, 2.0)]
    reported = results_of(plan, {"a": rows})
    assert [(row["ts"], row["value"]) for row in reported] == [(4, 5.0)]


@pytest.mark.parametrize(
    ("values", "settings", "message"),
    [
        ([1.0, -3.0], {"search": "all"}, r"met the value -3.0, but search='all' needs values that are not negative"),
        ([1.0, math.inf], {}, r"met the value inf, beyond 1e\+300"),
        ([1e200], {"agg": "variance"}, r"met the value 1e\+200, beyond 1e\+145"),
    ],
)
def test_values_that_cannot_be_searched_are_refused_by_name(values, settings, message):
    with pytest.raises(StreamFramesError, match=message):
        alarms(plan_of({1: 1.0}, **settings), values)
