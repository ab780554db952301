"""Columns of sessions: how events travel, and how results are typed."""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from functools import reduce

import pyarrow as pa
from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.spark.columns import arrow_type, as_column

_PLAIN = {
    pa.int64(): T.LongType(),
    pa.int32(): T.IntegerType(),
    pa.float64(): T.DoubleType(),
    pa.bool_(): T.BooleanType(),
    pa.string(): T.StringType(),
    pa.binary(): T.BinaryType(),
}
# How many conditions a long holds.
A_LONG = 31


def flags(conditions: Sequence[Column]) -> Column:
    """Truth values in one long, two bits each: 0 false, 1 true, 2 null."""
    words = [
        F.shiftleft(F.coalesce(each.cast("long"), F.lit(2).cast("long")), 2 * i) for i, each in enumerate(conditions)
    ]
    return reduce(lambda a, b: a.bitwiseOR(b), words)


def carried(expression: object, kind: pa.DataType) -> Column:
    """An expression as it travels: decimals are doubles."""
    made = as_column(expression)
    return made.cast("double") if pa.types.is_decimal(kind) else made


def spark_type(kind: pa.DataType, known: Iterable[T.DataType | None]) -> T.DataType:
    """The Spark type of an Arrow type: the first of the known ones that is carried so, or a plain one."""
    same = next((each for each in known if each is not None and arrow_type(each) == kind), None)
    return same or _PLAIN.get(kind) or T.ArrayType(T.LongType())
