"""What every benchmark on Spark does: read the options, start a session, measure, print and save."""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from pathlib import Path
from types import MappingProxyType

from pyspark.sql import SparkSession
from rich.console import Console

from benchmarks.kit.options import Options, parse
from benchmarks.kit.report import Report, open_console, publish
from streamframes.api.rows import session


def start_session(changed: Mapping[str, str] = MappingProxyType({})) -> SparkSession:
    """The library's own session, with some settings changed; its workers can import this folder."""
    root = str(Path(__file__).resolve().parents[2])
    known = os.environ.get("PYTHONPATH", "").split(os.pathsep)
    os.environ["PYTHONPATH"] = os.pathsep.join(dict.fromkeys([root, *filter(None, known)]))
    return session(
        "streamframes benchmarks",
        # Spark's 200 would cost the window functions and applyInPandas hundreds of tiny tasks.
        spark_sql_shuffle_partitions=str(4 * (os.cpu_count() or 1)),
        spark_ui_showConsoleProgress="false",
        **changed,
    )


def measured(
    about: str | None, run: Callable[[SparkSession, Options, Console], Report], *, rows: int, rounds: int | None
) -> None:
    """Carry out a benchmark from its command line."""
    options = parse(about or "", rows=rows, rounds=rounds)
    console = open_console()
    spark = start_session()
    try:
        report = run(spark, options, console)
    finally:
        spark.stop()
    publish(report, options.out, console)
