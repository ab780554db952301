"""What provisional results and amendments cost, beside the same stream without: `python -m benchmarks.provisional`.

The lateness is 60 seconds, and rows come one second late on average. In large batches of 100 seconds each, of few keys
and of many, and in short ones of one second with 20,000 rows, where the rows that wait are 60 times those that come.
"""

from __future__ import annotations

from dataclasses import dataclass
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from rich.console import Console

import streamframes as sf
from benchmarks.kit.on_spark import measured
from benchmarks.kit.options import Options
from benchmarks.kit.report import Report, Target
from benchmarks.streams import batch_times
from streamframes.study.baselines import spark_queries
from streamframes.study.replay import replayed

ROWS = 1_200_000
LATENESS = "60 seconds"
EXACT = "exact"
STREAMS = {
    EXACT: sf.Stream(lateness=LATENESS),
    "early": sf.Stream(lateness=LATENESS, early=True),
    "amend": sf.Stream(lateness=LATENESS, late="amend", amend_within="10 minutes"),
}
# The first batches warm up: nothing is released before the lateness has passed.
WARM_UP = 2


@dataclass(frozen=True)
class Case:
    """So many keys, a row every so many microseconds, in files of so many rows."""

    name: str
    keys: int
    distance: int
    rows_of_file: int


CASES = (
    Case("100 keys, batches of 100 s", 100, 1_000, 100_000),
    Case("100,000 keys, batches of 100 s", 100_000, 1_000, 100_000),
    Case("100 keys, batches of 1 s", 100, 50, 20_000),
)


def main() -> None:
    """Measure, print and save."""
    measured(__doc__, run, rows=ROWS, rounds=1)


def run(spark: SparkSession, options: Options, console: Console) -> Report:
    """The report of all cases, in turns."""
    spark.conf.set("spark.sql.shuffle.partitions", "2")
    seconds: dict[tuple[str, str], float] = {}
    for case in CASES:
        folder = files(case, options)
        for _ in range(options.rounds):
            for name, stream in STREAMS.items():
                console.print(f"{case.name}: {name}")
                times = [each for _, each in batch_times(frames(spark, case, folder, stream))][WARM_UP:]
                place = case.name, name
                seconds[place] = min(seconds.get(place, float("inf")), sum(times) / len(times))
    return report_of(seconds, options, spark_queries.java_version(spark))


def frames(spark: SparkSession, case: Case, folder: Path, stream: sf.Stream) -> DataFrame:
    """Sessions of a key, five times as far apart as its rows."""
    rows = replayed(spark, folder, spark.createDataFrame([], "key long, ts timestamp, value double"))
    gap = f"{5 * case.keys * case.distance} microseconds"
    return sf.frames(rows, sf.Gap(gap), ts="ts", by="key", stream=stream).agg(most="max(value)")


def files(case: Case, options: Options) -> Path:
    """Rows in the order of their arrival, one second late on average."""
    folder = options.cache / f"late-{options.rows}-{case.keys}-{case.distance}"
    if not folder.exists():
        folder.mkdir(parents=True)
        rng = np.random.default_rng(0)
        ts = np.arange(options.rows) * case.distance
        order = np.argsort(ts + rng.exponential(1e6, options.rows))
        columns = {
            "key": pa.array(rng.integers(0, case.keys, options.rows)),
            "ts": pa.array(ts[order]).cast(pa.timestamp("us", "UTC")),
            "value": pa.array(rng.random(options.rows)),
        }
        table = pa.table(columns)
        for number in range(options.rows // case.rows_of_file):
            part = table.slice(number * case.rows_of_file, case.rows_of_file)
            pq.write_table(part, folder / f"{number:04}.parquet")
    return folder


def report_of(seconds: dict[tuple[str, str], float], options: Options, java: str) -> Report:
    """What the times say."""
    ratio = {(case, way): each / seconds[case, EXACT] for (case, way), each in seconds.items()}
    return Report(
        name="provisional",
        title="Provisional results and amendments, beside exact results alone",
        header=["case", *(f"{way}, s a batch" for way in STREAMS), *(f"{way} / {EXACT}" for way in list(STREAMS)[1:])],
        cells=[
            [
                case.name,
                *(f"{seconds[case.name, way]:.2f}" for way in STREAMS),
                *(f"{ratio[case.name, way]:.2f}" for way in list(STREAMS)[1:]),
            ]
            for case in CASES
        ],
        measurements=[{"case": case, "way": way, "seconds": each} for (case, way), each in seconds.items()],
        targets=[Target(f"{case.name}: early against {EXACT}", "<=", 1.6, ratio[case.name, "early"]) for case in CASES],
        settings={"rows": options.rows, "lateness": LATENESS, "partitions": 2},
        notes=(f"Seconds from trigger to trigger, on average over all batches but the first {WARM_UP}.",),
        java=java,
    )


if __name__ == "__main__":
    main()
