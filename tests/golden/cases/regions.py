"""Golden cases of `regions()` and `density()`: rectangles, connected shapes, boxes, crowds, missing reports."""

from __future__ import annotations

from typing import Any

import streamframes as sf
from tests.golden.calls import density, fill, regions
from tests.golden.given import ALL, STILL, STREAM, Case, Given, ticks
from tests.golden.inputs import LATE

BAD = "said = 'bad'"


def of(kind: str = "bigint", **options: Any) -> Any:
    settings = {"ts": ["ts", "seq"], "space": "x", "by": "road", "lateness": ticks(LATE, kind)} | options
    return lambda given: regions(given.rows(f"field_{kind}"), "said = 'slow'", **settings)


def all_of(kind: str = "bigint", **options: Any) -> Any:
    return lambda given: of(kind, **options)(given).toDF()


def boxes(**options: Any) -> Any:
    settings = {"ts": ["ts", "seq"], "space": ["x", "y"], "by": "road", "lateness": LATE} | options
    return lambda given: regions(given.rows("lattice"), "said = 'slow'", **settings).toDF()


def jams(given: Given, **options: Any) -> sf.Regions:
    settings = {"ts": "ts", "space": "milepost", "by": "highway", "min_duration": "3 minutes", "missing": "true"}
    return regions(given.rows("freeway"), "speed < 40", **settings | options)


def crowds(**options: Any) -> Any:
    settings = {"ts": "ts", "space": ["x", "y"], "by": "floor", "bin": 10, "unit": "1 minute", "above": 0.05}
    return lambda given: density(given.rows("building"), **settings | {"lateness": "1 minute"} | options)


def by_place(given: Given) -> Any:
    places = given.spark.createDataFrame([("a", 0.0), ("a", 0.25), (None, 3.0)], "road string, x double")
    settings = {"ts": ["ts", "seq"], "space": "x", "by": "road", "lateness": LATE}
    return regions(given.rows("field_bigint"), "said = 'slow'", places=places, **settings).toDF()


def filled(given: Given) -> Any:
    kept = of(prefer="largest", min_places=2)(given)
    return fill(kept, given.table("field_bigint"), ts="ts", space="x", n="count(*)", bad=f"count_if({BAD})")


CASES = {
    "rectangles": Case(all_of(min_places=2, bad=BAD), ALL),
    "rectangles, minimums": Case(
        all_of("timestamp", min_duration="2 seconds", min_extent=0.5, min_times=3, max_step=1.5, max_gap="3 seconds"),
        STILL,
    ),
    "rectangles, method": Case(all_of(method="durations", places=[-1.5, 0.0, 0.5, 2.0, 3.0], min_places=2)),
    "rectangles, spans": Case(all_of(method="spans", missing="ends", min_places=2)),
    "largest": Case(all_of(prefer="largest"), ALL),
    "longest": Case(all_of("timestamp", prefer="longest", bad=BAD)),
    "widest": Case(all_of(prefer="widest", min_times=2)),
    "missing holds": Case(all_of(missing="holds", max_missing=2, bad=BAD, min_places=2), ALL),
    "missing true": Case(all_of(missing="true", max_missing=1, min_places=2, open_on="any")),
    "missing true, real": Case(all_of("timestamp", missing="true", bad=BAD, min_places=3)),
    "places by group": Case(by_place, ALL),
    "fragments": Case(all_of(min_places=2, min_times=2, fragments=True), (STREAM,)),
    "connected": Case(all_of(shape="connected", min_times=2, bad=BAD), ALL),
    "connected, holds": Case(all_of(shape="connected", missing="holds", max_step=1.0)),
    "boxes": Case(boxes(min_duration=1, min_places=2), STILL),
    "boxes, missing": Case(boxes(missing="true", min_extent=[1, 1])),
    "connected in two dimensions": Case(boxes(shape="connected", min_places=3)),
    "measures": Case(lambda given: of(min_places=3)(given).agg(n="count(*)", last="max(seq)")),
    "tags": Case(lambda given: of(min_places=4)(given).tag()),
    "filled": Case(filled),
    "duplicates": Case(lambda given: of()(given).duplicates()),
    "moved": Case(lambda given: of(min_places=4)(given).expand(before=2).toDF()),
    "freeway": Case(lambda given: jams(given).toDF()),
    "freeway, connected": Case(lambda given: jams(given, shape="connected").toDF()),
    "crowds": Case(lambda given: crowds(min_area=400, min_duration="5 minutes")(given).toDF(), ALL),
    "crowds, cells": Case(lambda given: crowds(above=0.04, bin=[10, 20])(given).toDF()),
    "crowds along a line": Case(lambda given: crowds(space="x", bin=10, above=0.5, min_area=20)(given).toDF()),
}
