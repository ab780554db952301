"""Arguments: windows, thresholds and searches are checked before anything runs."""

from __future__ import annotations

import math

import numpy as np
import pytest

from streamframes.core.batch.clock import Clock
from streamframes.core.bursts.arguments import search_of, thresholds_of, unit_ticks, windows_of
from streamframes.core.bursts.learning import Learn
from streamframes.errors import InvalidArgument

INTEGER, TIME = Clock("integer"), Clock("timestamp")
SECOND = 1_000_000


@pytest.mark.parametrize(
    ("windows", "unit", "lengths"),
    [
        (range(4, 13, 4), None, (4, 8, 12)),
        (np.array([4, 8]), None, (4, 8)),
        (["1 second", "1 minute"], SECOND, (1, 60)),
        ([3, "1 minute"], SECOND, (3, 60)),
    ],
)
def test_windows_are_numbers_of_rows_or_of_units(windows, unit, lengths):
    assert windows_of(windows, unit, TIME) == lengths


@pytest.mark.parametrize(
    ("windows", "unit", "message"),
    [
        ("4", None, r"got windows='4'; give several"),
        (4, None, r"got windows=4; give several"),
        ([], None, r"got windows=\[\], which holds none"),
        ([4, 4], None, r"4 comes after 4; let them ascend"),
        ([8, 4], None, r"4 comes after 8; let them ascend"),
        ([0, 4], None, r"got the window 0; a window has 1 row or more"),
        ([True], None, r"got the window True; windows are whole numbers of rows"),
        ([2.5], None, r"got the window 2.5; windows are whole numbers of rows"),
        (["1 second"], None, r"together with unit="),
        (["1500 milliseconds"], SECOND, r"which is no whole number of units; change unit="),
    ],
)
def test_other_windows_are_refused_with_a_remedy(windows, unit, message):
    with pytest.raises(InvalidArgument, match=message):
        windows_of(windows, unit, TIME)


@pytest.mark.parametrize(
    ("thresholds", "expected"),
    [
        ({4: 1, 8: 2.5}, (1.0, 2.5)),
        ({8: np.float32(2.5), 4: np.int64(1)}, (1.0, 2.5)),
        (lambda w: 2 * w, (8.0, 16.0)),
        (Learn(rows=8), Learn(rows=8)),
    ],
)
def test_thresholds_are_one_for_each_window_or_learnt(thresholds, expected):
    assert thresholds_of(thresholds, (4, 8), None, INTEGER) == expected


def test_a_mapping_of_durations_gives_a_threshold_for_each_window_in_units():
    assert thresholds_of({"1 second": 1, "1 minute": 2}, (1, 60), SECOND, TIME) == (1.0, 2.0)


@pytest.mark.parametrize(
    ("thresholds", "message"),
    [
        ({4: 1.0}, r"without one for the window 8, 1 of 2 missing"),
        ({4: 1.0, 8: math.nan}, r"the threshold nan for the window 8; give a finite number"),
        ({4: 1.0, 8: "2"}, r"the threshold '2' for the window 8"),
        ({4: True, 8: 1.0}, r"the threshold True for the window 4"),
        (lambda w: None, r"the threshold None for the window 4"),
        (7, r"got thresholds=7; give a mapping of windows to numbers"),
        (Learn(rows=7), r"learn from as many rows at least: Learn\(sigmas=7, rows=80\)"),
    ],
)
def test_other_thresholds_are_refused_with_a_remedy(thresholds, message):
    with pytest.raises(InvalidArgument, match=message):
        thresholds_of(thresholds, (4, 8), None, INTEGER)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"sigmas": math.inf}, r"sigmas=inf; give a number like 7"),
        ({"sigmas": "7"}, r"sigmas='7'; give a number like 7"),
        ({"rows": 0}, r"rows=0; give a whole number of rows like 10_000"),
        ({"rows": 2.0}, r"rows=2.0; give a whole number of rows like 10_000"),
    ],
)
def test_what_cannot_be_learnt_from_is_refused(arguments, message):
    with pytest.raises(InvalidArgument, match=message):
        Learn(**arguments)


@pytest.mark.parametrize(
    ("search", "agg", "longest", "chosen"),
    [
        (None, "sum", 100_000, "exact"),
        (None, "sum", 100_001, "all"),
        (None, "min", 100_001, "exact"),
        ("exact", "sum", 100_001, "exact"),
        ("monotonic", "variance", 4, "monotonic"),
    ],
)
def test_the_exact_search_is_chosen_unless_it_would_keep_very_much(search, agg, longest, chosen):
    assert search_of(search, agg, longest)[0] == chosen


@pytest.mark.parametrize(
    ("search", "agg", "message"),
    [
        ("fast", "sum", r"search='fast'"),
        (None, "median", r"agg='median'"),
        ("all", "max", r"search='all' for agg='max', which has no histogram; use 'exact'"),
    ],
)
def test_searches_of_no_kind_are_refused(search, agg, message):
    with pytest.raises(InvalidArgument, match=message):
        search_of(search, agg, 4)


def test_units_are_durations_or_none():
    assert unit_ticks(None, TIME) is None
    assert unit_ticks("1 second", TIME) == SECOND
    with pytest.raises(InvalidArgument, match="unit"):
        unit_ticks("1 second", INTEGER)
