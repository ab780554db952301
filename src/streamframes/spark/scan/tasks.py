"""Reading in Python workers: Spark deals out tasks over row groups, and no row passes through the JVM.

tasks of legs ──> read, compute, scan ──> parcels ──> join      frames in files that are in the order of time
tasks of strands ──> read, compute, keep, scan                  the same, where legs cannot be joined or it does not pay
tasks of row groups ──> read, compute, pack ──> chunks ──> fold   everything else
"""

from __future__ import annotations

import itertools
import os
from collections.abc import Callable, Iterable, Iterator, Sequence
from math import isqrt

import pyarrow as pa
from pyspark.sql import DataFrame, SparkSession
from pyspark.sql import types as T

from streamframes.core.batch.packer import Packed
from streamframes.core.batch.pieces import split
from streamframes.core.files.parquet import Dataset, RowGroup, RowGroupReader
from streamframes.core.files.parquet.projection import Selection
from streamframes.core.files.parquet.statistics import Instants
from streamframes.core.files.segments.merge import Joiner, join
from streamframes.core.files.segments.partial import Route
from streamframes.core.files.segments.partitioned_read import Strand, strand_results
from streamframes.core.files.segments.rereading import Rereader
from streamframes.core.files.segments.segment_reader import LegReader
from streamframes.core.files.segments.segment_worker import LegRun
from streamframes.core.files.segments.split import Chain, Leg
from streamframes.core.frames.operator import FramePlan
from streamframes.spark.batch.pack import PIECES
from streamframes.spark.batch.reduce import Reduce, together
from streamframes.spark.columns import arrow_schema
from streamframes.spark.session import n_cores
from streamframes.spark.worker.worker import lasting

Batches = Iterator[pa.RecordBatch]
# Parcels leave a worker together when they are this large.
BYTES_SENT = 1 << 20
# Tasks of a core, where row groups are only packed: uneven ones even out.
TASKS_PER_CORE = 4
# Rows that are packed are taken from a row group in slices that the packer puts together as it needs them.
ROWS_PER_BATCH = 1 << 17
# A row group, and what was read of its instants.
INSTANTS = T.StructType(
    [
        *(T.StructField(name, T.LongType()) for name in ("file", "number", "low", "high")),
        T.StructField("rising", T.BooleanType()),
    ]
)


def tasks(spark: SparkSession, n_tasks: int, work: Callable[[int], Batches], schema: T.StructType) -> DataFrame:
    """What tasks with these numbers yield, as a DataFrame."""

    def run(batches: Batches) -> Batches:
        # A task has one core; Polars looks when it is imported, which is when the first file is read.
        os.environ.setdefault("POLARS_MAX_THREADS", "1")
        for batch in batches:
            for number in batch.column(0).to_pylist():
                yield from work(number)

    numbers = spark.range(0, n_tasks, 1, n_tasks)
    return numbers.mapInArrow(lambda batches: lasting(run(batches)), schema)


def route_for(spark: SparkSession, by: Sequence[str]) -> Route:
    """Few buckets, each joined in several parts, so that a single group keeps all cores busy."""
    cores = n_cores(spark)
    buckets = max(1, isqrt(cores)) if by else 1
    return Route(buckets, -(-cores // buckets))


def leg_pieces(
    spark: SparkSession, plan: FramePlan, selection: Selection, legs: Sequence[Leg], route: Route
) -> DataFrame:
    """The parcels of all legs, in pieces."""

    def work(number: int) -> Batches:
        leg = legs[number]
        run = LegRun(plan, leg, route)
        reader = LegReader(selection.reader(), leg, run.groups)
        parcels = itertools.chain((parcel for rows in reader.rows() for parcel in run.feed(rows)), run.finish())
        return _sent(parcels, number << 32)

    return tasks(spark, len(legs), work, PIECES)


def instants_read(spark: SparkSession, selection: Selection) -> dict[tuple[int, int], Instants | None]:
    """The instants of row groups of which the files do not tell them: read, in a job of its own."""
    shares = _shares(selection.untold, TASKS_PER_CORE * n_cores(spark))

    def work(number: int) -> Batches:
        reader = selection.reader()
        for group in shares[number]:
            found = reader.instants_of(group)
            row = {"file": group.file, "number": group.number, **(found._asdict() if found else {})}
            yield pa.RecordBatch.from_pylist([row], arrow_schema(INSTANTS))

    rows = tasks(spark, len(shares), work, INSTANTS).collect()
    return {
        (file, number): None if low is None else Instants(low, high, rising) for file, number, low, high, rising in rows
    }


def joining(plan: FramePlan, selection: Selection, legs: Sequence[Leg], route: Route) -> Reduce:
    """What the join makes of the parcels of a partition."""
    return lambda parcels: join(lambda: Joiner(plan, list(legs), route, Rereader(selection.reader())), parcels)


def strand_frames(
    spark: SparkSession, plan: FramePlan, selection: Selection, chains: Sequence[Chain], schema: T.StructType
) -> DataFrame:
    """The frames of all strands, one for each core."""
    strands = n_cores(spark)

    def work(number: int) -> Batches:
        return together(strand_results(plan, selection.reader(), chains, Strand(number, strands)))

    return tasks(spark, strands, work, schema)


def _sent(parcels: Iterable[Packed], number: int) -> Batches:
    """Parcels in pieces, several together."""
    waiting: list[Packed] = []
    for parcel in parcels:
        waiting.append(parcel)
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
    shares = _shares(dataset.all_row_groups, TASKS_PER_CORE * n_cores(spark))

    def work(number: int) -> Batches:
        reader = RowGroupReader(dataset, dataset.schema.names)
        for group in shares[number]:
            yield from reader.batches(group.file, group.number)

    return tasks(spark, len(shares), work, schema)
