"""Statistics of Iceberg tables: what the manifests say of the values of a column in each file."""

from __future__ import annotations

import struct
from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
from pyiceberg.conversions import from_bytes
from pyiceberg.manifest import DataFile
from pyiceberg.schema import Schema
from pyiceberg.types import PrimitiveType, TimestampNanoType, TimestamptzNanoType

from streamframes.core.files.parquet.bounds import Bounds, array_of, statistics


@dataclass(frozen=True)
class IcebergStatistics:
    """The columns and the files of a snapshot."""

    schema: Schema
    files: tuple[DataFile, ...]

    def __call__(self, name: str, kind: pa.DataType) -> Bounds | None:
        """The bounds of a column in each file."""
        field = next(each for each in self.schema.fields if each.name == name)
        if not isinstance(field.field_type, PrimitiveType):
            return None
        ends = [
            array_of([_value(field.field_type, bounds, field.field_id) for bounds in of_files], kind)
            for of_files in ([each.lower_bounds for each in self.files], [each.upper_bounds for each in self.files])
        ]
        n_nulls = [_count(each.null_value_counts, field.field_id) for each in self.files]
        n_rows = [_count(each.value_counts, field.field_id) for each in self.files]
        nulls = np.array([each != 0 for each in n_nulls], np.bool_)
        values = np.array([some is None or some != all for some, all in zip(n_nulls, n_rows, strict=True)], np.bool_)
        no_nan = np.array([_count(each.nan_value_counts, field.field_id) == 0 for each in self.files], np.bool_)
        return statistics(ends[0], ends[1], nulls, values, no_nan)


def _count(counts: Mapping[int, int] | None, field_id: int) -> int | None:
    return (counts or {}).get(field_id)


def _value(kind: PrimitiveType, bounds: Mapping[int, bytes] | None, field_id: int) -> object:
    """A bound; None where there is none, or one that was written when the column was of another type."""
    stored = (bounds or {}).get(field_id)
    if stored is None:
        return None
    try:
        value: Any = from_bytes(kind, stored)
        return value // 1000 if isinstance(kind, TimestampNanoType | TimestamptzNanoType) else value
    except (struct.error, ValueError, TypeError, UnicodeDecodeError):
        return None
