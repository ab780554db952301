"""A long stream in little memory: 30 million rows of 1 000 keys, `python -m benchmarks.soak`.

State and the time of a micro-batch must stay flat: the second half of the batches is compared with the quarter before.
"""

from __future__ import annotations

from statistics import median
from typing import Any

from pyspark.sql import SparkSession
from rich.console import Console

import streamframes as sf
from benchmarks.kit.on_spark import measured
from benchmarks.kit.options import Options
from benchmarks.kit.report import Report, Target
from benchmarks.streams import LATENESS, batch_times, stream_of
from streamframes.spark.watching.batches import figures_of
from streamframes.study.baselines import spark_queries
from streamframes.study.baselines.generated import Shape, files

ROWS = 30_000_000
KEYS = 1_000
FILES = 60


def main() -> None:
    """Measure, print and save."""
    measured(__doc__, run, rows=ROWS, rounds=None)


def run(spark: SparkSession, options: Options, console: Console) -> Report:
    """The report on all batches with data."""
    with console.status(f"making {options.rows:,} rows"):
        paths = files(Shape(options.rows, KEYS, files=FILES), options.cache)
    scheme = sf.Threshold("value > 0.5", min_rows=6)
    rows = stream_of(spark, paths)
    frames = sf.frames(rows, scheme, ts="ts", by="key", lateness=LATENESS).agg(most="max(value)")
    seen: list[dict[str, Any]] = []
    with console.status("starting") as status:

        def watch(progress: dict[str, Any]) -> None:
            seen.append(progress)
            status.update(f"batch {len(seen)} of {FILES}")

        batch_times(frames, watch)
    batches = [each for each in seen if each["numInputRows"]]
    return report_of(batches, options.rows, spark_queries.java_version(spark))


def report_of(batches: list[dict[str, Any]], rows: int, java: str) -> Report:
    """How state and time of the second half compare with the quarter before it."""
    quarter = len(batches) // 4
    before, after = batches[quarter : 2 * quarter], batches[2 * quarter :]

    def typical(part: list[dict[str, Any]], figure: str) -> float:
        return float(median(_FIGURES[figure](each) for each in part))

    return Report(
        name="soak",
        title=f"{rows:,} rows of {KEYS:,} keys",
        header=["figure", "second quarter", "second half", "ratio"],
        cells=[
            [
                name,
                f"{typical(before, name):,.1f}",
                f"{typical(after, name):,.1f}",
                f"{typical(after, name) / max(1e-9, typical(before, name)):.2f}",
            ]
            for name in _FIGURES
        ],
        measurements=[{name: figure(each) for name, figure in _FIGURES.items()} for each in batches],
        targets=[
            Target(f"{name}: second half / quarter before", "<=", 1.1, typical(after, name) / typical(before, name))
            for name in ("state, MiB", "seconds a batch", "waiting rows")
        ],
        settings={"rows": rows, "keys": KEYS, "lateness": LATENESS, "batches": len(batches)},
        java=java,
    )


def _store(progress: dict[str, Any], name: str) -> float:
    return float(progress["stateOperators"][0]["customMetrics"].get(name, 0))


_FIGURES: dict[str, Any] = {
    "state, MiB": lambda each: each["stateOperators"][0]["memoryUsedBytes"] / 2**20,
    "seconds a batch": lambda each: each["durationMs"]["triggerExecution"] / 1000,
    "waiting rows": lambda each: figures_of(each)["waiting_rows"],
    "open frames": lambda each: figures_of(each)["open_frames"],
    "entries in the store": lambda each: each["stateOperators"][0]["numRowsTotal"],
    "files of the store, MiB": lambda each: _store(each, "rocksdbSstFileSize") / 2**20,
}


if __name__ == "__main__":
    main()
