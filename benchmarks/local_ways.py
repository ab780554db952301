"""Ways to find frames without Spark: DuckDB and Polars, with a compiled loop where expressions cannot do it.

Each reads the Parquet files and returns an Arrow table of (key, frame_start, frame_end, frame_rows). None relies
on the files being in the order of time.
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence
from typing import Any

import duckdb
import numpy as np
import polars as pl
import pyarrow as pa

from benchmarks.kernels import aggregate_compiled, delta_compiled
from benchmarks.tasks import AMOUNT, BOUND, FRAME_COLUMNS, MIN_ROWS, Task

# Only first and last rows of a run are kept; then each first row meets its last.
EDGES_SQL = """
select key, ts as frame_start, if(is_last, ts, next_ts) as frame_end,
  if(is_last, 1, next_number - number + 1) as frame_rows
from (
  select *, lead(ts) over w as next_ts, lead(number) over w as next_number
  from (
    select key, ts, state, row_number() over w as number,
      state is distinct from lag(state) over w as is_first,
      state is distinct from lead(state) over w as is_last
    from (select key, ts, {state} as state from read_parquet({files}))
    window w as (partition by key order by ts)
  )
  where (is_first or is_last) and {counts}
  window w as (partition by key order by ts)
)
where is_first and frame_rows >= {min_rows}
"""
KEYS_SQL = "select key, count(*) as n from read_parquet({files}) group by key order by hash(key)"
# Hashes sort twice as fast as strings, and the kernel only needs equal keys to stand together.
ORDERED_SQL = "select epoch_us(ts) as ts, {sent} as sent from read_parquet({files}) order by hash(key), ts"

Frames = tuple[str, np.ndarray, np.ndarray, np.ndarray]


def duckdb_frames(task: Task, files: Sequence[str]) -> pa.Table:
    """Edges by lag and lead for Threshold and Boundary; ORDER BY, Arrow and Numba for Delta and Aggregate."""
    with duckdb.connect() as connection:
        if not task.is_sequential:
            return connection.sql(duckdb_query(task, files)).to_arrow_table()
        keys = connection.sql(KEYS_SQL.format(files=_literal(files))).to_arrow_table()
        rows = connection.sql(duckdb_query(task, files)).to_arrow_table()
    ts, values = (rows[name].to_numpy() for name in ("ts", "sent"))
    edges = np.cumsum([0, *keys["n"].to_pylist()])
    parts = zip(keys["key"].to_pylist(), map(slice, edges, edges[1:]), strict=False)
    return _table((key, *_compiled(task, ts[part], values[part])) for key, part in parts)


def duckdb_query(task: Task, files: Sequence[str]) -> str:
    """The SQL of a task; for Delta and Aggregate it only puts the rows in order, for the loop."""
    if task.is_sequential:
        return ORDERED_SQL.format(files=_literal(files), sent=task.sent)
    threshold = task.name == "threshold"
    return EDGES_SQL.format(
        files=_literal(files),
        state="value > 0.5" if threshold else "ceil(value * 4)::bigint",
        counts="state" if threshold else "true",
        min_rows=MIN_ROWS if threshold else 1,
    )


def _literal(files: Sequence[str]) -> str:
    """Files as a list in SQL; as a parameter they would make DuckDB hold the answer twice."""
    return "[" + ", ".join("'" + path.replace("'", "''") + "'" for path in files) + "]"


def polars_frames(task: Task, files: Sequence[str]) -> pa.Table:
    """A part for each key, sorted; then expressions for Threshold and Boundary, Numba for Delta and Aggregate."""
    sent = {
        "threshold": pl.col("value") > 0.5,
        "boundary": (pl.col("value") * 4).ceil().cast(pl.Int64),
        "delta": pl.col("value"),
        "aggregate": pl.col("volume"),
    }[task.name]
    rows = pl.scan_parquet(list(files)).select("key", "ts", sent=sent).collect()
    parts = [part.lazy().sort("ts") for part in rows.partition_by("key")]
    if not task.is_sequential:
        return pl.concat(pl.collect_all([_edges(task, part) for part in parts])).to_arrow()
    return _table(
        (part["key"][0], *_compiled(task, part["ts"].to_physical().to_numpy(), part["sent"].to_numpy()))
        for part in pl.collect_all(parts)
    )


def _edges(task: Task, rows: pl.LazyFrame) -> pl.LazyFrame:
    """The frames of one key, by the same way as the SQL."""
    changes = pl.col("sent") != pl.col("sent").shift()
    edges = (
        rows.with_row_index("number")
        .with_columns(is_first=changes.fill_null(True), is_last=changes.shift(-1).fill_null(True))
        .filter((pl.col("is_first") | pl.col("is_last")) & (pl.col("sent") if task.name == "threshold" else True))
    )
    size = pl.col("number").shift(-1).cast(pl.Int64) - pl.col("number") + 1
    frames = edges.with_columns(
        frame_start=pl.col("ts"),
        frame_end=pl.when("is_last").then("ts").otherwise(pl.col("ts").shift(-1)),
        frame_rows=pl.when("is_last").then(pl.lit(1, pl.Int64)).otherwise(size),
    ).filter(pl.col("is_first") & (pl.col("frame_rows") >= (MIN_ROWS if task.name == "threshold" else 1)))
    return frames.select(FRAME_COLUMNS)


def _compiled(task: Task, ts: np.ndarray, values: np.ndarray) -> Any:
    return delta_compiled(ts, values, AMOUNT) if task.name == "delta" else aggregate_compiled(ts, values, BOUND)


def _table(parts: Iterable[Frames]) -> pa.Table:
    instant = pa.timestamp("us", tz="UTC")
    tables = [
        pa.table(
            [pa.repeat(key, len(starts)), pa.array(starts).cast(instant), pa.array(ends).cast(instant), sizes],
            names=FRAME_COLUMNS,
        )
        for key, starts, ends, sizes in parts
    ]
    return pa.concat_tables(tables)
