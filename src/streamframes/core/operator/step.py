"""The step of a stream: what one micro-batch brings a bucket to, and what it refuses."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from streamframes.core.batch.chunk import Chunk
from streamframes.core.batch.packer import Layout
from streamframes.core.batch.rows import typed
from streamframes.errors import StreamFramesError


@dataclass(frozen=True)
class Step:
    """What a step found: results, and counters by name.

    `due` is the watermark at which the bucket must be woken even if no row comes, or None.
    """

    results: list[pa.RecordBatch]
    counters: Mapping[str, int]
    due: int | None


def check_identity(before: Mapping[str, str], now: Mapping[str, str]) -> None:
    """Refuse to go on from the checkpoint of another plan, and say what differs."""
    names = [name for name in {**before, **now} if before.get(name) != now.get(name)]
    if names:
        changes = "; ".join(f"{name} was {before.get(name)}, is {now.get(name)}" for name in names)
        raise StreamFramesError(
            f"the checkpoint was written by another plan: {changes}. "
            "Go back to the plan, or start with a new checkpoint location"
        )


def late_row(layout: Layout, chunk: Chunk, row: int, watermark: int) -> str:
    """Which row is late, and what to do about it."""
    instant, seen = typed(pa.array([chunk.rows.ts[row], watermark]), layout.ts_type).to_pylist()
    group = group_of(chunk, row)
    values = {field.name: column[group].as_py() for field, column in zip(layout.keys, chunk.keys.columns, strict=True)}
    return (
        f"a row is late: {values or 'the only group'} at {instant}, but all rows before {seen} had been "
        "seen; allow more lateness, or let late rows be counted with late='count'"
    )


def group_of(chunk: Chunk, row: int) -> int:
    """The group of a row."""
    return int(np.searchsorted(chunk.rows.bounds, row, side="right")) - 1
