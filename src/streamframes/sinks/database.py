"""Databases: targets that write rows of Arrow with SQL, in one transaction for each batch.

A database says what its types are, what a table that exists has, and how rows get into it; when what happens is said
here once. Names are quoted by the database, and values never stand in the text of a statement.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections.abc import Mapping, Sequence
from contextlib import AbstractContextManager
from dataclasses import dataclass, field
from typing import Generic, TypeVar

import pyarrow as pa

from streamframes.errors import InvalidArgument, SinkError
from streamframes.sinks.changes import Changes, newest
from streamframes.sinks.protocol import Batch
from streamframes.sinks.refusals import AsideRow, Fault, null_keys, sort_out

Connection = TypeVar("Connection")
Found = TypeVar("Found")


@dataclass(frozen=True)
class Layout:
    """The columns of rows on their way into a table, with their types in Arrow and in the database."""

    schema: pa.Schema
    changes: Changes
    types: Mapping[str, str]

    @property
    def names(self) -> list[str]:
        """The names of the columns."""
        return list(self.schema.names)

    @property
    def values(self) -> list[str]:
        """The columns that are not the key."""
        return [name for name in self.schema.names if name not in self.changes.key]


@dataclass(frozen=True, kw_only=True)
class Database(ABC, Generic[Connection, Found]):
    """A table of a database, which is made where it is missing.

    `add_columns` adds those that a table lacks, empty for the rows that are there.
    """

    table: str
    add_columns: bool = field(default=False)

    def __post_init__(self) -> None:
        if not isinstance(self.table, str) or not self.table:
            raise InvalidArgument(f"table={self.table!r} must be the name of a table")
        for name in (self.table, self.aside_table):
            self.check_name(name, "table")

    @property
    def aside_table(self) -> str:
        """The table beside, of rows that this one cannot hold."""
        return f"{self.table}_aside"

    @property
    @abstractmethod
    def where(self) -> str:
        """The table in words, without a password."""

    @abstractmethod
    def check_name(self, name: str, what: str) -> None:
        """Refuse a name that the database does not take as it is."""

    @abstractmethod
    def type_of(self, kind: pa.DataType) -> str | None:
        """The type of a column that holds values of an Arrow type exactly; none where there is no such type."""

    @abstractmethod
    def connected(self) -> AbstractContextManager[Connection]:
        """A connection, closed in the end; errors of the database are raised as a `SinkError`."""

    @abstractmethod
    def transaction(self, connection: Connection) -> AbstractContextManager[object]:
        """All or nothing of what is done inside."""

    @abstractmethod
    def found(self, connection: Connection) -> Found | None:
        """What the table has that exists; none if there is no table."""

    @abstractmethod
    def create(self, connection: Connection, layout: Layout) -> None:
        """Make the table."""

    @abstractmethod
    def fit(self, connection: Connection, layout: Layout, found: Found) -> None:
        """Refuse a table that cannot take the rows, after columns have been added where that is wanted."""

    @abstractmethod
    def faults(self, table: pa.Table, layout: Layout, found: Found) -> list[Fault]:
        """The values that the table cannot hold."""

    @abstractmethod
    def merge(self, connection: Connection, rows: pa.Table, layout: Layout) -> None:
        """Replace and delete rows by their key, unless what is stored is newer."""

    @abstractmethod
    def keep_aside(self, connection: Connection, rows: Sequence[AsideRow]) -> None:
        """Add rows to the table beside, unless they are there."""

    def write(self, batch: Batch) -> None:
        """Bring the table up to date with a batch; see `protocol.Target`."""
        layout = self.layout(batch.schema, batch.changes)
        with self.connected() as connection:
            with self.transaction(connection):
                found = self._ready(connection, layout)
            rows, aside = self._sorted_out(batch.table(), layout, found, batch)
            if not len(rows) and not aside:
                return
            with self.transaction(connection):
                if len(rows):
                    self.merge(connection, rows, layout)
                if aside:
                    self.keep_aside(connection, aside)

    def layout(self, schema: pa.Schema, changes: Changes) -> Layout:
        """The columns and their types here; refuses what has none."""
        types = {}
        for each in schema:
            self.check_name(each.name, "column")
            kind = self.type_of(each.type)
            if kind is None:
                raise InvalidArgument(
                    f"{self.where} has no type that holds column {each.name!r} of type {each.type} exactly; cast "
                    f"it, or leave it out"
                )
            types[each.name] = kind
        for name in changes.key:
            if pa.types.is_floating(schema.field(name).type) or pa.types.is_nested(schema.field(name).type):
                raise InvalidArgument(
                    f"upsert() got key={name!r} of type {schema.field(name).type}, which does not identify a row; "
                    f"use columns of whole numbers, texts, instants or dates"
                )
        return Layout(schema, changes, types)

    def _ready(self, connection: Connection, layout: Layout) -> Found:
        found = self.found(connection)
        if found is None:
            self.create(connection, layout)
        else:
            self.fit(connection, layout, found)
        ready = self.found(connection)
        if ready is None:
            raise SinkError(f"{self.where} was dropped while it was written to")
        return ready

    def _sorted_out(
        self, rows: pa.Table, layout: Layout, found: Found, batch: Batch
    ) -> tuple[pa.Table, list[AsideRow]]:
        key = layout.changes.key
        rows = newest(rows, layout.changes)
        faults = [*null_keys(rows, [*key, *layout.changes.order]), *self.faults(rows, layout, found)]
        return sort_out(rows, faults, key, batch.bad, batch.number, self.where)
