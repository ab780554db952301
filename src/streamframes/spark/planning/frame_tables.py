"""Frame tables: DataFrames of frames, or of points, checked before a job starts and packed for the algebra."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from functools import cached_property

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.core.batch.packer import Layout
from streamframes.errors import InvalidArgument
from streamframes.spark.batch.pack import packing
from streamframes.spark.columns import INSTANTS, column, names, require_dataframe
from streamframes.spark.planning.run import pieces
from streamframes.spark.types import arrow_type

_INSTANTS = (T.TimestampType, T.TimestampNTZType, T.DateType, T.ByteType, T.ShortType, T.IntegerType, T.LongType)
_KINDS = "a timestamp, timestamp_ntz, date or integer"


@dataclass(frozen=True)
class FrameTable:
    """A table of frames, or of points, whose start and end are one column; errors call it `argument`."""

    rows: DataFrame
    argument: str
    by: tuple[str, ...]
    start: str
    end: str

    @cached_property
    def types(self) -> dict[str, T.DataType]:
        """The type of each column; both tables have the same, whether or not one of them has nulls within."""
        return {field.name: field.dataType for field in self.rows.schema.toNullable()}

    @property
    def kind(self) -> T.DataType:
        """The type of instants."""
        return self.types[self.start]

    @property
    def keys(self) -> pa.Schema:
        """The group columns."""
        return pa.schema([(name, arrow_type(self.types[name])) for name in self.by])

    @property
    def others(self) -> list[str]:
        """All columns that are neither group nor edge."""
        return [name for name in self.rows.columns if name not in (*self.by, self.start, self.end)]

    def pieces(self, carried: Sequence[str], buckets: int, number: int, *, every_row: bool = False) -> DataFrame:
        """The packed rows: the end travels first, then what is carried; with `every_row` also rows without a start."""
        sent = [*self.by, self.start, self.end, *carried]
        columns = [column(name) for name in sent]
        if every_row:
            columns[len(self.by)] = F.coalesce(column(self.start), some_instant(self.kind))
        kinds = [arrow_type(self.types[name]) for name in sent]
        n_keys = len(self.by)
        layout = Layout(self.keys, kinds[n_keys], tuple(kinds[n_keys + 1 :]))
        travelling = self.rows.select(*(each.alias(f"__sf_{i}") for i, each in enumerate(columns)))
        return pieces(travelling, layout, packing(layout, buckets, input_number=number))


def some_instant(kind: T.DataType) -> Column:
    """An instant at which rows travel that have none."""
    return F.lit("1970-01-01" if isinstance(kind, INSTANTS) else "0").cast(kind)


def frame_table(rows: DataFrame, argument: str, by: Sequence[str], prefix: str, verb: str) -> FrameTable:
    """A table of frames whose edges are `{prefix}start` and `{prefix}end`."""
    start, end = f"{prefix}start", f"{prefix}end"
    for edge in (start, end):
        if edge not in rows.columns:
            raise InvalidArgument(
                f"{verb}() got {argument} without the column {edge!r}; the columns are {', '.join(rows.columns)}; "
                f"rename one, or give prefix="
            )
    return _checked(FrameTable(rows, argument, tuple(by), start, end), verb)


def point_table(rows: DataFrame, argument: str, by: Sequence[str], ts: object, verb: str) -> FrameTable:
    """A table of points with their instants in `ts`."""
    if not isinstance(ts, str):
        raise InvalidArgument(f"{verb}() got ts={ts!r}; name the column of {argument} that holds their instants")
    (start,) = names(ts, "ts", rows, verb, table=argument)
    return _checked(FrameTable(rows, argument, tuple(by), start, start), verb)


def _checked(table: FrameTable, verb: str) -> FrameTable:
    got, kinds = f"{verb}() got {table.argument}", table.types
    for edge in (table.start, table.end):
        if table.rows.columns.count(edge) > 1:
            raise InvalidArgument(f"{got} with two columns called {edge!r}; rename one")
        if edge in table.by:
            raise InvalidArgument(f"{verb}() got by={edge!r}, which is an edge of {table.argument}; leave it out")
        if not isinstance(kinds[edge], _INSTANTS):
            raise InvalidArgument(f"{got} with {edge!r} of type {kinds[edge].simpleString()}; it must be {_KINDS}")
    if kinds[table.start] != kinds[table.end]:
        shown = " and ".join(f"{edge!r} of type {kinds[edge].simpleString()}" for edge in (table.start, table.end))
        raise InvalidArgument(f"{got} with {shown}; cast one, so that both have one type")
    return table


def require_table(rows: object, argument: str, verb: str) -> None:
    """Refuse what is not a DataFrame, or is a stream."""
    if require_dataframe(rows, verb, argument).isStreaming:
        raise InvalidArgument(
            f"{verb}() got {argument}, which is a stream; write its frames to a table first, or call {verb}() in "
            "foreachBatch"
        )


def matched(by: object, verb: str, **tables: DataFrame) -> list[list[str]]:
    """The group columns of each table, spelled as there."""
    if isinstance(by, Mapping):
        if len(tables) == 1:
            raise InvalidArgument(f"{verb}() got by={by!r} for a single table; give a column name or a list of them")
        wanted: list[object] = [list(by), list(by.values())]
    else:
        wanted = [by] * len(tables)
    found = [
        names(each, "by", rows, verb, table=argument if len(tables) > 1 else "")
        for each, (argument, rows) in zip(wanted, tables.items(), strict=True)
    ]
    for groups, rows in zip(found, tables.values(), strict=True):
        if any(groups.count(name) > 1 or rows.columns.count(name) > 1 for name in groups):
            raise InvalidArgument(f"{verb}() got by={by!r}; each column may be named once, and must be there once")
    return found


def check_alike(a: FrameTable, b: FrameTable, verb: str) -> None:
    """Refuse tables whose groups or instants differ in type; whole numbers are instants of one kind."""
    whole = isinstance(a.kind, T.IntegralType) and isinstance(b.kind, T.IntegralType)
    instants = [] if whole else [(a.start, b.start)]
    for left, right in [*zip(a.by, b.by, strict=True), *instants]:
        kinds = a.types[left].simpleString(), b.types[right].simpleString()
        if kinds[0] != kinds[1]:
            raise InvalidArgument(
                f"{verb}() got {left!r} of type {kinds[0]} in {a.argument} and {right!r} of type {kinds[1]} in "
                f"{b.argument}; cast one of them"
            )


def check_prefix(prefix: object, verb: str) -> None:
    """Refuse what no column of frames begins with."""
    if not isinstance(prefix, str) or (prefix and not prefix.isidentifier()):
        raise InvalidArgument(f"{verb}() got prefix={prefix!r}; give the beginning of a name like 'frame_'")


def check_free(wanted: Iterable[str], verb: str, remedy: str) -> None:
    """Refuse a result with two columns of one name."""
    seen: set[str] = set()
    for name in wanted:
        if name.lower() in seen:
            raise InvalidArgument(f"{verb}() would return two columns called {name!r}; {remedy}")
        seen.add(name.lower())
