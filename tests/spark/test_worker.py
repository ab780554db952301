"""What a Python worker loads before it answers."""

from __future__ import annotations

import subprocess
import sys

# Pictures, commands and engines of others; Polars must not be loaded before a worker is forked, it has threads.
NOT_NEEDED = {"duckdb", "hypothesis", "matplotlib", "polars", "rich", "shapely", "sqlite3", "typer"}
NOT_OURS = ("cli", "data", "draw", "study")


def test_workers_load_what_tasks_need_and_nothing_else() -> None:
    code = "import sys, streamframes.spark.worker.daemon as d; d.load(); print(*sys.modules)"
    printed = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout
    loaded = set(printed.split())
    assert {"numba", "pyarrow", "pyspark.worker", "streamframes.core.frames.kernel"} <= loaded
    assert loaded & NOT_NEEDED == set()
    ours = tuple(f"streamframes.{name}" for name in NOT_OURS)
    assert [name for name in loaded if name.startswith(ours)] == []
