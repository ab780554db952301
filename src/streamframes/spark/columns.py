"""Rows and their columns: what verbs are given, checked before any job starts: names, types and expressions."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from typing import TypeGuard, cast

import pyarrow as pa
from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.core.batch.clock import Clock
from streamframes.core.batch.rows import TagColumn
from streamframes.core.schemes.base import Input
from streamframes.errors import InvalidArgument
from streamframes.spark.compat import TIME_TYPES
from streamframes.spark.configure import hint_once
from streamframes.spark.failures import reason, unlogged
from streamframes.spark.interpreter import check_workers, share_shipped_files
from streamframes.spark.types import arrow_type

_INTEGERS = (T.ByteType, T.ShortType, T.IntegerType, T.LongType)
_TIMES = (T.TimestampType, T.TimestampNTZType)
INSTANTS = (*_TIMES, T.DateType)
# What a column is called of which only the type is asked.
PROBE = "__sf_probe"
_NOT_CARRIED = (T.YearMonthIntervalType, T.CalendarIntervalType, T.VariantType, *TIME_TYPES)


def is_dataframe(value: object) -> TypeGuard[DataFrame]:
    """Whether this is a DataFrame, classic or Connect."""
    return hasattr(value, "mapInArrow") and hasattr(value, "sparkSession")


def require_dataframe(rows: object, verb: str, argument: str = "rows") -> DataFrame:
    """The rows, which are a DataFrame or are refused."""
    if not is_dataframe(rows):
        raise InvalidArgument(f"{verb}() got {argument} of type {type(rows).__name__}; give a Spark DataFrame")
    check_workers(rows.sparkSession, streams=bool(rows.isStreaming))
    hint_once(rows.sparkSession)
    if rows.isStreaming:
        share_shipped_files(rows.sparkSession)
    return rows


def names(value: object, argument: str, rows: DataFrame, verb: str, *, table: str = "") -> list[str]:
    """The columns that an argument names, spelled as in the table, which an error calls `table` where there are two."""
    wanted = [value] if isinstance(value, str) else value
    if not isinstance(wanted, Sequence) or not all(isinstance(name, str) for name in wanted):
        raise InvalidArgument(f"{verb}() got {argument}={value!r}; give a column name or a list of them")
    found = [_spelled(name, argument, rows, verb, table) for name in wanted]
    if argument == "by":
        for name in found:
            _check_group(name, rows.schema[name].dataType, verb)
    return found


def order_and_groups(rows: DataFrame, ts: object, by: object, verb: str) -> tuple[list[str], list[str]]:
    """The columns that order rows, the instant first, and those that group them."""
    order = names(ts, "ts", rows, verb)
    if not order:
        raise InvalidArgument(f"{verb}() got ts={ts!r}; name the column that orders the rows")
    groups = names(by, "by", rows, verb)
    if len(set(groups)) < len(groups) or set(groups) & set(order):
        raise InvalidArgument(f"{verb}() got by={by!r} with ts={ts!r}; each column may be named once")
    return order, groups


def _check_group(name: str, kind: T.DataType, verb: str) -> None:
    """Refuse groups that Spark would distinguish in another way, or whose values no Python worker is given."""
    refusal = f"{verb}() got by={name!r} of type {kind.simpleString()}"
    for part in _parts(kind):
        if isinstance(part, T.StringType) and not part.isUTF8BinaryCollation():
            raise InvalidArgument(
                f"{refusal}; groups are distinguished by the bytes of a text and not by a collation; group by a column "
                f"like lower(cast({name} as string))"
            )
        if isinstance(part, _NOT_CARRIED):
            raise InvalidArgument(f"{refusal}, which cannot group rows; group by cast({name} as string)")


def _parts(kind: T.DataType) -> Iterator[T.DataType]:
    """A type, and those that it is made of."""
    yield kind
    inner: list[T.DataType] = []
    if isinstance(kind, T.StructType):
        inner = [field.dataType for field in kind]
    elif isinstance(kind, T.ArrayType):
        inner = [kind.elementType]
    elif isinstance(kind, T.MapType):
        inner = [kind.keyType, kind.valueType]
    for each in inner:
        yield from _parts(each)


def check_beginning(prefix: object, verb: str) -> None:
    """Refuse what no name can begin with."""
    if not isinstance(prefix, str) or not prefix.isidentifier():
        raise InvalidArgument(f"{verb}() got prefix={prefix!r}; give the beginning of a name like 'frame_'")


def _spelled(name: str, argument: str, rows: DataFrame, verb: str, table: str) -> str:
    known = rows.schema.names
    if name in known:
        return name
    alike = [column for column in known if column.lower() == name.lower()]
    if len(alike) == 1:
        return alike[0]
    here, where = ", ".join(known), f" of {table}" if table else ""
    raise InvalidArgument(f"{verb}() got {argument}={name!r}, which is not a column{where}; the columns are {here}")


def column(name: str) -> Column:
    """A column by its exact name, dots and blanks included."""
    return F.col(quoted(name))


def quoted(name: str) -> str:
    """A name as Spark's SQL takes it, whatever is in it."""
    return "`" + name.replace("`", "``") + "`"


def clock_of(kind: T.DataType, name: str, verb: str) -> Clock:
    """The clock of a progressing attribute."""
    if isinstance(kind, _TIMES):
        return Clock("timestamp")
    if isinstance(kind, T.DateType):
        return Clock("date")
    if isinstance(kind, _INTEGERS):
        return Clock("integer")
    raise InvalidArgument(
        f"{verb}() got ts={name!r} of type {kind.simpleString()}; ts must be a timestamp, timestamp_ntz, date or "
        f"integer; add such a column with rows.withColumn('at', F.to_timestamp({name!r}))"
    )


def as_column(expression: object) -> Column:
    """SQL text or a Column as a Column."""
    return F.expr(expression) if isinstance(expression, str) else cast(Column, expression)


def analysed(
    rows: DataFrame, build: Callable[[], DataFrame], expression: object, argument: str, where: str
) -> T.DataType:
    """The type of the one column that `build` selects, or an error that names the argument."""
    refusal = f"{where} got {argument}={expression!r}, which Spark cannot evaluate"
    try:
        with unlogged():
            return build().schema[0].dataType
    except PySparkException as error:
        why = reason(error).partition(" Did you mean")[0].rstrip(".")
        raise InvalidArgument(f"{refusal}: {why} (the columns are {', '.join(rows.columns)})") from error
    except (AttributeError, TypeError):
        raise InvalidArgument(f"{refusal}: it is neither Spark SQL nor a Column") from None


def first_column(rows: DataFrame) -> list[Column]:
    """The first column, if there is one: beside it an aggregate over many rows is refused."""
    return [column(name) for name in rows.schema.names[:1]]


def scheme_input(rows: DataFrame, needed: Input, scheme: str) -> Column:
    """A scheme's input as the core expects it: boolean, long, double, or as it is."""
    expression = needed.expression
    result = as_column(expression)
    others = first_column(rows)
    kind = analysed(rows, lambda: rows.select(result.alias(PROBE), *others), expression, needed.name, scheme)
    if needed.kind == "condition" and not isinstance(kind, T.BooleanType):
        raise InvalidArgument(
            f"{scheme} got {needed.name}={needed.expression!r} of type {kind.simpleString()}, which is not a "
            "condition; write a comparison like 'drop_pct > 0.3'"
        )
    if needed.kind != "number":
        return result
    if isinstance(kind, _INTEGERS):
        return result.cast("long")
    if isinstance(kind, T.NumericType):
        return result.cast("double")
    raise InvalidArgument(
        f"{scheme} got {needed.name}={needed.expression!r} of type {kind.simpleString()}, which is not a number; "
        f"cast it, for example cast({needed.expression} as double)"
    )


def arrow_schema(schema: T.StructType) -> pa.Schema:
    """The columns of a table as Arrow carries them."""
    return pa.schema([pa.field(field.name, arrow_type(field.dataType)) for field in schema])


def group_types(rows: DataFrame, by: Sequence[str]) -> tuple[pa.DataType, ...]:
    """The types of group columns, as the core has them."""
    return tuple(arrow_type(rows.schema[name].dataType) for name in by)


def whole_array(values: pa.ChunkedArray) -> pa.Array:
    """A column that came in chunks as one array."""
    return pa.concat_arrays(values.chunks) if values.num_chunks else pa.array([], values.type)


def tag_columns(rows: DataFrame, keys: Sequence[str], ts: str, first: int) -> tuple[list[str], tuple[TagColumn, ...]]:
    """The columns that travel so that rows can be emitted as they came, from place `first` on, and where each is."""
    others = [name for name in rows.columns if name not in (*keys, ts)]
    tags = []
    for field in arrow_schema(rows.schema):
        if field.name in keys:
            tag = TagColumn(field.name, "key", list(keys).index(field.name), field.type)
        elif field.name == ts:
            tag = TagColumn(field.name, "ts", 0, field.type)
        else:
            tag = TagColumn(field.name, "column", first + others.index(field.name), field.type)
        tags.append(tag)
    return others, tuple(tags)
