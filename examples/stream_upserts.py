"""What is certain of a frame before it ends: fragments, upserted into a SQLite table.

Each fragment replaces what is stored under its `frame_id`, so the table holds at any moment all that is known. After
the last file its finished rows are the closed frames of the table of all reports.
"""

import sqlite3
import tempfile
from contextlib import closing
from pathlib import Path

import streamframes as sf
from streamframes.data import routers

COUNT = "select count(*), coalesce(sum(frame_final), 0) from loss"
COLUMNS = ("frame_id", "router", "frame_rows")


def main() -> None:
    # Each partition costs a fixed time in each micro-batch, so a small stream has few.
    spark = sf.session(spark_sql_shuffle_partitions="2")
    sustained = sf.Threshold("drop_pct > 0.3", min_duration="2 minutes")
    growing = sf.Stream(lateness="1 minute", fragments=True)
    options = {"ts": "rpt_time", "by": "router", "stream": growing}

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        routers(rows=6_000, routers=6, seed=6, calm=120).write(folder / "reports", files=5)
        table = spark.read.parquet(str(folder / "reports"))
        reader = spark.readStream.schema(table.schema).option("maxFilesPerTrigger", 1)
        stream = reader.parquet(str(folder / "reports"))

        upsert = sf.sink.upsert(sf.sink.SQLite(folder / "loss.db", table="loss"))

        def upsert_and_show(batch, number):
            upsert(batch, number)
            with closing(sqlite3.connect(folder / "loss.db")) as database:
                known, ended = database.execute(COUNT).fetchone()
            print(f"{number:5} {known:14} {ended:8}")

        print("batch episodes known    ended")
        writer = sf.frames(stream, sustained, **options).toDF().writeStream.foreachBatch(upsert_and_show)
        writer = writer.option("checkpointLocation", str(folder / "checkpoint"))
        writer.trigger(availableNow=True).start().awaitTermination()

        with closing(sqlite3.connect(folder / "loss.db")) as database:
            stored = set(database.execute("select frame_id, router, frame_rows from loss where frame_final"))
        frames = sf.frames(table, sustained, **options).toDF().filter("frame_closed_by != 'end of data'")
        same = stored == {tuple(row) for row in frames.select(*COLUMNS).collect()}
    print(f"\nThe {len(stored)} that have ended are {'' if same else 'not '}the closed frames of the table.")


if __name__ == "__main__":
    main()
