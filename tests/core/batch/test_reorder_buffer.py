"""The one order of rows: by instant, then by the columns that travel, whatever came first."""

from __future__ import annotations

import math

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from streamframes.core.batch.reorder_buffer import in_order
from streamframes.core.batch.rows import Rows
from tests.thoroughness import examples

VALUES = [None, -math.inf, -1.5, -0.0, 0.0, 2.0, math.inf, math.nan]
"""From the least to the greatest."""


def in_one_group(rows: list[tuple[int, int, int]]) -> Rows:
    ts, first, second = (list(column) for column in zip(*rows, strict=True))
    columns = [pa.array([VALUES[place] for place in first], pa.float64()), pa.array(second, pa.int64())]
    return Rows(np.zeros(1, np.int64), np.array([0, len(rows)]), np.array(ts), columns)


def told(rows: Rows) -> list[tuple[int, str, int]]:
    values, numbers = (column.to_pylist() for column in rows.columns)
    return list(zip(rows.ts.tolist(), map(str, values), numbers, strict=True))


@examples(100)
@given(
    st.lists(st.tuples(st.integers(0, 2), st.integers(0, len(VALUES) - 1), st.integers(0, 1)), min_size=1, max_size=12)
)
def test_ties_are_broken_by_doubles_with_null_first_and_nan_last(rows):
    assert told(in_order(in_one_group(rows))) == [(t, str(VALUES[place]), n) for t, place, n in sorted(rows)]
