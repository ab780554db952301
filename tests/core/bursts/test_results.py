"""Results: the two alarms of a row that say most, and the rows with any."""

from __future__ import annotations

import math

import pytest
from hypothesis import given

from tests.core.bursts.worlds import alarms, cases, plan_of, results_of, thresholds_for
from tests.oracles import bursts as reference


@given(case=cases())
def test_latest_is_the_longest_and_the_most_exceeded_window_of_each_row(case):
    xs, lengths, level, noise, cuts = case
    thresholds = thresholds_for("sum", lengths, level, noise)
    by_row: dict[int, list[tuple[int, float]]] = {}
    for row, window, value in reference.brute(xs, thresholds):
        by_row.setdefault(row, []).append((window, value))

    def excess(alarm):
        window, value = alarm
        over, limit = value - thresholds[window], abs(thresholds[window])
        return (over / limit if limit else (math.inf if over > 0 else 0.0), window)

    reported = results_of(plan_of(thresholds, output="latest"), {"a": list(enumerate(xs))}, cuts)
    assert {row["ts"] for row in reported} == set(by_row)
    for row in reported:
        here = by_row[row["ts"]]
        longest, most = max(here), max(here, key=excess)
        assert row["windows"] == len(here)
        assert (row["longest"], row["longest_value"], row["longest_threshold"]) == (*longest, thresholds[longest[0]])
        assert (row["most"], row["most_value"], row["most_threshold"]) == (*most, thresholds[most[0]])


@pytest.mark.parametrize("search", ["exact", "all"])
@given(case=cases())
def test_any_says_at_which_rows_a_window_alarms(search, case):
    xs, lengths, level, noise, cuts = case
    thresholds = thresholds_for("sum", lengths, level, noise)
    expected = sorted({row for row, _, _ in alarms(plan_of(thresholds, search=search), xs)})
    reported = results_of(plan_of(thresholds, search=search, output="any"), {"a": list(enumerate(xs))}, cuts)
    assert sorted(row["ts"] for row in reported) == expected
