"""SQLite as a target: what is stored, what is refused, and that a repeated or older batch changes nothing."""

from __future__ import annotations

import datetime as dt
import sqlite3
from contextlib import closing
from decimal import Decimal
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamframes.errors import InvalidArgument, SinkError
from streamframes.sinks.sqlite import SQLite, affinity, quoted
from tests.sinks.batches import batch_of, state_after
from tests.thoroughness import examples

NAME = "the \"frames\" of 'Zürich' select; --"
BOX = pa.struct([("low", pa.float64()), ("at", pa.timestamp("us"))])
FRAME = st.tuples(st.integers(0, 4), st.integers(0, 5), st.booleans(), st.integers(-(2**63), 2**63 - 1))


def read(path: Path, query: str) -> list[Any]:
    with closing(sqlite3.connect(path)) as database:
        return database.execute(query).fetchall()


def changes(rows: list[Any]) -> pa.Table:
    columns = zip(*rows, strict=True) if rows else [[]] * 4
    names = ("frame_id", "frame_version", "frame_retracted", "x")
    kinds = (pa.int64(), pa.int64(), pa.bool_(), pa.int64())
    return pa.table({n: pa.array(list(c), k) for n, c, k in zip(names, columns, kinds, strict=True)})


@examples(25)
@given(st.lists(st.lists(FRAME, max_size=8), max_size=5), st.data())
def test_batches_leave_what_the_reference_leaves_also_when_they_are_repeated(
    tmp_path_factory: pytest.TempPathFactory, parts: list[Any], data: st.DataObject
) -> None:
    # Each change of a frame has a version of its own.
    seen: dict[tuple[int, int], Any] = {}
    batches = [batch_of(changes([seen.setdefault(row[:2], row) for row in rows])) for rows in parts]
    target = SQLite(tmp_path_factory.mktemp("sqlite") / "frames.db", table=NAME)
    for batch in batches:
        for _ in range(data.draw(st.integers(1, 2))):
            target.write(batch)
    if batches:
        found = read(target.path, f"select frame_id, frame_version, frame_retracted, x from {quoted(NAME)} order by 1")
        assert found == [tuple(row.values()) for row in state_after(batches)]


def test_every_type_keeps_every_digit(tmp_path: Path) -> None:
    utc, at = dt.UTC, dt.datetime(2026, 1, 5, 10, 0, 20, 1)
    table = pa.table(
        {
            "frame_id": [2**53 + 1, -(2**63)],
            "at": pa.array([at.replace(tzinfo=utc), dt.datetime(1, 1, 1, tzinfo=utc)], pa.timestamp("us", "UTC")),
            "local": pa.array([at, None], pa.timestamp("us")),
            "day": pa.array([dt.date(1969, 12, 31), dt.date(9999, 12, 31)]),
            "price": pa.array([Decimal("-0.00000001"), Decimal("12345678901234567890.00000001")], pa.decimal128(28, 8)),
            "took": pa.array([1, -(2**62)], pa.duration("us")),
            "x": [0.1, float("-inf")],
            "ok": [True, None],
            "name": ["ZÜ'\"\n", ""],
            "blob": [b"\x00\xff", b""],
            "cells": pa.array([[2**53 + 1, None], []], pa.list_(pa.int64())),
            "boxes": pa.array([[{"low": 1.5, "at": at}], None], pa.list_(BOX)),
        }
    )
    target = SQLite(tmp_path / "types.db", table="types")
    target.write(batch_of(table))
    target.write(batch_of(table.slice(1)))
    assert read(target.path, "select * from types order by frame_id desc") == [
        (
            2**53 + 1,
            "2026-01-05T10:00:20.000001+00:00",
            "2026-01-05T10:00:20.000001",
            "1969-12-31",
            "-0.00000001",
            1,
            0.1,
            1,
            "ZÜ'\"\n",
            b"\x00\xff",
            "[9007199254740993,null]",
            '[{"low":1.5,"at":"2026-01-05T10:00:20.000001"}]',
        ),
        (
            -(2**63),
            "0001-01-01T00:00:00.000000+00:00",
            None,
            "9999-12-31",
            "12345678901234567890.00000001",
            -(2**62),
            float("-inf"),
            None,
            "",
            b"",
            "[]",
            None,
        ),
    ]


def test_a_value_that_cannot_be_held_stops_the_batch_with_row_and_remedy(tmp_path: Path) -> None:
    target = SQLite(tmp_path / "bad.db", table="loss")
    table = pa.table({"frame_id": [1, 2, 3], "x": [0.5, float("nan"), float("nan")]})
    message = (
        r"table 'loss' of SQLite 'bad.db' cannot hold the row frame_id=2: x nan is NaN, which SQLite would make NULL; "
        r'use nanvl, or keep such rows in a table of their own with upsert\(..., bad="aside"\). 1 other rows cannot be '
        r'held either. The row: {"frame_id":2,"x":"nan"}'
    )
    with pytest.raises(SinkError, match=message):
        target.write(batch_of(table))
    assert read(target.path, "select * from loss") == []


def test_rows_are_kept_aside_once(tmp_path: Path) -> None:
    target = SQLite(tmp_path / "aside.db", table="loss")
    at = pa.array([0, 2**62, None], pa.timestamp("us", "UTC"))
    table = pa.table({"frame_id": pa.array([1, 2, None]), "x": [0.5, float("nan"), 1.0], "at": at})
    for _ in range(2):
        target.write(batch_of(table, number=7, bad="aside"))
    assert read(target.path, "select frame_id from loss") == [(1,)]
    assert read(target.path, "select batch, reason, row from loss_aside order by reason") == [
        (7, "frame_id is null", '{"frame_id":null,"x":1.0,"at":null}'),
        (
            7,
            "x is NaN, which SQLite would make NULL; at is before the year 1 or after 9999",
            '{"frame_id":2,"x":"nan","at":"4611686018427387904 us since 1970"}',
        ),
    ]


@pytest.mark.parametrize(
    ("ddl", "message"),
    [
        ("frame_id integer primary key", "lacks x; add them with add_columns=True"),
        ("frame_id integer primary key, x text", "has column 'x' of type TEXT, where INTEGER would be needed"),
        ("frame_id real primary key, x integer", "has column 'frame_id' of type REAL, where INTEGER"),
        ("frame_id integer, x integer", r'several rows of one key; .* UNIQUE INDEX ... ON "t" \("frame_id"\)'),
        ("frame_id integer primary key, x integer, y text not null", "needs values of y, which the rows do not have"),
    ],
)
def test_a_table_that_does_not_fit_is_refused_before_anything_is_written(
    tmp_path: Path, ddl: str, message: str
) -> None:
    with closing(sqlite3.connect(tmp_path / "old.db")) as database:
        database.execute(f"create table t ({ddl})")
    with pytest.raises(SinkError, match=message):
        SQLite(tmp_path / "old.db", table="t").write(batch_of(pa.table({"frame_id": [1], "x": [2]})))
    assert read(tmp_path / "old.db", "select count(*) from t") == [(0,)]


def test_columns_are_added_where_that_is_wanted_and_others_are_left_alone(tmp_path: Path) -> None:
    with closing(sqlite3.connect(tmp_path / "old.db")) as database, database:
        database.execute("create table t (remark text default 'none', FRAME_ID integer unique)")
        database.execute("insert into t values ('mine', 1), ('also', 2)")
    target = SQLite(tmp_path / "old.db", table="t", add_columns=True)
    target.write(batch_of(pa.table({"frame_id": [1, 3], "x": [5, 6]})))
    assert read(target.path, "select * from t order by 2") == [("mine", 1, 5), ("also", 2, None), ("none", 3, 6)]


def test_a_database_that_is_down_is_said_so_and_nothing_is_half_written(tmp_path: Path) -> None:
    target = SQLite(tmp_path / "locked.db", table="t", timeout=0.01)
    one, two = (batch_of(pa.table({"frame_id": [1], "x": [n]})) for n in (1, 2))
    target.write(one)
    with closing(sqlite3.connect(target.path, isolation_level=None)) as other:
        other.execute("begin immediate")
        with pytest.raises(SinkError, match=r"of SQLite .* cannot be written to: database is locked"):
            target.write(two)
    target.write(two)
    assert read(target.path, "select x from t") == [(2,)]


def test_arguments_are_checked_at_once() -> None:
    with pytest.raises(InvalidArgument, match="path=':memory:' must be the path of a file"):
        SQLite(":memory:", table="t")
    with pytest.raises(InvalidArgument, match="SQLite cannot have a table named 'sqlite_x'"):
        SQLite("a.db", table="sqlite_x")
    with pytest.raises(InvalidArgument, match="table='' must be the name of a table"):
        SQLite("a.db", table="")


@pytest.mark.parametrize(
    "declared", ["BIGINT", "varchar(3)", "", "double", "CHARINT", "boolean", "blob", "FLOATING POINT"]
)
def test_affinity_is_that_of_sqlite(declared: str) -> None:
    with closing(sqlite3.connect(":memory:")) as database:
        database.execute(f"create table t (x {declared})")
        database.execute("insert into t values ('1'), (1.5), (2)")
        found = {row[0] for row in database.execute("select typeof(x) from t")}
    expected = {"INTEGER": {"integer", "real"}, "TEXT": {"text"}, "BLOB": {"text", "real", "integer"}}
    assert found == expected.get(affinity(declared), {"real"} if affinity(declared) == "REAL" else {"integer", "real"})
