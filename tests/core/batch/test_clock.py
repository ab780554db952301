"""Clocks: what a tick is, and which durations a clock refuses.

Covers: streamframes.core.batch.clock
"""

from __future__ import annotations

from datetime import timedelta
from typing import Literal

import pytest

from streamframes.core.batch.clock import Clock, check_duration, microseconds
from streamframes.errors import InvalidArgument


@pytest.mark.parametrize(
    ("kind", "duration", "ticks"),
    [
        ("timestamp", "1 hour 30 minutes", 5_400_000_000),
        ("timestamp", "interval 2.5 seconds", 2_500_000),
        ("timestamp", timedelta(milliseconds=3), 3_000),
        ("date", "2 days", 2),
        ("date", timedelta(weeks=1), 7),
        ("integer", 20, 20),
    ],
)
def test_a_duration_is_a_number_of_ticks(
    kind: Literal["timestamp", "date", "integer"], duration: str | int | timedelta, ticks: int
) -> None:
    check_duration(duration, "max_gap")
    assert Clock(kind).ticks(duration, "max_gap") == ticks


@pytest.mark.parametrize(
    ("kind", "duration", "why"),
    [
        ("timestamp", 20, "give it a unit, for example '20 seconds'"),
        ("date", "36 hours", "no whole number of days"),
        ("integer", "2 minutes", "ts is an integer; give a plain number"),
        ("integer", 2.5, "must be a whole number"),
    ],
)
def test_a_clock_refuses_durations_that_it_cannot_count(
    kind: Literal["timestamp", "date", "integer"], duration: str | float, why: str
) -> None:
    with pytest.raises(InvalidArgument, match=why):
        Clock(kind).ticks(duration, "max_gap")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("2 months", "has no fixed length"),
        ("2 parsecs", "has the unknown unit 'parsecs'"),
        ("", "is not a duration"),
        ("0.0000001 seconds", "finer than one microsecond"),
    ],
)
def test_texts_that_are_no_duration(text: str, why: str) -> None:
    with pytest.raises(InvalidArgument, match=why):
        microseconds(text, "max_gap")
