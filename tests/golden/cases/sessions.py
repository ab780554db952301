"""Golden cases of `sessions()`: closed and open ones, measures, tags, matches, timeouts, frames, commands."""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import streamframes as sf
from tests.golden.calls import sessions
from tests.golden.given import ALL, STILL, STREAM, Case, Given

FAQ = sf.Session("FAQ", opens="step_num = 342 and expression = 'FAQ'", closes="step_num = 342 and expression <> 'FAQ'")
ATT = sf.Session(
    "ATT", opens="event_type = 500 and expression = 'ATT'", closes="step_num = 342 and expression = '#'", parts=[FAQ]
)
CALL = sf.Session("Call", key="channel", opens="event_type = 102", closes="event_type = 104", parts=[ATT])
SYSTEM = sf.Session("System", parts=[CALL])
QUESTIONS = {
    "mean": "System.avg(Call.duration(ts))",
    "att": "System.avg(Call.sum(ATT.duration(ts)))",
    "faq": "System.avg(FAQ.duration(ts))",
    "visits": "Call.count(ATT)",
    "longest": "System.max(ATT.duration(ts))",
}


def share(size: Any, n: Any) -> Any:
    return size / n


VISIT = sf.Session(
    "Visit",
    key="user",
    opens="kind = 'in'",
    closes="kind = 'out' or Visit.size > 11",
    attributes={"size": "sum(size)", "n": "count(*)", "big": "count(1 where size > 2)", "last_page": "last(page)"},
    on_open={"hour": "ts div 10"},
    on_close={"mean": "Visit.size / n", "share": share},
    parts=[
        sf.Session("Page", key="page", timeout=20, attributes={"seen": "count(*)", "spread": "stddev(size)"}),
    ],
)


def log(given: Given, tree: Any = SYSTEM, **options: Any) -> sf.Sessions:
    settings = {"ts": ["ts", "seq"], "measures": QUESTIONS, "lateness": "10 seconds"}
    return sessions(given.rows("calls"), tree, **settings | options)


def visits(given: Given, tree: Any = VISIT, **options: Any) -> sf.Sessions:
    return sessions(given.rows("web"), tree, **{"ts": ["ts", "seq"], "lateness": 3} | options)


def tracks(given: Given) -> Any:
    seen = [(1, 10), (1, 50), (2, 14), (2, 47), (3, 19), (3, 42), (4, 23), (4, 38), (5, 90), (6, 30), (7, None)]
    track = sf.Session(
        "Track", matches="x between Track.at - 6 and Track.at + 6", attributes={"began": "first(x)", "at": "last(x)"}
    )
    positions = given.spark.createDataFrame(seen, "t bigint, x bigint")
    return sessions(positions, sf.Session("All", parts=[track]), ts=["t", "x"])


def several(given: Given) -> Any:
    rows = {"calls": given.table("calls").withColumnRenamed("ts", "at"), "web": given.table("web").selectExpr(
        "timestamp_seconds(ts) as at", "seq", "user", "page", "kind", "size"
    )}  # fmt: skip
    brief = sf.Session("Visit", source="web", key="user", opens="kind = 'in'", timeout="5 seconds")
    return sessions(rows, [replace(CALL, source="calls", parts=[]), brief], ts=["at", "seq"]).sessions()


def filled(given: Given) -> Any:
    query = log(given).frames("FAQ").expand(before="10 seconds")
    return query.fill(given.table("calls"), ts="ts", by="channel", steps="count(step_num)", last="last(descr)")


def commanded(given: Given) -> Any:
    measures = {"mean": "System.avg(Call.duration(ts))", "calls": "System.count(Call)"}
    return log(given, measures=measures, control=given.rows("measure_commands")).measures()


LAST = {
    "recent": "System.avg(Call.sum(ATT.duration(ts)), last=10)",
    "hour": "System.max(Call.duration(ts), last='1 hour')",
}
PATIENT = replace(SYSTEM, parts=[replace(CALL, closes="event_type = 104 or Call.count(ATT) > 1")])

CASES = {
    "calls": Case(lambda given: log(given).sessions(), ALL),
    "calls, of a class": Case(lambda given: log(given).sessions("ATT")),
    "calls, measures": Case(lambda given: log(given).measures(), STILL),
    "calls, last": Case(lambda given: log(given, measures=LAST).measures(), STILL),
    "calls, state": Case(lambda given: log(given, PATIENT, measures={"n": "Call.count(ATT)"}).sessions(), STILL),
    "calls, open": Case(lambda given: log(given).open()),
    "calls, tags": Case(lambda given: log(given).tag("Call", "FAQ", keep_outside=True), STILL),
    "calls, diagnostics": Case(lambda given: log(given).diagnostics()),
    "calls, frames": Case(lambda given: log(given).frames("ATT").toDF()),
    "calls, filled": Case(filled),
    "visits": Case(lambda given: visits(given).sessions(), ALL),
    "visits, open": Case(lambda given: visits(given).open()),
    "visits, measures": Case(
        lambda given: visits(
            given,
            measures={"pages": "Visit.count(Page)", "long": "Visit.sum(Page.duration(ts) where seen > 2)"},
        ).measures(),
        ALL,
    ),
    "visits, tags": Case(lambda given: visits(given).tag()),
    "tracks": Case(lambda given: tracks(given).sessions()),
    "tracks, tags": Case(lambda given: tracks(given).tag()),
    "several tables": Case(several),
    "commands": Case(commanded, (STREAM,)),
}
