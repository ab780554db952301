"""Bursts on Spark: what cannot be searched is refused, most of it before a job starts."""

from __future__ import annotations

import pytest

import streamframes as sf
from tests.arguments import flat

pytestmark = pytest.mark.spark

SCHEMA = "link string, ts {kind}, bytes bigint, note string"

REFUSED = {
    "windows=[] holds none": ({"windows": [], "thresholds": len}, "got windows=\\[\\], which holds none"),
    "unordered windows": ({"windows": [8, 4], "thresholds": len}, "4 comes after 8; let them ascend"),
    "a window of 0": ({"windows": [0, 4], "thresholds": len}, "got the window 0; a window has 1 row or more"),
    "a duration without unit": ({"windows": ["1 second"], "thresholds": len}, "together with unit="),
    "a missing threshold": ({"windows": [4, 8], "thresholds": {4: 1.0}}, "without one for the window 8"),
    "a threshold that is no number": ({"windows": [4], "thresholds": {4: float("nan")}}, "threshold nan for"),
    "thresholds of no kind": ({"windows": [4], "thresholds": 7}, "give a mapping of windows to numbers"),
    "training rows fewer than the longest window": (
        {"windows": [4, 400], "thresholds": sf.Learn(rows=100)}, "learn from as many rows at least"
    ),
    "an error of 0": ({"windows": [4], "thresholds": {4: 1}, "error": 0}, "error=0; it lies between 0 and 1"),
    "an error of 1": ({"windows": [4], "thresholds": {4: 1}, "error": 1.0}, "it lies between 0 and 1"),
    "another side": ({"windows": [4], "thresholds": {4: 1}, "error_side": "left"}, "error_side='left'"),
    "another search": ({"windows": [4], "thresholds": {4: 1}, "search": "fast"}, "search='fast'"),
    "another aggregate": ({"windows": [4], "thresholds": {4: 1}, "agg": "median"}, "agg='median'"),
    "min in histograms": ({"windows": [4], "thresholds": {4: 1}, "agg": "min", "search": "all"}, "has no histogram"),
    "no value": ({"value": None, "windows": [4], "thresholds": {4: 1}}, "got no value for agg='sum'"),
    "a count of nothing": ({"value": None, "windows": [4], "thresholds": {4: 1}, "agg": "count"}, "without a cond"),
    "a number to be counted": ({"windows": [4], "thresholds": {4: 1}, "agg": "count"}, "which is not a condition"),
    "a value that is no number": ({"value": "note", "windows": [4], "thresholds": {4: 1}}, "which is not a number"),
    "no such column": ({"windows": [4], "thresholds": {4: 1}, "by": "lnk"}, "by='lnk', which is not a column"),
    "control of a table": ({"windows": [4], "thresholds": {4: 1}, "control": "rows"}, "control= for a table"),
    "another prefix": ({"windows": [4], "thresholds": {4: 1}, "prefix": "a b"}, "prefix='a b'"),
    "no windows": ({"thresholds": len}, "got no windows"),
    "a unit for integers": ({"windows": [4], "thresholds": {4: 1}, "unit": "1 second"}, "but ts is an integer"),
}  # fmt: skip


@pytest.mark.parametrize("case", REFUSED)
def test_bad_input_is_refused_before_a_job_starts(spark, case):
    arguments, message = REFUSED[case]
    rows = spark.createDataFrame([("a", 1, 2, "x")], SCHEMA.format(kind="bigint"))
    arguments = {"value": "bytes", "ts": "ts", "by": "link", **arguments}
    if arguments.get("control") == "rows":
        arguments["control"] = rows
    with pytest.raises(sf.InvalidArgument, match=message):
        sf.bursts(rows, arguments.pop("value"), **flat("bursts", **arguments))


def test_a_table_of_thresholds_must_hold_all_of_them(spark):
    rows = spark.createDataFrame([("a", 1, 2, "x")], SCHEMA.format(kind="bigint"))
    kept = spark.createDataFrame(
        [("a", 4, 1.0), ("a", 8, 2.0), ("b", 4, 1.0)], "link string, window int, threshold double"
    )
    planned = sf.bursts(rows, "bytes", thresholds=kept, ts="ts", by="link").toDF()
    with pytest.raises(Exception, match="without one for the window 8 of b"):
        planned.collect()
    with pytest.raises(sf.InvalidArgument, match="thresholds without 'link'"):
        sf.bursts(rows, "bytes", thresholds=kept.drop("link"), ts="ts", by="link")
    with pytest.raises(sf.InvalidArgument, match="learnt\\(\\) got thresholds that are given"):
        sf.bursts(rows, "bytes", thresholds={4: 1}, ts="ts").learnt()


def test_a_negative_value_in_a_histogram_is_named(spark):
    rows = spark.createDataFrame([("a", 1, 2, "x"), ("a", 2, -5, "x")], SCHEMA.format(kind="bigint"))
    planned = sf.bursts(rows, "bytes", thresholds={1: 1.0}, ts="ts", search="all")
    with pytest.raises(Exception, match=r"met the value -5\.0, but search='all' needs values that are not negative"):
        planned.toDF().collect()


def test_runs_whose_windows_change_cannot_be_filled(spark):
    ticks = spark.readStream.format("rate").load()
    rows = ticks.selectExpr("value as ts", "value % 7 as bytes")
    commands = ticks.selectExpr("'add' as action", "2 as window", "3.0 as threshold")
    runs = sf.bursts(rows, "bytes", thresholds={2: 5}, ts="ts", stream=sf.Stream(lateness=1, control=commands)).runs()
    for fill in (
        lambda: runs.agg(n="count(*)"),
        runs.tag,
        lambda: runs.fill(spark.range(3).withColumnRenamed("id", "ts"), ts="ts", n="count(*)"),
    ):
        with pytest.raises(sf.InvalidArgument, match="got control=, and its runs are to be filled"):
            fill()
