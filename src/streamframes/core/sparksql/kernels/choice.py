"""Choice: of two values one, row by row, without a branch on each row."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streamframes.core.jit.buffers import dtype_of, empty, flags, is_fixed, numbers, valued
from streamframes.core.sparksql.terms import Values
from streamframes.core.sparksql.types.types import is_decimal


def picked(holds: pa.BooleanArray, one: Values, other: Values) -> pa.Array:
    """The one where a condition without nulls holds, otherwise the other; each an array or a scalar."""
    kind, n, n_true = one.type, len(holds), holds.true_count
    for chosen, count in ((one, n), (other, 0)):
        if n_true == count and isinstance(chosen, pa.Array):
            return chosen
    if not is_fixed(kind) or is_decimal(kind):
        return pc.if_else(holds, one, other)
    return valued(_values(holds, one, other), kind, _valid(holds, one, other))


def _valid(holds: pa.BooleanArray, one: Values, other: Values) -> pa.BooleanArray | None:
    first, second = _presence(one), _presence(other)
    if first is True and second is True:
        return None
    return pc.or_(pc.and_(holds, first), pc.and_not(second, holds))


def _presence(data: Values) -> bool | pa.BooleanArray:
    """Where there is a value; a plain truth where that is the same everywhere (a scalar of Arrow would load pandas)."""
    if isinstance(data, pa.Scalar):
        return bool(data.is_valid)
    return data.is_valid() if data.null_count else True


def _values(holds: pa.BooleanArray, one: Values, other: Values) -> np.ndarray:
    """A bit of either: `other ^ ((one ^ other) & mask)`, where the mask has all bits or none."""
    dtype = dtype_of(one.type)
    bits = np.dtype(f"i{dtype.itemsize}")
    n = len(holds)
    first, second = (_bits(each, dtype, bits) for each in (one, other))
    if first is None or second is None:
        # Under a null lies any value.
        kept = second if first is None else first
        return np.zeros(n, dtype) if kept is None else np.ascontiguousarray(np.broadcast_to(kept, n)).view(dtype)
    result = empty(n, bits)
    np.negative(flags(holds).view(np.int8), out=result, dtype=bits, casting="unsafe")
    if np.ndim(first) == 0 and np.ndim(second) == 0:
        result &= first ^ second
    else:
        result &= np.bitwise_xor(first, second, out=empty(n, bits))
    result ^= second
    return result.view(dtype)


def _bits(data: Values, dtype: np.dtype, bits: np.dtype) -> np.ndarray | None:
    if isinstance(data, pa.Scalar) and not data.is_valid:
        return None
    seen: np.ndarray = dtype.type(numbers(data)) if isinstance(data, pa.Scalar) else numbers(data)
    return seen.view(bits)
