"""Rounding: half up, in the digits that a number is printed with, as Spark rounds.

Printed are the fewest digits D that say which double x is meant. Two decimals of at most 15 digits are never the same
double, and doubles lie in the order of their decimals. So for c, the decimal halfway between two results, with at most
15 digits: D >= c exactly where x >= (c as a double). Only numbers too large for that are rounded as texts.
"""

from __future__ import annotations

from decimal import ROUND_HALF_UP, Context, Decimal

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streamframes.core.jit.buffers import empty, made, numbers
from streamframes.core.sparksql.kernels.arithmetic import numeric
from streamframes.core.sparksql.terms import Term, Untranslatable, strict
from streamframes.core.sparksql.types.types import FLOATS

_DIGITS = Context(prec=1_200, rounding=ROUND_HALF_UP)  # more than a double has before and after the point
_LARGEST_SCALE = 300
_EXACT_POWER = 22  # 10**22 is the largest power of ten that is a double
_SURE = 2e11  # below it a product is off by less than 1e-4
_FIFTEEN_DIGITS = 1e14
_ALL_WHOLE = 2.0**52


def rounded(term: Term, scale: int) -> Term:
    """`round(term, scale)`."""
    if not 0 <= scale <= _LARGEST_SCALE:
        raise Untranslatable(f"round() with a scale of {scale} is left to Spark")
    if numeric(term) not in FLOATS:
        return term

    def kernel(array: pa.Array) -> pa.Array:
        raw = numbers(array)
        if raw.dtype == np.float32:
            return made(_singles(raw, scale), term.type, array)
        return made(_doubles(raw, scale), term.type, array)

    return strict(term.type, kernel, term)


def _doubles(raw: np.ndarray, scale: int) -> np.ndarray:
    """The nearest whole number of units, which is sure unless a number lies about halfway or is large."""
    if scale >= _EXACT_POWER:
        return _by_text(raw, scale)
    with np.errstate(all="ignore"):
        units = np.multiply(raw, float(10**scale), out=empty(raw.size, np.float64))
        result = empty(raw.size, np.float64)
        np.rint(units, out=result)
        away = np.subtract(units, result, out=units)
        doubtful = np.abs(away, out=away) > 0.4999
        if raw.size and not (result.min() > -_SURE and result.max() < _SURE):
            doubtful |= ~(np.abs(result) < _SURE)
        if scale:
            result /= float(10**scale)
        result += 0.0  # Java's BigDecimal knows no negative zero
        rows = np.flatnonzero(doubtful)
        if rows.size:
            result[rows] = _halfway(raw[rows], scale)
    return result


def _halfway(raw: np.ndarray, scale: int) -> np.ndarray:
    """By the decimal halfway between two results."""
    size = np.abs(raw)
    below = np.floor(size * float(10**scale))
    middle = (10 * below + 5) / float(10 ** (scale + 1))
    result = np.copysign((below + (size >= middle)) / float(10**scale), raw) + 0.0
    # Whole numbers of this size stay as they are, like what is not finite.
    result = np.where(size < _ALL_WHOLE, result, raw)
    by_text = (below >= _FIFTEEN_DIGITS) & (size < _ALL_WHOLE)
    result[by_text] = _by_text(raw[by_text], scale)
    return result


def _singles(raw: np.ndarray, scale: int) -> np.ndarray:
    """Rounded as doubles; those that lie between two singles would be rounded twice."""
    exact = _doubles(raw.astype(np.float64), scale)
    with np.errstate(over="ignore"):
        result = exact.astype(np.float32)
    twice = (exact.view(np.int64) & 0x1FFF_FFFF) == 0x1000_0000
    result[twice] = _by_text(raw[twice], scale)
    return result


def _by_text(raw: np.ndarray, scale: int) -> np.ndarray:
    unit = Decimal(1).scaleb(-scale)

    def one(value: float) -> str:
        if not np.isfinite(value):
            return str(value)
        return str(_DIGITS.add(_DIGITS.quantize(Decimal(repr(value)), unit), Decimal(0)))

    texts = pa.array(map(one, raw.astype(np.float64).tolist()), pa.string())
    return np.array(pc.cast(texts, pa.from_numpy_dtype(raw.dtype)).to_numpy(zero_copy_only=False))
