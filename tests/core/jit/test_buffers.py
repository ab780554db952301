"""Buffers: Arrow arrays seen as NumPy arrays and back, whatever their offset and their nulls."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given

from streamframes.core.jit import buffers

TRUTHS = st.lists(st.sampled_from([True, False, None]), max_size=40)


@given(values=TRUTHS, skipped=st.integers(0, 20))
def test_null_is_not_true(values: list[bool | None], skipped: int) -> None:
    array = pa.array(values, pa.bool_()).slice(min(skipped, len(values)))
    assert buffers.flags(buffers.truths(array)).tolist() == [value is True for value in values[skipped:]]


@pytest.mark.parametrize(
    ("values", "kind", "seen"),
    [
        ([1, 2, 3], pa.int8(), [1, 2, 3]),
        ([0.5, -1.0, 2.0], pa.float32(), [0.5, -1.0, 2.0]),
        ([5, 6, 7], pa.timestamp("us"), [5, 6, 7]),
        ([5, 6, 7], pa.date32(), [5, 6, 7]),
        ([Decimal("1.50"), Decimal("-2.25"), Decimal("0.01")], pa.decimal128(9, 2), [150, -225, 1]),
    ],
    ids=str,
)
def test_numbers_are_seen_where_they_lie(values: list[Any], kind: pa.DataType, seen: list[float]) -> None:
    array = pa.array(values, kind)
    assert buffers.is_fixed(kind)
    assert buffers.numbers(array).tolist() == seen
    assert buffers.numbers(array.slice(1)).tolist() == seen[1:]
    assert buffers.numbers(array[1]) == seen[1]


@given(values=TRUTHS, others=TRUTHS)
def test_a_result_is_null_where_an_argument_is(values: list[bool | None], others: list[bool | None]) -> None:
    n = min(len(values), len(others))
    one, other = pa.array(values[:n], pa.bool_()), pa.array(others[:n], pa.bool_())
    made = buffers.made(np.arange(n), pa.int64(), one, other)
    present = [a is not None and b is not None for a, b in zip(one.to_pylist(), other.to_pylist(), strict=True)]
    assert made.to_pylist() == [i if there else None for i, there in enumerate(present)]
    assert buffers.packed(np.ones(n, np.bool_), one, other).to_pylist() == [True if each else None for each in present]
    nulled = buffers.nulled(buffers.everywhere(n), one, other)
    assert nulled.to_pylist() == [True if each else None for each in present]


@pytest.mark.parametrize("kind", [pa.int64(), pa.string(), pa.decimal128(19, 0)], ids=str)
def test_some_rows_get_the_value_of_another(kind: pa.DataType) -> None:
    array = pa.array([1, None, 3, 4], pa.int64()).cast(kind)
    changed = buffers.overwritten(array, np.array([1, 3]), 0)
    assert changed.equals(pa.array([1, 1, 3, 1], pa.int64()).cast(kind))
    assert buffers.overwritten(array, np.array([0]), 1).null_count == 2
