"""When did a router lose packets, for how long, and how badly?

Sustained loss is a drop rate above 0.3 percent for two minutes or more; a shorter spike is not.
"""

import streamframes as sf
from streamframes.data import routers


def main() -> None:
    spark = sf.session()
    made = routers(rows=30_000, routers=10, seed=7)

    loss = sf.frames(
        made.toDF(spark),
        sf.Threshold("drop_pct > 0.3", min_duration="2 minutes"),
        ts="rpt_time",
        by="router",
    )
    found = loss.agg(worst="max(drop_pct)", lost="sum(total_pkts * drop_pct / 100)").orderBy("frame_start").collect()

    print(f"{len(found)} episodes in {made.num_rows:,} reports; {made.episodes.num_rows} were planted.\n")
    print("router  from      to        worst  packets lost")
    for row in sorted(found, key=lambda row: -row.lost)[:8]:
        period = f"{row.frame_start:%H:%M:%S}  {row.frame_end:%H:%M:%S}"
        print(f"{row.router:6}  {period}  {row.worst:4.2f}%  {row.lost:12,.0f}")


if __name__ == "__main__":
    main()
