"""The exact search is brute force: every alarm and every value, on any series, cut anywhere.

Covers: streamframes.core.bursts.exact.leaf, streamframes.core.bursts.exact.measured,
streamframes.core.bursts.exact.sums, streamframes.core.bursts.window_tree
"""

from __future__ import annotations

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.bursts.worlds import ROUGH, SIGNED, alarms, cases, plan_of, thresholds_for
from tests.oracles import bursts as reference


@pytest.mark.parametrize("agg", ["sum", "avg", "variance", "min", "max"])
@given(case=cases(SIGNED))
def test_the_exact_search_is_brute_force(agg, case):
    xs, lengths, level, noise, cuts = case
    thresholds = thresholds_for(agg, lengths, level, noise)
    assert alarms(plan_of(thresholds, agg), xs, cuts) == sorted(reference.brute(xs, thresholds, agg))


@given(case=cases(ROUGH))
def test_sums_of_fractions_are_rounded_once_whatever_came_before(case):
    xs, lengths, level, noise, cuts = case
    thresholds = thresholds_for("sum", lengths, level, noise)
    assert alarms(plan_of(thresholds), xs, cuts) == sorted(reference.brute(xs, thresholds))


@given(case=cases(st.booleans()))
def test_a_count_is_a_sum_of_conditions(case):
    xs, lengths, level, noise, cuts = case
    thresholds = thresholds_for("count", lengths, level, [n % 3 for n in noise])
    assert alarms(plan_of(thresholds, "count"), xs, cuts) == sorted(reference.brute(xs, thresholds))


@pytest.mark.parametrize("value", [0.1, 1e-9, 123456.789, 1e140 / 3])
@pytest.mark.parametrize("before", [[], [0.7, 1e100, 0.2]])
def test_a_window_of_equal_values_has_variance_0(value, before):
    values = [*before, *[value] * 9]
    seen = alarms(plan_of({2: 0.0, 5: 0.0}, "variance"), values, cuts=[4, 7])
    equal = [variance for row, window, variance in seen if row - len(before) >= window - 1]
    assert equal == [0.0] * (8 + 5)
