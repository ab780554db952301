"""Bursts of a table on Spark, beside the transfer that does nothing: `python -m benchmarks.bursts.on_spark`.

20 million rows of 100 keys, 100 windows from 4 to 400 rows; thresholds are learnt for each key from its first 10 000.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence

from pyspark.sql import DataFrame, SparkSession
from rich.console import Console

import streamframes as sf
from benchmarks.kit.contenders import NOTHING, OURS
from benchmarks.kit.on_spark import measured
from benchmarks.kit.options import Options
from benchmarks.kit.report import Report, Target
from benchmarks.kit.rounds import Contender, Measurement, measure
from streamframes.study.baselines import spark_queries
from streamframes.study.baselines.generated import Shape, files
from streamframes.study.baselines.tasks import TASKS

ROWS, KEYS = 20_000_000, 100
WINDOWS = range(4, 404, 4)
TRAINING = 10_000


def main() -> None:
    """Measure, print and save."""
    measured(__doc__, run, rows=ROWS, rounds=3)


def run(spark: SparkSession, options: Options, console: Console) -> Report:
    """The report of all searches."""
    shape = Shape(options.rows, KEYS)
    with console.status(f"making {shape.rows:,} rows"):
        rows = spark.read.parquet(*files(shape, options.cache))
    learn = sf.Learn(sigmas=4, rows=min(TRAINING, options.rows // KEYS // 2))

    def ours(search: str, result: str) -> DataFrame:
        found = sf.bursts(rows, "abs(value)", windows=WINDOWS, thresholds=learn, ts="ts", by="key", search=search)
        return found.toDF() if result == "alarms" else found.runs().toDF()

    def finishing(table: DataFrame) -> Callable[[], None]:
        return lambda: spark_queries.finish(table)

    nothing = spark_queries.do_nothing(next(task for task in TASKS if task.sent == "value"), rows)
    tables = {OURS: ours("exact", "alarms"), f"{OURS}, runs": ours("exact", "runs")}
    tables |= {f"{OURS}, search='all'": ours("all", "alarms"), NOTHING: nothing}
    contenders = [
        Contender(name, "bursts", KEYS, shape.rows, finishing(table), lambda: None) for name, table in tables.items()
    ]
    measurements = measure(contenders, options.rounds, console)
    alarms = tables[OURS].count()
    return report_of(measurements, alarms, options, spark_queries.java_version(spark))


def report_of(measurements: Sequence[Measurement], alarms: int, options: Options, java: str) -> Report:
    """What the measurements say."""
    best = {each.contender.name: each.best for each in measurements}
    return Report(
        name="bursts.on_spark",
        saved_as="bursts_spark",
        title=f"{len(WINDOWS)} windows over {options.rows:,} rows of {KEYS} keys on Spark",
        header=["way", "seconds", "M rows/s", "time / do-nothing"],
        cells=[
            [name, f"{seconds:.2f}", f"{options.rows / seconds / 1e6:.2f}", f"{seconds / best[NOTHING]:.2f}"]
            for name, seconds in best.items()
        ],
        measurements=[{"way": each.contender.name, "seconds": each.seconds} for each in measurements],
        targets=[Target("time / do-nothing transfer", "<=", 2, best[OURS] / best[NOTHING])],
        settings={
            "rows": options.rows,
            "keys": KEYS,
            "windows": len(WINDOWS),
            "alarms": alarms,
            "rounds": options.rounds,
        },
        java=java,
    )


if __name__ == "__main__":
    main()
