"""Bounds hold whatever is known of the values."""

from __future__ import annotations

from decimal import Decimal

import numpy as np
import pyarrow as pa

from streamframes.core.files.parquet.bounds import array_of, constants, decimals_beyond, statistics, widened

INSTANT = pa.timestamp("us", "UTC")


def test_what_has_no_place_in_a_type_is_not_known() -> None:
    assert array_of([1, 2**40, "x", None], pa.int32()).to_pylist() == [1, None, None, None]
    assert array_of([0, 2**70], INSTANT).is_null().to_pylist() == [False, True]
    assert widened(array_of([5, 2**63 - 1, None], INSTANT), 1000).view(pa.int64()).to_pylist() == [1005, None, None]


def test_a_nan_is_above_what_statistics_call_the_highest_value() -> None:
    low, high = pa.array([1.0, np.nan]), pa.array([2.0, 3.0])
    one = np.ones(2, np.bool_)
    found = statistics(low, high, one, one, np.array([True, False]))
    assert (found.low.to_pylist(), found.high.to_pylist()) == ([1.0, None], [2.0, None])
    assert constants(pa.array([np.nan, None])).high.null_count == 1


def test_decimals_that_were_doubles_are_widened_by_what_a_double_rounds() -> None:
    value = Decimal("123456789012345678.1234")
    kind = pa.decimal128(25, 4)
    below, above = (decimals_beyond(pa.array([value, None], kind), sign) for sign in (-1, 1))
    rounded = Decimal(float(value))
    assert below[0].as_py() <= min(value, rounded) <= max(value, rounded) <= above[0].as_py()
    assert below[1].as_py() is None
