"""Coercion: what Spark makes of operands whose types differ."""

from __future__ import annotations

from collections.abc import Sequence
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc

from streamframes.core.sparksql.terms import Term, Untranslatable, constant, strict
from streamframes.core.sparksql.types import decimals, literals
from streamframes.core.sparksql.types.types import FLOATS, NUMBERS, WHOLE, is_decimal, is_exact, is_instant, spark_name


def common_type(kinds: Sequence[pa.DataType]) -> pa.DataType:
    """The type in which Spark brings values together."""
    return reduce(_wider, kinds)


def _wider(one: pa.DataType, other: pa.DataType) -> pa.DataType:
    if one == other or pa.types.is_null(other):
        return one
    if pa.types.is_null(one):
        return other
    if one in WHOLE and other in WHOLE:
        return max(one, other, key=WHOLE.index)
    if is_instant(one) and is_instant(other):
        return one
    if any(kind not in NUMBERS and not is_decimal(kind) for kind in (one, other)):
        raise Untranslatable(f"{spark_name(one)} and {spark_name(other)} are only brought together by Spark")
    if one in FLOATS or other in FLOATS:
        return pa.float64()
    return decimals.wider(one, other)


def coerced(term: Term, kind: pa.DataType) -> Term:
    """A term as what `common_type` found; never loses more than Spark does."""
    if term.type == kind:
        return term
    if pa.types.is_null(term.type):
        return constant(None, kind)
    if term.scalar is not None and is_exact(term.type) and term.scalar.is_valid:
        return literals.exact_as(term.scalar.as_py(), kind)
    if is_decimal(term.type) and not is_decimal(kind):
        return strict(kind, decimals.to_double, term)
    return strict(kind, lambda array: pc.cast(array, kind, safe=is_decimal(kind)), term)
