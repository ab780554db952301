"""Casts: from one type to another, as Spark does it in ANSI mode."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streamframes.core.jit.buffers import empty, made, numbers
from streamframes.core.sparksql.terms import Term, Untranslatable, strict
from streamframes.core.sparksql.types import decimals, literals
from streamframes.core.sparksql.types.coercion import coerced
from streamframes.core.sparksql.types.types import FLOATS, NUMBERS, WHOLE, is_decimal, is_exact, spark_name

# What Spark's trim of a number removes, and what it then accepts as a whole one.
_SPACE = "".join(map(chr, (*range(0x21), *range(0x7F, 0xA0))))
_WHOLE_NUMBER = r"^[+-]?[0-9]+$"


def cast(term: Term, kind: pa.DataType) -> Term:
    """Spark's cast, where the result is exactly Spark's."""
    source = term.type
    if source == kind or pa.types.is_null(source):
        return coerced(term, kind)
    if source == pa.bool_() and kind in NUMBERS:
        return strict(kind, lambda array: pc.cast(pc.cast(array, pa.int8()), kind), term)
    if source in NUMBERS and kind == pa.bool_():
        return strict(kind, lambda array: pc.not_equal(array, pa.scalar(0, source)), term)
    if source in NUMBERS and (kind in FLOATS or (source in WHOLE and WHOLE.index(source) < _rank(kind))):
        return coerced(term, kind)
    if term.scalar is not None and term.scalar.is_valid and is_exact(source) and kind in NUMBERS:
        return literals.exact_as(term.scalar.as_py(), kind)
    if is_decimal(source) and kind == pa.float64():
        return coerced(term, kind)
    kernel = _narrowing(source, kind)
    return strict(kind, lambda array: kernel(array, kind), term, fails=kind in WHOLE)


def _rank(kind: pa.DataType) -> int:
    return WHOLE.index(kind) if kind in WHOLE else -1


def _narrowing(source: pa.DataType, kind: pa.DataType) -> Callable[[pa.Array, pa.DataType], pa.Array]:
    if kind in WHOLE and source in WHOLE:
        return _narrowed
    if kind in WHOLE and source in FLOATS:
        return _truncated
    if kind in WHOLE and source == pa.string():
        return _parsed
    if kind in WHOLE and decimals.can_be_whole(source):
        return decimals.to_whole
    if kind == pa.float32() and is_decimal(source):
        return _by_text
    raise Untranslatable(f"a cast from {spark_name(source)} to {spark_name(kind)} is left to Spark")


def _narrowed(array: pa.Array, kind: pa.DataType) -> pa.Array:
    return pc.cast(array, kind)


def _by_text(array: pa.Array, kind: pa.DataType) -> pa.Array:
    return pc.cast(pc.cast(array, pa.string()), kind)


def _truncated(array: pa.Array, kind: pa.DataType) -> pa.Array:
    lowest, highest = _limits(kind)
    raw = numbers(array)
    if lies_within(raw, lowest, highest):
        return copied(raw, array, kind)
    filled = array.fill_null(0).to_numpy(zero_copy_only=False).astype(np.float64)
    if not ((np.floor(filled) <= highest) & (np.ceil(filled) >= lowest)).all():
        raise pa.ArrowInvalid(f"a number is outside of {kind}")
    return to_whole(np.trunc(filled), array, kind)


def _limits(kind: pa.DataType) -> tuple[float, float]:
    limits = np.iinfo(kind.to_pandas_dtype())
    return float(limits.min), float(limits.max)


def lies_within(raw: np.ndarray, lowest: float, highest: float) -> bool:
    """Whether all numbers lie between two others, not on the higher one; never where there is a NaN."""
    return raw.size == 0 or bool(raw.min() >= lowest and raw.max() < highest)


def copied(raw: np.ndarray, like: pa.Array, kind: pa.DataType) -> pa.Array:
    """Numbers that fit into another type, without their fractions."""
    whole = empty(raw.size, kind.to_pandas_dtype())
    np.copyto(whole, raw, casting="unsafe")
    return made(whole, kind, like)


def to_whole(numbers: np.ndarray, like: pa.Array, kind: pa.DataType) -> pa.Array:
    """Whole doubles as integers, null as in another array; 2**63 becomes the largest long, as in Java."""
    limits = np.iinfo(kind.to_pandas_dtype())
    too_large = numbers >= 2.0**63
    whole = np.where(too_large, limits.max, np.where(too_large, 0, numbers).astype(np.int64))
    return made(whole.astype(kind.to_pandas_dtype()), kind, like)


def _parsed(array: pa.Array, kind: pa.DataType) -> pa.Array:
    trimmed = pc.utf8_trim(array, _SPACE)
    if not pc.all(pc.match_substring_regex(trimmed, _WHOLE_NUMBER), min_count=0).as_py():
        raise pa.ArrowInvalid(f"a text is no {kind}")
    return pc.cast(pc.replace_substring_regex(trimmed, r"^\+", ""), kind)
