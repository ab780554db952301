"""The search in histograms: estimates within the error, to one side; the monotonic search is that of the paper.

Covers: streamframes.core.bursts.histogram.recent_rows, streamframes.core.bursts.histogram.screening,
streamframes.core.bursts.histogram.searches, streamframes.core.bursts.histogram.suffix_sums,
streamframes.core.bursts.histogram.totals
"""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.bursts.worlds import WHOLE, alarms, cases, plan_of, running_variance, thresholds_for
from tests.oracles import bursts as reference


@pytest.mark.parametrize("agg", ["sum", "avg", "variance"])
@pytest.mark.parametrize("error", [0.1, 0.01])
@given(case=cases(most=120))
def test_histograms_never_miss_or_never_lie(agg, error, case):
    xs, lengths, level, noise, cuts = case
    thresholds = thresholds_for(agg, lengths, level, noise)
    truth = {alarm[:2] for alarm in reference.brute(xs, thresholds, agg)}
    over = alarms(plan_of(thresholds, agg, search="all", error=error), xs, cuts)
    under = alarms(plan_of(thresholds, agg, search="all", error=error, error_side="never_false"), xs, cuts)
    assert truth <= {alarm[:2] for alarm in over}
    assert {alarm[:2] for alarm in under} <= truth
    if agg != "variance":
        for row, window, value in over + under:
            true = reference.aggregate_of(agg, xs[row + 1 - window : row + 1])
            assert abs(value - true) <= error * true * (1 + 1e-9)


@pytest.mark.parametrize(
    "kind", ["zeros", "constant", "spikes", "one huge", "fractions", "fractions after one huge", "growing"]
)
@pytest.mark.parametrize("error", [0.1, 0.001])
def test_estimates_of_many_rows_stay_within_the_error(kind, error):
    size = 30_000
    rng = np.random.default_rng(3)
    xs = {
        "zeros": np.zeros(size),
        "constant": np.full(size, 7.0),
        "spikes": np.where(rng.random(size) < 0.001, 1e6, 0),
        "one huge": np.where(np.arange(size) == 9_000, 1e15, 1),
        "fractions": rng.random(size) / 3,
        "fractions after one huge": np.where(np.arange(size) == 9_000, 1e15, rng.random(size) / 3),
        "growing": np.floor(1.0004 ** np.arange(size)),
    }[kind]
    lengths = [1, 2, 17, 400, 1_000, 4_096, 20_000]
    rows = {*range(0, size, 997), 9_001, 9_500, 13_095, 13_096, size - 1}
    for error_side in ("never_miss", "never_false"):
        reported = {
            alarm[:2]: alarm[2]
            for alarm in alarms(
                plan_of(dict.fromkeys(lengths, -1.0), search="all", error=error, error_side=error_side), xs
            )
        }
        for row, window in itertools.product(rows, lengths):
            if window <= row + 1:
                true = math.fsum(xs[row + 1 - window : row + 1])
                value = reported[row, window]
                assert abs(value - true) <= error * true * (1 + 1e-9)
                assert value >= true if error_side == "never_miss" else value <= true


@pytest.mark.parametrize("agg", ["sum", "avg", "variance", "count"])
@pytest.mark.parametrize("error_side", ["never_miss", "never_false"])
@given(case=cases(most=80))
def test_the_monotonic_search_is_the_papers(agg, error_side, case):
    xs, lengths, level, noise, cuts = case
    if agg == "count":
        xs = [x > 10 for x in xs]
    thresholds = thresholds_for(agg, lengths, level, noise)
    settings = {"error": 0.05, "error_side": error_side}
    estimates = {
        alarm[:2]: alarm[2]
        for alarm in alarms(plan_of(dict.fromkeys(thresholds, -1e300), agg, search="all", **settings), xs)
    }

    def unit(row: int) -> float:
        if agg == "count":
            return 1.0
        seen = xs[: row + 1]
        return sum(seen) / len(seen) if agg != "variance" else running_variance(seen)

    expected = reference.monotonic(xs, thresholds, lambda row, w: estimates[row, w], unit)
    reported = alarms(plan_of(thresholds, agg, search="monotonic", **settings), xs, cuts)
    assert [alarm[:2] for alarm in reported] == sorted(expected)
    assert all(estimates[row, window] == value for row, window, value in reported)


@given(xs=st.lists(WHOLE, min_size=1, max_size=60), error=st.sampled_from([0.01, 0.1, 0.5]))
def test_the_histogram_of_the_paper_bounds_every_sum(xs, error):
    histogram = reference.Histogram(error)
    for n, x in enumerate(xs, 1):
        histogram.update(x)
        for window in range(1, n + 1):
            low, high = histogram.bounds(window)
            true = sum(xs[n - window : n])
            assert low <= true <= high
            assert high <= (1 + error) * low * (1 + 1e-12) or low == high


def test_a_million_rows_of_spikes_and_one_huge_value_are_neither_missed_nor_made_up():
    rng = np.random.default_rng(7)
    xs = np.where(rng.random(1_000_000) < 0.001, rng.pareto(1.2, 1_000_000).round(2) * 100, rng.random(1_000_000))
    xs[300_000] = 1e13
    thresholds = {w: 0.7 * w + 400 * math.sqrt(w) for w in (1, 3, 10, 60, 400, 2_500, 30_000)}
    truth, over, under = (
        {alarm[:2] for alarm in alarms(plan_of(thresholds, **settings), xs, [250_000, 300_001, 777_777])}
        for settings in ({}, {"search": "all"}, {"search": "all", "error_side": "never_false"})
    )
    assert under <= truth <= over
    assert len(truth) > 10_000
    for row in (300_000, 300_500, 331_000, 999_999):
        for window, threshold in thresholds.items():
            true = math.fsum(xs[row + 1 - window : row + 1])
            assert ((row, window) in truth) == (true >= threshold)


@pytest.mark.parametrize("agg", ["sum", "avg", "variance"])
@pytest.mark.parametrize("kind", ["whole", "zeros between spikes", "constant", "fractions"])
@pytest.mark.parametrize(("error_side", "seed"), [("never_miss", 1), ("never_false", 2), ("never_miss", 3)])
def test_buckets_are_the_same_however_rows_are_cut_and_both_searches_keep_their_bounds(agg, kind, error_side, seed):
    rng = np.random.default_rng(seed)
    size = int(rng.integers(1_100, 2_200))
    xs = {
        "whole": rng.integers(0, 9, size),
        "zeros between spikes": np.where(rng.random(size) < 0.02, 1_000, 0),
        "constant": np.full(size, 7),
        "fractions": rng.integers(0, 2**12, size) / 64,
    }[kind].astype(float)
    lengths = np.unique(rng.integers(1, size, 25)).tolist()
    cuts = rng.integers(0, size, 4).tolist()
    exact = {row[:2]: row[2] for row in alarms(plan_of(dict.fromkeys(lengths, -1.0), agg), xs)}
    level = {w: sorted(value for (_, window), value in exact.items() if window == w) for w in lengths}
    thresholds = {w: found_at[int(rng.integers(len(found_at)))] for w, found_at in level.items()}
    truth = {at for at, value in exact.items() if value >= thresholds[at[1]]}
    settings = {"error": 0.05, "error_side": error_side}
    reported = alarms(plan_of(thresholds, agg, search="all", **settings), xs, cuts)
    assert reported == alarms(plan_of(thresholds, agg, search="all", **settings), xs)
    found_at = {row[:2] for row in reported}
    assert truth <= found_at if error_side == "never_miss" else found_at <= truth
    everything = plan_of(dict.fromkeys(lengths, -1e300), agg, search="all", **settings)
    estimates = {row[:2]: row[2] for row in alarms(everything, xs, cuts)}
    units = [running_unit(agg, xs[: n + 1]) for n in range(size)]
    expected = reference.monotonic(xs, thresholds, lambda row, w: estimates[row, w], lambda row: units[row])
    searched = alarms(plan_of(thresholds, agg, search="monotonic", **settings), xs, cuts)
    assert [row[:2] for row in searched] == sorted(expected)


def running_unit(agg: str, seen: Sequence[float]) -> float:
    return running_variance(seen) if agg == "variance" else sum(seen) / len(seen)
