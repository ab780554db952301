"""Idle groups: they time out once, when their watermark is further than `max_gap` behind their last row."""

from __future__ import annotations

import numpy as np

from streamframes.core.batch.rows import Rows
from streamframes.core.frames.idle import Idleness
from streamframes.core.frames.kernel import NO_LIMIT, SKIP


def rows(ts: int, mark: int = 0) -> Rows:
    """A row of each of two groups."""
    marks = np.full(2, mark, np.uint8)
    return Rows(np.array([0, 1]), np.array([0, 1, 2]), np.array([ts, ts + 5]), [], marks)


def test_a_group_times_out_once_after_each_row() -> None:
    idleness = Idleness(np.uint64(10))
    idleness.note(rows(100), 2)
    assert idleness.timed_out(np.array([110, 110])).tolist() == []
    assert idleness.timed_out(np.array([111, 111])).tolist() == [0]
    assert idleness.timed_out(np.array([111, 116])).tolist() == [1]
    assert idleness.timed_out(np.array([999, 999])).tolist() == []
    idleness.note(rows(1000), 2)
    assert idleness.timed_out(np.array([2000, 2000])).tolist() == [0, 1]


def test_a_row_that_the_scheme_skips_does_not_count() -> None:
    idleness = Idleness(np.uint64(10))
    idleness.note(rows(100), 2)
    idleness.note(rows(120, SKIP), 2)
    assert idleness.timed_out(np.array([125, 125])).tolist() == [0, 1]


def test_without_max_gap_no_group_times_out() -> None:
    idleness = Idleness(NO_LIMIT)
    idleness.note(rows(100), 2)
    assert idleness.timed_out(np.array([10**9, 10**9])).tolist() == []
