"""In which types columns are carried, and that their values stay what they are."""

from __future__ import annotations

from datetime import date, datetime
from decimal import Decimal

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamframes.core.files.parquet.types import ENCODED, as_carried, carried

CARRIED = [
    (pa.timestamp("ns", "Europe/Berlin"), pa.timestamp("us", "UTC")),
    (pa.timestamp("s", "UTC"), pa.timestamp("us", "UTC")),
    (pa.timestamp("ms"), pa.timestamp("us")),
    (pa.timestamp("us"), pa.timestamp("us")),
    (pa.date32(), pa.date32()),
    (pa.date64(), pa.date32()),
    (pa.duration("ns"), pa.int64()),
    (pa.string(), pa.string()),
    (pa.large_string(), pa.string()),
    (pa.string_view(), pa.string()),
    (pa.dictionary(pa.int8(), pa.large_string()), pa.string()),
    (pa.dictionary(pa.int8(), pa.uint8()), pa.int16()),
    (pa.binary(), pa.binary()),
    (pa.large_binary(), pa.binary()),
    (pa.binary_view(), pa.binary()),
    (pa.binary(4), pa.binary()),
    (pa.uuid(), pa.binary()),
    (pa.bool_(), pa.bool_()),
    (pa.int8(), pa.int8()),
    (pa.int64(), pa.int64()),
    (pa.uint8(), pa.int16()),
    (pa.uint16(), pa.int32()),
    (pa.uint32(), pa.int64()),
    (pa.uint64(), pa.decimal128(20, 0)),
    (pa.float16(), pa.float32()),
    (pa.float32(), pa.float32()),
    (pa.float64(), pa.float64()),
    (pa.decimal32(5, 2), pa.decimal128(5, 2)),
    (pa.decimal64(12, 2), pa.decimal128(12, 2)),
    (pa.decimal128(38, 0), pa.decimal128(38, 0)),
    (pa.decimal256(38, 6), pa.decimal128(38, 6)),
    (pa.decimal256(39, 6), None),
    (pa.list_(pa.field("element", pa.uint8(), nullable=False)), pa.list_(pa.int16())),
    (pa.large_list(pa.large_string()), pa.list_(pa.string())),
    (pa.list_(pa.int32(), 2), pa.list_(pa.int32())),
    (pa.list_view(pa.int32()), pa.list_(pa.int32())),
    (pa.large_list_view(pa.int32()), pa.list_(pa.int32())),
    (pa.struct({"a": pa.uint8(), "b": pa.timestamp("ns")}), pa.struct({"a": pa.int16(), "b": pa.timestamp("us")})),
    (pa.map_(pa.large_string(), pa.uint32()), pa.map_(pa.string(), pa.int64())),
    (pa.struct({"a": pa.int8(), "b": pa.time64("us")}), None),
    (pa.list_(pa.null()), None),
    (pa.time32("ms"), None),
    (pa.null(), None),
]


@pytest.mark.parametrize(("kind", "expected"), CARRIED, ids=str)
def test_a_column_is_carried_in_the_type_that_spark_would_use(kind, expected):
    assert carried(kind) == expected


VALUES = [
    (pa.uint64(), [0, None, 2**64 - 1], [Decimal(0), None, Decimal(2**64 - 1)]),
    (pa.uint32(), [2**32 - 1, None], [2**32 - 1, None]),
    (pa.float16(), [0.5, None], [0.5, None]),
    (pa.date64(), [date(1969, 12, 31), None], [date(1969, 12, 31), None]),
    (pa.duration("ms"), [-7, None], [-7, None]),
    (pa.decimal256(38, 2), [Decimal("-1.25"), None], [Decimal("-1.25"), None]),
    (pa.decimal32(5, 2), [Decimal("-1.25"), None], [Decimal("-1.25"), None]),
    (pa.large_string(), ["a", None, "é"], ["a", None, "é"]),
    (pa.string_view(), ["a", None, "a string that is long"], ["a", None, "a string that is long"]),
    (pa.binary(2), [b"ab", None], [b"ab", None]),
    (pa.binary_view(), [b"ab", None], [b"ab", None]),
    (pa.dictionary(pa.int8(), pa.string()), ["b", None, "a", "b"], ["b", None, "a", "b"]),
    (pa.list_(pa.uint8(), 2), [[1, 2], None, [3, None]], [[1, 2], None, [3, None]]),
    (pa.list_view(pa.uint8()), [[1], None, [], [2, 3]], [[1], None, [], [2, 3]]),
    (pa.large_list(pa.large_string()), [["x"], None, [], ["y", None]], [["x"], None, [], ["y", None]]),
    (pa.struct({"a": pa.uint8()}), [{"a": 1}, None, {"a": None}], [{"a": 1}, None, {"a": None}]),
    (pa.map_(pa.string(), pa.uint8()), [[("a", 1)], None, [], [("b", None)]], [[("a", 1)], None, [], [("b", None)]]),
]


@pytest.mark.parametrize(("kind", "values", "expected"), VALUES, ids=lambda value: str(value)[:40])
def test_values_are_carried_exactly_and_slices_too(kind, values, expected):
    array = pa.array(values, kind)
    for start in range(len(values) + 1):
        result = as_carried(array.slice(start), carried(kind))
        result.validate(full=True)
        assert result.type == carried(kind)
        assert result.to_pylist() == expected[start:]


@given(st.lists(st.none() | st.integers(-(2**63), 2**63 - 1)), st.integers(0, 3), st.sampled_from([None, "UTC"]))
def test_nanoseconds_are_cut_down_to_microseconds_also_before_1970(stored, start, zone):
    array = pa.array(stored, pa.timestamp("ns", zone)).slice(start)
    result = as_carried(array, pa.timestamp("us", zone))
    assert result.type == pa.timestamp("us", zone)
    assert result.cast(pa.int64()).to_pylist() == [None if n is None else n // 1000 for n in stored[start:]]


@given(st.lists(st.none() | st.integers(-(2**40), 2**40)), st.sampled_from([("s", 10**6), ("ms", 1000), ("us", 1)]))
def test_coarser_timestamps_keep_their_instant(stored, unit):
    array = pa.array(stored, pa.timestamp(unit[0], "Europe/Berlin"))
    result = as_carried(array, carried(array.type))
    assert result.cast(pa.int64()).to_pylist() == [None if n is None else n * unit[1] for n in stored]


def test_nanoseconds_inside_nested_columns_are_cut_down_too():
    kind = pa.large_list(pa.struct({"at": pa.timestamp("ns")}))
    result = as_carried(pa.array([None, [{"at": -1}, None], [{"at": 1999}]], kind), carried(kind))
    before, after = datetime(1969, 12, 31, 23, 59, 59, 999999), datetime(1970, 1, 1, 0, 0, 0, 1)
    assert result.to_pylist() == [None, [{"at": before}, None], [{"at": after}]]


def test_encoded_strings_stay_encoded_where_asked_for():
    array = pa.array(["b", None, "a", "b"], pa.large_string()).dictionary_encode().slice(1)
    result = as_carried(array, ENCODED)
    assert result.type == ENCODED
    assert result.to_pylist() == [None, "a", "b"]
