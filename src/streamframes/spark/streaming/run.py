"""Frames of streams: what is asked of them, and what a checkpoint depends on."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.core.batch.clock import Clock, Duration
from streamframes.core.batch.packer import ALL_GROUPS, DATA, ONE_GROUP
from streamframes.core.operator.bucket_stream import LATE, StreamPlan
from streamframes.core.operator.protocol import OperatorPlan
from streamframes.core.schemes.base import Input, check_choice
from streamframes.errors import InvalidArgument
from streamframes.spark.columns import scheme_input
from streamframes.spark.streaming.events import USERS_CLOCK, EventClock
from streamframes.spark.streaming.stateful import pieces_of, stateful
from streamframes.spark.streaming.watermark import Watch, check_watch, event_clock


@dataclass(frozen=True)
class StreamOptions:
    """What is asked of a stream."""

    watch: Watch
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
    verb: str = "frames()",
) -> StreamOptions:
    """Refuse what a stream cannot do, with a remedy."""
    for name, value in (("fragments", fragments), ("punctuations", punctuations)):
        if not isinstance(value, bool):
            raise InvalidArgument(f"{verb} got {name}={value!r}; it is True or False")
    check_choice(late, "late", LATE)
    words = [
        None if condition is None else scheme_input(rows, Input(name, condition, "condition"), verb)
        for name, condition in (("punctuation", punctuation), ("punctuation_all", punctuation_all))
    ]
    hint = None if any(word is not None for word in words) else ", or name rows that are punctuation with punctuation="
    watch = check_watch(rows, ts, clock, lateness, verb, hint)
    if punctuations and not rows.isStreaming:
        raise InvalidArgument("frames() got punctuations=True for a table, of which everything is known; leave it out")
    return StreamOptions(watch, words[0], words[1], fragments, late, punctuations)


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
    plan: OperatorPlan,
    buckets: int,
    options: StreamOptions,
    schema: T.StructType,
) -> DataFrame:
    """The results of a plan on a stream: append mode, any sink."""
    clock = event_clock(plan.clock, [options.watch])
    pieces = pieces_of(rows, columns, ts, plan.layout, buckets, options.watch, clock, word=word_of(options))
    stream_plan = StreamPlan(plan, identity(plan, buckets, options, clock), options.late, options.punctuations)
    return stateful(pieces, stream_plan, clock, plan.prefix, schema, rows.schema[ts].dataType)


def word_of(options: StreamOptions) -> Column:
    """Which rows are punctuation."""
    word: Column = F.lit(DATA)
    for condition, kind in ((options.punctuation, ONE_GROUP), (options.punctuation_all, ALL_GROUPS)):
        if condition is not None:
            word = F.when(condition, F.lit(kind)).otherwise(word)
    return word.cast("byte")


def identity(plan: OperatorPlan, buckets: int, options: StreamOptions, clock: EventClock | None) -> dict[str, str]:
    """What must not change while a checkpoint is in use, by the names that a user knows."""
    columns = ", ".join(f"{field.name} {field.type}" for field in plan.keys)
    return {
        **plan.settings(),
        "by": columns or "no columns",
        "ts": str(plan.ts_type),
        "columns": ", ".join(map(str, plan.columns)),
        "watermark": _described(clock),
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
    if options.watch.by_user:
        word = "the watermark of the rows"
    else:
        word = "the watermark of lateness=" if options.watch.is_watched else "punctuation in the stream"
    told = {"count": "are counted", "fail": "stop the query"}[options.late]
    return [
        "  3 shuffle only chunks cross it, to the stateful group of their bucket",
        f"  4 wait    in time slots, until {word} says that everything before has been seen; late rows {told}",
        "  5 fold    one compiled scan a bucket, a state record a group, in RocksDB between batches",
        "  6 observe late, open and waiting are in query.lastProgress['observedMetrics']",
    ]
