"""A query for a cluster, run in a driver of its own: `python -m tests.cluster.program table|scan|stream FOLDER`.

Rows are read from `FOLDER/in`, frames written to `FOLDER/out`. With `--gate`, no task gets a row before `FOLDER/go` is
there; each says in `FOLDER/running` that it waits.
"""

from __future__ import annotations

import argparse
import time
from collections.abc import Callable, Iterator
from pathlib import Path
from typing import Any

import pyarrow as pa

import streamframes as sf
from streamframes.data import routers
from tests.cluster.servers import PATIENT

SCHEME = sf.Threshold("drop_pct > 0.3", min_duration="1 minute")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("kind", choices=["table", "scan", "stream"])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--master")
    parser.add_argument("--conf", action="append", default=[])
    parser.add_argument("--gate", action="store_true")
    given = parser.parse_args()
    settings = {"spark.sql.shuffle.partitions": "2", **PATIENT, **dict(each.split("=", 1) for each in given.conf)}
    spark = sf.session("a query of a cluster", **({"master": given.master} if given.master else {}), **settings)
    run(spark, given.kind, given.folder, gate=given.gate)
    spark.stop()


def run(spark: Any, kind: str, folder: Path, *, gate: bool = False) -> None:
    """Read, find frames, write."""
    source, out = str(folder / "in"), str(folder / "out")
    if kind == "stream":
        schema = spark.read.parquet(source).schema
        rows = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(source)
        writer = frames_of(rows).writeStream.format("parquet").option("checkpointLocation", str(folder / "checkpoint"))
        writer.trigger(availableNow=True).start(out).awaitTermination()
        return
    rows = sf.scan(source, spark=spark) if kind == "scan" else spark.read.parquet(source).repartition(2)
    if gate:
        rows = rows.mapInArrow(gated(folder), rows.schema)
    frames_of(rows).write.parquet(out)


def frames_of(rows: Any) -> Any:
    """Frames with a measure, of a table, a scan or a stream."""
    frames = sf.frames(rows, SCHEME, ts="rpt_time", by="router", lateness="1 minute" if rows.isStreaming else None)
    return frames.agg(worst="max(drop_pct)", total="sum(drop_pct)")


def gated(folder: Path) -> Callable[[Iterator[pa.RecordBatch]], Iterator[pa.RecordBatch]]:
    """Rows that wait until they may go."""

    def wait(batches: Iterator[pa.RecordBatch]) -> Iterator[pa.RecordBatch]:
        (folder / "running").touch()
        end = time.monotonic() + 300
        while not (folder / "go").exists() and time.monotonic() < end:
            time.sleep(0.05)
        yield from batches

    return wait


def write_input(folder: Path, files: int = 8, rows: int = 40_000) -> None:
    """Reports of routers in files in the order of time."""
    import os

    import pyarrow.parquet as pq

    (folder / "in").mkdir(parents=True)
    table = routers(rows, routers=20, seed=3).table
    for number in range(files):
        path = folder / "in" / f"{number:03}.parquet"
        pq.write_table(table.slice(number * rows // files, rows // files), path)
        os.utime(path, (1_000 + number, 1_000 + number))


if __name__ == "__main__":
    main()
