"""The reduce side: the chunks of a bucket, in the order of their start, become frames or tagged rows."""

from __future__ import annotations

from collections.abc import Callable, Iterator

import pyarrow as pa

from streamframes.core.fold import fold
from streamframes.core.pieces import joined
from streamframes.core.plan import FramePlan
from streamframes.spark.workers import lasting

Batches = Iterator[pa.RecordBatch]
# Results are handed to Spark in batches of about this many rows.
ROWS_PER_RESULT = 1 << 16


def folding(plan: FramePlan) -> Callable[[Batches], Batches]:
    """A function for `mapInArrow` over one partition of chunks, sorted by bucket and start."""

    def fold_partition(batches: Batches) -> Batches:
        waiting: list[pa.RecordBatch] = []
        for result in fold(plan, joined(batches)):
            waiting.append(result)
            if sum(batch.num_rows for batch in waiting) >= ROWS_PER_RESULT:
                yield pa.concat_batches(waiting)
                waiting = []
        if waiting:
            yield pa.concat_batches(waiting)

    return lambda batches: lasting(fold_partition(batches))
