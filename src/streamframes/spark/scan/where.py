"""Conditions on the rows of a scan: which are kept, and in which files they may be.

Spark says what a condition means. The core computes it where the files are read if it can; if not, Spark does. Of a
condition that only Spark can compute, those parts still skip files that the core understands.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

import pyarrow as pa
from py4j.java_gateway import JavaObject  # type: ignore[import-untyped]
from pyspark.sql import Column, DataFrame
from pyspark.sql import types as T

from streamframes.arguments import Condition as ConditionArgument
from streamframes.core.files.skipping.condition import Condition
from streamframes.core.sparksql import Expression, Untranslatable
from streamframes.errors import InvalidArgument
from streamframes.spark.columns import PROBE, analysed, as_column, first_column
from streamframes.spark.scan.analysed import analysed_plan, is_ansi, translated


@dataclass(frozen=True)
class Where:
    """A condition: as a Column, and as the core computes it, or `why_spark` not."""

    shown: str
    column: Column
    expression: Expression | None
    why_spark: str
    parts: Condition


def where_on(argument: ConditionArgument, nothing: DataFrame, schema: pa.Schema) -> Where:
    """The condition on rows like those of `nothing`, of which there are none."""
    others = first_column(nothing)
    kind = analysed(
        nothing, lambda: nothing.select(as_column(argument).alias(PROBE), *others), argument, "where", "scan()"
    )
    if not isinstance(kind, T.BooleanType):
        raise InvalidArgument(
            f"scan() got where={argument!r} of type {kind.simpleString()}, which is not a condition; "
            "write a comparison like 'drop_pct > 0.3'"
        )
    column, shown = as_column(argument), argument if isinstance(argument, str) else str(argument)
    analysed(nothing, lambda: nothing.where(column), argument, "where", "scan()")
    kept = nothing.where(column)
    try:
        condition, ansi = _condition_of(kept), is_ansi(kept)
    except Untranslatable as why:
        return Where(shown, column, None, str(why), Condition((), schema))
    parts = tuple(_texts(condition, schema, ansi))
    try:
        expression = translated(condition, schema, pa.bool_(), ansi=ansi)
    except Untranslatable as why:
        return Where(shown, column, None, str(why), Condition(parts, schema))
    return Where(shown, column, expression, "", Condition(parts, schema))


def _condition_of(kept: DataFrame) -> JavaObject:
    """What Spark has made of the condition."""
    plan = analysed_plan(kept)
    if plan.getClass().getSimpleName() != "Filter":
        raise Untranslatable("the condition is more than one on a row")
    return plan.condition()


def _texts(condition: JavaObject, schema: pa.Schema, ansi: bool) -> Iterator[str]:
    """Those parts that must hold for all to hold and that the core understands."""
    if condition.getClass().getSimpleName() == "And":
        yield from _texts(condition.left(), schema, ansi)
        yield from _texts(condition.right(), schema, ansi)
        return
    try:
        yield translated(condition, schema, pa.bool_(), ansi=ansi).text
    except Untranslatable:
        return
