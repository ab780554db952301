"""Key-partitioned reads: some groups from first row to last, by a worker that reads all rows and keeps its own.

Where groups are many and short, segments would send most of their rows; where frames overlap or need the rows around
them, they cannot be merged at all. A few workers that read everything are faster then than a shuffle of the rows.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import GroupIndex
from streamframes.core.files.parquet.projection import Selection
from streamframes.core.files.segments.first_run import has_boundary_runs, is_certain
from streamframes.core.files.segments.segment_reader import SegmentReader, Source
from streamframes.core.files.segments.split import Chain, Segment
from streamframes.core.frames.operator import FramePlan

# What more workers read in vain costs more than a shuffle.
MOST = 4
# In a segment a group should have more rows than these, or most would be sent; those that end with a run are few.
FEW_ROWS, FEW_IF_CERTAIN = 2048, 256
# What a value of a group takes in a dictionary, or so.
_BYTES_A_VALUE = 8


@dataclass(frozen=True)
class KeyPartition:
    """The groups whose fingerprints leave this remainder."""

    number: int
    partitions: int

    def has(self, groups: GroupIndex) -> np.ndarray:
        """Which of the groups are in it."""
        return np.asarray(groups.first % np.uint64(self.partitions) == np.uint64(self.number))


def prefers_key_partitions(plan: FramePlan, selection: Selection, segments: Sequence[Segment]) -> bool:
    """Whether the groups are so many that segments would send most of their rows, as far as footers say."""
    if has_boundary_runs(plan):
        return False
    names = [name for name in selection.values[: len(plan.keys)] if isinstance(name, str)]
    groups = max((selection.dataset.stored_bytes(name) // _BYTES_A_VALUE for name in names), default=0)
    few = FEW_IF_CERTAIN if is_certain(plan) else FEW_ROWS
    return groups * few > max((segment.rows for segment in segments), default=0)


def partition_results(
    plan: FramePlan, source: Source, chains: Sequence[Chain], partition: KeyPartition
) -> Iterator[pa.RecordBatch]:
    """The frames, or tagged rows, of the groups of a key-partitioned read."""
    operator = plan.operator()
    whole = Segment(0, True, None, None, tuple(chains))
    for rows in SegmentReader(source, whole, operator.groups, partition.has).rows():
        yield from operator.feed(rows)
    yield from operator.finish()
