"""Who takes part: all ways to do a task on a table, each as a contender that can be timed and counted."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from contextlib import AbstractContextManager, nullcontext
from functools import partial
from typing import Any

from pyspark.sql import DataFrame, SparkSession

from benchmarks.kit.polars_queries import polars_frames
from benchmarks.kit.rounds import Contender, Disagreement
from streamframes.study.baselines import spark_queries
from streamframes.study.baselines.duckdb_queries import duckdb_frames
from streamframes.study.baselines.generated import Shape
from streamframes.study.baselines.tasks import Task

OURS, NOTHING, WINDOWS = "streamframes", "mapInArrow that does nothing", "Spark SQL windows"
NOTHING_BY_DEFAULT = f"{NOTHING}, Spark's own settings"
LOOP, NUMBA = "applyInPandas, Python loop", "applyInPandas, Numba"
DUCKDB, POLARS = "DuckDB", "Polars"

# The Python loop would take minutes: it gets the first two of eight files, and its time is scaled.
LOOP_FILES = 2


def contenders_of(task: Task, shape: Shape, paths: Sequence[str], spark: SparkSession) -> Iterator[Contender]:
    """All ways to do a task, ours first."""
    rows = spark.read.parquet(*paths)
    yield on_spark(OURS, spark_queries.ours, task, shape, rows)
    yield _nothing(NOTHING, task, shape, rows, nullcontext)
    yield _nothing(NOTHING_BY_DEFAULT, task, shape, rows, partial(spark_queries.spark_defaults, spark))
    if task.is_sequential:
        yield on_spark(NUMBA, spark_queries.numba_loop, task, shape, rows)
        few = spark.read.parquet(*paths[:LOOP_FILES])
        few_shape = Shape(few.count(), shape.keys)
        yield on_spark(OURS, spark_queries.ours, task, few_shape, few, timed=False)
        yield on_spark(LOOP, spark_queries.python_loop, task, few_shape, few)
    else:
        yield on_spark(WINDOWS, spark_queries.sql_windows, task, shape, rows)
    yield in_process(DUCKDB, duckdb_frames, task, shape, paths)
    yield in_process(POLARS, polars_frames, task, shape, paths)


def on_spark(
    name: str,
    way: Callable[[Task, DataFrame], DataFrame],
    task: Task,
    shape: Shape,
    rows: DataFrame,
    *,
    timed: bool = True,
) -> Contender:
    """A way that returns a DataFrame of frames; planning it is part of the work."""
    return Contender(
        name=name,
        task=task.name,
        keys=shape.keys,
        rows=shape.rows,
        run=lambda: spark_queries.finish(way(task, rows)),
        count=lambda: spark_queries.finish_counting(way(task, rows)),
        timed=timed,
    )


def _nothing(
    name: str, task: Task, shape: Shape, rows: DataFrame, settings: Callable[[], AbstractContextManager[None]]
) -> Contender:
    def check_all_arrived() -> None:
        arrived = sum(row.n for row in spark_queries.do_nothing(task, rows).collect())
        if arrived != shape.rows:
            raise Disagreement(f"{name} saw {arrived:,} of {shape.rows:,} rows")

    def run() -> None:
        with settings():
            spark_queries.finish(spark_queries.do_nothing(task, rows))

    return Contender(
        name=name,
        task=task.name,
        keys=shape.keys,
        rows=shape.rows,
        run=run,
        count=check_all_arrived,
    )


def in_process(name: str, way: Callable[..., Any], task: Task, shape: Shape, paths: Sequence[str]) -> Contender:
    """A way that reads files and returns an Arrow table of frames."""
    find = partial(way, task, paths)
    return Contender(
        name=name,
        task=task.name,
        keys=shape.keys,
        rows=shape.rows,
        run=find,
        count=lambda: int(find().num_rows),
    )
