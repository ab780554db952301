"""Refusals: rows with a value that a database cannot hold stop the batch, or are kept aside with the reason."""

from __future__ import annotations

import hashlib
from collections.abc import Sequence
from typing import NamedTuple

import numpy as np
import pyarrow as pa

from streamframes.errors import SinkError
from streamframes.sinks.texts import rows_as_json

ASIDE = ("digest", "batch", "reason", "row")


class Fault(NamedTuple):
    """A column whose values cannot all be held: in which rows, and why."""

    column: str
    rows: pa.Array
    reason: str
    remedy: str


class AsideRow(NamedTuple):
    """A row that is kept aside; the digest of row and reason makes it the same one when its batch is repeated."""

    digest: str
    batch: int | None
    reason: str
    row: str


def null_keys(table: pa.Table, columns: Sequence[str]) -> list[Fault]:
    """Rows that cannot be found again."""
    remedy = "filter such rows out"
    found = [Fault(name, table[name].combine_chunks().is_null(), "is null", remedy) for name in columns]
    return [fault for fault in found if fault.rows.true_count]


def sort_out(
    table: pa.Table, faults: Sequence[Fault], key: Sequence[str], bad: str, number: int | None, where: str
) -> tuple[pa.Table, list[AsideRow]]:
    """The rows that can be held, and those to keep aside; with `bad="fail"` the first of these is an error."""
    if not faults:
        return table, []
    masks = np.array([np.asarray(fault.rows.fill_null(False)) for fault in faults], np.bool_)
    at = np.flatnonzero(masks.any(axis=0))
    refused = table.take(pa.array(at))
    if bad == "fail":
        (row,) = rows_as_json(refused.slice(0, 1))
        first = faults[int(np.flatnonzero(masks[:, at[0]])[0])]
        named = ", ".join(f"{name}={refused[name][0]}" for name in key)
        value = "" if first.reason == "is null" else f" {refused[first.column][0]}"
        raise refusal(where, named, f"{first.column}{value} {first.reason}", first.remedy, at.size - 1, row)
    reasons = [
        "; ".join(f"{fault.column} {fault.reason}" for fault, mask in zip(faults, masks, strict=True) if mask[i])
        for i in at
    ]
    kept = [
        AsideRow(hashlib.sha256(f"{reason}\n{row}".encode()).hexdigest(), number, reason, row)
        for reason, row in zip(reasons, rows_as_json(refused), strict=True)
    ]
    return table.filter(pa.array(~masks.any(axis=0))), kept


def refusal(where: str, named: str, why: str, remedy: str, others: int, row: str) -> SinkError:
    """The error of a batch with a row that cannot be held."""
    also = f" {others:,} other rows cannot be held either." if others else ""
    return SinkError(
        f"{where} cannot hold the row {named}: {why}; {remedy}, or keep such rows in a table of their own with "
        f'upsert(..., bad="aside").{also} The row: {row}'
    )
