"""Tables: chunks of a bucket meet in one partition, sorted by their start, and are folded there."""

from __future__ import annotations

from functools import partial

from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.core.fold import BucketFold, fold
from streamframes.core.plans import Plan
from streamframes.core.sessions.plan import SessionPlan
from streamframes.spark.fold import Fold, folding
from streamframes.spark.pack import IN_ORDER, PIECES, packing

SHUFFLED = "  3 shuffle only chunks cross it, to the partition of their bucket, sorted by their start"
EXPLAINED = (
    SHUFFLED,
    "  4 fold    one compiled scan a bucket, a state record a group; holds only chunks that overlap",
    "  toDF() and agg() with count, sum, avg, min, max, first, last, stddev are this one pass;",
    "  other measures are computed by tag() and groupBy; tag() sends all columns the same way.",
)


def table_frames(travelling: DataFrame, plan: Plan, buckets: int, schema: T.StructType) -> DataFrame:
    """The results of a plan on a table of group columns, the instant, and what travels."""
    reach = isinstance(plan, SessionPlan) and plan.has_timeouts
    chunks = travelling.mapInArrow(packing(plan.layout, buckets, reach=reach), PIECES)
    return folded(chunks, buckets, partial(fold, partial(BucketFold, plan)), schema)


def folded(pieces: DataFrame, buckets: int, fold: Fold, schema: T.StructType) -> DataFrame:
    """What is made of the chunks of each bucket, in the order of their start."""
    together = pieces.repartitionById(buckets, F.col("bucket")).sortWithinPartitions(*IN_ORDER)
    return together.mapInArrow(folding(fold), schema)
