"""How time grows with the rows: four times the rows should take about four times as long."""

from __future__ import annotations

from pyspark.sql import SparkSession
from rich.console import Console

from benchmarks.kit.contenders import on_spark
from benchmarks.kit.on_spark import measured
from benchmarks.kit.options import Options
from benchmarks.kit.report import Report, Target
from benchmarks.kit.rounds import measure
from streamframes.study.baselines import spark_queries
from streamframes.study.baselines.generated import Shape, files
from streamframes.study.baselines.tasks import TASKS

KEYS = 100
TIMES_AS_MANY = 4
LIMIT = 4.6


def main() -> None:
    """Measure, print and save."""
    measured(__doc__, run, rows=20_000_000, rounds=3)


def run(spark: SparkSession, options: Options, console: Console) -> Report:
    """The report on a table and one with a quarter of its rows."""
    contenders = []
    sizes = (options.rows // TIMES_AS_MANY, options.rows)
    tables = {rows: spark.read.parquet(*files(Shape(rows, KEYS), options.cache)) for rows in sizes}
    for task in TASKS:
        for rows, table in tables.items():
            contenders.append(on_spark(f"{rows:,} rows", spark_queries.ours, task, Shape(rows, KEYS), table))
    measurements = measure(contenders, options.rounds, console)
    best = {(each.contender.task, each.contender.rows): each for each in measurements}
    few, many = sizes
    growth = {task.name: best[task.name, many].best / best[task.name, few].best for task in TASKS}
    return Report(
        name="growth",
        title=f"{TIMES_AS_MANY} times the rows",
        header=["task", f"{few:,} rows", f"{many:,} rows", "ratio"],
        cells=[
            [name, f"{best[name, few].best:.2f} s", f"{best[name, many].best:.2f} s", f"{ratio:.2f}"]
            for name, ratio in growth.items()
        ],
        measurements=[
            {"task": task, "rows": rows, "keys": KEYS, "frames": each.frames, "rounds": each.seconds}
            for (task, rows), each in best.items()
        ],
        targets=[
            Target(f"{name}: time of {TIMES_AS_MANY} times the rows", "<=", LIMIT, ratio)
            for name, ratio in growth.items()
        ],
        settings={"rows": options.rows, "rounds": options.rounds, "keys": KEYS},
        java=spark_queries.java_version(spark),
    )


if __name__ == "__main__":
    main()
