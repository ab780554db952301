"""Bad input to searches for regions is refused before a job starts; the message names argument, value and remedy.

Covers: streamframes.core.regions.arguments
"""

# ruff: noqa: E501  (a table of messages reads better unbroken)
from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import functions as F

import streamframes as sf
from tests.arguments import flat

pytestmark = pytest.mark.spark

GOOD = {"ts": "ts", "space": "mile", "by": "highway"}
TWO = ["x", "y"]


@pytest.fixture(scope="module")
def rows(spark: Any) -> Any:
    return spark.createDataFrame(
        [],
        "highway string, lane int, ts timestamp, n int, day date, mile double, x double, y double, speed double, name string",
    )


@pytest.fixture(scope="module")
def stream(spark: Any) -> Any:
    rate = spark.readStream.format("rate").load()
    return rate.selectExpr("'a' highway", "timestamp ts", "cast(value as double) mile", "1D speed")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"space": "name"}, r"regions\(\) got space='name' of type string; a place is a number, .*cast it, for example"),
        ({"space": "milepost"}, r"space='milepost', which is not a column; the columns are highway, lane"),
        ({"space": "ts"}, r"space='ts'; name one column, or two like \['x', 'y'\], which are not in ts= or by="),
        ({"space": "lane", "by": "lane"}, r"space='lane'; name one column, or two .* not in ts= or by="),
        ({"space": ["x", "y", "mile"]}, r"space=\['x', 'y', 'mile'\]; name one column, or two"),
        ({"space": ["x", "x"]}, r"space=\['x', 'x'\]; name one column, or two"),
        ({"space": []}, r"space=\[\]; name one column, or two"),
        ({"space": 3}, r"space=3; give a column name or a list of them"),
        ({"min_extent": -1}, r"min_extent=-1; give zero or a positive number, in the unit of space"),
        ({"min_extent": "2 miles"}, r"min_extent='2 miles'; give zero or a positive number, in the unit of space"),
        ({"min_extent": [1, 2]}, r"min_extent=\[1, 2\], but space has one dimension; give one number"),
        ({"space": TWO, "min_extent": [1, -2]}, r"min_extent=-2; give zero or a positive number"),
        ({"max_step": 0}, r"max_step=0; give a number greater than zero, in the unit of space"),
        ({"min_duration": 5}, r"min_duration=5 is a plain number but ts is a timestamp; give it a unit, for example '5 seconds'"),
        ({"min_duration": "5 minutes", "ts": "n"}, r"min_duration='5 minutes' has a unit but ts is an integer; give a plain number"),
        ({"min_duration": "5 minutes", "ts": "day"}, r"min_duration='5 minutes' is no whole number of days but ts is a date"),
        ({"max_gap": "0 seconds"}, r"max_gap='0 seconds' must be greater than zero"),
        ({"max_gap": 3}, r"max_gap=3 is a plain number but ts is a timestamp; give it a unit"),
        ({"min_times": 0}, r"min_times=0; give a whole number of at least 1"),
        ({"min_places": 1.5}, r"min_places=1.5; give a whole number of at least 1"),
        ({"shape": "circle"}, r"shape='circle' is unknown; it is one of rectangle, connected"),
        ({"method": "III"}, r"method='III' is unknown; it is one of durations, spans"),
        ({"prefer": "best"}, r"prefer='best' is unknown; it is one of largest, longest, widest"),
        ({"missing": "maybe"}, r"missing='maybe' is unknown; it is one of ends, holds, true, false"),
        ({"missing": "true", "open_on": "all"}, r"open_on='all' is unknown; it is one of any, real"),
        ({"fragments": 1}, r"fragments=1 is neither True nor False"),
        ({"fragments": True, "prefer": "largest"}, r"fragments=True with prefer='largest', which decides when .*; leave one of them out"),
        ({"fragments": True, "shape": "connected"}, r"fragments=True with shape='connected', .*; leave it out, or search for rectangles"),
        ({"fragments": True, "space": TWO}, r"fragments=True for two dimensions of space; they need one: leave it out"),
        ({"max_missing": 2}, r"max_missing=2 with missing=None, .*leave it out, or give missing='holds' or missing='true'"),
        ({"max_missing": 2, "missing": "ends"}, r"max_missing=2 with missing='ends'"),
        ({"max_missing": -1, "missing": "true"}, r"max_missing=-1; give a whole number of at least 0"),
        ({"method": "spans", "space": TWO}, r"method='spans', but methods are of rectangles in one dimension of space"),
        ({"method": "durations", "missing": "holds"}, r"method='durations' with missing='holds': .*leave out method, or give method='spans'"),
        ({"places": []}, r"places=\[\]; give a list of numbers, or a table with 'mile'"),
        ({"places": ["a"]}, r"places=\['a'\]; give a list of numbers"),
        ({"places": "12"}, r"places='12'; give a list of numbers"),
        ({"places": [1.0, None]}, r"places=\[1.0, None\]; give a list of numbers"),
        ({"places": 3}, r"places=3; give a list of numbers"),
        ({"places": [1, 2], "space": TWO}, r"places=\[1, 2\]; give a list of pairs of numbers, for x and y, or a table with 'x' and 'y'"),
        ({"bad": "speed"}, r"bad='speed' of type double, which is not a condition; write a comparison like"),
        ({"bad": "velocity > 3"}, r"bad='velocity > 3', which Spark cannot evaluate: .*the columns are"),
        ({"condition": "speed"}, r"condition='speed' of type double, which is not a condition; write a comparison like"),
        ({"condition": 3}, r"condition=3, which Spark cannot evaluate: it is neither Spark SQL nor a Column"),
        ({"prefix": "a b"}, r"regions\(\) got prefix='a b'; give the beginning of a name like 'frame_'"),
        ({"prefix": "high"}, r"regions\(\) would name its own columns high..., but by='highway' begins so; choose another prefix="),
    ],
)  # fmt: skip
def test_regions_refuses(rows: Any, arguments: dict[str, Any], message: str) -> None:
    given = {"condition": "speed < 20", **GOOD, **arguments}
    with pytest.raises(sf.InvalidArgument, match=message):
        sf.regions(rows, given.pop("condition"), **flat("regions", **given))


@pytest.mark.parametrize(
    ("columns", "by", "message"),
    [
        (["highway", "1 at"], "highway", r"places='mile', which is not a column of the table of places; the columns are highway, at"),
        (["highway", "'x' mile"], "highway", r"places= as a table with 'mile' of type string; a place is a number; cast it"),
        (["highway", "null mile"], "highway", r"places= as a table with 'mile' of type void"),
        (["highway", "1 mile"], ["highway", "lane"], r"with 'highway' but without 'lane'; it needs all columns of by=\['highway', 'lane'\], or none"),
    ],
)  # fmt: skip
def test_a_table_of_places_must_name_them(spark: Any, rows: Any, columns: list[str], by: Any, message: str) -> None:
    places = spark.sql("select 'I-5' highway").selectExpr(*columns)
    with pytest.raises(sf.InvalidArgument, match=message):
        sf.regions(rows, "speed < 20", **{**GOOD, "by": by}, reports=sf.Reports(places=places))


@pytest.mark.parametrize(
    ("place", "message"),
    [
        ("double(null)", "places= as a table in which 'mile' is null or not finite; leave such rows out"),
        ("explode(array_repeat(1, 0))", "places= as a table without rows; leave it out, or name one place at least"),
    ],
)
def test_places_of_a_table_are_looked_at_in_the_job(spark: Any, place: str, message: str) -> None:
    rows = spark.sql("select 'I-5' highway, timestamp'2026-01-01' ts, 1.0D mile, 9.0D speed")
    places = spark.sql(f"select 'I-5' highway, {place} mile")
    planned = sf.regions(rows, "speed < 20", **GOOD, reports=sf.Reports(places=places)).toDF()
    with pytest.raises(Exception, match=message):
        planned.collect()


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"bin": 0}, r"density\(\) got bin=0; give a number greater than zero, in the unit of space"),
        ({"bin": [1, -1], "space": TWO}, r"bin=-1; give a number greater than zero"),
        ({"bin": [1, 1, 1]}, r"bin=\[1, 1, 1\], but space has one dimension; give one number"),
        ({"unit": "-1 minute"}, r"unit='-1 minute' must be greater than zero"),
        ({"unit": 3}, r"unit=3 is a plain number but ts is a timestamp; give it a unit"),
        ({"above": 0}, r"density\(\) got above=0; give a number greater than zero, points for each unit of area"),
        ({"min_area": 1e9}, r"min_area=1000000000.0 with bin=1: more than 1,000,000 cells; take larger bins"),
        ({"min_area": -1}, r"min_area=-1; give zero or a positive number"),
        ({"min_duration": 3}, r"min_duration=3 is a plain number but ts is a timestamp"),
        ({"space": "name"}, r"density\(\) got space='name' of type string; a place is a number"),
        ({"prefix": "high"}, r"density\(\) would name its own columns high..., but by='highway' begins so; choose another prefix="),
    ],
)  # fmt: skip
def test_density_refuses(rows: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(sf.InvalidArgument, match=message):
        sf.density(rows, **{**GOOD, "bin": 1, "unit": "1 minute", "above": 1, **arguments})


def _text(name: str) -> Any:
    return F.lit("a").alias(name)


@pytest.mark.parametrize(
    ("use", "message"),
    [
        (lambda r, rows: r.fill(rows, ts="ts", n="count(*)"), r"fill\(\) of regions got no space=; name the column\(s\) of the other rows for \['mile'\]"),
        (lambda r, rows: r.fill(rows, ts="ts", space=(), n="count(*)"), r"fill\(\) of regions got no space="),
        (lambda r, rows: r.fill(rows, ts="ts", space="mil", n="count(*)"), r"space='mil', which is not a column; the columns are highway"),
        (lambda r, rows: r.fill(rows, ts="ts", space="name", n="count(*)"), r"fill\(\) got space='name' of type string; a place is a number"),
        (lambda r, rows: r.fill(rows, ts="ts", space=TWO, n="count(*)"), r"space=\['x', 'y'\], but the frames have edges in 1 dimension"),
        (lambda r, rows: sf.fill(r.toDF().drop("frame_low"), rows, ts="ts", space="mile", n="count(*)"), r"edges in 0 dimensions of space; .*an edge is called 'frame_low' and 'frame_high'"),
        (lambda r, rows: sf.fill(r.toDF().withColumn("frame_low", _text("low")), rows, ts="ts", space="mile", n="count(*)"), r"got frames with 'frame_low' of type string; an edge is a number; cast it"),
        (lambda r, rows: sf.overlaps(r.toDF(), r.toDF().drop("frame_low"), by="highway", space=True), r"overlaps\(\) got space=True, for which both tables need the columns 'frame_low' and 'frame_high'; a has highway.*, and b has highway"),
        (lambda r, rows: sf.overlaps(r.toDF(), r.toDF(), by="highway", space="mile"), r"overlaps\(\) got space='mile'; it is True or False"),
        (lambda r, rows: r.tag(keep_outside=True), r"keep_outside=True for frames that may overlap; leave it out"),
        (lambda r, rows: r.agg(), r"agg\(\) got no measures; write agg\(worst="),
    ],
)  # fmt: skip
def test_uses_of_regions_are_refused(rows: Any, use: Any, message: str) -> None:
    regions = sf.regions(rows, "speed < 20", **GOOD)
    with pytest.raises(sf.InvalidArgument, match=message):
        use(regions, rows)


def test_what_a_stream_cannot_do_is_refused(rows: Any, stream: Any, spark: Any) -> None:
    live = sf.regions(stream, "speed < 20", **GOOD, lateness="1 minute")
    for use, message in (
        (lambda: sf.regions(stream, "speed < 20", **GOOD), r"regions\(\) got a stream without a watermark; say how late"),
        (lambda: sf.density(stream, **GOOD, bin=1, unit="1 minute", above=1), r"density\(\) got a stream without a watermark"),
        (lambda: sf.regions(rows, "speed < 20", **GOOD, reports=sf.Reports(places=stream)), r"places= as a stream; give a table of them, or a list"),
        (live.duplicates, r"duplicates\(\) looks at tables; a stream counts them, as duplicate_reports of sf\.watch\(query\)"),
        (lambda: live.agg(half="percentile(speed, 0.5)"), r"half='percentile\(speed, 0.5\)', which a stream cannot add up .*foreachBatch"),
    ):  # fmt: skip
        with pytest.raises(sf.InvalidArgument, match=message):
            use()


def test_one_place_is_a_region_without_extent(spark: Any) -> None:
    rows = spark.sql("select id ts, 7 place, id between 2 and 4 w from range(8)")
    at = {"ts": "ts", "space": "place"}
    for found in (sf.regions(rows, "w", **at), sf.regions(rows, "w", **at, shape="connected")):
        (row,) = found.toDF().collect()
        assert (row.frame_start, row.frame_end, row.frame_low, row.frame_high, row.frame_rows) == (2, 4, 7, 7, 3)
    assert not sf.regions(rows, "w", **at, min_extent=0.1).toDF().collect()
