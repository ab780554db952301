"""Frames of a stream of files, written to Parquet while the files come.

The query is stopped in the middle and started again: it goes on from its checkpoint, and every episode is there once.
"""

import shutil
import tempfile
from pathlib import Path

import streamframes as sf
from streamframes.data import routers


def main() -> None:
    # Each partition costs a fixed time in each micro-batch, so a small stream has few.
    spark = sf.session(spark_sql_shuffle_partitions="2")
    made = routers(rows=12_000, routers=6, seed=7)
    sustained = sf.Threshold("drop_pct > 0.3", min_duration="2 minutes")

    with tempfile.TemporaryDirectory() as folder:
        files = made.write(Path(folder) / "made", files=4)
        schema = spark.read.parquet(str(files[0])).schema
        incoming, loss = Path(folder) / "incoming", str(Path(folder) / "loss")
        incoming.mkdir()

        for coming in (files[:2], files[2:]):
            for file in coming:
                shutil.move(file, incoming)
            reports = spark.readStream.schema(schema).option("maxFilesPerTrigger", 1).parquet(str(incoming))
            frames = sf.frames(reports, sustained, ts="rpt_time", by="router", lateness="1 minute")
            query = (
                frames.agg(worst="max(drop_pct)")
                .writeStream.option("checkpointLocation", str(Path(folder) / "checkpoint"))
                .trigger(availableNow=True)
                .start(loss, format="parquet")
            )
            query.awaitTermination()
            figures = sf.watch(query).figures()
            found = spark.read.parquet(loss).orderBy("frame_start", "router").collect()
            print(f"{len(found)} episodes so far, {figures.open_frames} open, {figures.waiting_rows} reports wait")

    closed = [frame for frame in made.episodes.to_pylist() if frame["frame_closed_by"] != "end of data"]
    print(f"{made.episodes.num_rows} episodes were planted, {len(closed)} of them have ended.\n")
    print("router  from      to        worst")
    for row in sorted(found, key=lambda row: -row.worst)[:5]:
        print(f"{row.router:6}  {row.frame_start:%H:%M:%S}  {row.frame_end:%H:%M:%S}  {row.worst:4.2f}%")


if __name__ == "__main__":
    main()
