"""Key-partitioned reads: some groups from first row to last, by a worker that reads all rows and keeps its own."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import GroupIndex
from streamframes.core.files.segments.segment_reader import SegmentReader, Source
from streamframes.core.files.segments.split import Chain, Segment
from streamframes.core.frames.operator import FramePlan


@dataclass(frozen=True)
class KeyPartition:
    """The groups whose fingerprints leave this remainder."""

    number: int
    partitions: int

    def has(self, groups: GroupIndex) -> np.ndarray:
        """Which of the groups are in it."""
        return np.asarray(groups.first % np.uint64(self.partitions) == np.uint64(self.number))


def partition_results(
    plan: FramePlan, source: Source, chains: Sequence[Chain], partition: KeyPartition
) -> Iterator[pa.RecordBatch]:
    """The frames, or tagged rows, of the groups of a key-partitioned read."""
    operator = plan.operator()
    whole = Segment(0, True, None, None, tuple(chains))
    for rows in SegmentReader(source, whole, operator.groups, partition.has).rows():
        yield from operator.feed(rows)
    yield from operator.finish()
