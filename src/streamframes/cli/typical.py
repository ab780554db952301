"""Typical queries: some of each verb, small, which together run the code that most queries need compiled.

`streamframes warmup` runs them to fill a cache; `python -m benchmarks.cold` times how long each takes without one.
"""

from __future__ import annotations

import tempfile
from collections.abc import Callable, Iterator, Mapping
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import streamframes as sf

if TYPE_CHECKING:
    from streamframes.spark import DataFrame, SparkSession

_COLUMNS = (
    "timestamp_seconds(id div 7) AS ts",
    "id AS tick",
    "concat('k', id % 7) AS key",
    "id % 7 AS number",
    "sin(id div 70) AS v",
    "id div 7 % 23 AS n",
    "sin(id div 90) > 0 AS w",
    "double(id % 5) AS x",
    "double(id % 3) AS y",
    "CASE id div 7 % 20 WHEN 0 THEN 'in' WHEN 19 THEN 'out' ELSE 'get' END AS kind",
)
_ROWS = 4_000
_MEASURES: dict[str, Any] = {
    "count": "count(*)",
    "mean": "avg(v)",
    "least": "min(v)",
    "most": "max(n)",
    "total": "sum(n)",
    "sum": "sum(v)",
    "spread": "stddev(v)",
    "begins": "first(kind)",
    "ends": "last(v)",
}


@dataclass(frozen=True)
class Rows:
    """The rows of all queries: as a table, as files that are scanned, and as a stream of them."""

    spark: SparkSession
    folder: Path

    @property
    def table(self) -> DataFrame:
        return self.spark.range(_ROWS).selectExpr(*_COLUMNS)

    @property
    def scan(self) -> Any:
        return sf.scan(str(self.folder / "rows"), spark=self.spark)

    @property
    def stream(self) -> DataFrame:
        return self.spark.readStream.schema(self.table.schema).parquet(str(self.folder / "rows"))


Query = Callable[[Rows], "DataFrame"]


@contextmanager
def rows_in_files(spark: SparkSession) -> Iterator[Rows]:
    """The rows, for as long as queries run."""
    with tempfile.TemporaryDirectory(prefix="streamframes-") as folder:
        rows = Rows(spark, Path(folder))
        rows.table.coalesce(1).write.parquet(str(rows.folder / "rows"))
        yield rows


def carry_out(query: Query, rows: Rows) -> None:
    """Run a query to its end; nobody wants its results."""
    result = query(rows)
    if not result.isStreaming:
        result.write.format("noop").mode("overwrite").save()
        return
    with tempfile.TemporaryDirectory(prefix="checkpoint-", dir=rows.folder) as checkpoint:
        writer = result.writeStream.format("noop").option("checkpointLocation", checkpoint)
        writer.trigger(availableNow=True).start().awaitTermination()


def _frames(scheme: sf.Scheme, ts: str = "ts", by: str = "key", **options: Any) -> Query:
    return lambda rows: sf.frames(rows.table, scheme, ts=ts, by=by, **options).agg(**_MEASURES)


def _bursts(value: str, **options: Any) -> Query:
    options = {"thresholds": sf.Learn(sigmas=2, rows=100), "windows": range(4, 44, 4), **options}
    return lambda rows: sf.bursts(rows.table, value, ts="ts", by="key", **options).toDF()


def _sessions(**options: Any) -> Callable[[Any], sf.Sessions]:
    return lambda rows: sf.sessions(rows, _ALL, ts=["ts", "tick"], **options)


def _regions(**options: Any) -> Query:
    options = {"space": "x", **options}
    return lambda rows: sf.regions(rows.table, "w", ts=["ts", "tick"], by="number", **options).toDF()


_THRESHOLD = sf.Threshold("w", min_rows=2)
_VISIT = sf.Session(
    "Visit",
    key="key",
    opens="kind = 'in'",
    closes="kind = 'out'",
    attributes={"size": "sum(n)", "last_kind": "last(kind)"},
    parts=[sf.Session("Page", key="number", timeout="20 seconds", attributes={"seen": "count(*)", "mean": "avg(v)"})],
)
_ALL = sf.Session("All", parts=[_VISIT])
_MEANS = {"mean": "All.avg(Visit.duration(ts))", "pages": "Visit.count(Page)", "most": "All.max(Visit.size)"}
_SINCE = sf.Stream(lateness="2 seconds")

QUERIES: Mapping[str, Mapping[str, Query]] = {
    "frames": {
        "threshold": _frames(_THRESHOLD),
        "threshold by integers": _frames(_THRESHOLD, ts="tick", by="number"),
        "delta": _frames(sf.Delta("v", "<", 0.3)),
        "delta of integers": _frames(sf.Delta("n", ">=", 5)),
        "boundary": _frames(sf.Boundary({"x": 2, "y": [0, 1]})),
        "aggregate": _frames(sf.Aggregate("sum(v)", ">=", 3)),
        "aggregate of integers": _frames(sf.Aggregate("sum(n)", ">=", 40)),
        "change": _frames(sf.Change("kind", "w")),
        "gap": _frames(sf.Gap("3 seconds")),
        "windows": _frames(sf.Every("1 minute")),
        "count": _frames(sf.Count(10)),
        "hysteresis": _frames(sf.Threshold("v > 0.5", until="v < 0", merge_gap="2 seconds", gaps=True)),
        "schedule": _frames(_THRESHOLD, schedule="1 second"),
        "tags": lambda rows: sf.frames(rows.table, _THRESHOLD, ts="ts", by="key").tag(),
        "scan": lambda rows: sf.frames(rows.scan, sf.Delta("v", "<", 0.3), ts="ts", by="key").toDF(),
        "scan with measures": lambda rows: sf.frames(rows.scan, _THRESHOLD, ts="ts", by="key").agg(**_MEASURES),
        "stream": lambda rows: sf.frames(rows.stream, _THRESHOLD, ts="ts", by="key", stream=_SINCE).agg(**_MEASURES),
    },
    "fill": {
        "table": lambda rows: sf.frames(rows.table, _THRESHOLD, ts="ts", by="key").fill(
            rows.table, ts="ts", by="key", **_MEASURES
        ),
        "stream": lambda rows: sf.frames(rows.stream, _THRESHOLD, ts="ts", by="key", stream=_SINCE).fill(
            rows.stream, ts="ts", by="key", lateness="2 seconds", count="count(*)", mean="avg(v)"
        ),
    },
    "algebra": {
        "overlaps": lambda rows: sf.overlaps(*_two(rows)),
        "intersect": lambda rows: sf.intersect(*_two(rows)),
        "union": lambda rows: sf.union(*_two(rows)),
    },
    "bursts": {
        "exact": _bursts("n"),
        "exact, doubles": _bursts("v"),
        "all": _bursts("n", search="all"),
        "monotonic": _bursts("n", search="monotonic"),
        "runs": lambda rows: sf.bursts(rows.table, "n", thresholds={4: 40.0}, ts="ts", by="key").runs().toDF(),
        "stream": lambda rows: sf.bursts(
            rows.stream, "n", thresholds={4: 40.0}, ts="ts", by="key", stream=_SINCE
        ).toDF(),
    },
    "sessions": {
        "sessions": lambda rows: _sessions(measures=_MEANS)(rows.table).sessions(),
        "measures": lambda rows: _sessions(measures=_MEANS)(rows.table).measures(),
        "tags": lambda rows: _sessions()(rows.table).tag("Visit"),
        "stream": lambda rows: _sessions(measures=_MEANS, stream=_SINCE)(rows.stream).sessions(),
    },
    "regions": {
        "rectangles": _regions(),
        "largest": _regions(shape=sf.Rectangles(prefer="largest")),
        "missing": _regions(reports=sf.Reports(missing="true", max_missing=2)),
        "boxes": _regions(space=["x", "y"]),
        "measures": lambda rows: sf.regions(rows.table, "w", ts=["ts", "tick"], space="x", by="number").agg(
            count="count(*)", mean="avg(v)"
        ),
        "density": lambda rows: sf.density(
            rows.table, ts="ts", space=["x", "y"], by="number", bin=2, unit="10 seconds", above=0.05
        ).toDF(),
        "stream": lambda rows: sf.regions(
            rows.stream, "w", ts=["ts", "tick"], space="x", by="number", stream=_SINCE
        ).toDF(),
    },
    "connected": {  # need the extra `regions`
        "connected": _regions(shape="connected"),
        "connected in two dimensions": _regions(shape="connected", space=["x", "y"]),
    },
}
"""Queries by verb and name."""


def _two(rows: Rows) -> tuple[DataFrame, DataFrame]:
    """Two tables of frames of the same groups."""
    low, high = (sf.frames(rows.table, sf.Threshold(where), ts="ts", by="key") for where in ("w", "v > 0.2"))
    return low.toDF(), high.toDF()
