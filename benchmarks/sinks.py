"""Sinks: how long frames take into Postgres, against Spark's JDBC append and an upsert written by hand.

`python -m benchmarks.sinks` starts a private Postgres from the system's packages, and prints seconds. Both ways begin
with the same cached DataFrame and an empty table, and end with the same rows; then both write all rows once more, and
`upsert()` alone some batches of 1,000 fragments. `cpu` are seconds of processor of Python, Spark and Postgres together,
`copy alone` is how long Postgres takes to copy the same rows into a table with a key, ready in its own binary form and
sorted: no way that writes one transaction can be faster.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import psutil
import psycopg

import streamframes as sf
from streamframes.sinks.postgres.copy import copied
from tests.servers.postgres import Server, cluster

DRIVER = "org.postgresql:postgresql:42.7.7"
ROWS, FRAGMENTS, BATCHES = 1_000_000, 1_000, 15
FRAMES = """
    select xxhash64(id) as frame_id, concat('router ', id % 1000) as router,
        timestamp_micros(1767600000000000 + id * 1000003) as frame_start,
        timestamp_micros(1767600000000000 + id * 1000003 + 61000007) as frame_end,
        id % 50 as frame_rows, if(id % 9 = 0, 'gap', 'condition') as frame_closed_by, id / 7 as worst,
        id % 10 as frame_fragment, id % 10 = 9 as frame_final
    from range(0, {rows}, 1, 2)
"""
UPSERT = """
    insert into jdbc select * from staged on conflict (frame_id) do update set router = excluded.router,
    frame_start = excluded.frame_start, frame_end = excluded.frame_end, frame_rows = excluded.frame_rows,
    frame_closed_by = excluded.frame_closed_by, worst = excluded.worst, frame_fragment = excluded.frame_fragment,
    frame_final = excluded.frame_final
    where (jdbc.frame_fragment, jdbc.frame_final) <= (excluded.frame_fragment, excluded.frame_final)
"""
DIFFERENT = "select count(*) from (table own except table jdbc union all table jdbc except table own) d"
COLUMNS = """
    frame_id bigint {}, router text, frame_start timestamptz, frame_end timestamptz, frame_rows bigint,
    frame_closed_by text, worst double precision, frame_fragment bigint, frame_final boolean
"""


def main() -> None:
    """Measure, and say so."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rows", type=int, default=ROWS)
    given = parser.parse_args()
    spark = sf.session("sinks", master="local[2]", spark_jars_packages=DRIVER, spark_driver_memory="2g")
    frames = spark.sql(FRAMES.format(rows=given.rows)).cache()
    frames.count()
    with cluster() as server:
        figures = measured(spark, frames, server)
    print(json.dumps(figures))
    spark.stop()


def measured(spark: Any, frames: Any, server: Server) -> dict[str, float]:
    """Seconds by what was done."""
    target = sf.sink.Postgres(server.url, table="own")
    upsert = sf.sink.upsert(target)
    # The first use of anything compiles, loads and connects.
    upsert(frames.limit(1_000))
    through_jdbc(frames.limit(1_000), server)
    ask(server, "drop table own; drop table jdbc")
    ready = prepared(frames)
    found = {"copy alone": timed(lambda: copied_alone(server, ready))}
    for again in ("", " again"):
        writers: dict[str, Callable[[], object]] = {
            "upsert": lambda: upsert(frames),
            "jdbc": lambda: through_jdbc(frames, server),
        }
        for name, run in writers.items():
            before = processor_seconds(server)
            found[f"{name}{again}"] = timed(run)
            found[f"{name}{again} cpu"] = processor_seconds(server) - before
        if ask(server, DIFFERENT) != [(0,)]:
            raise RuntimeError("the two writers do not lead to the same rows")
        for kind in ("", " cpu"):
            found[f"ratio{again}{kind}"] = found[f"jdbc{again}{kind}"] / found[f"upsert{again}{kind}"]
    few = spark.createDataFrame(frames.limit(FRAGMENTS).toArrow()).cache()
    few.count()
    found["of which reading"] = statistics.median(timed(few.toArrow) for _ in range(BATCHES))
    found["a batch"] = statistics.median(timed(lambda: upsert(few)) for _ in range(BATCHES))
    return {each: round(value, 3) for each, value in found.items()}


def prepared(frames: Any) -> list[bytes]:
    """The rows in the binary form of COPY, sorted by their key."""
    return list(copied(frames.toArrow().sort_by("frame_id")))


def copied_alone(server: Server, ready: list[bytes]) -> None:
    """What Postgres needs for rows that are ready, in one transaction."""
    ask(server, f"create table alone ({COLUMNS.format('primary key')})")
    statement = "copy alone from stdin (format binary)"
    with psycopg.connect(**server.settings) as connection, connection.cursor().copy(statement) as copy:  # type: ignore[arg-type]
        for block in ready:
            copy.write(block)


def processor_seconds(server: Server) -> float:
    """What Python, Spark and Postgres have used so far, with what has ended."""
    postmaster = psutil.Process(int((server.folder / "data" / "postmaster.pid").read_text().split()[0]))
    roots = (psutil.Process(), postmaster)
    times = [each.cpu_times() for root in roots for each in (root, *root.children(recursive=True))]
    return sum(each.user + each.system + each.children_user + each.children_system for each in times)


def through_jdbc(frames: Any, server: Server) -> None:
    """Append to a staging table with Spark, then merge by hand."""
    ask(server, f"create table if not exists jdbc ({COLUMNS.format('primary key')})")
    ask(server, f"drop table if exists staged; create table staged ({COLUMNS.format('')})")
    settings = server.settings
    address = f"jdbc:postgresql://{settings['host']}:{settings['port']}/{settings['dbname']}"
    login = {"user": str(settings["user"]), "password": str(settings["password"]), "driver": "org.postgresql.Driver"}
    frames.write.jdbc(address, "staged", mode="append", properties=login)
    ask(server, UPSERT)


def ask(server: Server, query: str) -> list[Any]:
    """Rows of a query, if it has any."""
    with psycopg.connect(**server.settings, autocommit=True) as connection:  # type: ignore[arg-type]
        done = connection.execute(query)  # type: ignore[arg-type]
        return done.fetchall() if done.description else []


def timed(run: Callable[[], object]) -> float:
    """Seconds of a call."""
    start = time.perf_counter()
    run()
    return time.perf_counter() - start


if __name__ == "__main__":
    main()
