"""Postgres as a target: what is stored, what is refused, and that a repeated or older batch changes nothing."""

from __future__ import annotations

import datetime as dt
import logging
import pickle
import uuid
from decimal import Decimal
from pathlib import Path
from typing import Any

import numpy as np
import psycopg
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given
from hypothesis import strategies as st

import streamframes as sf
from streamframes.errors import InvalidArgument, SinkError
from streamframes.sinks.changes import Changes
from tests.servers.postgres import PASSWORD, Server
from tests.sinks.batches import TableBatch, batch_of, state_after
from tests.sinks.killed_writer import batches
from tests.sinks.test_killed_writer import killed_often
from tests.thoroughness import examples

pytestmark = pytest.mark.servers

NAME = "the \"frames\" of 'Zürich' %s select; --"
UTC = dt.UTC
AT = dt.datetime(2026, 1, 5, 10, 0, 20, 1)
ZONED, EARLY = AT.replace(tzinfo=UTC), dt.datetime(1969, 12, 31, 23, 59, 59, 999999, UTC)
FRAME = st.tuples(st.integers(0, 4), st.integers(0, 5), st.booleans(), st.integers(-(2**63), 2**63 - 1))


def ask(server: Server, query: Any) -> list[Any]:
    with psycopg.connect(**server.settings, autocommit=True) as connection:
        done = connection.execute(query)
        return done.fetchall() if done.description else []


@pytest.fixture
def schema(postgres_server: Server) -> str:
    """A schema of the test's own, whose name needs quotes."""
    name = f'of "{uuid.uuid4()}"'
    ask(postgres_server, psycopg.sql.SQL("create schema {}").format(psycopg.sql.Identifier(name)))
    return name


def select(server: Server, schema: str, query: str, *tables: str) -> list[Any]:
    return ask(server, psycopg.sql.SQL(query).format(*(psycopg.sql.Identifier(schema, name) for name in tables)))


def changes(rows: list[Any]) -> pa.Table:
    columns = zip(*rows, strict=True) if rows else [[]] * 4
    names = ("frame_id", "frame_version", "frame_retracted", 'sel"ect')
    kinds = (pa.int64(), pa.int64(), pa.bool_(), pa.int64())
    return pa.table({n: pa.array(list(c), k) for n, c, k in zip(names, columns, kinds, strict=True)})


@examples(15, HealthCheck.function_scoped_fixture)
@given(st.lists(st.lists(FRAME, max_size=8), max_size=4), st.data())
def test_batches_leave_what_the_reference_leaves_also_when_they_are_repeated(
    postgres_server: Server, schema: str, parts: list[Any], data: st.DataObject
) -> None:
    # Each change of a frame has a version of its own.
    seen: dict[tuple[int, int], Any] = {}
    batches = [batch_of(changes([seen.setdefault(row[:2], row) for row in rows])) for rows in parts]
    select(postgres_server, schema, "drop table if exists {}", NAME)
    target = sf.sink.Postgres(postgres_server.url, table=NAME, schema=schema)
    for batch in batches:
        for _ in range(data.draw(st.integers(1, 2))):
            target.write(batch)
    if batches:
        found = select(postgres_server, schema, "select * from {} order by frame_id", NAME)
        assert found == [tuple(row.values()) for row in state_after(batches)]


VALUES: dict[str, tuple[pa.DataType, str, list[Any]]] = {
    "small": (pa.int16(), "smallint", [-(2**15), None, 1]),
    "byte": (pa.int8(), "smallint", [-128, None, 127]),
    "whole": (pa.int32(), "integer", [-(2**31), None, 1]),
    "long": (pa.int64(), "bigint", [-(2**63), 2**53 + 1, None]),
    "real": (pa.float32(), "real", [float("inf"), None, 0.5]),
    "double": (pa.float64(), "double precision", [float("-inf"), None, 0.1]),
    "ok": (pa.bool_(), "boolean", [True, None, False]),
    "text": (pa.string(), "text", ["ZÜ'\"\\\n\t", None, ""]),
    "bytes": (pa.binary(), "bytea", [b"\x00\xff", None, b""]),
    "day": (pa.date32(), "date", [dt.date(1, 1, 1), None, dt.date(9999, 12, 31)]),
    "local": (pa.timestamp("us"), "timestamp without time zone", [AT, None, dt.datetime(1, 1, 1)]),
    "at": (pa.timestamp("us", "UTC"), "timestamp with time zone", [ZONED, None, EARLY]),
    "took": (pa.duration("us"), "interval", [dt.timedelta(microseconds=-1), None, dt.timedelta(days=40_000)]),
    "hour": (pa.time64("ns"), "time without time zone", [dt.time(23, 59, 59, 999999), None, dt.time(0)]),
    "price": (pa.decimal128(28, 8), "numeric(28,8)", [Decimal("-1E-8"), None, Decimal("12345678901234567890.1")]),
    "longs": (pa.list_(pa.int64()), "bigint[]", [[2**53 + 1, None], [], None]),
    "texts": (pa.list_(pa.string()), "text[]", [["a", None, "{},\"'"], None, [""]]),
    "days": (pa.list_(pa.timestamp("us", "UTC")), "timestamp with time zone[]", [[ZONED] * 3, None, []]),
    "prices": (pa.list_(pa.decimal128(10, 2)), "numeric(10,2)[]", [[Decimal("1.50"), None], [], None]),
    "lists": (pa.list_(pa.list_(pa.int64())), "jsonb", [[[2**53 + 1], []], None, []]),
    "boxes": (pa.list_(pa.struct([("low", pa.float64())])), "jsonb", [[{"low": 0.1}, None], None, []]),
}  # fmt: skip


def test_every_type_keeps_every_digit(postgres_server: Server, schema: str) -> None:
    columns = {name: pa.array(values, kind) for name, (kind, _, values) in VALUES.items()}
    table = pa.table({"frame_id": [3, 1, 2], **columns})
    sf.sink.Postgres(postgres_server.url, table="types", schema=schema).write(batch_of(table))
    with psycopg.connect(**postgres_server.settings) as connection:
        connection.execute("set time zone 'Asia/Kathmandu'")
        query = psycopg.sql.SQL("select * from {} order by array_position(array[3, 1, 2], frame_id::int)")
        done = connection.execute(query.format(psycopg.sql.Identifier(schema, "types")))
        names = [column.name for column in done.description or ()]
        found = dict(zip(names, map(list, zip(*done.fetchall(), strict=True)), strict=True))
    for name, (_, _, values) in VALUES.items():
        assert found[name] == values, name
    written = select(postgres_server, schema, "select xmin, ctid::text from {} order by 2", "types")
    sf.sink.Postgres(postgres_server.url, table="types", schema=schema).write(batch_of(table))
    again = select(postgres_server, schema, "select xmin, ctid::text from {} order by 2", "types")
    assert again == written, "a batch that says nothing new writes no row"
    query = "select attname, format_type(atttypid, atttypmod) from pg_attribute where attrelid = {}::regclass"
    name = psycopg.sql.Identifier(schema, "types").as_string()
    kinds = ask(postgres_server, psycopg.sql.SQL(query).format(psycopg.sql.Literal(name)))
    assert {n: kind for n, kind in kinds if n in found} == {
        "frame_id": "bigint",
        **{name: kind for name, (_, kind, _) in VALUES.items()},
    }


@pytest.mark.parametrize("size", [0, 1, 40_000])
def test_many_rows_of_all_widths_arrive(postgres_server: Server, schema: str, size: int) -> None:
    rng = np.random.default_rng(size)
    ids = np.unique(rng.integers(-(2**63), 2**63 - 1, size))
    nulls = rng.random(ids.size) < 0.3
    texts = pa.array(["ü" * int(n) for n in rng.integers(0, 30, ids.size)], pa.string(), mask=nulls)
    longs = pa.array([list(range(int(n))) for n in rng.integers(0, 4, ids.size)], pa.list_(pa.int64()))
    table = pa.table(
        {"frame_id": ids, "n": pa.array(ids, mask=nulls), "t": texts, "l": longs, "d": pa.array(ids / 3, mask=nulls)}
    )
    sf.sink.Postgres(postgres_server.url, table="many", schema=schema).write(batch_of(table))
    found = select(postgres_server, schema, "select * from {} order by frame_id", "many")
    assert found == list(zip(*(column.to_pylist() for column in table.columns), strict=True))


@pytest.mark.parametrize("ddl", [None, "create table {} (frame_id numeric primary key, v bigint, gone boolean)"])
def test_many_rows_into_an_empty_table_are_what_few_rows_are(
    postgres_server: Server, schema: str, ddl: str | None
) -> None:
    if ddl is not None:
        select(postgres_server, schema, ddl, "many")
    rng = np.random.default_rng(1)
    target = sf.sink.Postgres(postgres_server.url, table="many", schema=schema)
    batches = []
    for _ in range(2):
        ids, versions = rng.integers(0, 12_000, 30_000), rng.integers(0, 50, 30_000)
        table = pa.table({"frame_id": ids, "v": versions, "gone": (ids + versions) % 7 == 0})
        batches.append(TableBatch(table, Changes(("frame_id",), ("v",), "gone")))
        target.write(batches[-1])
    found = select(postgres_server, schema, "select frame_id::bigint, v, gone from {} order by frame_id", "many")
    assert found == [tuple(row.values()) for row in state_after(batches)]


def test_values_that_cannot_be_held_are_refused_or_kept_aside(postgres_server: Server, schema: str) -> None:
    select(postgres_server, schema, "create table {} (frame_id bigint primary key, t varchar(3), at timestamptz)", "t")
    at = pa.array([0, -(2**62), 0, None], pa.timestamp("us", "UTC"))
    table = pa.table({"frame_id": pa.array([1, 2, 3, None]), "t": ["üüü", "a\0", "long", None], "at": at})
    target = sf.sink.Postgres(postgres_server.url, table="t", schema=schema)
    message = r"cannot hold the row frame_id=2: t a\x00 has a zero byte, which Postgres has in no text; use replace"
    with pytest.raises(SinkError, match=message):
        target.write(batch_of(table))
    assert select(postgres_server, schema, "select * from {}", "t") == []
    for _ in range(2):
        target.write(batch_of(table, number=3, bad="aside"))
    assert select(postgres_server, schema, "select frame_id, t from {}", "t") == [(1, "üüü")]
    zero, far = "has a zero byte, which Postgres has in no text", "is before 4713 BC, or a day after 5874897"
    assert select(postgres_server, schema, "select batch, reason, row::text from {} order by reason", "t_aside") == [
        (3, "frame_id is null", '{"frame_id":null,"t":null,"at":null}'),
        (3, f"t {zero}; at {far}", '{"frame_id":2,"t":"a\\u0000","at":"-4611686018427387904 us since 1970"}'),
        (3, "t is longer than 3 characters", '{"frame_id":3,"t":"long","at":"1970-01-01T00:00:00.000000+00:00"}'),
    ]


@pytest.mark.parametrize(
    ("ddl", "message"),
    [
        ("frame_id bigint primary key", "lacks x; add them with add_columns=True"),
        ("frame_id bigint primary key, x integer", "has column 'x' of type integer, where bigint would be needed"),
        ("frame_id bigint, x bigint", r'CREATE UNIQUE INDEX ON ".*"."t" \("frame_id"\)'),
        ("frame_id bigint primary key, x numeric, y text not null", "needs values of y, which the rows do not have"),
    ],
)
def test_a_table_that_does_not_fit_is_refused_before_anything_is_written(
    postgres_server: Server, schema: str, ddl: str, message: str
) -> None:
    select(postgres_server, schema, f"create table {{}} ({ddl})", "t")
    with pytest.raises(SinkError, match=message):
        sf.sink.Postgres(postgres_server.url, table="t", schema=schema).write(
            batch_of(pa.table({"frame_id": [1], "x": [2]}))
        )


def test_columns_are_added_where_that_is_wanted_and_others_are_left_alone(postgres_server: Server, schema: str) -> None:
    select(postgres_server, schema, "create table {} (remark text default 'none', frame_id bigint unique)", "t")
    select(postgres_server, schema, "insert into {} values ('mine', 1), ('also', 2)", "t")
    target = sf.sink.Postgres(postgres_server.url, table="t", schema=schema, add_columns=True)
    target.write(batch_of(pa.table({"frame_id": [1, 3], "x": [5, 6]})))
    found = select(postgres_server, schema, "select * from {} order by 2", "t")
    assert found == [("mine", 1, 5), ("also", 2, None), ("none", 3, 6)]


def test_nothing_is_half_written_and_a_constraint_says_which(postgres_server: Server, schema: str) -> None:
    select(postgres_server, schema, "create table {} (frame_id bigint primary key, x bigint check (x < 5))", "t")
    with pytest.raises(SinkError, match=r"cannot be written to: new row .* violates check constraint"):
        sf.sink.Postgres(postgres_server.url, table="t", schema=schema).write(
            batch_of(pa.table({"frame_id": [1, 2], "x": [1, 9]}))
        )
    assert select(postgres_server, schema, "select * from {}", "t") == []


def test_a_password_is_nowhere(postgres_server: Server, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level(logging.DEBUG)
    target = sf.sink.Postgres(postgres_server.url, table="t")
    # As it travels to a Connect server.
    assert pickle.loads(pickle.dumps(target)) == target  # noqa: S301
    wrong = sf.sink.Postgres(postgres_server.url.replace("tester:", "tester:not-"), table="t")
    nowhere = sf.sink.Postgres(postgres_server.url.replace(f":{postgres_server.port}", ":1"), table="t")
    said = [repr(target), repr(sf.sink.upsert(target)), target.where]
    for each, reason in ((wrong, "password authentication failed"), (nowhere, "refused")):
        with pytest.raises(SinkError, match=f"table 't' of Postgres 'postgres' at 127.0.0.1:.*{reason}") as error:
            each.write(batch_of(pa.table({"frame_id": [1]})))
        said += [str(error.value), repr(error.value), str(error.getrepr(style="long", showlocals=False))]
    with pytest.raises(InvalidArgument, match=r"url=\.\.\., which cannot be read") as invalid:
        sf.sink.Postgres("postgresql://user:hunter2@host:port:7/db?x", table="t")
    said += [str(invalid.value), caplog.text]
    secrets = (PASSWORD, "S3cret", "hunter2")
    assert not [text for text in said for secret in secrets if secret in text]


def test_names_that_postgres_would_cut_are_refused(postgres_server: Server) -> None:
    with pytest.raises(InvalidArgument, match="use at most 63 bytes"):
        sf.sink.Postgres(postgres_server.url, table="ü" * 29)
    target = sf.sink.Postgres(postgres_server.url, table="t")
    with pytest.raises(InvalidArgument, match="cannot have a column named"):
        target.write(batch_of(pa.table({"frame_id": [1], "x" * 64: [1]})))
    with pytest.raises(InvalidArgument, match="no type that holds column 'x' of type null exactly"):
        target.write(batch_of(pa.table({"frame_id": [1], "x": [None]})))


def test_a_program_that_is_killed_leaves_what_one_leaves_that_is_not(postgres_server: Server, tmp_path: Path) -> None:
    assert killed_often(tmp_path, postgres_server.url, ("staged", "merged", "written", "staged", "written")) >= 5
    found = ask(postgres_server, "select * from killed order by frame_id")
    assert found == [tuple(row.values()) for row in state_after(batches())]
