"""Leaves: what a Parquet file stores for a column. A plain column is one leaf, a nested one has several.

  column   ts   at{lat, lon}   tags[name]
  leaf     0    1    2         3             the number by which footers and readers know it

Paths of leaves are no names: `at.lat` may be a child of `at`, or a column that is called so.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa

UTC_MICROSECONDS = pa.timestamp("us", "UTC")


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


def with_int96(kind: pa.DataType, physical: Iterator[str]) -> pa.DataType:
    """A carried type with its leaves of the old type INT96 as what they are to Spark: instants of UTC."""
    if pa.types.is_struct(kind):
        return pa.struct([field.with_type(with_int96(field.type, physical)) for field in kind])
    if pa.types.is_map(kind):
        key = with_int96(kind.key_type, physical)
        return pa.map_(key, with_int96(kind.item_type, physical))
    if pa.types.is_list(kind):
        return pa.list_(with_int96(kind.value_type, physical))
    return UTC_MICROSECONDS if next(physical) == "INT96" else kind
