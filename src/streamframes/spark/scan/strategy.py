"""Ways: how rows of files get to the core, and why not by a shorter way.

segments      workers read stretches of time and scan them; only runs cross the shuffle
key-partitioned reads   workers read everything, each keeps some of the groups and scans them; nothing crosses a shuffle
chunks    workers read row groups and pack them; chunks of rows cross the shuffle
Spark     Spark's reader hands rows to the workers, because an expression is not computed there
"""

from __future__ import annotations

from dataclasses import dataclass

from pyarrow import fs
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T

from streamframes.core.files.parquet.projection import Selection
from streamframes.core.files.segments.partial import Route
from streamframes.core.files.segments.partitioned_read import MOST, prefers_key_partitions
from streamframes.core.files.segments.segment_worker import can_be_merged
from streamframes.core.files.segments.split import Chain, NoOrder, Segment, in_order, split_by_time
from streamframes.core.frames.operator import FramePlan
from streamframes.spark.batch.reduce import reduced
from streamframes.spark.buckets import n_cores
from streamframes.spark.scan.scan import Selected
from streamframes.spark.scan.tasks import merging, partition_frames, route_for, segment_pieces


@dataclass(frozen=True)
class SegmentedScan:
    """Segments that are read and merged."""

    spark: SparkSession
    plan: FramePlan
    selection: Selection
    segments: tuple[Segment, ...]
    route: Route

    def frames(self, schema: T.StructType) -> DataFrame:
        """What the merge makes of all segments."""
        pieces = segment_pieces(self.spark, self.plan, self.selection, self.segments, self.route)
        reduce = merging(self.plan, self.selection, self.segments, self.route)
        return reduced(pieces, self.route.partitions, reduce, schema)


@dataclass(frozen=True)
class PartitionedScan:
    """Key-partitioned reads that are read, one for each core; `reason` says why not segments."""

    spark: SparkSession
    plan: FramePlan
    selection: Selection
    chains: tuple[Chain, ...]
    reason: str

    def frames(self, schema: T.StructType) -> DataFrame:
        """What all workers find."""
        return partition_frames(self.spark, self.plan, self.selection, self.chains, schema)


def strategy_of(selected: Selected, plan: FramePlan) -> SegmentedScan | PartitionedScan | str:
    """The way of the rows; or in words why they must be packed or handed over by Spark."""
    selection = selected.selection(plan.layout)
    if isinstance(selection, str):
        return selection
    spark = selected.sparkSession
    refusal = can_be_merged(plan)
    # Who pays for what is read over a network would pay for it several times.
    local = isinstance(selection.dataset.filesystem, fs.LocalFileSystem)
    cores = n_cores(spark)
    partitions = local and bool(plan.keys.names) and cores <= MOST
    if refusal and not partitions:
        return refusal
    try:
        chains = in_order(selection.chains)
        found = [] if refusal else split_by_time(chains, cores)
    except NoOrder as reason:
        return str(reason)
    if partitions and (refusal or prefers_key_partitions(plan, selection, found)):
        return PartitionedScan(spark, plan, selection, tuple(chains), refusal or "the groups are many and short")
    return SegmentedScan(spark, plan, selection, tuple(found), route_for(cores, plan.keys.names))
