"""The tools that are measured beside each other: what each can do, how, and up to how many rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import SparkSession

import streamframes as sf
from benchmarks.kit import contenders
from benchmarks.kit.polars_queries import polars_frames
from benchmarks.kit.rounds import Contender
from benchmarks.peers import chdb_queries
from benchmarks.peers.limit import limit_frames, limit_frames_by_polars
from benchmarks.peers.options import PeerOptions
from streamframes.study.baselines import spark_queries
from streamframes.study.baselines.duckdb_queries import duckdb_frames
from streamframes.study.baselines.generated import Shape
from streamframes.study.baselines.tasks import Task

# Rows a second that a slow one does at least, and what a key costs it, for a guess before it has been seen.
SLOW_ROWS_A_SECOND = 1e6
SECONDS_A_GROUP = 2e-3

Make = Callable[[str, Task, Shape, Sequence[str], SparkSession], Contender]
# Millions of rows a second, by (rows, keys, task, tool).
Speeds = Mapping[tuple[int, int, str, str], float]


def scanned(paths: Sequence[str]) -> Any:
    """The files as the library reads them itself."""
    return sf.scan(list(paths))  # type: ignore[attr-defined]


def can_scan() -> bool:
    """Whether this version of the library reads files itself."""
    return hasattr(sf, "scan")


def _scan(name: str, task: Task, shape: Shape, paths: Sequence[str], spark: SparkSession) -> Contender:
    return contenders.on_spark(name, lambda task, _: spark_queries.ours(task, scanned(paths)), task, shape, None)


def _scan_to_arrow(name: str, task: Task, shape: Shape, paths: Sequence[str], spark: SparkSession) -> Contender:
    return contenders.in_process(name, scan_to_arrow, task, shape, paths)


def scan_to_arrow(task: Task, paths: Sequence[str]) -> Any:
    """The frames of a scan as an Arrow table in this process."""
    found: Any = sf.frames(scanned(paths), task.scheme, ts="ts", by="key")
    result = found.agg(**task.measures) if task.measures else found
    return (result if hasattr(result, "toArrow") else result.toDF()).toArrow()


def _table(way: Callable[..., Any]) -> Make:
    def make(name: str, task: Task, shape: Shape, paths: Sequence[str], spark: SparkSession) -> Contender:
        return contenders.on_spark(name, way, task, shape, spark.read.parquet(*paths))

    return make


def _local(way: Callable[..., Any]) -> Make:
    return lambda name, task, shape, paths, _: contenders.in_process(name, way, task, shape, paths)


def _any(task: Task) -> bool:
    return True


def _by_windows(task: Task) -> bool:
    return not task.is_sequential


def _by_loops(task: Task) -> bool:
    return task.is_sequential


@dataclass(frozen=True)
class Tool:
    """One tool; `short` is its name on the command line. One that is slow gets no more than some rows."""

    short: str
    name: str
    make: Make
    can: Callable[[Task], bool] = _any
    on_spark: bool = False
    slow: bool = False
    missing: Callable[[], str] = lambda: ""

    def seconds(self, task: Task, shape: Shape, speeds: Speeds) -> float:
        """How long a run may take: as long as a row took in the largest table with as many keys, else a guess."""
        seen = [
            (rows, speed) for (rows, *place), speed in speeds.items() if place == [shape.keys, task.name, self.name]
        ]
        if seen:
            return shape.rows / max(seen)[1] / 1e6
        if not self.slow:
            return 0.0
        return shape.rows / SLOW_ROWS_A_SECOND + (shape.keys * SECONDS_A_GROUP if self.can is _by_loops else 0.0)


def _no_scan() -> str:
    return "" if can_scan() else "this version of streamframes has no scan()"


def _no_chdb() -> str:
    return "" if chdb_queries.is_installed() else "chdb is not installed (pip install -r requirements-peers.lock)"


SCAN = Tool("scan", "streamframes, scan", _scan, on_spark=True, missing=_no_scan)
ARROW = Tool("arrow", "streamframes, scan to Arrow", _scan_to_arrow, on_spark=True, missing=_no_scan)
TABLE = Tool("dataframe", "streamframes, DataFrame", _table(spark_queries.ours), on_spark=True)
DUCKDB = Tool("duckdb", contenders.DUCKDB, _local(duckdb_frames))
POLARS = Tool("polars", contenders.POLARS, _local(polars_frames))
CHDB = Tool("chdb", "chdb (ClickHouse)", _local(chdb_queries.chdb_frames), _by_windows, missing=_no_chdb)
WINDOWS = Tool("sql", contenders.WINDOWS, _table(spark_queries.sql_windows), _by_windows, on_spark=True, slow=True)
NUMBA = Tool("pandas", contenders.NUMBA, _table(spark_queries.numba_loop), _by_loops, on_spark=True, slow=True)
LIMIT = Tool("limit", "limit: PyArrow + Numba", _local(limit_frames))
LIMIT_POLARS = Tool("limit-polars", "limit: Polars + Numba", _local(limit_frames_by_polars))

TOOLS = (SCAN, ARROW, TABLE, DUCKDB, POLARS, CHDB, WINDOWS, NUMBA, LIMIT, LIMIT_POLARS)
# Whom the scan is compared with; the limits are no tools but what a tool cannot beat by much.
FAST_PEERS = (DUCKDB, POLARS, CHDB)
PEERS = (*FAST_PEERS, WINDOWS, NUMBA)


def contenders_of(
    shape: Shape, paths: Sequence[str], spark: SparkSession | None, options: PeerOptions, speeds: Speeds
) -> Iterator[Contender | str]:
    """All that take part on one table; instead of one that does not, a text that says why."""
    for task in options.tasks:
        for tool in chosen(options):
            if not tool.can(task):
                continue
            seconds = tool.seconds(task, shape, speeds)
            if tool.slow and shape.rows > options.slow_rows:
                yield f"{tool.name}: not above {options.slow_rows:,} rows, where it takes minutes."
            elif seconds > options.patience:
                place = f"{task.name}, {shape.rows:,} rows, {shape.keys:,} keys"
                yield f"{tool.name}, {place}: left out, it would take {seconds:,.0f} s."
            else:
                yield tool.make(tool.name, task, shape, paths, spark)  # type: ignore[arg-type]


def chosen(options: PeerOptions) -> list[Tool]:
    """The tools that were asked for and are there."""
    return [tool for tool in TOOLS if tool.short in options.tools and not tool.missing()]


def absent(options: PeerOptions) -> list[str]:
    """Why those are left out that were asked for and are not there."""
    return [f"{tool.name}: {tool.missing()}." for tool in TOOLS if tool.short in options.tools and tool.missing()]
