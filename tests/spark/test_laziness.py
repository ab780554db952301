"""Verbs are lazy: no Spark job starts before a result is used, whatever the rows are."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyspark.sql import DataFrame

import streamframes as sf

pytestmark = pytest.mark.spark

COLUMNS = pa.schema(
    {
        "ts": pa.int64(),
        "name": pa.string(),
        "w": pa.bool_(),
        "v": pa.float64(),
        "x": pa.float64(),
        "y": pa.float64(),
    }
)
ROWS = [{"ts": n, "name": "ab"[n % 2], "w": n % 3 > 0, "v": float(n), "x": n % 4, "y": n % 2} for n in range(40)]
SQL = "ts bigint, name string, w boolean, v double, x double, y double"
GROUPS: Any = {"ts": "ts", "by": "name"}
TREE = sf.Session("Visit", key="name", opens="w", closes="not w")


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    folder = tmp_path_factory.mktemp("lazy")
    for number in range(2):
        pq.write_table(pa.Table.from_pylist(ROWS[20 * number :][:20], COLUMNS), folder / f"{number}.parquet")
    return str(folder)


class Rows:
    """The same rows as a table, a scan or a stream; jobs that Spark needs to open them are not the library's."""

    def __init__(self, spark: Any, path: str, kind: str) -> None:
        self.table = spark.read.schema(SQL).parquet(path)
        opened = {
            "table": lambda: self.table,
            "stream": lambda: spark.readStream.schema(SQL).parquet(path),
            "scan": lambda: sf.scan(path, spark=spark),
        }
        self.rows = opened[kind]()
        self.spark = spark
        self.known: Any = {"lateness": 5} if kind == "stream" else {}
        places = [("a", 0.0), ("b", 1.0), ("a", 2.0)]
        self.places = spark.createDataFrame(places, "name string, x double")
        limits = [("a", 2, 3.0), ("b", 2, 4.0)]
        self.limits = spark.createDataFrame(limits, "name string, window int, threshold double")


def loss(of: Rows, **options: Any) -> sf.Frames:
    return sf.frames(of.rows, sf.Threshold("w"), **GROUPS, **of.known, **options)


def crowds(of: Rows) -> sf.Regions:
    settings: Any = {"space": ["x", "y"], "bin": 2, "unit": 5, "above": 0.1}
    return sf.density(of.rows, **GROUPS, **settings, **of.known)


def spikes(of: Rows, thresholds: Any = None, **options: Any) -> sf.Bursts:
    return sf.bursts(
        of.rows, "v", thresholds={1: 3.0, 4: 9.0} if thresholds is None else thresholds, **GROUPS, **of.known, **options
    )


def visits(of: Rows) -> sf.Sessions:
    return sf.sessions(of.rows, TREE, ts="ts", **of.known)


def jams(of: Rows, **options: Any) -> sf.Regions:
    return sf.regions(of.rows, "w", **GROUPS, space="x", **of.known, **options)


# What a verb gives: lazy values, and DataFrames that are made of them.
ALL: dict[str, Callable[[Rows], list[Any]]] = {
    "frames": lambda of: [loss(of), loss(of).agg(n="count(*)"), loss(of).tag(), loss(of, schedule=3)],
    "frames that are moved": lambda of: [
        loss(of).expand(before=3),
        loss(of).move(start="frame_start - 1", lookback=1),
        loss(of).split(every=7),
    ],
    "windows": lambda of: [sf.frames(of.rows, scheme, **GROUPS, **of.known) for scheme in (sf.Every(9), sf.Count(4))],
    "frames without groups": lambda of: [sf.frames(of.rows, sf.Gap(3), ts="ts", **of.known)],
    "fill": lambda of: [
        loss(of).fill(of.table, ts="ts", n="count(*)"),
        loss(of).expand(before=2).fill(of.table, ts="ts"),
    ],
    "bursts": lambda of: [
        spikes(of),
        spikes(of, unit=2),
        spikes(of).latest(),
        spikes(of).any(),
        spikes(of).runs(),
        spikes(of).runs().agg(n="count(*)"),
    ],
    "bursts that are learnt": lambda of: [
        spikes(of, sf.Learn(sigmas=3, rows=9), windows=[2, 3]),
        spikes(of, sf.Learn(sigmas=3, rows=9), windows=[2, 3]).learnt(),
    ],
    "regions": lambda of: [
        jams(of),
        jams(of, shape="connected"),
        jams(of, shape=sf.Rectangles(prefer="largest")),
        jams(of, reports=sf.Reports(places=[0.0, 1.0], missing="true")),
        jams(of).tag(),
        jams(of).agg(n="count(*)"),
    ],
    "density": lambda of: [crowds(of)],
    "sessions": lambda of: [visits(of), visits(of).sessions(), visits(of).tag(), visits(of).frames("Visit")],
}
# What takes no stream.
STILL: dict[str, Callable[[Rows], list[Any]]] = {
    "measures by Spark": lambda of: [
        loss(of).agg(m="percentile(v, 0.5)"),
        loss(of).fill(of.table, ts="ts", m="mode(v)"),
    ],
    "open sessions": lambda of: [visits(of).open(), visits(of).diagnostics()],
    "duplicates": lambda of: [jams(of).duplicates()],
    "accuracy": lambda of: [sf.accuracy(of.rows, sf.Threshold("v > 3"), windows=[4, sf.Count(3)], **GROUPS)],
    "algebra": lambda of: [
        each
        for verb in (sf.overlaps, sf.intersect, sf.union, sf.subtract)
        for each in [verb(loss(of).toDF(), loss(of).expand(after=2).toDF(), by="name")]
    ],
    "algebra of one": lambda of: [
        sf.complement(loss(of).toDF(), within=(0, 50), by="name"),
        sf.coverage(loss(of).toDF(), by="name"),
        sf.at(loss(of).toDF(), of.table, ts="ts", by="name"),
        sf.at(loss(of).toDF(), [3, 5], by="name"),
    ],
    "fill of a table": lambda of: [sf.fill(loss(of).toDF(), of.rows, ts="ts", by="name", n="count(*)")],
}
CASES = [
    *((name, verb, kind) for name, verb in ALL.items() for kind in ("table", "stream", "scan")),
    *((name, verb, kind) for name, verb in STILL.items() for kind in ("table", "scan")),
]


def jobs(spark: Any) -> int:
    """How many jobs have been started so far, by whatever thread."""
    return int(spark.sparkContext._jsc.sc().dagScheduler().numTotalJobs())


def look_at(value: Any) -> None:
    """All that is done with a result before it is used."""
    repr(value)
    if not isinstance(value, DataFrame):
        value.explain()
    table = value if isinstance(value, DataFrame | sf.Sessions) else value.toDF()
    if isinstance(table, DataFrame):
        assert table.columns
        table.explain(extended=True)


@pytest.mark.parametrize(("name", "verb", "kind"), CASES, ids=[f"{name}, {kind}" for name, _, kind in CASES])
def test_no_job_starts_before_a_result_is_used(
    spark: Any, path: str, name: str, verb: Callable[[Rows], list[Any]], kind: str
) -> None:
    rows = Rows(spark, path, kind)
    before = jobs(spark)
    for value in verb(rows):
        look_at(value)
    assert jobs(spark) == before


def test_a_result_that_is_used_starts_jobs(spark: Any, path: str) -> None:
    rows = Rows(spark, path, "table")
    before = jobs(spark)
    loss(rows).toArrow()
    assert jobs(spark) > before


def test_a_scan_of_files_without_statistics_is_lazy(spark: Any, tmp_path: Any) -> None:
    for number in range(3):
        rows = pa.Table.from_pylist(ROWS[10 * number :][:10], COLUMNS)
        pq.write_table(rows, tmp_path / f"{number}.parquet", write_statistics=False)
    scan = sf.scan(str(tmp_path), spark=spark)
    before = jobs(spark)
    for scheme in (sf.Threshold("w"), sf.Every(9), sf.Gap(3)):
        for options in (GROUPS, {"ts": "ts"}):
            look_at(sf.frames(scan, scheme, **options))
    assert jobs(spark) == before


@pytest.mark.parametrize("kind", ["table", "stream", "scan"])
def test_tables_of_thresholds_and_places_are_read_when_a_result_is_used(spark: Any, path: str, kind: str) -> None:
    rows = Rows(spark, path, kind)
    before = jobs(spark)
    for value in (spikes(rows, rows.limits), spikes(rows, rows.limits, windows=[2]), spikes(rows, rows.limits).runs()):
        look_at(value)
    look_at(jams(rows, reports=sf.Reports(places=rows.places)))
    assert jobs(spark) == before
