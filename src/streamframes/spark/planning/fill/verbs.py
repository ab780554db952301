"""The verbs of filling: frames of a table or a stream, filled with a table or a stream."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import replace
from datetime import timedelta
from typing import Any

from pyspark.sql import DataFrame

from streamframes.core.batch.clock import Clock
from streamframes.core.frames.edges import Move
from streamframes.errors import InvalidArgument
from streamframes.spark.batch.prefilter import prefiltered
from streamframes.spark.columns import require_dataframe
from streamframes.spark.planning.fill.edges import moved_frames
from streamframes.spark.planning.fill.query import FillArguments, plan_fill
from streamframes.spark.planning.fill.streams import Waiting, fill_given, fill_query
from streamframes.spark.planning.fill.tables import fill_table
from streamframes.spark.planning.frame_tables import check_prefix
from streamframes.spark.planning.query import Query
from streamframes.spark.streaming.watermark import check_lateness


def fill_frames(
    query: Query, moves: tuple[Move, ...], rows: Any, arguments: FillArguments, wait: bool, lateness: Any
) -> DataFrame:
    """`Frames.fill`."""
    require_dataframe(rows, "fill")
    if not isinstance(wait, bool):
        raise InvalidArgument(f"fill() got wait={wait!r}; it is True or False")
    waiting = Waiting(wait, lateness, query.stream.late)
    frames = moved_frames(query.frame_table(), moves, query.prefix)
    if not query.is_stream:
        return _fill_table(frames, rows, arguments, waiting, is_found=False)
    return fill_query(query, moves, plan_fill(frames, rows, arguments, in_stream=True), waiting)


def fill_own(query: Query, moves: tuple[Move, ...], measures: Mapping[str, Any]) -> DataFrame:
    """Moved frames filled with the rows they were found in."""
    arguments = FillArguments([query.ts, *query.ties], query.fill_by, True, measures, query.prefix, query.space)
    lateness = _duration(query.clock, query.stream.watch.lateness)
    return fill_frames(query, moves, query.data, arguments, True, lateness)


def _duration(clock: Clock, ticks: int | None) -> timedelta | int | None:
    """Ticks as the user would write them."""
    if ticks is None or clock.kind == "integer":
        return ticks
    return timedelta(days=ticks) if clock.kind == "date" else timedelta(microseconds=ticks)


def fill_frame_table(frames: Any, rows: Any, arguments: FillArguments, lateness: Any) -> DataFrame:
    """`fill()` of any table of frames."""
    require_dataframe(frames, "fill", "frames")
    require_dataframe(rows, "fill")
    check_prefix(arguments.prefix, "fill")
    if frames.isStreaming:
        raise InvalidArgument(
            "fill() got a stream of frames; write sf.frames(...).fill(...), which finds and fills them in one stage"
        )
    return _fill_table(frames, rows, arguments, Waiting(lateness=lateness), is_found=True)


def _fill_table(
    frames: DataFrame, rows: DataFrame, arguments: FillArguments, waiting: Waiting, *, is_found: bool
) -> DataFrame:
    """Frames of a table, filled; those that are found already are looked at first, to hold rows back."""
    filling = plan_fill(frames, rows, arguments, in_stream=rows.isStreaming)
    check_lateness(filling.clock, waiting.lateness)
    if rows.isStreaming:
        return fill_given(frames, filling, waiting)
    if is_found:
        filling = replace(filling, rows=prefiltered(frames, rows, filling.by, filling.ts, arguments.prefix))
    return fill_table(frames, filling)
