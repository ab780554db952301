"""What footers say: the columns on which files agree, files that cannot be read, and ranges of instants.

Covers: streamframes.core.files.parquet.row_groups
"""

from __future__ import annotations

import pickle
from datetime import date
from types import SimpleNamespace

import pyarrow as pa
import pyarrow.parquet as pq
import pytest

from streamframes.core.files.parquet import row_groups
from streamframes.core.files.parquet.dataset import open_dataset
from streamframes.core.files.parquet.row_groups import RowGroup
from streamframes.core.files.parquet.types import as_spark_sees
from streamframes.errors import InvalidArgument, StreamFramesError


def saved(path, /, row_group_size=None, options=None, **columns):
    """A file with these columns; a list is what pyarrow makes of it."""
    path.parent.mkdir(parents=True, exist_ok=True)
    pq.write_table(pa.table(columns), path, row_group_size, **(options or {}))
    return path


def ranges(path, ts="ts"):
    return [(group.low, group.high) for group in row_groups.row_groups_of(open_dataset(path), ts)]


def test_the_schema_is_that_of_the_first_file_and_then_the_hive_columns(tmp_path):
    saved(tmp_path / "day=2024-01-01/a.parquet", ts=pa.array([1, 2], pa.timestamp("ns")), k=["x", "y"])
    saved(
        tmp_path / "day=2024-01-02/b.parquet",
        k=pa.array(["x"], pa.large_string()),
        ts=pa.array([1], pa.timestamp("ms")),
    )
    dataset = open_dataset(tmp_path)
    assert dataset.schema == pa.schema({"ts": pa.timestamp("us"), "k": pa.string(), "day": pa.date32()})
    assert dataset.rows == 3
    assert dataset.root == str(tmp_path)


@pytest.mark.parametrize(
    ("values", "kind"),
    [
        (["1", "-2", "007"], pa.int32()),
        (["1", "__HIVE_DEFAULT_PARTITION__"], pa.int32()),
        (["1", "2147483648"], pa.int64()),
        (["1", "9223372036854775808"], pa.string()),
        (["1", "x"], pa.string()),
        (["2024-02-29"], pa.date32()),
        (["2023-02-29"], pa.string()),
        (["2024-02-29", "1"], pa.string()),
        (["1.5"], pa.string()),
        (["__HIVE_DEFAULT_PARTITION__"], pa.string()),
    ],
)
def test_a_hive_column_has_the_type_of_all_its_values(tmp_path, values, kind):
    for value in values:
        saved(tmp_path / f"h={value}/a.parquet", ts=[1])
    assert open_dataset(tmp_path).schema.field("h").type == kind


def test_a_column_that_spark_could_not_carry_is_left_out(tmp_path):
    path = saved(tmp_path / "a.parquet", ts=[1], clock=pa.array([1], pa.time64("us")))
    assert open_dataset(path).schema.names == ["ts"]


def test_int96_is_an_instant_of_utc_also_inside_other_columns(tmp_path):
    at = pa.array([-1], pa.timestamp("ns"))
    options = {"use_deprecated_int96_timestamps": True}
    lists = pa.array([[{"n": 1, "at": -1}]], pa.list_(pa.struct({"n": pa.int64(), "at": pa.timestamp("ns")})))
    path = saved(tmp_path / "a.parquet", ts=at, lists=lists, options=options)
    instant = pa.timestamp("us", "UTC")
    nested = pa.list_(pa.struct({"n": pa.int64(), "at": instant}))
    assert open_dataset(path).schema == pa.schema({"ts": instant, "lists": nested})
    assert row_groups.row_groups_of(open_dataset(path), "ts") == [RowGroup(0, 0, 1, None, None)]


def test_an_enumeration_is_a_string():
    leaf = SimpleNamespace(physical_type="BYTE_ARRAY", logical_type=SimpleNamespace(type="ENUM"))
    assert as_spark_sees(pa.list_(pa.binary()), iter([leaf])) == pa.list_(pa.string())


def test_a_dataset_without_rows_is_one(tmp_path):
    dataset = open_dataset(saved(tmp_path / "a.parquet", ts=pa.array([], pa.int64())))
    assert (dataset.rows, row_groups.row_groups_of(dataset, "ts"), dataset.schema.names) == (0, [], ["ts"])


def test_a_file_that_is_no_parquet_file_is_named(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"ts,value\n1,2\n3,4\n")
    with pytest.raises(StreamFramesError, match=r"a.parquet', which is no Parquet file: it begins with b'ts,v'"):
        open_dataset(tmp_path)


def test_an_empty_file_is_named(tmp_path):
    (tmp_path / "a.parquet").touch()
    with pytest.raises(StreamFramesError, match=r"a.parquet', which is no Parquet file: it has 0 bytes"):
        open_dataset(tmp_path)


def test_a_file_that_was_cut_off_is_named_among_many(tmp_path):
    for name in "abcdefghijkl":
        saved(tmp_path / f"{name}.parquet", ts=[1])
    data = (tmp_path / "k.parquet").read_bytes()
    (tmp_path / "k.parquet").write_bytes(data[:-20])
    with pytest.raises(StreamFramesError, match=r"k.parquet', which begins like a Parquet file and does not end"):
        open_dataset(tmp_path)


def test_a_file_whose_footer_is_damaged_is_named(tmp_path):
    data = bytearray(saved(tmp_path / "a.parquet", ts=[1]).read_bytes())
    data[-8:-4] = (10**9).to_bytes(4, "little")
    (tmp_path / "a.parquet").write_bytes(data)
    with pytest.raises(StreamFramesError, match=r"a.parquet', whose footer cannot be read: "):
        open_dataset(tmp_path)


def test_an_encrypted_file_is_named(tmp_path):
    (tmp_path / "a.parquet").write_bytes(b"PARE" + bytes(100) + b"PARE")
    with pytest.raises(StreamFramesError, match=r"a.parquet', which is encrypted"):
        open_dataset(tmp_path)


def test_files_must_have_the_same_columns(tmp_path):
    saved(tmp_path / "a.parquet", ts=[1], k=["x"])
    saved(tmp_path / "b.parquet", ts=[1])
    with pytest.raises(InvalidArgument, match=r"b.parquet', which has no column 'k', but '.*a.parquet' has it"):
        open_dataset(tmp_path)
    saved(tmp_path / "a.parquet", ts=[1])
    saved(tmp_path / "b.parquet", ts=[1], k=["x"])
    with pytest.raises(InvalidArgument, match=r"a.parquet', which has no column 'k', but '.*b.parquet' has it"):
        open_dataset(tmp_path)


def test_files_must_agree_in_types(tmp_path):
    saved(tmp_path / "a.parquet", ts=pa.array([1], pa.timestamp("us")))
    saved(tmp_path / "b.parquet", ts=pa.array([1], pa.timestamp("us", "UTC")))
    message = r"b.parquet', where column 'ts' is timestamp\[us, tz=UTC\], but in '.*a.parquet' it is timestamp\[us\]"
    with pytest.raises(InvalidArgument, match=message):
        open_dataset(tmp_path)


def test_int96_and_a_timestamp_without_zone_do_not_agree(tmp_path):
    at = pa.array([1], pa.timestamp("ns"))
    saved(tmp_path / "a.parquet", ts=at)
    saved(tmp_path / "b.parquet", ts=at, options={"use_deprecated_int96_timestamps": True})
    with pytest.raises(InvalidArgument, match=r"b.parquet', where column 'ts' is timestamp\[us, tz=UTC\]"):
        open_dataset(tmp_path)


def test_a_column_name_may_come_once_in_a_file(tmp_path):
    twice = pa.table([pa.array([1]), pa.array([2])], names=["ts", "ts"])
    pq.write_table(twice, tmp_path / "a.parquet")
    with pytest.raises(InvalidArgument, match=r"a.parquet', which has more than one column 'ts'"):
        open_dataset(tmp_path)


def test_a_hive_column_may_not_be_a_column_of_the_file_as_well(tmp_path):
    saved(tmp_path / "day=1/a.parquet", ts=[1], day=[1])
    with pytest.raises(InvalidArgument, match=r"a.parquet', where 'day' is the column of a folder .* in the file"):
        open_dataset(tmp_path)
    saved(tmp_path / "x/day=1/day=2/a.parquet", ts=[1])
    with pytest.raises(InvalidArgument, match=r"comes again in another folder"):
        open_dataset(tmp_path / "x")


@pytest.mark.parametrize(
    ("kind", "stored", "expected"),
    [
        (pa.timestamp("ms", "UTC"), [-1, None, 5], (-1000, 5000)),
        (pa.timestamp("us"), [-1, None, 5], (-1, 5)),
        (pa.timestamp("us"), [-(2**62) - 1, 2**62 + 1], (-(2**62) - 1, 2**62 + 1)),
        (pa.timestamp("ns"), [-1, None, 5999], (-1, 5)),
        (pa.timestamp("s"), [-1, 5], (-1000000, 5000000)),
        (pa.date32(), [-1, None, 5], (-1, 5)),
        (pa.date64(), [-86400000, None, 86400000], (-1, 1)),
        (pa.int8(), [-128, 127], (-128, 127)),
        (pa.int16(), [-7, 7], (-7, 7)),
        (pa.int32(), [-7, 7], (-7, 7)),
        (pa.int64(), [-(2**63), 2**63 - 1], (-(2**63), 2**63 - 1)),
        (pa.uint8(), [1, 255], (1, 255)),
        (pa.uint32(), [1, 2**32 - 1], (1, 2**32 - 1)),
        (pa.uint64(), [1, 2**64 - 1], (1, 2**64 - 1)),
        (pa.duration("ns"), [-7, 7], (-7, 7)),
        (pa.float64(), [1.0, 2.0], (None, None)),
        (pa.string(), ["a", "b"], (None, None)),
        (pa.decimal128(10, 2), [1, 2], (None, None)),
    ],
    ids=str,
)
def test_the_range_of_a_row_group_is_that_of_its_statistics_in_ticks(tmp_path, kind, stored, expected):
    assert ranges(saved(tmp_path / "a.parquet", ts=pa.array(stored, kind))) == [expected]


def test_row_groups_come_file_after_file_with_their_numbers(tmp_path, monkeypatch):
    monkeypatch.setattr(row_groups, "ROWS_TOGETHER", 0)
    saved(tmp_path / "a.parquet", ts=[3, 1, 9, 8, 5], row_group_size=2)
    saved(tmp_path / "b.parquet", ts=[0])
    assert row_groups.row_groups_of(open_dataset(tmp_path), "ts") == [
        RowGroup(0, 0, 2, 1, 3),
        RowGroup(0, 1, 2, 8, 9),
        RowGroup(0, 2, 1, 5, 5),
        RowGroup(1, 0, 1, 0, 0),
    ]


def test_small_row_groups_that_follow_each_other_in_time_are_read_together(tmp_path, monkeypatch):
    saved(tmp_path / "a.parquet", ts=[1, 3, 3, 9, 8, 12, 20, 21, 22, 23], row_group_size=2)
    saved(tmp_path / "b.parquet", ts=[30])
    assert row_groups.row_groups_of(open_dataset(tmp_path), "ts") == [
        RowGroup(0, 0, 4, 1, 9, count=2),
        RowGroup(0, 2, 6, 8, 23, count=3),
        RowGroup(1, 0, 1, 30, 30),
    ]
    monkeypatch.setattr(row_groups, "ROWS_TOGETHER", 5)
    assert [group.count for group in row_groups.row_groups_of(open_dataset(tmp_path), "ts")] == [2, 2, 1, 1]


def test_a_row_group_without_any_instant_is_left_out(tmp_path):
    path = saved(tmp_path / "a.parquet", ts=pa.array([None, None, 1, None], pa.int64()), row_group_size=2)
    assert row_groups.row_groups_of(open_dataset(path), "ts") == [RowGroup(0, 1, 2, 1, 1)]


def test_without_statistics_the_range_is_not_known(tmp_path):
    path = saved(tmp_path / "a.parquet", ts=[1, 2], options={"write_statistics": False})
    assert row_groups.row_groups_of(open_dataset(path), "ts") == [RowGroup(0, 0, 2, None, None)]


def test_the_statistics_are_those_of_the_column_and_of_none_that_looks_like_it(tmp_path):
    columns = {"a": pa.array([{"ts": 1, "b": 2}]), "a.ts": [3], "ts": [4], "l": pa.array([[5]]), "l.list.element": [6]}
    path = saved(tmp_path / "a.parquet", **columns)
    assert [ranges(path, name) for name in ("a.ts", "ts", "l.list.element")] == [[(3, 3)], [(4, 4)], [(6, 6)]]
    assert ranges(path, "a") == ranges(path, "l") == [(None, None)]


def test_a_hive_column_may_be_the_instant(tmp_path):
    saved(tmp_path / "t/day=1970-01-03/a.parquet", x=[1, 2])
    saved(tmp_path / "t/day=__HIVE_DEFAULT_PARTITION__/b.parquet", x=[1])
    saved(tmp_path / "n/hour=7/c.parquet", x=[1])
    assert row_groups.row_groups_of(open_dataset(tmp_path / "t"), "day") == [RowGroup(0, 0, 2, 2, 2)]
    assert ranges(tmp_path / "n", "hour") == [(7, 7)]


def test_an_unknown_ts_is_refused(tmp_path):
    dataset = open_dataset(saved(tmp_path / "a.parquet", ts=[1], k=["x"]))
    with pytest.raises(InvalidArgument, match="got ts='tss', which is not a column; the columns are ts, k"):
        row_groups.row_groups_of(dataset, "tss")


def test_a_pickled_dataset_leaves_its_footers_behind(tmp_path):
    for name in "abc":
        saved(tmp_path / f"day=2024-01-01/{name}.parquet", ts=[1, 2], k=["x", "y"])
    dataset = open_dataset(tmp_path)
    data = pickle.dumps(dataset)
    copy = pickle.loads(data)  # noqa: S301
    assert copy == dataset
    assert copy.footers == ()
    assert b"PAR1" not in data
    assert date(2024, 1, 1).isoformat() == copy.files[0].partition[0][1]
    with pytest.raises(StreamFramesError, match="known only where its footers were read"):
        row_groups.row_groups_of(copy, "ts")


def test_values_of_a_column_take_what_its_dictionary_takes_or_all_that_is_stored(tmp_path):
    few, many = ["a", "b"] * 5_000, [f"key-{number:05d}" for number in range(10_000)]
    dataset = open_dataset(saved(tmp_path / "a.parquet", few=few, many=many))
    assert 0 < dataset.stored_bytes("few") < 100
    assert 10_000 < dataset.stored_bytes("many") < 200_000
    plain = open_dataset(saved(tmp_path / "b.parquet", few=few, options={"use_dictionary": False, "compression": None}))
    assert plain.stored_bytes("few") > 10_000
    assert open_dataset(saved(tmp_path / "c.parquet", few=pa.array([], pa.string()))).stored_bytes("few") == 0
