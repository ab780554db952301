"""Streams: how a plan is carried out on them, and what a checkpoint depends on."""

from __future__ import annotations

from collections.abc import Sequence

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.core.batch.packer import ALL_GROUPS, DATA, ONE_GROUP
from streamframes.core.operator.changes.bucket import ChangePlan
from streamframes.core.operator.lookup import completed
from streamframes.core.operator.protocol import OperatorPlan
from streamframes.core.operator.stream_bucket import StreamPlan
from streamframes.errors import InvalidArgument
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
    kinds = punctuation_kind(settings)
    clock = event_clock(plan.clock, [settings.watch])
    layout, types = plan.layout, plan.lookup
    pieces = pieces_of(rows, columns, ts, layout, buckets, settings.watch, clock, punctuation=kinds)
    stream_plan = StreamPlan(plan, identity(plan, buckets, settings, clock), settings.late, settings.punctuations)
    given = lookup_pieces(lookup, types, buckets, clock)
    kind = rows.schema[ts].dataType
    if not settings.has_changes:
        return stateful(pieces, completed(stream_plan, types), clock, plan.prefix, schema, kind, given)
    check_changes(plan, settings)
    changes = ChangePlan(stream_plan, settings.early, settings.amend_within)
    schema = T.StructType([*schema.fields, *(T.StructField(*each) for each in change_columns(plan.prefix))])
    return stateful(pieces, completed(changes, types), clock, plan.prefix, schema, kind, given)


def change_columns(prefix: str) -> list[tuple[str, T.DataType]]:
    """The columns that changes have beside those of results."""
    flags = [(f"{prefix}{name}", T.BooleanType()) for name in ("final", "retracted")]
    return [(f"{prefix}version", T.LongType()), *flags]


def check_changes(plan: OperatorPlan, settings: StreamSettings) -> None:
    """Refuse changes that an operator cannot make."""
    if settings.early and not plan.is_early:
        raise InvalidArgument(f"these results cannot be reported early; {_SUPPORTED}")
    if settings.amend_within is not None and not plan.amends:
        raise InvalidArgument(f"these results cannot be amended by late rows; {_SUPPORTED}")
    if settings.amend_within is not None and not settings.watch.is_watched:
        raise InvalidArgument(
            "late='amend' counts from the watermark, but punctuation alone says what has been seen; give lateness="
        )


_SUPPORTED = "leave out early= and late='amend'"


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
        **_described_changes(settings),
        "watermark": _described(clock),
        "punctuations": repr(settings.punctuations),
        "spark.sql.shuffle.partitions": str(buckets),
    }


def _described_changes(settings: StreamSettings) -> dict[str, str]:
    """What is stored of results that may change; where none may, a checkpoint of before can be read."""
    if not settings.has_changes:
        return {}
    within = settings.amend_within
    return {"early": repr(settings.early), "amend_within": "none" if within is None else f"{within} ticks"}


def _described(clock: EventClock | None) -> str:
    """Which watermark is stored: one cannot be read as another."""
    if clock is None:
        return "none"
    if clock == USERS_CLOCK:
        return "that of the rows"
    if clock.is_folded:
        return "that of lateness=, as it is from 1972 on"
    return "that of lateness=" + (f", counted in {clock.ticks}" if clock.ticks > 1 else "")


def explain_stream(settings: StreamSettings) -> list[str]:
    """The steps of a stream, in words."""
    if settings.watch.by_user:
        source = "the watermark of the rows"
    else:
        source = "the watermark of lateness=" if settings.watch.is_watched else "punctuation in the stream"
    late = {"count": "are counted", "fail": "stop the query"}[settings.late]
    late = "amend what was final" if settings.amend_within is not None else late
    return [
        "  3 shuffle only chunks cross it, to the stateful group of their bucket",
        f"  4 wait    in time buckets, until {source} says that everything before has been seen; late rows {late}",
        "  5 scan    one compiled scan a bucket, a state record a group, in RocksDB between batches",
        *(
            ["  +  early   a copy of the groups that rows came for goes on over the rows that wait"]
            if settings.early
            else []
        ),
        "  6 observe late, open and waiting rows are counted: sf.watch(query)",
    ]
