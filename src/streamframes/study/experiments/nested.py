"""Nested sessions: how many events a second flow through four levels, as sessions of the second live longer.

References
----------
Chatziantoniou and Anagnostopoulos, NESTREAM: querying nested streams, SIGMOD Record 33(3), 2004, figure 4.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from math import log
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from streamframes.api.sessions import sessions
from streamframes.core.sessions.tree import Session
from streamframes.study.kit import Lab, Need, Study, drop
from streamframes.study.report.charts import lines, panels
from streamframes.study.report.outcome import Claim, Outcome, Picture, Table

if TYPE_CHECKING:
    from streamframes.spark import DataFrame

LIFETIMES = (10, 30, 100, 300, 1_000)
INSTANCES = 100
MEASURES = {
    "H1": "A.avg(B.avg(C.avg(D.last(value))))",
    "H2": "A.avg(B.avg(C.last(value)))",
    "H3": "A.avg(value)",
}
TREE = Session(
    "A", parts=[Session("B", key="b", closes="ends", parts=[Session("C", key="c", parts=[Session("D", key="d")])])]
)
GIVEN = "as given"


def run(lab: Lab) -> Outcome:
    """Time each aggregate for each lifetime, and count the sessions that end together."""
    _warm_up(lab)
    logs = {lifetime: _events(lab, lifetime) for lifetime in LIFETIMES} if lab.data is None else {GIVEN: lab.data}
    rates, inside = [], []
    for lifetime, events in logs.items():
        kept = events.cache()
        lab.run("Making events", kept.count)
        rates += [[lifetime, name, _rate(lab, kept, name)] for name in MEASURES]
        inside.append([lifetime, *_inside(lab, kept)])
        kept.unpersist()
    counted = Table("rates", "Events a second, in millions", ("lifetime of B", "aggregate", "M events/s"), rates)
    ended = Table("sessions", "What ends with a B, on average", ("lifetime of B", "events", "C", "D"), inside)
    return Outcome(
        data=lab.named(f"{lab.rows:,} made-up events, up to {INSTANCES} instances of each level in one of that above"),
        tables=[counted, ended],
        pictures=[Picture("rates", "Events a second, and what ends with a session", lambda: _drawn(counted, ended))],
        claims=_claims(counted, ended),
        settings={"measures": MEASURES, "lifetimes": list(logs), "instances": INSTANCES},
    )


def _warm_up(lab: Lab) -> None:
    """Let workers load what they run, so that the first aggregate is not slower for it."""
    few = replace(lab, rows=1_000)
    for name in MEASURES:
        _rate(few, _events(few, 10), name)


def _events(lab: Lab, lifetime: int) -> DataFrame:
    """Events with keys drawn by hashing their number, each of which ends its B with a chance of 1 / lifetime."""
    keys = (f"pmod(xxhash64(id, {lab.seed}, {place}), {INSTANCES}) AS {name}" for place, name in enumerate("bcd"))
    ends = f"pmod(xxhash64(id, {lab.seed}, 3), {lifetime}) = 0 AS ends"
    value = f"pmod(xxhash64(id, {lab.seed}, 4), 1000) / 1000D AS value"
    return lab.spark.range(lab.rows).selectExpr("id AS ts", *keys, ends, value)


def _rate(lab: Lab, events: DataFrame, name: str) -> float:
    """Millions of events a second, with each change of the aggregate reported."""
    found = sessions(events, TREE, ts="ts", measures={"value": MEASURES[name]}).measures()
    seconds = lab.seconds(f"Flowing through {name}", lambda: drop(found), rounds=2)
    return lab.rows / seconds / 1e6


def _inside(lab: Lab, events: DataFrame) -> list[float]:
    """Events, sessions of C and sessions of D for each B that its last event has ended."""
    measures = {"c": "B.count(C) on_close", "d": "B.sum(C.count(D)) on_close", "n": "B.count(value) on_close"}
    found = sessions(events, TREE, ts="ts", measures=measures).measures()
    means = lab.fetch("Counting sessions", found.groupBy("measure").avg("value"))
    by_measure = dict(zip(*(column.to_pylist() for column in means.columns), strict=True))
    return [by_measure.get(name, 0.0) for name in ("n", "c", "d")]


def _claims(rates: Table, inside: Table) -> list[Claim]:
    ratios = {}
    for lifetime in inside.column("lifetime of B"):
        of = [row["M events/s"] for row in rates.where(**{"lifetime of B": lifetime})]
        ratios[lifetime] = max(of) / min(of)
    events, ended = inside.column("events"), inside.column("C")
    enough, middle = len(ended) > 1, len(ended) // 2
    first, last = (_growth(events[part], ended[part]) for part in (slice(middle + 1), slice(middle, None)))
    return [
        Claim(
            "The number of levels of an aggregate matters little: at most a factor of two.",
            f"the quickest aggregate is {max(ratios.values()):.2f} times as quick as the slowest",
            max(ratios.values()) <= 2,
        ),
        Claim(
            "The longer a session lives, the more sessions end with it.",
            f"{ended[0]:.1f} up to {ended[-1]:.1f} sessions of C in a B",
            ended == sorted(ended) if enough else None,
        ),
        Claim(
            "When most instances are open, more events hardly mean more sessions.",
            f"ten times the events, {10**last:.1f} times the sessions of C; {10**first:.1f} times among short lives",
            last < first if enough else None,
        ),
    ]


def _growth(events: Sequence[float], ended: Sequence[float]) -> float:
    """With which power of the events sessions grow, from the first to the last.

    >>> round(_growth([10.0, 1000.0], [5.0, 50.0]), 3)
    0.5
    """
    more = log(events[-1] / events[0]) if events[0] else 0.0
    return log(ended[-1] / ended[0]) / more if more else 0.0


def _drawn(rates: Table, inside: Table) -> Figure:
    figure, (left, right) = panels(2, height=4.0)
    lifetimes = inside.column("lifetime of B")
    curves = {
        f"{name}: {text}": [row["M events/s"] for row in rates.where(aggregate=name)] for name, text in MEASURES.items()
    }
    lines(left, lifetimes, curves, x_label="lifetime of B, events", y_label="million events a second")
    left.set_ylim(bottom=0)
    levels = {f"sessions of {name}": inside.column(name) for name in ("C", "D")}
    lines(right, lifetimes, levels, x_label="lifetime of B, events", y_label="that end with a B, on average")
    for axes in (left, right):
        if GIVEN not in lifetimes:
            axes.set_xscale("log")
    return figure


STUDY = Study(
    name="nested",
    title="Sessions inside sessions: events a second over lifetime",
    paper="Chatziantoniou and Anagnostopoulos 2004, figure 4",
    rows=500_000,
    counted="events",
    needs=(
        Need("ts", "the order of events"),
        Need("b", "key of the second level"),
        Need("c", "key of the third level"),
        Need("d", "key of the fourth level"),
        Need("ends", "whether the event ends its session of the second level"),
        Need("value", "a number", kind="number"),
    ),
    run=run,
)
