"""The algebra on Spark: equal to its definition for all types of instants, lazy, and refused early where it cannot work."""

# ruff: noqa: E501  (a table of messages reads better unbroken)
from __future__ import annotations

import random
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

import streamframes as sf
from tests.oracles import algebra as brute
from tests.oracles.algebra import Frame, canonical, in_order, instants

pytestmark = pytest.mark.spark

FIRST = {
    "timestamp": datetime(1969, 12, 31, 23, 59, 59, 999_999, tzinfo=UTC),
    "timestamp_ntz": datetime(1969, 12, 31, 23, 59, 59, 999_999),
    "date": date(1969, 12, 31),
    "bigint": -1,
    "smallint": -1,
}
TICK = {"date": timedelta(days=1), "bigint": 1, "smallint": 1}


def tick(kind: str) -> Any:
    return TICK.get(kind, timedelta(microseconds=1))


def instant(t: int | None, kind: str) -> Any:
    """Instants on both sides of 1970, one tick apart."""
    return None if t is None else FIRST[kind] + t * tick(kind)


def random_frames(seed: int) -> list[Frame]:
    """Frames of groups with nulls, a third of them without an edge or backwards."""
    rng = random.Random(seed)
    groups = [(name, number) for name in ("x", "y", None) for number in (1, 2, None)]
    return [
        (rng.choice(groups), rng.choice([None, *range(-3, 13)]), rng.choice([None, *range(14), *range(6, 14)]))
        for _ in range(120)
    ]


def table(spark: Any, frames: list[Frame], kind: str, *, name: str = "name", n: str = "n") -> Any:
    rows = [(*key, instant(start, kind), instant(end, kind), i) for i, (key, start, end) in enumerate(frames)]
    columns = f"{name} string, number int, frame_start {kind}, frame_end {kind}, {n} long"
    return spark.createDataFrame(rows, columns).repartition(3)


def rows_of(df: Any, *columns: str) -> list[Any]:
    found = df.toArrow().to_pylist()
    return in_order(((row["name"], row["number"]), *(row[name] for name in columns)) for row in found)


def stretches(df: Any) -> list[Any]:
    return rows_of(df, "frame_start", "frame_end")


def expected(rows: list[Any], kind: str, *timed: int) -> list[Any]:
    return in_order(tuple(instant(v, kind) if i in timed else v for i, v in enumerate(row)) for row in rows)


@pytest.mark.parametrize("kind", ["timestamp", "timestamp_ntz", "date", "bigint"])
def test_spark_finds_what_the_definition_says(spark: Any, kind: str) -> None:
    frames, others = random_frames(1), random_frames(2)
    a, b = table(spark, frames, kind), table(spark, others, kind, name="label")
    by = {"name": "label", "NUMBER": "number"}
    mine, theirs = instants(frames), instants(others)
    for found, members in (
        (sf.union(a, b, by=by), mine | theirs),
        (sf.intersect(a, b, by=by), mine & theirs),
        (sf.subtract(a, b, by=by), mine - theirs),
        (sf.complement(a, within=b, by=by), theirs - mine),
    ):
        assert stretches(found) == expected(canonical(members), kind, 1, 2)
        assert found.select("frame_start", "frame_end").schema == a.select("frame_start", "frame_end").schema
    pairs = rows_of(sf.overlaps(a, b, by=by), "frame_start", "frame_end", "a_n", "b_n")
    assert pairs == expected(brute.overlaps(frames, others), kind, 1, 2)
    lengths = rows_of(sf.coverage(a, by=["name", "number"]), "frames", "covered")
    days = kind == "date"
    assert lengths == in_order(
        (key, n, length if days else length * tick(kind)) for key, (n, length) in brute.coverage(frames).items()
    )


@pytest.mark.parametrize("keep_outside", [False, True])
@pytest.mark.parametrize("kind", ["timestamp", "date", "smallint"])
def test_points_are_looked_up_in_their_group(spark: Any, kind: str, keep_outside: bool) -> None:
    frames, wanted = random_frames(3), [(key, t) for key, t, _ in random_frames(4)]
    points = spark.createDataFrame(
        [(instant(t, kind), *key) for key, t in wanted], f"t {kind}, label string, number int"
    )
    by = {"name": "label", "number": "number"}
    found = sf.at(table(spark, frames, kind), points, ts="t", by=by, keep_outside=keep_outside)
    assert found.columns == ["t", "label", "number", "frame_start", "frame_end", "n"]
    told = rows_of(found.withColumnRenamed("label", "name"), "t", "n", "frame_start")
    assert told == expected(brute.at(frames, wanted, keep_outside=keep_outside), kind, 1, 3)


def test_instants_are_looked_up_in_every_group(spark: Any) -> None:
    frames = random_frames(5)
    wanted = [(key, t) for key in {key for key, _ in instants(frames)} for t in (3, 99)]
    groups = ["name", "number"]
    found = sf.at(table(spark, frames, "bigint"), [2, 98], by=groups, keep_outside=True)
    assert found.columns == ["name", "number", "at", "frame_start", "frame_end", "n"]
    told = rows_of(found, "at", "n", "frame_start")
    assert told == expected(brute.at(frames, wanted, keep_outside=True), "bigint", 1, 3)
    assert sf.at(table(spark, frames, "bigint"), 98, by=groups).count() == 0


@pytest.mark.parametrize(
    ("kind", "edges"),
    [
        ("timestamp", ("1970-01-01T00:00:01.000000", "1970-01-01T01:00:03+01:00")),
        ("timestamp", (datetime(1970, 1, 1, 0, 0, 1, tzinfo=UTC), datetime.fromtimestamp(3))),
        ("timestamp_ntz", ("1970-01-01T00:00:01", datetime(1970, 1, 1, 0, 0, 3))),
        ("date", ("1970-01-02", date(1970, 1, 4))),
        ("bigint", (1, 3)),
    ],
)
def test_a_complement_is_taken_within_instants_of_any_spelling(spark: Any, kind: str, edges: Any) -> None:
    text = {"bigint": "{}", "date": "date_add(date'1970-01-01', {})"}
    written = text.get(kind, f"cast(to_timestamp_ntz('1970-01-01 00:00:0{{}}') as {kind})")
    a = spark.sql(
        f"select 'x' as name, 0 as number, {written.format(2)} as loss_start, {written.format(9)} as loss_end"
    )
    (row,) = sf.complement(a, within=edges, by=["name", "number"], prefix="loss_").collect()
    first = spark.sql(f"select {written.format(1)} as t").collect()[0].t
    assert (row.loss_start, row.loss_end) == (first, a.collect()[0].loss_start - tick(kind))


def test_text_without_a_zone_is_in_that_of_the_session(spark: Any) -> None:
    a = spark.sql("select timestamp'2026-01-05T00:00:00Z' as frame_start, timestamp'2026-01-05T02:00:00Z' as frame_end")
    zone = spark.conf.get("spark.sql.session.timeZone")
    try:
        for there, hits in (("America/St_Johns", 1), ("+05:30", 0), ("UTC", 0)):
            spark.conf.set("spark.sql.session.timeZone", there)
            assert sf.at(a, "2026-01-04T20:30:00").count() == hits
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)


def test_results_do_not_depend_on_partitions_or_order(spark: Any) -> None:
    a, b = table(spark, random_frames(6), "bigint"), table(spark, random_frames(7), "bigint")
    by = ["name", "number"]

    def results(a: Any, b: Any) -> list[Any]:
        points = b.select("name", "number", "frame_start").withColumnRenamed("frame_start", "t")
        found = (
            sf.overlaps(a, b, by=by),
            sf.subtract(a, b, by=by),
            sf.coverage(a, by=by),
            sf.at(a, points, ts="t", by=by),
            sf.union(a, b),
        )
        return [in_order(df.toArrow().to_pylist()) for df in found]

    reference = results(a, b)
    assert all(reference)
    # With one partition on each side, Spark reads both in one task.
    assert results(a.coalesce(1), b.coalesce(1)) == reference
    assert results(a.orderBy("n", ascending=False), b.repartition(7)) == reference


def test_columns_of_any_type_come_back_as_they_were(spark: Any) -> None:
    a = spark.sql(
        """select array(id) as `the group`, id * 10 as frame_start, id * 10 + 5 as frame_end, map('a', id) as mapped,
           named_struct('x', id, 'd', date'2020-01-01') as nested, cast(id as decimal(10, 2)) as price,
           cast('x' as binary) as raw, if(id = 1, null, 'é') as text from range(3)"""
    )
    b = spark.sql("select array(id, null)[0] as k, array(if(id > 9, null, id)) as key, id * 10 as t from range(5)")
    found = sf.at(a, b, ts="t", by={"the group": "key"}, keep_outside=True)
    assert found.count() == 5
    inside = found.where("frame_start is not null").orderBy("t")
    assert inside.select(*a.columns[1:]).collect() == a.orderBy("frame_start").drop("the group").collect()
    assert [row.key for row in inside.collect()] == [[0], [1], [2]]
    pair = sf.overlaps(a, a, by="the group", sides=("my ", "other ")).where("`my text` is null").collect()
    assert [(row["the group"], row["my nested"].x, row["other mapped"]) for row in pair] == [([1], 1, {"a": 1})]


def test_an_empty_table_has_no_group_and_so_nothing_to_cover(spark: Any) -> None:
    empty = spark.createDataFrame([], "frame_start timestamp, frame_end timestamp")
    day = spark.sql("select timestamp'2026-01-05' as frame_start, timestamp'2026-01-06' as frame_end")
    assert sf.coverage(empty).collect() == []
    assert sf.complement(empty, within=("2026-01-05", "2026-01-06")).collect() == []
    assert sf.complement(empty, within=day).count() == sf.union(empty, day).count() == 1
    assert sf.intersect(empty, day).count() == sf.overlaps(day, empty).count() == sf.at(empty, []).count() == 0
    assert sf.coverage(day).collect()[0].covered == timedelta(days=1)


def test_nothing_runs_until_the_result_is_used(spark: Any) -> None:
    never = spark.sql("select cast(raise_error('it ran') as bigint) as frame_start, 3L as frame_end")
    points = never.selectExpr("frame_end as t")
    lazy = [
        *(way(never, never) for way in (sf.overlaps, sf.intersect, sf.union, sf.subtract)),
        sf.complement(never, within=(0, 9)),
        sf.coverage(never),
        sf.at(never, points, ts="t"),
    ]
    with pytest.raises(Exception, match="it ran"):
        lazy[0].collect()


@pytest.fixture(scope="module")
def tables(spark: Any) -> dict[str, Any]:
    columns = {
        "a": "router string, line int, frame_id long, frame_start timestamp, frame_end timestamp",
        "b": "router string, line long, frame_id long, frame_start timestamp, frame_end timestamp, device string",
        "days": "router string, frame_start date, frame_end date, at int",
        "text": "router string, frame_start string, frame_end string",
        "mixed": "router string, frame_start timestamp, frame_end date",
        "small": "frame_start tinyint, frame_end tinyint",
        "points": "router string, t timestamp, frame_id long",
        "counted": "frames string, frame_id string, frame_start date, frame_end date",
    }
    made = {name: spark.createDataFrame([], each) for name, each in columns.items()}
    made["live"] = (
        spark.readStream.format("rate").load().selectExpr("timestamp as frame_start", "timestamp as frame_end")
    )
    return made


@pytest.mark.parametrize(
    ("call", "message"),
    [
        (lambda t: sf.overlaps(t["a"], t["b"], by="device"), r"overlaps\(\) got by='device', which is not a column of a; the columns are router, line"),
        (lambda t: sf.union(t["a"], t["b"], by=["router", "line"]), r"union\(\) got 'line' of type int in a and 'line' of type bigint in b; cast one"),
        (lambda t: sf.union(t["a"], t["b"], by={"router": "line"}), r"'router' of type string in a and 'line' of type bigint in b; cast one"),
        (lambda t: sf.union(t["a"], t["days"], by="router"), r"'frame_start' of type timestamp in a and 'frame_start' of type date in b"),
        (lambda t: sf.complement(t["a"], within=t["days"]), r"'frame_start' of type timestamp in a and 'frame_start' of type date in within"),
        (lambda t: sf.union(t["a"], t["b"], by=7), r"by=7; give a column name or a list of them"),
        (lambda t: sf.union(t["a"], t["b"], by=["router", "router"]), r"each column may be named once"),
        (lambda t: sf.union(t["a"], t["b"], by="frame_start"), r"by='frame_start', which is an edge of a; leave it out"),
        (lambda t: sf.union(t["a"], t["b"], by="frame_id"), r"union\(\) would return two columns called 'frame_id'; rename the group column"),
        (lambda t: sf.coverage(t["counted"], by="frames"), r"two columns called 'frames'; rename the group column"),
        (lambda t: sf.coverage(t["a"], by={"router": "device"}), r"coverage\(\) got by=.* for a single table; give a column name"),
        (lambda t: sf.intersect(t["points"], t["a"]), r"intersect\(\) got a without the column 'frame_start'; the columns are router, t, frame_id; rename"),
        (lambda t: sf.subtract(t["a"], t["b"], prefix="loss_"), r"subtract\(\) got a without the column 'loss_start'.*give prefix="),
        (lambda t: sf.subtract(t["a"], t["b"], prefix="my frame"), r"prefix='my frame'; give the beginning of a name like 'frame_'"),
        (lambda t: sf.coverage(t["text"]), r"coverage\(\) got a with 'frame_start' of type string; it must be a timestamp, timestamp_ntz, date or integer"),
        (lambda t: sf.coverage(t["mixed"]), r"'frame_start' of type timestamp and 'frame_end' of type date; cast one"),
        (lambda t: sf.coverage(t["a"].select("*", "frame_end")), r"two columns called 'frame_end'; rename one"),
        (lambda t: sf.overlaps([1], t["a"]), r"overlaps\(\) got a of type list; give a Spark DataFrame"),
        (lambda t: sf.overlaps(t["a"], t["live"]), r"overlaps\(\) got b, which is a stream; write its frames to a table first"),
        (lambda t: sf.overlaps(t["a"], t["b"], sides=("a_", "a_")), r"two columns called 'a_router'; rename one, or choose other sides="),
        (lambda t: sf.overlaps(t["a"], t["b"], sides="ab"), r"sides='ab'; give two beginnings of names"),
        (lambda t: sf.complement(t["a"], within=5), r"complement\(\) got within=5; give a pair of instants \(start, end\) or a DataFrame"),
        (lambda t: sf.complement(t["a"], within=("2026-01-05", "2026-01-04")), r"within=\('2026-01-05', '2026-01-04'\), which ends before it starts"),
        (lambda t: sf.complement(t["a"], within=("2026-01-05", "soon")), r"within='soon' where the frames have instants of type timestamp; give a datetime or text"),
        (lambda t: sf.complement(t["days"], within=(datetime(2026, 1, 5), "2026-01-06")), r"within=datetime.* of type date; give a date or text like"),
        (lambda t: sf.complement(t["small"], within=(0, 128)), r"within=128 where .* type tinyint; give a whole number that is a tinyint"),
        (lambda t: sf.at(t["small"], True), r"at\(\) got points=True where .* type tinyint"),
        (lambda t: sf.at(t["small"], [1.5]), r"at\(\) got points=1.5 where .* type tinyint"),
        (lambda t: sf.at(t["small"], 3, ts="t"), r"at\(\) got ts='t', but points is no table; leave ts out"),
        (lambda t: sf.at(t["a"], t["points"]), r"at\(\) got ts=None; name the column of points that holds their instants"),
        (lambda t: sf.at(t["a"], t["points"], ts="when"), r"at\(\) got ts='when', which is not a column of points; the columns are router, t"),
        (lambda t: sf.at(t["a"], t["points"], ts="t", by="router"), r"two columns called 'frame_id'; rename a column of points, or make the frames with another prefix="),
        (lambda t: sf.at(t["days"], "2026-01-05"), r"two columns called 'at'; the instants are called 'at': rename the column of the frames"),
        (lambda t: sf.at(t["days"], t["points"], ts="t"), r"'frame_start' of type date in frames and 't' of type timestamp in points"),
        (lambda t: sf.at(t["a"], "2026-01-05", keep_outside="yes"), r"keep_outside='yes'; it is True or False"),
    ],
)  # fmt: skip
def test_what_cannot_work_is_refused_before_a_job_starts(tables: dict[str, Any], call: Any, message: str) -> None:
    with pytest.raises(sf.InvalidArgument, match=message):
        call(tables)
