"""What a table cannot hold is told before it is written: no table of Delta or Iceberg is needed for that."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.spark.sinks.refused import reasons
from streamframes.spark.sinks.stored import not_held

pytestmark = pytest.mark.spark

TABLE = (
    T.StructType()
    .add("id", "long")
    .add("N", "integer")
    .add("exact", "decimal(6,2)")
    .add("day", "date")
    .add("near", "float")
    .add("text", "string", metadata={"__CHAR_VARCHAR_TYPE_STRING": "varchar(3)"})
    .add("needed", "string", nullable=False)
    .add("list", T.ArrayType(T.IntegerType()))
)


@pytest.mark.parametrize(
    ("column", "value", "reason"),
    [
        ("n", "1L << 31", "n is not kept by the type int of the table"),
        ("n", "(1L << 31) - 1", None),
        ("n", "null", None),
        ("exact", "1.005BD", "exact is not kept by the type decimal(6,2) of the table"),
        ("exact", "9999.990BD", None),
        ("day", "timestamp'2026-01-05 00:00:01'", "day is not kept by the type date of the table"),
        ("day", "timestamp'2026-01-05 00:00:00'", None),
        ("near", "0.1d", "near is not kept by the type float of the table"),
        ("near", "double('NaN')", None),
        ("near", "-0.5d", None),
        ("text", "'über'", "text is longer than 3 characters"),
        ("text", "'übe'", None),
        ("needed", "string(null)", "needed is null, where the table says NOT NULL"),
        ("list", "array(1L, 1L << 40)", "list is not kept by the type array<int> of the table"),
        ("list", "array(1L, null)", None),
        ("other", "1", None),
    ],
)
def test_a_value_that_would_change_is_refused(spark: Any, column: str, value: str, reason: str | None) -> None:
    rows = spark.range(1).withColumn(column, F.expr(value))
    assert rows.select(reasons(not_held(rows.schema, TABLE))).collect() == [(reason,)]
