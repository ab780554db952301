"""Regions of a table on Spark, beside the transfer that does nothing: `python -m benchmarks.regions.on_spark`.

Reports of 1,000 places of one road, at the same times: maximal rectangles of at least 5 places and 10 times by both
methods, and connected regions. The do-nothing transfer sends the columns that the search needs; the compiled search
is that of `benchmarks.regions` on the same grid, without minimums, in this run.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import DataFrame, SparkSession
from rich.console import Console

import streamframes as sf
from benchmarks.kit.contenders import NOTHING, OURS
from benchmarks.kit.on_spark import measured
from benchmarks.kit.options import Options
from benchmarks.kit.report import Report, Target
from benchmarks.kit.rounds import Contender, Measurement, measure
from benchmarks.regions.searches import PLACES, jams, timed
from streamframes.study.baselines import spark_queries

ROWS, FILES = 10_000_000, 8
CONDITION = "speed < 40"
SEARCHES = {
    f"{OURS}, spans": "rectangles, spans",
    f"{OURS}, durations": "rectangles, durations",
    f"{OURS}, connected": "connected, with shapes",
}
MINIMUMS = {"min_places": 5, "min_times": 10}


def report_files(rows: int, cache: Path) -> list[str]:
    """The files of the reports, each a stretch of time; they are made if they are not there."""
    folder = cache / f"places-{rows}-{PLACES}"
    if not folder.exists():
        folder.mkdir(parents=True)
        held = jams(max(1, rows // PLACES))
        random = np.random.default_rng(3)
        for number, part in enumerate(np.array_split(np.arange(held.shape[0]), FILES)):
            speed = np.where(held[part], 20.0, 60.0) + random.random((part.size, PLACES)) * 10
            table = pa.table(
                {
                    "ts": pa.array(np.repeat(part * 20_000_000, PLACES), pa.timestamp("us", "UTC")),
                    "milepost": np.tile(np.arange(PLACES) * 0.1, part.size),
                    "speed": speed.ravel(),
                }
            )
            pq.write_table(table, folder / f"{number}.parquet")
    return sorted(str(path.resolve()) for path in folder.glob("*.parquet"))


def do_nothing(rows: DataFrame) -> DataFrame:
    """What any Python operator pays: the columns that the search needs go to Python workers, which only count them."""

    def count(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        yield pa.RecordBatch.from_pydict({"n": [sum(batch.num_rows for batch in batches)]})

    return rows.selectExpr("ts", "milepost", f"cast({CONDITION} as byte) said").mapInArrow(count, "n long")


def main() -> None:
    """Measure, print and save."""
    measured(__doc__, run, rows=ROWS, rounds=3)


def run(spark: SparkSession, options: Options, console: Console) -> Report:
    """The report of all ways."""
    with console.status(f"making about {options.rows:,} reports"):
        rows = spark.read.parquet(*report_files(options.rows, options.cache))
    size = rows.count()

    def found(**arguments: object) -> DataFrame:
        return sf.regions(rows, CONDITION, ts="ts", space="milepost", **MINIMUMS, **arguments).toDF()  # type: ignore[arg-type]

    def finishing(table: DataFrame) -> Callable[[], None]:
        return lambda: spark_queries.finish(table)

    tables = {
        f"{OURS}, spans": found(),
        f"{OURS}, durations": found(reports=sf.Reports(missing="ends")),
        f"{OURS}, connected": found(shape="connected"),
        NOTHING: do_nothing(rows),
    }
    contenders = [Contender(name, "regions", 1, size, finishing(table), lambda: None) for name, table in tables.items()]
    measurements = measure(contenders, options.rounds, console)
    held = jams(size // PLACES)
    alone = {way: timed("jams", search, held, options.rounds).seconds for way, search in SEARCHES.items()}
    return report_of(measurements, alone, size, options, spark_queries.java_version(spark))


def report_of(
    measurements: Sequence[Measurement], alone: dict[str, float], size: int, options: Options, java: str
) -> Report:
    """What the measurements say; `alone` are the seconds of the compiled search of each of our ways."""
    best = {each.contender.name: each.best for each in measurements}
    return Report(
        name="regions.on_spark",
        saved_as="regions_spark",
        title=f"Regions of {size:,} reports of {PLACES:,} places on Spark",
        header=["way", "seconds", "compiled search alone", "M reports/s", "time / do-nothing"],
        cells=[
            [
                name,
                f"{seconds:.2f}",
                f"{alone[name]:.2f}" if name in alone else "",
                f"{size / seconds / 1e6:.2f}",
                f"{seconds / best[NOTHING]:.2f}",
            ]
            for name, seconds in best.items()
        ],
        measurements=[{"way": each.contender.name, "seconds": each.seconds} for each in measurements],
        targets=[
            Target(f"{way}: (time - compiled) / do-nothing transfer", "<=", 2, (best[way] - search) / best[NOTHING])
            for way, search in alone.items()
        ],
        settings={"rows": size, "places": PLACES, "rounds": options.rounds},
        notes=("One road is one group: its reports are folded in one place, by one core.",),
        java=java,
    )


if __name__ == "__main__":
    main()
