"""What does a report that did not come say about a jam?

Stations report every 20 seconds, but every tenth report is lost. That may end a jam, leave it open, or count as one
more slow report. What is right depends on the sensors; a schedule makes it a choice.
"""

import streamframes as sf
from streamframes.data import freeway


def main() -> None:
    spark = sf.session()
    made = freeway(stations=8, hours=24, seed=3, missing=0.1)
    reports = made.toDF(spark).cache()
    slow = sf.Threshold("speed < 40", min_duration="3 minutes")

    print(f"{made.num_rows:,} reports; {made.episodes.num_rows} jams were planted.\n")
    print("a missing report   jams   longest   reports that were made up")
    for missing in ("ends", "holds", "true"):
        schedule = sf.Schedule("20 seconds", missing=missing)
        jams = sf.frames(reports, slow, ts="ts", by="station", schedule=schedule).toDF().collect()
        longest = max((jam.frame_end - jam.frame_start).total_seconds() / 60 for jam in jams)
        made_up = sum(jam.frame_imputed for jam in jams) if missing == "true" else "-"
        print(f"{missing:16} {len(jams):6} {longest:5.0f} min   {made_up}")


if __name__ == "__main__":
    main()
