"""The reduce side: the chunks of a bucket, in the order of their start, become results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa

from streamframes.core.pieces import joined
from streamframes.spark.workers import lasting

Batches = Iterator[pa.RecordBatch]
# What is made of the chunks (bucket, start, bytes) of a partition.
Fold = Callable[[Iterable[tuple[int, int, pa.Buffer]]], Batches]
# Results are handed to Spark in batches of about this many rows.
ROWS_PER_RESULT = 1 << 16


def folding(fold: Fold) -> Callable[[Batches], Batches]:
    """A function for `mapInArrow` over one partition of chunks, sorted by bucket and start."""

    def fold_partition(batches: Batches) -> Batches:
        waiting: list[pa.RecordBatch] = []
        for result in fold(joined(batches)):
            waiting.append(result)
            if sum(batch.num_rows for batch in waiting) >= ROWS_PER_RESULT:
                yield pa.concat_batches(waiting)
                waiting = []
        if waiting:
            yield pa.concat_batches(waiting)

    return lambda batches: lasting(fold_partition(batches))
