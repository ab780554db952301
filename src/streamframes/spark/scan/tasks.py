"""Reading in Python workers: Spark deals out tasks over row groups, and no row passes through the JVM.

tasks of segments ─> read, compute, scan ─> partial results ─> merge    frames in files in the order of time
tasks of all rows ─> read, compute, keep, scan                          the same, where merging is impossible or dear
tasks of row groups ─> read, compute, pack ─> chunks ─> reduce          everything else
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from dataclasses import dataclass
from math import isqrt

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T

from streamframes.core.batch.packer import Packed
from streamframes.core.batch.pieces import split
from streamframes.core.files.parquet import Dataset, RowGroup, RowGroupReader
from streamframes.core.files.parquet.projection import Selection
from streamframes.core.files.parquet.row_groups import all_row_groups
from streamframes.core.files.segments.merge import SegmentMerger, merge
from streamframes.core.files.segments.partial import Route
from streamframes.core.files.segments.partitioned_read import KeyPartition, partition_results
from streamframes.core.files.segments.rereading import Rereader
from streamframes.core.files.segments.segment_reader import SegmentReader
from streamframes.core.files.segments.segment_worker import SegmentScan
from streamframes.core.files.segments.split import Chain, Segment
from streamframes.core.frames.operator import FramePlan
from streamframes.spark.batch.pack import PIECES
from streamframes.spark.batch.reduce import reduced, together
from streamframes.spark.buckets import n_cores
from streamframes.spark.worker.worker import lasting

Batches = Iterator[pa.RecordBatch]
# Partial results leave a worker together when they are this large.
BYTES_SENT = 1 << 20
# What Polars looks for when it is imported, which is when the first file is read. A task has one core; columns of the
# row group before leave memory that is used again, which saves a tenth of the time of reading.
POLARS = {
    "POLARS_MAX_THREADS": "1",
    "_RJEM_MALLOC_CONF": "oversize_threshold:0,dirty_decay_ms:10000,muzzy_decay_ms:10000",
}
# Tasks of a core, where row groups are only packed: uneven ones even out.
TASKS_PER_CORE = 4
# Rows that are packed are taken from a row group in slices that the packer puts together as it needs them.
ROWS_PER_BATCH = 1 << 17


def tasks(spark: SparkSession, n_tasks: int, work: Callable[[int], Batches], schema: T.StructType) -> DataFrame:
    """What tasks with these numbers yield, as a DataFrame."""

    def run(batches: Batches) -> Batches:
        for name, value in POLARS.items():
            os.environ.setdefault(name, value)
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from work(number)

    numbers = spark.range(0, n_tasks, 1, n_tasks)
    return numbers.mapInArrow(lambda batches: lasting(run(batches)), schema)


@dataclass(frozen=True)
class SegmentedScan:
    """Segments that are read and merged."""

    spark: SparkSession
    plan: FramePlan
    selection: Selection
    segments: tuple[Segment, ...]
    cores: int

    @property
    def route(self) -> Route:
        """Few buckets, each merged in several parts, so that a single group keeps all cores busy."""
        buckets = max(1, isqrt(self.cores)) if self.plan.keys.names else 1
        return Route(buckets, buckets * -(-self.cores // buckets))

    def frames(self, schema: T.StructType) -> DataFrame:
        """What the merge makes of the partial results of all segments."""
        # What travels to the workers; the session cannot.
        plan, selection, segments, route = self.plan, self.selection, self.segments, self.route

        def work(number: int) -> Batches:
            segment = segments[number]
            run = SegmentScan(plan, segment, route)
            reader = SegmentReader(selection.reader(), segment, run.groups)
            partial_results = itertools.chain(
                (partial_result for rows in reader.rows() for partial_result in run.feed(rows)), run.finish()
            )
            return _sent(partial_results, number << 32)

        def merged(partial_results: Iterable[tuple[int, int, pa.Buffer]]) -> Batches:
            return merge(
                lambda: SegmentMerger(plan, list(segments), route, Rereader(selection.reader())), partial_results
            )

        return reduced(tasks(self.spark, len(segments), work, PIECES), route.partitions, merged, schema)


@dataclass(frozen=True)
class PartitionedScan:
    """Key-partitioned reads, one for each core; `reason` says why not segments."""

    spark: SparkSession
    plan: FramePlan
    selection: Selection
    chains: tuple[Chain, ...]
    cores: int
    reason: str

    def frames(self, schema: T.StructType) -> DataFrame:
        """What all workers find."""
        plan, selection, chains, cores = self.plan, self.selection, self.chains, self.cores

        def work(number: int) -> Batches:
            return together(partition_results(plan, selection.reader(), chains, KeyPartition(number, cores)))

        return tasks(self.spark, cores, work, schema)


def _sent(partial_results: Iterable[Packed], number: int) -> Batches:
    """Partial results in pieces, several together."""
    waiting: list[Packed] = []
    for partial_result in partial_results:
        waiting.append(partial_result)
        if sum(len(each.data) for each in waiting) >= BYTES_SENT:
            yield split(waiting, number)
            number += len(waiting)
            waiting = []
    if waiting:
        yield split(waiting, number)


def chunk_pieces(spark: SparkSession, selection: Selection, pack: Callable[[Batches], Batches]) -> DataFrame:
    """The chunks of all rows, in pieces, as `pack` makes them."""
    shares = _shares(selection.row_groups, TASKS_PER_CORE * n_cores(spark))

    def rows(number: int) -> Batches:
        reader = selection.reader()
        for group in shares[number]:
            for arrays in reader.batches(group):
                whole = arrays.together(selection.layout.keys)
                for low in range(0, whole.num_rows, ROWS_PER_BATCH):
                    yield whole.slice(low, ROWS_PER_BATCH)

    return tasks(spark, len(shares), lambda number: pack(rows(number)), PIECES)


def _shares(groups: Sequence[RowGroup], wanted: int) -> list[list[RowGroup]]:
    """Row groups dealt out in the order of time, or of the files, about the same number of rows to each."""
    if all(group.low is not None for group in groups):
        groups = sorted(groups, key=lambda group: (group.low, group.file, group.number))
    size = max(1, -(-sum(group.rows for group in groups) // max(1, wanted)))
    shares: list[list[RowGroup]] = [[]]
    for group in groups:
        if shares[-1] and sum(each.rows for each in shares[-1]) + group.rows // 2 > size:
            shares.append([])
        shares[-1].append(group)
    return shares


def raw_rows(dataset: Dataset, spark: SparkSession, schema: T.StructType) -> DataFrame:
    """The rows as they are, read by Python workers and handed to Spark."""
    shares = _shares(all_row_groups(dataset), TASKS_PER_CORE * n_cores(spark))

    def work(number: int) -> Batches:
        reader = RowGroupReader(dataset, dataset.schema.names)
        for group in shares[number]:
            yield from reader.batches(group.file, group.number)

    return tasks(spark, len(shares), work, schema)
