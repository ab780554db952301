"""Types: those that values can have here, and what Spark calls them."""

from __future__ import annotations

import pyarrow as pa

WHOLE = (pa.int8(), pa.int16(), pa.int32(), pa.int64())
FLOATS = (pa.float32(), pa.float64())
NUMBERS = (*WHOLE, *FLOATS)
DURATION = pa.duration("us")
MOST_DIGITS = 38
_NAMES = {
    pa.null(): "null",
    pa.bool_(): "boolean",
    pa.int8(): "tinyint",
    pa.int16(): "smallint",
    pa.int32(): "int",
    pa.int64(): "bigint",
    pa.float32(): "float",
    pa.float64(): "double",
    pa.date32(): "date",
    pa.timestamp("us"): "timestamp_ntz",
    DURATION: "interval",
}


def is_decimal(kind: pa.DataType) -> bool:
    """Whether it is a type of decimals."""
    return bool(pa.types.is_decimal(kind))


def is_exact(kind: pa.DataType) -> bool:
    """Whether numbers of this type are compared digit by digit."""
    return kind in WHOLE or bool(pa.types.is_decimal(kind))


def is_instant(kind: pa.DataType) -> bool:
    """Whether it is Spark's timestamp, which has a zone."""
    return bool(pa.types.is_timestamp(kind) and kind.unit == "us" and kind.tz is not None)


def spark_name(kind: pa.DataType) -> str:
    """What Spark calls a type; types that it does not have keep their name.

    >>> spark_name(pa.int64()), spark_name(pa.decimal128(10, 2)), spark_name(pa.uint8())
    ('bigint', 'decimal(10,2)', 'uint8')
    """
    if pa.types.is_decimal128(kind):
        return f"decimal({kind.precision},{kind.scale})"
    return "timestamp" if is_instant(kind) else _NAMES.get(kind, str(kind))
