"""Signals: columns as numbers to draw, no more of them than a picture can show."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streamframes.errors import InvalidArgument

_DAY = 86_400_000_000
MAX_BINS = 2_000
# Reports that are this much further apart than usual are not joined by a line.
_PAUSE = 30


@dataclass(frozen=True)
class Instants:
    """Instants on an axis: days since 1970 for times and dates, else the numbers themselves."""

    at: np.ndarray
    is_time: bool
    zone: str | None


def as_table(rows: object) -> pa.Table:
    """A pandas or Arrow table as an Arrow table."""
    if isinstance(rows, pa.Table):
        return rows
    if not hasattr(rows, "columns"):
        raise InvalidArgument(f"a picture got rows of type {type(rows).__name__}; give pandas or Arrow")
    return pa.Table.from_pandas(rows, preserve_index=False)


def as_column(values: object) -> pa.ChunkedArray:
    """An Arrow array or a pandas Series as an Arrow column."""
    return values if isinstance(values, pa.ChunkedArray) else pa.chunked_array([pa.array(values)])


def column_of(table: pa.Table, name: str, argument: str) -> pa.ChunkedArray:
    """A column, or an error that names the ones there are."""
    if name not in table.column_names:
        known = ", ".join(table.column_names)
        raise InvalidArgument(f"a picture got {argument}={name!r}, which is not a column; the columns are {known}")
    return table[name]


def instants(column: pa.ChunkedArray) -> Instants:
    """A column of instants as places on an axis; a null is not a number."""
    kind = column.type
    if pa.types.is_timestamp(kind):
        ticks = column.cast(pa.timestamp("us", kind.tz), safe=False).cast(pa.int64())
        return Instants(_floats(ticks) / _DAY, True, kind.tz)
    if pa.types.is_date(kind):
        return Instants(_floats(column.cast(pa.date32()).cast(pa.int32())), True, None)
    return Instants(_floats(column), False, None)


def numbers(column: pa.ChunkedArray, name: str) -> np.ndarray:
    """A column of values; a null is not a number."""
    if not (
        pa.types.is_integer(column.type)
        or pa.types.is_floating(column.type)
        or pa.types.is_decimal(column.type)
        or pa.types.is_boolean(column.type)
    ):
        raise InvalidArgument(f"a picture got value={name!r} of type {column.type}; draw a column of numbers")
    return _floats(column)


def in_order(at: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """Points by instant, without those that have none."""
    order = np.argsort(at, kind="stable")
    order = order[np.isfinite(at[order])]
    return at[order], value[order]


def thinned(at: np.ndarray, value: np.ndarray, bins: int = MAX_BINS) -> tuple[np.ndarray, np.ndarray]:
    """The least and greatest value of each of many stretches of equal length: what a reader could see.

    >>> at, value = thinned(np.arange(6.0), np.array([1.0, 5.0, 2.0, 3.0, 9.0, 4.0]), bins=2)
    >>> at, value
    (array([0., 1., 3., 4.]), array([1., 5., 3., 9.]))
    """
    if at.size <= 2 * bins:
        return at, value
    known = np.isfinite(value)
    at, value = at[known], value[known]
    bin_of = np.minimum((at - at[0]) / (at[-1] - at[0] or 1.0) * bins, bins - 1).astype(np.int64)
    by_value = np.lexsort((value, bin_of))
    edges = np.flatnonzero(np.diff(bin_of[by_value])) + 1
    least = by_value[np.concatenate([[0], edges])]
    greatest = by_value[np.concatenate([edges - 1, [by_value.size - 1]])]
    kept = np.union1d(least, greatest)
    return at[kept], value[kept]


def broken(at: np.ndarray, value: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
    """The points with a hole wherever reports are much further apart than usual."""
    steps = np.diff(at)
    usual = np.median(steps[steps > 0]) if (steps > 0).any() else np.inf
    holes = np.flatnonzero(steps > _PAUSE * usual) + 1
    return np.insert(at, holes, at[holes - 1]), np.insert(value, holes, np.nan)


def _floats(column: pa.ChunkedArray) -> np.ndarray:
    plain = pc.cast(column, pa.float64(), safe=False)
    return np.asarray(plain.to_numpy(), np.float64)
