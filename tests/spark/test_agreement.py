"""Oracle = Spark: many random groups at once, for every scheme, with instants and groups of several types."""

from __future__ import annotations

import random
from collections import defaultdict
from datetime import UTC, date, datetime, timedelta
from typing import Any

import pytest

import streamframes as sf
from streamframes.core.theory.reference import reference_frames
from streamframes.core.theory.trial import Frame, in_reading_order

pytestmark = pytest.mark.spark

CASES = {
    "threshold": sf.Threshold("w", min_rows=2, max_gap=4),
    "hysteresis": sf.Threshold("w", until="u", merge_gap=2, min_duration=2),
    "partition": sf.Threshold("w", gaps=True, min_rows=2, max_rows=5),
    "delta range": sf.Delta("v", "<", 3, max_rows=4),
    "delta first": sf.Delta("v", ">=", 3, base="first", nulls="break"),
    "delta previous": sf.Delta({"v": 2, "n": 3}, "<=", base="previous"),
    "boundary": sf.Boundary({"v": 2, "n": [-1, 2]}, max_duration=6),
    "aggregate": sf.Aggregate("sum(n)", ">", 5),
    "average": sf.Aggregate("avg(v)", "<", 1),
    "own fold": sf.Aggregate(
        sf.Fold("v", start=(0.0,), add=lambda s, v: (s[0] + abs(v),), result=lambda s: s[0]), ">=", 6
    ),
    "change": sf.Change("word", "w"),
    "gap": sf.Gap(2),
    "every": sf.Every(6, slide=4, min_rows=2),
    "count": sf.Count(4, slide=3),
}

UNITS = {"timestamp": "seconds", "timestamp_ntz": "seconds", "date": "days", "bigint": None}
DURATIONS = ("min_duration", "max_duration", "max_gap", "merge_gap", "gap")


def with_units(scheme: Any, kind: str) -> Any:
    """The scheme for instants of a type: integers get the unit of a tick of the test data."""
    unit = UNITS[kind]
    settings = scheme.to_dict()
    names = (*DURATIONS, "size", "slide") if isinstance(scheme, sf.Every) else DURATIONS
    for name in names:
        if unit and isinstance(settings.get(name), int):
            settings[name] = f"{settings[name]} {unit}"
    return sf.Scheme.from_dict(settings)


def instant(tick: int, kind: str) -> Any:
    """An instant before 1970 or after; the first is on a window's edge."""
    if kind == "bigint":
        return tick
    if kind == "date":
        return date(1969, 12, 20) + timedelta(days=tick)
    start = datetime(1969, 12, 31, 23, 59, 48)
    return (
        start.replace(tzinfo=UTC) + timedelta(seconds=tick) if kind == "timestamp" else start + timedelta(seconds=tick)
    )


def random_rows(seed: int, groups: int = 40) -> list[dict[str, Any]]:
    """Rows with ties, nulls and NaN for many groups of two columns, one of which may be null."""
    rng = random.Random(seed)
    rows = [
        {
            "name": None if group % 7 == 0 else f"g{group // 2}",
            "number": group % 2 if group % 7 else group,
            "tick": None if rng.random() < 0.03 else rng.randint(0, 20),
            "w": rng.choice([True, True, False, None]),
            "u": rng.choice([True, False, False, None]),
            "v": rng.choice([-3.0, -1.0, 0.0, 0.5, 2.0, 4.0, None, float("nan")]),
            "n": rng.choice([-4, -1, 0, 2, 3, None]),
            "word": rng.choice(["a", "b", None]),
        }
        for group in range(groups)
        for _ in range(rng.randint(0, 14))
    ]
    rng.shuffle(rows)
    return rows


def inputs_of(scheme: Any, row: dict[str, Any]) -> dict[str, Any]:
    return {f"in{i}": row[needed.expression] for i, needed in enumerate(scheme.inputs())}


@pytest.mark.parametrize(("name", "kind"), [(name, list(UNITS)[i % 4]) for i, name in enumerate(CASES)])
def test_spark_finds_the_frames_of_the_oracle(spark: Any, name: str, kind: str) -> None:
    rows = random_rows(seed=len(name))
    columns = f"name string, number int, ts {kind}, w boolean, u boolean, v double, n int, word string"
    data = [
        (
            r["name"],
            r["number"],
            None if r["tick"] is None else instant(r["tick"], kind),
            *(r[c] for c in "wuvn"),
            r["word"],
        )
        for r in rows
    ]
    df = spark.createDataFrame(data, columns).repartition(3)
    found = defaultdict(list)
    scheme = with_units(CASES[name], kind)
    for row in sf.frames(df, scheme, ts="ts", by=["name", "number"]).toDF().toArrow().to_pylist():
        cell = tuple(row["frame_cell"]) if "frame_cell" in row else None
        closed = (row["frame_closed_by"], row.get("frame_kind"), cell)
        found[row["name"], row["number"]].append(
            Frame(row["frame_start"], row["frame_end"], row["frame_rows"], *closed)
        )
    expected = defaultdict(list)
    for key in {(r["name"], r["number"]) for r in rows}:
        part = [r for r in rows if (r["name"], r["number"]) == key and r["tick"] is not None]
        for frame in reference_frames(CASES[name], [{"ts": r["tick"], **inputs_of(CASES[name], r)} for r in part]):
            closed = (frame.closed_by, frame.kind, frame.cell)
            expected[key].append(Frame(instant(frame.start, kind), instant(frame.end, kind), frame.rows, *closed))
    assert {key: sorted(frames, key=in_reading_order) for key, frames in found.items()} == {
        key: sorted(frames, key=in_reading_order) for key, frames in expected.items()
    }


@pytest.fixture(scope="module")
def loss(spark: Any) -> Any:
    made = sf_data(3_000)
    return made.toDF(spark).cache()


def sf_data(rows: int) -> Any:
    from streamframes import data

    return data.routers(rows=rows, routers=7, seed=3)


def collected(df: Any) -> list[str]:
    return sorted(map(repr, df.toArrow().to_pylist()))


def test_results_do_not_depend_on_partitions_order_files_or_time_zone(spark: Any, loss: Any, tmp_path: Any) -> None:
    scheme = sf.Threshold("drop_pct > 0.3", min_duration="2 minutes")

    def frames(df: Any) -> list[str]:
        return collected(sf.frames(df, scheme, ts="rpt_time", by="router").agg(worst="max(drop_pct)"))

    reference = frames(loss.coalesce(1))
    assert len(reference) == sf_data(3_000).episodes.num_rows > 0
    for partitions in (7, 64):
        assert frames(loss.repartition(partitions)) == reference
    loss.orderBy("pkt_bytes").coalesce(1).write.parquet(str(tmp_path / "one"))
    loss.repartition(5, "drop_pct").write.parquet(str(tmp_path / "many"))
    for folder in ("one", "many"):
        assert frames(spark.read.parquet(str(tmp_path / folder))) == reference
    zone = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", "America/St_Johns")
    try:
        elsewhere = sf.frames(loss, scheme, ts="rpt_time", by="router").toDF()
        ids = {row["frame_id"] for row in elsewhere.collect()}
    finally:
        spark.conf.set("spark.sql.session.timeZone", zone)
    assert ids == {row["frame_id"] for row in sf.frames(loss, scheme, ts="rpt_time", by="router").toDF().collect()}


def test_many_rows_at_one_instant_have_unique_ids(spark: Any) -> None:
    df = spark.range(200).selectExpr("7L as ts", "id % 3 as key", "id")
    found = sf.frames(df, sf.Count(5), ts="ts", by="key").toDF().toArrow().to_pylist()
    assert len({row["frame_id"] for row in found}) == len(found) == 42


@pytest.mark.parametrize(
    "scheme",
    [sf.Threshold("w > 0", gaps=True), sf.Boundary({"w": 2}), sf.Count(3, slide=2)],
    ids=["threshold", "boundary", "count"],
)
def test_empty_input_gives_an_empty_result_of_the_same_schema(spark: Any, scheme: Any) -> None:
    empty = spark.createDataFrame([], "key string, ts timestamp, w int")
    full = spark.createDataFrame([("a", datetime(2026, 1, 1), 3)], "key string, ts timestamp, w int")
    for result in (
        lambda df: sf.frames(df, scheme, ts="ts", by="key").agg(most="max(w)"),
        lambda df: sf.frames(df, scheme, ts="ts").tag(),
    ):
        assert result(empty).schema == result(full).schema
        assert result(empty).count() == 0
        assert result(full).count() > 0
