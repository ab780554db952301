"""Scheme inputs: the columns that a scheme looks at, with nulls marked and made-up reports given their values."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from streamframes.core.batch.rows import Rows
from streamframes.core.frames.kernel import IMPUTED_ROW, NULL_BREAK, SKIP
from streamframes.core.frames.plan import FrameSpec
from streamframes.core.schemes.threshold import satisfied


class SchemeInputs:
    """The inputs of a plan's scheme among the columns of its rows."""

    def __init__(self, plan: FrameSpec) -> None:
        self._scheme = plan.compiled
        self._columns = plan.input_slice
        self._null_policy = plan.scheme.null_policy()
        schedule = plan.schedule
        self._imputed = schedule.missing if schedule is not None and schedule.imputes else None

    def marked(self, rows: Rows) -> Rows:
        """Mark rows whose inputs are null or NaN as the scheme says; made-up reports have none."""
        inputs = rows.columns[self._columns]
        if self._null_policy == "value" or not inputs:
            return rows
        lacking = [_absent(column) for column in inputs if _may_be_absent(column)]
        if not lacking:
            return rows
        absent = np.logical_or.reduce(lacking)
        if rows.mark.size:
            absent &= (rows.mark & IMPUTED_ROW) == 0
        return rows.with_mark(absent, SKIP | (NULL_BREAK if self._null_policy == "break" else 0))

    def prepared(self, rows: Rows) -> np.ndarray:
        """The inputs as the scheme's rule takes them."""
        x = self._scheme.prepare(rows.columns[self._columns])
        if self._imputed and rows.mark.size:
            x = np.where(rows.mark & IMPUTED_ROW, self._imputed == "true", x)
        return x

    def until(self, rows: Rows) -> np.ndarray:
        """The second condition; on a made-up report it is the opposite of the first."""
        values = satisfied(rows.columns[self._columns][1:2])
        if self._imputed and rows.mark.size:
            return np.where(rows.mark & IMPUTED_ROW, self._imputed == "false", values)
        return values


def _may_be_absent(column: pa.Array) -> bool:
    """Whether any value is null or NaN; most columns have none, which is seen quickly."""
    if column.null_count or not pa.types.is_floating(column.type):
        return bool(column.null_count)
    # A sum is NaN where a number is, or where infinities meet: then every value is looked at.
    return bool(np.isnan(np.add.reduce(column.to_numpy(zero_copy_only=False))))


def _absent(column: pa.Array) -> np.ndarray:
    absent = column.is_null(nan_is_null=pa.types.is_floating(column.type))
    return np.asarray(absent.to_numpy(zero_copy_only=False))
