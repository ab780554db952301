"""Which commands were sent to a router just before it lost packets?

Losses are found in the reports of routers, and filled with the commands of their control plane.
"""

import streamframes as sf
from streamframes.data import routers


def main() -> None:
    spark = sf.session()
    made = routers(rows=30_000, routers=10, seed=7)
    reports, commands = made.toDF(spark), made.toDF(spark, table="commands")

    loss = sf.frames(reports, sf.Threshold("drop_pct > 0.3", min_duration="2 minutes"), ts="rpt_time", by="router")
    before = loss.move(start="frame_start - interval 2 minutes", end="frame_start")

    # The commands in the two minutes before each loss, and how often such commands are sent at all.
    tagged = before.fill(commands, ts="sent_at")
    sent, all_sent = (dict(rows.groupBy("command").count().collect()) for rows in (tagged, commands))
    minutes, all_minutes = 2 * made.episodes.num_rows, made.num_rows / 3
    print("command         an hour   before a loss")
    for command in sorted(all_sent, key=lambda name: -sent.get(name, 0)):
        print(f"{command:13} {60 * all_sent[command] / all_minutes:9.1f} {60 * sent.get(command, 0) / minutes:15.1f}")

    # The same as one row for each loss.
    led_to = before.fill(commands, ts="sent_at", n="count(*)", last="last(command)", kinds="count(distinct command)")
    print("\nrouter  loss from  commands  kinds  the last one")
    for row in led_to.orderBy("n", "frame_start", ascending=[False, True]).limit(5).collect():
        print(f"{row.router:6}  {row.frame_end:%H:%M:%S}   {row.n:8}  {row.kinds:5}  {row.last}")


if __name__ == "__main__":
    main()
