"""Frames of a stream, side by side with Spark's own session windows: `python -m benchmarks.streams`.

Both read the same files, one file a micro-batch, keep their state in RocksDB, shuffle to as many partitions and drop
what they find. The sessions are the same: `Gap` is what `session_window` is. They are long, so that a batch brings
some rows to each, or short, so that a third of the rows opens one. The figure is that of the steady state: the rows of
all micro-batches but the first, by their time from trigger to trigger.
"""

from __future__ import annotations

import itertools
from collections.abc import Callable, Sequence
from pathlib import Path
from typing import Any

from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from rich.console import Console

import streamframes as sf
from benchmarks.kit.on_spark import measured
from benchmarks.kit.options import Options
from benchmarks.kit.report import Report, Target
from streamframes.study.baselines import spark_queries
from streamframes.study.baselines.generated import SCHEMA, Shape, files
from streamframes.study.replay import progress_of, replayed

ROWS = 8_000_000
KEYS = (100, 100_000)
LATENESS = "1 minute"
OURS, THEIRS = "streamframes", "session_window"

# The gap of a session, in mean distances of a key's rows.
SESSIONS_OF = {"long": 5, "short": 1}

# Rows in a second, by (keys, sessions, way).
Rates = dict[tuple[int, str, str], list[float]]
Way = Callable[[DataFrame, str], DataFrame]


def main() -> None:
    """Measure, print and save."""
    measured(__doc__, run, rows=ROWS, rounds=2)


def run(spark: SparkSession, options: Options, console: Console) -> Report:
    """The report of all ways, taking turns."""
    rates: Rates = {}
    for number in range(options.rounds):
        for keys in KEYS:
            paths = files(Shape(options.rows, keys), options.cache)
            for (length, multiple), (name, way) in itertools.product(SESSIONS_OF.items(), CONTENDERS.items()):
                console.print(f"round {number + 1} of {options.rounds}: {keys:,} keys, {length} sessions, {name}")
                speed = rate(stream_of(spark, paths), way, gap(keys, multiple))
                rates.setdefault((keys, length, name), []).append(speed)
    return report_of(rates, options, spark_queries.java_version(spark))


def gap(keys: int, multiple: int) -> str:
    """A multiple of the mean distance of a key's rows; rows of all keys come every millisecond."""
    return f"{multiple * keys} milliseconds"


def ours(rows: DataFrame, gap: str) -> DataFrame:
    """Sessions by this library."""
    return sf.frames(rows, sf.Gap(gap), ts="ts", by="key", lateness=LATENESS).toDF()


def sessions(rows: DataFrame, gap: str) -> DataFrame:
    """Sessions by Spark."""
    window = F.session_window("ts", gap)
    grouped = rows.withWatermark("ts", LATENESS).groupBy("key", window)
    return grouped.agg(F.min("ts").alias("frame_start"), F.max("ts").alias("frame_end"), F.count("*").alias("rows"))


CONTENDERS: dict[str, Way] = {OURS: ours, THEIRS: sessions}


def rate(rows: DataFrame, way: Way, gap: str) -> float:
    """Rows in a second, the first micro-batch left out."""
    batches = batch_times(way(rows, gap))[1:]
    return float(sum(rows for rows, _ in batches) / sum(seconds for _, seconds in batches))


def stream_of(spark: SparkSession, paths: Sequence[str]) -> DataFrame:
    """The files as a stream, one a micro-batch, in their order."""
    rows = spark.createDataFrame([], "key string, ts timestamp, value double, volume long")
    if rows.columns != SCHEMA.names:
        raise ValueError(f"the generated files have other columns than {rows.columns}")
    return replayed(spark, Path(paths[0]).parent, rows)


def batch_times(result: DataFrame, watch: Callable[[dict[str, Any]], None] | None = None) -> list[tuple[int, float]]:
    """Rows and seconds of each micro-batch with data; `watch` is shown every progress."""
    times = []
    for progress in progress_of(result):
        if watch is not None:
            watch(progress)
        if progress["numInputRows"]:
            times.append((progress["numInputRows"], progress["durationMs"]["triggerExecution"] / 1000))
    return times


def report_of(rates: Rates, options: Options, java: str) -> Report:
    """What the rates say."""
    best = {place: max(each) for place, each in rates.items()}
    few, many = KEYS

    def ratio(keys: int, length: str) -> float:
        return best[keys, length, OURS] / best[keys, length, THEIRS]

    return Report(
        name="streams",
        title="Frames of a stream, side by side",
        header=["keys", "sessions", OURS, THEIRS, "ratio"],
        cells=[
            [
                f"{keys:,}",
                length,
                f"{best[keys, length, OURS]:,.0f} rows/s",
                f"{best[keys, length, THEIRS]:,.0f} rows/s",
                f"{ratio(keys, length):.2f}",
            ]
            for keys, length in itertools.product(KEYS, SESSIONS_OF)
        ],
        measurements=[
            {"keys": keys, "sessions": length, "way": name, "rows_per_second": each}
            for (keys, length, name), each in rates.items()
        ],
        targets=[
            target
            for length in SESSIONS_OF
            for target in (
                Target(f"{few:,} keys, {length} sessions: faster than {THEIRS}", ">=", 1.0, ratio(few, length)),
                Target(f"{many:,} keys, {length} sessions: faster than {THEIRS}", ">=", 3.0, ratio(many, length)),
                Target(
                    f"{many:,} keys against {few:,}, {length} sessions",
                    ">=",
                    0.6,
                    best[many, length, OURS] / best[few, length, OURS],
                ),
            )
        ],
        settings={"rows": options.rows, "rounds": options.rounds, "lateness": LATENESS},
        notes=("The best of the rounds; steady state, the first micro-batch left out.",),
        java=java,
    )


if __name__ == "__main__":
    main()
