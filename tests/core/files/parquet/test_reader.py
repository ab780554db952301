"""Row groups as record batches: the columns that are named, in carried types, or an error that names the file."""

from __future__ import annotations

import pickle
from datetime import UTC, date, datetime
from decimal import Decimal
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from pyarrow import fs

from streamframes.core.files.parquet import plain_columns, reader
from streamframes.core.files.parquet.dataset import open_dataset
from streamframes.core.files.parquet.reader import RowGroupReader
from streamframes.core.files.parquet.types import ENCODED
from streamframes.errors import InvalidArgument, StreamFramesError


@pytest.fixture(autouse=True, params=["by PyArrow", "by Polars"])
def way(request, monkeypatch):
    """All that is read here is read in both ways, as far as it can be."""
    monkeypatch.setattr(plain_columns, "LEAST_ROWS", 0 if request.param == "by Polars" else 1 << 62)


def saved(path, /, row_group_size=None, options=None, **columns):
    """A file with these columns; a list is what pyarrow makes of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path, row_group_size, **(options or {}))
    return path


def read(path, names, encoded=(), file=0, number=0):
    batch = RowGroupReader(open_dataset(path), names, encoded).read(file, number)
    batch.validate(full=True)
    return batch


def test_a_row_group_is_one_batch_with_the_columns_that_are_named(tmp_path):
    saved(tmp_path / "a.parquet", ts=[1, 2, 3], k=["x", "y", "z"], more=pa.array([[1], [2], [3]]), row_group_size=2)
    saved(tmp_path / "b.parquet", more=pa.array([[4]]), k=["w"], ts=[4])
    rows = RowGroupReader(open_dataset(tmp_path), ["k", "ts"])
    assert rows.read(0, 1).to_pydict() == {"k": ["z"], "ts": [3]}
    assert rows.read(0, 0).to_pydict() == {"k": ["x", "y"], "ts": [1, 2]}
    assert rows.read(1, 0).to_pydict() == {"k": ["w"], "ts": [4]}
    assert rows.read(1, 0).schema.names == ["k", "ts"]


def test_every_column_comes_in_its_carried_type(tmp_path):
    columns = {
        "ns": pa.array([-1, None], pa.timestamp("ns", "Europe/Berlin")),
        "ms": pa.array([-1, None], pa.timestamp("ms")),
        "large": pa.array(["a", None], pa.large_string()),
        "view": pa.array(["a", None], pa.string_view()),
        "words": pa.array(["a", None]).dictionary_encode(),
        "money": pa.array([Decimal("1.25"), None], pa.decimal256(20, 2)),
        "small": pa.array([Decimal("1.25"), None], pa.decimal32(5, 2)),
        "u64": pa.array([2**64 - 1, None], pa.uint64()),
        "half": pa.array([0.5, None], pa.float16()),
        "bytes": pa.array([b"ab", None], pa.binary(2)),
        "pair": pa.array([[1, 2], None], pa.list_(pa.uint8(), 2)),
        "lists": pa.array([[1, 2], None], pa.list_view(pa.uint8())),
        "nested": pa.array([[{"at": -1}], None], pa.large_list(pa.struct({"at": pa.timestamp("ns")}))),
        "map": pa.array([[("a", 1)], None], pa.map_(pa.string(), pa.uint8())),
    }
    dataset = open_dataset(saved(tmp_path / "a.parquet", **columns))
    batch = RowGroupReader(dataset, list(columns)).read(0, 0)
    batch.validate(full=True)
    assert batch.schema == dataset.schema
    before = datetime(1969, 12, 31, 23, 59, 59, 999999)
    assert batch.slice(0, 1).to_pylist() == [
        {
            "ns": before.replace(tzinfo=UTC),
            "ms": datetime(1969, 12, 31, 23, 59, 59, 999000),
            "large": "a",
            "view": "a",
            "words": "a",
            "money": Decimal("1.25"),
            "small": Decimal("1.25"),
            "u64": Decimal(2**64 - 1),
            "half": 0.5,
            "bytes": b"ab",
            "pair": [1, 2],
            "lists": [1, 2],
            "nested": [{"at": before}],
            "map": [("a", 1)],
        }
    ]
    assert set(batch.slice(1).to_pylist()[0].values()) == {None}


def test_int96_is_cut_down_and_reaches_beyond_nanoseconds(tmp_path):
    stored = [-1001, -1000, -1, 0, 1999, None]
    options = {"use_deprecated_int96_timestamps": True}
    path = saved(tmp_path / "a.parquet", ts=pa.array(stored, pa.timestamp("ns")), options=options)
    ts = read(path, ["ts"]).column("ts")
    assert ts.type == pa.timestamp("us", "UTC")
    assert ts.cast(pa.int64()).to_pylist() == [-2, -1, -1, 0, 1, None]
    far = datetime(3000, 1, 1, tzinfo=UTC)
    path = saved(tmp_path / "b.parquet", ts=pa.array([far], pa.timestamp("us", "UTC")), options=options)
    assert read(path, ["ts"]).to_pydict() == {"ts": [far]}


def test_names_are_names_and_no_paths(tmp_path):
    columns = {
        "a": pa.array([{"b": 1, "c": 2}]),
        "a.b": ["plain"],
        "l": pa.array([[3]]),
        "l.list.element": [4],
        "": [5],
        "with space, 'quote' and ü": [6],
        "x": [7],
        "x.y": [8],
    }
    path = saved(tmp_path / "a.parquet", **columns)
    for name, column in columns.items():
        expected = column if isinstance(column, list) else column.to_pylist()
        assert read(path, [name], [name]).to_pydict() == {name: expected}
    everything = list(reversed(columns))
    assert read(path, everything).schema.names == everything
    assert read(path, everything).column("a.b").to_pylist() == ["plain"]


def test_hive_columns_are_constants_of_their_type(tmp_path):
    saved(tmp_path / "day=2024-01-01/n=1/name=a%2Fb/a.parquet", ts=[1, 2])
    saved(tmp_path / "day=2024-01-02/n=2/name=__HIVE_DEFAULT_PARTITION__/b.parquet", ts=[3])
    first = read(tmp_path, ["name", "day", "n", "ts"])
    assert first.schema.types == [pa.string(), pa.date32(), pa.int32(), pa.int64()]
    assert first.to_pylist() == [
        {"name": "a/b", "day": date(2024, 1, 1), "n": 1, "ts": 1},
        {"name": "a/b", "day": date(2024, 1, 1), "n": 1, "ts": 2},
    ]
    for file, names in enumerate((["a/b", "a/b"], [None])):
        batch = read(tmp_path, ["name", "n"], ["name", "n"], file=file)
        assert batch.schema.types == [ENCODED, pa.int32()]
        assert batch.column("name").to_pylist() == names


def test_no_column_at_all_still_has_rows(tmp_path):
    path = saved(tmp_path / "a.parquet", ts=[1, 2, 3])
    assert read(path, []).num_rows == 3
    assert [batch.num_rows for batch in RowGroupReader(open_dataset(path), []).batches(0, 0, 2)] == [2, 1]


def test_strings_stay_encoded_where_asked_for_and_the_writer_kept_to_the_dictionary(tmp_path):
    repeated = [f"router {number % 7}" for number in range(1000)]
    single = [f"a long name that comes only once {number}" for number in range(1000)]
    columns = {"k": repeated, "single": single, "other": repeated, "n": list(range(1000))}
    names = list(columns)
    path = saved(tmp_path / "a.parquet", **columns)
    batch = read(path, names, ["k", "single", "n"])
    assert batch.schema.types in ([ENCODED, kind, pa.string(), pa.int64()] for kind in (pa.string(), pa.string_view()))
    assert batch.to_pydict() == columns
    plain = saved(tmp_path / "b.parquet", options={"use_dictionary": False}, **columns)
    assert read(plain, names, ["k"]).column("k").type in (pa.string(), pa.string_view())


def test_whether_strings_stay_encoded_is_decided_for_each_row_group(tmp_path):
    values = ["x"] * 1000 + [f"a long name that comes only once {number}" for number in range(1000)] + ["y"] * 1000
    path = saved(tmp_path / "a.parquet", k=pa.array(values, pa.large_string()), row_group_size=1000)
    rows = RowGroupReader(open_dataset(path), ["k"], ["k"])
    batches = [rows.read(0, number) for number in (0, 1, 2)]
    assert batches[1].column(0).type in (pa.string(), pa.string_view())
    assert [batch.column(0).type for batch in batches[::2]] == [ENCODED, ENCODED]
    assert [value for batch in batches for value in batch.column(0).to_pylist()] == values


def test_a_column_that_was_written_as_a_dictionary_is_encoded_only_where_asked_for(tmp_path):
    words = pa.array(["b", None, "a", "b"], pa.large_string()).dictionary_encode()
    path = saved(tmp_path / "a.parquet", k=words)
    for encoded, kind in (([], pa.string()), (["k"], ENCODED)):
        column = read(path, ["k"], encoded).column("k")
        assert column.type == kind
        assert column.to_pylist() == ["b", None, "a", "b"]


@pytest.mark.parametrize(("limit", "sizes"), [(10, [10]), (9, [9, 1]), (4, [4, 4, 2])])
def test_a_large_row_group_comes_in_several_batches(tmp_path, limit, sizes):
    columns = {"ts": pa.array(range(10), pa.timestamp("ns")), "k": ["a", "b"] * 5}
    dataset = open_dataset(saved(tmp_path / "d=1/a.parquet", **columns))
    rows = RowGroupReader(dataset, ["k", "ts", "d"], ["k"])
    batches = list(rows.batches(0, 0, limit))
    assert [batch.num_rows for batch in batches] == sizes
    assert pa.Table.from_batches([batch.select(["ts", "d"]) for batch in batches]).num_rows == 10
    assert [value for batch in batches for value in batch.column("k").to_pylist()] == ["a", "b"] * 5


def test_several_row_groups_come_as_one_batch(tmp_path):
    columns = {"ts": list(range(6)), "k": ["a", "b", "b", "c", None, "a"]}
    rows = RowGroupReader(open_dataset(saved(tmp_path / "a.parquet", row_group_size=2, **columns)), ["k", "ts"], ["k"])
    (batch,) = rows.batches(0, 0, count=3)
    assert batch.to_pydict() == {"k": columns["k"], "ts": columns["ts"]}
    assert [part.column("ts").to_pylist() for part in rows.batches(0, 1, 3, count=2)] == [[2, 3, 4], [5]]


def test_a_very_wide_row_group_comes_in_several_batches(tmp_path, monkeypatch):
    values = [f"{number:0100d}" for number in range(100)] + ["x" * 10_000] * 100
    rows = RowGroupReader(open_dataset(saved(tmp_path / "a.parquet", k=values)), ["k"])
    monkeypatch.setattr(reader, "WIDEST", 10_000)
    batches = list(rows.batches(0, 0))
    assert len(batches) > 50
    assert [value for batch in batches for value in batch.column(0).to_pylist()] == values


def test_batches_go_on_although_another_row_group_was_read_meanwhile(tmp_path):
    for name in "ab":
        saved(tmp_path / f"{name}.parquet", ts=list(range(10)))
    rows = RowGroupReader(open_dataset(tmp_path), ["ts"])
    batches = rows.batches(0, 0, 5)
    first = next(batches)
    assert rows.read(1, 0).num_rows == 10
    assert first.column(0).to_pylist() + next(batches).column(0).to_pylist() == list(range(10))


def test_a_row_group_of_many_pages_is_one_batch(tmp_path):
    keys = np.random.default_rng(1).integers(0, 50, 100_000)
    columns = {"k": pa.array(keys).cast(pa.string()), "at": pa.array(keys, pa.timestamp("ns"))}
    batch = read(saved(tmp_path / "a.parquet", options={"data_page_size": 1000}, **columns), ["k", "at"], ["k"])
    assert batch.column("k").type == ENCODED
    assert batch.column("k").cast(pa.string()).equals(columns["k"])


def test_a_dataset_reads_the_same_after_pickling(tmp_path):
    saved(tmp_path / "day=1/a.parquet", ts=[1], k=["x"])
    for filesystem, path in ((None, tmp_path), (fs.SubTreeFileSystem(str(tmp_path), fs.LocalFileSystem()), "day=1")):
        dataset = pickle.loads(pickle.dumps(open_dataset(path, filesystem)))  # noqa: S301
        assert RowGroupReader(dataset, ["k", "day", "ts"]).read(0, 0).to_pydict() == {"k": ["x"], "day": [1], "ts": [1]}


def test_files_are_closed_when_the_next_is_opened(tmp_path):
    for number in range(30):
        saved(tmp_path / f"{number}.parquet", ts=[number])
    rows = RowGroupReader(open_dataset(tmp_path), ["ts"])
    descriptors = Path("/proc/self/fd")
    if not descriptors.exists():
        pytest.skip("open files are counted on Linux only")
    before = len(list(descriptors.iterdir()))
    for file in range(30):
        rows.read(file, 0)
    assert len(list(descriptors.iterdir())) <= before + 2


def test_a_file_that_changed_since_it_was_listed_is_named(tmp_path):
    path = saved(tmp_path / "a.parquet", ts=[1])
    rows = RowGroupReader(open_dataset(path), ["ts"])
    saved(path, ts=[1], more=["x"])
    with pytest.raises(StreamFramesError, match=r"read '.*a.parquet': it had \d+ bytes when it was listed and has \d+"):
        rows.read(0, 0)


def test_a_file_that_vanished_is_named(tmp_path):
    path = saved(tmp_path / "a.parquet", ts=[1])
    rows = RowGroupReader(open_dataset(path), ["ts"])
    path.unlink()
    with pytest.raises(StreamFramesError, match=r"scan\(\) cannot read '.*a.parquet': .*No such file"):
        list(rows.batches(0, 0))


def test_a_row_group_that_is_not_there_is_named(tmp_path):
    path = saved(tmp_path / "a.parquet", ts=[1])
    with pytest.raises(StreamFramesError, match=r"cannot read row group 3 of '.*a.parquet': it has 1"):
        read(path, ["ts"], number=3)


def test_a_file_with_a_damaged_page_is_named(tmp_path):
    path = saved(tmp_path / "a.parquet", ts=list(range(1000)))
    data = bytearray(path.read_bytes())
    data[40:400] = b"\xff" * 360
    path.write_bytes(data)
    rows = RowGroupReader(open_dataset(path), ["ts"])
    for attempt in (lambda: rows.read(0, 0), lambda: list(rows.batches(0, 0)), lambda: list(rows.batches(0, 0, 10))):
        with pytest.raises(StreamFramesError, match=r"scan\(\) cannot read '.*a.parquet': "):
            attempt()


def test_a_column_that_is_not_there_is_refused(tmp_path):
    dataset = open_dataset(saved(tmp_path / "a.parquet", ts=[1], k=["x"]))
    with pytest.raises(InvalidArgument, match="the column 'key', which is not there; the columns are ts, k"):
        RowGroupReader(dataset, ["ts", "key"])
