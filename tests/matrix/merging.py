"""A stream from a table of Delta or Iceberg to another, as a program that is killed.

`python -m tests.matrix.merging FOLDER`: `FOLDER/way.json` says which format, and after which batches the program ends.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import streamframes as sf
from tests.conftest import SETTINGS
from tests.matrix.formats import FORMATS, settings
from tests.servers.killing import dying

SCHEME = sf.Threshold("drop_pct > 0.2", min_rows=2)


def session(folder: Path) -> Any:
    """A session with the formats of its Spark, whose tables lie in the folder."""
    return sf.session("merging", master="local[2]", **SETTINGS, **settings(folder))


def frames_of(rows: Any) -> Any:
    """The frames of reports, as a table has them or as a stream reports them bit by bit."""
    stream = sf.Stream(lateness="1 minute", fragments=True) if rows.isStreaming else None
    return sf.frames(rows, SCHEME, ts="rpt_time", by="router", stream=stream).toDF()


def table(folder: Path, format: str, name: str) -> str:
    """A table as SQL names it: a folder of Delta, because Spark's own catalog forgets when it ends."""
    return f"delta.`{folder}/delta/{name}`" if format == "delta" else f"{FORMATS[format].catalog}.{name}"


def target(folder: Path, format: str) -> Any:
    """The sink of a format."""
    if format == "delta":
        return sf.sink.Delta(path=f"{folder}/delta/episodes")
    return sf.sink.Iceberg(table(folder, format, "episodes"))


def run(folder: Path) -> None:
    """Read all commits of the table, one for each batch."""
    way = json.loads((folder / "way.json").read_text())
    there = FORMATS[way["format"]]
    spark = session(folder)
    rows = spark.readStream.format(there.name).options(**there.one_commit)
    reports = rows.load(f"{folder}/delta/reports") if there.name == "delta" else rows.table(f"{there.catalog}.reports")
    upsert = dying(folder, "merge", way["die"], sf.sink.upsert(target(folder, there.name)))
    writer = frames_of(reports).writeStream.foreachBatch(upsert).trigger(availableNow=True)
    writer.option("checkpointLocation", str(folder / "checkpoints" / "merge")).start().awaitTermination()
    spark.stop()


if __name__ == "__main__":
    run(Path(sys.argv[1]))
