"""Terms: the typed pieces of an expression, each of which computes its values on a batch."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from typing import TypeAlias

import numpy as np
import pyarrow as pa

from streamframes.core.jit.buffers import flags, numbers, overwritten, packed, present

Values: TypeAlias = pa.Array | pa.Scalar
Kernel = Callable[..., pa.Array]


class Untranslatable(Exception):
    """The expression is left to Spark; the text says why."""


@dataclass(frozen=True)
class Term:
    """Values of a type.

    `fails` says that some values make it raise, so that it may only be computed where Spark would compute it.
    `scalar` is the value of a constant, `number` a literal number as it was written, `column` the name of a column.
    """

    type: pa.DataType
    values: Callable[[pa.RecordBatch], pa.Array]
    fails: bool = False
    scalar: pa.Scalar | None = None
    number: str | None = None
    column: str | None = None

    def data(self, batch: pa.RecordBatch) -> Values:
        """The scalar of a constant, otherwise the values as an array."""
        return self.values(batch) if self.scalar is None else self.scalar


def constant(value: object, kind: pa.DataType, number: str | None = None) -> Term:
    """The same value on each row."""
    scalar = value if isinstance(value, pa.Scalar) else pa.scalar(value, kind)
    return Term(kind, lambda batch: pa.repeat(scalar, batch.num_rows), scalar=scalar, number=number)


class Guarded:
    """A term that is computed only where Spark would.

    If it cannot fail it is simply computed. Otherwise it is tried on all rows, and once that has failed only on
    those that are wanted; on the others the values mean nothing.
    """

    def __init__(self, term: Term) -> None:
        self.term = term
        self.hopeful = True

    def data(self, batch: pa.RecordBatch, wanted: pa.BooleanArray | None) -> Values:
        """The values where they are wanted, which is everywhere for None."""
        if not self.term.fails or wanted is None or wanted.true_count == len(wanted):
            return self.term.data(batch)
        if self.hopeful:
            try:
                return self.term.data(batch)
            except pa.ArrowInvalid:
                self.hopeful = False
        return self._only(batch, flags(wanted), wanted.true_count)

    def _only(self, batch: pa.RecordBatch, mask: np.ndarray, n_wanted: int) -> pa.Array:
        """Most rows are kept, the others are replaced by one of them; of few rows the values are spread out."""
        if 2 * n_wanted < mask.size:
            places = pa.array(np.cumsum(mask) - 1, mask=~mask)
            return self.term.values(batch.filter(pa.array(mask))).take(places)
        others, kept = np.flatnonzero(~mask), int(mask.argmax())
        arrays = [overwritten(array, others, kept) for array in batch.columns]
        return self.term.values(pa.RecordBatch.from_arrays(arrays, schema=batch.schema))


def strict(kind: pa.DataType, kernel: Kernel, *operands: Term, fails: bool = False) -> Term:
    """What a kernel makes of operands; null where one is null, and those after it are not looked at.

    The kernel is given an array for at least one operand, and scalars for constants.
    """
    if any(each.scalar is not None and not each.scalar.is_valid for each in operands):
        return constant(None, kind)
    result = _constant_result(kind, kernel, operands)
    if result is not None:
        return result
    columns = [each for each in operands if each.scalar is None]
    fails = fails or any(each.fails for each in operands)
    if len(columns) == 1 and columns[0].column is not None and not fails:
        return Term(kind, _by_dictionary(kernel, operands, columns[0]))
    first, *rest = [Guarded(each) for each in operands]

    def values(batch: pa.RecordBatch) -> pa.Array:
        found = [first.data(batch, None)]
        for each in rest:
            found.append(each.data(batch, present(*found) if each.term.fails else None))
        return kernel(*(found if columns else (pa.repeat(each, batch.num_rows) for each in found)))

    return Term(kind, values, fails=fails)


def _constant_result(kind: pa.DataType, kernel: Kernel, operands: tuple[Term, ...]) -> Term | None:
    """A constant, if all operands are constants and the kernel does not fail on them."""
    if any(each.scalar is None for each in operands):
        return None
    try:
        return constant(kernel(*(pa.repeat(each.scalar, 1) for each in operands))[0], kind)
    except pa.ArrowInvalid:
        return None


def _by_dictionary(kernel: Kernel, operands: tuple[Term, ...], only: Term) -> Callable[[pa.RecordBatch], pa.Array]:
    """The values of a kernel on one column; where that is a dictionary, each of its texts is looked at once."""

    def applied(array: pa.Array) -> pa.Array:
        return kernel(*(array if each.scalar is None else each.scalar for each in operands))

    def values(batch: pa.RecordBatch) -> pa.Array:
        array = batch.column(only.column)
        if not pa.types.is_dictionary(array.type) or len(array.dictionary) >= len(array):
            return applied(only.values(batch))
        found, indices = applied(array.dictionary.cast(only.type)), array.indices
        if found.type != pa.bool_() or found.null_count or indices.null_count:
            return found.take(indices)
        return packed(np.take(flags(found), numbers(indices), mode="clip"))

    return values


def eager(kind: pa.DataType, kernel: Kernel, *operands: Term) -> Term:
    """What a kernel makes of operands that are all looked at, nulls included."""
    result = _constant_result(kind, kernel, operands)
    fails = any(operand.fails for operand in operands)
    if result is not None:
        return result
    if all(operand.scalar is not None for operand in operands):
        return Term(kind, lambda batch: kernel(*(operand.values(batch) for operand in operands)), fails=True)
    return Term(kind, lambda batch: kernel(*(operand.data(batch) for operand in operands)), fails=fails)
