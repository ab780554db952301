"""Tables: chunks of a bucket meet in one partition, sorted by their start, and are reduced there."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial

from pyspark.sql import Column, DataFrame
from pyspark.sql import types as T

from streamframes.core.batch.packer import Layout
from streamframes.core.files.parquet.projection import Selection
from streamframes.core.frames.operator import FramePlan
from streamframes.core.operator.lookup import bucket_of
from streamframes.core.operator.protocol import OperatorPlan
from streamframes.core.operator.table_bucket import bucket_results
from streamframes.spark.batch.lookup import table_pieces
from streamframes.spark.batch.pack import PIECES, packing
from streamframes.spark.batch.reduce import Batches, reduced
from streamframes.spark.buckets import n_buckets
from streamframes.spark.scan.scan import Scan, Selected
from streamframes.spark.scan.strategy import strategy_of
from streamframes.spark.scan.tasks import chunk_pieces

SHUFFLED = "  3 shuffle only chunks cross it, to the partition of their bucket, sorted by their start"
TABLE_STEPS = (
    SHUFFLED,
    "  4 scan    one compiled scan a bucket, a state record a group; holds only chunks that overlap",
    "  toDF() and agg() with count, sum, avg, min, max, first, last, stddev are this one pass;",
    "  other measures are computed by tag() and groupBy; tag() sends all columns the same way.",
)


def table_results(
    rows: DataFrame | Scan,
    columns: Sequence[Column],
    plan: OperatorPlan,
    schema: T.StructType,
    lookup: DataFrame | None = None,
) -> DataFrame:
    """The results of a plan on the columns of a table that travel, with its lookup table."""
    if isinstance(rows, Scan) and isinstance(plan, FramePlan):
        way = strategy_of(rows, columns, plan)
        if not isinstance(way, str):
            return way.frames(schema)
    buckets = n_buckets(rows.sparkSession) if plan.keys.names else 1
    chunks = pieces(
        rows.select(*columns), plan.layout, packing(plan.layout, buckets, end_of_data=plan.needs_end_of_data)
    )
    if lookup is not None:
        chunks = table_pieces(lookup, plan.lookup, buckets).union(chunks)
    return reduced(chunks, buckets, partial(bucket_results, plan, make=bucket_of), schema)


def pieces(travelling: DataFrame | Selected, layout: Layout, pack: Callable[[Batches], Batches]) -> DataFrame:
    """The chunks of rows, in pieces: of files that workers read themselves, or of rows that Spark hands to them."""
    if isinstance(travelling, Selected):
        selection = travelling.selection(layout)
        if isinstance(selection, Selection):
            return chunk_pieces(travelling.scan.sparkSession, selection, pack)
        travelling = travelling.toDF()
    return travelling.mapInArrow(pack, PIECES)
