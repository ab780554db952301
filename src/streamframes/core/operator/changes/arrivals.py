"""Arrivals: the groups of which rows have come in a step, and how far behind."""

from __future__ import annotations

from collections.abc import Iterable

import numpy as np
import pyarrow as pa

from streamframes.core.batch.chunk import decode
from streamframes.core.batch.clock import MAX_INSTANT
from streamframes.core.batch.groups import GroupIndex, fingerprints
from streamframes.core.batch.rows import Rows
from streamframes.core.operator.step import numbered
from streamframes.core.operator.stream_bucket import StreamBucket


class Arrivals:
    """The rows of a step, by number of their group; groups that brought only punctuation are left out."""

    def __init__(self, keys: pa.Schema, chunks: Iterable[tuple[int, pa.Buffer]]) -> None:
        self.groups = GroupIndex(keys)
        self.rows: list[Rows] = []
        for chunk in (decode(data) for _, data in chunks if len(data)):
            some = np.diff(chunk.rows.bounds) > 0
            keys_of = chunk.keys.filter(pa.array(some)) if len(keys) else chunk.keys
            numbers = np.full(some.size, -1)
            numbers[some] = self.groups.numbers(chunk.first[some], chunk.second[some], keys_of)
            self.rows.append(numbered(chunk, numbers))

    def __len__(self) -> int:
        return len(self.groups)

    def earliest(self, not_before: np.ndarray) -> np.ndarray:
        """The first instant of each group's rows, without those before an instant of its group."""
        earliest = np.full(len(self), MAX_INSTANT)
        for rows in self.rows:
            numbers = rows.group_of_row
            counts = rows.ts >= not_before[numbers]
            np.minimum.at(earliest, numbers[counts], rows.ts[counts])
        return earliest

    def results_of_others(self, results: list[pa.RecordBatch], chosen: np.ndarray) -> list[pa.RecordBatch]:
        """Results without those of some of these groups, whose columns come first in a result."""
        kept = np.ones(len(self) + 1, np.bool_)
        kept[chosen] = False
        width = len(self.groups.schema)
        return [
            batch.filter(pa.array(kept[self.groups.find(*fingerprints(batch.columns[:width], batch.num_rows))]))
            for batch in results
        ]

    def watermarks(self, bucket: StreamBucket) -> np.ndarray:
        """The watermark that each of these groups has in a bucket."""
        return watermarks_in(bucket, self.groups.first, self.groups.second)


def watermarks_in(bucket: StreamBucket, first: np.ndarray, second: np.ndarray) -> np.ndarray:
    """The watermark of each group in a bucket, which may not know it."""
    numbers = bucket.operator.groups.find(first, second)
    return np.asarray(np.append(bucket.watermarks, bucket.watermark)[numbers])
