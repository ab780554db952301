"""Streams: how a plan is carried out on them, and what a checkpoint depends on."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.core.batch.packer import ALL_GROUPS, DATA, ONE_GROUP
from streamframes.core.operator.lookup import completed
from streamframes.core.operator.protocol import OperatorPlan
from streamframes.core.operator.stream_bucket import StreamPlan
from streamframes.spark.streaming.events import USERS_CLOCK, EventClock
from streamframes.spark.streaming.stateful import lookup_pieces, pieces_of, stateful
from streamframes.spark.streaming.watermark import StreamSettings, event_clock


def stream_results(
    rows: DataFrame,
    columns: Sequence[Column],
    ts: str,
    plan: OperatorPlan,
    buckets: int,
    settings: StreamSettings,
    schema: T.StructType,
    lookup: DataFrame | None = None,
) -> DataFrame:
    """The results of a plan on a stream, with its lookup table: append mode, any sink."""
    clock = event_clock(plan.clock, [settings.watch])
    kinds = punctuation_kind(settings)
    pieces = pieces_of(rows, columns, ts, plan.layout, buckets, settings.watch, clock, punctuation=kinds)
    stream_plan = StreamPlan(plan, identity(plan, buckets, settings, clock), settings.late, settings.punctuations)
    given = lookup_pieces(lookup, plan.lookup, buckets, clock)
    return stateful(pieces, completed(stream_plan, plan), clock, plan.prefix, schema, rows.schema[ts].dataType, given)


def punctuation_kind(settings: StreamSettings) -> Column:
    """Which rows are punctuation: of their group, or of all groups."""
    kind: Column = F.lit(DATA)
    for condition, meaning in ((settings.punctuation, ONE_GROUP), (settings.punctuation_all, ALL_GROUPS)):
        if condition is not None:
            kind = F.when(condition, F.lit(meaning)).otherwise(kind)
    return kind.cast("byte")


def identity(plan: OperatorPlan, buckets: int, settings: StreamSettings, clock: EventClock | None) -> dict[str, str]:
    """What must not change while a checkpoint is in use, by the names that a user knows."""
    return {
        **plan.identity(),
        "watermark": _described(clock),
        "punctuations": repr(settings.punctuations),
        "spark.sql.shuffle.partitions": str(buckets),
    }


def _described(clock: EventClock | None) -> str:
    """Which watermark is stored: one cannot be read as another."""
    if clock is None:
        return "none"
    if clock == USERS_CLOCK:
        return "that of the rows"
    return "that of lateness=" + (f", counted in {clock.ticks}" if clock.ticks > 1 and not clock.is_day else "")


def explain_stream(settings: StreamSettings) -> list[str]:
    """The steps of a stream, in words."""
    if settings.watch.by_user:
        source = "the watermark of the rows"
    else:
        source = "the watermark of lateness=" if settings.watch.is_watched else "punctuation in the stream"
    late = {"count": "are counted", "fail": "stop the query"}[settings.late]
    return [
        "  3 shuffle only chunks cross it, to the stateful group of their bucket",
        f"  4 wait    in time buckets, until {source} says that everything before has been seen; late rows {late}",
        "  5 scan    one compiled scan a bucket, a state record a group, in RocksDB between batches",
        "  6 observe late, open and waiting are in query.lastProgress['observedMetrics']",
    ]
