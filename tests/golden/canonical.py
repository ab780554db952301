"""Results as text: every digit of every value, in an order that does not depend on how rows came.

A result is kept as its columns, its number of rows, a digest of all rows, and rows in clear: all where there are few,
else the first.
"""

from __future__ import annotations

import json
import math
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal
from hashlib import blake2b
from typing import Any, NamedTuple

import pyarrow as pa

FEW, FIRST = 10, 3
EPOCH = datetime(1970, 1, 1, tzinfo=UTC)
MICROSECOND = timedelta(microseconds=1)


class Result(NamedTuple):
    """What a case gives: `name type` of each column, and all rows in canonical order."""

    columns: list[str]
    rows: list[str]

    def kept(self) -> dict[str, Any]:
        """What the golden file says of it."""
        clear = self.rows if len(self.rows) <= FEW else self.rows[:FIRST]
        return {
            "columns": ", ".join(self.columns),
            "count": len(self.rows),
            "digest": blake2b("\n".join(self.rows).encode(), digest_size=16).hexdigest(),
            "rows": [json.loads(row) for row in clear],
        }


def result(table: pa.Table) -> Result:
    """A result in canonical form: columns by name, rows in the order of their text."""
    names = sorted(table.column_names)
    columns = [[exact(value) for value in table.column(name).to_pylist()] for name in names]
    rows = sorted(json.dumps(row, ensure_ascii=False, sort_keys=True) for row in zip(*columns, strict=True))
    return Result([f"{name} {table.schema.field(name).type}" for name in names], rows)


def exact(value: Any) -> Any:
    """A value that JSON keeps to the bit: floats in hexadecimal, instants in microseconds, days, or as they are."""
    if value is None or isinstance(value, bool | int | str):
        return value
    if isinstance(value, float):
        return value.hex() if math.isfinite(value) else str(value)
    if isinstance(value, datetime):
        return (value.replace(tzinfo=value.tzinfo or UTC) - EPOCH) // MICROSECOND
    if isinstance(value, timedelta):
        return value // MICROSECOND
    if isinstance(value, list):
        return [exact(each) for each in value]
    if isinstance(value, dict):
        return {name: exact(each) for name, each in value.items()}
    if isinstance(value, date | Decimal):
        return str(value)
    raise TypeError(f"no canonical form for {value!r}")
