"""Rivals: who finds the same frames, how, and what there is to be written for it.

The other ways stand in this folder. One that cannot run here says why, and keeps no other from running.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from inspect import getsource
from typing import TYPE_CHECKING

from streamframes.study.baselines import flink_queries, kernels, spark_queries
from streamframes.study.baselines.tasks import Task

if TYPE_CHECKING:
    import pyarrow as pa

    from streamframes.spark import DataFrame, SparkSession

OURS, SPARK, DUCKDB, FLINK = "streamframes", "Spark SQL windows", "DuckDB SQL windows", "Flink MATCH_RECOGNIZE"
LOOP = "DuckDB and a compiled loop"
CANNOT = "cannot: where a frame starts depends on the frames before"
_MISSING = "not installed"


@dataclass(frozen=True)
class Found:
    """How many frames, how many rows are in them, and how long it took where the way times itself."""

    frames: int
    rows: int
    seconds: float | None = None


@dataclass(frozen=True)
class Rival:
    """A way to do a task: its text, and how to run it.

    `count` finds and counts, `run` finds alone and is timed; both are absent where the way cannot run, and `why`
    says why. One that finds only frames which data has closed is not `whole`.
    """

    task: str
    way: str
    text: str = ""
    why: str = ""
    count: Callable[[], Found] | None = None
    run: Callable[[], object] | None = None
    whole: bool = True

    @property
    def lines(self) -> int | None:
        """Lines that are to be written."""
        return sum(bool(line.strip()) for line in self.text.splitlines()) or None


def rivals_of(task: Task, spark: SparkSession, files: Sequence[str]) -> Iterator[Rival]:
    """All ways to do a task on Parquet files, this library first."""
    rows = spark.read.parquet(*files)
    yield _on_spark(task, OURS, f'frames(rows, {task.scheme!r}, ts="ts", by="key").toDF()', spark_queries.ours, rows)
    if task.is_sequential:
        yield Rival(task.name, SPARK, why=CANNOT)
    else:
        yield _on_spark(task, SPARK, spark_queries.sql_query(task), spark_queries.sql_windows, rows)
    yield _by_duckdb(task, files)
    yield _by_flink(task, files)


def _on_spark(task: Task, way: str, text: str, find: Callable[[Task, DataFrame], DataFrame], rows: DataFrame) -> Rival:

    def count() -> Found:
        found = find(task, rows).selectExpr("count(*) AS frames", "sum(frame_rows) AS rows").toArrow()
        return Found(found["frames"][0].as_py(), found["rows"][0].as_py() or 0)

    return Rival(task.name, way, text, count=count, run=lambda: spark_queries.finish(find(task, rows)))


def _by_duckdb(task: Task, files: Sequence[str]) -> Rival:
    way = LOOP if task.is_sequential else DUCKDB
    try:
        from streamframes.study.baselines import duckdb_queries
    except ImportError as error:
        return Rival(task.name, way, why=f"{_MISSING}: {error.name}")
    text = duckdb_queries.duckdb_query(task, ["rows.parquet"])
    if task.is_sequential:
        text += "\n\n" + getsource(getattr(kernels, f"{task.name}_compiled").py_func)
    return Rival(
        task.name,
        way,
        text,
        count=lambda: _counted(duckdb_queries.duckdb_frames(task, files)),
        run=lambda: duckdb_queries.duckdb_frames(task, files),
    )


def _by_flink(task: Task, files: Sequence[str]) -> Rival:
    text = flink_queries.flink_query(task)
    if not flink_queries.is_installed():
        return Rival(task.name, FLINK, text, why=_MISSING)

    def count() -> Found:
        found = flink_queries.flink_frames(task, files)
        return Found(found.frames, found.rows, found.seconds)

    return Rival(task.name, FLINK, text, count=count, whole=False)


def _counted(table: pa.Table) -> Found:
    import pyarrow.compute as pc

    return Found(table.num_rows, pc.sum(table["frame_rows"]).as_py() or 0)
