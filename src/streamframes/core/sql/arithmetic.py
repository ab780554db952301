"""Arithmetic and rounding as Spark does it in ANSI mode."""

from __future__ import annotations

from collections.abc import Callable
from decimal import ROUND_HALF_UP, Context, Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streamframes.core.sql.coercion import FLOATS, NUMBERS, WHOLE, cast, coerced, common_type, to_whole
from streamframes.core.sql.terms import Kernel, Term, Untranslatable, constant, strict, values_where

_DIGITS = Context(prec=1_200, rounding=ROUND_HALF_UP)  # more than a double has before and after the point
_LARGEST_SCALE = 300


def literal(text: str) -> Term:
    """A number as Spark reads it: int, long, double where it has an exponent, else a decimal."""
    if "e" in text.lower():
        return constant(float(text), pa.float64(), text)
    if "." not in text:
        kind = next((kind for kind in (pa.int32(), pa.int64()) if _fits(int(text), kind)), None)
        if kind is None:
            raise Untranslatable(f"{text} is larger than a bigint")
        return constant(int(text), kind, text)
    value = Decimal(text)
    digits, exponent = value.as_tuple().digits, value.as_tuple().exponent
    scale = -exponent if isinstance(exponent, int) else 0
    if max(len(digits), scale) > 38:
        raise Untranslatable(f"{text} has more digits than a decimal")
    return constant(value, pa.decimal128(max(len(digits), scale, 1), scale), text)


def _fits(value: int, kind: pa.DataType) -> bool:
    limits = np.iinfo(kind.to_pandas_dtype())
    return bool(limits.min <= value <= limits.max)


def _numeric(*terms: Term) -> pa.DataType:
    kind = common_type([term.type for term in terms])
    if kind not in NUMBERS:
        raise Untranslatable(f"{kind} is no number")
    return kind


def added(left: Term, right: Term) -> Term:
    """`left + right`."""
    return _checked(left, right, pc.add_checked, pc.add)


def subtracted(left: Term, right: Term) -> Term:
    """`left - right`."""
    return _checked(left, right, pc.subtract_checked, pc.subtract)


def multiplied(left: Term, right: Term) -> Term:
    """`left * right`."""
    return _checked(left, right, pc.multiply_checked, pc.multiply)


def _checked(left: Term, right: Term, for_whole: Kernel, for_floats: Kernel) -> Term:
    kind = _numeric(left, right)
    operands = coerced(left, kind), coerced(right, kind)
    return strict(kind, for_whole, *operands, fails=True) if kind in WHOLE else strict(kind, for_floats, *operands)


def divided(left: Term, right: Term) -> Term:
    """`left / right`, a double."""
    _numeric(left, right)
    return _by_divisor(cast(left, pa.float64()), cast(right, pa.float64()), pc.divide)


def remainder(left: Term, right: Term) -> Term:
    """`left % right`, with the sign of `left`."""
    kind = _numeric(left, right)
    return _by_divisor(coerced(left, kind), coerced(right, kind), _remainder)


def _by_divisor(left: Term, right: Term, kernel: Kernel) -> Term:
    """The divisor is looked at first, as Spark does, and must not be zero."""

    def values(batch: pa.RecordBatch) -> pa.Array:
        divisor = right.values(batch)
        dividend = values_where(left, batch, divisor.is_valid())
        zero = pc.and_(dividend.is_valid(), pc.equal(divisor, pa.scalar(0, right.type)))
        if pc.any(zero, min_count=0).as_py():
            raise pa.ArrowInvalid("division by zero")
        return kernel(dividend, divisor)

    return Term(left.type, values, fails=True)


def _remainder(left: pa.Array, right: pa.Array) -> pa.Array:
    absent = pc.or_(left.is_null(), right.is_null()).to_numpy(zero_copy_only=False)
    dividend, divisor = (array.fill_null(1).to_numpy(zero_copy_only=False) for array in (left, right))
    with np.errstate(all="ignore"):
        return pa.array(np.fmod(dividend, np.where(absent, 1, divisor)), left.type, mask=absent)


def negated(term: Term) -> Term:
    """`-term`."""
    if term.type in WHOLE:
        return strict(term.type, pc.negate_checked, term, fails=True)
    return strict(_numeric(term), pc.negate, term)


def absolute(term: Term) -> Term:
    """`abs(term)`."""
    whole = term.type in WHOLE
    return strict(_numeric(term), pc.abs_checked if whole else pc.abs, term, fails=whole)


def to_long(term: Term, towards: Callable[[np.ndarray], np.ndarray]) -> Term:
    """`floor` and `ceil`: longs; NaN becomes 0 and what is too large is an error."""
    if _numeric(term) in WHOLE:
        return cast(term, pa.int64())

    def kernel(array: pa.Array) -> pa.Array:
        numbers = towards(np.nan_to_num(array.fill_null(0).to_numpy(), posinf=np.inf, neginf=-np.inf))
        if (np.abs(numbers) > 2.0**63).any():
            raise pa.ArrowInvalid("a number is outside of int64")
        return to_whole(numbers, array, pa.int64())

    return strict(pa.int64(), kernel, cast(term, pa.float64()), fails=True)


def rounded(term: Term, scale: int) -> Term:
    """`round(term, scale)`: half up, in the digits that the number is printed with."""
    if not 0 <= scale <= _LARGEST_SCALE:
        raise Untranslatable(f"a scale of {scale} is left to Spark")
    if _numeric(term) not in FLOATS:
        return term
    unit = Decimal(1).scaleb(-scale)

    def one(value: float | None) -> str | None:
        if value is None or not np.isfinite(value):
            return None if value is None else str(value)
        # Java's BigDecimal knows no negative zero.
        return str(_DIGITS.add(_DIGITS.quantize(Decimal(repr(value)), unit), Decimal(0)))

    def kernel(array: pa.Array) -> pa.Array:
        return pc.cast(pa.array(map(one, array.to_pylist()), pa.string()), term.type)

    return strict(term.type, kernel, term)
