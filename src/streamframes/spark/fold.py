"""The reduce side: the chunks of a bucket, in the order of their start, become results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa

from streamframes.core.pieces import joined
from streamframes.spark.workers import lasting

Batches = Iterator[pa.RecordBatch]
# What is made of the chunks (bucket, start, bytes) of a partition.
Fold = Callable[[Iterable[tuple[int, int, pa.Buffer]]], Batches]
# Results are handed to Spark in batches of about this many rows; larger ones are not copied together.
ROWS_PER_RESULT = 1 << 14


def folding(fold: Fold) -> Callable[[Batches], Batches]:
    """A function for `mapInArrow` over one partition of chunks, sorted by bucket and start."""
    return lambda batches: lasting(_together(fold(joined(batches))))


def _together(results: Batches) -> Batches:
    waiting: list[pa.RecordBatch] = []
    rows = 0
    for result in results:
        waiting.append(result)
        rows += result.num_rows
        if rows >= ROWS_PER_RESULT:
            yield waiting[0] if len(waiting) == 1 else pa.concat_batches(waiting)
            waiting, rows = [], 0
    if waiting:
        yield pa.concat_batches(waiting)
