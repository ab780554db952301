"""Frames of a table, side by side with Spark SQL, applyInPandas, DuckDB and Polars: `make bench`.

Every way reads the same Parquet files and computes all frames of the same rows, which are then dropped.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from typing import Any

from pyspark.sql import SparkSession
from rich.console import Console

from benchmarks.kit.contenders import LOOP, LOOP_FILES, NOTHING, NUMBA, OURS, WINDOWS, contenders_of
from benchmarks.kit.on_spark import measured
from benchmarks.kit.options import Options
from benchmarks.kit.report import Report, Target
from benchmarks.kit.rounds import Contender, Measurement, measure
from streamframes.study.baselines import spark_queries
from streamframes.study.baselines.generated import FILES, Shape, files
from streamframes.study.baselines.tasks import TASKS

KEYS = (100, 1)
ROWS = 20_000_000
SCALED = f" ({LOOP_FILES} of {FILES} files, scaled)"
NOTES = (
    "The best of the rounds, reading the files included. All ways of a task found the same number of frames.",
    f"The Python loop ran on the first {LOOP_FILES} of {FILES} files; its seconds are scaled to all rows.",
)
TOO_FEW = f"The targets are meant for {ROWS:,} rows; on fewer, the fixed costs of a Spark job decide."

# Seconds for all rows, by (task, keys, way).
Times = Mapping[tuple[str, int, str], float]


def main() -> None:
    """Measure, print and save."""
    measured(__doc__, run, rows=ROWS, rounds=3)


def run(spark: SparkSession, options: Options, console: Console) -> Report:
    """The report of all ways on both tables."""
    contenders: list[Contender] = []
    for keys in KEYS:
        shape = Shape(options.rows, keys)
        with console.status(f"making {shape.rows:,} rows"):
            paths = files(shape, options.cache)
        for task in TASKS:
            contenders += contenders_of(task, shape, paths, spark)
    return report_of(measure(contenders, options.rounds, console), options, spark_queries.java_version(spark))


def report_of(measurements: Sequence[Measurement], options: Options, java: str) -> Report:
    """What the measurements say."""
    times = {_place(each): each.best * options.rows / each.contender.rows for each in measurements}
    return Report(
        name="tables",
        title="Frames of a table, side by side",
        header=["task", "keys", "way", "seconds", "M rows/s", "time / streamframes"],
        cells=[_cells(each, times) for each in measurements],
        measurements=[_data(each, times) for each in measurements],
        targets=list(targets(times)),
        settings={"rows": options.rows, "rounds": options.rounds, "files": FILES},
        notes=NOTES if options.rows >= ROWS else (*NOTES, TOO_FEW),
        java=java,
    )


def targets(times: Times) -> Iterator[Target]:
    """What is promised of these times."""
    for keys in KEYS:
        named = f"{keys} keys" if keys > 1 else "1 key"

        def ratio(task: str, way: str, than: str, keys: int = keys) -> float:
            return times[task, keys, way] / times[task, keys, than]

        yield Target(f"threshold, {named}: time / do-nothing", "<=", 1.4, ratio("threshold", OURS, NOTHING))
        yield Target(f"threshold, {named}: faster than {WINDOWS}", ">=", 1.6, ratio("threshold", WINDOWS, OURS))
        for task in ("delta", "aggregate"):
            yield Target(f"{task}, {named}: time / do-nothing", "<=", 1.8, ratio(task, OURS, NOTHING))
            yield Target(f"{task}, {named}: faster than {LOOP}", ">=", 2.5, ratio(task, LOOP, OURS))
            faster = 1.1 if keys > 1 else 2.0
            yield Target(f"{task}, {named}: faster than {NUMBA}", ">=", faster, ratio(task, NUMBA, OURS))
    many, one = KEYS
    for task in (each.name for each in TASKS):
        growth = times[task, one, OURS] / times[task, many, OURS]
        yield Target(f"{task}: time of {one} key / time of {many} keys", "<=", 1.3, growth)


def _place(measurement: Measurement) -> tuple[str, int, str]:
    contender = measurement.contender
    return contender.task, contender.keys, contender.name


def _cells(measurement: Measurement, times: Times) -> list[str]:
    task, keys, way = _place(measurement)
    seconds = times[task, keys, way]
    shown = way + (SCALED if way == LOOP else "")
    ratio = seconds / times[task, keys, OURS]
    return [task, str(keys), shown, f"{seconds:.2f}", f"{measurement.mrows_per_second:.2f}", f"{ratio:.2f}"]


def _data(measurement: Measurement, times: Times) -> dict[str, Any]:
    task, keys, way = _place(measurement)
    return {
        "task": task,
        "keys": keys,
        "way": way,
        "seconds": times[task, keys, way],
        "mrows_per_second": measurement.mrows_per_second,
        "time_over_streamframes": times[task, keys, way] / times[task, keys, OURS],
        "frames": measurement.frames,
        "rows": measurement.contender.rows,
        "rounds": measurement.seconds,
    }


if __name__ == "__main__":
    main()
