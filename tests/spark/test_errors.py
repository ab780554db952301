"""Bad input is refused before any job starts; the message names argument, value and remedy."""

# ruff: noqa: E501  (a table of messages reads better unbroken)
from __future__ import annotations

from typing import Any

import pytest

import streamframes as sf
from tests.arguments import flat

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def rows(spark: Any) -> Any:
    return spark.createDataFrame(
        [], "router string, rpt_time timestamp, day date, scan long, drop_pct double, frame_id long, text string"
    )


GOOD = {"ts": "rpt_time", "by": "router"}
LOSS = sf.Threshold("drop_pct > 0.3")


@pytest.mark.parametrize(
    ("scheme", "arguments", "message"),
    [
        (LOSS, {"ts": "rpt_tme"}, r"frames\(\) got ts='rpt_tme', which is not a column; the columns are router, rpt_time"),
        (LOSS, {"by": ["router", "line"]}, r"by='line', which is not a column; the columns are"),
        (LOSS, {"ts": "text"}, r"ts='text' of type string; ts must be a timestamp, timestamp_ntz, date or integer; add such a column"),
        (LOSS, {"ts": []}, r"ts=\[\]; name the column that orders the rows"),
        (LOSS, {"ts": 3}, r"ts=3; give a column name or a list of them"),
        (LOSS, {"by": ["router", "router"]}, r"each column may be named once"),
        (LOSS, {"by": "rpt_time"}, r"each column may be named once"),
        (LOSS, {"by": "frame_id"}, r"by='frame_id', which is a column of the frames too; choose another prefix="),
        (LOSS, {"prefix": "my frame"}, r"prefix='my frame'; give the beginning of a name like 'frame_'"),
        ("drop_pct > 0.3", {}, r"scheme='drop_pct > 0.3'; give a scheme like Threshold"),
        (sf.Threshold("drop > 0.3"), {}, r"Threshold got where='drop > 0.3', which Spark cannot evaluate: .*drop.*the columns are"),
        (sf.Threshold("drop_pct >"), {}, r"Threshold got where='drop_pct >', which Spark cannot evaluate"),
        (sf.Threshold("sum(drop_pct) > 3"), {}, r"where='sum\(drop_pct\) > 3', which Spark cannot evaluate: .*GROUP BY"),
        (sf.Threshold("drop_pct"), {}, r"where='drop_pct' of type double, which is not a condition; write a comparison"),
        (sf.Threshold("drop_pct > 1", until="text"), {}, r"until='text' of type string, which is not a condition"),
        (sf.Delta("text", "<", 1), {}, r"value='text' of type string, which is not a number; cast it, for example cast\(text"),
        (sf.Aggregate("sum(rpt_time)", ">", 1), {}, r"aggregate='rpt_time' of type timestamp, which is not a number"),
        (sf.Gap(5), {}, r"gap=5 is a plain number but ts is a timestamp; give it a unit, for example '5 seconds'"),
        (sf.Gap("5 minutes"), {"ts": "scan"}, r"gap='5 minutes' has a unit but ts is an integer; give a plain number"),
        (sf.Gap("5 minutes"), {"ts": "day"}, r"gap='5 minutes' is no whole number of days but ts is a date"),
        (sf.Count(5, min_duration=3), {}, r"min_duration=3 is a plain number but ts is a timestamp"),
        (LOSS, {"schedule": 20}, r"schedule=20 is a plain number but ts is a timestamp"),
        (LOSS, {"schedule": "0 seconds"}, r"schedule='0 seconds' must be greater than zero"),
        (LOSS, {"schedule": "20 seconds", "jitter": "10 seconds"}, r"jitter='10 seconds' must be less than half of"),
        (LOSS, {"schedule": "20 seconds", "missing": "maybe"}, r"missing='maybe' is unknown; it is one of ends, holds"),
        (LOSS, {"schedule": "20 seconds", "open_on": "all"}, r"open_on='all' is unknown; it is one of any, real"),
        (sf.Gap("1 minute"), {"schedule": "20 seconds", "missing": "true"}, r"which only Threshold can use; use 'ends' or"),
    ],
)  # fmt: skip
def test_frames_refuses(rows: Any, scheme: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(sf.InvalidArgument, match=message):
        sf.frames(rows, scheme, **flat("frames", **{**GOOD, **arguments}))


def test_frames_refuses_what_is_no_dataframe() -> None:
    with pytest.raises(sf.InvalidArgument, match=r"frames\(\) got rows of type list; give a Spark DataFrame"):
        sf.frames([1, 2], LOSS, ts="ts")  # type: ignore[arg-type]


def test_tag_refuses_a_name_that_is_taken_and_offers_a_prefix(rows: Any) -> None:
    frames = sf.frames(rows, LOSS, **GOOD)
    with pytest.raises(
        sf.InvalidArgument, match=r"would add 'frame_id', but the rows have a column of that name; .*prefix"
    ):
        frames.tag()
    assert sf.frames(rows, LOSS, prefix="loss_", **GOOD).tag().columns[-1] == "loss_id"


@pytest.mark.parametrize(
    ("measures", "message"),
    [
        ({}, r"agg\(\) got no measures; write agg\(worst='max\(drop_pct\)'\)"),
        ({"router": "count(*)"}, r"agg\(\) got the measure 'router', which is a column of the frames; rename it"),
        ({"frame_end": "count(*)"}, r"the measure 'frame_end', which is a column of the frames"),
        (
            {"worst": "max(dropped)"},
            r"agg\(\) got worst='max\(dropped\)', which Spark cannot evaluate: .*the columns are",
        ),
        ({"worst": "maximum(drop_pct)"}, r"agg\(\) got worst='maximum\(drop_pct\)', which Spark cannot evaluate"),
        ({"worst": "drop_pct"}, r"agg\(\) got worst='drop_pct', which is not an aggregate; write one like"),
        (
            {"worst": sf.Fold("text", (0.0,), max, max)},
            r"agg\(\) got worst=.text. of type string, which is not a number",
        ),
        ({"worst": 3}, r"agg\(\) got worst=3, which Spark cannot evaluate: it is neither Spark SQL nor a Column"),
    ],
)
def test_agg_refuses(rows: Any, measures: dict[str, Any], message: str) -> None:
    with pytest.raises(sf.InvalidArgument, match=message):
        sf.frames(rows, LOSS, **GOOD).agg(**measures)


def test_spark_still_reports_its_own_errors_afterwards(spark: Any, rows: Any) -> None:
    with pytest.raises(sf.InvalidArgument):
        sf.frames(rows, sf.Threshold("nowhere > 1"), **GOOD)
    with pytest.raises(Exception, match="UNRESOLVED_COLUMN"):
        spark.sql("select nowhere from range(3)").collect()
