"""What rows and frames cost between the JVM and Python, with each setting of `sf.session()` taken back in turn.

*to Python* hands the columns of a scheme to workers that only count them; *from Python* makes a DataFrame of as many
frames, *nullable* the same if all of their columns may be null; *frames* finds frames in a DataFrame. Every setting
gets a JVM of its own.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Iterator, Mapping, Sequence

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T
from rich.console import Console

from benchmarks.kit.on_spark import start_session
from benchmarks.kit.options import Options, count, parse
from benchmarks.kit.report import Report, open_console, publish, save
from streamframes.study.baselines import spark_queries
from streamframes.study.baselines.generated import Shape, files
from streamframes.study.baselines.tasks import DELTA

KEYS = 100
JOBS = ("to Python", "from Python", "nullable", "frames")
BATCH = 1 << 16
# As a boundary has them; what is not the key is never null.
COLUMNS: Mapping[str, T.DataType] = {
    "key": T.StringType(),
    "frame_id": T.LongType(),
    "frame_start": T.TimestampType(),
    "frame_end": T.TimestampType(),
    "frame_rows": T.LongType(),
    "frame_closed_by": T.StringType(),
    "frame_cell": T.ArrayType(T.LongType(), containsNull=False),
}
AS_SET = "as sf.session() sets it"
SETTINGS: Mapping[str, Mapping[str, str]] = {
    AS_SET: {},
    "Arrow's checks in the JVM": {"spark.driver.extraJavaOptions": "-Dstreamframes.checks=on"},
    "TCP instead of sockets of the system": {"spark.python.unix.domain.socket.enabled": "false"},
    "a limit of 64 MiB a batch": {"spark.sql.execution.arrow.maxBytesPerBatch": "64MB"},
    "50,000 rows a batch": {"spark.sql.execution.arrow.maxRecordsPerBatch": "50000"},
    "200,000 rows a batch": {"spark.sql.execution.arrow.maxRecordsPerBatch": "200000"},
    "batches compressed with zstd": {"spark.sql.execution.arrow.compression.codec": "zstd"},
    "buffers of 1 MiB": {"spark.buffer.size": "1048576"},
    "pipelined": {"spark.python.udf.pipelined.enabled": "true"},
    "new workers for every task": {"spark.python.worker.reuse": "false"},
    "the same, forked from Spark's own daemon": {
        "spark.python.worker.reuse": "false",
        "spark.python.daemon.module": "pyspark.daemon",
    },
    "columnar input": {"spark.sql.execution.arrow.pythonUDF.columnarInput.enabled": "true"},
}


def main() -> None:
    """Measure, print and save; with `--setting`, measure one setting and print its times as JSON."""
    if "--setting" in sys.argv:
        print(json.dumps(_measured_here(_one_setting())))
        return
    options = parse(__doc__ or "", rows=20_000_000, rounds=4)
    console = open_console()
    publish(run(options, console), options.out, console)


def _one_setting() -> argparse.Namespace:
    parser = argparse.ArgumentParser()
    parser.add_argument("--setting", choices=list(SETTINGS))
    parser.add_argument("--rows", type=count)
    parser.add_argument("--rounds", type=count)
    parser.add_argument("--paths", nargs="+")
    return parser.parse_args()


def run(options: Options, console: Console, settings: Sequence[str] = tuple(SETTINGS)) -> Report:
    """The report of all settings, the first of which the others are compared with; it is saved after each."""
    with console.status("making rows"):
        paths = files(Shape(options.rows, KEYS), options.cache)
    seconds: dict[str, dict[str, list[float]]] = {}
    for name in settings:
        with console.status(f"{name}, {len(seconds) + 1} of {len(settings)}"):
            seconds[name] = _measured_elsewhere(name, options, paths)
        save(report_of(seconds, options), options.out)
    return report_of(seconds, options)


def report_of(seconds: Mapping[str, Mapping[str, list[float]]], options: Options) -> Report:
    """What the times say."""
    best = {name: [min(jobs[job]) for job in JOBS] for name, jobs in seconds.items()}
    first = next(iter(best))
    ratios = {name: [mine / its for mine, its in zip(times, best[first], strict=True)] for name, times in best.items()}
    return Report(
        name="transfer",
        title="Between the JVM and Python",
        header=["setting", *(f"{job}, s" for job in JOBS), *(f"{job}, ratio" for job in JOBS)],
        cells=[[name, *(f"{figure:.2f}" for figure in (*best[name], *ratios[name]))] for name in best],
        measurements=[
            {"setting": name, "job": job, "seconds": jobs[job]} for name, jobs in seconds.items() for job in JOBS
        ],
        targets=[],
        settings={"rows and frames": options.rows, "keys": KEYS, "rounds": options.rounds},
        notes=[f"Seconds in the best of the rounds; ratios are to {first}."],
    )


def _measured_elsewhere(name: str, options: Options, paths: Sequence[str]) -> dict[str, list[float]]:
    """In a process of its own: settings of the JVM are read when it starts."""
    given = ["--setting", name, "--rows", str(options.rows), "--rounds", str(options.rounds), "--paths", *paths]
    done = subprocess.run(
        [sys.executable, "-m", "benchmarks.transfer", *given], stdout=subprocess.PIPE, text=True, check=True
    )
    found: dict[str, list[float]] = json.loads(done.stdout.splitlines()[-1])
    return found


def _measured_here(given: argparse.Namespace) -> dict[str, list[float]]:
    spark = start_session(SETTINGS[given.setting])
    rows = spark.read.parquet(*given.paths)
    jobs = {
        "to Python": lambda: spark_queries.do_nothing(DELTA, rows),
        "from Python": lambda: frames_from_python(spark, given.rows, nullable=False),
        "nullable": lambda: frames_from_python(spark, given.rows, nullable=True),
        "frames": lambda: spark_queries.ours(DELTA, rows),
    }
    times: dict[str, list[float]] = {name: [] for name in jobs}
    for number in range(given.rounds + 1):
        for name, job in jobs.items():
            start = time.perf_counter()
            spark_queries.finish(job())
            if number:
                times[name].append(time.perf_counter() - start)
    spark.stop()
    return times


def frames_from_python(spark: SparkSession, frames: int, *, nullable: bool) -> DataFrame:
    """So many frames as a boundary has, made up by the workers of all cores."""
    schema = T.StructType([T.StructField(name, kind, nullable or name == "key") for name, kind in COLUMNS.items()])
    cores = spark.sparkContext.defaultParallelism

    def made(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        for _ in batches:
            pass
        batch = _frames(BATCH)
        for low in range(0, frames // cores, BATCH):
            yield batch.slice(0, min(BATCH, frames // cores - low))

    return spark.range(0, cores, 1, cores).mapInArrow(made, schema)


def _frames(size: int) -> pa.RecordBatch:
    rng = np.random.default_rng(0)
    numbers = pa.array(rng.integers(0, 2**60, size))
    instants = pa.array(rng.integers(0, 2**50, size)).cast(pa.timestamp("us", "UTC"))
    keys = pa.array([f"key-{number:03d}" for number in range(KEYS)]).take(pa.array(rng.integers(0, KEYS, size)))
    cells = pa.ListArray.from_arrays(pa.array(np.arange(size + 1, dtype=np.int32)), pa.array(rng.integers(0, 9, size)))
    columns = [keys, numbers, instants, instants, numbers, pa.array(["condition"] * size), cells]
    return pa.RecordBatch.from_arrays(columns, list(COLUMNS))


if __name__ == "__main__":
    main()
