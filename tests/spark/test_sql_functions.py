"""`sql()` is the Python call, on tables and streams; what is not ours is Spark's; errors say line and column."""

from __future__ import annotations

from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

import streamframes as sf
from tests.core.sqltext.written import NASTY, quoted

pytestmark = pytest.mark.spark

LOSS = sf.Threshold("drop_pct > 0.3", min_rows=2)
CALL = "frames(TABLE(reports), threshold(drop_pct > 0.3, min_rows => 2), ts => at, by => router)"


@pytest.fixture(scope="module")
def reports(spark: Any) -> Any:
    values = [0.1, 0.4, 0.5, 0.2, 0.6, 0.7, 0.9, 0.1, 0.4, 0.3]
    rows = [(f"r{k}", 10 * i + k, v + k / 10, 1 + i % 3) for k in range(3) for i, v in enumerate(values)]
    table = spark.createDataFrame(rows, "router string, at long, drop_pct double, place long").coalesce(1).cache()
    table.createOrReplaceTempView("reports")
    spark.createDataFrame([("r1", "Oslo"), ("r2", "Rome")], "router string, site string").createOrReplaceTempView(
        "sites"
    )
    return table


def rows_of(table: Any) -> list[Any]:
    return sorted(map(tuple, table.collect()), key=repr)


ORDER = "ts => at, by => router"
TREE = "session(Call, key => router, opens => drop_pct > 0.3, closes => drop_pct < 0.2)"
PATTERN = "MEASURES LAST(UP.drop_pct) AS top PATTERN (S UP+) DEFINE UP AS drop_pct > PREV(drop_pct)"


def framed(rows: Any) -> sf.Frames:
    return sf.frames(rows, LOSS, ts="at", by="router")


CALL_TREE = sf.Session("Call", key="router", opens="drop_pct > 0.3", closes="drop_pct < 0.2")
CASES: dict[str, tuple[str, Callable[[Any], Any]]] = {
    "frames with measures": (
        CALL.replace("router)", "router, worst => max(drop_pct), n => count(*))"),
        lambda r: framed(r).agg(worst="max(drop_pct)", n="count(*)"),
    ),
    "tag": (f"tag({CALL}, keep_outside => true)", lambda r: framed(r).tag(keep_outside=True)),
    "expand and fill": (
        f"fill(expand({CALL}, before => 10), TABLE(reports), ts => at, n => count(*), keep_empty => false)",
        lambda r: framed(r).expand(before=10).fill(r, ts="at", n="count(*)", keep_empty=False),
    ),
    "fill of a table": (
        f"fill(TABLE(SELECT * FROM {CALL}), TABLE(reports), ts => at, by => router, n => count(*))",
        lambda r: sf.fill(framed(r).toDF(), r, ts="at", by="router", n="count(*)"),
    ),
    "runs of bursts": (
        f"runs(bursts(TABLE(reports), drop_pct, thresholds => map(2, 0.9, 3, 1.5), {ORDER}))",
        lambda r: sf.bursts(r, "drop_pct", thresholds={2: 0.9, 3: 1.5}, ts="at", by="router").runs().toDF(),
    ),
    "sessions": (
        f"sessions(TABLE(reports), {TREE}, ts => at)",
        lambda r: sf.sessions(r, CALL_TREE, ts="at").sessions(),
    ),
    "regions": (
        "regions(TABLE(reports), drop_pct > 0.3, ts => at, space => place, shape => rectangles('largest'))",
        lambda r: sf.regions(r, "drop_pct > 0.3", ts="at", space="place", shape=sf.Rectangles("largest")).toDF(),
    ),
    "density": (
        "density(TABLE(reports), ts => at, space => place, bin => 1, unit => 20, above => 0.1)",
        lambda r: sf.density(r, ts="at", space="place", bin=1, unit=20, above=0.1).toDF(),
    ),
    "algebra": (
        f"intersect({CALL}, TABLE(SELECT * FROM frames(TABLE(reports), gap(15), {ORDER})), by => router)",
        lambda r: sf.intersect(framed(r).toDF(), sf.frames(r, sf.Gap(15), ts="at", by="router").toDF(), by="router"),
    ),
    "match": (
        f"reports MATCH_RECOGNIZE (PARTITION BY router ORDER BY at {PATTERN})",
        lambda r: sf.match(
            r,
            "S UP+",
            ts="at",
            by="router",
            define={"UP": "drop_pct > PREV(drop_pct)"},
            measures={"top": "LAST(UP.drop_pct)"},
        ).toDF(),
    ),
}


@pytest.mark.parametrize("name", CASES)
def test_a_function_gives_what_the_python_call_gives(spark: Any, reports: Any, name: str) -> None:
    text, python = CASES[name]
    found, wanted = sf.sql(f"SELECT * FROM {text} AS f", spark), python(reports)
    assert found.schema == wanted.schema
    assert rows_of(found) == rows_of(wanted) != []


def test_the_rest_of_the_query_is_sparks(spark: Any, reports: Any) -> None:
    frames = sf.frames(reports, LOSS, ts="at", by="router").toDF()
    wanted = [(row.router, row.frame_rows) for row in frames.collect() if row.router == "r1" and row.frame_rows > 1]
    joined = f"""
        /* {{not}} ours: fill(x) */ WITH mine AS (SELECT * FROM reports WHERE router <> :left_out),
        found AS (SELECT * FROM {CALL.replace("reports", "mine")})
        SELECT /*+ BROADCAST(sites) */ `router`, frame_rows FROM found JOIN sites USING (router)
        WHERE site = :site AND '{{}}' = "{{}}"
    """
    assert rows_of(sf.sql(joined, spark, left_out="r2", site="Oslo")) == sorted(wanted)
    piped = f"FROM {CALL} |> WHERE router = 'r1' |> SELECT router, frame_rows"
    assert rows_of(sf.sql(f"CREATE OR REPLACE TEMP VIEW found (a, b) AS {piped}", spark)) == sorted(wanted)
    assert rows_of(spark.sql("SELECT a, b FROM found")) == sorted(wanted)
    assert rows_of(sf.sql("SELECT :x + 1, '{}'", spark, x=1)) == [(2, "{}")]


def test_parameters_may_be_tables_and_schemes(spark: Any, reports: Any) -> None:
    text = "SELECT * FROM frames(TABLE(:rows), :scheme, ts => :ts, by => router) f JOIN :other o USING (router)"
    found = sf.sql(text, spark, rows=reports, scheme=LOSS, ts="at", other=reports.select("router").distinct())
    assert rows_of(found) == rows_of(sf.frames(reports, LOSS, ts="at", by="router").toDF())


def test_nasty_names_and_values_mean_themselves(spark: Any) -> None:
    rows = [(t, value) for t, value in enumerate(NASTY)]
    for name in ("a`b", "x'); DROP TABLE r --", "select"):
        table = spark.createDataFrame(rows, "at long, value string").withColumnRenamed("value", name).coalesce(1)
        table.createOrReplaceTempView("nasty")
        text = f"SELECT frame_start FROM frames(TABLE(nasty), threshold({quoted(name)} IN (:one, :two)), ts => at)"
        for i in range(0, len(NASTY), 7):
            found = sf.sql(text, spark, one=NASTY[i], two="' OR true OR '")
            assert rows_of(found) == [(i,)], NASTY[i]


def test_a_function_over_a_stream_is_a_stream(spark: Any, reports: Any, tmp_path: Path) -> None:
    reports.union(spark.createDataFrame([("r9", 1000, 0.0, 1)], reports.schema)).coalesce(1).write.parquet(
        f"{tmp_path}/in"
    )
    spark.readStream.schema(reports.schema).parquet(f"{tmp_path}/in").createOrReplaceTempView("arriving")
    call = CALL.replace("reports", "arriving").replace("router)", "router, lateness => 5)")
    found = sf.sql(f"SELECT * FROM {call} WHERE frame_rows > :n", spark, n=1)
    assert found.isStreaming
    writer = found.writeStream.format("parquet").option("checkpointLocation", f"{tmp_path}/state")
    writer.trigger(availableNow=True).start(f"{tmp_path}/out").awaitTermination()
    closed = sf.frames(reports, LOSS, ts="at", by="router").toDF().where("frame_closed_by = 'condition'")
    assert rows_of(spark.read.parquet(f"{tmp_path}/out")) == rows_of(closed)


@pytest.mark.parametrize(
    ("text", "message"),
    [
        (
            "SELECT *\nFROM " + CALL.replace("reports", "reportz"),
            r"line 2, column 19: .*did you mean 'reports'\?",
        ),
        ("SELECT *\nFROM " + CALL.replace("=> at", "=> att"), "line 2, column .*ts='att', which is not a column"),
        ("SELECT * FROM " + CALL.replace("drop_pct", "drop"), "column 48: Threshold got where='drop > 0.3'"),
        ("SELECT * FROM " + CALL.replace("min_rows => 2", "min_rows => 0"), "column 64: min_rows=0 must be"),
        ("SELECT * FROM framez(TABLE(reports), threshold(x), ts => at)", "column 15: .* did you mean 'frames'"),
        (f"SELECT a,\n  nope FROM (SELECT 1 AS a) JOIN {CALL} f", "line 2, column 3: .*nope"),
        (f"SELECT * FROM {CALL} f\n  WHERE a = = 1", "line 2, column 13: Syntax error"),
        (f"SELECT * FROM {CALL}; SELECT 1", "carries out one statement"),
        (
            f"SELECT * FROM tag({CALL.replace('router)', 'router, n => count(*))')})",
            "tag\\(\\) has no measures; leave n out",
        ),
        ("SELECT * FROM :rows", "no parameter|no table"),
        ("", "text=''"),
    ],
)
def test_errors_say_line_and_column_and_what_would_work(spark: Any, reports: Any, text: str, message: str) -> None:
    with pytest.raises(sf.InvalidArgument, match=message):
        sf.sql(text, spark)
