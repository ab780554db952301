"""Frames by DuckDB, with a compiled loop where SQL cannot do it.

Strings are slow to sort by, so every key gets a number first, and its name again at the end. Nothing relies on the
files being in the order of time.
"""

from __future__ import annotations

from collections.abc import Sequence

import duckdb
import numpy as np
import pyarrow as pa

from streamframes.study.baselines.grouped import frames_of_groups
from streamframes.study.baselines.tasks import MIN_ROWS, Task

KEYS_SQL = """
create temp table keys as
select key, count(*) as n, (row_number() over (order by key))::uinteger as code
from read_parquet({files}) group by key;
"""
# Only first and last rows of a run are kept; then each first row meets its last.
EDGES_SQL = """
select key, frame_start, frame_end, frame_rows
from (
  select code, ts as frame_start, if(is_last, ts, next_ts) as frame_end,
    if(is_last, 1, next_number - number + 1) as frame_rows
  from (
    select *, lead(ts) over w as next_ts, lead(number) over w as next_number
    from (
      select code, ts, state, row_number() over w as number,
        state is distinct from lag(state) over w as is_first,
        state is distinct from lead(state) over w as is_last
      from (select code, ts, {state} as state from read_parquet({files}) join keys using (key))
      window w as (partition by code order by ts)
    )
    where (is_first or is_last) and {counts}
    window w as (partition by code order by ts)
  )
  where is_first and frame_rows >= {min_rows}
) join keys using (code)
"""
# Rows of one run have the same distance between their place among all rows and their place among those inside.
FILL_SQL = f"""
select key, frame_start, frame_end, frame_rows, mean, top
from (
  select code, min(ts) as frame_start, max(ts) as frame_end, count(*) as frame_rows, avg(value) as mean,
    max(value) as top
  from (
    select code, ts, value, number - row_number() over (partition by code order by number) as island
    from (
      select code, ts, value, row_number() over (partition by code order by ts) as number
      from read_parquet({{files}}) join keys using (key)
    )
    where value > 0.5
  )
  group by code, island
  having count(*) >= {MIN_ROWS}
) join keys using (code)
"""
ORDERED_SQL = """
select epoch_us(ts) as ts, {sent} as sent
from read_parquet({files}) join keys using (key)
order by code, ts
"""


def duckdb_frames(task: Task, files: Sequence[str]) -> pa.Table:
    """Edges by lag and lead for Threshold and Boundary; ORDER BY, Arrow and Numba for Delta and Aggregate."""
    with duckdb.connect() as connection:
        found = connection.sql(duckdb_query(task, files)).to_arrow_table()
        if not task.is_sequential:
            return found
        keys = connection.sql("select key, n from keys order by code").to_arrow_table().combine_chunks()
    bounds = np.concatenate([[0], np.cumsum(keys["n"].to_numpy())])
    names = keys["key"].combine_chunks()
    return frames_of_groups(task, names, bounds, found["ts"].to_numpy(), found["sent"].to_numpy())


def duckdb_query(task: Task, files: Sequence[str]) -> str:
    """The SQL of a task; for Delta and Aggregate it only puts the rows in order, for the loop."""
    query = ORDERED_SQL if task.is_sequential else FILL_SQL if task.measures else EDGES_SQL
    return (KEYS_SQL + query).format(
        files=_literal(files),
        sent=task.sent,
        state="value > 0.5" if task.is_threshold else "ceil(value * 4)::int",
        counts="state" if task.is_threshold else "true",
        min_rows=MIN_ROWS if task.is_threshold else 1,
    )


def _literal(files: Sequence[str]) -> str:
    """Files as a list in SQL; as a parameter they would make DuckDB hold the answer twice."""
    return "[" + ", ".join("'" + path.replace("'", "''") + "'" for path in files) + "]"
