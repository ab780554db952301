"""Columns: a scheme's input columns as the arrays that its rule takes."""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa


def number_matrix(columns: Sequence[pa.Array]) -> np.ndarray:
    """Number columns as one array [column, row]: int64 if all are whole, else float64. Nulls hold 0."""
    whole = all(pa.types.is_integer(column.type) for column in columns)
    dtype = np.int64 if whole else np.float64
    matrix = np.empty((len(columns), len(columns[0]) if columns else 0), dtype)
    for row, column in zip(matrix, columns, strict=True):
        row[:] = numbers(column)
    return matrix


def numbers(column: pa.Array) -> np.ndarray:
    """One number column, nulls as 0."""
    return np.asarray((column.fill_null(0) if column.null_count else column).to_numpy())


def double_matrix(columns: Sequence[pa.Array]) -> np.ndarray:
    """Number columns as one array of doubles [column, row]. Nulls hold 0."""
    return number_matrix(columns).astype(np.float64)


def instants_only(columns: Sequence[pa.Array]) -> np.ndarray:
    """The input of a rule that looks at instants only."""
    return np.empty(0, np.bool_)
