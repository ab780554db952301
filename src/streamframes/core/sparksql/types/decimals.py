"""Decimals: their common types, their doubles, and how numbers are compared with an exact constant."""

from __future__ import annotations

import math
from decimal import Context, Decimal
from fractions import Fraction

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streamframes.core.jit.buffers import empty, is_fixed, made, numbers
from streamframes.core.sparksql.terms import Term, Untranslatable
from streamframes.core.sparksql.types.types import MOST_DIGITS, WHOLE, is_decimal, spark_name

_WIDTHS = dict(zip(WHOLE, (3, 5, 10, 20), strict=True))
_EXACT_DOUBLE = 2**53
_EXACT = Context(prec=2 * MOST_DIGITS)
_EXACT_POWER = 22  # 10**22 is the largest power of ten that is a double


def as_decimal(kind: pa.DataType) -> pa.DataType:
    """The decimals that hold all numbers of a type."""
    return kind if is_decimal(kind) else pa.decimal128(_WIDTHS[kind], 0)


def type_of_literal(value: Decimal) -> pa.DataType:
    """The decimals with just the digits of a literal."""
    _, digits, exponent = value.as_tuple()
    scale = max(0, -int(exponent))
    precision = max(len(digits) + max(0, int(exponent)), scale, 1)
    if precision > MOST_DIGITS:
        raise Untranslatable(f"{value} has more than {MOST_DIGITS} digits")
    return pa.decimal128(precision, scale)


def wider(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    """The decimals that hold all numbers of both types."""
    one, other = as_decimal(one), as_decimal(other)
    scale = max(one.scale, other.scale)
    precision = max(one.precision - one.scale, other.precision - other.scale) + scale
    if precision > MOST_DIGITS:
        names = f"{spark_name(one)} and {spark_name(other)}"
        raise Untranslatable(f"{names} together need more than {MOST_DIGITS} digits")
    return pa.decimal128(precision, scale)


def operand_type(term: Term) -> pa.DataType:
    """The decimals as which Spark takes a term in arithmetic; of a literal it counts the digits."""
    if term.type in WHOLE and term.number is not None:
        return type_of_literal(Decimal(term.number))
    if term.scalar is not None and term.type in (pa.int16(), pa.int64()):
        # 7S and 2L are literals, casts are not, and sqlglot reads both alike.
        raise Untranslatable(f"a {spark_name(term.type)} constant with a decimal is left to Spark")
    return as_decimal(term.type)


def to_double(array: pa.Array) -> pa.Array:
    """The doubles nearest to decimals: a quotient where its parts are doubles, otherwise by way of text."""
    kind = array.type
    raw = np.frombuffer(array.buffers()[1], np.int64, 2 * len(array), 16 * array.offset)
    low, high = raw[::2], raw[1::2]
    whole = empty(len(array), np.float64)
    np.copyto(whole, low)
    doubtful = None
    if kind.precision > 15:
        doubtful = (np.abs(whole) > _EXACT_DOUBLE) | (high != low >> 63)
    if kind.scale > _EXACT_POWER:
        doubtful = np.ones(len(array), np.bool_)
    if kind.scale:
        whole /= 10.0 ** min(kind.scale, _EXACT_POWER)
    if doubtful is not None and doubtful.any():
        rest = pc.cast(pc.cast(array.filter(pa.array(doubtful)), pa.string()), pa.float64())
        whole[doubtful] = rest.fill_null(0).to_numpy(zero_copy_only=False)
    return made(whole, pa.float64(), array)


def to_whole(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """Decimals of few digits without those after the point."""
    units = numbers(array)
    whole = np.sign(units) * (np.abs(units) // 10**array.type.scale)
    return pc.cast(made(np.ascontiguousarray(whole), pa.int64(), array), kind)


def can_be_whole(kind: pa.DataType) -> bool:
    """Whether `to_whole` knows the type."""
    return is_decimal(kind) and is_fixed(kind)


def bounds(value: int | Decimal, kind: pa.DataType) -> tuple[int, int]:
    """A number in the units of an exact type, rounded down and up."""
    units = Fraction(value) * 10 ** (kind.scale if is_decimal(kind) else 0)
    return math.floor(units), math.ceil(units)


def limits(kind: pa.DataType) -> tuple[int, int]:
    """The least and the most that an exact type can hold, in its units."""
    if is_decimal(kind):
        return 1 - 10**kind.precision, 10**kind.precision - 1
    found = np.iinfo(kind.to_pandas_dtype())
    return int(found.min), int(found.max)


def from_units(units: int, kind: pa.DataType) -> pa.Scalar:
    """The number of an exact type that has so many units."""
    return pa.scalar(Decimal(units).scaleb(-kind.scale, _EXACT) if is_decimal(kind) else units, kind)
