"""Ways: how rows of files get to the core, and why not by a shorter way.

segments      workers read stretches of time and scan them; only runs cross the shuffle
key-partitioned reads   workers read everything, each keeps some of the groups and scans them; nothing crosses a shuffle
chunks    workers read row groups and pack them; chunks of rows cross the shuffle
Spark     Spark's reader hands rows to the workers, because an expression is not computed there
"""

from __future__ import annotations

from collections.abc import Sequence

from pyarrow import fs
from pyspark.sql import Column

from streamframes.core.files.segments.split import (
    MOST_PARTITIONS,
    NoOrder,
    can_be_merged,
    in_order,
    prefers_key_partitions,
    split_by_time,
)
from streamframes.core.frames.operator import FramePlan
from streamframes.spark.buckets import n_cores
from streamframes.spark.scan.scan import Scan
from streamframes.spark.scan.tasks import PartitionedScan, SegmentedScan


def strategy_of(scan: Scan, columns: Sequence[Column], plan: FramePlan) -> SegmentedScan | PartitionedScan | str:
    """The way of the rows; or in words why they must be packed or handed over by Spark."""
    layout = plan.layout
    selection = scan.select(*columns).selection(layout)
    if isinstance(selection, str):
        return selection
    # Who pays for what is read over a network would pay for it several times.
    local = isinstance(selection.dataset.filesystem, fs.LocalFileSystem)
    cores = n_cores(scan.sparkSession)
    partitions = local and bool(plan.keys.names) and cores <= MOST_PARTITIONS
    chains = selection.chains
    refusal = can_be_merged(plan)
    if refusal and not partitions:
        return refusal
    try:
        ordered = in_order(chains)
        found = [] if refusal else split_by_time(ordered, cores)
    except NoOrder as why:
        return str(why)
    if partitions and (refusal or prefers_key_partitions(plan, selection, found)):
        reason = refusal or "the groups are many and short"
        return PartitionedScan(scan.sparkSession, plan, selection, tuple(ordered), cores, reason)
    return SegmentedScan(scan.sparkSession, plan, selection, tuple(found), cores)
