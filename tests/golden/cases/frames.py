"""Golden cases of `frames()`: all schemes, options, schedules, measures, tags, fragments and punctuation."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import streamframes as sf
from tests.golden.calls import frames
from tests.golden.given import ALL, SCAN, STILL, STREAM, Case, Given, ticks
from tests.golden.inputs import LATE

GROUPS = ["name", "number"]
MEASURES = {
    "n": "count(*)",
    "there": "count(v)",
    "total": "sum(v)",
    "mean": "avg(n)",
    "least": "min(v)",
    "most": "max(n)",
    "begins": "first(word)",
    "ends": "last(word)",
    "spread": "stddev(v)",
    "twice": "sum(2 * n + 0.1D)",
}
FOLD = sf.Fold("v", start=(0.0, 1.0), add=lambda s, v: (s[0] + abs(v), s[1] * 0.5), result=lambda s: s[0] + s[1])


@dataclass(frozen=True, eq=False, repr=False)
class Debounced(sf.OwnScheme):
    """Opens above a level, ends with the second calm row."""

    value: str
    above: float
    state = {"calm": 0}  # noqa: RUF012 (what an own scheme declares)

    def columns(self) -> dict[str, str]:
        return {"v": self.value}

    def opens(self, row: Any) -> Any:
        return row.v > self.above

    def closes(self, row: Any, frame: Any) -> Any:
        return sf.AFTER if row.v <= self.above and frame.calm + 1 >= 2 else sf.GOES_ON

    def update(self, row: Any, frame: Any) -> Any:
        return (0 if row.v > self.above else frame.calm + 1,)


def of(scheme: sf.Scheme, kind: str, source: str = "edges", **options: Any) -> Any:
    """Frames of the rows with instants of a kind, by two columns."""

    def query(given: Given) -> sf.Frames:
        rows = given.rows(f"{source}_{kind}")
        return frames(rows, scheme, **{"ts": "ts", "by": GROUPS, "lateness": ticks(LATE, kind)} | options)

    return query


def plain(scheme: sf.Scheme, kind: str, **options: Any) -> Any:
    return lambda given: of(scheme, kind, **options)(given).toDF()


def measured(scheme: sf.Scheme, kind: str, **options: Any) -> Any:
    return lambda given: of(scheme, kind, **options)(given).agg(**MEASURES)


def tagged(scheme: sf.Scheme, kind: str, **options: Any) -> Any:
    return lambda given: of(scheme, kind, **options)(given).tag()


def scheduled(kind: str, where: str = "loss > 0.3", **options: Any) -> Any:
    def query(given: Given) -> Any:
        rows = given.rows(f"reports_{kind}")
        settings = {"ts": ["ts", "seq"], "by": "router", "lateness": ticks(LATE, kind), "schedule": ticks(20, kind)}
        return frames(rows, sf.Threshold(where), **settings | options).agg(n="count(*)", most="max(loss)")

    return query


def in_groups(expression: str, scheme: sf.Scheme, kind: str = "bigint") -> Any:
    """Frames by one expression of the rows."""

    def query(given: Given) -> Any:
        rows = given.table(f"edges_{kind}").selectExpr("*", f"{expression} as key")
        return frames(rows, scheme, ts="ts", by="key").toDF()

    return query


def loss(given: Given, name: str = "routers") -> sf.Frames:
    scheme = sf.Threshold("drop_pct > 0.3", min_duration="2 minutes")
    return frames(given.rows(name), scheme, ts="rpt_time", by="router", lateness="1 minute")


def folds(given: Given) -> Any:
    return of(sf.Gap(3), "bigint")(given).agg(length=FOLD, n="count(*)")


def by_spark(given: Given) -> Any:
    measures = {
        # The last bits are those of Spark's own interpolation, which differs between its versions.
        "middle": "round(percentile(v, 0.5), 9)",
        "all": "array_sort(collect_set(word))",
        "sum": "sum(cast(n as decimal(9,2)))",
    }
    return of(sf.Threshold("w"), "bigint")(given).agg(**measures)


def pitch(given: Given) -> Any:
    query = frames(given.rows("pitch"), sf.Boundary({"x": 10, "y": [-10, 0, 10]}), ts="ts", by=["half", "player"])
    return query.agg(far="max(x)", mean="avg(y)")


def tow(scheme: sf.Scheme) -> Any:
    return lambda given: frames(given.rows("tow"), scheme, ts="scan", lateness=10).agg(
        mean="avg(depth_m)", total="sum(fluorescence)"
    )


def many(scheme: sf.Scheme) -> Any:
    return lambda given: frames(given.rows("many"), scheme, ts="rpt_time", by="router").agg(
        worst="max(drop_pct)", total="sum(drop_pct)"
    )


punctuation = {"punctuation": "says = 'done'", "punctuation_all": "says = 'all'", "lateness": None}


def in_stream(scheme: sf.Scheme, **options: Any) -> Any:
    def query(given: Given) -> Any:
        settings = {"ts": "ts", "by": GROUPS, **punctuation}
        return frames(given.rows("punctuated"), scheme, **settings | options).agg(n="count(*)", total="sum(n)")

    return query


def late_rows(given: Given) -> Any:
    return frames(given.rows("late"), sf.Threshold("w"), ts="ts", by=GROUPS, lateness=1).toDF()


CASES = {
    "threshold, timestamp": Case(measured(sf.Threshold("w", min_rows=2, max_gap="4 seconds"), "timestamp"), ALL),
    "threshold, hysteresis": Case(
        measured(sf.Threshold("w", until="u", merge_gap="2 seconds", min_duration="2 seconds"), "ntz"), ALL
    ),
    "threshold, hysteresis, nulls break": Case(plain(sf.Threshold("v < 1", until="n > 1", nulls="break"), "bigint")),
    "threshold, nulls skip": Case(plain(sf.Threshold("v < 1", nulls="skip", merge_gap=2, max_gap=6), "smallint")),
    "threshold, gaps": Case(measured(sf.Threshold("w", gaps=True, min_rows=2, max_rows=5), "date"), STILL),
    "threshold, limits": Case(tagged(sf.Threshold("w", max_duration=5, merge_gap=3), "bigint"), ALL),
    "threshold, no groups": Case(plain(sf.Threshold("w and v > 0", min_rows=2), "timestamp", by=(), prefix="p_")),
    "delta, range": Case(measured(sf.Delta("v", "<", 3, max_rows=4), "date"), ALL),
    "delta, first": Case(plain(sf.Delta("v", ">=", 3, base="first", nulls="break"), "timestamp")),
    "delta, previous": Case(plain(sf.Delta({"v": 2, "n": 3}, "<=", base="previous", max_gap=9), "bigint"), STILL),
    "delta, over": Case(plain(sf.Delta("n", ">", 3, min_rows=3), "ntz")),
    "boundary": Case(measured(sf.Boundary({"v": 2, "n": [-1, 2]}, max_duration="6 seconds"), "ntz"), STILL),
    "aggregate, sum": Case(measured(sf.Aggregate("sum(n)", ">", 5), "bigint"), ALL),
    "aggregate, average": Case(plain(sf.Aggregate("avg(v)", "<", 1), "timestamp")),
    "aggregate, spread": Case(plain(sf.Aggregate("stddev(v)", "<=", 1.5, nulls="break"), "bigint")),
    "aggregate, least": Case(plain(sf.Aggregate("min(n)", ">=", -2), "date")),
    "aggregate, most": Case(plain(sf.Aggregate("max(v)", "<", 4), "bigint", ts=["ts", "n"])),
    "aggregate, count": Case(plain(sf.Aggregate("count(*)", ">=", 3), "smallint")),
    "aggregate, fold": Case(plain(sf.Aggregate(FOLD, ">=", 6), "bigint")),
    "change": Case(measured(sf.Change("word", "w"), "timestamp"), ALL),
    "change, nulls": Case(plain(sf.Change("v", nulls="break"), "bigint")),
    "gap": Case(tagged(sf.Gap("2 seconds"), "timestamp"), STILL),
    "gap, folds": Case(folds),
    "every": Case(plain(sf.Every("6 days", min_rows=2), "date")),
    "every, slide": Case(measured(sf.Every("6 days", slide="4 days"), "date"), ALL),
    "every, negative": Case(tagged(sf.Every(7, slide=3, max_gap=4), "bigint")),
    "count": Case(measured(sf.Count(4, slide=3), "bigint"), STILL),
    "own": Case(measured(Debounced("v", 0.2, max_gap=6), "bigint"), ALL),
    "measures by Spark": Case(by_spark),
    "tags, outside": Case(lambda given: of(sf.Threshold("w"), "date")(given).tag(keep_outside=True)),
    "moved": Case(
        lambda given: (
            of(sf.Threshold("w"), "timestamp")(given)
            .expand(before="3 seconds", after="1 second")
            .split(every="4 seconds")
            .toDF()
        )
    ),
    "missing ends": Case(scheduled("bigint", jitter=2), ALL),
    "missing holds": Case(scheduled("timestamp", missing="holds", jitter="3 seconds")),
    "missing true": Case(scheduled("timestamp", missing="true", jitter="1 second", open_on="real"), STILL),
    "missing true, any": Case(scheduled("bigint", missing="true", jitter=2, schedule_offset=3)),
    "missing false": Case(scheduled("bigint", "loss < 0.8", missing="false", jitter=9)),
    "by date": Case(in_groups("date_add(date'1969-12-31', number)", sf.Gap(2))),
    "by boolean and struct": Case(in_groups("struct(w, word)", sf.Change("n"))),
    "by decimal": Case(in_groups("cast(number as decimal(12,2))", sf.Count(3))),
    "punctuation": Case(in_stream(sf.Threshold("w", min_rows=2)), STILL),
    "punctuation, fragments": Case(
        in_stream(sf.Threshold("w", min_rows=2), fragments=True, punctuations=True), (STREAM,)
    ),
    "fragments": Case(
        measured(sf.Threshold("w", merge_gap="3 seconds", min_rows=3), "timestamp", fragments=True), STILL
    ),
    "fragments, change": Case(measured(sf.Change("word"), "bigint", fragments=True, punctuations=True), (STREAM,)),
    "late": Case(late_rows, (STREAM,)),
    "routers": Case(lambda given: loss(given).agg(worst="max(drop_pct)", total="sum(drop_pct)"), STILL),
    "pitch": Case(pitch),
    "tow, delta": Case(tow(sf.Delta("depth_m", "<", 5)), STILL),
    "tow, aggregate": Case(tow(sf.Aggregate("sum(fluorescence)", ">=", 4))),
    "many, threshold": Case(lambda given: loss(given, "many").agg(worst="max(drop_pct)"), (SCAN,)),
    "many, delta": Case(many(sf.Delta("drop_pct", "<", 0.5, max_gap="10 minutes")), (SCAN,)),
    "many, aggregate": Case(many(sf.Aggregate("sum(drop_pct)", ">=", 40)), (SCAN,)),
    "many, tags": Case(
        lambda given: loss(given, "many").tag().groupBy("frame_id").agg({"drop_pct": "max", "*": "count"}), (SCAN,)
    ),
}
