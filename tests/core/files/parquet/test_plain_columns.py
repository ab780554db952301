"""Columns that Polars reads are those that PyArrow reads, whoever wrote them."""

from __future__ import annotations

import sys
from pathlib import Path
from typing import Any

import duckdb
import hypothesis.strategies as st
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings

from streamframes.core.files.parquet import plain_columns
from streamframes.core.files.parquet.dataset import open_dataset
from streamframes.core.files.parquet.plain_columns import PlainColumns
from streamframes.core.files.parquet.reader import RowGroupReader

PLAIN = {"text", "bytes", "key", "ts", "ms", "ns", "n", "v", "float", "day", "small", "few", "s"}
ROWS = 5_000


@pytest.fixture(autouse=True)
def few_rows(monkeypatch: pytest.MonkeyPatch) -> None:
    """Polars reads few rows, too."""
    monkeypatch.setattr(plain_columns, "LEAST_ROWS", 0)


def table_of(seed: int, rows: int = ROWS) -> pa.Table:
    """Columns that are plain, and their neighbours that are not."""
    random = np.random.default_rng(seed)
    instants = np.sort(random.integers(-(10**9), 10**9, rows)) - 3
    texts = np.array([f"station-{number:0{number % 40}d}" for number in range(1_000)] + ["", "é"], object)
    text = texts[random.integers(0, texts.size, rows)]
    value = random.normal(0, 1, rows)
    value[random.random(rows) < 0.01] = np.nan
    missing = random.random(rows) < 0.05
    return pa.table(
        {
            "text": pa.array(text, pa.string()),
            "bytes": pa.array([each.encode() for each in text], pa.binary()),
            "key": pa.array(text, pa.large_string()),
            "ts": pa.array(instants, pa.timestamp("us", "UTC")),
            "ms": pa.array(instants // 1000, pa.timestamp("ms")),
            "ns": pa.array(instants * 1000 + 7, pa.timestamp("ns", "Europe/Berlin")),
            "n": pa.array(np.arange(rows) * 3),
            "v": pa.array(value),
            "float": pa.array(value.astype(np.float32)),
            "day": pa.array(random.integers(-1000, 1000, rows).astype(np.int32)).cast(pa.date32()),
            "small": pa.array(np.arange(rows), pa.int32()),
            "few": pa.array(random.integers(0, 5, rows)),
            "hole": pa.array(instants, pa.timestamp("us", "UTC"), mask=missing),
            "gaps": pa.array(text, pa.string(), mask=missing),
            "s": pa.array(instants // 1_000_000, pa.timestamp("s")),
            "unsigned": pa.array(np.arange(rows), pa.uint64()),
            "byte": pa.array(random.integers(0, 100, rows), pa.int8()),
            "span": pa.array(instants, pa.duration("us")),
            "money": pa.array(np.arange(rows)).cast(pa.decimal128(25, 2)),
            "flag": pa.array(random.random(rows) < 0.5),
            "list": pa.array([[i, None] for i in range(rows)]),
            "pair": pa.array([{"at": i} for i in range(rows)]),
            "words": pa.array(text, pa.string()).dictionary_encode(),
            "zone": pa.array(instants, pa.timestamp("us", "+02:00")),
        }
    )


def read_by_polars(path: Path) -> set[str]:
    """The columns of the first row group that Polars reads."""
    with pq.ParquetFile(path) as parquet:
        schema = parquet.schema_arrow
        table = PlainColumns(str(path), path.stat().st_size, parquet.metadata, schema).read(range(1), schema.names)
    return set(table.column_names if table is not None else ())


def check(path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """All columns through the reader, by Polars where that is possible, and by PyArrow alone."""
    dataset = open_dataset(path)
    names = dataset.schema.names
    for number in range(pq.read_metadata(path).num_row_groups):
        batch = RowGroupReader(dataset, names, [name for name in names if name == "key"]).read(0, number)
        batch.validate(full=True)
        with monkeypatch.context() as patch:
            patch.setattr(plain_columns, "LEAST_ROWS", 1 << 62)
            expected = RowGroupReader(dataset, names, [name for name in names if name == "key"]).read(0, number)
        kinds = [pa.string() if kind == pa.string_view() else kind for kind in batch.schema.types]
        assert kinds == expected.schema.types
        for name in names:
            assert bits(batch.column(name)) == bits(expected.column(name)), name


def bits(column: pa.Array) -> Any:
    """Values by their bits, so that NaN is NaN."""
    if pa.types.is_floating(column.type):
        return column.to_numpy(zero_copy_only=False).tobytes(), column.is_null().to_pylist()
    return column.to_pylist()


def test_numbers_instants_and_texts_are_plain_and_nothing_else(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(table_of(1).drop_columns(["zone"]), path)
    assert read_by_polars(path) == PLAIN
    check(path, monkeypatch)


def test_without_polars_pyarrow_reads_everything(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.parquet"
    pq.write_table(table_of(1), path)
    monkeypatch.setitem(sys.modules, "polars", None)
    assert read_by_polars(path) == set()
    check(path, monkeypatch)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture], max_examples=15)
@given(
    seed=st.integers(0, 5),
    version=st.sampled_from(["1.0", "2.0"]),
    codec=st.sampled_from(["snappy", "snappy", "none", "zstd", "gzip", "brotli", "lz4"]),
    dictionary=st.sampled_from([True, False, ["text", "ts"]]),
    room=st.sampled_from([1 << 12, 1 << 20]),
    page=st.sampled_from([1 << 10, 1 << 14, 1 << 20]),
    group=st.sampled_from([ROWS, ROWS - 1, ROWS // 3]),
    more=st.sampled_from(
        [
            {},
            {"write_statistics": False},
            {"coerce_timestamps": "ms", "allow_truncated_timestamps": True},
            {"coerce_timestamps": "us", "allow_truncated_timestamps": True, "version": "1.0"},
            {"coerce_timestamps": "us", "allow_truncated_timestamps": True, "version": "2.4"},
            {"store_schema": False},
        ]
    ),
)
def test_files_of_arrow_in_any_way_that_it_writes(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, seed: int, version: str, codec: str, dictionary: Any, room: int,
    page: int, group: int, more: dict[str, Any],
) -> None:  # fmt: skip
    path = tmp_path / "a.parquet"
    pq.write_table(
        table_of(seed), path, row_group_size=group, data_page_version=version, compression=codec,
        use_dictionary=dictionary, dictionary_pagesize_limit=room, data_page_size=page, **more,
    )  # fmt: skip
    check(path, monkeypatch)


@pytest.mark.parametrize("codec", ["snappy", "zstd", "uncompressed"])
def test_files_of_other_writers(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, codec: str) -> None:
    rows = table_of(2).drop_columns(["ns", "zone", "span"])
    pl.from_arrow(rows.drop_columns(["words"])).write_parquet(tmp_path / "polars.parquet", compression=codec)
    duckdb.sql(f"copy rows to '{tmp_path / 'duckdb.parquet'}' (compression {codec})")
    for name in ("polars.parquet", "duckdb.parquet"):
        assert read_by_polars(tmp_path / name) >= {"text", "ts", "v", "n"}
        check(tmp_path / name, monkeypatch)


def test_encodings_of_all_kinds_and_nulls_alone(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = tmp_path / "a.parquet"
    encodings = {"text": "DELTA_BYTE_ARRAY", "bytes": "DELTA_LENGTH_BYTE_ARRAY", "ts": "DELTA_BINARY_PACKED"}
    encodings |= {"v": "BYTE_STREAM_SPLIT", "float": "BYTE_STREAM_SPLIT", "small": "DELTA_BINARY_PACKED"}
    pq.write_table(table_of(3).select(list(encodings)), path, use_dictionary=False, column_encoding=encodings)
    check(path, monkeypatch)
    empty = pa.table({"n": pa.nulls(ROWS, pa.int64()), "text": pa.nulls(ROWS, pa.string())})
    pq.write_table(empty, path, use_dictionary=False, write_statistics=False)
    assert read_by_polars(path) == set()
    check(path, monkeypatch)


def test_columns_that_are_never_null(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    table = table_of(4).drop_columns(["hole", "gaps", "list"])
    path = tmp_path / "a.parquet"
    pq.write_table(table.cast(pa.schema([field.with_nullable(False) for field in table.schema])), path)
    check(path, monkeypatch)


def test_what_polars_refuses_pyarrow_reads(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Polars knows no zones that are a distance."""
    path = tmp_path / "a.parquet"
    pq.write_table(table_of(1).select(["ts", "zone", "text"]), path)
    check(path, monkeypatch)


def test_paths_are_no_patterns(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    folder = tmp_path / "day=2024-01-01" / "a%20b [x] {1,2}*?"
    folder.mkdir(parents=True)
    path = folder / "über~$HOME.parquet"
    pq.write_table(table_of(1).select(["ts", "text"]), path)
    assert read_by_polars(path) == {"ts", "text"}
    check(path, monkeypatch)
