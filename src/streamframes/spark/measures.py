"""Measures: which of them the fold computes itself, in the types that Spark would return."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame
from pyspark.sql import types as T

from streamframes.core.expressions import simple_call
from streamframes.core.measures import Function
from streamframes.core.schemes import Fold
from streamframes.errors import InvalidArgument
from streamframes.spark.columns import analysed, as_column

_WHOLE = (T.ByteType, T.ShortType, T.IntegerType, T.LongType)
_NUMBERS = (*_WHOLE, T.FloatType, T.DoubleType)
_COMPARED = (*_NUMBERS, T.DateType, T.TimestampType, T.TimestampNTZType)


@dataclass(frozen=True)
class InPass:
    """A measure of the same pass: the column it needs (None: only rows are counted) and its result's type."""

    name: str
    function: Function
    text: str
    column: Column | None
    type: T.DataType


def in_pass(rows: DataFrame, name: str, expression: Any) -> InPass | None:
    """The measure as the fold computes it, or None where it must be left to Spark."""
    if isinstance(expression, Fold):
        raise InvalidArgument(f"agg() got {name}=Fold(...); a Fold cuts frames (Aggregate), a measure is Spark SQL")
    call = simple_call(expression) if isinstance(expression, str) else None
    if call is None:
        return None
    function, text = call
    if function == "count" and (text == "*" or text.isdigit()):
        return InPass(name, "count", text, None, T.LongType())
    kind = analysed(rows, lambda: rows.select(as_column(text).alias("x")), expression, name, "agg()")
    result = _result_type(function, kind)
    return None if result is None else InPass(name, function, text, as_column(text), result)  # type: ignore[arg-type]


def check_aggregate(rows: DataFrame, name: str, expression: Any) -> None:
    """Refuse a measure that Spark cannot evaluate as an aggregate over rows."""
    try:
        analysed(rows, lambda: rows.agg(as_column(expression).alias("x")), expression, name, "agg()")
    except InvalidArgument as error:
        cause = error.__cause__
        if isinstance(cause, PySparkException) and str(cause.getCondition()).startswith("MISSING_"):
            example = f"max({expression})" if isinstance(expression, str) else "F.max(...)"
            raise InvalidArgument(
                f"agg() got {name}={expression!r}, which is not an aggregate; write one like {example!r}"
            ) from None
        raise


def _result_type(function: str, kind: T.DataType) -> T.DataType | None:
    if function == "count":
        return T.LongType()
    if function in ("first", "last"):
        return kind
    if function in ("avg", "stddev"):
        return T.DoubleType() if isinstance(kind, _NUMBERS) else None
    if function == "sum":
        return (T.LongType() if isinstance(kind, _WHOLE) else T.DoubleType()) if isinstance(kind, _NUMBERS) else None
    return kind if isinstance(kind, _COMPARED) else None
