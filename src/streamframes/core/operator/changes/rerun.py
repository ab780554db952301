"""Reruns: a copy of some groups of a bucket goes on over the rows that wait there; the bucket stays as it is.

bucket at 10:00    state of all groups | rows that wait: 10:00 ...
rerun              copy of some groups ──> fed with their rows up to a watermark ──> results, state there
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import GroupIndex
from streamframes.core.batch.reorder_buffer import in_order
from streamframes.core.batch.rows import Rows, gather, no_rows
from streamframes.core.operator.changes.arrivals import watermarks_in
from streamframes.core.operator.protocol import OperatorPlan
from streamframes.core.operator.step import numbered
from streamframes.core.operator.stream_bucket import StreamBucket


class Rerun:
    """A copy of some groups of a bucket, `numbers` in the copy."""

    def __init__(self, plan: OperatorPlan, bucket: StreamBucket, groups: GroupIndex, chosen: np.ndarray) -> None:
        self.plan = plan
        self.bucket = bucket
        self.first, self.second = groups.first[chosen], groups.second[chosen]
        self.keys = pa.RecordBatch.from_arrays(groups.values(chosen), schema=plan.keys)
        known = bucket.operator.groups.find(self.first, self.second)
        self.operator = bucket.operator.copy(known[known >= 0])
        self.numbers = self.operator.groups.numbers(self.first, self.second, self.keys)

    def feed_up_to(self, ahead: StreamBucket) -> list[pa.RecordBatch]:
        """What is certain at the watermarks of a bucket that is ahead."""
        watermarks = np.empty(self.numbers.size, np.int64)
        watermarks[self.numbers] = watermarks_in(ahead, self.first, self.second)
        return list(self.operator.feed(self.waiting(watermarks), watermarks))

    def finish(self) -> list[pa.RecordBatch]:
        """What would be, were no other row to come."""
        return [*self.operator.feed(self.waiting(None)), *self.operator.finish()]

    def replace_in(self, ahead: StreamBucket) -> None:
        """Make the state of these groups the one that a bucket ahead goes on from."""
        numbers = ahead.operator.groups.numbers(self.first, self.second, self.keys)
        ahead.operator.adopt(numbers, self.operator, self.numbers)
        ahead.save()

    def waiting(self, before: np.ndarray | None) -> Rows:
        """The rows of these groups that wait in the bucket, in order; those before an instant of their group."""
        bound = None if before is None else int(before.max())
        parts = []
        for chunk in self.bucket.waiting.read_before(bound):
            rows = numbered(chunk, self.operator.groups.find(chunk.first, chunk.second))
            groups = rows.group_of_row
            wanted = groups >= 0
            if before is not None:
                wanted &= rows.ts < before[groups]
            parts.append(rows.filter(wanted))
        return in_order(gather(parts)) if parts else no_rows(self.plan.columns)
