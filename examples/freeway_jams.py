"""Where, when and how badly does traffic jam, and what does it cost those who are in it?

Detectors report speed and volume; some reports are lost, others mean nothing. A jam is a stretch of the road and of the
day below 40 mph. It is filled with what the detectors counted, and with probe vehicles that drove through it.
"""

from pyspark.sql import functions as F

import streamframes as sf
from streamframes.data import freeway, probes

FREE_FLOW = 60  # mph
PER_DETECTOR = 0.7  # miles of road


def main() -> None:
    spark = sf.session()
    made = freeway(stations=24, hours=24, seed=3, missing=0.05, bad=0.02)
    reports = made.toDF(spark)
    vehicles = probes(300, stations=24, hours=24, seed=3).toDF(spark)

    jams = sf.regions(
        reports,
        "speed < 40",
        ts="ts",
        space="milepost",
        by="highway",
        min_duration="10 minutes",
        min_extent=1,
        shape=sf.Rectangles(prefer="largest"),
        reports=sf.Reports(bad="status = 'bad'", missing="true", max_missing=6),
    )

    # Hours that drivers lose: those of a slow mile, less those of a free one.
    lost = f"sum(volume * {PER_DETECTOR} * greatest(0, 1 / speed - 1 / {FREE_FLOW}))"
    costs = jams.fill(reports.where("status = 'ok'"), ts="ts", space="milepost", lost=lost, slowest="min(speed)")
    driven = jams.fill(vehicles, ts="ts", space="milepost", seen="count(*)", mean="avg(speed)")
    found = costs.join(driven.select("frame_id", "seen", "mean"), "frame_id")

    print("mileposts          from   until  slowest  hours lost  probes")
    for row in found.orderBy(F.desc("lost")).collect():
        place = f"{row.frame_low:.2f} - {row.frame_high:.2f}"
        probed = f"{row.seen:3} reports at {row.mean:.0f} mph" if row.seen else "none"
        hours = f"{row.frame_start:%H:%M}  {row.frame_end:%H:%M}"
        print(f"{place}    {hours}  {row.slowest:4.1f} mph  {row.lost:10.0f}  {probed}")

    minutes = (F.col("frame_end").cast("double") - F.col("frame_start").cast("double")) / 60
    wide = found.agg(F.sum(minutes * (F.col("frame_high") - F.col("frame_low")))).first()[0]
    print(f"\n{found.count()} jams, {wide / 60:.1f} mile-hours of congestion.")


if __name__ == "__main__":
    main()
