"""Replay: a table as the stream that it may have been, a file a micro-batch, and what a query says of each of them."""

from __future__ import annotations

import os
import shutil
import tempfile
from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING

from streamframes.study.report.outcome import Row

if TYPE_CHECKING:
    from streamframes.spark import DataFrame, SparkSession


def write_parts(rows: DataFrame, folder: Path, ts: str, parts: int) -> None:
    """Write rows to so many files, each later than the one before."""
    rows.repartitionByRange(parts, ts).sortWithinPartitions(ts).write.parquet(str(folder))


def replayed(spark: SparkSession, folder: Path, rows: DataFrame) -> DataFrame:
    """The Parquet files of a folder that hold such rows as a stream, one a micro-batch, in the order of their names."""
    for second, path in enumerate(sorted(folder.glob("*.parquet"))):
        os.utime(path, (1_000 + second, 1_000 + second))
    return spark.readStream.schema(rows.schema).option("maxFilesPerTrigger", 1).parquet(str(folder))


def progress_of(result: DataFrame) -> Iterator[Row]:
    """Run a query over all there is, drop what it finds, and yield the progress of each micro-batch when it is done."""
    from streamframes.spark.watching.batches import progress_until_end

    folder = tempfile.mkdtemp(prefix="streamframes-replay-")
    writer = result.writeStream.format("noop").option("checkpointLocation", folder).trigger(availableNow=True)
    query = writer.start()
    try:
        yield from map(dict, progress_until_end(query))
    finally:
        query.stop()
        shutil.rmtree(folder, ignore_errors=True)
