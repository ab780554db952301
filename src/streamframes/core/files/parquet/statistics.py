"""Statistics: between which instants the rows of a row group lie, read from its footer."""

from __future__ import annotations

import json
from typing import Any

import pyarrow.parquet as pq

Range = tuple[int | None, int | None]


UNKNOWN: Range = (None, None)
_PER_MICROSECOND = {"milliseconds": (1000, 1), "microseconds": (1, 1), "nanoseconds": (1, 1000)}


def ticks_range(row_group: pq.RowGroupMetaData, leaf: int, meaning: dict[str, Any]) -> Range | None:
    """The first and the last instant of a leaf in ticks, as far as they are known; None if no row has one."""
    statistics = row_group.column(leaf).statistics
    if not row_group.num_rows:
        return None
    if statistics is None:
        return UNKNOWN
    if statistics.has_null_count and statistics.null_count == row_group.num_rows:
        return None
    if not statistics.has_min_max or statistics.physical_type not in ("INT32", "INT64"):
        return UNKNOWN
    return _ticks(int(statistics.min_raw), meaning), _ticks(int(statistics.max_raw), meaning)


def meaning_of(schema: pq.ParquetSchema, leaf: int) -> dict[str, Any]:
    """What the stored integers of a leaf stand for, by its logical type.

    The unit must be the file's: pyarrow may give the column that it makes of it another one.
    """
    meaning: dict[str, Any] = json.loads(schema.column(leaf).logical_type.to_json())
    return meaning


def _ticks(stored: int, meaning: dict[str, Any]) -> int | None:
    """The instant that a stored integer is: microseconds, days, or the number itself."""
    kind = meaning["Type"]
    if kind == "Timestamp":
        times, over = _PER_MICROSECOND[meaning["timeUnit"]]
        return stored * times // over
    if kind == "Int" and not meaning["isSigned"]:
        return int(stored % 2 ** meaning["bitWidth"])
    return stored if kind in ("Int", "Date", "None") else None
