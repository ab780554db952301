"""Streams: chunks of a bucket meet in one stateful group, which keeps what is open and what waits.

rows ─ watermark ─ pack ─ (bucket, pieces) ─ by bucket ─ stateful processor ─ observe ─ unpack ─ frames
       Catalyst    Python                   shuffle     Python, RocksDB      JVM       Python
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.core.chunks import NO_WORD
from streamframes.core.clock import Clock, Duration, check_duration
from streamframes.core.packing import ALL_GROUPS, DATA, ONE_GROUP
from streamframes.core.plan import FramePlan
from streamframes.core.schemes.base import Input, check_choice
from streamframes.core.stream import LATE, StreamPlan
from streamframes.errors import InvalidArgument
from streamframes.spark.columns import column, scheme_input
from streamframes.spark.events import USERS_CLOCK, EventClock, delay, event_time, instant_of, own_clock
from streamframes.spark.pack import PIECES, StreamPacking, packing
from streamframes.spark.processor import STEPS, FrameProcessor, unpacking
from streamframes.spark.session import PROVIDER, SETTINGS, bucket_names, n_partitions

WATERMARK = "spark.watermarkDelayMs"


@dataclass(frozen=True)
class StreamOptions:
    """What is asked of a stream; `lateness` is in ticks, None where the user has set a watermark or needs none."""

    lateness: int | None
    watched: bool
    punctuation: Column | None
    punctuation_all: Column | None
    fragments: bool
    late: str
    punctuations: bool


def check_options(
    rows: DataFrame,
    ts: str,
    clock: Clock,
    *,
    lateness: Duration | None,
    punctuation: Any,
    punctuation_all: Any,
    fragments: bool,
    late: str,
    punctuations: bool,
) -> StreamOptions:
    """Refuse what a stream cannot do, with a remedy."""
    for name, value in (("fragments", fragments), ("punctuations", punctuations)):
        if not isinstance(value, bool):
            raise InvalidArgument(f"frames() got {name}={value!r}; it is True or False")
    check_choice(late, "late", LATE)
    allowed = None
    if lateness is not None:
        check_duration(lateness, "lateness", zero=True)
        allowed = clock.ticks(lateness, "lateness")
    words = [
        None if condition is None else scheme_input(rows, Input(name, condition, "condition"), "frames()")
        for name, condition in (("punctuation", punctuation), ("punctuation_all", punctuation_all))
    ]
    watched = False
    if rows.isStreaming:
        watched = _check_stream(rows, ts, allowed, needs_watermark=words[0] is None and words[1] is None)
    elif punctuations:
        raise InvalidArgument("frames() got punctuations=True for a table, of which everything is known; leave it out")
    return StreamOptions(allowed, watched, words[0], words[1], fragments, late, punctuations)


def _check_stream(rows: DataFrame, ts: str, lateness: int | None, *, needs_watermark: bool) -> bool:
    """Whether the user watches `ts`; refuses a stream that could never report a frame."""
    watched = [field.name for field in rows.schema if WATERMARK in (field.metadata or {})]
    others = [name for name in watched if name != ts]
    if others:
        raise InvalidArgument(
            f"frames() got rows with a watermark on {others[0]!r}, but they are ordered by ts={ts!r}; "
            f"write withWatermark({ts!r}, ...) or leave it out and give lateness="
        )
    if watched and lateness is not None:
        raise InvalidArgument(f"frames() got lateness= for rows with a watermark on {ts!r}; give one of the two")
    if not watched and lateness is None and needs_watermark:
        raise InvalidArgument(
            "frames() got a stream without a watermark; say how late rows may come with lateness='1 minute' or "
            f"rows.withWatermark({ts!r}, '1 minute'), or name rows that are punctuation with punctuation="
        )
    provider = str(rows.sparkSession.conf.get(PROVIDER, ""))
    if "RocksDB" not in provider:
        raise InvalidArgument(
            f"frames() of a stream needs the RocksDB state store, but {PROVIDER} is {provider.rpartition('.')[2]!r}; "
            f"set it: spark.conf.set({PROVIDER!r}, {SETTINGS[PROVIDER]!r})"
        )
    return bool(watched)


def without_punctuation(rows: DataFrame, options: StreamOptions) -> DataFrame:
    """The rows of a table that are data."""
    for word in (options.punctuation, options.punctuation_all):
        if word is not None:
            rows = rows.filter(~F.coalesce(word, F.lit(False)))
    return rows


def stream_frames(
    rows: DataFrame,
    columns: Sequence[Column],
    ts: str,
    plan: FramePlan,
    buckets: int,
    options: StreamOptions,
    schema: T.StructType,
) -> DataFrame:
    """The results of a plan on a stream: append mode, any sink."""
    clock, rows = _watched(rows, ts, plan.clock, options)
    travelling = rows.select(*columns, _word(options).alias("__sf_word"))
    names = bucket_names(buckets, n_partitions(rows.sparkSession))
    chunks = travelling.mapInArrow(packing(plan.layout, buckets, StreamPacking(names)), _pieces(clock))
    stream_plan = StreamPlan(plan, identity(plan, buckets, options, clock), options.late, options.punctuations)
    processor = FrameProcessor(stream_plan, clock)
    mode = "EventTime" if clock is not None else "None"
    steps = chunks.groupBy("bucket").transformWithStateInPandas(processor, STEPS, "Append", mode)
    return _observed(steps, plan, rows.schema[ts].dataType).select("data").mapInArrow(unpacking(), schema)


def _watched(rows: DataFrame, ts: str, clock: Clock, options: StreamOptions) -> tuple[EventClock | None, DataFrame]:
    """The rows with a watermark, and how to read it; None where punctuation alone says what has been seen."""
    if options.watched:
        return USERS_CLOCK, rows
    if options.lateness is None:
        return None, rows
    events = own_clock(clock, options.lateness)
    instant = event_time(column(ts), rows.schema[ts].dataType, events)
    return events, rows.withColumn("__sf_event", instant).withWatermark("__sf_event", delay(events, options.lateness))


def _word(options: StreamOptions) -> Column:
    word: Column = F.lit(DATA)
    for condition, kind in ((options.punctuation, ONE_GROUP), (options.punctuation_all, ALL_GROUPS)):
        if condition is not None:
            word = F.when(condition, F.lit(kind)).otherwise(word)
    return word.cast("byte")


def _pieces(clock: EventClock | None) -> T.StructType:
    """The columns of a piece. Its event time is null, so that Spark drops none: late rows are counted, not chunks."""
    metadata = {} if clock is None else {WATERMARK: 0}
    return T.StructType([*PIECES, T.StructField("event", T.TimestampType(), metadata=metadata)])


def _observed(steps: DataFrame, plan: FramePlan, kind: T.DataType) -> DataFrame:
    """Figures for the query's progress."""
    name = "streamframes" if plan.prefix == "frame_" else f"streamframes_{plan.prefix.rstrip('_')}"
    point = F.min(F.when(F.col("point") > NO_WORD, F.col("point")))
    return steps.observe(
        name,
        F.coalesce(F.sum("late"), F.lit(0)).alias("late_rows"),
        F.coalesce(F.sum("open"), F.lit(0)).alias("open_frames"),
        F.coalesce(F.sum("waiting"), F.lit(0)).alias("waiting_rows"),
        instant_of(point, kind).alias("released_before"),
    )


def identity(plan: FramePlan, buckets: int, options: StreamOptions, clock: EventClock | None) -> dict[str, str]:
    """What must not change while a checkpoint is in use, by the names that a user knows."""
    columns = ", ".join(f"{field.name} {field.type}" for field in plan.keys)
    result = "rows" if plan.tags else ", ".join(f"{m.name}={m.function} of {m.type}" for m in plan.measures)
    return {
        "scheme": repr(plan.scheme),
        "by": columns or "no columns",
        "ts": str(plan.ts_type),
        "columns": ", ".join(map(str, plan.columns)),
        "schedule": repr(plan.schedule),
        "measures": result or "none",
        "watermark": _described(clock),
        "fragments": repr(plan.fragments),
        "punctuations": repr(options.punctuations),
        "spark.sql.shuffle.partitions": str(buckets),
    }


def _described(clock: EventClock | None) -> str:
    """Which watermark is stored: one cannot be read as another."""
    if clock is None:
        return "none"
    if clock == USERS_CLOCK:
        return "that of the rows"
    return "that of lateness=" + (f", counted in {clock.ticks}" if clock.ticks > 1 and not clock.is_day else "")


def explain_stream(options: StreamOptions) -> list[str]:
    """Which way the chunks of a stream go."""
    if options.watched:
        word = "the watermark of the rows"
    else:
        word = "punctuation in the stream" if options.lateness is None else "the watermark of lateness="
    told = {"count": "are counted", "fail": "stop the query"}[options.late]
    return [
        "  3 shuffle only chunks cross it, to the stateful group of their bucket",
        f"  4 wait    in time slots, until {word} says that everything before has been seen; late rows {told}",
        "  5 fold    one compiled scan a bucket, a state record a group, in RocksDB between batches",
        "  6 observe late, open and waiting are in query.lastProgress['observedMetrics']",
    ]
