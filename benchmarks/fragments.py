"""What fragments save: rows that wait in a fill while an episode lasts, `python -m benchmarks.fragments`.

Two streams: one is framed, the other fills. One key is in a single episode for nearly the whole stream. Without
fragments the rows that fill it wait until the episode has ended; with fragments they leave as soon as the piece they
are in is certain.
"""

from __future__ import annotations

from pathlib import Path
from tempfile import TemporaryDirectory
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
from pyspark.sql import SparkSession
from rich.console import Console

import streamframes as sf
from benchmarks.kit.on_spark import measured
from benchmarks.kit.options import Options
from benchmarks.kit.report import Report, Target
from benchmarks.streams import batch_times, stream_of
from streamframes.spark.watching.batches import figures_of
from streamframes.study.baselines import spark_queries
from streamframes.study.baselines.generated import SCHEMA

ROWS = 400_000
FILES = 40
KEYS = 4
LATENESS = "30 seconds"
START = 1_700_000_000_000_000


def main() -> None:
    """Measure, print and save."""
    measured(__doc__, run, rows=ROWS, rounds=None)


def run(spark: SparkSession, options: Options, console: Console) -> Report:
    """The report on both ways."""
    found = {}
    with TemporaryDirectory(prefix="streamframes-fragments-") as folder:
        paths = [write(Path(folder) / str(seed), options.rows, seed) for seed in range(2)]
        for fragments in (False, True):
            with console.status(f"fragments={fragments}"):
                found[fragments] = waiting(spark, paths, fragments=fragments)
    return report_of(found, options.rows, spark_queries.java_version(spark))


def write(folder: Path, rows: int, seed: int) -> list[str]:
    """One side of the stream in files; key 0 is in an episode from a twentieth of it to the last twentieth."""
    rng = np.random.default_rng(seed)
    folder.mkdir()
    ts = START + np.sort(rng.integers(0, 20 * rows, rows)) * 1000
    key = rng.integers(0, KEYS, rows)
    inside = (np.arange(rows) > rows // 20) & (np.arange(rows) < rows - rows // 20)
    value = np.where(key == 0, inside, rng.random(rows) < 0.5).astype(np.float64)
    names = pa.array([f"key-{number}" for number in range(KEYS)])
    columns = [names.take(pa.array(key)), pa.array(ts).cast(SCHEMA.field("ts").type), value, np.ones(rows, np.int64)]
    table = pa.table(columns, schema=SCHEMA)
    paths = []
    for number in range(FILES):
        path = folder / f"{number:03}.parquet"
        pq.write_table(table.slice(number * rows // FILES, rows // FILES), path)
        paths.append(str(path))
    return paths


def waiting(spark: SparkSession, paths: list[list[str]], *, fragments: bool) -> dict[str, Any]:
    """The largest and the mean number of rows that wait in the fill, and how many rows were found."""
    framed, filling = (stream_of(spark, each) for each in paths)
    scheme = sf.Threshold("value > 0.5")
    frames = sf.frames(framed, scheme, ts="ts", by="key", stream=sf.Stream(LATENESS, fragments=fragments))
    seen: list[dict[str, Any]] = []
    times = batch_times(frames.fill(filling, ts="ts", lateness=LATENESS), seen.append)
    figures = [*map(figures_of, seen)]
    waits = [each["fill_waiting_rows"] for each in figures]
    arrived = max(each["numInputRows"] for each in seen)
    return {
        "max": max(waits),
        "mean": float(np.mean(waits)),
        "waiting_max": figures[-1]["fill_waiting_rows_max"],
        "waiting_avg": figures[-1]["fill_waiting_rows_avg"],
        "arrived": arrived,
        "seconds": sum(seconds for _, seconds in times),
    }


def report_of(found: dict[bool, dict[str, Any]], rows: int, java: str) -> Report:
    """Both ways side by side."""
    name = {False: "no fragments", True: "fragments"}
    return Report(
        name="fragments",
        title=f"Rows that wait in a fill, {rows:,} rows on each side, one long episode",
        header=["way", "max", "mean", "max a batch brought", "seconds"],
        cells=[
            [name[way], f"{each['max']:,}", f"{each['mean']:,.0f}", f"{each['arrived']:,}", f"{each['seconds']:.1f}"]
            for way, each in found.items()
        ],
        measurements=[{"way": name[way], **each} for way, each in found.items()],
        targets=[
            Target("most that wait with fragments / what a batch brings", "<=", 1, _of_a_batch(found[True])),
            Target("without fragments / with", ">=", 5, found[False]["max"] / found[True]["max"]),
            Target("time with fragments / without", "<=", 1.2, found[True]["seconds"] / found[False]["seconds"]),
        ],
        settings={"rows": rows, "keys": KEYS, "batches": FILES, "lateness": LATENESS},
        notes=[
            "A batch brings one file of either side.",
            "Rows wait that the watermark has not passed; without fragments also those in an open episode.",
        ],
        java=java,
    )


def _of_a_batch(figures: dict[str, Any]) -> float:
    return float(figures["max"] / figures["arrived"])


if __name__ == "__main__":
    main()
