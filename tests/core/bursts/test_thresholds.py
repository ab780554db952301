"""Thresholds: windows that are added and removed while a search runs."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.bursts.worlds import WHOLE, alarms, plan_of, results_of


@pytest.mark.parametrize("search", ["exact", "all", "monotonic"])
@given(xs=st.lists(WHOLE, min_size=10, max_size=60), at=st.integers(0, 60))
def test_windows_come_and_go_while_the_search_runs(search, xs, at):
    before, after = {2: 15.0, 6: 40.0}, {2: 10.0, 4: 25.0}

    def change(operator):
        operator.thresholds.remove(6)
        operator.thresholds.add(4, 25.0)
        operator.thresholds.add(2, 10.0)

    reported = results_of(plan_of(before, search=search), {"a": list(enumerate(xs))}, [at], {1: change})
    got = sorted((row["ts"], row["window"], row["value"]) for row in reported)
    expected = [alarm for alarm in alarms(plan_of(before, search=search), xs) if alarm[0] < at]
    expected += [alarm for alarm in alarms(plan_of(after, search=search), xs) if alarm[0] >= at]
    assert got == sorted(expected)


@pytest.mark.parametrize("search", ["exact", "all", "monotonic"])
def test_a_longer_window_that_comes_later_is_watched_once_its_rows_are_known(search):
    xs = np.random.default_rng(5).integers(0, 9, 3_000).astype(float)
    before, after = {4: 25.0}, {4: 25.0, 900: 3_600.0}
    reported = results_of(
        plan_of(before, search=search),
        {"a": list(enumerate(xs))},
        [1_500],
        {1: lambda operator: operator.thresholds.add(900, 3_600.0)},
    )
    got = {(row["ts"], row["window"], row["value"]) for row in reported if row["ts"] >= 2_400}
    assert got == {alarm for alarm in alarms(plan_of(after, search=search), xs) if alarm[0] >= 2_400}
    assert any(window == 900 for _, window, _ in got)
