"""Conditions: which rows can be which variable, as far as rows alone say, and the values that paths compare."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc

from streamframes.core.batch.rows import Rows
from streamframes.core.jit.buffers import flags, truths
from streamframes.core.jit.compiled import compiled
from streamframes.core.patterns.encoding import strings_of
from streamframes.core.patterns.kernels.history import Inputs
from streamframes.core.patterns.language.columns import Shifted
from streamframes.core.patterns.plan import PatternSpec


class Conditions:
    """The conditions of a plan, on rows of many groups."""

    def __init__(self, plan: PatternSpec) -> None:
        self.plan = plan
        self.first = plan.n_ties

    def row_ok(self, rows: Rows) -> np.ndarray:
        """For each variable and row whether the row may be of the variable; null is no."""
        plan, found = self.plan, np.empty((len(self.plan.definitions), len(rows)), np.bool_)
        for number, definition in enumerate(plan.definitions):
            if definition.row is None:
                found[number] = True
            else:
                found[number] = flags(truths(rows.columns[self.first + definition.row]))
            for expression in definition.ordered:
                arrays = [self._column(rows, name) for name in expression.columns]
                batch = pa.RecordBatch.from_arrays(arrays, names=list(expression.columns))
                found[number] &= flags(truths(expression.evaluate(batch)))
        return found

    def _column(self, rows: Rows, name: str) -> pa.Array:
        column, _, shift = name.removeprefix("c").partition("_")
        away = int(shift[4:]) * (1 if shift.startswith("next") else -1)
        return self.shifted(rows, Shifted(int(column), away))

    def shifted(self, rows: Rows, wanted: Shifted) -> pa.Array:
        """A column as it is some rows further on in its group; null beyond its ends."""
        array = rows.columns[self.first + wanted.column]
        if not wanted.shift:
            return array
        return taken(array, _neighbours(rows.bounds, wanted.shift, np.empty(len(rows), np.int64)))

    def inputs(self, rows: Rows) -> Inputs:
        """The values that conditions over the match so far compare, as words."""
        n = len(rows)
        words = np.zeros((len(self.plan.inputs), n), np.int64)
        valid = np.ones((len(self.plan.inputs), n), np.bool_)
        strings = strings_of(self.plan)
        for number, wanted in enumerate(self.plan.inputs):
            array = self.shifted(rows, wanted)
            if array.null_count:
                valid[number] = np.asarray(array.is_valid())
            if pa.types.is_string(array.type):
                words[number] = strings.encode(array)
            elif pa.types.is_floating(array.type):
                values = np.asarray(array.cast(pa.float64()).fill_null(0.0)) + 0.0
                words[number] = values.view(np.int64)
            else:
                plain = pc.cast(array, pa.int32()) if pa.types.is_date32(array.type) else array
                words[number] = np.asarray(plain.cast(pa.int64()).fill_null(0))
        names = np.arange(len(self.plan.names), dtype=np.int64)
        return Inputs(words, words.view(np.float64), valid, names)


def taken(array: pa.Array, rows: np.ndarray) -> pa.Array:
    """The values at some rows; null where a row is negative."""
    outside = rows < 0
    return array.take(pa.array(rows, mask=outside)) if outside.any() else array.take(pa.array(rows))


@compiled
def _neighbour_rows(bounds: np.ndarray, shift: int, out: np.ndarray) -> None:
    for k in range(bounds.size - 1):
        for i in range(bounds[k], bounds[k + 1]):
            j = i + shift
            out[i] = j if bounds[k] <= j < bounds[k + 1] else -1


def _neighbours(bounds: np.ndarray, shift: int, out: np.ndarray) -> np.ndarray:
    """For each row the row so many further on in its group, or -1."""
    _neighbour_rows(bounds, shift, out)
    return out
