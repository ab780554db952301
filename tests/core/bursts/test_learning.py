"""Learning: thresholds from the first rows of a group, which raise no alarms."""

from __future__ import annotations

import itertools

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamframes.core.bursts.exact.sums import VARIANCE
from streamframes.core.bursts.learning import Learn, learnt_thresholds
from tests.core.bursts.worlds import WHOLE, alarms, plan_of, results_of
from tests.oracles import bursts as reference


@pytest.mark.parametrize(
    ("agg", "search"),
    [*itertools.product(("sum", "avg", "variance"), ("exact", "all")), ("min", "exact"), ("max", "exact")],
)
@given(xs=st.lists(WHOLE, min_size=30, max_size=80), cuts=st.lists(st.integers(0, 80), max_size=3))
def test_thresholds_are_learnt_from_the_first_rows_which_raise_no_alarms(agg, search, xs, cuts):
    lengths = (1, 3, 8, 20)
    plan = plan_of(Learn(sigmas=1.5, rows=25), agg, windows=lengths, search=search)
    reported = results_of(
        plan_of(Learn(sigmas=1.5, rows=25), agg, windows=lengths, output="learnt"), {"a": list(enumerate(xs))}
    )
    learnt = {row["window"]: row["threshold"] for row in reported}
    for w in lengths:
        moving = [reference.aggregate_of(agg, xs[i : i + w]) for i in range(26 - w)]
        assert learnt[w] == pytest.approx(np.mean(moving) + 1.5 * np.std(moving), rel=1e-12, abs=1e-12)
    expected = [alarm for alarm in alarms(plan_of(learnt, agg, search=search), xs) if alarm[0] >= 25]
    assert alarms(plan, xs, cuts) == expected


def test_thresholds_learnt_from_equal_values_are_0_for_a_variance():
    assert learnt_thresholds(VARIANCE, np.full(100, 0.1), np.array([2, 7]), 3.0).tolist() == [0.0, 0.0]
