"""Bursts: every search against its definition, on any series, cut anywhere."""

from __future__ import annotations

import itertools
import math
from collections.abc import Sequence

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamframes.core.bursts import engines
from streamframes.core.bursts.exact.sums import VARIANCE
from streamframes.core.bursts.histogram.search_space import divide_points, search_space
from streamframes.core.bursts.learning import Learn, learnt_thresholds
from streamframes.errors import StreamFramesError
from tests.core.bursts.worlds import alarms, found, plan_of
from tests.oracles import bursts as literal

WHOLE = st.integers(0, 20).map(float)
SIGNED = st.integers(-20, 20).map(float)
# Sums of these are exact in fractions and need more than a double on the way.
ROUGH = st.one_of(st.integers(0, 2**20).map(lambda n: n / 1024), st.just(2.0**60), st.just(0.0))


@st.composite
def cases(draw, values=WHOLE, most=60):
    """A series, windows with thresholds about where the aggregate is, and cuts."""
    xs = draw(st.lists(values, min_size=1, max_size=most))
    lengths = draw(st.lists(st.integers(1, most), min_size=1, max_size=25, unique=True).map(sorted))
    level = draw(st.floats(-0.5, 3))
    mean = sum(xs) / len(xs)
    noise = draw(st.lists(st.integers(-10, 10), min_size=len(lengths), max_size=len(lengths)))
    cuts = draw(st.lists(st.integers(0, most), max_size=4))
    return xs, lengths, level * mean, noise, cuts


def thresholds_for(agg: str, lengths: Sequence[int], level: float, noise: Sequence[int]) -> dict[int, float]:
    scale = {"sum": 1, "count": 1}.get(agg, 0)
    return {w: round(level * (w if scale else 1)) + float(n) for w, n in zip(lengths, noise, strict=True)}


@pytest.mark.parametrize("agg", ["sum", "avg", "variance", "min", "max"])
@given(case=cases(SIGNED))
def test_the_exact_search_is_brute_force(agg, case):
    xs, lengths, level, noise, cuts = case
    thresholds = thresholds_for(agg, lengths, level, noise)
    assert alarms(plan_of(thresholds, agg), xs, cuts) == sorted(literal.brute(xs, thresholds, agg))


@given(case=cases(ROUGH))
def test_sums_of_fractions_are_rounded_once_whatever_came_before(case):
    xs, lengths, level, noise, cuts = case
    thresholds = thresholds_for("sum", lengths, level, noise)
    assert alarms(plan_of(thresholds), xs, cuts) == sorted(literal.brute(xs, thresholds))


@given(case=cases(st.booleans()))
def test_a_count_is_a_sum_of_conditions(case):
    xs, lengths, level, noise, cuts = case
    thresholds = thresholds_for("count", lengths, level, [n % 3 for n in noise])
    assert alarms(plan_of(thresholds, "count"), xs, cuts) == sorted(literal.brute(xs, thresholds))


@pytest.mark.parametrize("search", ["exact", "all", "monotonic"])
@given(case=cases(most=40), size=st.integers(1, 7))
def test_alarms_that_are_handed_over_in_small_batches_are_the_same(search, case, size):
    xs, lengths, level, noise, _ = case
    thresholds = thresholds_for("sum", lengths, level, noise)
    plan = plan_of(thresholds, search=search)
    whole = alarms(plan, xs)
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(engines, "ALARMS_AT_ONCE", size)
        assert alarms(plan, xs) == whole


@pytest.mark.parametrize("agg", ["sum", "avg", "variance"])
@pytest.mark.parametrize("error", [0.1, 0.01])
@given(case=cases(most=120))
def test_histograms_never_miss_or_never_lie(agg, error, case):
    xs, lengths, level, noise, cuts = case
    thresholds = thresholds_for(agg, lengths, level, noise)
    truth = {alarm[:2] for alarm in literal.brute(xs, thresholds, agg)}
    over = alarms(plan_of(thresholds, agg, search="all", error=error), xs, cuts)
    under = alarms(plan_of(thresholds, agg, search="all", error=error, error_side="never_false"), xs, cuts)
    assert truth <= {alarm[:2] for alarm in over}
    assert {alarm[:2] for alarm in under} <= truth
    if agg != "variance":
        for row, window, value in over + under:
            true = literal.aggregate_of(agg, xs[row + 1 - window : row + 1])
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
    for side in ("never_miss", "never_false"):
        told = {
            alarm[:2]: alarm[2]
            for alarm in alarms(plan_of(dict.fromkeys(lengths, -1.0), search="all", error=error, error_side=side), xs)
        }
        for row, window in itertools.product(rows, lengths):
            if window <= row + 1:
                true = math.fsum(xs[row + 1 - window : row + 1])
                value = told[row, window]
                assert abs(value - true) <= error * true * (1 + 1e-9)
                assert value >= true if side == "never_miss" else value <= true


@pytest.mark.parametrize("agg", ["sum", "avg", "variance", "count"])
@pytest.mark.parametrize("side", ["never_miss", "never_false"])
@given(case=cases(most=80))
def test_the_monotonic_search_is_the_papers(agg, side, case):
    xs, lengths, level, noise, cuts = case
    if agg == "count":
        xs = [x > 10 for x in xs]
    thresholds = thresholds_for(agg, lengths, level, noise)
    settings = {"error": 0.05, "error_side": side}
    estimates = {
        alarm[:2]: alarm[2]
        for alarm in alarms(plan_of(dict.fromkeys(thresholds, -1e300), agg, search="all", **settings), xs)
    }

    def unit(row: int) -> float:
        if agg == "count":
            return 1.0
        seen = xs[: row + 1]
        return sum(seen) / len(seen) if agg != "variance" else running_variance(seen)

    expected = literal.monotonic(xs, thresholds, lambda row, w: estimates[row, w], unit)
    told = alarms(plan_of(thresholds, agg, search="monotonic", **settings), xs, cuts)
    assert [alarm[:2] for alarm in told] == sorted(expected)
    assert all(estimates[row, window] == value for row, window, value in told)


def running_variance(seen: Sequence[float]) -> float:
    mean = spread = 0.0
    for n, x in enumerate(seen, 1):
        distance = x - mean
        mean += distance / n
        spread += distance * (x - mean)
    return spread / len(seen)


@given(
    lengths=st.lists(st.integers(2, 500), min_size=2, max_size=8, unique=True).map(sorted),
    data=st.data(),
)
def test_the_order_changes_at_divide_points_and_nowhere_else(lengths, data):
    thresholds = np.array(data.draw(st.lists(st.floats(1, 1e6), min_size=len(lengths), max_size=len(lengths))))
    points = divide_points(np.array(lengths), thresholds)
    edges = [points[0] - 1, *points, points[-1] + 1]
    for low, high in itertools.pairwise(edges):
        if high - low > 1e-6:
            inner = [low + (high - low) * share for share in (0.1, 0.5, 0.9)]
            orders = [search_space(np.array(lengths), thresholds, level).tolist() for level in inner]
            assert orders[0] == orders[1] == orders[2]
            assert orders[1] == literal.search_space(dict(zip(lengths, thresholds, strict=True)), inner[1])


@given(xs=st.lists(WHOLE, min_size=1, max_size=60), error=st.sampled_from([0.01, 0.1, 0.5]))
def test_the_histogram_of_the_paper_bounds_every_sum(xs, error):
    histogram = literal.Histogram(error)
    for n, x in enumerate(xs, 1):
        histogram.update(x)
        for window in range(1, n + 1):
            low, high = histogram.bounds(window)
            true = sum(xs[n - window : n])
            assert low <= true <= high
            assert high <= (1 + error) * low * (1 + 1e-12) or low == high


@pytest.mark.parametrize("search", ["exact", "all"])
@given(case=cases(), keys=st.integers(1, 3))
def test_runs_are_consecutive_alarms_of_a_window(search, case, keys):
    xs, lengths, level, noise, cuts = case
    thresholds = thresholds_for("sum", lengths, level, noise)
    plan = plan_of(thresholds, search=search)
    series = {f"k{i}": [(t, x + i) for t, x in enumerate(xs)] for i in range(keys)}
    expected = []
    for key, rows in series.items():
        told = alarms(plan, [x for _, x in rows])
        for window, group in itertools.groupby(sorted(told, key=lambda a: (a[1], a[0])), key=lambda a: a[1]):
            group = list(group)
            for _, run in itertools.groupby(enumerate(group), key=lambda pair: pair[1][0] - pair[0]):
                run = [alarm for _, alarm in run]
                closed = "end of data" if run[-1][0] == len(xs) - 1 else "condition"
                peak = max(alarm[2] for alarm in run)
                expected.append((key, run[0][0], run[-1][0], len(run), closed, window, peak, thresholds[window]))
    told = found(plan_of(thresholds, search=search, output="runs"), series, cuts)
    assert len({row["frame_id"] for row in told}) == len(told)
    assert sorted(tuple(value for name, value in row.items() if name != "frame_id") for row in told) == sorted(expected)


@given(case=cases())
def test_latest_is_the_longest_and_the_most_exceeded_window_of_each_row(case):
    xs, lengths, level, noise, cuts = case
    thresholds = thresholds_for("sum", lengths, level, noise)
    by_row: dict[int, list[tuple[int, float]]] = {}
    for row, window, value in literal.brute(xs, thresholds):
        by_row.setdefault(row, []).append((window, value))

    def excess(alarm):
        window, value = alarm
        over, asked = value - thresholds[window], abs(thresholds[window])
        return (over / asked if asked else (math.inf if over > 0 else 0.0), window)

    told = found(plan_of(thresholds, output="latest"), {"a": list(enumerate(xs))}, cuts)
    assert {row["ts"] for row in told} == set(by_row)
    for row in told:
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
    told = found(plan_of(thresholds, search=search, output="any"), {"a": list(enumerate(xs))}, cuts)
    assert sorted(row["ts"] for row in told) == expected


# A count has another F(1) than the sum of its units: there is nothing to compare its bisection with.
UNITS = [("count", "exact"), ("count", "all"), *itertools.product(("sum", "variance"), ("exact", "all", "monotonic"))]


@pytest.mark.parametrize(("agg", "search"), UNITS)
@given(
    rows=st.lists(st.tuples(st.integers(-50, 150), st.integers(0, 9)), min_size=1, max_size=40),
    unit=st.integers(1, 12),
    lengths=st.lists(st.integers(1, 12), min_size=1, max_size=5, unique=True).map(sorted),
    level=st.floats(-1, 30),
    cuts=st.lists(st.integers(-50, 150), max_size=3),
)
def test_units_of_time_are_sums_of_their_rows_and_0_without_any(agg, search, rows, unit, lengths, level, cuts):
    rows = sorted((t, x > 4 if agg == "count" else float(x)) for t, x in rows)
    thresholds = {w: round(level + w) + 0.5 for w in lengths}
    first, last = rows[0][0] // unit, rows[-1][0] // unit
    xs = [float(sum(x for t, x in rows if t // unit == u)) for u in range(first, last + 1)]
    plan = plan_of(thresholds, agg, unit=unit, search=search)
    told = found(plan, {"a": rows}, cuts)
    got = sorted((row["ts"], row["window"], row["value"]) for row in told)
    expected = alarms(plan_of(thresholds, "sum" if agg == "count" else agg, search=search), xs)
    assert got == [((first + row) * unit, window, value) for row, window, value in expected]


@pytest.mark.parametrize("search", ["exact", "all", "monotonic"])
@given(silence=st.integers(1, 400), xs=st.lists(WHOLE, min_size=1, max_size=20), cut=st.integers(0, 500))
def test_a_long_silence_is_as_many_zeros(search, silence, xs, cut):
    thresholds = {1: 9.0, 5: 30.0, 30: 60.0}
    rows = [*enumerate(xs), *((len(xs) + silence + i, x) for i, x in enumerate(xs))]
    dense = [*xs, *([0.0] * silence), *xs]
    plan = plan_of(thresholds, unit=1, search=search)
    told = found(plan, {"a": rows}, [cut])
    assert sorted((row["ts"], row["window"], row["value"]) for row in told) == alarms(
        plan_of(thresholds, search=search), dense
    )


@pytest.mark.parametrize(
    ("agg", "search"),
    [*itertools.product(("sum", "avg", "variance"), ("exact", "all")), ("min", "exact"), ("max", "exact")],
)
@given(xs=st.lists(WHOLE, min_size=30, max_size=80), cuts=st.lists(st.integers(0, 80), max_size=3))
def test_thresholds_are_learnt_from_the_first_rows_which_raise_no_alarms(agg, search, xs, cuts):
    lengths = (1, 3, 8, 20)
    plan = plan_of(Learn(sigmas=1.5, rows=25), agg, windows=lengths, search=search)
    told = found(plan_of(Learn(sigmas=1.5, rows=25), agg, windows=lengths, output="learnt"), {"a": list(enumerate(xs))})
    learnt = {row["window"]: row["threshold"] for row in told}
    for w in lengths:
        moving = [literal.aggregate_of(agg, xs[i : i + w]) for i in range(26 - w)]
        assert learnt[w] == pytest.approx(np.mean(moving) + 1.5 * np.std(moving), rel=1e-12, abs=1e-12)
    expected = [alarm for alarm in alarms(plan_of(learnt, agg, search=search), xs) if alarm[0] >= 25]
    assert alarms(plan, xs, cuts) == expected


@pytest.mark.parametrize("search", ["exact", "all", "monotonic"])
@given(xs=st.lists(WHOLE, min_size=10, max_size=60), at=st.integers(0, 60))
def test_windows_come_and_go_while_the_search_runs(search, xs, at):
    before, after = {2: 15.0, 6: 40.0}, {2: 10.0, 4: 25.0}

    def change(operator):
        operator.thresholds.remove(6)
        operator.thresholds.add(4, 25.0)
        operator.thresholds.add(2, 10.0)

    told = found(plan_of(before, search=search), {"a": list(enumerate(xs))}, [at], {1: change})
    got = sorted((row["ts"], row["window"], row["value"]) for row in told)
    expected = [alarm for alarm in alarms(plan_of(before, search=search), xs) if alarm[0] < at]
    expected += [alarm for alarm in alarms(plan_of(after, search=search), xs) if alarm[0] >= at]
    assert got == sorted(expected)


def test_rows_without_a_value_are_no_rows_and_ties_are_broken_by_the_value():
    plan = plan_of({2: 5.0})
    rows = [(1, 3.0), (2, None), (3, float("nan")), (4, 2.0), (5, 2.0)]
    told = found(plan, {"a": rows})
    assert [(row["ts"], row["value"]) for row in told] == [(4, 5.0)]


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
@pytest.mark.parametrize(("side", "seed"), [("never_miss", 1), ("never_false", 2), ("never_miss", 3)])
def test_buckets_are_the_same_however_rows_are_cut_and_both_searches_keep_their_word(agg, kind, side, seed):
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
    settings = {"error": 0.05, "error_side": side}
    told = alarms(plan_of(thresholds, agg, search="all", **settings), xs, cuts)
    assert told == alarms(plan_of(thresholds, agg, search="all", **settings), xs)
    found_at = {row[:2] for row in told}
    assert truth <= found_at if side == "never_miss" else found_at <= truth
    everything = plan_of(dict.fromkeys(lengths, -1e300), agg, search="all", **settings)
    estimates = {row[:2]: row[2] for row in alarms(everything, xs, cuts)}
    units = [running_unit(agg, xs[: n + 1]) for n in range(size)]
    expected = literal.monotonic(xs, thresholds, lambda row, w: estimates[row, w], lambda row: units[row])
    searched = alarms(plan_of(thresholds, agg, search="monotonic", **settings), xs, cuts)
    assert [row[:2] for row in searched] == sorted(expected)


def running_unit(agg: str, seen: Sequence[float]) -> float:
    return running_variance(seen) if agg == "variance" else sum(seen) / len(seen)


@pytest.mark.parametrize("search", ["exact", "all", "monotonic"])
def test_a_longer_window_that_comes_later_is_watched_once_its_rows_are_known(search):
    xs = np.random.default_rng(5).integers(0, 9, 3_000).astype(float)
    before, after = {4: 25.0}, {4: 25.0, 900: 3_600.0}
    told = found(
        plan_of(before, search=search),
        {"a": list(enumerate(xs))},
        [1_500],
        {1: lambda operator: operator.thresholds.add(900, 3_600.0)},
    )
    got = {(row["ts"], row["window"], row["value"]) for row in told if row["ts"] >= 2_400}
    assert got == {alarm for alarm in alarms(plan_of(after, search=search), xs) if alarm[0] >= 2_400}
    assert any(window == 900 for _, window, _ in got)


@pytest.mark.parametrize("value", [0.1, 1e-9, 123456.789, 1e140 / 3])
@pytest.mark.parametrize("before", [[], [0.7, 1e100, 0.2]])
def test_a_window_of_equal_values_has_variance_0(value, before):
    values = [*before, *[value] * 9]
    seen = alarms(plan_of({2: 0.0, 5: 0.0}, "variance"), values, cuts=[4, 7])
    equal = [variance for row, window, variance in seen if row - len(before) >= window - 1]
    assert equal == [0.0] * (8 + 5)


def test_thresholds_learnt_from_equal_values_are_0_for_a_variance():
    assert learnt_thresholds(VARIANCE, np.full(100, 0.1), np.array([2, 7]), 3.0).tolist() == [0.0, 0.0]
