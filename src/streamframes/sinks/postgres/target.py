"""Target: a table of Postgres that is brought up to date by COPY and one statement."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import AbstractContextManager, contextmanager
from dataclasses import dataclass, field

import psycopg
import pyarrow as pa
import pyarrow.compute as pc
from psycopg import sql
from psycopg.conninfo import conninfo_to_dict

from streamframes.errors import InvalidArgument, SinkError
from streamframes.sinks.database import Database, Layout
from streamframes.sinks.postgres.catalog import Columns, columns_of
from streamframes.sinks.postgres.merge import STAGED, copy_in, merging, names_of, stage, without_retracted
from streamframes.sinks.postgres.types import holds, longest_text, postgres_type, staged_type
from streamframes.sinks.refusals import ASIDE, AsideRow, Fault
from streamframes.sinks.texts import outside

# Longer names are cut by Postgres, without an error.
_LONGEST_NAME = 63
# From so many rows on it pays to look whether the table is empty.
_MANY = 10_000
# What Postgres holds: from 4713 BC on, in microseconds and days since 1970.
_FIRST_INSTANT, _FIRST_DAY, _LAST_DAY = -210_866_803_200_000_000, -2_440_588, 2_145_042_905
_LAST_INSTANT = 2**63 - 1
# A connection waits while Spark computes a batch; firewalls forget silent ones.
_DEFAULTS = {"connect_timeout": 10, "keepalives_idle": 60, "application_name": "streamframes"}
_SECRET = ("password", "sslpassword")

Connected = psycopg.Connection[tuple[object, ...]]


@dataclass(frozen=True, kw_only=True)
class Postgres(Database[Connected, Columns]):
    """A table of Postgres; see `api.sink.Postgres`."""

    settings: Mapping[str, object] = field(repr=False)
    schema: str | None = None

    @property
    def where(self) -> str:
        """The table in words, without a password."""
        place = self.table if self.schema is None else f"{self.schema}.{self.table}"
        address = f"{self.settings.get('host', 'localhost')}:{self.settings.get('port', 5432)}"
        return f"table {place!r} of Postgres {self.settings.get('dbname', '')!r} at {address}"

    def check_name(self, name: str, what: str) -> None:
        """Refuse a name that Postgres would cut, or does not take."""
        if "\0" in name or not name or len(name.encode()) > _LONGEST_NAME:
            raise InvalidArgument(
                f"Postgres cannot have a {what} named {name!r}; use at most {_LONGEST_NAME} bytes, none of them zero"
            )

    def type_of(self, kind: pa.DataType) -> str | None:
        """The type of a column."""
        return postgres_type(kind)

    @contextmanager
    def connected(self) -> Iterator[Connected]:
        """A connection whose errors name the table, and no password."""
        settings = {**_DEFAULTS, **self.settings}
        try:
            with psycopg.connect(**settings, client_encoding="utf8", autocommit=True) as connection:  # type: ignore[arg-type]
                yield connection
        except (psycopg.Error, UnicodeError) as error:
            raise SinkError(f"{self.where} cannot be written to: {self._without_secrets(str(error))}") from None

    def _without_secrets(self, text: str) -> str:
        for name in _SECRET:
            secret = str(self.settings.get(name, ""))
            text = text.replace(secret, "***") if secret else text
        return text.strip()

    def transaction(self, connection: Connected) -> AbstractContextManager[object]:
        """All or nothing."""
        return connection.transaction()

    def found(self, connection: Connected) -> Columns | None:
        """The columns and keys of the table that exists."""
        return columns_of(connection, self._name(self.table))

    def create(self, connection: Connected, layout: Layout) -> None:
        """Make the table, unless another query has just done so."""
        connection.execute("SELECT pg_advisory_xact_lock(hashtextextended(%s, 0))", [self.where])
        columns = [sql.SQL("{} {}").format(sql.Identifier(name), sql.SQL(layout.types[name])) for name in layout.names]
        columns.append(sql.SQL("PRIMARY KEY ({})").format(names_of(layout.changes.key)))
        statement = sql.SQL("CREATE TABLE IF NOT EXISTS {} ({})")
        connection.execute(statement.format(self._name(self.table), sql.SQL(", ").join(columns)))

    def fit(self, connection: Connected, layout: Layout, found: Columns) -> None:
        """Refuse a table that lacks columns, would convert values, or has no such key."""
        missing = [name for name in layout.names if name not in found.types]
        if missing and not self.add_columns:
            raise SinkError(
                f"{self.where} lacks {', '.join(missing)}; add them with add_columns=True, leave them out of the rows, "
                f"or name another table"
            )
        for name in missing:
            statement = sql.SQL("ALTER TABLE {} ADD COLUMN IF NOT EXISTS {} {}")
            connection.execute(
                statement.format(self._name(self.table), sql.Identifier(name), sql.SQL(layout.types[name]))
            )
        for name in (name for name in layout.names if name in found.types):
            there, here = found.types[name], layout.types[name]
            if not holds(there, here):
                raise SinkError(f"{self.where} has column {name!r} of type {there}, where {here} would be needed")
        if extra := [name for name in found.needed if name not in layout.names]:
            raise SinkError(f"{self.where} needs values of {', '.join(extra)}, which the rows do not have")
        if set(layout.changes.key) not in found.unique:
            where = self._name(self.table).as_string(connection)
            key = names_of(layout.changes.key).as_string(connection)
            raise SinkError(
                f"{self.where} may have several rows of one key; make it unique with CREATE UNIQUE INDEX ON {where} "
                f"({key})"
            )

    def faults(self, table: pa.Table, layout: Layout, found: Columns) -> list[Fault]:
        """Texts with a zero byte or longer than their column, and instants before 4713 BC."""
        checked = []
        for name in layout.names:
            array, kind = table[name].combine_chunks(), layout.types[name]
            longest = longest_text(found.types[name])
            if kind in ("text", "text[]", "jsonb"):
                reason = "has a zero byte, which Postgres has in no text"
                checked.append(Fault(name, _with_zero(array), reason, r"use replace(..., '\0', '')"))
            if longest is not None:
                reason = f"is longer than {longest} characters"
                remedy = "use left(...), or a column of type text"
                checked.append(Fault(name, pc.greater(pc.utf8_length(array), longest), reason, remedy))
            for start, first, last in (("timestamp", _FIRST_INSTANT, _LAST_INSTANT), ("date", _FIRST_DAY, _LAST_DAY)):
                if kind.startswith(start) and not pa.types.is_list(array.type):
                    far = outside(array, first, last)
                    checked.append(Fault(name, far, "is before 4713 BC, or a day after 5874897", "clip it"))
        return [fault for fault in checked if fault.rows.true_count]

    def merge(self, connection: Connected, rows: pa.Table, layout: Layout) -> None:
        """Stage the rows and merge them; many rows go straight into a table that is empty."""
        if len(rows) >= _MANY and self._is_empty_and_alike(connection, layout):
            copy_in(connection, self._name(self.table), without_retracted(rows, layout.changes))
            return
        stage(connection, layout)
        copy_in(connection, STAGED, rows)
        self.merge_staged(connection, layout)

    def merge_staged(self, connection: Connected, layout: Layout) -> None:
        """The second half of `merge`, when all rows are in the staging table."""
        for statement in merging(self._name(self.table), layout):
            connection.execute(statement)

    def _is_empty_and_alike(self, connection: Connected, layout: Layout) -> bool:
        """Whether there is no row yet, and none can come from others, and each column has the type that is copied."""
        name, found = self._name(self.table), self.found(connection)
        kinds = {name: staged_type(kind) for name, kind in layout.types.items()}
        if found is None or any(found.types[name] != kind for name, kind in kinds.items()):
            return False
        # COPY refuses tables whose rows are guarded one by one.
        is_empty = sql.SQL("SELECT NOT EXISTS (SELECT FROM {}) AND NOT row_security_active({}::regclass)").format(
            name, sql.Literal(name.as_string(connection))
        )
        if connection.execute(is_empty).fetchone() != (True,):
            return False
        connection.execute(sql.SQL("LOCK TABLE {} IN SHARE ROW EXCLUSIVE MODE").format(name))
        return connection.execute(is_empty).fetchone() == (True,)

    def keep_aside(self, connection: Connected, rows: Sequence[AsideRow]) -> None:
        """Add rows to the table beside."""
        name = self._name(self.aside_table)
        columns = sql.SQL("digest text PRIMARY KEY, batch bigint, reason text, row json")
        connection.execute(sql.SQL("CREATE TABLE IF NOT EXISTS {} ({})").format(name, columns))
        insert = sql.SQL("INSERT INTO {} ({}) VALUES (%s, %s, %s, %s) ON CONFLICT DO NOTHING")
        with connection.cursor() as cursor:
            cursor.executemany(insert.format(name, names_of(ASIDE)), rows)

    def _name(self, table: str) -> sql.Identifier:
        return sql.Identifier(table) if self.schema is None else sql.Identifier(self.schema, table)


def settings_of(url: str) -> dict[str, object]:
    """What an address says; an error does not repeat it, for it may hold a password."""
    try:
        return dict(conninfo_to_dict(url))
    except psycopg.Error:
        raise InvalidArgument(
            "Postgres() got url=..., which cannot be read; write 'postgresql://user@host:5432/database', with special "
            "characters of a password as %XX"
        ) from None


def _with_zero(array: pa.Array) -> pa.Array:
    """Which texts, or lists and structs of them, have a zero byte."""
    if pa.types.is_string(array.type):
        return pc.match_substring(array, "\0").fill_null(False)
    return pa.array(["\0" in str(_zeros(each)) for each in array.to_pylist()], pa.bool_())


def _zeros(value: object) -> str:
    """All texts in a value, joined."""
    if isinstance(value, dict):
        return "".join(map(_zeros, value.values()))
    if isinstance(value, list | tuple):
        return "".join(map(_zeros, value))
    return value if isinstance(value, str) else ""
