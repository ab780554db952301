"""Over which time does a link send too much: the last four packets, or the last four hundred?

A hundred window lengths are watched at once. Thresholds are learnt from the first rows of each link. Consecutive alarms
of a window are a run, and runs are frames: they are filled with measures of the rows in them.
"""

from pyspark.sql import functions as F

import streamframes as sf
from streamframes.data import packets


def main() -> None:
    spark = sf.session()
    made = packets(rows=30_000, links=3, seed=2, background=40)
    traffic = made.toDF(spark)

    learn = sf.Learn(sigmas=7, rows=2_500)
    watch = sf.bursts(traffic, "bytes", windows=range(4, 404, 4), thresholds=learn, ts="ts", by="link")
    runs = watch.runs().agg(bytes="sum(bytes)", largest="max(bytes)").cache()

    # A short window sees every burst, a long one those that go on.
    print("window  runs  longest run  most over its threshold")
    by_window = runs.filter("window in (4, 20, 100, 400)").groupBy("window")
    figures = by_window.agg(F.count("*"), F.max("frame_rows"), F.max(F.expr("peak / threshold - 1")))
    for window, number, rows, over in figures.orderBy("window").collect():
        print(f"{window:6}  {number:4}  {rows:6} rows  {over:22.0%}")

    # Of each link the run that went furthest over its threshold, and what was sent while it lasted.
    print("\nlink    from      rows  window     bytes  largest")
    furthest = runs.groupBy("link").agg(F.expr("max_by(struct(*), peak / threshold)").alias("run")).select("run.*")
    for row in furthest.orderBy("link").collect():
        line = f"{row.link}  {row.frame_start:%H:%M:%S}  {row.frame_rows:4}  {row.window:6}"
        print(f"{line}  {row.bytes:8,}  {row.largest:7,}")

    # Time in which any window alarms.
    found = runs.select("link", "frame_start", "frame_end")
    episodes = sf.union(found, found, by="link").count()
    print(f"\n{episodes} episodes of alarms in {made.num_rows:,} rows; {made.episodes.num_rows} bursts were planted.")


if __name__ == "__main__":
    main()
