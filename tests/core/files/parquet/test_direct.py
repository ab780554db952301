"""Columns that are read page by page are those that PyArrow reads, whoever wrote them."""

from __future__ import annotations

from random import Random
from typing import Any

import duckdb
import hypothesis.strategies as st
import numpy as np
import polars as pl
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from hypothesis import HealthCheck, given, settings

from streamframes.core.files.parquet import direct, values
from streamframes.core.files.parquet.dataset import open_dataset
from streamframes.core.files.parquet.direct import DirectReader
from streamframes.core.files.parquet.hybrid import all_there, small_numbers
from streamframes.core.files.parquet.pages import Stored
from streamframes.core.files.parquet.reader import RowGroupReader

DIRECT = {"text", "bytes", "key", "ts", "ms", "ns", "n", "v"}
ROWS = 20_000


def table_of(seed: int, rows: int = ROWS) -> pa.Table:
    """Columns that are read directly, and their neighbours that are not."""
    random = np.random.default_rng(seed)
    instants = np.sort(random.integers(0, 10**9, rows)) + 1_700_000_000_000_000
    words = np.array([f"station-{number:0{number % 40}d}" for number in range(3_000)], object)
    text = words[random.integers(0, 3_000, rows)]
    return pa.table(
        {
            "text": pa.array(text, pa.string()),
            "bytes": pa.array([word.encode() for word in text], pa.binary()),
            "key": pa.array(text, pa.large_string()),
            "ts": pa.array(instants, pa.timestamp("us", "UTC")),
            "ms": pa.array(instants // 1000, pa.timestamp("ms")),
            "ns": pa.array(instants * 1000 + 7, pa.timestamp("ns", "Europe/Berlin")),
            "n": pa.array(np.arange(rows) * 3),
            "v": pa.array(np.arange(rows) / 4),
            "small": pa.array(np.arange(rows), pa.int32()),
            "unsigned": pa.array(np.arange(rows), pa.uint64()),
            "few": pa.array(random.integers(0, 5, rows)),
            "hole": pa.array([None if i % 1000 == 7 else i for i in range(rows)]),
        }
    )


def directly(path: Any, number: int = 0) -> dict[str, pa.Array]:
    """The columns of a row group that are read without PyArrow."""
    with pa.memory_map(str(path)) as source, pq.ParquetFile(source) as parquet:
        read = DirectReader(source, parquet.metadata, parquet.schema_arrow).read
        found = {name: read(number, name, leaf) for leaf, name in enumerate(parquet.schema_arrow.names)}
        return {name: column for name, column in found.items() if column is not None}


def check(path: Any, monkeypatch: Any) -> None:
    """All columns through the reader, directly where that is possible, and by PyArrow alone."""
    dataset = open_dataset(path)
    names = dataset.schema.names
    for number in range(pq.read_metadata(path).num_row_groups):
        batch = RowGroupReader(dataset, names).read(0, number)
        batch.validate(full=True)
        with monkeypatch.context() as patch:
            patch.setattr(direct, "LEAST_ROWS", 1 << 62)
            assert batch.equals(RowGroupReader(dataset, names).read(0, number))


def test_numbers_that_are_packed_and_texts_are_read_directly(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    pq.write_table(table_of(1), path)
    assert directly(path).keys() == DIRECT
    check(path, monkeypatch)


@settings(suppress_health_check=[HealthCheck.function_scoped_fixture])
@given(
    seed=st.integers(0, 5),
    version=st.sampled_from(["1.0", "2.0"]),
    codec=st.sampled_from(["snappy", "snappy", "none", "zstd", "gzip", "brotli", "lz4"]),
    dictionary=st.sampled_from([True, False, ["text", "ts"]]),
    room=st.sampled_from([1 << 12, 1 << 20]),
    page=st.sampled_from([1 << 10, 1 << 14, 1 << 20]),
    statistics=st.booleans(),
    required=st.booleans(),
    group=st.sampled_from([ROWS, ROWS - 1]),
)
def test_files_of_arrow_in_any_way_that_it_writes(
    tmp_path, monkeypatch, seed, version, codec, dictionary, room, page, statistics, required, group
):
    table = table_of(seed)
    if required:
        table = table.drop_columns(["hole"])
        table = table.cast(pa.schema([field.with_nullable(False) for field in table.schema]))
    path = tmp_path / "a.parquet"
    pq.write_table(
        table, path, row_group_size=group, data_page_version=version, compression=codec, use_dictionary=dictionary,
        dictionary_pagesize_limit=room, data_page_size=page, write_statistics=statistics,
    )  # fmt: skip
    found = set(directly(path))
    assert found <= DIRECT | {"few"}
    assert found >= {"n", "ts"} or codec != "snappy"
    assert "text" in found or codec == "lz4"
    check(path, monkeypatch)


@pytest.mark.parametrize("codec", ["snappy", "zstd", "uncompressed"])
def test_files_of_other_writers(tmp_path, monkeypatch, codec):
    rows = table_of(2).drop_columns(["ns"])
    pl.from_arrow(rows).write_parquet(tmp_path / "polars.parquet", compression=codec, row_group_size=ROWS)
    duckdb.sql(f"copy rows to '{tmp_path / 'duckdb.parquet'}' (compression {codec}, row_group_size {ROWS})")
    assert set(directly(tmp_path / "polars.parquet")) >= {"text"}
    assert set(directly(tmp_path / "duckdb.parquet")) >= {"text"}
    check(tmp_path / "polars.parquet", monkeypatch)
    check(tmp_path / "duckdb.parquet", monkeypatch)


def test_encodings_that_are_not_known_nulls_and_nested_columns_are_left_to_arrow(tmp_path, monkeypatch):
    rows = table_of(3).select(["text", "ts"])
    rows = rows.append_column("list", pa.array([[i] for i in range(ROWS)]))
    rows = rows.append_column("pair", pa.array([{"at": i} for i in range(ROWS)]))
    path = tmp_path / "a.parquet"
    encodings = {"text": "DELTA_BYTE_ARRAY", "ts": "DELTA_BINARY_PACKED", "list.list.element": "PLAIN"}
    pq.write_table(rows, path, use_dictionary=False, column_encoding=encodings)
    assert not directly(path)
    check(path, monkeypatch)
    empty = pa.table({"n": pa.nulls(ROWS, pa.int64()), "text": pa.nulls(ROWS, pa.string())})
    pq.write_table(empty, path, use_dictionary=False, write_statistics=False)
    assert not directly(path)
    check(path, monkeypatch)


def test_a_dictionary_of_one_text_is_not_unpacked(tmp_path, monkeypatch):
    path = tmp_path / "a.parquet"
    columns = {
        "one": ["é"] * ROWS,
        "two": ["a"] * (ROWS - 1) + ["b"],
        "hole": ["a"] * (ROWS - 1) + [None],
        "none": [""] * ROWS,
    }
    for version in ("1.0", "2.0"):
        pq.write_table(pa.table(columns), path, data_page_version=version)
        with pa.memory_map(str(path)) as source, pq.ParquetFile(source) as parquet:
            one_value = DirectReader(source, parquet.metadata, parquet.schema_arrow).one_value
            found = {name: one_value(0, leaf) for leaf, name in enumerate(columns)}
        assert [name for name in columns if found[name] is not None] == ["one", "none"]
        batch = RowGroupReader(open_dataset(path), list(columns), list(columns)).read(0, 0)
        batch.validate(full=True)
        assert batch.to_pydict() == columns
        assert batch.column("one").dictionary.to_pylist() == ["é"]


@pytest.mark.parametrize("seed", range(200))
def test_damaged_bytes_do_no_harm(tmp_path, seed):
    random = Random(seed)
    path = tmp_path / "a.parquet"
    version = random.choice(["1.0", "2.0"])
    pq.write_table(table_of(1, 2_000).select(["text", "ts"]), path, data_page_version=version, data_page_size=4096)
    column = pq.read_metadata(path).row_group(0).column(seed % 2)
    with path.open("rb") as file:
        file.seek(column.dictionary_page_offset)
        data = bytearray(file.read(column.total_compressed_size))
    for _ in range(random.randint(1, 4)):
        data[random.randrange(len(data))] = random.randrange(256)
    read = (values.read_texts, values.read_numbers)[seed % 2]
    kind = (pa.string(), pa.int64())[seed % 2]
    stored = Stored(np.frombuffer(bytes(data), np.uint8), column.compression, 2_000, True)
    found = read(stored, kind)
    assert found is None or len(found) == 2_000
    assert read(stored._replace(data=stored.data[: random.randrange(len(data))]), kind) is None


@pytest.mark.parametrize("width", [0, 1, 2, 5, 8, 13, 17, 24, 31])
def test_small_numbers_in_runs_and_groups(width):
    random = Random(width)
    meant, stored = [], bytearray()
    for _ in range(20):
        if random.random() < 0.5:
            value, times = random.getrandbits(width) if width else 0, random.randint(1, 300)
            stored += varint(times << 1) + value.to_bytes((width + 7) // 8, "little")
            meant += [value] * times
        else:
            values = [random.getrandbits(width) if width else 0 for _ in range(8 * random.randint(1, 20))]
            bits = sum(value << (i * width) for i, value in enumerate(values))
            stored += varint(len(values) // 8 << 1 | 1) + bits.to_bytes(len(values) // 8 * width, "little")
            meant += values
    data, out = np.frombuffer(bytes(stored) + bytes(8), np.uint8), np.empty(len(meant), np.int32)
    for n in (0, 1, len(meant) // 2, len(meant)):
        assert small_numbers(data, 0, len(stored), width, out, n)
        assert out[:n].tolist() == meant[:n]
    assert not small_numbers(data, 0, len(stored), width, np.empty(len(meant) + 1, np.int32), len(meant) + 1)
    if width == 1:
        assert all_there(data, 0, len(stored), len(meant)) == all(meant)


def varint(value: int) -> bytes:
    return bytes([value & 0x7F | 0x80]) + varint(value >> 7) if value > 0x7F else bytes([value])


def test_levels_say_that_no_value_is_null():
    for stored, n, expected in (
        (b"\xc8\x01\x01", 100, True),
        (b"\xc8\x01\x00", 100, False),
        (b"\xc8\x01\x01", 101, False),
        (b"\x03\xff", 8, True),
        (b"\x03\x0f", 4, True),
        (b"\x03\x0f", 5, False),
        (b"", 1, False),
        (b"", 0, True),
        (b"\x05\xff", 16, False),
    ):
        assert all_there(np.frombuffer(stored, np.uint8), 0, len(stored), n) == expected
