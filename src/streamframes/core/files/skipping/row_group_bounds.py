"""Bounds of row groups, from the statistics in the footers of their files."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Context, Decimal
from itertools import chain
from typing import Any, NamedTuple

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pyarrow.parquet as pq

from streamframes.core.files.parquet import hive
from streamframes.core.files.parquet.bounds import Bounds, array_of, constants, statistics
from streamframes.core.files.parquet.footers import Footer
from streamframes.core.files.parquet.row_groups import meaning_of, ticks

_EXACT = Context(prec=100)


class _Known(NamedTuple):
    """What is known of one column in one row group."""

    low: object = None
    high: object = None
    nulls: bool = True
    values: bool = True


def row_group_bounds(footers: Sequence[Footer], name: str, kind: pa.DataType) -> Bounds:
    """The bounds of a column in all row groups, file after file."""
    found = list(chain.from_iterable(_of_file(footer, name, kind) for footer in footers))
    low, high = array_of([each.low for each in found], kind), array_of([each.high for each in found], kind)
    nulls, values = (np.array([each[i] for each in found], np.bool_) for i in (2, 3))
    stored = statistics(low, high, nulls, values)
    if all(name in footer.leaves for footer in footers):
        return stored
    # Where a file does not have the column, all its rows have the same value, which may be NaN.
    is_constant = np.repeat(
        [name not in footer.leaves for footer in footers], [len(each.row_counts) for each in footers]
    )
    fixed, mask = constants(low), pa.array(is_constant)
    return Bounds(
        pc.if_else(mask, fixed.low, stored.low),
        pc.if_else(mask, fixed.high, stored.high),
        nulls,
        values,
    )


def _of_file(footer: Footer, name: str, kind: pa.DataType) -> list[_Known]:
    n = len(footer.row_counts)
    if name not in footer.leaves:
        value = hive.value(dict(footer.file.partition)[name], kind)
        if pa.types.is_timestamp(kind) or pa.types.is_date(kind):
            value = value.cast(pa.int32() if pa.types.is_date(kind) else pa.int64())
        return [_Known(value.as_py(), value.as_py(), not value.is_valid, value.is_valid)] * n
    leaves, schema = footer.leaves[name], footer.metadata.schema
    try:
        if len(leaves) != 1 or schema.column(leaves.start).max_repetition_level:
            return [_Known()] * n
        meaning = meaning_of(schema, leaves.start)
        return [_of_chunk(footer.metadata.row_group(k).column(leaves.start), meaning) for k in range(n)]
    except Exception as error:
        raise footer.unreadable(error) from error


def _of_chunk(column: pq.ColumnChunkMetaData, meaning: dict[str, Any]) -> _Known:
    stored = column.statistics
    if stored is None:
        return _Known()
    nulls = not (stored.has_null_count and stored.null_count == 0)
    values = not (stored.has_null_count and stored.null_count == column.num_values)
    if not stored.has_min_max:
        return _Known(None, None, nulls, values)
    low, high = (_value(raw, stored.physical_type, meaning) for raw in (stored.min_raw, stored.max_raw))
    return _Known(low, high, nulls, values)


def _value(raw: Any, physical: str, meaning: dict[str, Any]) -> object:
    """What a stored bound means; None where it is not known."""
    if meaning["Type"] == "Decimal":
        units = int.from_bytes(raw, "big", signed=True) if isinstance(raw, bytes) else int(raw)
        return Decimal(units).scaleb(-int(meaning["scale"]), _EXACT)
    if physical in ("INT32", "INT64"):
        return ticks(int(raw), meaning)
    if physical in ("BOOLEAN", "FLOAT", "DOUBLE") and meaning["Type"] == "None":
        return raw
    if physical == "BYTE_ARRAY" and meaning["Type"] in ("String", "Enum"):
        try:
            return str(raw, "utf-8")
        except UnicodeDecodeError:
            return None
    return None
