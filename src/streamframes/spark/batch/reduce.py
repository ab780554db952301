"""Reducing: the chunks of a bucket, in the order of their start, become results."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import types as T

from streamframes.core.batch.pieces import joined
from streamframes.spark.batch.pack import IN_ORDER
from streamframes.spark.compat import repartitioned
from streamframes.spark.worker.worker import lasting

Batches = Iterator[pa.RecordBatch]
# What is made of the chunks (bucket, start, bytes) of a partition.
Reduce = Callable[[Iterable[tuple[int, int, pa.Buffer]]], Batches]
# Results are handed to Spark in batches of about this many rows; larger ones are not copied together.
ROWS_PER_RESULT = 1 << 14


def reduced(pieces: DataFrame, buckets: int, reduce: Reduce, schema: T.StructType) -> DataFrame:
    """What is made of the chunks of each bucket, in the order of their start."""
    results = reducing(reduce)
    return repartitioned(pieces, "bucket", buckets).sortWithinPartitions(*IN_ORDER).mapInArrow(results, schema)


def reducing(reduce: Reduce) -> Callable[[Batches], Batches]:
    """A function for `mapInArrow` over one partition of chunks, sorted by bucket and start."""
    return lambda batches: lasting(together(reduce(joined(batches))))


def together(results: Batches) -> Batches:
    """Small batches of results as larger ones."""
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
