"""The program with all that it needs: a broker and Postgres on this machine, reports that come bit by bit, a table.

`python -m examples.pipeline` ends by itself; with `--keep` it goes on sending until Ctrl-C, for a look at a dashboard.
Jars of Kafka are fetched from Maven Central once. Where there is no Postgres, the tables are SQLite's.
"""

from __future__ import annotations

import argparse
import json
import sqlite3
import tempfile
import time
from collections.abc import Iterator
from contextlib import ExitStack, closing
from pathlib import Path
from typing import Any

import pyarrow as pa

import streamframes as sf
from examples.pipeline.program import start
from streamframes.data import routers
from tests.servers import postgres
from tests.servers.kafka import broker, connector, send

ROWS, ROUTERS, PARTS = 3_000, 5, 6
SHOWN = "select router, frame_start, frame_end, frame_rows, worst from loss where {final} order by frame_start limit 8"
SEEN = "select router, frame_start, frame_end, probes, seen from loss_seen order by frame_start limit 8"


def main() -> None:
    """Start everything, send, show, and stop everything."""
    arguments = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    arguments.add_argument("--keep", action="store_true", help="go on sending until Ctrl-C")
    keep = arguments.parse_args().keep
    with ExitStack() as stack:
        folder = Path(stack.enter_context(tempfile.TemporaryDirectory(prefix="streamframes-pipeline-")))
        print("starting a broker of Kafka and Postgres; the first time their jars are fetched", flush=True)
        servers = stack.enter_context(broker(folder / "kafka"))
        database = database_of(folder, stack)
        settings = {"spark_sql_shuffle_partitions": "2", "spark_driver_memory": "2g", "spark_jars": connector()}
        spark = sf.session("pipeline", master="local[2]", **settings)
        stack.callback(spark.stop)
        spark.sparkContext.setLogLevel("ERROR")
        for topic in ("reports", "probes"):
            send(spark.createDataFrame([("", "no report")], "key string, value string"), servers, topic)
        queries = start(spark, servers, database.sinks, str(folder / "checkpoints"))
        url = stack.enter_context(sf.watch(spark)).serve(9108 if keep else 0)
        print(f"figures for Prometheus at {url}; episodes in {database.where}", flush=True)
        try:
            for rows in parts(keep):
                for topic, table in rows.items():
                    send(messages(spark, table), servers, topic)
                time.sleep(1)
            for query in queries:
                query.processAllAvailable()
        except KeyboardInterrupt:
            print("stopping")
        for query in queries:
            query.stop()
        database.show("episodes of packet loss, as they are known now", SHOWN)
        database.show("those that have ended, with what probes saw", SEEN)


def parts(keep: bool) -> Iterator[dict[str, pa.Table]]:
    """What comes in each second; of one history, or of another after it, and so on."""
    seed = 0
    while True:
        made = {
            topic: routers(ROWS, routers=ROUTERS, seed=2 * seed + i).table
            for i, topic in enumerate(("reports", "probes"))
        }
        for number in range(PARTS):
            yield {topic: table.slice(number * ROWS // PARTS, ROWS // PARTS) for topic, table in made.items()}
        if not keep:
            return
        seed += 1


def messages(spark: Any, table: pa.Table) -> Any:
    """Reports as JSON, by router."""
    columns = table.select(["router", "rpt_time", "drop_pct"]).to_pylist()
    texts = [{**row, "rpt_time": row["rpt_time"].isoformat()} for row in columns]
    rows = [(row["router"], json.dumps(row)) for row in texts]
    return spark.createDataFrame(rows, "key string, value string").coalesce(1)


class Database:
    """Where the tables are."""

    def __init__(self, where: str, sinks: dict[str, Any], final: str, connect: Any) -> None:
        self.where, self.sinks, self.final, self.connect = where, sinks, final, connect

    def show(self, title: str, query: str) -> None:
        print(f"\n{title}")
        with closing(self.connect()) as connection:
            for row in connection.execute(query.format(final=self.final)).fetchall():
                print("  " + "  ".join(map(str, row)))


def database_of(folder: Path, stack: ExitStack) -> Database:
    """Postgres, or SQLite where there is none."""
    names = ("loss", "loss_seen")
    try:
        postgres.programs()
    except postgres.Missing as missing:
        print(missing, "- SQLite takes its place")
        path = folder / "episodes.db"
        sinks = {name: sf.sink.SQLite(path, table=name) for name in names}
        return Database(str(path), sinks, "frame_final", lambda: sqlite3.connect(path))
    import psycopg

    server = stack.enter_context(postgres.cluster())
    sinks = {name: sf.sink.Postgres(server.url, table=name) for name in names}
    connect = lambda: psycopg.connect(**server.settings)  # noqa: E731
    return Database(f"Postgres at 127.0.0.1:{server.port}", sinks, "frame_final", connect)


if __name__ == "__main__":
    main()
