"""Golden cases of the algebra: frames by hand for every type of edges, and those of `frames()`."""

from __future__ import annotations

from typing import Any

import streamframes as sf
from tests.golden.calls import frames
from tests.golden.given import Case, Given
from tests.golden.inputs import instant

A = [("a", 0, 10), ("a", 4, 12), ("a", 13, 13), ("a", 20, 5), ("a", None, 9), (None, 3, 8), ("b", 5, 5), ("c", 1, 30)]
B = [("a", 4, 8), ("a", 11, 12), ("a", 14, 18), (None, 0, 3), (None, 8, 20), ("d", 0, 2), ("c", 2, 2), ("c", 9, 11)]
SQL = {"bigint": "bigint", "smallint": "smallint", "date": "date", "timestamp": "timestamp", "ntz": "timestamp_ntz"}


def table(given: Given, rows: Any, kind: str) -> Any:
    made = [(key, instant(start, kind), instant(end, kind), n) for n, (key, start, end) in enumerate(rows)]
    return given.spark.createDataFrame(made, f"key string, frame_start {SQL[kind]}, frame_end {SQL[kind]}, n int")


def pair(verb: Any, kind: str, **options: Any) -> Case:
    return Case(lambda given: verb(table(given, A, kind), table(given, B, kind), by="key", **options))


def within(given: Given) -> Any:
    return sf.complement(table(given, A, "bigint"), within=(-12, 25), by="key")


def within_table(given: Given) -> Any:
    return sf.complement(table(given, A, "timestamp"), within=table(given, B, "timestamp"), by="key")


def points(given: Given) -> Any:
    rows = given.table("edges_bigint").selectExpr("name as key", "ts", "n as value")
    return sf.at(table(given, A, "bigint"), rows, ts="ts", by="key", keep_outside=True)


def instants(given: Given) -> Any:
    return sf.at(table(given, A, "date"), [instant(tick, "date") for tick in (3, 5, 13)], by="key")


def spaces(given: Given) -> Any:
    a, b = table(given, A, "bigint"), table(given, B, "bigint")
    edges = ("n / 2 as frame_low", "n as frame_high")
    return sf.overlaps(a.selectExpr("*", *edges), b.selectExpr("*", *edges), by="key", sides=("l_", "r_"), space=True)


def of_frames(given: Given, verb: Any, **options: Any) -> Any:
    rows = given.table("edges_timestamp")
    low = frames(rows, sf.Threshold("w"), ts="ts", by="name").toDF()
    high = frames(rows, sf.Every("5 seconds", slide="3 seconds"), ts="ts", by="name").toDF()
    return verb(low, high, by="name", **options)


CASES = {
    "overlaps": pair(sf.overlaps, "timestamp"),
    "overlaps in space": Case(spaces),
    "intersect": pair(sf.intersect, "date"),
    "union": pair(sf.union, "bigint"),
    "subtract": pair(sf.subtract, "ntz"),
    "subtract, smallint": pair(sf.subtract, "smallint"),
    "complement": Case(within),
    "complement of a table": Case(within_table),
    "coverage, timestamp": Case(lambda given: sf.coverage(table(given, A, "timestamp"), by="key")),
    "coverage, date": Case(lambda given: sf.coverage(table(given, A, "date"))),
    "at": Case(points),
    "at instants": Case(instants),
    "frames, overlaps": Case(lambda given: of_frames(given, sf.overlaps)),
    "frames, subtract": Case(lambda given: of_frames(given, sf.subtract)),
}
