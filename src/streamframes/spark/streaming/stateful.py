"""The stateful stage: packed rows meet in buckets that keep what is open and what waits.

rows ─ watermark ─ pack ─ (bucket, pieces) ─ by bucket ─ stateful processor ─ observe ─ unpack ─ results
       Catalyst    Python                   shuffle     Python, RocksDB      JVM       Python
"""

from __future__ import annotations

from collections.abc import Sequence

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.core.batch.clock import MIN_INSTANT
from streamframes.core.batch.packer import DATA, Layout
from streamframes.core.operator.lookup import LOOKUP, lookup_layout
from streamframes.spark.batch.lookup import travelling
from streamframes.spark.batch.pack import PIECES, StreamPacking, packing
from streamframes.spark.buckets import n_partitions
from streamframes.spark.columns import column
from streamframes.spark.hashing import bucket_names
from streamframes.spark.streaming.events import EventClock, event_time, instant_of
from streamframes.spark.streaming.processor import BucketPlan, FrameProcessor, unpacking
from streamframes.spark.streaming.watermark import WATERMARK, Watch

# What the progress calls the sum of a figure over all buckets, where it has another name there.
NAMES = {
    "late": "late_rows",
    "open": "open_frames",
    "waiting": "waiting_rows",
    "duplicates": "duplicate_reports",
    "amended": "amending_rows",
    "kept": "kept_rows",
    "changeable": "changeable_frames",
    "fill_late": "fill_late_rows",
    "fill_rows": "fill_waiting_rows",
    "fill_frames": "fill_waiting_frames",
    "max_rows": "fill_waiting_rows_max",
    "max_frames": "fill_waiting_frames_max",
}
# Every bucket has every command: what one of them refuses, all do.
MOST = {"refused": "refused_commands"}
# The sum of each bucket's average over its steps.
AVERAGES = {"sum_rows": "fill_waiting_rows_avg", "sum_frames": "fill_waiting_frames_avg"}
# The watermark as a number, by the type of `ts`.
TICKS: dict[type[T.DataType], str] = {
    T.TimestampType: "released_micros",
    T.TimestampNTZType: "released_micros",
    T.DateType: "released_days",
}
_NO_SUMS = {"watermark", "steps", *MOST, *AVERAGES}


def pieces_of(
    rows: DataFrame,
    columns: Sequence[Column],
    ts: str,
    layout: Layout,
    buckets: int,
    watch: Watch,
    clock: EventClock | None,
    *,
    punctuation: Column | None = None,
    input_number: int = 0,
    to_all: bool = False,
) -> DataFrame:
    """The rows packed for the stateful stage, under their watermark; `punctuation` says which rows are that."""
    if watch.lateness is not None and clock is not None and rows.isStreaming:
        delay = clock.delay(watch.lateness)
        instant = event_time(column(ts), rows.schema[ts].dataType, clock, delay)
        rows = rows.withColumn("__sf_event", instant).withWatermark("__sf_event", f"{delay} milliseconds")
    kind = F.lit(DATA).cast("byte") if punctuation is None else punctuation
    travelling = rows.select(*columns, kind.alias("__sf_punctuation"))
    names = StreamPacking(bucket_names(buckets, n_partitions(rows.sparkSession)))
    return travelling.mapInArrow(
        packing(layout, buckets, names, input_number=input_number, to_all=to_all), _pieces(clock)
    )


def lookup_pieces(
    lookup: DataFrame | None, types: Sequence[pa.DataType], buckets: int, clock: EventClock | None
) -> DataFrame | None:
    """The pieces of a lookup table, which every bucket is given before its first step."""
    if lookup is None:
        return None
    columns = travelling(lookup, F.lit(0).cast("long"))
    return pieces_of(
        lookup, columns, "", lookup_layout(types), buckets, Watch(), clock, input_number=LOOKUP, to_all=True
    )


def stateful(
    pieces: DataFrame,
    plan: BucketPlan,
    clock: EventClock | None,
    prefix: str,
    schema: T.StructType,
    kind: T.DataType,
    given: DataFrame | None = None,
) -> DataFrame:
    """The stateful stage: each bucket with its state, the figures of each step, and the results as rows."""
    processor = FrameProcessor(plan, clock)
    mode = "EventTime" if clock is not None else "None"
    initial = None if given is None else given.groupBy("bucket")
    counters = plan.counters
    step = ", ".join(["data binary", *(f"{name} long" for name in counters)])
    results = pieces.groupBy("bucket").transformWithStateInPandas(processor, step, "Append", mode, initial)
    return _observed(results, counters, prefix, kind).select("data").mapInArrow(unpacking(), schema)


def _pieces(clock: EventClock | None) -> T.StructType:
    """The columns of a piece. Its event time is null, so that Spark drops none: late rows are counted, not chunks."""
    metadata = {} if clock is None else {WATERMARK: 0}
    return T.StructType([*PIECES, T.StructField("event", T.TimestampType(), metadata=metadata)])


def _observed(results: DataFrame, counters: Sequence[str], prefix: str, kind: T.DataType) -> DataFrame:
    """Figures for the query's progress."""
    name = "streamframes" if prefix == "frame_" else f"streamframes_{prefix.rstrip('_')}"
    sums = {NAMES.get(each, each): F.sum(each) for each in counters if each not in _NO_SUMS}
    most = {shown: F.max(each) for each, shown in MOST.items() if each in counters}
    metrics = [F.coalesce(value, F.lit(0)).alias(shown) for shown, value in {**sums, **most}.items()]
    if "steps" in counters:
        metrics += [F.sum(F.col(each) / F.col("steps")).alias(shown) for each, shown in AVERAGES.items()]
    watermark = F.min(F.when(F.col("watermark") > MIN_INSTANT, F.col("watermark")))
    metrics.append(instant_of(watermark, kind).alias("released_before"))
    if type(kind) in TICKS:
        # Progress writes an instant in one form or in another, by the way that it is asked for.
        metrics.append(watermark.alias(TICKS[type(kind)]))
    return results.observe(name, *metrics)
