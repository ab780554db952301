"""Groups are those of Spark's groupBy, or they are refused before any job starts."""

from __future__ import annotations

from typing import Any

import pytest

import streamframes as sf
from streamframes.spark.compat import TIME_TYPES

pytestmark = pytest.mark.spark

GAP = sf.Gap(5)
TIMES = ("array(time'10:00:00')", r"by='key' of type array<time\(6\)>, which cannot group rows; group by cast")


@pytest.mark.parametrize(
    ("expression", "message"),
    [
        (
            "name collate UTF8_LCASE",
            r"by='key' of type string collate UTF8_LCASE; groups are distinguished by the bytes",
        ),
        (
            "struct(name collate UNICODE_CI as n)",
            r"by='key' of type struct<.*; group by a column like lower",
        ),
        (
            "interval '3' month",
            r"by='key' of type interval month, which cannot group rows; group by cast",
        ),
        *([TIMES] if TIME_TYPES else []),
        ("parse_json('1')", r"by='key' of type variant, which cannot group rows"),
        ("make_interval(1)", r"by='key' of type interval, which cannot group rows"),
    ],
)
def test_groups_that_would_not_be_those_of_spark_are_refused(spark: Any, expression: str, message: str) -> None:
    rows = spark.sql("select id as ts, id as frame_start, id as frame_end, 'a' as name, 1 as value from range(3)")
    rows = rows.selectExpr("*", f"{expression} as key")
    verbs = {
        "frames": lambda: sf.frames(rows.drop("frame_start", "frame_end"), GAP, ts="ts", by="key"),
        "bursts": lambda: sf.bursts(rows, "value", thresholds={2: 1}, ts="ts", by="key"),
        "accuracy": lambda: sf.accuracy(rows, sf.Threshold("value > 0"), windows=[3], ts="ts", by="key"),
        "union": lambda: sf.union(rows, rows, by="key"),
    }
    for verb, call in verbs.items():
        with pytest.raises(sf.InvalidArgument, match=rf"{verb}\(\) got {message}"):
            call()


def test_groups_of_both_zeros_are_shown_as_spark_shows_them(spark: Any) -> None:
    for values in ([-0.0, 0.0], [0.0, -0.0]):
        rows = spark.createDataFrame([(i, value) for i, value in enumerate(values)], "ts long, key double").coalesce(1)
        expected = [str(row.key) for row in rows.groupBy("key").count().collect()]
        assert [str(row.key) for row in sf.frames(rows, GAP, ts="ts", by="key").toDF().collect()] == expected == ["0.0"]
        nested = rows.selectExpr("ts", "named_struct('x', array(key)) as key")
        assert [str(row.key) for row in sf.frames(nested, GAP, ts="ts", by="key").toDF().collect()] == ["Row(x=[0.0])"]
