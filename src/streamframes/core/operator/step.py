"""The step of a stream: what one micro-batch brings a bucket to, what it announces, and what it refuses."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from streamframes.core.batch.chunk import Chunk
from streamframes.core.batch.packer import Layout
from streamframes.core.batch.rows import Rows, typed
from streamframes.core.operator.protocol import OperatorPlan
from streamframes.errors import StreamFramesError

# What a row does that comes too late.
LATE = ("count", "fail", "amend")


@dataclass(frozen=True)
class Step:
    """What a step found: results, and counters by name.

    `due` is the watermark at which the bucket must be woken even if no row comes, or None.
    """

    results: list[pa.RecordBatch]
    counters: Mapping[str, int]
    due: int | None


def check_identity(before: Mapping[str, object], now: Mapping[str, str]) -> None:
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


def punctuation(plan: OperatorPlan, keys: Sequence[pa.Array], known: np.ndarray) -> pa.RecordBatch:
    """A row for each group that says before which instant no frame starts, and up to which all that end are known."""
    columns = dict(zip(plan.keys.names, keys, strict=True))
    for name, instants in ((f"{plan.prefix}start", known[:, 0]), (f"{plan.prefix}end", known[:, 1])):
        columns[name] = typed(pa.array(instants), plan.ts_type)
    arrays = [columns.get(field.name, pa.nulls(len(known), field.type)) for field in plan.frame_schema]
    return pa.RecordBatch.from_arrays(arrays, schema=plan.frame_schema)


def reported(results: Sequence[pa.RecordBatch], prefix: str) -> tuple[int, int]:
    """How many rows the results have, and how many of them are not final."""
    name = f"{prefix}final"
    finals = [batch.column(name) for batch in results if name in batch.schema.names]
    return sum(batch.num_rows for batch in results), sum(len(final) - final.true_count for final in finals)


def numbered(chunk: Chunk, numbers: np.ndarray) -> Rows:
    """The rows under the numbers of the bucket; groups that brought only punctuation are left out."""
    rows = chunk.rows
    some = np.diff(rows.bounds) > 0
    bounds = np.append(rows.bounds[:-1][some], rows.bounds[-1])
    return Rows(numbers[some], bounds, rows.ts, rows.columns)
