"""Table functions: the schemes for plain `spark.sql()`, as Python functions that Spark calls with the rows of a group.

FROM threshold_frames(TABLE(reports), 'drop_pct > 0.3', ts => 'rpt_time', by => 'router')

`analyze` says how rows are partitioned, and lets Spark compute what the scheme needs of each; the rows of a group
become frames in the same operator that `frames()` uses. An instant travels as a whole number, whatever its type.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from dataclasses import dataclass, field
from decimal import Decimal
from typing import NamedTuple, TypeAlias, cast

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.udtf import (
    AnalyzeArgument,
    AnalyzeResult,
    PartitioningColumn,
    SelectedColumn,
    UserDefinedTableFunction,
)

from streamframes.core.batch.clock import Clock
from streamframes.core.batch.packer import Packer
from streamframes.core.frames.operator import FramePlan
from streamframes.core.operator.table_bucket import bucket_results
from streamframes.core.schemes import Scheme
from streamframes.core.sqltext.options import SCHEMES
from streamframes.errors import InvalidArgument
from streamframes.spark.columns import clock_of, order_and_groups, quoted
from streamframes.spark.sql.options import OPTION_CLASSES
from streamframes.spark.types import arrow_type, spark_type

_TICKS: dict[type[T.DataType], str] = {
    T.TimestampType: "unix_micros({})",
    T.TimestampNTZType: "timestampdiff(MICROSECOND, TIMESTAMP_NTZ'1970-01-01 00:00:00', {})",
    T.DateType: "unix_date({})",
}
_PLAIN = (T.StringType, T.BooleanType, T.IntegralType, T.FractionalType, T.BinaryType)


# Values of a row, or of a column.
Values: TypeAlias = tuple[object, ...]


class Shape(NamedTuple):
    """The columns of a table, where there is no DataFrame."""

    schema: T.StructType


@dataclass(frozen=True)
class Frames:
    """What is asked for: the scheme, and the columns that order and group rows, with their types."""

    scheme: Scheme
    clock: Clock
    by: tuple[T.StructField, ...]
    order: tuple[T.StructField, ...]

    def selected(self) -> list[SelectedColumn]:
        """What Spark computes of each row: groups, instants, and the inputs of the scheme."""
        texts = [_carried(each) for each in (*self.by, *self.order)]
        texts += [str(each.expression) for each in self.scheme.inputs()]
        return [SelectedColumn(text, f"sf_{i}") for i, text in enumerate(texts)]

    def plan(self, inputs: tuple[pa.DataType, ...]) -> FramePlan:
        """The plan of the core, for inputs of these types."""
        ties = tuple(arrow_type(each.dataType) for each in self.order[1:])
        return FramePlan(
            scheme=self.scheme,
            clock=self.clock,
            keys=pa.schema([(each.name, arrow_type(each.dataType)) for each in self.by]),
            ts_type=arrow_type(self.order[0].dataType),
            columns=(*ties, *inputs),
            n_ties=len(ties),
        )

    def schema(self) -> T.StructType:
        """The columns of the frames, as Spark knows them."""
        at = self.order[0].dataType
        known = {each.name: each.dataType for each in self.by} | {"frame_start": at, "frame_end": at}
        found = self.plan((pa.int64(),) * len(self.scheme.inputs())).result_schema
        return T.StructType([T.StructField(each.name, known.get(each.name) or spark_type(each.type)) for each in found])

    def results(self, rows: list[Values]) -> Iterator[Values]:
        """The frames of the rows of some groups."""
        columns = list(zip(*rows, strict=True))
        kinds = [arrow_type(each.dataType) for each in (*self.by, *self.order)]
        n_keys, n_fixed = len(self.by), len(kinds)
        fixed = [_array(values, kind) for values, kind in zip(columns[:n_fixed], kinds, strict=True)]
        needed = self.scheme.inputs()
        inputs = [_input(values, each.kind) for values, each in zip(columns[n_fixed:], needed, strict=True)]
        keys = pa.RecordBatch.from_arrays(fixed[:n_keys], [each.name for each in self.by])
        if not n_keys:
            keys = pa.RecordBatch.from_struct_array(pa.array([{}] * len(rows), pa.struct([])))
        plan = self.plan(tuple(each.type for each in inputs))
        packed = list(Packer(1).pack(fixed[n_keys], keys, [*fixed[n_keys + 1 :], *inputs], None))
        packed.sort(key=lambda chunk: chunk.start)
        for batch in bucket_results(plan, [(0, chunk.start, pa.py_buffer(chunk.data)) for chunk in packed]):
            yield from zip(*(column.to_pylist() for column in batch.columns), strict=True)


@dataclass
class Analyzed(AnalyzeResult):
    """What Spark is to do with the rows, and what is asked for."""

    frames: Frames | None = field(default=None)


def _carried(column: T.StructField) -> str:
    """A column as it travels: an instant as a whole number."""
    ticks = _TICKS.get(type(column.dataType))
    if ticks is None and not isinstance(column.dataType, _PLAIN):
        raise InvalidArgument(
            f"the column {column.name!r} is a {column.dataType.simpleString()}, which these functions do not carry; "
            "use sf.sql()"
        )
    return (ticks or "{}").format(quoted(column.name))


def _array(values: Values, kind: pa.DataType) -> pa.Array:
    """Values that have travelled, as their own type."""
    if pa.types.is_date32(kind):
        return pa.array(values, pa.int32()).cast(kind)
    if pa.types.is_timestamp(kind):
        return pa.array(values, pa.int64()).cast(kind)
    if pa.types.is_binary(kind):
        return pa.array([None if value is None else bytes(cast(bytearray, value)) for value in values], kind)
    return pa.array(values, kind)


def _input(values: Values, kind: str) -> pa.Array:
    """An input of a scheme: truth values, whole numbers or doubles, or whatever comes."""
    first = next((value for value in values if value is not None), None)
    if kind == "condition":
        if first is not None and not isinstance(first, bool):
            raise InvalidArgument(f"the condition gave {first!r}; write a comparison like 'drop_pct > 0.3'")
        return pa.array(values, pa.bool_())
    if kind != "number":
        return pa.array(values) if first is not None else pa.array(values, pa.int64())
    if isinstance(first, bool) or not isinstance(first, int | float | Decimal | None):
        raise InvalidArgument(f"the value {first!r} is not a number; cast it to double")
    if isinstance(first, int):
        return pa.array(values, pa.int64())
    return pa.array([None if value is None else float(str(value)) for value in values], pa.float64())


def _constant(argument: AnalyzeArgument, name: str) -> object:
    """The value of an argument, with numbers as Python writes them."""
    if argument.isTable or not argument.isConstantExpression:
        raise InvalidArgument(f"{name} is no constant; write texts in quotes, like 'drop_pct > 0.3'")
    return _python(argument.value)


def _python(value: object) -> object:
    if isinstance(value, Decimal):
        return float(value) if int(value.as_tuple().exponent) < 0 else int(value)
    if isinstance(value, Mapping):
        return {name: _python(each) for name, each in value.items()}
    return [_python(each) for each in value] if isinstance(value, list | tuple) else value


def analysed(
    name: str, rows: AnalyzeArgument, given: tuple[AnalyzeArgument, ...], named: Mapping[str, AnalyzeArgument]
) -> Analyzed:
    """Check the arguments of a call."""
    if not rows.isTable or not isinstance(rows.dataType, T.StructType):
        raise InvalidArgument(f"{name}_frames() got no table; write {name}_frames(TABLE(reports), ...)")
    values = {key: _constant(value, key) for key, value in named.items()}
    if "ts" not in values:
        raise InvalidArgument(f"{name}_frames() has no ts; add ts => 'rpt_time'")
    table = cast(DataFrame, Shape(rows.dataType))
    order, by = order_and_groups(table, values.pop("ts"), values.pop("by", ()), f"{name}_frames")
    positional = [_constant(value, f"argument {i}") for i, value in enumerate(given, 1)]
    try:
        scheme = cast(Scheme, OPTION_CLASSES[name](*positional, **values))
    except TypeError as error:
        raise InvalidArgument(f"{name}_frames() cannot be made: {error}") from error
    fields = {each.name: each for each in rows.dataType.fields}
    clock = clock_of(fields[order[0]].dataType, order[0], f"{name}_frames")
    frames = Frames(scheme, clock, tuple(fields[each] for each in by), tuple(fields[each] for each in order))
    scheme.limits(clock)
    scheme.compile(clock)
    return Analyzed(
        schema=frames.schema(),
        withSinglePartition=not by,
        partitionBy=[PartitioningColumn(quoted(each)) for each in by],
        select=frames.selected(),
        frames=frames,
    )


def handler(name: str) -> type:
    """What Spark calls for a scheme."""

    class Handler:
        """Gathers the rows of a group, and cuts them at its end."""

        @staticmethod
        def analyze(rows: AnalyzeArgument, *given: AnalyzeArgument, **named: AnalyzeArgument) -> Analyzed:
            return analysed(name, rows, given, named)

        def __init__(self, analyzed: Analyzed) -> None:
            self.frames = analyzed.frames
            self.rows: list[Values] = []

        def eval(self, row: T.Row, *given: object, **named: object) -> None:
            self.rows.append(tuple(row))

        def terminate(self) -> Iterator[Values]:
            if self.rows and self.frames is not None:
                yield from self.frames.results(self.rows)

    return Handler


def register(spark: SparkSession) -> list[str]:
    """Register a function for each scheme in a session; returns their names."""
    names = [f"{name}_frames" for name in SCHEMES]
    for scheme, name in zip(SCHEMES, names, strict=True):
        spark.udtf.register(name, cast(UserDefinedTableFunction, F.udtf(handler(scheme))))
    return names
