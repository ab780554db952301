"""Tags: rows as they came, each with what is known of a frame that it is in."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Literal

import pyarrow as pa

from streamframes.core.batch.rows import Rows, typed


@dataclass(frozen=True)
class TagColumn:
    """A column of tagged rows: a group column, the instant, or a travelling column."""

    name: str
    source: Literal["key", "ts", "column"]
    index: int
    type: pa.DataType


def tagged(
    tags: Sequence[TagColumn], rows: Rows, keys: Sequence[pa.Array], told: Sequence[pa.Array], schema: pa.Schema
) -> pa.RecordBatch:
    """The rows with the columns that they came with, and what is told of their frames; `keys` are a row's own."""
    columns = []
    for tag in tags:
        if tag.source == "key":
            columns.append(keys[tag.index])
        elif tag.source == "ts":
            columns.append(typed(pa.array(rows.ts), tag.type))
        else:
            columns.append(rows.columns[tag.index])
    return pa.RecordBatch.from_arrays([*columns, *told], schema=schema)
