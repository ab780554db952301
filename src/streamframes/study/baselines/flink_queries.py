"""The same frames by pattern matching: `MATCH_RECOGNIZE` in Flink, where PyFlink is installed.

A match needs the row after a frame to know that the frame has ended, so frames that are open at the end of the data
are not found; all others are.
"""

from __future__ import annotations

import json
import sys
import tempfile
from collections.abc import Sequence
from dataclasses import dataclass
from importlib.util import find_spec
from pathlib import Path

import pyarrow.csv as pa_csv
import pyarrow.parquet as pq

from streamframes.study.baselines.elsewhere import answer
from streamframes.study.baselines.tasks import AMOUNT, BOUND, MIN_ROWS, Task

_JOB = Path(__file__).with_name("flink_job.py")

# F is the first row of a frame, S those that stay in it, N the next one, at which the search goes on.
_UNTIL_NEXT_SQL = """
select * from {rows} match_recognize (
  partition by `key` order by ts
  measures first(F.ts) as frame_start, coalesce(last(S.ts), F.ts) as frame_end, 1 + count(S.ts) as frame_rows
  one row per match
  after match skip to first N
  pattern (F S* N)
  define S as {stays}, N as not ({stays_next})
)
"""
# `A{6,}` would be shorter to write and takes twice as long.
_THRESHOLD_SQL = f"""
select * from rows_of match_recognize (
  partition by `key` order by ts
  measures first(A.ts) as frame_start, last(A.ts) as frame_end, count(A.ts) as frame_rows
  one row per match
  after match skip past last row
  pattern (A+ N)
  define A as A.`value` > 0.5, N as N.`value` <= 0.5
)
where frame_rows >= {MIN_ROWS}
"""
_AGGREGATE_SQL = f"""
select * from rows_of match_recognize (
  partition by `key` order by ts
  measures coalesce(first(A.ts), Z.ts) as frame_start, Z.ts as frame_end, count(A.ts) + 1 as frame_rows
  one row per match
  after match skip past last row
  pattern (A* Z)
  define A as sum(A.volume) < {BOUND}, Z as coalesce(sum(A.volume), 0) + Z.volume >= {BOUND}
)
"""
_CELL_SQL = "(select `key`, ts, ceil(`value` * 4) as cell from rows_of)"


@dataclass(frozen=True)
class Matched:
    """How many frames with how many rows, and how long it took without the start of Flink."""

    frames: int
    rows: int
    seconds: float


def flink_query(task: Task) -> str:
    """What is to be matched."""
    if task.name == "threshold":
        return _THRESHOLD_SQL
    if task.name == "aggregate":
        return _AGGREGATE_SQL
    if task.name == "boundary":
        return _until_next(_CELL_SQL, "{row}.cell = F.cell")
    return _until_next("rows_of", f"abs({{row}}.`value` - F.`value`) < {AMOUNT}")


def _until_next(rows: str, stays: str) -> str:
    return _UNTIL_NEXT_SQL.format(rows=rows, stays=stays.format(row="S"), stays_next=stays.format(row="N"))


def is_installed() -> bool:
    """Whether this Python has PyFlink."""
    return find_spec("pyflink") is not None


def flink_frames(task: Task, files: Sequence[str], python: str = sys.executable) -> Matched:
    """Match, in a process of its own; raises `subprocess.SubprocessError` where that fails."""
    with tempfile.TemporaryDirectory() as folder:
        _write_csv(files, Path(folder))
        return Matched(**answer(python, _JOB, json.dumps({"folder": folder, "query": flink_query(task)})))


def _write_csv(files: Sequence[str], folder: Path) -> None:
    """PyFlink reads no Parquet by itself; a timestamp is written as Flink reads one."""
    options = pa_csv.WriteOptions(include_header=False, quoting_style="none")
    for number, path in enumerate(files):
        rows = pq.read_table(path, columns=["key", "ts", "value", "volume"])
        shown = rows.set_column(1, "ts", rows["ts"].cast("timestamp[us]").cast("string"))
        pa_csv.write_csv(shown, folder / f"{number:03d}.csv", write_options=options)
