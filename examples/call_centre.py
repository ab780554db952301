"""How long do callers stay, how long of it with one service, and who is cut off for coming back too often?

A call is a session, visits to AT&T are sessions inside it, questions are sessions inside these. What is known of the
inner ones flows up to the outer ones; how often a caller has come is state of the call, and closes it.
"""

import streamframes as sf
from streamframes.data import calls


def main() -> None:
    spark = sf.session()
    made = calls(400, channels=8, seed=3)
    log = made.toDF(spark)

    opens_and_closes = {name: {"opens": first, "closes": last} for name, (first, last) in made.conditions.items()}
    faq = sf.Session("FAQ", **opens_and_closes["FAQ"])
    att = sf.Session("ATT", parts=[faq], **opens_and_closes["ATT"])
    call = sf.Session(
        "Call",
        key="channel",
        opens="event_type = 102",
        closes="event_type = 104 or Call.count(ATT) > 4",
        attributes={"steps": "count(*)"},
        on_close={"cut_off": "event_type <> 104"},
        parts=[att],
    )
    measures = {
        "call": "System.avg(Call.duration(ts))",
        "in AT&T": "System.avg(Call.sum(ATT.duration(ts)))",
        "question": "System.avg(FAQ.duration(ts))",
    }
    columns = {f"q{number}": text for number, text in enumerate(measures.values())}
    found = sf.sessions(log, sf.Session("System", parts=[call]), ts=["ts", "seq"], measures=columns)

    # What the system knew at the end of the log; a call without AT&T takes no part in the second line.
    (values,) = found.open("System").select(*columns).collect()
    print("          seconds on average")
    for name, value in zip(measures, values, strict=True):
        print(f"{name:8}  {value:7.1f}")

    # The calls that their fifth visit closed.
    cut = found.sessions("Call").where("cut_off").orderBy("frame_start").collect()
    often = made.calls["fifth_att"].drop_null()
    print(f"\n{len(cut)} of {made.calls.num_rows} calls were cut off; {len(often)} callers came a fifth time.\n")
    print("channel  from      to        steps")
    for row in cut[:5]:
        print(f"{row.channel:7}  {row.frame_start:%H:%M:%S}  {row.frame_end:%H:%M:%S}  {row.steps:5}")


if __name__ == "__main__":
    main()
