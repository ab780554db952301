"""Buffers: Arrow arrays seen as NumPy arrays and back, without copies. Under a null lies any value.

Results are written into memory of Arrow's pool, which keeps what it has: fresh pages would cost more than the numbers.
"""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

COMPACT_DIGITS = 18  # so many digits of a decimal lie in the lower half of its 16 bytes


def is_fixed(kind: pa.DataType) -> bool:
    """Whether values of this type can be seen as NumPy numbers."""
    if pa.types.is_decimal128(kind):
        return bool(kind.precision <= COMPACT_DIGITS)
    return bool(pa.types.is_integer(kind) or pa.types.is_floating(kind) or pa.types.is_temporal(kind))


def dtype_of(kind: pa.DataType) -> np.dtype:
    """How a fixed type is seen: instants as their ticks, decimals as their digits."""
    if pa.types.is_integer(kind) or pa.types.is_floating(kind):
        numbers_of_kind: type[np.generic] = kind.to_pandas_dtype()
        return np.dtype(numbers_of_kind)
    return np.dtype(np.int32 if pa.types.is_date32(kind) else np.int64)


def empty(n: int, dtype: npt.DTypeLike) -> np.ndarray:
    """Room for numbers."""
    dtype = np.dtype(dtype)
    return np.frombuffer(pa.allocate_buffer(n * dtype.itemsize), dtype)


def numbers(data: pa.Array | pa.Scalar) -> Any:
    """An array of a fixed type as a NumPy array, a scalar as a NumPy scalar."""
    dtype = dtype_of(data.type)
    if isinstance(data, pa.Scalar):
        value = data.value if pa.types.is_temporal(data.type) else data.as_py()
        return dtype.type(int(value.scaleb(data.type.scale)) if isinstance(value, Decimal) else value)
    buffer, n, first = data.buffers()[1], len(data), data.offset
    if pa.types.is_decimal128(data.type):
        return np.frombuffer(buffer, dtype, 2 * n, 2 * first * dtype.itemsize)[::2]
    return np.frombuffer(buffer, dtype, n, first * dtype.itemsize)


def flags(array: pa.BooleanArray) -> np.ndarray:
    """Conditions as a NumPy array."""
    first = array.offset // 8
    last = (array.offset + len(array) + 7) // 8
    packed = np.frombuffer(array.buffers()[1], np.uint8, last - first, first)
    start = array.offset % 8
    return np.unpackbits(packed, bitorder="little")[start : start + len(array)].view(np.bool_)


def present(*data: pa.Array | pa.Scalar) -> pa.BooleanArray | None:
    """Where no array is null; None if there are no nulls."""
    valid = None
    for each in data:
        if isinstance(each, pa.Array) and each.null_count:
            there = each.is_valid()
            valid = there if valid is None else pc.and_(valid, there)
    return valid


def _bitmap(array: pa.BooleanArray | None) -> pa.Buffer | None:
    if array is None:
        return None
    return pa.py_buffer(np.packbits(flags(array), bitorder="little")) if array.offset else array.buffers()[1]


def made(values: np.ndarray, kind: pa.DataType, *like: pa.Array | pa.Scalar) -> pa.Array:
    """Numbers as an array, null where one of the others is."""
    return valued(values, kind, present(*like))


def valued(values: np.ndarray, kind: pa.DataType, valid: pa.BooleanArray | None) -> pa.Array:
    """Numbers as an array, null where they are not valid."""
    return pa.Array.from_buffers(kind, values.size, [_bitmap(valid), pa.py_buffer(values)])


def packed(mask: np.ndarray, *like: pa.Array | pa.Scalar) -> pa.BooleanArray:
    """A mask as conditions, null where one of the others is."""
    bits = pa.py_buffer(np.packbits(mask, bitorder="little"))
    return pa.Array.from_buffers(pa.bool_(), mask.size, [_bitmap(present(*like)), bits])


def nulled(array: pa.BooleanArray, *like: pa.Array | pa.Scalar) -> pa.BooleanArray:
    """Conditions without nulls, made null where one of the others is."""
    valid = present(*like)
    if valid is None:
        return array
    return pa.Array.from_buffers(pa.bool_(), len(array), [_bitmap(valid), _bitmap(array)])


def truths(array: pa.BooleanArray) -> pa.BooleanArray:
    """Where a condition holds; null is false."""
    if not array.null_count:
        return array
    plain = pa.Array.from_buffers(pa.bool_(), len(array), [None, array.buffers()[1]], offset=array.offset)
    return pc.and_(plain, array.is_valid())


def overwritten(array: pa.Array, rows: np.ndarray, by: int) -> pa.Array:
    """An array in which some rows have the value of another row."""
    if not is_fixed(array.type) or pa.types.is_decimal(array.type):
        places = np.arange(len(array))
        places[rows] = by
        return array.take(pa.array(places))
    values, valid = empty(len(array), dtype_of(array.type)), present(array)
    np.copyto(values, numbers(array))
    values[rows] = values[by]
    if valid is not None:
        mask = flags(valid)
        mask[rows] = mask[by]
        valid = packed(mask)
    return valued(values, array.type, valid)


def everywhere(n: int, value: bool = True) -> pa.BooleanArray:
    """The same truth on all rows."""
    return packed(np.full(n, value))
