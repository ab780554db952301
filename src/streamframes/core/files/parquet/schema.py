"""Leaves: what a Parquet file stores for a column. A plain column is one leaf, a nested one has several.

  column   ts   at{lat, lon}   tags[name]
  leaf     0    1    2         3             the number by which footers and readers know it

Paths of leaves are no names: `at.lat` may be a child of `at`, or a column that is called so.
"""

from __future__ import annotations

from collections.abc import Iterator

import pyarrow as pa
import pyarrow.parquet as pq

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
