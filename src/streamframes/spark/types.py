"""Types: as what Arrow carries a Spark type, and which Spark type an Arrow type is."""

from __future__ import annotations

import pyarrow as pa
from pyspark.sql import types as T

from streamframes.errors import InvalidArgument
from streamframes.spark.compat import TIME_TYPES

_TO_ARROW: dict[type[T.DataType], pa.DataType] = {
    T.BooleanType: pa.bool_(),
    T.ByteType: pa.int8(),
    T.ShortType: pa.int16(),
    T.IntegerType: pa.int32(),
    T.LongType: pa.int64(),
    T.FloatType: pa.float32(),
    T.DoubleType: pa.float64(),
    T.StringType: pa.string(),
    T.CharType: pa.string(),
    T.VarcharType: pa.string(),
    T.BinaryType: pa.binary(),
    T.DateType: pa.date32(),
    # Whatever the session's zone.
    T.TimestampType: pa.timestamp("us", "UTC"),
    T.TimestampNTZType: pa.timestamp("us"),
    T.DayTimeIntervalType: pa.duration("us"),
    T.NullType: pa.null(),
    **{kind: pa.time64("ns") for kind in TIME_TYPES},
}
_FROM_ARROW: dict[int, type[T.DataType]] = {
    **{arrow.id: kind for kind, arrow in _TO_ARROW.items() if kind not in (T.CharType, T.VarcharType)},
    pa.large_string().id: T.StringType,
    pa.large_binary().id: T.BinaryType,
    pa.binary(1).id: T.BinaryType,
}


def arrow_type(kind: T.DataType) -> pa.DataType:
    """The Arrow type that carries a Spark type."""
    simple = _TO_ARROW.get(type(kind))
    if simple is not None:
        return simple
    if isinstance(kind, T.DecimalType):
        return pa.decimal128(kind.precision, kind.scale)
    if isinstance(kind, T.ArrayType):
        return pa.list_(pa.field("element", arrow_type(kind.elementType), kind.containsNull))
    if isinstance(kind, T.MapType):
        value = pa.field("value", arrow_type(kind.valueType), kind.valueContainsNull)
        return pa.map_(pa.field("key", arrow_type(kind.keyType), nullable=False), value)
    if isinstance(kind, T.StructType):
        return pa.struct([pa.field(each.name, arrow_type(each.dataType), each.nullable) for each in kind])
    if isinstance(kind, T.UserDefinedType):
        return arrow_type(kind.sqlType())
    return _marked(kind)


def _marked(kind: T.DataType) -> pa.DataType:
    """Types that Spark recognizes by what is written at a field of a struct."""
    name, binary = kind.typeName(), pa.binary()
    if name == "variant":
        mark = {b"variant": b"true"}
        return pa.struct([pa.field("value", binary, False), pa.field("metadata", binary, False, mark)])
    if name in ("geometry", "geography"):
        mark = {name.encode(): b"true", b"srid": str(getattr(kind, "srid", 0)).encode()}
        return pa.struct([pa.field("srid", pa.int32(), False), pa.field("wkb", binary, False, mark)])
    raise InvalidArgument(f"columns of type {kind.simpleString()} cannot be carried to Python; cast them to string")


def spark_schema(columns: pa.Schema) -> T.StructType:
    """The columns of Arrow as Spark has them."""
    return T.StructType([T.StructField(field.name, spark_type(field.type)) for field in columns])


def spark_type(kind: pa.DataType) -> T.DataType:
    """The Spark type of an Arrow type."""
    if pa.types.is_decimal(kind):
        return T.DecimalType(kind.precision, kind.scale)
    if pa.types.is_timestamp(kind):
        return T.TimestampNTZType() if kind.tz is None else T.TimestampType()
    if pa.types.is_dictionary(kind):
        return spark_type(kind.value_type)
    if pa.types.is_list(kind) or pa.types.is_large_list(kind) or pa.types.is_fixed_size_list(kind):
        return T.ArrayType(spark_type(kind.value_type), kind.value_field.nullable)
    if pa.types.is_map(kind):
        return T.MapType(spark_type(kind.key_type), spark_type(kind.item_type), kind.item_field.nullable)
    if pa.types.is_struct(kind):
        return T.StructType([T.StructField(each.name, spark_type(each.type), each.nullable) for each in kind])
    simple = _FROM_ARROW.get(kind.id)
    if simple is None:
        raise InvalidArgument(f"Spark has no type for Arrow's {kind}; leave the column out, or cast it")
    return simple()
