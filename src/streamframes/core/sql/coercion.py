"""Coercion: what Spark makes of operands whose types differ, and its casts."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import reduce

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streamframes.core.sql.terms import Term, Untranslatable, constant, strict

WHOLE = (pa.int8(), pa.int16(), pa.int32(), pa.int64())
FLOATS = (pa.float32(), pa.float64())
NUMBERS = (*WHOLE, *FLOATS)
DURATION = pa.duration("us")
# What Spark's trim of a number removes, and what it then accepts as a whole one.
_SPACE = "".join(map(chr, (*range(0x21), *range(0x7F, 0xA0))))
_WHOLE_NUMBER = r"^[+-]?[0-9]+$"


def is_decimal(kind: pa.DataType) -> bool:
    """Whether it is the type of a literal like 0.3; no column has it here."""
    return bool(pa.types.is_decimal(kind))


def is_supported(kind: pa.DataType) -> bool:
    """Whether columns of this type can be used."""
    plain = (*NUMBERS, pa.bool_(), pa.string(), pa.date32())
    return kind in plain or (pa.types.is_timestamp(kind) and kind.unit == "us")


def common_type(kinds: Sequence[pa.DataType], *, compared: bool = False) -> pa.DataType:
    """The type in which Spark brings values together; only for comparing it may be a decimal."""
    found = reduce(_wider, kinds)
    if not is_decimal(found):
        return found
    if compared and any(kind in WHOLE for kind in kinds) and found.scale + 19 <= 38:
        return pa.decimal128(38, found.scale)
    raise Untranslatable("the result would be a decimal")


def _wider(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    if one == other or pa.types.is_null(other):
        return one
    if pa.types.is_null(one):
        return other
    if one in WHOLE and other in WHOLE:
        return max(one, other, key=WHOLE.index)
    decimals = [kind for kind in (one, other) if is_decimal(kind)]
    if any(kind not in NUMBERS and kind not in decimals for kind in (one, other)):
        raise Untranslatable(f"{one} and {other} are not brought together here")
    if not decimals or one in FLOATS or other in FLOATS:
        return pa.float64()
    return max(decimals, key=lambda kind: kind.scale)


def coerced(term: Term, kind: pa.DataType) -> Term:
    """A term as what `common_type` found; never loses more than Spark does."""
    if term.type == kind:
        return term
    if pa.types.is_null(term.type):
        return constant(None, kind)
    if is_decimal(term.type) and term.number is not None:
        value = Decimal(term.number) if is_decimal(kind) else float(term.number)
        return constant(value, kind, term.number)
    return strict(kind, lambda array: pc.cast(array, kind, safe=False), term)


def cast(term: Term, kind: pa.DataType) -> Term:
    """Spark's cast, where the result is exactly Spark's."""
    source = term.type
    if source == kind or pa.types.is_null(source):
        return coerced(term, kind)
    if is_decimal(source) and term.number is not None and kind in FLOATS:
        # Parsed in the type itself: by way of a double it could be rounded twice.
        return constant(pa.scalar(term.number).cast(kind).as_py(), kind)
    if source == pa.bool_() and kind in NUMBERS:
        return strict(kind, lambda array: pc.cast(pc.cast(array, pa.int8()), kind), term)
    if source in NUMBERS and kind == pa.bool_():
        return strict(kind, lambda array: pc.not_equal(array, pa.scalar(0, source)), term)
    if source in NUMBERS and (kind in FLOATS or (source in WHOLE and WHOLE.index(source) < _rank(kind))):
        return coerced(term, kind)
    if term.number is not None:
        return _literal_as(term.number, kind)
    kernel = _narrowing(source, kind)
    return strict(kind, lambda array: kernel(array, kind), term, fails=True)


def _literal_as(number: str, kind: pa.DataType) -> Term:
    """`1Y` and `7S`, which are read as casts; sqlglot cannot tell `-128Y` from `-(cast(128 as tinyint))`."""
    try:
        return constant(int(number), kind)
    except (ValueError, TypeError, pa.ArrowInvalid):
        raise Untranslatable(f"{number} as {kind} is left to Spark") from None


def _rank(kind: pa.DataType) -> int:
    return WHOLE.index(kind) if kind in WHOLE else -1


def _narrowing(source: pa.DataType, kind: pa.DataType) -> Callable[[pa.Array, pa.DataType], pa.Array]:
    if kind in WHOLE and source in WHOLE:
        return _narrowed
    if kind in WHOLE and source in FLOATS:
        return _truncated
    if kind in WHOLE and source == pa.string():
        return _parsed
    raise Untranslatable(f"a cast from {source} to {kind} is left to Spark")


def _narrowed(array: pa.Array, kind: pa.DataType) -> pa.Array:
    return pc.cast(array, kind)


def _truncated(array: pa.Array, kind: pa.DataType) -> pa.Array:
    lowest, highest = _limits(kind)
    numbers = array.fill_null(0).to_numpy(zero_copy_only=False).astype(np.float64)
    if not ((np.floor(numbers) <= highest) & (np.ceil(numbers) >= lowest)).all():
        raise pa.ArrowInvalid(f"a number is outside of {kind}")
    return to_whole(np.trunc(numbers), array, kind)


def _limits(kind: pa.DataType) -> tuple[float, float]:
    limits = np.iinfo(kind.to_pandas_dtype())
    return float(limits.min), float(limits.max)


def to_whole(numbers: np.ndarray, like: pa.Array, kind: pa.DataType) -> pa.Array:
    """Whole doubles as integers, null as in another array; 2**63 becomes the largest long, as in Java."""
    limits = np.iinfo(kind.to_pandas_dtype())
    too_large = numbers >= 2.0**63
    whole = np.where(too_large, limits.max, np.where(too_large, 0, numbers).astype(np.int64))
    return pa.array(whole.astype(kind.to_pandas_dtype()), kind, mask=like.is_null().to_numpy(zero_copy_only=False))


def _parsed(array: pa.Array, kind: pa.DataType) -> pa.Array:
    trimmed = pc.utf8_trim(array, _SPACE)
    if not pc.all(pc.match_substring_regex(trimmed, _WHOLE_NUMBER), min_count=0).as_py():
        raise pa.ArrowInvalid(f"a text is no {kind}")
    return pc.cast(pc.replace_substring_regex(trimmed, r"^\+", ""), kind)
