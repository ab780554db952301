"""Sinks: how long frames take into Postgres, against Spark's JDBC append and an upsert written by hand.

`python -m benchmarks.sinks` starts a private Postgres from the system's packages, and prints seconds. Both ways begin
with the same cached DataFrame and an empty table, and end with the same rows; then both write all rows once more, and
`upsert()` alone some batches of 1,000 fragments.
"""

from __future__ import annotations

import argparse
import json
import statistics
import time
from collections.abc import Callable
from typing import Any

import psycopg

import streamframes as sf
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
    seconds = {"upsert": timed(lambda: upsert(frames)), "jdbc": timed(lambda: through_jdbc(frames, server))}
    equal = "select count(*) from (table own except table jdbc union all table jdbc except table own) d"
    if ask(server, equal) != [(0,)]:
        raise RuntimeError("the two ways do not lead to the same rows")
    seconds |= {
        "upsert again": timed(lambda: upsert(frames)),
        "jdbc again": timed(lambda: through_jdbc(frames, server)),
    }
    few = spark.createDataFrame(frames.limit(FRAGMENTS).toArrow()).cache()
    few.count()
    alone = statistics.median(timed(few.toArrow) for _ in range(BATCHES))
    batch = statistics.median(timed(lambda: upsert(few)) for _ in range(BATCHES))
    rounded = {name: round(value, 3) for name, value in seconds.items()}
    ratios = {f"{way} ratio": round(seconds[f"jdbc{way}"] / seconds[f"upsert{way}"], 1) for way in ("", " again")}
    return {**rounded, **ratios, "a batch": round(batch, 3), "of which reading": round(alone, 3)}


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
