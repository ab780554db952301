"""Ways to find frames in Spark: this library, and what one would write without it."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
from pyspark.sql import DataFrame, Observation, SparkSession
from pyspark.sql import functions as F

import streamframes as sf
from streamframes.study.baselines.grouped import compiled_frames
from streamframes.study.baselines.kernels import aggregate_loop, delta_loop
from streamframes.study.baselines.tasks import AMOUNT, BOUND, MIN_ROWS, Task

FRAME_SCHEMA = "key string, frame_start timestamp, frame_end timestamp, frame_rows long"

SPARK_DEFAULTS = {
    "spark.sql.execution.arrow.maxBytesPerBatch": "64MB",
}

# An island is a number: how many rows before do not satisfy the condition.
THRESHOLD_SQL = f"""
select key, min(ts) as frame_start, max(ts) as frame_end, count(*) as frame_rows{{measures}}
from (
  select key, ts, value, state,
    sum(cast(not state as int)) over (partition by key order by ts rows unbounded preceding) as island
  from (select key, ts, value, value > 0.5 as state from {{{{rows}}}})
)
where state
group by key, island
having count(*) >= {MIN_ROWS}
"""

# Only first and last rows of a cell's run are kept; then each first row meets its last.
BOUNDARY_SQL = """
select key, ts as frame_start, if(is_last, ts, next_ts) as frame_end,
  if(is_last, 1, next_number - number + 1) as frame_rows, cell as frame_cell
from (
  select *, lead(ts) over w as next_ts, lead(number) over w as next_number
  from (
    select key, ts, cell, row_number() over w as number,
      not cell <=> lag(cell) over w as is_first, not cell <=> lead(cell) over w as is_last
    from (select key, ts, ceil(value * 4) as cell from {rows})
    window w as (partition by key order by ts)
  )
  where is_first or is_last
  window w as (partition by key order by ts)
)
where is_first
"""


def java_version(spark: SparkSession) -> str:
    """The Java that runs Spark."""
    version = spark.sql("select java_method('java.lang.System', 'getProperty', 'java.version') as version")
    return str(version.collect()[0].version)


def ours(task: Task, rows: Any) -> DataFrame:
    """This library; rows are a DataFrame or files that it scans itself."""
    found = sf.frames(rows, task.scheme, ts="ts", by="key")
    return found.agg(**task.measures) if task.measures else found.toDF()


def do_nothing(task: Task, rows: DataFrame) -> DataFrame:
    """What any Python operator pays: the scheme's columns go to Python workers, which only count them."""

    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield pa.RecordBatch.from_pydict({"n": [sum(batch.num_rows for batch in batches)]})

    return rows.select("key", "ts", F.expr(task.sent).alias("sent")).mapInArrow(count, "n long")


@contextmanager
def spark_defaults(spark: SparkSession) -> Iterator[None]:
    """Transfers to Python as Spark does them by itself."""
    ours = {key: str(spark.conf.get(key)) for key in SPARK_DEFAULTS}
    try:
        for key, value in SPARK_DEFAULTS.items():
            spark.conf.set(key, value)
        yield
    finally:
        for key, value in ours.items():
            spark.conf.set(key, value)


def sql_windows(task: Task, rows: DataFrame) -> DataFrame:
    """Window functions: islands for Threshold, edges for Boundary; the fastest of several that were tried."""
    return rows.sparkSession.sql(sql_query(task), rows=rows)


def sql_query(task: Task) -> str:
    """The SQL of a task that window functions can do."""
    if not task.is_threshold:
        return BOUNDARY_SQL
    return THRESHOLD_SQL.format(measures="".join(f", {of} as {name}" for name, of in task.measures.items()))


def python_loop(task: Task, rows: DataFrame) -> DataFrame:
    """`applyInPandas` with a loop in Python."""

    def frames(ts: np.ndarray, values: np.ndarray) -> Any:
        if task.name == "delta":
            return delta_loop(ts.tolist(), values.tolist(), AMOUNT)
        return aggregate_loop(ts.tolist(), values.tolist(), BOUND)

    return _per_key(task, rows, frames)


def numba_loop(task: Task, rows: DataFrame) -> DataFrame:
    """`applyInPandas` with the same loop compiled."""
    return _per_key(task, rows, partial(compiled_frames, task))


def _per_key(task: Task, rows: DataFrame, frames: Callable[[np.ndarray, np.ndarray], Any]) -> DataFrame:
    def apply(key: tuple[str], group: pd.DataFrame) -> pd.DataFrame:
        instants = group["ts"].to_numpy()
        ticks = instants.view(np.int64)
        order = np.argsort(ticks, kind="stable")
        starts, ends, sizes = frames(ticks[order], group["sent"].to_numpy()[order])
        return pd.DataFrame(
            {
                "key": key[0],
                "frame_start": np.asarray(starts, np.int64).view(instants.dtype),
                "frame_end": np.asarray(ends, np.int64).view(instants.dtype),
                "frame_rows": np.asarray(sizes, np.int64),
            }
        )

    sent = rows.select("key", "ts", F.expr(task.sent).alias("sent"))
    return sent.groupBy("key").applyInPandas(apply, FRAME_SCHEMA)


def finish(result: DataFrame) -> None:
    """Compute every row and column, and keep none."""
    result.write.format("noop").mode("overwrite").save()


def finish_counting(result: DataFrame) -> int:
    """The same, and the number of rows."""
    seen = Observation()
    finish(result.observe(seen, F.count(F.lit(1)).alias("rows")))
    return int(seen.get["rows"])
