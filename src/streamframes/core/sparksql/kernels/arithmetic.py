"""Arithmetic as Spark does it in ANSI mode."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streamframes.core.jit.buffers import empty, made, numbers, present
from streamframes.core.sparksql.terms import Kernel, Term, Untranslatable, Values, strict
from streamframes.core.sparksql.types import decimals
from streamframes.core.sparksql.types.casts import cast, copied, lies_within, to_whole
from streamframes.core.sparksql.types.coercion import coerced, common_type
from streamframes.core.sparksql.types.types import MOST_DIGITS, NUMBERS, WHOLE, is_decimal, is_exact, spark_name


def numeric(*terms: Term) -> pa.DataType:
    """The common type of numbers that are no decimals."""
    kind = common_type([term.type for term in terms])
    if is_decimal(kind):
        raise Untranslatable("the result would be a decimal, which only + - * of few digits are here")
    if kind not in NUMBERS:
        raise Untranslatable(f"{spark_name(kind)} is no number")
    return kind


def added(left: Term, right: Term) -> Term:
    """`left + right`."""
    return _checked(left, right, (np.add, pc.add_checked), pc.add)


def subtracted(left: Term, right: Term) -> Term:
    """`left - right`."""
    return _checked(left, right, (np.subtract, pc.subtract_checked), pc.subtract)


def multiplied(left: Term, right: Term) -> Term:
    """`left * right`."""
    return _checked(left, right, (np.multiply, pc.multiply_checked), pc.multiply)


def _checked(left: Term, right: Term, for_whole: tuple[np.ufunc, Kernel], for_floats: Kernel) -> Term:
    if any(is_decimal(term.type) for term in (left, right)) and all(is_exact(term.type) for term in (left, right)):
        return _of_decimals(left, right, for_floats)
    kind = numeric(left, right)
    operands = coerced(left, kind), coerced(right, kind)
    if kind not in WHOLE:
        return strict(kind, for_floats, *operands)
    return strict(kind, lambda one, other: _whole(one, other, *for_whole), *operands, fails=True)


def _whole(left: Values, right: Values, unchecked: np.ufunc, checked: Kernel) -> pa.Array:
    """Checked number by number only if the least and the most of both inputs could make too much."""
    one, other = numbers(left), numbers(right)
    n = len(left if isinstance(left, pa.Array) else right)
    limits = np.iinfo(one.dtype)
    ends = [[int(each.min()), int(each.max())] for each in (one, other)] if n else []
    corners = [int(unchecked(a, b, dtype=object)) for a in ends[0] for b in ends[1]] if n else [0]
    if min(corners) < limits.min or max(corners) > limits.max:
        return checked(left, right)
    return made(unchecked(one, other, out=empty(n, one.dtype)), left.type, left, right)


def _of_decimals(left: Term, right: Term, kernel: Kernel) -> Term:
    """Arrow has Spark's types of results; as long as they have room for all digits, nothing is rounded."""
    one, other = decimals.operand_type(left), decimals.operand_type(right)
    scale = one.scale + other.scale if kernel is pc.multiply else max(one.scale, other.scale)
    whole = [kind.precision - kind.scale for kind in (one, other)]
    precision = (sum(whole) if kernel is pc.multiply else max(whole)) + scale + 1
    if precision > MOST_DIGITS:
        raise Untranslatable(f"the result would be a decimal of more than {MOST_DIGITS} digits")
    return strict(pa.decimal128(precision, scale), kernel, coerced(left, one), coerced(right, other))


def divided(left: Term, right: Term) -> Term:
    """`left / right`, a double."""
    numeric(left, right)
    return _by_divisor(cast(left, pa.float64()), cast(right, pa.float64()), _quotient)


def remainder(left: Term, right: Term) -> Term:
    """`left % right`, with the sign of `left`."""
    kind = numeric(left, right)
    return _by_divisor(coerced(left, kind), coerced(right, kind), _remainder)


def whole_quotient(left: Term, right: Term) -> Term:
    """`left div right`, a long."""
    if numeric(left, right) not in WHOLE:
        raise Untranslatable("div of numbers that are not whole is left to Spark")
    operands = (cast(right, pa.int64()), cast(left, pa.int64()))
    safe = right.scalar is not None and right.scalar.as_py() not in (0, -1)
    kernel = pc.divide if safe else pc.divide_checked
    return strict(pa.int64(), lambda divisor, dividend: kernel(dividend, divisor), *operands, fails=not safe)


def _by_divisor(left: Term, right: Term, kernel: Kernel) -> Term:
    """The divisor is looked at first, as Spark does, and must not be zero."""
    safe = right.scalar is not None and right.scalar.as_py() != 0

    def checked(divisor: Values, dividend: Values) -> pa.Array:
        zero = None if safe else numbers(divisor) == 0
        if zero is not None and np.any(zero):
            valid = present(divisor, dividend)
            if valid is None or (zero & valid.to_numpy(zero_copy_only=False)).any():
                raise pa.ArrowInvalid("division by zero")
        with np.errstate(all="ignore"):
            return kernel(dividend, divisor)

    return strict(left.type, checked, right, left, fails=not safe)


def _quotient(left: Values, right: Values) -> pa.Array:
    out = empty(len(left if isinstance(left, pa.Array) else right), np.float64)
    return made(np.divide(numbers(left), numbers(right), out=out), left.type, left, right)


def _remainder(left: Values, right: Values) -> pa.Array:
    dividend, divisor = numbers(left), numbers(right)
    if isinstance(right, pa.Scalar) and left.type in WHOLE and int(divisor) > np.iinfo(divisor.dtype).min:
        return made(_whole_remainder(dividend, np.abs(divisor)), left.type, left)
    out = empty(len(left if isinstance(left, pa.Array) else right), dividend.dtype)
    return made(np.fmod(dividend, divisor, out=out), left.type, left, right)


def _whole_remainder(dividend: np.ndarray, divisor: np.integer) -> np.ndarray:
    """By a positive constant, whose quotients NumPy has without dividing; they are rounded down, remainders not."""
    result = empty(dividend.size, dividend.dtype)
    np.floor_divide(dividend, divisor, out=result)
    result *= divisor
    np.subtract(dividend, result, out=result)
    if dividend.size and dividend.min() < 0:
        result -= divisor * ((dividend < 0) & (result != 0))
    return result


def negated(term: Term) -> Term:
    """`-term`."""
    if is_decimal(term.type):
        return strict(term.type, pc.negate, term)
    whole = numeric(term) in WHOLE
    return strict(term.type, pc.negate_checked if whole else pc.negate, term, fails=whole)


def absolute(term: Term) -> Term:
    """`abs(term)`."""
    if is_decimal(term.type):
        return strict(term.type, pc.abs, term)
    whole = numeric(term) in WHOLE
    return strict(term.type, pc.abs_checked if whole else pc.abs, term, fails=whole)


def root(term: Term) -> Term:
    """`sqrt(term)`, a double."""
    return strict(pa.float64(), pc.sqrt, cast(as_double(term), pa.float64()))


def sign(term: Term) -> Term:
    """`sign(term)`, a double; zeros keep their sign."""

    def kernel(array: pa.Array) -> pa.Array:
        raw = numbers(array)
        signs = np.sign(raw, out=empty(raw.size, np.float64))
        return made(np.copysign(signs, raw, out=signs), pa.float64(), array)

    return strict(pa.float64(), kernel, cast(as_double(term), pa.float64()))


def as_double(term: Term) -> Term:
    """A number of any kind as a double."""
    return coerced(term, pa.float64()) if is_decimal(term.type) else cast(term, numeric(term))


def to_long(term: Term, towards: Callable[..., np.ndarray]) -> Term:
    """`floor` and `ceil`: longs; NaN becomes 0 and what is too large is an error."""
    if numeric(term) in WHOLE:
        return cast(term, pa.int64())

    def kernel(array: pa.Array) -> pa.Array:
        raw = numbers(array)
        if lies_within(raw, -(2.0**63), 2.0**63):
            return copied(towards(raw, out=empty(raw.size, np.float64)), array, pa.int64())
        filled = towards(np.nan_to_num(array.fill_null(0).to_numpy(), posinf=np.inf, neginf=-np.inf))
        if (np.abs(filled) > 2.0**63).any():
            raise pa.ArrowInvalid("a number is outside of int64")
        return to_whole(filled, array, pa.int64())

    return strict(pa.int64(), kernel, cast(term, pa.float64()), fails=True)


# Java takes a shift modulo the bits of the type; those below are shifts as they are written.
_SHIFTS = {pa.int32(): 32, pa.int64(): 64}
_BITS = {"&": pc.bit_wise_and, "|": pc.bit_wise_or, "^": pc.bit_wise_xor}


def bits(operator: str, left: Term, right: Term) -> Term:
    """`left & right`, `left | right`, `left ^ right`."""
    kind = numeric(left, right)
    if kind not in WHOLE:
        raise Untranslatable(f"{operator} is for whole numbers")
    return strict(kind, _BITS[operator], coerced(left, kind), coerced(right, kind))


def shifted(term: Term, by: Term) -> Term:
    """`shiftleft(term, by)`, by a number that is written out."""
    known = by.number is not None and by.number.isdigit() and int(by.number) < _SHIFTS.get(term.type, 0)
    if not known:
        raise Untranslatable("shiftleft() of an int or a bigint by a small number is all that is known of it")
    return strict(term.type, lambda array: pc.shift_left(array, pa.scalar(int(by.number or 0), term.type)), term)


def inverted_bits(term: Term) -> Term:
    """`~term`."""
    if numeric(term) not in WHOLE:
        raise Untranslatable("~ is for whole numbers")
    return strict(term.type, pc.bit_wise_not, term)
