"""Filling frames of a table with rows, side by side with Spark's own join: `python -m benchmarks.fill`.

20 million rows of 100 keys fill 130 000 frames; every way counts the rows of each frame and takes the mean of a value.
The frames are read from a file, so that only the filling is measured.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial
from pathlib import Path

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from rich.console import Console

import streamframes as sf
from benchmarks.kit.contenders import NOTHING, OURS
from benchmarks.kit.on_spark import measured
from benchmarks.kit.options import Options
from benchmarks.kit.report import Report, Target
from benchmarks.kit.rounds import Contender, Measurement, measure
from streamframes.study.baselines import spark_queries
from streamframes.study.baselines.generated import FILES, Shape, files
from streamframes.study.baselines.tasks import TASKS

ROWS = 20_000_000
KEYS = 100
FRAMES = 130_000
JOIN = "Spark's join, then groupBy"
TAGGED = f"{OURS}, rows tagged"
SCHEME = sf.Threshold("value > 0.5", min_rows=6)
NOTES = (
    "The best of the rounds, reading the files included. All ways found rows in the same number of frames.",
    "Spark's join is on `key = key and ts between frame_start and frame_end`, in the form that Spark chooses.",
    f"It ran on one of {FILES} files of rows, against all frames, and its seconds are scaled.",
)


def main() -> None:
    """Measure, print and save."""
    measured(__doc__, run, rows=ROWS, rounds=3)


def run(spark: SparkSession, options: Options, console: Console) -> Report:
    """The report of all ways."""
    shape = Shape(options.rows, KEYS)
    with console.status(f"making {shape.rows:,} rows and the frames"):
        paths = files(shape, options.cache)
        rows, few = spark.read.parquet(*paths), spark.read.parquet(paths[0])
        frames = spark.read.parquet(_frames_of(rows, shape, options.cache))
    contenders = list(contenders_of(frames, rows, few, shape))
    measurements = measure(contenders, options.rounds, console)
    return report_of(measurements, frames.count(), options, spark_queries.java_version(spark))


def _frames_of(rows: DataFrame, shape: Shape, cache: Path) -> str:
    """Frames of the rows, as many of them as are wanted, kept as a file."""
    path = cache / f"frames-{shape.rows}-{shape.keys}.parquet"
    if not (path / "_SUCCESS").exists():
        found = sf.frames(rows, SCHEME, ts="ts", by="key").toDF()
        share = min(1.0, FRAMES * shape.rows / ROWS / found.count())
        chosen = found.filter(F.pmod("frame_id", F.lit(1000)) < 1000 * share)
        chosen.coalesce(2).write.mode("overwrite").parquet(str(path))
    return str(path)


def contenders_of(frames: DataFrame, rows: DataFrame, few: DataFrame, shape: Shape) -> Iterator[Contender]:
    """All ways, ours first; Spark's join gets few rows, and must find what ours finds in them."""
    yield _contender(OURS, partial(ours, frames, rows), shape.rows)
    yield Contender(NOTHING, "fill", KEYS, shape.rows, _finishing(_nothing(rows)), lambda: None)
    n_few = few.count()
    yield _contender(OURS, partial(ours, frames, few), n_few, timed=False)
    yield _contender(JOIN, partial(join, frames, few), n_few)
    yield Contender(TAGGED, "tag", KEYS, shape.rows, _finishing(tagged(frames, rows)), lambda: None)


def _contender(name: str, way: Callable[[], DataFrame], rows: int, *, timed: bool = True) -> Contender:
    count = lambda: spark_queries.finish_counting(way().filter("n > 0"))  # noqa: E731
    return Contender(name, "fill", KEYS, rows, lambda: spark_queries.finish(way()), count, timed)


def _finishing(table: DataFrame) -> Callable[[], None]:
    return lambda: spark_queries.finish(table)


def ours(frames: DataFrame, rows: DataFrame) -> DataFrame:
    """This library."""
    return sf.fill(frames, rows, ts="ts", by="key", n="count(*)", mean="avg(value)")


def tagged(frames: DataFrame, rows: DataFrame) -> DataFrame:
    """This library, with rows as the result."""
    return sf.fill(frames, rows.select("key", "ts", "value"), ts="ts", by="key")


def join(frames: DataFrame, rows: DataFrame) -> DataFrame:
    """What one writes in Spark without it."""
    inside = rows.join(frames, (frames.key == rows.key) & F.col("ts").between(F.col("frame_start"), F.col("frame_end")))
    return inside.groupBy("frame_id").agg(F.count("*").alias("n"), F.avg("value").alias("mean"))


def _nothing(rows: DataFrame) -> DataFrame:
    sends_value = next(task for task in TASKS if task.sent == "value")
    return spark_queries.do_nothing(sends_value, rows)


def report_of(measurements: Sequence[Measurement], n_frames: int, options: Options, java: str) -> Report:
    """What the measurements say."""
    best = {each.contender.name: each.best * options.rows / each.contender.rows for each in measurements}
    return Report(
        name="fill",
        title=f"{options.rows:,} rows fill {n_frames:,} frames",
        header=["way", "seconds", "M rows/s", "time / streamframes"],
        cells=[
            [
                each.contender.name,
                f"{best[each.contender.name]:.2f}",
                f"{each.mrows_per_second:.2f}",
                f"{best[each.contender.name] / best[OURS]:.2f}",
            ]
            for each in measurements
        ],
        measurements=[{"way": each.contender.name, "seconds": each.seconds} for each in measurements],
        targets=[
            Target("faster than Spark's own join", ">=", 3, best[JOIN] / best[OURS]),
            Target("time / do-nothing transfer of the rows", "<=", 1.6, best[OURS] / best[NOTHING]),
        ],
        settings={"rows": options.rows, "keys": KEYS, "frames": n_frames, "rounds": options.rounds},
        notes=NOTES,
        java=java,
    )


if __name__ == "__main__":
    main()
