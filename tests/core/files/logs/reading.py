"""Rows of a dataset, as workers read them, to be held against what another reader gives."""

from __future__ import annotations

from typing import Any

import pyarrow as pa

from streamframes.core.files.parquet import Dataset, RowGroupReader
from streamframes.core.files.parquet.row_groups import all_row_groups


def rows_of(dataset: Dataset) -> list[str]:
    """All rows in no order, row group by row group."""
    reader = RowGroupReader(dataset, dataset.schema.names, dataset.schema.names)
    batches = [
        batch for group in all_row_groups(dataset) for batch in reader.batches(group.file, group.number, limit=3)
    ]
    return sorted_rows([row for batch in batches for row in batch.to_pylist()])


def sorted_rows(rows: list[dict[str, Any]]) -> list[str]:
    return sorted(repr(sorted(row.items())) for row in rows)


def rows(numbers: list[int], first: int, extra: bool) -> pa.Table:
    """Rows with keys to tell them apart by; `extra` is a column that came later."""
    columns = {
        "k": pa.array([f"k{number % 3}" if number % 7 else None for number in numbers], pa.string()),
        "ts": pa.array([first * 1_000_000 + number for number in numbers]).cast(pa.timestamp("us", "UTC")),
        "v": pa.array([number % 5 for number in numbers], pa.int64()),
        "day": pa.array([f"d {number % 2}/é" if number % 3 else None for number in numbers], pa.string()),
    }
    if extra:
        columns["extra"] = pa.array([number / 4 for number in numbers], pa.float64())
    return pa.table(columns)
