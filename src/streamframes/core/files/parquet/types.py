"""Types: in which Arrow type Spark would carry a column of a Parquet file, and the values in that type.

  written                               carried
  timestamp of any unit, with a zone    timestamp of microseconds, UTC
  timestamp of any unit, without        timestamp of microseconds
  unsigned integer                      the next wider signed one, at last decimal(20, 0)
  duration                              int64, its number
  string, binary or list of any layout  string, binary, list

What is finer than a microsecond is cut down, before 1970 too; everything else keeps its value.

A file stores a plain column in one leaf, a nested one in several; footers and readers know leaves by number. Paths of
leaves are no names: `at.lat` may be a child of `at`, or a column that is called so.

  column   ts   at{lat, lon}   tags[name]
  leaf     0    1    2         3
"""

from __future__ import annotations

from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

_AS_IT_IS = (
    pa.bool_(),
    pa.int8(),
    pa.int16(),
    pa.int32(),
    pa.int64(),
    pa.float32(),
    pa.float64(),
    pa.string(),
    pa.binary(),
    pa.date32(),
)
_CARRIED = {kind: kind for kind in _AS_IT_IS} | {
    pa.uint8(): pa.int16(),
    pa.uint16(): pa.int32(),
    pa.uint32(): pa.int64(),
    pa.uint64(): pa.decimal128(20, 0),
    pa.float16(): pa.float32(),
    pa.date64(): pa.date32(),
    pa.large_string(): pa.string(),
    pa.string_view(): pa.string(),
    pa.large_binary(): pa.binary(),
    pa.binary_view(): pa.binary(),
}
UTC_MICROSECONDS = pa.timestamp("us", "UTC")
ENCODED = pa.dictionary(pa.int32(), pa.string())
"""Strings that stay dictionary-encoded."""


def carried(kind: pa.DataType) -> pa.DataType | None:
    """The type in which Spark would carry a column, or None if it could not.

    >>> carried(pa.timestamp("ns", "Europe/Berlin")), carried(pa.large_list(pa.uint8()))
    (TimestampType(timestamp[us, tz=UTC]), ListType(list<item: int16>))
    """
    if isinstance(kind, pa.BaseExtensionType):
        return carried(kind.storage_type)
    if pa.types.is_dictionary(kind):
        return carried(kind.value_type)
    if pa.types.is_timestamp(kind):
        return pa.timestamp("us", None if kind.tz is None else "UTC")
    if pa.types.is_decimal(kind):
        return pa.decimal128(kind.precision, kind.scale) if kind.precision <= 38 else None
    if pa.types.is_fixed_size_binary(kind):
        return pa.binary()
    if pa.types.is_duration(kind):
        return pa.int64()
    return _nested(kind) if pa.types.is_nested(kind) else _CARRIED.get(kind)


def _nested(kind: pa.DataType) -> pa.DataType | None:
    children = [carried(kind.field(child).type) for child in range(kind.num_fields)]
    if pa.types.is_map(kind):
        children = [carried(kind.key_type), carried(kind.item_type)]
    if any(child is None for child in children):
        return None
    if pa.types.is_map(kind):
        return pa.map_(*children)
    if pa.types.is_struct(kind):
        return pa.struct([pa.field(kind.field(number).name, child) for number, child in enumerate(children)])
    return pa.list_(children[0]) if _is_any_list(kind) else None


def _is_any_list(kind: pa.DataType) -> bool:
    tests = (
        pa.types.is_list,
        pa.types.is_large_list,
        pa.types.is_fixed_size_list,
        pa.types.is_list_view,
        pa.types.is_large_list_view,
    )
    return any(test(kind) for test in tests)


def columns(schema: pa.Schema, stored: pq.ParquetSchema) -> tuple[dict[str, range], dict[str, pa.DataType | None]]:
    """Of each column of a file its leaves, and the type in which Spark would carry it, or None if it could not."""
    leaves = dict(zip(schema.names, spans(schema), strict=True))
    kinds = {field.name: carried(field.type) for field in schema}
    for name, kind in kinds.items():
        if kind is not None:
            kinds[name] = as_spark_sees(kind, map(stored.column, leaves[name]))
    return leaves, kinds


def spans(schema: pa.Schema) -> list[range]:
    """The leaves of each column of a file."""
    ends, total = [], 0
    for field in schema:
        ends.append(range(total, total + count(field.type)))
        total = ends[-1].stop
    return ends


def count(kind: pa.DataType) -> int:
    """How many leaves a column of this type has.

    >>> count(pa.struct({"lat": pa.float64(), "tags": pa.map_(pa.string(), pa.string())}))
    3
    """
    if isinstance(kind, pa.BaseExtensionType):
        return count(kind.storage_type)
    if pa.types.is_nested(kind):
        return sum(count(kind.field(child).type) for child in range(kind.num_fields))
    return 1


def as_spark_sees(kind: pa.DataType, leaves: Iterator[pq.ColumnSchema]) -> pa.DataType:
    """A carried type, right where Spark sees more in a leaf: in INT96 an instant of UTC, in an enumeration a string."""
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(as_spark_sees(field.type, leaves)) for field in kind])
    if pa.types.is_map(kind):
        key = as_spark_sees(kind.key_type, leaves)
        return pa.map_(key, as_spark_sees(kind.item_type, leaves))
    if pa.types.is_list(kind):
        return pa.list_(as_spark_sees(kind.value_type, leaves))
    leaf = next(leaves)
    if leaf.physical_type == "INT96":
        return UTC_MICROSECONDS
    return pa.string() if leaf.logical_type.type == "ENUM" else kind


def as_carried(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """The values of an array in the type that carries them, or as `ENCODED` strings if they are encoded."""
    if array.type == kind:
        return array
    if isinstance(array.type, pa.BaseExtensionType):
        return as_carried(array.storage, kind)
    if pa.types.is_dictionary(array.type):
        if not pa.types.is_dictionary(kind):
            return as_carried(array.dictionary, kind).take(array.indices)
        words = as_carried(array.dictionary, kind.value_type)
        return pa.DictionaryArray.from_arrays(array.indices.cast(kind.index_type), words)
    if pa.types.is_timestamp(kind):
        return _microseconds(array, kind)
    if pa.types.is_nested(kind):
        return _nested_as_carried(array, kind)
    return array.cast(kind)


def _microseconds(array: pa.Array, kind: pa.DataType) -> pa.Array:
    if not len(array):
        return pa.array([], kind)
    if array.type.unit != "ns":
        return array.cast(pa.timestamp("us", array.type.tz)).view(kind)
    validity, data = array.buffers()
    cut = np.frombuffer(data, np.int64, array.offset + len(array)) // 1000
    return pa.Array.from_buffers(kind, len(array), [validity, pa.py_buffer(cut)], array.null_count, array.offset)


def _nested_as_carried(array: pa.Array, kind: pa.DataType) -> pa.Array:
    """Rebuild an array around its children in their carried types."""
    if pa.types.is_struct(kind):
        children = [as_carried(array.field(number), field.type) for number, field in enumerate(kind)]
        return pa.StructArray.from_arrays(children, fields=list(kind), mask=array.is_null())
    if pa.types.is_map(kind):
        entries = [as_carried(array.keys, kind.key_type), as_carried(array.items, kind.item_type)]
        child = pa.StructArray.from_arrays(entries, fields=[kind.key_field, kind.item_field])
    else:
        if not pa.types.is_list(array.type):
            array = _plain_list(array)
        child = as_carried(array.values, kind.value_type)
    return pa.Array.from_buffers(
        kind, len(array), array.buffers()[:2], array.null_count, array.offset, children=[child]
    )


def _plain_list(array: pa.Array) -> pa.Array:
    """Lists of another layout, one after the other; pyarrow's own cast of views gives wrong offsets."""
    lengths = pc.list_value_length(array).fill_null(0).to_numpy()
    offsets = np.concatenate([[0], np.cumsum(lengths)]).astype(np.int32)
    return pa.ListArray.from_arrays(pa.array(offsets), array.flatten(), mask=array.is_null())
