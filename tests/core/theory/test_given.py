"""What `frames_of` takes: columns of many kinds, instants of many kinds; the same frames, and short messages."""

from __future__ import annotations

import datetime as dt
from typing import Any

import numpy as np
import pandas as pd
import polars as pl
import pyarrow as pa
import pytest

import streamframes as sf

LOSS = [0.5, 0.4, 0.1, 0.6]
HIGH = sf.Threshold("loss > 0.3")
EXPECTED = [sf.Frame(1, 2, 2, "condition"), sf.Frame(4, 4, 1, "end of data")]
AT_NOON = dt.datetime(2026, 1, 5, 12, tzinfo=dt.UTC)


@pytest.mark.parametrize("made", [list, np.array, pd.Series, pl.Series, pa.array, lambda it: pa.chunked_array([it])])
def test_columns_come_from_any_library(made: Any) -> None:
    assert sf.frames_of(HIGH, ts=made([1, 2, 3, 4]), loss=made(LOSS), other=made(["a", "b", "c", "d"])) == EXPECTED


def test_conditions_are_computed_or_given() -> None:
    both = sf.Threshold("v < 0.1", until="v > 0.2 * factor")
    computed = sf.frames_of(both, ts=[1, 2, 3], v=[0.0, 0.15, 0.5], factor=[2, 2, 2])
    assert computed == sf.frames_of(both, ts=[1, 2, 3], where=[True, False, False], until=[False, False, True])


def test_a_column_named_like_an_input_is_a_column_of_its_expression() -> None:
    doubled = sf.frames_of(sf.Delta("value * 2", "<", 3), ts=[1, 2], value=[0.0, 2.0])
    assert [frame.rows for frame in doubled] == [1, 1]


@pytest.mark.parametrize("first", [AT_NOON, AT_NOON.replace(tzinfo=None), AT_NOON.date()], ids=["utc", "naive", "date"])
def test_frames_have_instants_of_the_kind_that_was_given(first: Any) -> None:
    days = [first + dt.timedelta(days=n) for n in (0, 1, 5)]
    (one, two) = sf.frames_of(sf.Gap("2 days"), ts=days)
    assert (one.start, one.end, two.start, one.duration) == (days[0], days[1], days[2], dt.timedelta(days=1))
    assert sf.frames_of(sf.Gap("2 days"), ts=np.array([day.isoformat()[:10] for day in days], "datetime64[D]"))


@pytest.mark.parametrize(
    ("given", "message"),
    [
        ({"ts": [1, None]}, r"ts=\[1, None\] must be whole numbers, datetimes or dates, and none"),
        ({"ts": [1.5, 2.5]}, r"ts=\[1.5, 2.5\] must be whole numbers"),
        ({"ts": [AT_NOON, AT_NOON.replace(tzinfo=None)]}, "with and without a time zone"),
        ({"ts": np.array([1], "datetime64[ns]")}, "whole microseconds"),
        ({"ts": [1, "a"]}, r"ts=\[1, 'a'\] must be values of one type"),
        ({"ts": [1, 2], "loss": LOSS}, r"loss=\[0.5, 0.4, 0.1, ...\] has 4 values but ts has 2"),
        ({"ts": [1], "lost": [0.5]}, "Threshold needs where='loss > 0.3', and the columns are lost: loss is no column"),
        ({"ts": [1], "where": [0.5]}, r"where=\[0.5\] must be True or False"),
        ({"ts": [1], "loss": ["0.5"]}, "loss"),
    ],
)
def test_what_cannot_be_used_is_refused_in_short(given: Any, message: str) -> None:
    with pytest.raises(sf.InvalidArgument, match=message) as refused:
        sf.frames_of(HIGH, **given)
    assert len(str(refused.value)) < 400


def test_a_long_column_is_not_printed() -> None:
    with pytest.raises(sf.InvalidArgument) as refused:
        sf.frames_of(HIGH, ts=range(100_000), loss=["high"] * 99_999)
    assert len(str(refused.value)) < 200
