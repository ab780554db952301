"""Strands: some of the groups from their first row to their last, by a worker that reads all rows and keeps its own.

Where groups are many and short, legs would send most of their rows; where frames overlap or need the rows around
them, they cannot be joined at all. A few workers that read everything are faster then than a shuffle of the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import GroupIndex
from streamframes.core.files.parquet.projection import Selection
from streamframes.core.files.segments.first_run import has_seams, is_certain
from streamframes.core.files.segments.segment_reader import LegReader, Source
from streamframes.core.files.segments.split import Chain, Leg
from streamframes.core.frames.operator import FramePlan

# What more workers read in vain costs more than a shuffle.
MOST = 4
# In a leg a group should have more rows than these, or many of them would be sent; heads that end with a run are short.
FEW_ROWS, FEW_IF_CERTAIN = 2048, 256
# What a value of a group takes in a dictionary, or so.
_BYTES_A_VALUE = 8


@dataclass(frozen=True)
class Strand:
    """The groups whose fingerprints leave this remainder."""

    number: int
    strands: int

    def has(self, groups: GroupIndex) -> np.ndarray:
        """Which of the groups are in it."""
        return np.asarray(groups.first % np.uint64(self.strands) == np.uint64(self.number))


def prefers_strands(plan: FramePlan, selection: Selection, legs: Sequence[Leg]) -> bool:
    """Whether the groups are so many that legs would send most of their rows, as far as the files tell."""
    if has_seams(plan):
        return False
    names = [name for name in selection.values[: len(plan.keys)] if isinstance(name, str)]
    groups = max((selection.dataset.stored_bytes(name) // _BYTES_A_VALUE for name in names), default=0)
    few = FEW_IF_CERTAIN if is_certain(plan) else FEW_ROWS
    return groups * few > max((leg.rows for leg in legs), default=0)


def strand_results(
    plan: FramePlan, source: Source, chains: Sequence[Chain], strand: Strand
) -> Iterator[pa.RecordBatch]:
    """The frames, or tagged rows, of the groups of a strand."""
    operator = plan.operator()
    whole = Leg(0, True, None, None, tuple(chains))
    for rows in LegReader(source, whole, operator.groups, strand.has).rows():
        yield from operator.feed(rows)
    yield from operator.finish()
