"""Catalog: what Postgres says of a table that exists."""

from __future__ import annotations

from typing import NamedTuple

from psycopg import Connection, sql
from psycopg.rows import class_row

_COLUMNS = """
    SELECT attname AS name, format_type(atttypid, atttypmod) AS kind,
        attnotnull AND NOT atthasdef AND attidentity = '' AS needed
    FROM pg_attribute WHERE attrelid = to_regclass(%s) AND attnum > 0 AND NOT attisdropped ORDER BY attnum
"""
_UNIQUE = """
    SELECT array_agg(attname::text) AS names FROM pg_index
    JOIN pg_attribute ON attrelid = indrelid AND attnum = ANY ((indkey::int2[])[0:indnkeyatts - 1])
    WHERE indrelid = to_regclass(%s) AND indisunique AND indisvalid AND indimmediate AND indpred IS NULL
    AND indexprs IS NULL GROUP BY indexrelid
"""


class Column(NamedTuple):
    """A column, its type, and whether each row must say its value."""

    name: str
    kind: str
    needed: bool


class Key(NamedTuple):
    """The columns of a unique index."""

    names: list[str]


class Columns(NamedTuple):
    """What a table has: the type of each column, those that need a value, and keys that are unique."""

    types: dict[str, str]
    needed: list[str]
    unique: list[set[str]]


def columns_of(connection: Connection[tuple[object, ...]], name: sql.Identifier) -> Columns | None:
    """The columns and keys of a table; none if there is no such table."""
    quoted = name.as_string(connection)
    with connection.cursor(row_factory=class_row(Column)) as cursor:
        rows = cursor.execute(_COLUMNS, [quoted]).fetchall()
    if not rows:
        return None
    with connection.cursor(row_factory=class_row(Key)) as cursor:
        unique = [set(key.names) for key in cursor.execute(_UNIQUE, [quoted])]
    return Columns({each.name: each.kind for each in rows}, [each.name for each in rows if each.needed], unique)
