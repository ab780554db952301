"""Merge: the statements that bring rows into a table, by way of a temporary one.

Names are composed as identifiers, and types are those of `types`; no value stands in a statement.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import pyarrow as pa
import pyarrow.compute as pc
from psycopg import Connection, sql

from streamframes.sinks.changes import Changes
from streamframes.sinks.database import Layout
from streamframes.sinks.postgres.copy import copied
from streamframes.sinks.postgres.types import staged_type

_NAME = "__streamframes_staged"
STAGED = sql.Identifier("pg_temp", _NAME)


def stage(connection: Connection[tuple[object, ...]], layout: Layout) -> None:
    """Make the staging table, which is gone when the transaction ends."""
    columns = [
        sql.SQL("{} {}").format(sql.Identifier(name), sql.SQL(staged_type(kind))) for name, kind in layout.types.items()
    ]
    create = sql.SQL("CREATE TEMP TABLE {} ({}) ON COMMIT DROP")
    connection.execute(create.format(sql.Identifier(_NAME), sql.SQL(", ").join(columns)))


def copy_in(connection: Connection[tuple[object, ...]], table: sql.Identifier, rows: pa.Table) -> None:
    """Copy rows into a table that has their columns."""
    statement = sql.SQL("COPY {} ({}) FROM STDIN (FORMAT binary)").format(table, names_of(rows.column_names))
    with connection.cursor() as cursor, cursor.copy(statement) as copy:
        for block in copied(rows):
            copy.write(block)


def without_retracted(rows: pa.Table, changes: Changes) -> pa.Table:
    """The rows but those that say that a frame is no more."""
    if changes.retracted is None:
        return rows
    return rows.filter(pc.invert(rows[changes.retracted].fill_null(False)))


def merging(table: sql.Identifier, layout: Layout) -> Iterator[sql.Composed]:
    """Delete what the staged rows retract, then insert or replace the others, unless what is stored is newer."""
    changes, staying = layout.changes, sql.Composed([sql.SQL("true")])
    if changes.retracted is not None:
        gone = sql.SQL("coalesce(staged.{}, false)").format(sql.Identifier(changes.retracted))
        same = _pairs(changes.key, "stored.{0} = staged.{0}", " AND ")
        delete = sql.SQL("DELETE FROM {} AS stored USING {} AS staged WHERE {} AND {} AND {}")
        yield delete.format(table, STAGED, gone, same, _not_older(changes.order, "staged"))
        staying = sql.SQL("NOT {}").format(gone)
    values = [
        sql.SQL("staged.{}::{}").format(sql.Identifier(name), sql.SQL(kind)) for name, kind in layout.types.items()
    ]
    then = sql.Composed([sql.SQL("NOTHING")])
    if layout.values:
        sets = _pairs(layout.values, "{0} = excluded.{0}", ", ")
        guard, changed = _not_older(changes.order, "excluded"), _changed(layout)
        then = sql.SQL("UPDATE SET {} WHERE {} AND {}").format(sets, guard, changed)
    insert = sql.SQL("INSERT INTO {} AS stored ({}) SELECT {} FROM {} AS staged WHERE {} ON CONFLICT ({}) DO {}")
    names, key = names_of(layout.names), names_of(changes.key)
    yield insert.format(table, names, sql.SQL(", ").join(values), STAGED, staying, key, then)


def names_of(names: Sequence[str]) -> sql.Composed:
    """Names in a list of columns."""
    return sql.SQL(", ").join(map(sql.Identifier, names))


def _pairs(names: Sequence[str], each: str, between: str) -> sql.Composed:
    return sql.SQL(between).join(sql.SQL(each).format(sql.Identifier(name)) for name in names)


def _changed(layout: Layout) -> sql.Composed:
    """Whether a row says anything new: one that does not is not written, which takes a third of the time."""
    sides = []
    for side in ("stored", "excluded"):
        # Postgres compares jsonb, but not json, which a table may have.
        columns = [
            sql.SQL("{}::jsonb" if layout.types[name] == "jsonb" else "{}").format(sql.Identifier(side, name))
            for name in layout.values
        ]
        sides.append(sql.SQL(", ").join(columns))
    return sql.SQL("ROW({}) IS DISTINCT FROM ROW({})").format(*sides)


def _not_older(order: Sequence[str], own: str) -> sql.Composed:
    """Whether a row is at least as new as the stored one."""
    if not order:
        return sql.Composed([sql.SQL("true")])
    sides = (sql.SQL(", ").join(sql.Identifier(table, name) for name in order) for table in ("stored", own))
    return sql.SQL("coalesce(({}) <= ({}), true)").format(*sides)
