"""Two streams of files: losses are found in one, and filled with the commands of the other while both go on.

A loss is reported as soon as it is certain, with the commands so far, and replaced by `frame_id` whenever it has grown.
"""

import tempfile
from pathlib import Path

import streamframes as sf
from streamframes.data import routers


def main() -> None:
    # Each partition costs a fixed time in each micro-batch, so a small stream has few.
    spark = sf.session(spark_sql_shuffle_partitions="2")
    made = routers(rows=6_000, routers=6, seed=6, calm=120)
    sustained = sf.Threshold("drop_pct > 0.3", min_duration="2 minutes")
    known = {}

    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        reports, commands = (stream_of(spark, made, table, folder / table) for table in ("rows", "commands"))

        def upsert(batch, number):
            fragments = batch.collect()
            known.update({row.frame_id: row for row in fragments})
            ended = sum(row.frame_final for row in known.values())
            print(f"{number:5} {len(fragments):9} {len(known):12} {ended:5}")

        options = sf.Stream(lateness="1 minute", fragments=True)
        loss = sf.frames(reports, sustained, ts="rpt_time", by="router", stream=options)
        filled = loss.expand(before="2 minutes").fill(commands, ts="sent_at", lateness="1 minute", n="count(*)")
        print("batch fragments losses known ended")
        query = filled.writeStream.foreachBatch(upsert).trigger(availableNow=True).start()
        query.awaitTermination()
        seen = sf.watch(query).figures().others

    print(f"\n{seen['fill_waiting_rows_max']} commands waited at most, {seen['fill_waiting_rows_avg']:.0f} on average.")
    final = {frame_id: row.n for frame_id, row in known.items() if row.frame_final}
    loss = sf.frames(made.toDF(spark), sustained, ts="rpt_time", by="router").expand(before="2 minutes")
    table = loss.fill(made.toDF(spark, table="commands"), ts="sent_at", n="count(*)").collect()
    same = final.items() <= {row.frame_id: row.n for row in table}.items()
    print(f"The {len(final)} that have ended are {'' if same else 'not '}those of the tables.")


def stream_of(spark, made, table, folder):
    """The files of a table as a stream, one in each micro-batch."""
    made.write(folder, files=5, table=table)
    schema = spark.read.parquet(str(folder)).schema
    return spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(folder))


if __name__ == "__main__":
    main()
