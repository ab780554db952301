"""Which way rows of files go, and why, in words."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame

from streamframes.core.batch.packer import Layout
from streamframes.core.files.parquet.projection import Selection
from streamframes.core.files.segments.split import has_boundary_runs
from streamframes.core.frames.operator import FramePlan
from streamframes.spark.scan.scan import Scan
from streamframes.spark.scan.strategy import strategy_of
from streamframes.spark.scan.tasks import PartitionedScan, SegmentedScan


def packed_steps(
    rows: DataFrame | Scan,
    columns: Sequence[Column],
    layout: Layout,
    by: Sequence[str],
    buckets: int,
    evaluated: str,
) -> list[str]:
    """How rows are read and packed: by Spark and then Python, or by Python alone."""
    group = f"by {', '.join(by)}" if by else "as one group"
    packs = f"  2 pack    Python workers turn each batch into chunks for {buckets} buckets, {group}; lossless"
    return [read_step(rows, columns, layout) or f"  1 select  Catalyst evaluates {evaluated}", packs]


def read_step(rows: DataFrame | Scan, columns: Sequence[Column], layout: Layout) -> str:
    """Who reads the files; nothing to say of a DataFrame."""
    return _read(rows, rows.select(*columns).selection(layout)) if isinstance(rows, Scan) else ""


def frame_steps(scan: Scan, columns: Sequence[Column], plan: FramePlan, packed: Sequence[str]) -> list[str]:
    """The steps of frames that are found in files; `packed` are those where rows are packed."""
    way = strategy_of(scan, columns, plan)
    if isinstance(way, PartitionedScan):
        many = f"{way.cores} workers" if way.cores > 1 else "1 worker"
        return [
            _read(scan, way.selection),
            f"  2 scan    {many}, each reads all rows in the order of time, keeps its groups and scans them",
            f"            key-partitioned reads and not segments, because {way.reason}",
            "  nothing crosses a shuffle",
        ]
    if isinstance(way, SegmentedScan):
        edges = "runs" if has_boundary_runs(plan) else "runs, and the first rows of each group in a segment,"
        many = f"{len(way.segments)} segments" if len(way.segments) > 1 else "1 segment"
        return [
            _read(scan, way.selection),
            f"  2 scan    {many} in the order of time, by the statistics of the files; scanned where rows are read",
            f"  3 shuffle only {edges} cross it, to {way.route.partitions} partitions",
            "  4 merge   one segment after the other; frames that cross a boundary are repaired",
        ]
    left_to_spark = isinstance(scan.select(*columns).selection(plan.layout), str)
    why = [] if left_to_spark else [f"            chunks and not segments, because {way}"]
    return [packed[0], packed[1], *why, *packed[2:]]


def _read(scan: Scan, selection: Selection | str) -> str:
    size = scan.size
    kept = "" if scan.condition is None else f"\n            rows where {scan.condition.shown}, and no others"
    if isinstance(selection, str):
        reader = "Python workers hand all columns to Spark" if scan.left_to_workers else "Spark reads the files"
        return f"  1 read    {reader} ({size}), because {selection}{kept}"
    names = ", ".join(selection.names)
    return f"  1 read    Python workers read {names} themselves ({size}); no row passes through the JVM{kept}"
