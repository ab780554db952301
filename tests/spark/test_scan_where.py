"""A scan of the rows on which a condition holds gives what Spark's reader gives behind where(), and reads less."""

from __future__ import annotations

import random
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from deltalake import DeltaTable, write_deltalake
from pyspark.sql import functions as F
from pyspark.sql.functions import col

import streamframes as sf
from streamframes.spark.scan.scan import Scan
from tests.spark.test_scan import results, short_segments, table_of, written  # noqa: F401

pytestmark = pytest.mark.spark
PARTS = [
    "key = 'a'",
    "key in ('b', 'c', null)",
    "value > 0.4",
    "value <= 0.1",
    "value <> value",
    "value = double('NaN')",
    "volume between 3 and 11",
    "volume is null",
    "volume % 5 = 1",
    "not (state = 'on')",
    "key <=> null",
    "ts >= '1970-01-01 00:20:00'",
    "ts < TIMESTAMP '1970-01-01 00:35:00'",
    "ts between '1970-01-01 00:10:00' and TIMESTAMP '1970-01-01 00:30:00Z'",
    "ts > DATE '1970-01-01'",
    "d < 4.5",
    "d in (1.25, 7)",
    "cast(volume as double) / 2 > 3",
    "key like 'a%'",
    "true",
    "cast(null as boolean)",
]
# What the core leaves to Spark.
LEFT = {"key in ('b', 'c', null)", "value = double('NaN')", "key <=> null", "d in (1.25, 7)"}


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> str:
    table = table_of(3000)
    d = pa.array(np.arange(3000) % 40 / 4, mask=np.arange(3000) % 50 == 3).cast(pa.decimal128(10, 2))
    return written(tmp_path_factory.mktemp("where") / "files", table.append_column("d", d))


@pytest.fixture
def plain(spark: Any) -> Any:
    """Spark's reader without its own use of statistics, which pass over NaN; in a zone that is not UTC."""
    settings = {"spark.sql.parquet.filterPushdown": "false", "spark.sql.session.timeZone": "Africa/Lagos"}
    before = {name: spark.conf.get(name) for name in settings}
    for name, value in settings.items():
        spark.conf.set(name, value)
    yield spark
    for name, value in before.items():
        spark.conf.set(name, value)


def frames(rows: Any) -> Any:
    found = sf.frames(rows, sf.Threshold("value > -0.2 or value is null", min_rows=2), ts="ts", by="key")
    return found.agg(n="count(*)", all="sum(volume)")


def some(seed: int) -> str:
    rng = random.Random(seed)
    parts = [f"({each})" for each in rng.sample(PARTS, 3)]
    return rng.choice(["{} and {}", "{} or {} and {}", "not ({} and {})", "{} and ({} or {})"]).format(*parts)


@pytest.mark.parametrize("seed", range(8))
def test_random_conditions(plain: Any, path: str, seed: int) -> None:
    text = some(seed)
    found, expected = sf.scan(path, where=text), plain.read.parquet(path).where(text)
    assert results(frames(found)) == results(frames(expected))


def test_most_conditions_are_computed_where_files_are_read(plain: Any, path: str) -> None:
    left = {text for text in PARTS if sf.scan(path, where=text).condition.why_spark}  # type: ignore[union-attr]
    assert left == LEFT


def test_other_ways_through_the_rows(plain: Any, path: str) -> None:
    """Tags, bursts and sums in chunks; a Column; a condition that only Spark knows."""
    text = "ts >= '1970-01-01 00:20:00' and value > 0.1"
    for where in (
        text,
        (col("ts") >= F.lit("1970-01-01 00:20:00")) & (col("value") > 0.1),
        f"{text} and key rlike '.'",
    ):
        found, expected = sf.scan(path, where=where), plain.read.parquet(path).where(where)
        for make in (
            lambda rows: sf.frames(rows, sf.Count(7), ts="ts", by="key").tag(),
            lambda rows: sf.frames(rows, sf.Threshold("value > 0.5"), ts="ts", by="key").toDF(),
            lambda rows: sf.bursts(rows, "volume", windows=[3], thresholds={3: 30}, ts="ts", by="key").toDF(),
        ):
            assert results(make(found)) == results(make(expected)) != []
    said = frames(sf.scan(path, where=f"{text} and key rlike '.'"))
    assert said is not None


def test_what_is_skipped_is_said_and_no_job_is_started(spark: Any, path: str) -> None:
    before = spark.sparkContext.statusTracker().getJobIdsForGroup(None)
    scan = sf.scan(path, where="ts < TIMESTAMP '1970-01-01 00:05:00Z' and value > 0")
    said = sf.frames(scan, sf.Threshold("value > 0.5"), ts="ts", by="key").explain()
    odd = sf.scan(path, where="ts < TIMESTAMP '1970-01-01 00:05:00Z' and key rlike 'a'")
    because = sf.frames(odd, sf.Threshold("value > 0.5"), ts="ts", by="key").explain()
    assert spark.sparkContext.statusTracker().getJobIdsForGroup(None) == before
    assert "1 file, 700 rows; skips 2 of 3 files and 1 of 2 row groups" in said
    assert "rows where ts < TIMESTAMP '1970-01-01 00:05:00Z' and value > 0, and no others" in said
    assert "Spark reads the files (1 file, 700 rows; skips 2 of 3 files and 1 of 2 row groups), because" in because
    assert repr(scan).startswith("Scan(1 file, 700 rows; skips 2 of 3 files and 1 of 2 row groups where ts < TIMESTAMP")


def test_a_function_of_the_user_is_not_taken_for_one_of_spark(spark: Any, path: str) -> None:
    def isnull(value):  # type: ignore[no-untyped-def]
        return value is not None and value > 0.5

    odd = F.udf(isnull, "boolean")
    expected = spark.read.parquet(path).where(odd("value"))
    assert sf.scan(path, where=odd("value")).count() == expected.count()
    found = sf.scan(path, where=odd("value"))
    assert results(frames(found)) == results(frames(expected)) != []
    threshold = sf.Threshold(odd("value"))
    assert results(sf.frames(sf.scan(path), threshold, ts="ts", by="key").toDF()) == results(
        sf.frames(spark.read.parquet(path), threshold, ts="ts", by="key").toDF()
    )


def test_without_ansi_what_fails_is_null(spark: Any, path: str) -> None:
    text = "volume / (volume - 3) > 0 and ts < TIMESTAMP '1970-01-01 00:07:00Z'"
    spark.conf.set("spark.sql.ansi.enabled", "false")
    try:
        found = sf.scan(path, where=text)
        assert found.dataset.skipped.files == 2
        assert results(frames(found)) == results(frames(spark.read.parquet(path).where(text))) != []
    finally:
        spark.conf.set("spark.sql.ansi.enabled", "true")


@pytest.mark.parametrize(
    ("where", "why"),
    [
        ("value", r"where='value' of type double, which is not a condition"),
        ("valeu > 1", r"scan\(\) got where='valeu > 1', which Spark cannot evaluate.*valeu"),
        ("value >", r"scan\(\) got where='value >', which Spark cannot evaluate"),
        ("count(*) > 1", r"scan\(\) got where='count\(\*\) > 1', which Spark cannot evaluate"),
        ("row_number() over (order by ts) > 1", r"which Spark cannot evaluate"),
        (5, r"where=5, which Spark cannot evaluate: it is neither Spark SQL nor a Column"),
    ],
)
def test_what_is_no_condition_is_refused(spark: Any, path: str, where: Any, why: str) -> None:
    with pytest.raises(sf.InvalidArgument, match=why):
        sf.scan(path, where=where, spark=spark)


def test_files_of_a_delta_table_that_are_skipped_are_not_opened(spark: Any, tmp_path: Path) -> None:
    table = table_of(2000).drop(["nested"])
    write_deltalake(tmp_path, table, partition_by=["state"])
    write_deltalake(tmp_path, table_of(500, seed=9).drop(["nested"]), partition_by=["state"], mode="append")
    text = "state = 'on' and ts >= TIMESTAMP '1970-01-01 00:05:00Z'"
    expected = results(frames(spark.createDataFrame(DeltaTable(tmp_path).to_pyarrow_table()).where(text)))
    for gone in (tmp_path / "state=off").iterdir():
        gone.unlink()
    found: Scan = sf.scan(tmp_path, format="delta", where=text)
    assert (found.dataset.skipped.files, found.dataset.skipped.n_files) == (3, 4)
    assert results(frames(found)) == expected != []
    assert found.count() == sf.scan(DeltaTable(tmp_path), where=text).count() > 0


def test_where_no_file_is_left_nothing_is_found(spark: Any, path: str) -> None:
    for text in ("ts < TIMESTAMP '1960-01-01 00:00:00Z'", "ts < TIMESTAMP '1960-01-01 00:00:00Z' and key rlike 'a'"):
        found = sf.scan(path, where=text)
        assert (found.files, found.count(), results(frames(found))) == ([], 0, [])
        assert results(sf.frames(found, sf.Count(3), ts="ts").tag()) == []
        assert found.columns == sf.scan(path).columns


def test_folders_are_skipped_before_their_files_are_read(spark: Any, tmp_path: Path) -> None:
    for day in ("2024-01-01", "2024-01-02", "2024-01-03"):
        (tmp_path / f"day={day}").mkdir()
        pq.write_table(table_of(300), tmp_path / f"day={day}" / "0.parquet")
    text = "day > '2024-01-01' and day <> DATE '2024-01-03'"
    expected = results(frames(spark.read.parquet(str(tmp_path)).where(text)))
    for day in ("2024-01-03",):
        (tmp_path / f"day={day}" / "0.parquet").write_bytes(b"damaged")
    found = sf.scan(tmp_path, where=text)
    assert (len(found.files), found.dataset.skipped.files) == (1, 2)
    assert results(frames(found)) == expected != []
