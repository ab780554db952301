"""Measures as values: what is aggregated, and how totals are carried from batch to batch.

Null handling is Spark's: nulls take no part in count, sum, avg, min, max and stddev; first and last return what
stands there; NaN is larger than any number.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

import numpy as np
import pyarrow as pa

from streamframes.core.schemes.folds import Fold

Function = Literal["count", "sum", "avg", "min", "max", "first", "last", "stddev", "fold"]
MEASURES: tuple[str, ...] = ("count", "sum", "avg", "min", "max", "first", "last", "stddev")


@dataclass(frozen=True)
class Measure:
    """A function of one travelling column (None: of the rows themselves), and the type of its result."""

    name: str
    function: Function
    column: int | None
    type: pa.DataType
    fold: Fold | None = None


@dataclass(frozen=True)
class Carry:
    """The frames of a batch, and how their totals are carried from the batch before to the next.

    `lane_id` says where a frame's totals are kept between batches, `goes_on` whether they were begun before, `stays`
    whether they will be needed again.
    """

    lane_id: np.ndarray
    goes_on: np.ndarray
    stays: np.ndarray
