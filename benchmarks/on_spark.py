"""What every benchmark on Spark does: read the options, start a session, measure, print and save."""

from __future__ import annotations

from collections.abc import Callable

from pyspark.sql import SparkSession
from rich.console import Console

from benchmarks.options import Options, parse
from benchmarks.report import Report, open_console, publish
from streamframes.study.baselines import spark_ways


def measured(
    about: str | None, run: Callable[[SparkSession, Options, Console], Report], *, rows: int, rounds: int | None
) -> None:
    """Carry out a benchmark from its command line."""
    options = parse(about or "", rows=rows, rounds=rounds)
    console = open_console()
    spark = spark_ways.start_session()
    try:
        report = run(spark, options, console)
    finally:
        spark.stop()
    publish(report, options.out, console)
