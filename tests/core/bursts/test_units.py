"""Units of time: sums of their rows, and 0 without any."""

from __future__ import annotations

import itertools

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.bursts.worlds import WHOLE, alarms, plan_of, results_of

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
    reported = results_of(plan, {"a": rows}, cuts)
    got = sorted((row["ts"], row["window"], row["value"]) for row in reported)
    expected = alarms(plan_of(thresholds, "sum" if agg == "count" else agg, search=search), xs)
    assert got == [((first + row) * unit, window, value) for row, window, value in expected]


@pytest.mark.parametrize("search", ["exact", "all", "monotonic"])
@given(pause=st.integers(1, 400), xs=st.lists(WHOLE, min_size=1, max_size=20), cut=st.integers(0, 500))
def test_a_long_pause_is_as_many_zeros(search, pause, xs, cut):
    thresholds = {1: 9.0, 5: 30.0, 30: 60.0}
    rows = [*enumerate(xs), *((len(xs) + pause + i, x) for i, x in enumerate(xs))]
    dense = [*xs, *([0.0] * pause), *xs]
    plan = plan_of(thresholds, unit=1, search=search)
    reported = results_of(plan, {"a": rows}, [cut])
    assert sorted((row["ts"], row["window"], row["value"]) for row in reported) == alarms(
        plan_of(thresholds, search=search), dense
    )
