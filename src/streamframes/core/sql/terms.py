"""Terms: the typed pieces of an expression, each of which computes its values on a batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

Kernel = Callable[..., pa.Array]


class Untranslatable(Exception):
    """The expression is left to Spark; the text says why."""


@dataclass(frozen=True)
class Term:
    """Values of a type.

    `fails` says that some values make it raise, so that it may only be computed where Spark would compute it;
    `number` is a literal number as it was written.
    """

    type: pa.DataType
    values: Callable[[pa.RecordBatch], pa.Array]
    fails: bool = False
    number: str | None = None


def constant(value: Any, kind: pa.DataType, number: str | None = None) -> Term:
    """The same value on each row."""
    scalar = pa.scalar(value, kind)
    return Term(kind, lambda batch: pa.repeat(scalar, batch.num_rows), number=number)


def column(name: str, kind: pa.DataType) -> Term:
    """The values of a column."""
    return Term(kind, lambda batch: batch.column(name))


def values_where(term: Term, batch: pa.RecordBatch, wanted: pa.BooleanArray) -> pa.Array:
    """The values of a term on the wanted rows; elsewhere null, or whatever costs nothing."""
    if not term.fails:
        return term.values(batch)
    mask = wanted.to_numpy(zero_copy_only=False)
    if mask.all():
        return term.values(batch)
    places = pa.array(np.cumsum(mask) - 1, mask=~mask)
    return term.values(batch.filter(wanted)).take(places)


def strict(kind: pa.DataType, kernel: Kernel, *operands: Term, fails: bool = False) -> Term:
    """What a kernel makes of operands; null where one is null, and those after it are not looked at."""

    def values(batch: pa.RecordBatch) -> pa.Array:
        first, *rest = operands
        arrays = [first.values(batch)]
        present = arrays[0].is_valid()
        for operand in rest:
            arrays.append(values_where(operand, batch, present))
            present = pc.and_(present, arrays[-1].is_valid())
        return kernel(*arrays)

    return Term(kind, values, fails=fails or any(operand.fails for operand in operands))


def eager(kind: pa.DataType, kernel: Kernel, *operands: Term) -> Term:
    """What a kernel makes of operands that are all looked at, nulls included."""
    fails = any(operand.fails for operand in operands)
    return Term(kind, lambda batch: kernel(*(operand.values(batch) for operand in operands)), fails=fails)
