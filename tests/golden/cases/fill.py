"""Golden cases of filling: tables and streams, the same rows and others, moved edges, pieces, tables of frames."""

from __future__ import annotations

from typing import Any

import streamframes as sf
from tests.golden.calls import fill, fill_table, frames
from tests.golden.cases.frames import FOLD, GROUPS
from tests.golden.given import ALL, STILL, STREAM, Case, Given, ticks
from tests.golden.inputs import LATE

MEASURES = {
    "n": "count(*)",
    "total": "sum(v)",
    "most": "max(v)",
    "begins": "first(word)",
    "ends": "last(word)",
    "spread": "stddev(n)",
    "length": FOLD,
}


def framed(given: Given, kind: str, scheme: sf.Scheme | None = None, **options: Any) -> sf.Frames:
    settings = {"ts": "ts", "by": GROUPS, "lateness": ticks(LATE, kind)} | options
    return frames(given.rows(f"edges_{kind}"), scheme or sf.Threshold("w", min_rows=2), **settings)


def others(kind: str, *, before: int = 0, after: int = 0, options: Any = None, **settings: Any) -> Any:
    """Frames of one input, filled by the rows of another one."""

    def filled(given: Given) -> Any:
        moved = framed(given, kind, **options or {}).expand(before=ticks(before, kind), after=ticks(after, kind))
        lateness = {"lateness": ticks(LATE, kind)} if given.kind == STREAM and settings.get("wait", True) else {}
        return fill(moved, given.rows(f"others_{kind}"), **{"ts": "ts"} | lateness | settings)

    return filled


def pieces(given: Given) -> Any:
    split = framed(given, "ntz").expand(before="5 seconds").split(every="7 seconds")
    return fill(split, given.rows("others_ntz"), ts=["ts", "word"], by="name", **MEASURES)


def moved(given: Given) -> Any:
    edges = framed(given, "bigint").move(start="frame_start - 3", end="frame_end - if(frame_rows > 3, 1, 0)")
    return fill(edges, given.rows("others_bigint"), ts="ts", keep_empty=False, **MEASURES)


def looking_back(given: Given) -> Any:
    edges = framed(given, "bigint").move(start="frame_start - frame_rows", lookback=100)
    return fill(edges, given.rows("others_bigint"), ts="ts", lateness=LATE, n="count(*)")


def own(given: Given) -> Any:
    return framed(given, "timestamp").expand(before="2 seconds").agg(**MEASURES)


def commands(given: Given) -> Any:
    scheme = sf.Threshold("drop_pct > 0.3", min_duration="2 minutes")
    loss = frames(given.rows("routers"), scheme, ts="rpt_time", by="router", lateness="1 minute")
    lateness = {"lateness": "1 minute"} if given.kind == STREAM else {}
    around = loss.expand(before="2 minutes")
    return fill(around, given.rows("commands"), ts="sent_at", n="count(*)", first="first(command)", **lateness)


def history(given: Given) -> Any:
    return fill(framed(given, "date").expand(before="4 days"), given.table("others_date"), ts="ts", **MEASURES)


def table_of(given: Given) -> Any:
    """Frames by hand: twice the same, the wrong way round, without an edge, of a group of nobody."""
    return given.spark.createDataFrame(
        [
            ("g1", 1, 0, 10),
            ("g1", 1, 0, 10),
            (None, 2, -5, 10),
            ("g2", 3, 9, 2),
            ("g2", 4, None, 3),
            ("g3", 5, -9, 30),
            ("nobody", 6, 0, 10),
        ],
        "name string, frame_id bigint, frame_start bigint, frame_end bigint",
    )


def by_table(given: Given) -> Any:
    lateness = {"lateness": LATE} if given.kind == STREAM else {}
    return fill_table(table_of(given), given.rows("others_bigint"), ts="ts", by="name", **lateness, **MEASURES)


def tagged_by_table(given: Given) -> Any:
    return fill_table(table_of(given), given.table("others_bigint"), ts="ts", by="name")


def by_space(given: Given) -> Any:
    places = given.spark.createDataFrame(
        [("a", 1, -5, 5, -2.0, 0.5), (None, 2, -20, 90, 0.0, 2.0), ("b", 3, 0, 0, 0.0, 9.0)],
        "road string, frame_id bigint, frame_start bigint, frame_end bigint, frame_low double, frame_high double",
    )
    return fill_table(places, given.rows("field_bigint"), ts="ts", by="road", space="x", n="count(*)", far="max(x)")


def by_spark(given: Given) -> Any:
    measures = {"all": "collect_list(v)", "half": "percentile(v, 0.5)", "n": "count(*)"}
    return fill(framed(given, "bigint"), given.table("others_bigint"), ts="ts", **measures)


CASES = {
    "own rows": Case(own),
    "others": Case(others("bigint", before=5, after=2, **MEASURES), ALL),
    "others, tags": Case(others("timestamp", before=3), STILL),
    "others, all groups": Case(others("date", by=(), n="count(*)", total="sum(v)"), STILL),
    "others, renamed groups": Case(
        lambda given: fill(
            framed(given, "timestamp"),
            given.table("others_timestamp").withColumnRenamed("name", "device"),
            ts="ts",
            by={"name": "device"},
            n="count(*)",
        ),
        STILL,
    ),
    "others, no waiting": Case(others("ntz", before=4, wait=False, n="count(*)", most="max(n)"), (STREAM,)),
    "others, fragments": Case(
        others("bigint", before=4, options={"fragments": True}, n="count(*)", total="sum(n)"), (STREAM,)
    ),
    "pieces": Case(pieces),
    "moved": Case(moved),
    "moved, lookback": Case(looking_back, (STREAM,)),
    "commands": Case(commands, STILL),
    "history": Case(history, ALL),
    "table of frames": Case(by_table, STILL),
    "table of frames, tags": Case(tagged_by_table),
    "table of regions": Case(by_space),
    "measures by Spark": Case(by_spark),
}
