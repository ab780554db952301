"""Stretches: spans that meet, and the part of a signal that tells most."""

from __future__ import annotations

import numpy as np
import pytest

from streamframes.study.data.stretch import Selection, Spans


def spans(*pairs):
    start, end = zip(*pairs, strict=True) if pairs else ((), ())
    return Spans(np.array(start, float), np.array(end, float))


def test_spans_meet_that_share_an_instant():
    some = spans((0, 4), (5, 9), (10, 19), (30, 31))
    assert some.meet(spans((4, 4), (18, 40))).tolist() == [True, False, True, True]
    assert some.meet(spans()).tolist() == [False] * 4
    assert some.hold(np.array([4.0, 4.5, 10, 20, 31])).tolist() == [True, False, True, False, True]


def test_spans_within_edges_may_stick_out():
    assert spans((0, 4), (5, 9), (10, 19)).within(4, 5).start.tolist() == [0, 5]


def selection(frames, **selected):
    """Ten windows of ten instants each, of which those with the given numbers are selected."""
    flags = {name: np.isin(np.arange(10), places) for name, places in selected.items()}
    return Selection(spans(*frames), spans(*((10 * i, 10 * i + 9) for i in range(10))), flags)


def test_a_frame_is_missed_that_meets_no_selected_window_and_a_window_without_frame_is_a_false_alarm():
    found = selection([(12, 18), (55, 64)], min=[6], max=[1, 3, 5, 6])
    assert found.missed("min").start.tolist() == [12]
    assert found.missed("max").start.tolist() == []
    assert found.false_alarms("min").start.tolist() == []
    assert found.false_alarms("max").start.tolist() == [30]


@pytest.mark.parametrize(("length", "edges"), [(6, (10, 69)), (10, (0, 99)), (40, (0, 99))])
def test_the_stretch_that_tells_most_holds_a_hit_a_miss_and_a_false_alarm(length, edges):
    found = selection([(12, 18), (50, 64)], min=[5], max=[1, 3, 5, 6, 9])
    assert found.most_varied(length)[1] == edges
