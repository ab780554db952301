"""SQLite: a table in a file, with the library that comes with Python; no server.

Whole numbers, doubles, texts and bytes are SQLite's own. Everything else is text that keeps each digit and sorts as the
values do: instants as `2026-01-05T10:00:20.000000+00:00`, dates, decimals; lists and structs as JSON. Intervals are
whole microseconds.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from contextlib import closing, contextmanager
from dataclasses import dataclass, field
from os import PathLike
from pathlib import Path
from typing import TYPE_CHECKING, NamedTuple

import pyarrow as pa
import pyarrow.compute as pc

from streamframes.core.validation import check_positive
from streamframes.errors import InvalidArgument, SinkError
from streamframes.sinks.database import Database, Layout
from streamframes.sinks.refusals import ASIDE, AsideRow, Fault
from streamframes.sinks.texts import FIRST_DAY, FIRST_INSTANT, LAST_DAY, LAST_INSTANT, outside, texts, to_json

if TYPE_CHECKING:
    import sqlite3

# What a column of each affinity keeps as it is: by its declared type SQLite converts values when they are stored.
_KEPT_BY = {"INTEGER": {"INTEGER", "NUMERIC", "BLOB"}, "REAL": {"REAL", "BLOB"}, "TEXT": {"TEXT", "BLOB"}}


class Columns(NamedTuple):
    """What a table has: the declared type of each column by its name in lower case, and keys that are unique."""

    types: dict[str, str]
    needed: list[str]
    unique: list[set[str]]


@dataclass(frozen=True, init=False)
class SQLite(Database["sqlite3.Connection", Columns]):
    """A table in a file of SQLite, for `upsert()`.

    Parameters
    ----------
    path
        The file, which is made where it is missing; on the driver's machine.
    table
        The table, which is made of the columns of the first batch where it is missing.
    add_columns
        Add the columns that a table lacks, instead of refusing it.
    timeout
        How many seconds to wait for others that write to the file.

    Examples
    --------
    >>> SQLite("episodes.db", table="loss").table
    'loss'
    """

    path: Path = field(default=Path())
    timeout: float = field(default=60.0)

    def __init__(
        self, path: str | PathLike[str], *, table: str, add_columns: bool = False, timeout: float = 60.0
    ) -> None:
        check_positive(timeout, "timeout")
        if not str(path) or str(path).startswith((":memory:", "file:")):
            raise InvalidArgument(f"path={str(path)!r} must be the path of a file")
        # The program may be elsewhere when the query runs.
        settings = {"path": Path(path).absolute(), "table": table, "add_columns": add_columns, "timeout": timeout}
        for name, value in settings.items():
            object.__setattr__(self, name, value)
        self.__post_init__()

    @property
    def where(self) -> str:
        """The table in words."""
        return f"table {self.table!r} of SQLite {self.path.name!r}"

    def check_name(self, name: str, what: str) -> None:
        """Refuse a name that SQLite does not take as it is."""
        if "\0" in name or (what == "table" and name.lower().startswith("sqlite_")):
            raise InvalidArgument(f"SQLite cannot have a {what} named {name!r}; choose another name")

    def type_of(self, kind: pa.DataType) -> str | None:
        """The declared type of a column."""
        if pa.types.is_boolean(kind) or pa.types.is_integer(kind) or pa.types.is_duration(kind):
            return None if kind == pa.uint64() else "INTEGER"
        if pa.types.is_floating(kind):
            return "REAL"
        if pa.types.is_binary(kind):
            return "BLOB"
        return None if pa.types.is_null(kind) else "TEXT"

    @contextmanager
    def connected(self) -> Iterator[sqlite3.Connection]:
        """A connection to the file."""
        import sqlite3  # workers load this module, and never connect

        try:
            with closing(sqlite3.connect(self.path, timeout=self.timeout, isolation_level=None)) as connection:
                yield connection
        except (sqlite3.Error, OverflowError) as error:
            raise SinkError(f"{self.where} cannot be written to: {error} ({self.path})") from None

    @contextmanager
    def transaction(self, connection: sqlite3.Connection) -> Iterator[None]:
        """Others wait from the beginning on, not in the middle."""
        connection.execute("BEGIN IMMEDIATE")
        try:
            yield
        except BaseException:
            connection.rollback()
            raise
        connection.commit()

    def found(self, connection: sqlite3.Connection) -> Columns | None:
        """The columns and keys of the table that exists."""
        query = 'SELECT name, type, "notnull" AND dflt_value IS NULL, pk FROM pragma_table_info(?)'
        rows = connection.execute(query, [self.table]).fetchall()
        if not rows:
            return None
        unique = [{name.lower() for name, *_, pk in rows if pk}]
        for (index,) in connection.execute(
            'SELECT name FROM pragma_index_list(?) WHERE "unique" AND NOT partial', [self.table]
        ):
            names = connection.execute("SELECT name FROM pragma_index_info(?)", [index]).fetchall()
            unique.append({str(name).lower() for (name,) in names})
        needed = [name.lower() for name, _, is_needed, pk in rows if is_needed and not pk]
        return Columns({name.lower(): kind for name, kind, *_ in rows}, needed, unique)

    def create(self, connection: sqlite3.Connection, layout: Layout) -> None:
        """Make the table, with the key as its primary key."""
        key = layout.changes.key
        columns = [f"{quoted(name)} {layout.types[name]}{' NOT NULL' * (name in key)}" for name in layout.names]
        columns.append(f"PRIMARY KEY ({', '.join(map(quoted, key))})")
        connection.execute(f"CREATE TABLE {quoted(self.table)} ({', '.join(columns)})")

    def fit(self, connection: sqlite3.Connection, layout: Layout, found: Columns) -> None:
        """Refuse a table that lacks columns, would convert values, or has no such key."""
        missing = [name for name in layout.names if name.lower() not in found.types]
        if missing and not self.add_columns:
            raise SinkError(
                f"{self.where} lacks {', '.join(missing)}; add them with add_columns=True, leave them out of the rows, "
                f"or name another table"
            )
        for name in missing:
            connection.execute(f"ALTER TABLE {quoted(self.table)} ADD COLUMN {quoted(name)} {layout.types[name]}")
        for name in set(layout.names) - set(missing):
            there, here = found.types[name.lower()], layout.types[name]
            if affinity(there) not in _KEPT_BY.get(here, {affinity(there)}):
                raise SinkError(f"{self.where} has column {name!r} of type {there}, where {here} would be needed")
        own = {name.lower() for name in layout.names}
        if extra := [name for name in found.needed if name not in own]:
            raise SinkError(f"{self.where} needs values of {', '.join(extra)}, which the rows do not have")
        if {name.lower() for name in layout.changes.key} not in found.unique:
            key = ", ".join(map(quoted, layout.changes.key))
            raise SinkError(
                f"{self.where} may have several rows of one key; make it unique with CREATE UNIQUE INDEX ... ON "
                f"{quoted(self.table)} ({key})"
            )

    def faults(self, table: pa.Table, layout: Layout, found: Columns) -> list[Fault]:
        """NaN, which SQLite would store as NULL, and instants that ISO 8601 cannot write."""
        checked = []
        for name in layout.names:
            array, reason, remedy = table[name].combine_chunks(), "is before the year 1 or after 9999", "clip it"
            if pa.types.is_floating(array.type):
                rows, reason, remedy = (
                    pc.is_nan(array),
                    "is NaN, which SQLite would make NULL",
                    "use nanvl",
                )
            elif pa.types.is_timestamp(array.type):
                rows = outside(array, FIRST_INSTANT, LAST_INSTANT)
            elif pa.types.is_date(array.type):
                rows = outside(array, FIRST_DAY, LAST_DAY)
            else:
                continue
            checked.append(Fault(name, rows, reason, remedy))
        return [fault for fault in checked if fault.rows.true_count]

    def merge(self, connection: sqlite3.Connection, rows: pa.Table, layout: Layout) -> None:
        """Delete what is retracted, then insert or replace the rest."""
        changes = layout.changes
        if changes.retracted is not None:
            gone = rows[changes.retracted].fill_null(False)
            deleted = rows.filter(gone).select([*changes.key, *changes.order])
            same = " AND ".join(f"{quoted(name)} = ?" for name in changes.key)
            newer = _not_older([quoted(name) for name in changes.order], ["?" for _ in changes.order])
            statement = f"DELETE FROM {quoted(self.table)} WHERE {same} AND {newer}"
            connection.executemany(statement, _values(deleted))
            rows = rows.filter(pc.invert(gone))
        names, key = ", ".join(map(quoted, layout.names)), ", ".join(map(quoted, changes.key))
        sets = ", ".join(f"{quoted(name)} = excluded.{quoted(name)}" for name in layout.values)
        stored, own = ([f"{table}.{quoted(name)}" for name in changes.order] for table in ("stored", "excluded"))
        then = f"UPDATE SET {sets} WHERE {_not_older(stored, own)}" if sets else "NOTHING"
        statement = (
            f"INSERT INTO {quoted(self.table)} AS stored ({names}) VALUES ({', '.join('?' * len(layout.names))}) "
            f"ON CONFLICT ({key}) DO {then}"
        )
        connection.executemany(statement, _values(rows))

    def keep_aside(self, connection: sqlite3.Connection, rows: Sequence[AsideRow]) -> None:
        """Add rows to the table beside."""
        name = quoted(self.aside_table)
        columns = "digest TEXT PRIMARY KEY, batch INTEGER, reason TEXT, row TEXT"
        connection.execute(f"CREATE TABLE IF NOT EXISTS {name} ({columns})")
        connection.executemany(f"INSERT OR IGNORE INTO {name} ({', '.join(ASIDE)}) VALUES (?, ?, ?, ?)", rows)


def quoted(name: str) -> str:
    """A name as SQL takes it, whatever is in it."""
    return '"' + name.replace('"', '""') + '"'


def affinity(declared: str) -> str:
    """What SQLite converts the values of a column to, by its declared type."""
    kind = declared.upper()
    for marks, name in ((("INT",), "INTEGER"), (("CHAR", "CLOB", "TEXT"), "TEXT"), (("BLOB",), "BLOB")):
        if any(mark in kind for mark in marks):
            return name
    if not kind:
        return "BLOB"
    return "REAL" if any(mark in kind for mark in ("REAL", "FLOA", "DOUB")) else "NUMERIC"


def _not_older(stored: Sequence[str], own: Sequence[str]) -> str:
    """Whether a row is at least as new as the stored one."""
    return f"coalesce(({', '.join(stored)}) <= ({', '.join(own)}), 1)" if stored else "1"


def _values(table: pa.Table) -> Iterator[tuple[object, ...]]:
    """The rows as SQLite takes them."""
    return zip(*(_column(table[name].combine_chunks()) for name in table.column_names), strict=True)


def _column(array: pa.Array) -> list[object]:
    if pa.types.is_binary(array.type) or pa.types.is_floating(array.type):
        return list(array.to_pylist())
    if pa.types.is_nested(array.type):
        return [None if each is None else to_json(each) for each in texts(array)]
    return texts(array)
