"""Where on the road does traffic jam, and for how long?

A jam begins below 40 mph and is over above 50 mph (hysteresis). A relief of up to a minute does not end it, and
what lasts less than three minutes is none.
"""

from pyspark.sql import functions as F

import streamframes as sf
from streamframes.data import freeway


def main() -> None:
    spark = sf.session()
    reports = freeway(stations=12, hours=24, seed=4).toDF(spark)

    jam = sf.Threshold("speed < 40", until="speed > 50", merge_gap="1 minute", min_duration="3 minutes")
    jams = sf.frames(reports, jam, ts="ts", by=["highway", "station", "milepost"]).agg(slowest="min(speed)")

    minutes = (F.col("frame_end").cast("double") - F.col("frame_start").cast("double")) / 60
    stations = jams.groupBy("milepost").agg(
        F.count("*").alias("jams"), F.sum(minutes).alias("minutes"), F.min("slowest").alias("slowest")
    )

    print("milepost  jams  minutes  slowest")
    for row in stations.orderBy("milepost").collect():
        bar = "#" * round(row.minutes / 4)
        print(f"{row.milepost:8.2f}  {row.jams:4}  {row.minutes:7.0f}  {row.slowest:4.1f} mph  {bar}")


if __name__ == "__main__":
    main()
