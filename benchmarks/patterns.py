"""Patterns: what they cost beside frames, and what an adversarial pattern costs as rows grow.

python -m benchmarks.patterns [--rows 20_000_000] [--only runs,valleys,adversarial]
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq

import streamframes as sf

KEYS = 100


def write(path: Path, n: int, keys: int = KEYS) -> None:
    """Rows of a random walk, in order of time, as files of a million rows."""
    rng = np.random.default_rng(7)
    path.mkdir(parents=True)
    level = np.zeros(keys)
    for number, first in enumerate(range(0, n, 1_000_000)):
        size = min(1_000_000, n - first) // keys * keys or min(1_000_000, n - first)
        steps = rng.normal(size=(size // keys, keys))
        walk = level + np.cumsum(steps, axis=0)
        level = walk[-1]
        ts = (first // keys + np.arange(size // keys)) * 1_000_000
        table = pa.table(
            {
                "key": np.tile(np.arange(keys), size // keys),
                "ts": pa.array(np.repeat(ts, keys), pa.timestamp("us", "UTC")),
                "price": walk.ravel(),
                "drop": rng.random(size),
            }
        )
        pq.write_table(table, path / f"part-{number:05}.parquet")


def timed(frames: Callable[[], Any], runs: int = 3) -> tuple[float, int]:
    """The best of some runs, in seconds, and how many results there were."""
    best, count = float("inf"), 0
    for _ in range(runs):
        start = time.perf_counter()
        count = frames().count()
        best = min(best, time.perf_counter() - start)
    return best, count


def written(frame: Any) -> Any:
    """All columns are computed and counted, none is left out by the optimizer."""
    from pyspark.sql import functions as F

    return frame.select(F.xxhash64(*frame.columns).alias("h")).filter("h is not null")


def main() -> None:
    """Measure, and print a table."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--rows", type=lambda text: int(text.replace("_", "")), default=20_000_000)
    parser.add_argument("--only", default="runs,valleys,adversarial")
    parser.add_argument("--runs", type=int, default=3)
    given = parser.parse_args()
    spark = sf.session("patterns", master="local[2]", spark_sql_shuffle_partitions="2")
    with tempfile.TemporaryDirectory() as folder:
        path = Path(folder) / "rows"
        write(path, given.rows)
        rows = spark.read.parquet(str(path))
        common = {"ts": "ts", "by": "key"}
        if "runs" in given.only:
            scheme, define = sf.Threshold("drop > 0.2", min_rows=6), {"A": "drop > 0.2"}
            frames = timed(lambda: written(sf.frames(rows, scheme, **common).toDF()), given.runs)
            found = timed(lambda: written(sf.match(rows, "A{6,}", define=define, **common).toDF()), given.runs)
            print(f"threshold of 6 rows   frames {frames[0]:.2f} s ({frames[1]:,} frames)")
            print(f"A{{6,}}                 match {found[0]:.2f} s ({found[1]:,} matches)")
            print(f"                      {found[0] / frames[0]:.2f} times as long")
        if "valleys" in given.only:
            define = {"DOWN": "price < PREV(price)", "UP": "price > PREV(price)"}
            measures = {"bottom": "LAST(DOWN.price)", "top": "LAST(UP.price)"}
            found = timed(
                lambda: written(sf.match(rows, "STRT DOWN+ UP+", define=define, measures=measures, **common).toDF()),
                given.runs,
            )
            print(f"STRT DOWN+ UP+        {found[0]:.2f} s ({found[1]:,} matches)")
        if "adversarial" in given.only:
            adversarial(spark, Path(folder), given.rows, given.runs)
    spark.stop()


def adversarial(spark: Any, folder: Path, n: int, runs: int) -> None:
    """(A|B)* C over rows without C: ten times the rows should take about ten times as long."""
    define = {"A": "drop > 0.5", "B": "drop <= 0.5", "C": "drop > 2"}
    taken = []
    for size in (n // 10, n):
        path = folder / f"adversarial-{size}"
        write(path, size, keys=1)
        rows = spark.read.parquet(str(path))
        found = timed(lambda rows=rows: written(sf.match(rows, "(A|B)* C", define=define, ts="ts").toDF()), runs)
        taken.append(found[0])
        print(f"(A|B)* C              {size:>12,} rows {found[0]:.2f} s")
    print(f"                      ratio {taken[1] / taken[0]:.1f}")


if __name__ == "__main__":
    main()
