"""What differs between the versions of Spark: the same rows, types and partitions on all of them."""

from __future__ import annotations

import importlib
from typing import Any

import pyarrow as pa
import pyspark
import pytest
from pyspark.sql import functions as F
from pyspark.sql import types as T

import streamframes as sf
import streamframes.spark
from streamframes.spark.compat import TIME_TYPES, repartitioned
from streamframes.spark.types import arrow_type, spark_type

pytestmark = pytest.mark.spark

EXPRESSIONS = [
    "true", "1Y", "1S", "1", "1L", "1F", "1D", "1.25", "'a'", "X'00'", "date'2026-01-05'", "null", "parse_json('1')",
    "timestamp'2026-01-05 10:00:00'", "timestamp_ntz'2026-01-05 10:00:00'", "interval '3 04:05:06' day to second",
    "array(1, null)", "map('a', array(1.5))", "struct(1 as a, map(1, 'b') as b)", "'a' collate UNICODE",
    "cast('a' as char(3))",
    *(["time'10:00:00'"] if TIME_TYPES else []),
]  # fmt: skip


@pytest.mark.parametrize("expression", EXPRESSIONS)
def test_arrow_carries_a_type_as_spark_carries_it(spark: Any, expression: str) -> None:
    rows = spark.sql(f"select {expression} as value")
    kind, carried = rows.schema[0].dataType, rows.toArrow().schema[0].type
    zone = spark.conf.get("spark.sql.session.timeZone")
    ours = arrow_type(kind)
    if ours == pa.timestamp("us", "UTC"):
        ours = pa.timestamp("us", zone)
    assert ours == carried
    if "json" not in expression:
        plain = T.StringType() if isinstance(kind, T.StringType) else kind
        assert spark_type(arrow_type(kind)) == plain


def test_what_no_type_carries_is_refused_with_what_to_do() -> None:
    with pytest.raises(sf.InvalidArgument, match=r"type interval cannot be carried to Python; cast them to string"):
        arrow_type(T.CalendarIntervalType())
    with pytest.raises(sf.InvalidArgument, match=r"no type for Arrow's duration\[s\]|no type for Arrow's time32\[s\]"):
        spark_type(pa.time32("s"))


class Older:
    """Rows of a Spark that has no `repartitionById`."""

    def __init__(self, rows: Any) -> None:
        self.repartition = rows.repartition


@pytest.mark.parametrize("older", [False, True])
def test_each_number_has_a_partition_of_its_own(spark: Any, older: bool) -> None:
    rows = spark.range(0, 70).select((F.col("id") % 7).cast("int").alias("bucket"))
    placed: Any = repartitioned(Older(rows) if older else rows, "bucket", 7)  # type: ignore[arg-type]
    found = placed.select("bucket", F.spark_partition_id().alias("place")).distinct().collect()
    assert sorted(row.bucket for row in found) == list(range(7))
    assert len({row.place for row in found}) == 7


def test_a_spark_that_is_too_old_is_refused(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(pyspark, "__version__", "3.5.9")
    with pytest.raises(sf.MissingExtra, match=r"PySpark 3\.5\.9 is too old, streamframes runs on 4\.0 and later"):
        importlib.reload(streamframes.spark)
