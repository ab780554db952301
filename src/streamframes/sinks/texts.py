"""Texts: values of Arrow as text that loses no digit."""

from __future__ import annotations

import base64
import json
from collections.abc import Iterator

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

# The years 1 to 9999, in microseconds and days since 1970: what ISO 8601 can write, and Python's datetime can hold.
FIRST_INSTANT, LAST_INSTANT = -62_135_596_800_000_000, 253_402_300_799_999_999
FIRST_DAY, LAST_DAY = -719_162, 2_932_896


def outside(array: pa.Array, first: int, last: int) -> pa.Array:
    """Which instants or days are before the first or after the last that can be held; false for nulls."""
    numbers = array.cast(pa.int32() if pa.types.is_date32(array.type) else pa.int64())
    return pc.or_(pc.less(numbers, first), pc.greater(numbers, last)).fill_null(False)


def instants(array: pa.Array) -> pa.Array:
    """Instants as ISO 8601 with microseconds, and the offset where they have a zone; others as microseconds of 1970."""
    plain = array.cast(pa.int64())
    suffix = "" if array.type.tz is None else "+00:00"
    iso = pc.replace_substring(plain.cast(pa.timestamp("us")).cast(pa.string()), " ", "T", max_replacements=1)
    iso = pc.binary_join_element_wise(iso, suffix, "")
    far = outside(array, FIRST_INSTANT, LAST_INSTANT)
    return pc.if_else(far, pc.binary_join_element_wise(plain.cast(pa.string()), "us since 1970", " "), iso)


def texts(array: pa.Array) -> list[object]:
    """Values as JSON can hold them with every digit: numbers, booleans, texts, lists and objects of them."""
    return [json_value(value) for value in _plain(array).to_pylist()]


def rows_as_json(table: pa.Table) -> Iterator[str]:
    """Each row as one JSON object."""
    columns = [texts(column.combine_chunks()) for column in table.columns]
    for values in zip(*columns, strict=True):
        yield to_json(dict(zip(table.column_names, values, strict=True)))


def to_json(value: object) -> str:
    """A value that `texts` made as JSON."""
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"), allow_nan=False)


def json_value(value: object) -> object:
    """One value of Python as JSON can hold it."""
    if isinstance(value, dict):
        return {str(name): json_value(each) for name, each in value.items()}
    if isinstance(value, list | tuple):
        return [json_value(each) for each in value]
    if isinstance(value, bytes):
        return base64.b64encode(value).decode()
    if isinstance(value, float) and not np.isfinite(value):
        return str(value)
    return value


def _plain(array: pa.Array) -> pa.Array:
    """The same values, those that Python or JSON would cut as text, inside of lists and structs too."""
    kind = array.type
    if pa.types.is_timestamp(kind):
        return instants(array)
    if pa.types.is_decimal(kind):
        plain = [None if each is None else format(each, "f") for each in array.to_pylist()]
        return pa.array(plain, pa.string())
    if pa.types.is_date(kind) or pa.types.is_time(kind):
        return array.cast(pa.string())
    if pa.types.is_duration(kind):
        return array.cast(pa.int64())
    return _plain_nested(array) if pa.types.is_nested(kind) else array


def _plain_nested(array: pa.Array) -> pa.Array:
    # A copy begins at its first value; the constructors take no slices.
    array = array.take(pa.array(np.arange(len(array))))
    kind, mask = array.type, array.is_null() if array.null_count else None
    if pa.types.is_struct(kind):
        names = [kind.field(i).name for i in range(kind.num_fields)]
        return pa.StructArray.from_arrays([_plain(each) for each in array.flatten()], names, mask=mask)
    if pa.types.is_map(kind):
        pairs = pa.StructArray.from_arrays([_plain(array.keys), _plain(array.items)], ["key", "value"])
        return pa.ListArray.from_arrays(array.offsets, pairs, mask=mask)
    return pa.ListArray.from_arrays(array.offsets, _plain(array.values), mask=mask)
