"""Stored types: which values a table that exists would refuse, or keep as others."""

from __future__ import annotations

import re
from collections.abc import Iterator

from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.spark.columns import column
from streamframes.spark.sinks.refused import Refusal

# Where Spark keeps the declared type of a text that is limited.
_DECLARED = "__CHAR_VARCHAR_TYPE_STRING"


def not_held(rows: T.StructType, table: T.StructType) -> list[Refusal]:
    """What a table with these columns cannot hold of such rows; of columns that it lacks Spark says so itself."""
    there = {each.name.lower(): each for each in table}
    found: list[Refusal] = []
    for own in rows:
        stored = there.get(own.name.lower())
        if stored is not None:
            found += _of_column(own, stored)
    return found


def _of_column(own: T.StructField, stored: T.StructField) -> Iterator[Refusal]:
    value = column(own.name)
    here, kind = own.dataType, stored.dataType
    if not stored.nullable:
        yield Refusal(own.name, value.isNull(), "is null, where the table says NOT NULL", "use coalesce")
    longest = re.fullmatch(r"(?:var)?char\((\d+)\)", str(stored.metadata.get(_DECLARED, "")))
    if longest:
        reason = f"is longer than {longest[1]} characters"
        yield Refusal(own.name, F.char_length(value) > int(longest[1]), reason, "use left(...), or a string column")
    if here.simpleString() != kind.simpleString() and _is_compared(here):
        # What comes back from there as it was is held.
        changed = ~value.eqNullSafe(value.try_cast(_nullable(kind)).try_cast(_nullable(here)))
        reason = f"is not kept by the type {kind.simpleString()} of the table"
        yield Refusal(own.name, changed, reason, "widen the column")


def _is_compared(kind: T.DataType) -> bool:
    """Whether Spark compares values of this type: no maps, and not nulls alone."""
    if isinstance(kind, T.StructType):
        return all(_is_compared(each.dataType) for each in kind)
    if isinstance(kind, T.ArrayType):
        return _is_compared(kind.elementType)
    return not isinstance(kind, T.MapType | T.NullType)


def _nullable(kind: T.DataType) -> T.DataType:
    """The type with nulls anywhere in it: a cast may find one."""
    if isinstance(kind, T.StructType):
        return T.StructType([T.StructField(each.name, _nullable(each.dataType)) for each in kind])
    return T.ArrayType(_nullable(kind.elementType)) if isinstance(kind, T.ArrayType) else kind
