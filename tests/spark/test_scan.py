"""Files that workers read themselves give what Spark's reader gives: same frames, same ids, whatever the way."""

from __future__ import annotations

import datetime
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq
import pytest
from pyarrow import fs
from pyspark.sql import functions as F

import streamframes as sf
from streamframes.core.files.parquet import RowGroupReader, open_dataset, plain_columns, row_groups
from streamframes.core.files.segments import split as cuts
from streamframes.spark.scan import strategy as ways

pytestmark = pytest.mark.spark

ROWS = 6_000


@pytest.fixture(scope="module", autouse=True)
def short_segments() -> Any:
    """Few rows are many here, so that small files have several segments, or are in no order."""
    patch = pytest.MonkeyPatch()
    patch.setattr(cuts, "LEAST_ROWS", 500)
    patch.setattr(cuts, "MOST_WAITING", 3_000)
    patch.setattr(row_groups, "ROWS_TOGETHER", 1_500)
    patch.setattr(cuts, "FEW_ROWS", 0)
    patch.setattr(cuts, "FEW_IF_CERTAIN", 0)
    yield
    patch.undo()


def table_of(rows: int = ROWS, seed: int = 3) -> pa.Table:
    """Rows in the order of time, with ties, nulls and NaN."""
    rng = np.random.default_rng(seed)
    ts = np.sort(rng.integers(0, rows // 2, rows)) * 1_000_000
    value = np.round(np.sin(np.arange(rows) / 40) + rng.normal(0, 0.3, rows), 2)
    value[rng.random(rows) < 0.02] = np.nan
    keys = np.array(["a", "b", "c", "d", None], object)[rng.choice(5, rows, p=[0.6, 0.2, 0.1, 0.07, 0.03])]
    return pa.table(
        {
            "key": pa.array(keys, pa.string()),
            "ts": pa.array(ts).cast(pa.timestamp("us", "UTC")),
            "value": pa.array(value, mask=rng.random(rows) < 0.02),
            "volume": pa.array(rng.integers(0, 20, rows), mask=rng.random(rows) < 0.02),
            "state": pa.array(np.array(["on", "off"], object)[rng.integers(0, 2, rows)]),
            "nested": pa.array([{"x": 1}] * rows),
        }
    )


def written(folder: Path, table: pa.Table, files: int = 3, **options: Any) -> str:
    folder.mkdir(parents=True)
    size = -(-table.num_rows // files)
    for number in range(files):
        part = table.slice(number * size, size)
        pq.write_table(part, folder / f"part-{number}.parquet", row_group_size=700, **options)
    return str(folder)


@pytest.fixture(scope="module")
def in_order(tmp_path_factory: pytest.TempPathFactory) -> str:
    return written(tmp_path_factory.mktemp("scan") / "in order", table_of())


@pytest.fixture(scope="module")
def shuffled(tmp_path_factory: pytest.TempPathFactory) -> str:
    table = table_of()
    return written(tmp_path_factory.mktemp("scan") / "shuffled", table.take(np.random.default_rng(1).permutation(ROWS)))


def results(rows: Any) -> list[str]:
    return sorted(repr(row) for row in rows.collect())


SCHEMES = {
    "threshold": sf.Threshold("value > 0.5", min_rows=2),
    "with text": sf.Threshold("state = 'on' and value between -0.5 and 1.5", max_gap="20 seconds"),
    "limited": sf.Threshold("value > 0", max_rows=7, nulls="skip"),
    "hysteresis": sf.Threshold("value > 0.8", until="value < 0.1", merge_gap="5 seconds"),
    "with gaps": sf.Threshold("value > 0.5", gaps=True),
    "delta": sf.Delta("value", "<", 0.5, base="first"),
    "range": sf.Delta("value", "<", 0.9, base="range", nulls="break"),
    "boundary": sf.Boundary({"value": 0.25, "volume": [3, 9]}, min_duration="1 second"),
    "aggregate": sf.Aggregate("sum(volume)", ">=", 100),
    "mean": sf.Aggregate("avg(value)", "<", 0.3, max_duration="5 minutes"),
    "change": sf.Change("state"),
    "gap": sf.Gap("3 seconds"),
    "every": sf.Every("30 seconds"),
    "sliding": sf.Every("1 minute", slide="20 seconds"),
    "count": sf.Count(50),
}


# Segments of these cannot be merged: they look ahead, overlap, need the rows between, or remember what came before.
NEVER_MERGED = ("hysteresis", "with gaps", "sliding", "count")


@pytest.mark.parametrize("name", SCHEMES)
def test_frames_are_those_of_the_dataframe(
    spark: Any, in_order: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    def found(rows: Any) -> Any:
        return sf.frames(rows, SCHEMES[name], ts="ts", by="key")

    expected = results(found(spark.read.parquet(in_order)).toDF())
    frames = found(sf.scan(in_order))
    assert ("key-partitioned reads and not segments" if name in NEVER_MERGED else "4 merge") in frames.explain()
    assert results(frames.toDF()) == expected
    if name in NEVER_MERGED:
        monkeypatch.setattr(ways, "MOST_PARTITIONS", 0)
        frames = found(sf.scan(in_order))
        assert "chunks and not segments" in frames.explain()
        assert results(frames.toDF()) == expected


@pytest.mark.parametrize("name", ["delta", "aggregate", "mean"])
def test_groups_that_are_many_and_short_are_dealt_out_to_workers_that_read_all(
    spark: Any, in_order: str, name: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    measures = {"n": "count(*)", "total": "sum(value)"}
    monkeypatch.setattr(cuts, "FEW_ROWS", 1 << 40)
    frames = sf.frames(sf.scan(in_order), SCHEMES[name], ts="ts", by=["key", "state"])
    assert "many and short" in frames.explain()
    rows = sf.frames(spark.read.parquet(in_order), SCHEMES[name], ts="ts", by=["key", "state"])
    assert results(frames.toDF()) == results(rows.toDF())
    assert results(frames.agg(**measures)) == results(rows.agg(**measures))


@pytest.mark.parametrize("name", ["threshold", "delta"])
def test_measures_are_those_of_the_dataframe(spark: Any, in_order: str, name: str) -> None:
    measures = {"n": "count(*)", "total": "sum(value)", "top": "max(volume + 1)", "first_state": "first(state)"}
    scan, rows = sf.scan(in_order), spark.read.parquet(in_order)
    found = sf.frames(scan, SCHEMES[name], ts="ts", by="key").agg(**measures)
    assert results(found) == results(sf.frames(rows, SCHEMES[name], ts="ts", by="key").agg(**measures))


@pytest.mark.parametrize("options", [{}, {"use_dictionary": False, "data_page_version": "2.0"}])
def test_columns_that_polars_reads_give_the_same(spark: Any, tmp_path: Path, options: dict[str, Any]) -> None:
    """Row groups that are large enough for it; no nulls, and texts that are too many for a dictionary."""
    table = table_of(2 * plain_columns.LEAST_ROWS).drop_columns(["nested"])
    table = table.filter(pc.is_valid(table["value"]))
    keys = pa.array([f"sensor {number * 7919 % 3000:0{number % 30}d}" for number in range(table.num_rows)])
    folder = tmp_path / "pages"
    folder.mkdir()
    pq.write_table(
        table.set_column(0, "key", keys), folder / "a.parquet", row_group_size=plain_columns.LEAST_ROWS,
        dictionary_pagesize_limit=1 << 12, data_page_size=1 << 15, **options,
    )  # fmt: skip
    for name in ("threshold", "delta"):
        found, expected = (
            sf.frames(rows, SCHEMES[name], ts="ts", by="key").agg(mean="avg(value)", last="last(state)")
            for rows in (sf.scan(folder), spark.read.parquet(str(folder)))
        )
        assert results(found) == results(expected)


def test_files_in_no_order_are_right_too(spark: Any, in_order: str, shuffled: str) -> None:
    by_chunks = sf.frames(sf.scan(shuffled), SCHEMES["delta"], ts="ts", by="key")
    assert "overlap in time" in by_chunks.explain()
    by_segments = sf.frames(sf.scan(in_order), SCHEMES["delta"], ts="ts", by="key")
    assert "segments" in by_segments.explain()
    assert results(by_chunks.toDF()) == results(by_segments.toDF())


@pytest.mark.parametrize("name", ["threshold", "delta", "hysteresis"])
def test_where_files_give_no_range_of_instants_rows_are_packed(
    spark: Any, in_order: str, tmp_path: Path, name: str
) -> None:
    """Spark writes instants without statistics."""
    rows = spark.read.parquet(in_order).withColumn("ts", F.when(F.expr("volume <=> 7"), None).otherwise(F.col("ts")))
    rows.repartitionByRange(3, "ts").sortWithinPartitions("ts").write.parquet(str(tmp_path / "in order"))
    rows.repartition(3).write.parquet(str(tmp_path / "shuffled"))
    expected = results(sf.frames(rows, SCHEMES[name], ts="ts", by="key").toDF())
    for folder in ("in order", "shuffled"):
        found = sf.frames(sf.scan(str(tmp_path / folder)), SCHEMES[name], ts="ts", by="key")
        assert "chunks and not segments, because the files have no statistics" in found.explain()
        assert results(found.toDF()) == expected


def test_packed_keys_may_be_a_dictionary_in_some_row_groups_only(spark: Any, tmp_path: Path) -> None:
    table = table_of()
    keys = [f"key {n % 3}" if n < 1_500 else f"one of very many {n // 7}" for n in range(ROWS)]
    table = table.set_column(0, "key", pa.array(keys))
    path = written(
        tmp_path / "mixed", table, files=1, write_statistics=False, dictionary_pagesize_limit=500, write_batch_size=50
    )
    encoded = RowGroupReader(open_dataset([path]), ["key"], ["key"])
    kinds = {pa.types.is_dictionary(encoded.read(0, number).column(0).type) for number in (0, 7)}
    assert kinds == {True, False}
    frames = {
        name: sf.frames(rows, sf.Threshold("value > 0"), ts="ts", by="key")
        for name, rows in (("scan", sf.scan(path)), ("table", spark.read.parquet(path)))
    }
    assert "chunks" in frames["scan"].explain()
    assert results(frames["scan"].toDF()) == results(frames["table"].toDF())


def test_without_groups_and_by_several(spark: Any, in_order: str) -> None:
    scan, rows = sf.scan(in_order), spark.read.parquet(in_order)
    for by in ((), ["key", "state"]):
        for name in ("threshold", "aggregate"):
            assert results(sf.frames(scan, SCHEMES[name], ts=["ts", "volume"], by=by).toDF()) == results(
                sf.frames(rows, SCHEMES[name], ts=["ts", "volume"], by=by).toDF()
            )


def test_what_is_left_to_spark_gives_the_same(spark: Any, in_order: str) -> None:
    scheme = sf.Threshold("regexp_like(state, '^o.$') and value > 0")
    found = sf.frames(sf.scan(in_order), scheme, ts="ts", by="key")
    assert "regexp_like" in found.explain().lower()
    rows = spark.read.parquet(in_order)
    assert results(found.toDF()) == results(sf.frames(rows, scheme, ts="ts", by="key").toDF())


def test_tags_fills_and_moves(spark: Any, in_order: str) -> None:
    scan, rows = sf.scan(in_order), spark.read.parquet(in_order)
    scheme = SCHEMES["threshold"]
    ours, theirs = (sf.frames(each, scheme, ts="ts", by="key") for each in (scan, rows))
    assert results(ours.tag()) == results(theirs.tag())
    assert results(ours.expand(before="1 second").agg(n="count(*)")) == results(
        theirs.expand(before="1 second").agg(n="count(*)")
    )
    assert results(ours.fill(scan, ts="ts", n="count(*)", top="max(volume)")) == results(
        theirs.fill(rows, ts="ts", n="count(*)", top="max(volume)")
    )


VERBS = {
    "bursts": lambda rows: sf.bursts(
        rows, "volume", windows=[5], thresholds={5: 60}, agg="sum", ts="ts", by="key"
    ).toDF(),
    "regions": lambda rows: sf.regions(rows, "value > 0.5", ts="ts", space="volume", by="key").toDF(),
    "density": lambda rows: sf.density(rows, ts="ts", space=["value", "volume"], bin=1, unit="1 hour", above=3).toDF(),
    "sessions": lambda rows: sf.sessions(
        rows, sf.Session("visit", key="key", opens="value > 0.5", closes="value < -0.5"), ts="ts"
    ).sessions("visit"),
    "accuracy": lambda rows: sf.accuracy(rows, SCHEMES["threshold"], windows=["1 minute"], ts="ts", by="key"),
    "a Column": lambda rows: sf.frames(rows, sf.Threshold(F.col("value") > 0.5), ts="ts", by="key").toDF(),
    "a measure of Spark": lambda rows: sf.frames(rows, SCHEMES["threshold"], ts="ts", by="key").agg(
        middle="percentile(value, 0.5)"
    ),
}


@pytest.mark.parametrize("verb", VERBS)
def test_every_other_verb_takes_a_scan(spark: Any, in_order: str, verb: str) -> None:
    found = results(VERBS[verb](sf.scan(in_order)))
    assert found
    assert found == results(VERBS[verb](spark.read.parquet(in_order)))


def test_tables_of_frames_may_be_scanned(spark: Any, in_order: str, tmp_path: Path) -> None:
    rows = spark.read.parquet(in_order)
    sf.frames(rows, SCHEMES["threshold"], ts="ts", by="key").toDF().write.parquet(str(tmp_path / "frames"))
    scan, frames = sf.scan(tmp_path / "frames"), spark.read.parquet(str(tmp_path / "frames"))
    for verb in (sf.union, sf.overlaps):
        assert results(verb(scan, frames, by="key")) == results(verb(frames, frames, by="key"))
    assert results(sf.fill(scan, sf.scan(in_order), ts="ts", by="key", n="count(*)")) == results(
        sf.fill(frames, rows, ts="ts", by="key", n="count(*)")
    )


def test_files_without_rows_have_no_frames(spark: Any, tmp_path: Path) -> None:
    folder = written(tmp_path / "empty", table_of(10).slice(0, 0), files=1)
    found = sf.frames(sf.scan(folder), SCHEMES["threshold"], ts="ts", by="key")
    assert results(found.toDF()) == results(found.tag()) == []


KINDS = {
    "milliseconds": pa.timestamp("ms", "UTC"),
    "no zone": pa.timestamp("us"),
    "nanoseconds": pa.timestamp("ns", "UTC"),
    "date": pa.date32(),
    "whole": pa.int32(),
}


@pytest.mark.parametrize("kind", KINDS)
def test_instants_of_every_kind(spark: Any, tmp_path: Path, kind: str) -> None:
    table = table_of(2_000)
    seconds = table["ts"].cast(pa.int64()).to_numpy() // 1_000_000
    ts = pa.array(seconds.astype(np.int32)) if kind in ("whole", "date") else table["ts"]
    folder = written(tmp_path / "files", table.set_column(1, "ts", ts.cast(KINDS[kind])))
    found = sf.frames(sf.scan(folder), SCHEMES["delta"], ts="ts", by="key").toDF()
    rows = spark.createDataFrame(table.set_column(1, "ts", ts.cast(KINDS[kind])).drop(["nested"]))
    assert results(found) == results(sf.frames(rows, SCHEMES["delta"], ts="ts", by="key").toDF())


def test_keys_of_every_kind(spark: Any, tmp_path: Path) -> None:
    table = table_of(2_000).drop(["nested"])
    number = table["volume"].fill_null(0)
    keys = {
        "encoded": table["key"].dictionary_encode(),
        "large": table["key"].cast(pa.large_string()),
        "decimal": pa.array([Decimal(n.as_py()) / 10 for n in number], pa.decimal128(5, 1)),
        "day": pa.array([datetime.date(2024, 1, 1 + n.as_py()) for n in number]),
        "small": number.cast(pa.int8()),
    }
    for name, column in keys.items():
        table = table.append_column(name, column)
    folder = written(tmp_path / "files", table)
    rows = spark.read.parquet(folder)
    for name in keys:
        assert results(sf.frames(sf.scan(folder), SCHEMES["threshold"], ts="ts", by=name).toDF()) == results(
            sf.frames(rows, SCHEMES["threshold"], ts="ts", by=name).toDF()
        )


def test_hive_folders_are_columns(spark: Any, tmp_path: Path) -> None:
    table = table_of(3_000)
    for key in ("a", "b"):
        of_key = table.filter(pc.equal(table["key"], key))
        written(tmp_path / "files" / f"name={key}%20x" / "day=2024-01-01", of_key)
    folder = str(tmp_path / "files")
    found = sf.frames(sf.scan(folder), SCHEMES["delta"], ts="ts", by=["name", "day"]).toDF()
    rows = spark.read.parquet(folder)
    assert results(found) == results(sf.frames(rows, SCHEMES["delta"], ts="ts", by=["name", "day"]).toDF())
    hysteresis = sf.frames(sf.scan(folder), SCHEMES["hysteresis"], ts="ts", by=["name", "state"])
    assert "key-partitioned reads and not segments" in hysteresis.explain()
    expected = sf.frames(rows, SCHEMES["hysteresis"], ts="ts", by=["name", "state"])
    assert results(hysteresis.toDF()) == results(expected.toDF())
    assert results(hysteresis.tag()) == results(expected.tag())


def test_files_over_a_network_are_not_read_several_times(spark: Any, in_order: str) -> None:
    elsewhere = fs.SubTreeFileSystem(in_order, fs.LocalFileSystem())
    found = sf.frames(sf.scan(".", filesystem=elsewhere), SCHEMES["hysteresis"], ts="ts", by="key")
    assert "chunks and not segments" in found.explain()
    assert results(found.toDF()) == results(
        sf.frames(sf.scan(in_order), SCHEMES["hysteresis"], ts="ts", by="key").toDF()
    )


def test_what_is_an_error_in_ansi_mode_is_null_without_it(spark: Any, tmp_path: Path) -> None:
    big = 2**62
    table = pa.table(
        {"ts": range(6), "n": [0, 1, 2, 0, big, 3], "text": ["1", "x", "3", "4", "5", ""], "x": [1e300, 1, 2, 3, 4, 5]}
    )
    path = written(tmp_path / "rows", table, 1)
    conditions = [
        "6 / n > 1",
        "6 % n >= 0",
        "n + n + n > 2",
        "cast(text as int) > 2",
        "cast(x as int) > 1",
        "-n * 4 < 0",
    ]
    spark.conf.set("spark.sql.ansi.enabled", "false")
    try:
        for condition in conditions:
            scheme = sf.Threshold(condition, nulls="break")
            expected = results(sf.frames(spark.read.parquet(path), scheme, ts="ts").toDF())
            assert results(sf.frames(sf.scan(path), scheme, ts="ts").toDF()) == expected, condition
        assert "4 merge" in sf.frames(sf.scan(path), sf.Threshold("x > 1"), ts="ts").explain()
    finally:
        spark.conf.set("spark.sql.ansi.enabled", "true")
    with pytest.raises(Exception, match="division by zero"):
        sf.frames(sf.scan(path), sf.Threshold(conditions[0]), ts="ts").toDF().collect()
