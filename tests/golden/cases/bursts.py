"""Golden cases of `bursts()`: three searches, all aggregates, units of time, thresholds, alarms and runs."""

from __future__ import annotations

from typing import Any

import streamframes as sf
from tests.golden.calls import bursts
from tests.golden.given import ALL, STILL, STREAM, TABLE, Case, Given, ticks
from tests.golden.inputs import LATE

THRESHOLDS = {1: 12.0, 2: 15.0, 5: 30.0, 12: 66.0}


def of(value: str | None = "bytes", kind: str = "bigint", **options: Any) -> Any:
    settings = {"thresholds": THRESHOLDS, "ts": "ts", "by": "link", "lateness": ticks(LATE, kind)} | options
    return lambda given: bursts(given.rows(f"series_{kind}"), value, **settings)


def alarms(*arguments: Any, **options: Any) -> Any:
    return lambda given: of(*arguments, **options)(given).toDF()


def traffic(given: Given, **options: Any) -> sf.Bursts:
    settings = {"windows": range(4, 204, 20), "thresholds": sf.Learn(sigmas=4, rows=500), "ts": "ts", "by": "link"}
    return bursts(given.rows("packets"), "bytes", **settings | options)


def by_group(given: Given) -> sf.Bursts:
    limits = [("a", 2, 12.0), ("a", 7, 40.0), (None, 2, 16.0), (None, 7, 1.0)]
    thresholds = given.spark.createDataFrame(limits, "link string, window int, threshold double")
    return bursts(given.rows("series_bigint"), "bytes", thresholds=thresholds, ts="ts", by="link", lateness=LATE)


def learnt_from_equal(given: Given) -> Any:
    options = {"windows": [5, 12], "thresholds": sf.Learn(sigmas=3, rows=40), "agg": "variance", "search": "exact"}
    return bursts(given.rows("flat"), "load", ts="ts", by="link", **options).toDF()


def filled(given: Given) -> Any:
    return of()(given).runs().expand(before=2).agg(mean="avg(load)", n="count(*)")


def commanded(given: Given) -> Any:
    return bursts(
        given.rows("series_bigint"),
        "bytes",
        thresholds={2: 15.0},
        ts="ts",
        by="link",
        lateness=LATE,
        control=given.rows("window_commands"),
    ).toDF()


CASES = {
    "sum": Case(alarms(), ALL),
    "sum of doubles": Case(alarms("load", thresholds={2: 4.0, 9: 13.5}, search="exact")),
    "average": Case(alarms(agg="avg", thresholds={2: 9, 5: 7.5}, kind="timestamp")),
    "variance": Case(alarms("load", agg="variance", thresholds={3: 2.0, 8: 1.8})),
    "least and most": Case(
        lambda given: (
            of(agg="min", thresholds={3: 4, 6: 1})(given)
            .toDF()
            .union(of(agg="max", thresholds={1: 12, 4: 12})(given).toDF())
        )
    ),
    "count": Case(alarms("bytes > 3", agg="count", thresholds={4: 3, 9: 7})),
    "units": Case(alarms(kind="timestamp", unit="3 seconds", thresholds={"3 seconds": 20, "12 seconds": 55}), STILL),
    "units, counted": Case(alarms(None, kind="bigint", agg="count", unit=4, thresholds={1: 4, 5: 17})),
    "units, variance": Case(alarms(kind="bigint", agg="variance", unit=4, thresholds={2: 40, 5: 80})),
    "function": Case(alarms(windows=range(2, 12, 3), thresholds=lambda w: 3 + 6 * w)),
    "by group": Case(lambda given: by_group(given).toDF(), ALL),
    "by group, filled": Case(lambda given: by_group(given).runs().agg(n="count(*)"), (TABLE, STREAM)),
    "all, never miss": Case(alarms(search="all", error=0.2)),
    "all, never false": Case(alarms(search="all", error=0.2, error_side="never_false")),
    "all, variance": Case(alarms(search="all", agg="variance", error=0.05, thresholds={3: 20, 8: 22})),
    "monotonic": Case(alarms(search="monotonic", error=0.05), STILL),
    "monotonic, variance": Case(alarms(search="monotonic", agg="variance", thresholds={3: 20, 8: 22})),
    "latest": Case(lambda given: of()(given).latest(), STILL),
    "any": Case(lambda given: of()(given).any()),
    "runs": Case(lambda given: of()(given).runs().toDF(), ALL),
    "runs, units": Case(
        lambda given: of(kind="timestamp", unit="3 seconds", thresholds={1: 20, 4: 55})(given).runs().toDF()
    ),
    "runs, filled": Case(filled),
    "learnt": Case(lambda given: traffic(given).learnt()),
    "learnt, alarms": Case(lambda given: traffic(given, lateness="1 second").toDF(), ALL),
    "learnt, monotonic": Case(lambda given: traffic(given, search="monotonic").toDF()),
    "learnt, all": Case(lambda given: traffic(given, search="all").runs().toDF()),
    "learnt from equal values": Case(learnt_from_equal),
    "commands": Case(commanded, (STREAM,)),
}
