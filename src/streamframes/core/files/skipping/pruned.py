"""Pruned datasets: the files of a table, and their row groups, in which a condition may hold."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace
from itertools import accumulate, pairwise
from typing import Protocol

import numpy as np
import pyarrow as pa

from streamframes.core.files.parquet.bounds import Bounds
from streamframes.core.files.parquet.dataset import Dataset, Skipped
from streamframes.core.files.skipping.condition import Condition
from streamframes.core.files.skipping.row_group_bounds import row_group_bounds


class Table(Protocol):
    """Files that are known, of which no footer but the first may have been read."""

    @property
    def columns(self) -> pa.Schema:
        """The columns and the types that carry them."""

    @property
    def n_files(self) -> int:
        """How many files there are."""

    def bounds(self, name: str) -> Bounds | None:
        """Between what the values of a column lie in each file, if anything is known of them."""

    def dataset(self, wanted: Sequence[int] | None = None) -> Dataset:
        """The files, or those that are wanted, with their footers."""


def read_table(table: Table, condition: Condition) -> Dataset:
    """The dataset of a table, without what is known to have no row on which a condition holds."""
    may_hold = condition.may_hold(table.n_files, table.bounds)
    return _without_row_groups(table.dataset(np.flatnonzero(may_hold).tolist()), condition, table.n_files)


def _without_row_groups(dataset: Dataset, condition: Condition, n_files: int) -> Dataset:
    """The files that have row groups in which the condition may hold, with those alone."""
    counts = [len(footer.row_counts) for footer in dataset.footers]

    def bounds(name: str) -> Bounds:
        return row_group_bounds(dataset.footers, name, dataset.schema.field(name).type)

    may_hold = condition.may_hold(sum(counts), bounds) if counts else np.zeros(0, np.bool_)
    footers = []
    for footer, (low, high) in zip(dataset.footers, pairwise(accumulate(counts, initial=0)), strict=True):
        if may_hold[low:high].any():
            footers.append(replace(footer, skipped=frozenset(np.flatnonzero(~may_hold[low:high]).tolist())))
    n_groups = sum(len(footer.row_counts) for footer in footers)
    skipped = Skipped(n_files - len(footers), n_files, sum(len(footer.skipped) for footer in footers), n_groups)
    files = tuple(footer.file for footer in footers)
    return replace(dataset, files=files, footers=tuple(footers), skipped=skipped)
