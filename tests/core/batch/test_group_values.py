"""Groups of 0.0 and -0.0 are one, shown as Spark shows it.

Covers: streamframes.core.batch.group_values, streamframes.core.batch.groups
"""

from __future__ import annotations

import struct

import numpy as np
import pyarrow as pa
import pytest

from streamframes.core.batch.group_values import with_one_zero
from streamframes.core.batch.groups import GroupIndex, fingerprints

NESTED = pa.struct([("x", pa.list_(pa.float64())), ("y", pa.float32())])


def of(values: list[object], kind: pa.DataType) -> pa.Array:
    return pa.array(values, kind)


@pytest.mark.parametrize(
    ("values", "kind", "expected"),
    [
        ([-0.0, 0.0, None, -1.5], pa.float64(), "[0.0, 0.0, None, -1.5]"),
        ([-0.0, None], pa.float32(), "[0.0, None]"),
        ([[-0.0, None, 1.0], None, [], [-0.0]], pa.list_(pa.float64()), "[[0.0, None, 1.0], None, [], [0.0]]"),
        ([{"x": [-0.0], "y": -0.0}, None], NESTED, "[{'x': [0.0], 'y': 0.0}, None]"),
        (["a", None], pa.string(), "['a', None]"),
    ],
)
def test_minus_zero_is_shown_as_zero(values: list[object], kind: pa.DataType, expected: str) -> None:
    assert str(with_one_zero(of(values, kind)).to_pylist()) == expected
    padded = of([*values, *values, *values], kind)
    assert str(with_one_zero(padded.slice(len(values), len(values))).to_pylist()) == expected


def test_what_is_not_a_number_keeps_its_bits() -> None:
    odd = struct.unpack("d", struct.pack("Q", 0x7FF8_0000_0000_0001))[0]
    assert np.isnan(with_one_zero(pa.array([odd])).to_numpy()).all()


@pytest.mark.parametrize("nested", [False, True])
@pytest.mark.parametrize("order", [[-0.0, 0.0], [0.0, -0.0]])
def test_both_zeros_are_one_group_whichever_comes_first(order: list[float], nested: bool) -> None:
    kind = pa.struct([("x", pa.float64())]) if nested else pa.float64()
    keys = pa.record_batch({"key": pa.array([{"x": each} for each in order] if nested else order, kind)})
    index = GroupIndex(keys.schema)
    assert index.numbers(*fingerprints(keys.columns, 2), keys).tolist() == [0, 0]
    assert str(index.values(np.arange(1))[0].to_pylist()) == ("[{'x': 0.0}]" if nested else "[0.0]")
