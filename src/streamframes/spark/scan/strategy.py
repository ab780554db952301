"""Ways: how rows of files get to the core, and why not by a shorter way.

legs      workers read stretches of time and scan them; only runs cross the shuffle
strands   workers read everything, each keeps some of the groups and scans them; nothing crosses a shuffle
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
from streamframes.core.files.segments.partitioned_read import MOST, prefers_strands
from streamframes.core.files.segments.segment_worker import can_be_joined
from streamframes.core.files.segments.split import Chain, Leg, NoOrder, in_order, legs
from streamframes.core.frames.operator import FramePlan
from streamframes.spark.batch.reduce import reduced
from streamframes.spark.scan.scan import Selected
from streamframes.spark.scan.tasks import joining, leg_pieces, route_for, strand_frames
from streamframes.spark.session import n_cores

# To read the instants of fewer rows costs more than to pack the rows.
LEAST_READ = 1 << 20


@dataclass(frozen=True)
class LegWay:
    """Legs that are read and joined."""

    spark: SparkSession
    plan: FramePlan
    selection: Selection
    legs: tuple[Leg, ...]
    route: Route

    def frames(self, schema: T.StructType) -> DataFrame:
        """What the join makes of all legs."""
        pieces = leg_pieces(self.spark, self.plan, self.selection, self.legs, self.route)
        fold = joining(self.plan, self.selection, self.legs, self.route)
        return reduced(pieces, self.route.partitions, fold, schema)


@dataclass(frozen=True)
class StrandWay:
    """Strands that are read, one for each core; `reason` says why not legs."""

    spark: SparkSession
    plan: FramePlan
    selection: Selection
    chains: tuple[Chain, ...]
    reason: str

    def frames(self, schema: T.StructType) -> DataFrame:
        """What all workers find."""
        return strand_frames(self.spark, self.plan, self.selection, self.chains, schema)


def way_of(selected: Selected, plan: FramePlan) -> LegWay | StrandWay | str:
    """The way of the rows; or in words why they must be packed or handed over by Spark."""
    selection = selected.selection(plan.layout)
    if isinstance(selection, str):
        return selection
    spark = selected.sparkSession
    refusal = can_be_joined(plan)
    # Who pays for what is read over a network would pay for it several times.
    local = isinstance(selection.dataset.filesystem, fs.LocalFileSystem)
    strands = local and bool(plan.keys.names) and n_cores(spark) <= MOST
    if refusal and not strands:
        return refusal
    if selection.dataset.rows >= LEAST_READ:
        selection = selected.knowing_instants(selection)
    try:
        chains = in_order(selection.chains)
        found = [] if refusal else legs(chains, n_cores(spark))
    except NoOrder as reason:
        return str(reason)
    if strands and (refusal or prefers_strands(plan, selection, found)):
        return StrandWay(spark, plan, selection, tuple(chains), refusal or "the groups are many and short")
    return LegWay(spark, plan, selection, tuple(found), route_for(spark, plan.keys.names))
