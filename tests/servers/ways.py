"""Whole ways from Kafka to sinks, as one program that is killed and started again.

`python -m tests.servers.ways FOLDER` reads what to do from `FOLDER/way.json`:

  reports ─ frames with fragments ─┬─ Kafka
                                   ├─ SQLite
                                   └─ Postgres
  reports, probes ─ frames, fill ─── Postgres

Of each query `die` says after which batch the whole program ends by `kill -9`: what was written is in the sink, and the
batch is not committed.
"""

from __future__ import annotations

import json
import sys
from pathlib import Path
from typing import Any

import streamframes as sf
from tests.conftest import SETTINGS
from tests.servers.kafka import connector, read
from tests.servers.killing import dying

REPORTS = "router string not null, rpt_time timestamp not null, drop_pct double"
SCHEME = sf.Threshold("drop_pct > 0.2", min_rows=2)
LATENESS = "1 minute"
FILL = {"n": "count(*)", "worst": "max(drop_pct)"}


def frames_of(rows: Any) -> Any:
    """The frames of reports, as a table has them or as a stream reports them bit by bit."""
    if not rows.isStreaming:
        return sf.frames(rows, SCHEME, ts="rpt_time", by="router").toDF()
    stream = sf.Stream(lateness=LATENESS, fragments=True)
    return sf.frames(rows, SCHEME, ts="rpt_time", by="router", stream=stream).toDF()


def filled(rows: Any, others: Any) -> Any:
    """Frames of reports, a little longer, with what others have seen in them."""
    late = LATENESS if rows.isStreaming else None
    frames = sf.frames(rows, SCHEME, ts="rpt_time", by="router", lateness=late).expand(before="1 minute")
    return frames.fill(others, ts="rpt_time", lateness=late, **FILL)


def reports(spark: Any, way: dict[str, Any], topic: str) -> Any:
    """A stream of the reports of a topic."""
    rows = read(spark.readStream, way["kafka"], topic, maxOffsetsPerTrigger=str(way["offsets"])).load()
    return sf.decode(rows, REPORTS, name=f"decode_{topic}").good


def run(folder: Path) -> None:
    """Start all queries and wait until they have read everything."""
    way = json.loads((folder / "way.json").read_text())
    spark = sf.session(f"ways {folder.name}", master="local[2]", spark_jars=connector(), **SETTINGS)
    queries = []
    for name, make in targets(folder, way).items():
        rows = reports(spark, way, way["reports"])
        found = filled(rows, reports(spark, way, way["probes"])) if name == "fill" else frames_of(rows)
        upsert = dying(folder, name, way["die"].get(name, ()), sf.sink.upsert(make))
        writer = found.writeStream.foreachBatch(upsert).trigger(availableNow=True).queryName(name)
        queries.append(writer.option("checkpointLocation", str(folder / "checkpoints" / name)).start())
    for query in queries:
        query.awaitTermination()
    spark.stop()


def targets(folder: Path, way: dict[str, Any]) -> dict[str, Any]:
    """The sink of each query."""
    return {
        "kafka": sf.sink.Kafka(way["kafka"], way["out"]),
        "sqlite": sf.sink.SQLite(folder / "episodes.db", table="frames"),
        "postgres": sf.sink.Postgres(way["postgres"], table=f"frames_{way['out']}"),
        "fill": sf.sink.Postgres(way["postgres"], table=f"filled_{way['out']}"),
    }


if __name__ == "__main__":
    run(Path(sys.argv[1]))
