"""The table functions of `register()` give the frames of `frames()`, with their ids, in plain `spark.sql()`."""

from __future__ import annotations

from typing import Any

import pytest

import streamframes as sf

pytestmark = pytest.mark.spark

CASES = {
    "threshold_frames(TABLE(given), 'v > 0.3 and b', min_rows => 2, ts => 'at', by => 'k')": (
        sf.Threshold("v > 0.3 and b", min_rows=2),
        {"ts": "at", "by": "k"},
    ),
    "delta_frames(TABLE(given), 'v', '<', 0.5, max_gap => '1 hour', ts => array('at', 'n'))": (
        sf.Delta("v", "<", 0.5, max_gap="1 hour"),
        {"ts": ["at", "n"]},
    ),
    "boundary_frames(TABLE(given), map('n', 3), ts => 'ntz', by => array('k', 'day'))": (
        sf.Boundary({"n": 3}),
        {"ts": "ntz", "by": ["k", "day"]},
    ),
    "change_frames(TABLE(given), 'k', 'b', ts => 'n')": (sf.Change("k", "b"), {"ts": "n"}),
    "every_frames(TABLE(given), '2 days', ts => 'day', by => 'at')": (sf.Every("2 days"), {"ts": "day", "by": "at"}),
}


@pytest.fixture(scope="module")
def given(spark: Any) -> Any:
    rows = [(i, f"k{i % 3}" if i % 7 else None, (i * 37 % 100) / 100 if i % 5 else None, i % 4 > 0) for i in range(60)]
    table = spark.createDataFrame(rows, "n long, k string, v double, b boolean").selectExpr(
        "*",
        "timestampadd(MINUTE, n * 13, timestamp'2026-10-25 00:00:00Z') AS at",
        "timestampadd(MINUTE, n * 13, timestamp_ntz'1969-12-31 20:00:00') AS ntz",
        "date_add(date'1969-12-28', cast(n / 4 AS int)) AS day",
    )
    table.createOrReplaceTempView("given")
    assert sorted(sf.register(spark)) == sorted(
        f"{name}_frames" for name in ("threshold", "delta", "boundary", "aggregate", "change", "gap", "every", "count")
    )
    return table


@pytest.mark.parametrize("text", CASES)
def test_frames_and_ids_are_those_of_the_python_call(spark: Any, given: Any, text: str) -> None:
    scheme, arguments = CASES[text]
    found, wanted = spark.sql(f"SELECT * FROM {text}"), sf.frames(given, scheme, **arguments).toDF()
    assert found.schema.simpleString() == wanted.schema.simpleString()
    assert sorted(map(tuple, found.collect()), key=repr) == sorted(map(tuple, wanted.collect()), key=repr) != []


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ("threshold_frames(TABLE(given), 'v > 1', ts => 'att')", "ts='att', which is not a column"),
        ("threshold_frames(TABLE(given), 'v > 1')", r"has no ts; add ts => 'rpt_time'"),
        ("gap_frames(TABLE(given), 3, ts => 'at')", "is a plain number but ts is a timestamp"),
        ("delta_frames(TABLE(given), 'v', ts => 'at')", "cannot be made"),
    ],
)
def test_errors_say_what_is_wrong(spark: Any, given: Any, text: str, message: str) -> None:
    from pyspark.errors import PySparkException

    with pytest.raises(PySparkException, match=message):
        spark.sql(f"SELECT * FROM {text}").collect()
