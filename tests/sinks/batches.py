"""Batches of Arrow tables, as databases take them, and the slow reference of what a target should hold in the end."""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from streamframes.sinks.changes import Changes, changes_of


@dataclass(frozen=True)
class TableBatch:
    """A batch that needs no engine."""

    rows: pa.Table
    changes: Changes
    number: int | None = None
    bad: str = "fail"

    @property
    def schema(self) -> pa.Schema:
        return self.rows.schema

    def table(self) -> pa.Table:
        return self.rows


def batch_of(rows: pa.Table, number: int | None = None, bad: str = "fail", **rules: Any) -> TableBatch:
    """A batch with the rules that `upsert()` would give it."""
    settings = {"key": ("frame_id",), "order": None, "retracted": "delete", **rules}
    return TableBatch(rows, changes_of(rows.column_names, **settings), number, bad)


def state_after(batches: Iterable[TableBatch]) -> list[dict[str, Any]]:
    """What a target holds after these batches, row by row."""
    stored: dict[tuple[Any, ...], dict[str, Any]] = {}
    for batch in batches:
        changes, now = batch.changes, dict[tuple[Any, ...], dict[str, Any]]()
        for row in batch.rows.to_pylist():
            key, order = (tuple(row[name] for name in names) for names in (changes.key, changes.order))
            if key not in now or tuple(now[key][name] for name in changes.order) <= order:
                now[key] = row
        for key, row in now.items():
            order = tuple(row[name] for name in changes.order)
            if key in stored and tuple(stored[key][name] for name in changes.order) > order:
                continue
            if changes.retracted is not None and row[changes.retracted]:
                stored.pop(key, None)
            else:
                stored[key] = row
    return [stored[key] for key in sorted(stored)]
