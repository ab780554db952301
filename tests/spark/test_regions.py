"""Regions on Spark: tables agree with the definition, streams with tables, and rows fill by time and place."""

from __future__ import annotations

import dataclasses
import random
from collections.abc import Callable, Iterator, Mapping
from dataclasses import replace
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import functions as F

import streamframes as sf
from tests.arguments import flat
from tests.oracles.region_density import density
from tests.oracles.region_reports import Options, Raw, Resolved, resolve
from tests.oracles.region_shapes import components
from tests.oracles.regions import boxes, preferred, rectangles
from tests.spark.test_bursts import Folder, instant
from tests.spark.test_streams import spelled

pytestmark = pytest.mark.spark

SHARED = Path(__file__).resolve().parents[3] / "shared" / "data" / "2_freeway"
SCHEMA = "key string, ts {kind}, x double, y double, said string, n int"
CONDITION, BAD = "said = 'slow'", "said = 'bad'"
SAID = {True: "slow", False: "free", None: "bad"}
MILES = (-1.5, 0.0, 0.5, 2.0, 3.0)
# A row of another group, far ahead, lets a stream know that all the others have come.
FAR_AHEAD = 200

Reports = dict[str | None, list[Raw]]
Row = tuple[Any, ...]


@pytest.fixture(autouse=True)
def elsewhere(spark: Any) -> Iterator[None]:
    """A session whose clock is not that of the machine, nor a whole number of hours from it."""
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "Asia/Kathmandu")
    yield
    spark.conf.set("spark.sql.session.timeZone", before)


def made(seed: int, places: Any = None, ticks: int = 9, ends: bool = False) -> Reports:
    """Reports of four groups, one of them null; most are slow, some twice, some bad, some missing.

    `ends`: nothing is slow at last, so that everything has ended.
    """
    rng = random.Random(seed)
    found: Reports = {}
    for key in ("a", "b", "c", None):
        shares = rng.choice([(4, 1, 0), (5, 2, 1), (3, 2, 0)])
        said = [Raw(t, p, s) for t in range(ticks) for p in places or [(x,) for x in MILES] for s in _said(rng, shares)]
        found[key] = said + [Raw(ticks, p, False) for p in places or [(x,) for x in MILES] if ends]
    return found


def _said(rng: random.Random, shares: tuple[int, ...]) -> list[bool | None]:
    """What a place reports at an instant: nothing, once, or twice."""
    return rng.choices([True, False, None], shares, k=rng.choices([0, 1, 2], [2, 12, 1])[0])


def rows_of(reports: Reports, kind: str, late: int = 0) -> list[Row]:
    """The reports as rows, in an order that a lateness allows; of two of one place and instant the last counts."""
    rng = random.Random(late)
    rows = [
        (raw.ts + rng.randint(0, late), rng.random(), (key, instant(raw.ts, kind), *_xy(raw.place), SAID[raw.state], n))
        for key, said in reports.items()
        for n, raw in enumerate(said)
    ]
    return [row for *_, row in sorted(rows, key=lambda each: each[:2])]


def _xy(place: tuple[float, ...]) -> tuple[float, float]:
    return (place[0], place[1]) if len(place) == 2 else (place[0], 0.0)


def table(spark: Any, reports: Reports, kind: str = "bigint") -> Any:
    """The reports as a table, with some rows that are left out because they have no instant or no place."""
    ts = instant(3, kind)
    odd = [("a", None, 0.0, 0.0, "slow", 0), ("a", ts, None, 0.0, "slow", 0), ("b", ts, float("nan"), 0.0, "slow", 0)]
    rows = [*rows_of(reports, kind), *odd, *odd]
    return spark.createDataFrame(rows, SCHEMA.format(kind=kind)).repartition(3)


def duration(n: int | None, kind: str) -> Any:
    units = {"timestamp": "seconds", "timestamp_ntz": "seconds", "date": "days"}
    return f"{n} {units[kind]}" if n is not None and kind in units else n


def arguments(options: Options, kind: str, n_dims: int = 1) -> dict[str, Any]:
    """The options of the definition, as a user writes them."""
    names = [each.name for each in dataclasses.fields(options) if each.name != "stations"]
    given = {name: getattr(options, name) for name in names}
    given |= {name: duration(given[name], kind) for name in ("max_gap", "min_duration")}
    given["places"] = [place if n_dims > 1 else place[0] for place in options.places] or None
    return given | {"ts": ["ts", "n"], "space": ["x", "y"] if n_dims > 1 else "x", "by": "key", "bad": BAD}


def emitted(found: Any, n_dims: int = 1) -> set[Row]:
    """The regions as in the definition; Spark collects timestamps by the clock of the machine."""
    ends = ["_x", "_y"][:n_dims] if n_dims > 1 else [""]
    names = [*(f"frame_low{end}" for end in ends), *(f"frame_high{end}" for end in ends), "frame_rows", "frame_places"]
    instants = [
        f"date_format({name}, 'yyyy-MM-dd HH:mm:ss')" if kind.startswith("timestamp") else f"string({name})"
        for name, kind in found.dtypes
        if name in ("frame_start", "frame_end")
    ]
    imputed = "frame_imputed" if "frame_imputed" in found.columns else "0"
    rows = [tuple(row) for row in found.selectExpr("key", *instants, *names, imputed, "frame_closed_by").collect()]
    assert len(rows) == len(set(rows)) > 3
    return set(rows)


def defined(spark: Any, reports: Mapping[Any, Any], kind: str, find: Callable[[Any, Any], Any]) -> set[Row]:
    """The regions that the definition finds in each group; instants as Spark spells them."""
    regions = [(key, each) for key, said in reports.items() for each in find(key, said)]
    ticks = sorted({tick for _, each in regions for tick in (each.start, each.end)})
    text = "string(ts)" if kind in ("date", "bigint") else "date_format(ts, 'yyyy-MM-dd HH:mm:ss')"
    rows = spark.createDataFrame([(tick, instant(tick, kind)) for tick in ticks], f"tick int, ts {kind}")
    at = {row.tick: row.text for row in rows.selectExpr("tick", f"{text} text").collect()}
    return {
        (key, at[r.start], at[r.end], *r.low, *r.high, r.rows, r.places, getattr(r, "imputed", 0), r.closed_by)
        for key, r in regions
    }


def test_the_example_of_the_paper_has_two_regions_by_both_methods(spark: Any) -> None:
    holds = {4: (4, 7), 5: (4, 10), 6: (4, 10), 7: (4, 10), 8: (4, 10), 9: (5, 10)}
    rows = [
        (t, p, holds.get(p, (99, 0))[0] <= t <= holds.get(p, (99, 0))[1]) for t in range(1, 13) for p in range(1, 11)
    ]
    grid = spark.createDataFrame(rows, "t int, place int, slow boolean")
    reports = sf.Reports(min_places=4, min_times=5)
    for method in ("durations", "spans"):
        shape = sf.Rectangles(method=method)
        found = sf.regions(grid, "slow", ts="t", space="place", reports=reports, shape=shape).toDF()
        assert dict(found.dtypes)["frame_start"] == "int"
        edges = found.select("frame_low", "frame_high", "frame_start", "frame_end", "frame_rows").collect()
        assert set(map(tuple, edges)) == {(5, 8, 4, 10, 28), (5, 9, 5, 10, 30)}


def longest(resolved: Resolved, options: Options) -> Any:
    return preferred(rectangles(resolved, options), "longest")


POINTS = Options(max_gap=3, max_step=1.5, min_duration=1)
STATIONS = Options(stations=True, missing="true", max_missing=1, places=((0.5,), (1.0,), (3.0,)), min_extent=0.5)
LATTICE = [(x, y) for x in (0.0, 1.0, 2.5) for y in (-1.0, 0.0)]
CASES: dict[str, tuple[str, Options, Callable[[Resolved, Options], Any], dict[str, Any]]] = {
    "points": ("timestamp", POINTS, rectangles, {}),
    "stations": ("date", STATIONS, rectangles, {}),
    "prefer": ("bigint", STATIONS, longest, {"prefer": "longest"}),
    "connected": ("timestamp_ntz", POINTS, components, {"shape": "connected"}),
    "boxes": ("timestamp", Options(stations=True, missing="ends", min_places=2), boxes, {}),
}  # fmt: skip


@pytest.mark.parametrize("case", CASES)
def test_a_table_tells_the_regions_of_the_definition(spark: Any, case: str) -> None:
    kind, options, find, more = CASES[case]
    n_dims = 2 if case == "boxes" else 1
    reports = made(1, LATTICE if n_dims == 2 else None)
    found = sf.regions(
        table(spark, reports, kind), CONDITION, **flat("regions", **arguments(options, kind, n_dims), **more)
    )
    expected = defined(spark, reports, kind, lambda _, said: find(resolve(said, options), options))
    assert emitted(found.toDF(), n_dims) == expected


def test_a_table_tells_the_crowds_of_the_definition(spark: Any) -> None:
    rng = random.Random(2)
    xs, ys = [0.5, 1.5, 1.5, 2.5, 6.0], [-0.5, 0.5]
    points = {
        key: sorted((rng.randrange(60), (rng.choice(xs), rng.choice(ys))) for _ in range(60))
        for key in ("a", "b", None)
    }
    options = {"bin": 1.0, "above": 2.0, "min_area": 2.0}
    rows = spark.createDataFrame(
        [(key, instant(t, "timestamp"), *xy) for key, said in points.items() for t, xy in said],
        "key string, ts timestamp, x double, y double",
    )
    found = sf.density(
        rows, ts="ts", space=["x", "y"], by="key", unit="10 seconds", min_duration="10 seconds", **options
    )
    expected = defined(
        spark, points, "timestamp", lambda _, said: density(said, unit=10, min_duration=10, **options)
    )  # fmt: skip
    assert emitted(found.toDF(), 2) == expected
    assert {"frame_area", "frame_peak", "frame_density"} <= set(found.toDF().columns)


@pytest.mark.parametrize("missing", [None, "ends", "false", "holds", "true"])
def test_a_bad_report_is_a_missing_one(spark: Any, missing: str | None) -> None:
    reports = made(3)
    options = Options(stations=missing is not None, missing=missing)
    found = sf.regions(table(spark, reports), CONDITION, **flat("regions", **arguments(options, "bigint")))
    assert emitted(found.toDF()) == defined(
        spark, reports, "bigint", lambda _, said: rectangles(resolve(said, options), options)
    )


def test_places_are_listed_for_all_groups_or_for_each(spark: Any) -> None:
    reports = made(4)
    rows = table(spark, reports)
    # Place 1 never reports: no region of neighbours lies across it, though it has no report.
    for_all = [0.5, 1.0, 2.0]
    by_key: dict[str | None, list[float]] = {"a": [1.0, 2.0], None: [0.0, 1.0], "nobody": [0.25]}
    options = Options(stations=True, min_duration=1)
    plain = arguments(options, "bigint")

    def expected(listed: Callable[[Any], list[float]]) -> set[Row]:
        def find(key: Any, said: list[Raw]) -> Any:
            mine = replace(options, places=tuple((place,) for place in listed(key)))
            return components(resolve(said, mine), mine)

        return defined(spark, reports, "bigint", find)

    table_for_all = spark.createDataFrame([(place,) for place in for_all], "x float")
    each = [(key, place) for key, places in by_key.items() for place in places]
    table_for_each = spark.createDataFrame(each, "key string, x double")
    answers = []
    for places, listed in (
        (for_all, lambda key: for_all),
        (table_for_all, lambda key: for_all),
        (table_for_each, lambda key: by_key.get(key, [])),
    ):
        found = sf.regions(rows, CONDITION, **flat("regions", **{**plain, "places": places}), shape="connected").toDF()
        answers.append(emitted(found))
        assert answers[-1] == expected(listed)
    assert answers[0] != answers[2]


STREAMS: dict[str, tuple[str, dict[str, Any]]] = {
    "fragments": (
        "timestamp",
        {"missing": "true", "bad": BAD, "max_missing": 2, "places": list(MILES), "min_duration": "2 seconds"},
    ),
    "connected": ("date", {"shape": "connected", "max_gap": "3 days", "max_step": 1.5}),
    "prefer": ("bigint", {"prefer": "largest", "min_places": 2}),
}


@pytest.mark.parametrize("case", STREAMS)
def test_a_stream_tells_the_regions_of_the_table_over_a_restart(spark: Any, tmp_path: Path, case: str) -> None:
    kind, options = STREAMS[case]
    reports = made(5, ticks=20, ends=True)
    rows = rows_of(reports, kind, late=3)
    n_twice = len(rows) - len({row[:3] for row in rows})
    folder = Folder(spark, tmp_path, SCHEMA.format(kind=kind))
    at = {"ts": ["ts", "n"], "space": "x", "by": "key", "lateness": duration(3, kind)}
    fragments = case == "fragments"

    def found() -> Any:
        return sf.regions(folder.stream, CONDITION, **flat("regions", **at, **options, fragments=fragments)).toDF()

    folder.add(rows[: len(rows) // 2], files=2)
    progress = folder.run(found())
    folder.add(rows[len(rows) // 2 :])
    folder.add([("~", instant(FAR_AHEAD, kind), 0.0, 0.0, "free", 0)])
    progress += folder.run(found())
    in_table = sf.regions(folder.table, CONDITION, **at, **flat("regions", **options)).toDF().collect()
    in_stream = folder.found()
    finals = [row for row in in_stream if row.get("frame_final", True)]
    assert sorted(spelled(_plain(row)) for row in finals) == sorted(spelled(row.asDict()) for row in in_table)
    assert len(finals) > 10
    figures = [each["observedMetrics"]["streamframes"] for each in progress]
    assert n_twice > 0
    assert sum(each.duplicate_reports for each in figures) == n_twice
    assert sum(each.late_rows for each in figures) == 0
    if fragments:
        check_fragments(in_stream)


def _plain(row: dict[str, Any]) -> dict[str, Any]:
    return {name: value for name, value in row.items() if name not in ("frame_fragment", "frame_final")}


def check_fragments(rows: list[dict[str, Any]]) -> None:
    """The fragments of each region are numbered from 0, only grow, and the last is final."""
    regions: dict[int, list[dict[str, Any]]] = {}
    for row in sorted(rows, key=lambda each: each["frame_fragment"]):
        regions.setdefault(row["frame_id"], []).append(row)
    assert any(len(said) > 2 for said in regions.values())
    for said in regions.values():
        assert [row["frame_fragment"] for row in said] == list(range(len(said)))
        assert [row["frame_final"] for row in said] == [False] * (len(said) - 1) + [True]
        assert len({(row["key"], row["frame_start"], row["frame_low"], row["frame_high"]) for row in said}) == 1
        assert [row["frame_end"] for row in said] == sorted(row["frame_end"] for row in said)
        assert [row["frame_rows"] for row in said] == sorted(row["frame_rows"] for row in said)


SUMS = {"count": "count(*)", "total": "sum(v)"}
MEASURES = SUMS | {"most": "max(v)", "half": "percentile(v, 0.5)"}
PROBES = "key string, seen {kind}, mile double, north double, v double"


def probes(seed: int, kind: str = "bigint", late: int = 0) -> list[Row]:
    """Rows of vehicles, in an order that a lateness allows; some of them on edges, some without a place."""
    rng = random.Random(seed)
    rows = []
    for _ in range(150):
        t, mile = rng.randrange(-2, 26), rng.choice([*MILES, rng.uniform(-3, 4), rng.uniform(-3, 4), None])
        row = (
            rng.choice(["a", "b", "c", None]),
            instant(t, kind),
            mile,
            rng.choice([-1.0, 0.0]),
            rng.choice([None, 1.0, 2.0]),
        )
        rows.append((t + rng.randint(0, late), rng.random(), row))
    return [row for *_, row in sorted(rows, key=lambda each: each[:2])]


def by_hand(
    regions: Any, rows: Any, space: Mapping[str, str], measures: Mapping[str, str], how: str = "left"
) -> set[Row]:
    """The measures of a join on group, instant and place."""
    inside = F.expr("r.key <=> o.key and o.seen between r.frame_start and r.frame_end")
    for name, end in space.items():
        inside &= F.expr(f"o.{name} between r.frame_low{end} and r.frame_high{end}")
    pairs = regions.alias("r").join(rows.withColumn("there", F.lit(1)).alias("o"), inside, how)
    aggregates = [F.expr(each.replace("count(*)", "count(there)")) for each in measures.values()]
    return {tuple(row) for row in pairs.groupBy("frame_id").agg(*aggregates).collect()}


def filled(found: Any, measures: Mapping[str, str]) -> set[Row]:
    return {tuple(row) for row in found.select("frame_id", *measures).collect()}


def test_rows_fill_regions_by_time_and_place(spark: Any) -> None:
    reports = made(6)
    rows = table(spark, reports)
    regions = sf.regions(
        rows, CONDITION, ts=["ts", "n"], space="x", by="key", reports=sf.Reports(bad=BAD), min_duration=2
    )
    twice = sum(len(said) - len({raw[:2] for raw in said}) for said in reports.values())
    assert sum(row.reports - 1 for row in regions.duplicates().collect()) == twice > 0
    known = regions.toDF().localCheckpoint()
    driven = spark.createDataFrame(probes(7), PROBES.format(kind="bigint"))
    expected = by_hand(known, driven, {"mile": ""}, MEASURES)
    assert {row[1] == 0 for row in expected} == {True, False}
    assert filled(regions.fill(driven, ts="seen", space="mile", **MEASURES), MEASURES) == expected
    kept = sf.fill(known, driven, ts="seen", by="key", space="mile", keep_empty=False, **SUMS)
    assert filled(kept, SUMS) == {row[:3] for row in expected if row[1]}

    own = rows.withColumnsRenamed({"ts": "seen", "x": "mile"})
    measures = {"count": "count(*)", "last": "max(n)"}
    expected = by_hand(known, own, {"mile": ""}, measures)
    assert filled(regions.agg(**measures), measures) == expected
    assert set(map(tuple, regions.tag().groupBy("frame_id").count().collect())) == {row[:2] for row in expected}
    assert regions.tag().columns == [*rows.columns, "frame_id"]


def test_boxes_are_filled_too_and_regions_meet_in_time_and_place(spark: Any) -> None:
    rows = table(spark, made(8, LATTICE))
    at = {"ts": ["ts", "n"], "by": "key"}
    flat = sf.regions(rows, CONDITION, **at, space=["x", "y"], min_duration=1)
    boxes_there = flat.toDF().localCheckpoint()
    driven = spark.createDataFrame(probes(9), PROBES.format(kind="bigint"))
    expected = by_hand(boxes_there, driven, {"mile": "_x", "north": "_y"}, SUMS)
    assert max(row[1] for row in expected) > 0
    assert filled(flat.fill(driven, ts="seen", space=["mile", "north"], **SUMS), SUMS) == expected

    others = sf.regions(rows.where("y = 0"), "said != 'free'", **at, space=["x", "y"]).toDF().localCheckpoint()
    met = sf.overlaps(boxes_there, others, by="key", sides=("a_", "b_"), space=True)
    axes = [(f"frame_low_{end}", f"frame_high_{end}") for end in "xy"]
    edges = [("frame_start", "frame_end"), *axes]
    inside = F.expr("a.key <=> b.key")
    shared = []
    for low, high in edges:
        inside &= F.expr(f"a.{low} <= b.{high} and b.{low} <= a.{high}")
        shared += [f"greatest(a.{low}, b.{low})", f"least(a.{high}, b.{high})"]
    pairs = boxes_there.alias("a").join(others.alias("b"), inside).selectExpr("a.frame_id", "b.frame_id", *shared)
    names = ["a_frame_id", "b_frame_id", *(name for pair in edges for name in pair)]
    found = [tuple(row) for row in met.select(*names).collect()]
    assert sorted(found) == sorted(map(tuple, pairs.collect()))
    assert found
    assert met.columns[:7] == ["key", *(name for pair in edges for name in pair)]


def test_a_stream_of_probes_fills_a_stream_of_regions(spark: Any, tmp_path: Path) -> None:
    kind = "timestamp"
    reports = Folder(spark, tmp_path / "reports", SCHEMA.format(kind=kind))
    driven = Folder(spark, tmp_path / "probes", PROBES.format(kind=kind))
    end = instant(FAR_AHEAD, kind)
    rows = rows_of(made(10, ticks=24, ends=True), kind, late=3)
    reports.add(rows, files=2)
    reports.add([("~", end, 0.0, 0.0, "free", 0)])
    driven.add(probes(11, kind, late=3), files=2)
    driven.add([("~", end, 0.0, 0.0, 0.0)])

    def answer(rows: Any, other: Any) -> Any:
        found = sf.regions(
            rows, CONDITION, ts=["ts", "n"], space="x", by="key", min_duration="2 seconds", lateness="3 seconds"
        )  # fmt: skip
        return found.fill(other, ts="seen", space="mile", lateness="3 seconds", **SUMS)

    progress = reports.run(answer(reports.stream, driven.stream))
    expected = [row.asDict() for row in answer(reports.table, driven.table).collect()]
    assert sorted(map(spelled, reports.found())) == sorted(map(spelled, expected))
    assert len([row for row in expected if row["count"]]) > 10
    n_twice = len(rows) - len({row[:3] for row in rows})
    assert sum(each["observedMetrics"]["streamframes"].duplicate_reports for each in progress) == n_twice > 0


@pytest.mark.skipif(not SHARED.exists(), reason="the real data does not lie beside the project")
def test_jams_on_the_a5_and_on_a_freeway_of_taiwan(spark: Any) -> None:
    a5 = spark.read.csv(str(SHARED / "a5_frankfurt_20010611_1min.csv.gz"), header=True, inferSchema=True).cache()
    taiwan = spark.read.parquet(str(SHARED / "taiwan_m05a_202405_5min.parquet"))
    taiwan = taiwan.where("mainline and freeway = '01F' and dir = 'S'")
    sizes = ("count(*)", "count_if(frame_rows >= 20)", "max(frame_rows)")
    jams = sf.regions(a5, "v_avg_kmh < 64.4", ts="time", space="km", shape="connected").toDF()
    assert tuple(jams.selectExpr(*sizes).first()) == (28, 3, 2011)
    jams = sf.regions(taiwan, "speed_all_kmh < 64.4", ts="time", space="km_from", shape="connected").toDF()
    assert tuple(jams.selectExpr(*sizes).first()) == (1476, 316, 499)

    at = {"ts": "time", "space": "km", "min_extent": 2.0, "min_duration": "30 minutes"}
    found = sf.regions(a5, "v_avg_kmh < 64.4", **at)
    counted = found.agg(n="count(*)", fastest="max(v_avg_kmh)").collect()
    assert len(counted) == 9
    assert all(row.n == row.frame_rows and row.fastest < 64.4 for row in counted)
    durations = sf.regions(a5, "v_avg_kmh < 64.4", **at, shape=sf.Rectangles(method="durations")).toDF()
    plain = [each for each in durations.columns if each != "frame_imputed"]
    assert set(durations.select(plain).collect()) == set(found.toDF().select(plain).collect())
