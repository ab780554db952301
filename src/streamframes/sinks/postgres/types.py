"""Types of Postgres: which column holds the values of an Arrow type exactly, and which tables that exist hold them too.

Types are written as Postgres' own `format_type` writes them, so that they can be compared with what the catalog says.
"""

from __future__ import annotations

import re

import pyarrow as pa

_SIMPLE = {
    pa.bool_(): "boolean",
    pa.int8(): "smallint",
    pa.int16(): "smallint",
    pa.int32(): "integer",
    pa.int64(): "bigint",
    pa.float32(): "real",
    pa.float64(): "double precision",
    pa.string(): "text",
    pa.binary(): "bytea",
    pa.date32(): "date",
    pa.timestamp("us", "UTC"): "timestamp with time zone",
    pa.timestamp("us"): "timestamp without time zone",
    pa.duration("us"): "interval",
    pa.time64("ns"): "time without time zone",
}
# The number by which Postgres knows the type of an array's elements.
ELEMENT = {
    "boolean": 16, "bytea": 17, "bigint": 20, "smallint": 21, "integer": 23, "text": 25, "real": 700,
    "double precision": 701, "date": 1082, "time without time zone": 1083, "timestamp without time zone": 1114,
    "timestamp with time zone": 1184, "interval": 1186,
}  # fmt: skip
_WIDER = {
    "smallint": {"integer", "bigint", "numeric"},
    "integer": {"bigint", "numeric"},
    "bigint": {"numeric"},
    "real": {"double precision"},
    "jsonb": {"json"},
    "text": {"character varying"},
}


def postgres_type(kind: pa.DataType) -> str | None:
    """The type of a column for values of an Arrow type; lists of lists, structs and maps are JSON."""
    if pa.types.is_decimal(kind):
        return f"numeric({kind.precision},{kind.scale})"
    if pa.types.is_list(kind) and not pa.types.is_nested(kind.value_type):
        element = postgres_type(kind.value_type)
        return None if element is None else f"{element}[]"
    return "jsonb" if pa.types.is_nested(kind) else _SIMPLE.get(kind)


def staged_type(kind: str) -> str:
    """The type in the staging table: numerics and JSON come as text, and are read by Postgres when they are merged."""
    return "text" if kind.startswith(("numeric", "jsonb")) else kind


def holds(there: str, here: str) -> bool:
    """Whether a column of a type that the catalog names keeps all values of the type that would be made."""
    if there == here or there in _WIDER.get(here, ()):
        return True
    if here == "text":
        return re.fullmatch(r"character varying\(\d+\)", there) is not None
    own, other = (re.fullmatch(r"numeric\((\d+),(-?\d+)\)(\[\])?", kind) for kind in (here, there))
    if own is None:
        return False
    if other is None:
        return there == f"numeric{own[3] or ''}"
    (whole, scale), (most, digits) = ((int(each[1]), int(each[2])) for each in (own, other))
    return own[3] == other[3] and digits >= scale and most - digits >= whole - scale


def longest_text(there: str) -> int | None:
    """How many characters a column holds, where it is limited."""
    found = re.fullmatch(r"character varying\((\d+)\)", there)
    return int(found[1]) if found else None
