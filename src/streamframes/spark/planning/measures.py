"""Measures: which of them are computed in the pass itself, in the types that Spark would return."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame
from pyspark.sql import types as T

from streamframes.arguments import Measure as MeasureArgument
from streamframes.core.frames.measures import Function, Measure
from streamframes.core.schemes import Fold
from streamframes.core.schemes.base import Input
from streamframes.core.sparksql.aggregate_call import simple_call
from streamframes.errors import InvalidArgument
from streamframes.spark.columns import analysed, as_column, column, scheme_input
from streamframes.spark.types import arrow_type

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
    fold: Fold | None = None


def sorted_out(
    rows: DataFrame, measures: Mapping[str, MeasureArgument], verb: str, *, in_stream: bool
) -> tuple[list[InPass], dict[str, MeasureArgument]]:
    """The measures of the same pass, and those that must be left to Spark; a stream can leave it none."""
    here: list[InPass] = []
    there: dict[str, MeasureArgument] = {}
    for name, expression in measures.items():
        planned = in_pass(rows, name, expression, verb)
        if planned is not None:
            here.append(planned)
            continue
        check_aggregate(rows, name, expression, verb)
        if in_stream:
            raise InvalidArgument(
                f"{verb} got {name}={expression!r}, which a stream cannot add up as rows come; use count, sum, avg, "
                "min, max, first, last, stddev or a Fold, or write the tagged rows to a table with foreachBatch and "
                "aggregate that"
            )
        there[name] = expression
    return here, there


def in_pass(rows: DataFrame, name: str, expression: MeasureArgument, verb: str) -> InPass | None:
    """The measure as the pass computes it, or None where it must be left to Spark."""
    if isinstance(expression, Fold):
        value = scheme_input(rows, Input(name, expression.value, "number"), verb).cast("double")
        _check_fold(name, expression, verb)
        return InPass(name, "fold", str(expression), value, T.DoubleType(), expression.detached())
    call = simple_call(expression) if isinstance(expression, str) else None
    if call is None:
        return None
    function, text = call
    if function == "count" and (text == "*" or text.isdigit()):
        return InPass(name, "count", text, None, T.LongType())
    kind = analysed(rows, lambda: rows.select(as_column(text).alias("x")), expression, name, verb)
    result = _result_type(function, kind)
    return None if result is None else InPass(name, function, text, as_column(text), result)  # type: ignore[arg-type]


def _check_fold(name: str, fold: Fold, verb: str) -> None:
    """Refuse a fold whose state would lose or lack numbers."""
    try:
        state = fold.add(tuple(map(float, fold.start)), 1.0)
    except (TypeError, IndexError) as error:
        raise InvalidArgument(
            f"{verb} got {name}=Fold(...) whose add() cannot take start= and a number: {error}"
        ) from None
    except (ValueError, ArithmeticError):
        # A made-up number may be none that comes.
        return
    if not isinstance(state, tuple) or len(state) != len(fold.start):
        raise InvalidArgument(
            f"{verb} got {name}=Fold(...) whose add() returns {state!r}; return a tuple as long as start={fold.start!r}"
        )


def travelling(measures: Sequence[InPass], first: int) -> tuple[list[Column], tuple[Measure, ...]]:
    """The columns that measures need, and the measures of them, where the first column has this place."""
    columns = {measure.text: measure.column for measure in measures if measure.column is not None}
    places = {text: first + i for i, text in enumerate(columns)}
    made = (Measure(m.name, m.function, places.get(m.text), arrow_type(m.type), m.fold) for m in measures)
    return list(columns.values()), tuple(made)


def grouped(
    tagged: DataFrame, identity: Sequence[str], order: Sequence[str], measures: Mapping[str, MeasureArgument]
) -> DataFrame:
    """Measures that are left to Spark: the rows of each frame, in order, so that a list of them is always the same."""
    rest = [
        field.name for field in tagged.schema if field.name not in (*identity, *order) and _has_order(field.dataType)
    ]
    placed = tagged.repartition(*map(column, identity)).sortWithinPartitions(*map(column, [*identity, *order, *rest]))
    aggregates = [as_column(expression).alias(name) for name, expression in measures.items()]
    return placed.groupBy(*map(column, identity)).agg(*aggregates)


def _has_order(kind: T.DataType) -> bool:
    return "map<" not in kind.simpleString() and not isinstance(kind, T.VariantType)


def check_aggregate(rows: DataFrame, name: str, expression: MeasureArgument, verb: str) -> None:
    """Refuse a measure that Spark cannot evaluate as an aggregate over rows."""
    try:
        analysed(rows, lambda: rows.agg(as_column(expression).alias("x")), expression, name, verb)
    except InvalidArgument as error:
        cause = error.__cause__
        if isinstance(cause, PySparkException) and str(cause.getCondition()).startswith("MISSING_"):
            example = f"max({expression})" if isinstance(expression, str) else "F.max(...)"
            raise InvalidArgument(
                f"{verb} got {name}={expression!r}, which is not an aggregate; write one like {example!r}"
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
