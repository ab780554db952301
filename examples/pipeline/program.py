"""The program itself: reports and probes from Kafka, episodes of packet loss and what probes saw in them to a table.

It is all that one deploys: `python examples/pipeline/program.py localhost:9092 postgresql://user@localhost/db`.
"""

from __future__ import annotations

import sys
from typing import Any

import pyspark

import streamframes as sf

REPORT = "router string not null, rpt_time timestamp not null, drop_pct double"
LOSS = sf.Threshold("drop_pct > 0.3", min_duration="1 minute")
LATENESS = "1 minute"


def reports(spark: Any, servers: str, topic: str) -> Any:
    """The reports of a topic, and beside them what is none."""
    rows = spark.readStream.format("kafka").option("kafka.bootstrap.servers", servers).option("subscribe", topic)
    rows = rows.option("startingOffsets", "earliest").option("maxOffsetsPerTrigger", "5000").load()
    return sf.decode(rows, REPORT, keep=["offset"], name=topic)


def start(spark: Any, servers: str, sinks: dict[str, Any], checkpoints: str) -> list[Any]:
    """Start the queries: episodes as they grow, and ended ones with what probes saw in them and just before."""
    own, probes = reports(spark, servers, "reports"), reports(spark, servers, "probes")
    growing = sf.Stream(lateness=LATENESS, fragments=True)
    loss = sf.frames(own.good, LOSS, ts="rpt_time", by="router", stream=growing)
    ended = sf.frames(own.good, LOSS, ts="rpt_time", by="router", lateness=LATENESS).expand(before="1 minute")
    found = {
        "loss": loss.agg(worst="max(drop_pct)"),
        "loss_seen": ended.fill(probes.good, ts="rpt_time", lateness=LATENESS, probes="count(*)", seen="max(drop_pct)"),
    }
    queries = []
    for name, rows in found.items():
        writer = rows.writeStream.queryName(name).foreachBatch(sf.sink.upsert(sinks[name]))
        queries.append(writer.option("checkpointLocation", f"{checkpoints}/{name}").start())
    return queries


def main() -> None:
    servers, url = sys.argv[1:]
    package = "org.apache.spark:spark-sql-kafka-0-10_2.13"
    spark = sf.session("episodes", **{"spark.jars.packages": f"{package}:{pyspark.__version__}"})
    sinks = {name: sf.sink.Postgres(url, table=name) for name in ("loss", "loss_seen")}
    start(spark, servers, sinks, "checkpoints")
    sf.watch(spark).serve(9108)
    spark.streams.awaitAnyTermination()


if __name__ == "__main__":
    main()
