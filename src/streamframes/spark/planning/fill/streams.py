"""Filling in streams: frames and rows are packed, united, and meet in one stateful stage.

rows to frame ─ pack ─┐
                      ├─ union ─ by bucket ─ query, then filling ─ unpack
rows that fill ─ pack ┘            └─ or one input is given: a table that is in the state before the first batch

A join behind the query would not do: frames end before the watermark, so that Spark would never let go of a row.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, replace
from typing import Any

from pyspark.sql import DataFrame
from pyspark.sql import types as T

from streamframes.core.fill.filling_bucket import FillStreamPlan
from streamframes.core.fill.operator import FillPlan
from streamframes.core.fill.plan import FRAMES, ROWS
from streamframes.core.frames.edges import Move
from streamframes.core.operator.lookup import completed
from streamframes.core.operator.stream_bucket import StreamPlan
from streamframes.errors import InvalidArgument
from streamframes.spark.buckets import n_partitions
from streamframes.spark.planning.fill.edges import inside_stream
from streamframes.spark.planning.fill.query import FillQuery
from streamframes.spark.planning.fill.tables import frame_columns
from streamframes.spark.planning.query import Query
from streamframes.spark.streaming.events import EventClock
from streamframes.spark.streaming.processor import BucketPlan
from streamframes.spark.streaming.run import identity, punctuation_kind
from streamframes.spark.streaming.stateful import lookup_pieces, pieces_of, stateful
from streamframes.spark.streaming.watermark import (
    WATERMARK,
    Watch,
    check_lateness,
    check_provider,
    check_watch,
    event_clock,
)

_POLICY = "spark.sql.streaming.multipleWatermarkPolicy"


@dataclass(frozen=True)
class Waiting:
    """How results wait for the rows that fill: how late those may be, whether anybody waits, and what late ones do."""

    wait: bool = True
    lateness: Any = None
    late: str = "count"


def fill_query(query: Query, moves: tuple[Move, ...], filling: FillQuery, waiting: Waiting) -> DataFrame:
    """The frames of a stream, filled with another stream or with a table."""
    query.stream.refuse_changes("fill()")
    if query.stream.punctuations:
        raise InvalidArgument("fill() cannot pass on punctuations=True; leave it out of frames()")
    filling = replace(filling, by=_in_order(query, filling.by))
    columns, frames = query.planned()
    moves = inside_stream(moves, frames.frame_schema, query.prefix, fragments=frames.fragments)
    watch = _watch(query, filling, waiting)
    clock = event_clock(query.clock, [query.stream.watch, watch])
    buckets = query.n_buckets()
    fill_columns, fill = filling.planned(tags=filling.is_tagging, fragments=frames.fragments)
    ours = pieces_of(
        query.rows, columns, query.ts, frames.layout, buckets, query.stream.watch, clock,
        punctuation=punctuation_kind(query.stream), input_number=FRAMES,
    )  # fmt: skip
    to_all = len(filling.by) < len(query.by)
    theirs = pieces_of(
        filling.rows, fill_columns, filling.ts, fill.layout, buckets, watch, clock, input_number=ROWS, to_all=to_all
    )
    is_stream = filling.rows.isStreaming
    named = identity(frames, buckets, query.stream, clock)
    plan = FillStreamPlan(
        fill=fill,
        identity={**named, **_identity(fill, moves, waiting)},
        frames=StreamPlan(frames, named, query.stream.late),
        moves=moves,
        rows_given=not is_stream,
        frames_watched=query.stream.watch.is_watched,
        late=waiting.late,
    )
    given = lookup_pieces(query.lookup, frames.lookup, buckets, clock)
    if not is_stream:
        given = theirs if given is None else given.union(theirs)
    return _run(ours.union(theirs) if is_stream else ours, completed(plan, frames.lookup), clock, filling, given)


def _in_order(query: Query, by: Mapping[str, str]) -> dict[str, str]:
    """The group columns in the order of the query: a row must go to the bucket of its frames."""
    others = [name for name in by if name not in query.by]
    if others:
        raise InvalidArgument(
            f"fill() of a stream got by={others[0]!r}, which does not group the frames; they are by {list(query.by)}"
        )
    return {name: by[name] for name in query.by if name in by}


def fill_given(frames: DataFrame, filling: FillQuery, waiting: Waiting) -> DataFrame:
    """The frames of a table, filled with a stream."""
    if not waiting.wait:
        raise InvalidArgument("fill() got wait=False for the frames of a table, which have no watermark; leave it out")
    watch = check_watch(filling.rows, filling.ts, filling.clock, waiting.lateness, "fill()")
    clock = event_clock(filling.clock, [watch])
    buckets = n_partitions(filling.rows.sparkSession) if filling.by else 1
    columns, fill = filling.planned(tags=filling.is_tagging)
    theirs = pieces_of(filling.rows, columns, filling.ts, fill.layout, buckets, watch, clock, input_number=ROWS)
    packed = frame_columns(frames, filling, fill)
    ours = pieces_of(
        packed,
        [packed[name] for name in packed.columns],
        "",
        fill.frame_layout,
        buckets,
        Watch(),
        clock,
        input_number=FRAMES,
    )
    named = {"by": str(fill.keys), "spark.sql.shuffle.partitions": str(buckets)}
    plan = FillStreamPlan(fill, {**named, **_identity(fill, (), waiting)}, late=waiting.late)
    return _run(theirs, plan, clock, filling, ours)


def _run(
    pieces: DataFrame, plan: BucketPlan, clock: EventClock | None, filling: FillQuery, given: DataFrame | None
) -> DataFrame:
    schema = filling.result_types(tags=filling.is_tagging)
    schema = T.StructType([T.StructField(field.name, field.dataType) for field in schema])
    kind = filling.rows.schema[filling.ts].dataType
    return stateful(pieces, plan, clock, filling.prefix, schema, kind, given)


def _watch(query: Query, filling: FillQuery, waiting: Waiting) -> Watch:
    """Who watches the rows that fill."""
    if not filling.rows.isStreaming:
        check_lateness(filling.clock, waiting.lateness)
        return Watch()
    policy = str(filling.rows.sparkSession.conf.get(_POLICY, "min"))
    if policy != "min":
        raise InvalidArgument(
            f"fill() of two streams goes by the slower watermark, but {_POLICY} is {policy!r}; set it to 'min', or let "
            "the frames' watermark rule alone with wait=False"
        )
    if waiting.wait:
        return check_watch(filling.rows, filling.ts, filling.clock, waiting.lateness, "fill()", _HINT)
    watched = [field.name for field in filling.rows.schema if WATERMARK in (field.metadata or {})]
    if watched or waiting.lateness is not None:
        raise InvalidArgument(
            "fill() got wait=False, with which the frames' watermark rules alone, for rows with a watermark of their "
            "own; leave out their withWatermark() and lateness="
        )
    if not query.stream.watch.is_watched:
        raise InvalidArgument(
            "fill() got wait=False, but the frames have no watermark that could rule; give frames() a lateness="
        )
    check_provider(filling.rows, "fill()")
    return Watch()


_HINT = ", or let the frames' watermark rule alone with wait=False"


def _identity(fill: FillPlan, moves: tuple[Move, ...], waiting: Waiting) -> dict[str, str]:
    """What must not change while a checkpoint is in use."""
    return {
        "moves": ", ".join(map(repr, moves)) or "none",
        **{f"fill {name}": setting for name, setting in fill.identity().items()},
        "wait": repr(waiting.wait),
    }
