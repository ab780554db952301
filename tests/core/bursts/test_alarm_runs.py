"""Runs of alarms: consecutive alarms of a window are one frame."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.bursts.worlds import alarms, cases, plan_of, results_of, thresholds_for


@pytest.mark.parametrize("search", ["exact", "all"])
@given(case=cases(), keys=st.integers(1, 3))
def test_runs_are_consecutive_alarms_of_a_window(search, case, keys):
    xs, lengths, level, noise, cuts = case
    thresholds = thresholds_for("sum", lengths, level, noise)
    plan = plan_of(thresholds, search=search)
    series = {f"k{i}": [(t, x + i) for t, x in enumerate(xs)] for i in range(keys)}
    expected = []
    for key, rows in series.items():
        reported = alarms(plan, [x for _, x in rows])
        for window, group in itertools.groupby(sorted(reported, key=lambda a: (a[1], a[0])), key=lambda a: a[1]):
            group = list(group)
            for _, run in itertools.groupby(enumerate(group), key=lambda pair: pair[1][0] - pair[0]):
                run = [alarm for _, alarm in run]
                closed = "end of data" if run[-1][0] == len(xs) - 1 else "condition"
                peak = max(alarm[2] for alarm in run)
                expected.append((key, run[0][0], run[-1][0], len(run), closed, window, peak, thresholds[window]))
    reported = results_of(plan_of(thresholds, search=search, output="runs"), series, cuts)
    assert len({row["frame_id"] for row in reported}) == len(reported)
    assert sorted(tuple(value for name, value in row.items() if name != "frame_id") for row in reported) == sorted(
        expected
    )
