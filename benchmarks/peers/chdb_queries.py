"""Frames by chdb, which is ClickHouse in this process, where it is installed: `requirements-peers.lock`.

Delta and Aggregate have no formula over neighbouring rows, and ClickHouse no loop that is fast enough to compare.
"""

from __future__ import annotations

from collections.abc import Sequence
from importlib.util import find_spec
from pathlib import Path
from typing import Any

import pyarrow as pa

from streamframes.study.baselines.tasks import MIN_ROWS, Task

# An island is a number: how many rows before do not satisfy the condition.
ISLANDS_SQL = f"""
select key, min(ts) as frame_start, max(ts) as frame_end, count() as frame_rows{{measures}}
from (
  select key, ts, value, value > 0.5 as state,
    sum(not state) over (partition by key order by ts rows unbounded preceding) as island
  from {{rows}}
)
where state
group by key, island
having frame_rows >= {MIN_ROWS}
"""
# Only first rows of a cell's run are kept; the next of them tells where the run ended.
BOUNDARY_SQL = """
select key, ts as frame_start, leadInFrame(before, 1, latest) over next as frame_end,
  leadInFrame(number, 1, total + 1) over next - number as frame_rows
from (
  select key, ts, cell, row_number() over so_far as number, lagInFrame(ts) over so_far as before,
    number = 1 or cell != lagInFrame(cell) over so_far as is_first,
    max(ts) over (partition by key) as latest, count() over (partition by key) as total
  from (select key, ts, toInt32(ceil(value * 4)) as cell from {rows})
  window so_far as (partition by key order by ts rows between unbounded preceding and current row)
)
where is_first
window next as (partition by key order by ts rows between current row and 1 following)
"""
ROWS_SQL = "file('{paths}', Parquet, 'key {type}, ts DateTime64(6, ''UTC''), value Float64')"
KEYS_SQL = "select uniq(key) from (select key from {rows} limit 100000)"
# Up to here keys are best read as numbers of a dictionary; with many keys that takes three times as long.
FEW_KEYS = 10_000


def is_installed() -> bool:
    """Whether this Python has chdb."""
    return find_spec("chdb") is not None


def chdb_frames(task: Task, files: Sequence[str]) -> pa.Table:
    """Islands by a running sum for Threshold and fill; edges for Boundary."""
    import chdb

    keys = int(str(chdb.query(KEYS_SQL.format(rows=_rows(files[:1], "String")), "CSV")))
    found: Any = chdb.query(chdb_query(task, files, few_keys=keys <= FEW_KEYS), "ArrowTable")
    return found


def chdb_query(task: Task, files: Sequence[str], *, few_keys: bool = True) -> str:
    """The SQL of a task that window functions can do."""
    rows = _rows(files, "LowCardinality(String)" if few_keys else "String")
    if not task.is_threshold:
        return BOUNDARY_SQL.format(rows=rows)
    return ISLANDS_SQL.format(rows=rows, measures="".join(f", {of} as {name}" for name, of in task.measures.items()))


def _rows(files: Sequence[str], type_of_key: str) -> str:
    return ROWS_SQL.format(paths=_pattern(files).replace("'", "''"), type=type_of_key)


def _pattern(files: Sequence[str]) -> str:
    """Files of one folder, as ClickHouse names several."""
    (folder,) = {str(Path(path).parent) for path in files}
    names = [Path(path).name for path in files]
    return f"{folder}/{{{','.join(names)}}}" if len(names) > 1 else files[0]
