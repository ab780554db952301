"""Moves of frames: their arguments are checked against the frames, then they are carried out on a table or stream."""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from functools import partial, reduce
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.core.batch.clock import Clock, Duration, check_duration
from streamframes.core.frames.edges import Expand, Move, Shift, Split, moved
from streamframes.core.frames.lookback import least_offset
from streamframes.core.sparksql import Untranslatable, translate
from streamframes.errors import InvalidArgument
from streamframes.spark.columns import analysed, arrow_schema, as_column, column

Batches = Iterator[pa.RecordBatch]


def expand(clock: Clock, before: Duration | None, after: Duration | None) -> Expand:
    """The move of `Frames.expand`."""
    if before is None and after is None:
        raise InvalidArgument("expand() got nothing; write expand(before='2 minutes'), after=, or both")
    return Expand(*(_ticks(clock, value, name) for name, value in (("before", before), ("after", after))))


def _ticks(clock: Clock, value: Duration | None, name: str) -> int:
    if value is None:
        return 0
    check_duration(value, name, zero=True)
    ticks = clock.ticks(value, name)
    if ticks >= 2**62:
        raise InvalidArgument(f"{name}={value!r} is longer than any frame; give a shorter one")
    return ticks


def split(clock: Clock, every: Duration, moves: Sequence[Move]) -> Split:
    """The move of `Frames.split`."""
    if any(isinstance(move, Split) for move in moves):
        raise InvalidArgument("split() got frames that are split; split them once, at the finer grid")
    check_duration(every, "every")
    return Split(clock.ticks(every, "every"))


def shift(clock: Clock, start: Any, end: Any, within: Duration | None) -> Shift:
    """The move of `Frames.move`; its expressions are checked against the frames by `check_shift`."""
    if start is None and end is None:
        raise InvalidArgument("move() got nothing; write move(start='frame_start - interval 2 minutes'), end=, or both")
    return Shift(start, end, None if within is None else _ticks(clock, within, "lookback"))


def check_shift(frames: DataFrame, move: Shift, prefix: str) -> None:
    """Refuse expressions that Spark cannot evaluate over the frames, or that are no instant of their type."""
    wanted = frames.schema[f"{prefix}start"].dataType
    for name, expression in (("start", move.start), ("end", move.end)):
        if expression is None:
            continue
        kind = analysed(frames, partial(_one_for_each, frames, expression), expression, name, "move()")
        if kind != wanted:
            raise InvalidArgument(
                f"move() got {name}={expression!r} of type {kind.simpleString()}, but the frames' instants are "
                f"{wanted.simpleString()}; cast it, for example cast({expression} as {wanted.simpleString()})"
            )


def _one_for_each(frames: DataFrame, expression: Any) -> DataFrame:
    """The expression where it must have one value for each frame: aggregates and generators are refused there."""
    return frames.select(
        F.struct(as_column(expression).alias("x"), *map(column, frames.columns[:1])).alias("s")
    ).select("s.x")


def moved_frames(frames: DataFrame, moves: Sequence[Move], prefix: str) -> DataFrame:
    """The frames after all moves: of a table or a stream, each frame by itself."""
    return reduce(lambda table, move: _moved(table, move, prefix), moves, frames)


def _moved(frames: DataFrame, move: Move, prefix: str) -> DataFrame:
    if isinstance(move, Shift):
        edges = {f"{prefix}start": move.start, f"{prefix}end": move.end}
        changed = {name: as_column(value).alias(name) for name, value in edges.items() if value is not None}
        return frames.select(*(changed.get(name, column(name)) for name in frames.columns))
    schema = T.StructType([T.StructField(field.name, field.dataType) for field in frames.schema])
    if isinstance(move, Split):
        schema = schema.add(T.StructField(f"{prefix}piece", T.LongType()))
    return frames.mapInArrow(_moving(move, prefix, arrow_schema(frames.schema)), schema)


def _moving(move: Move, prefix: str, schema: pa.Schema) -> Callable[[Batches], Batches]:
    """A function for `mapInArrow`; an end that is not final stays where it is."""

    def move_batches(batches: Batches) -> Batches:
        for batch in batches:
            arrays = [array.cast(field.type) for array, field in zip(batch.columns, schema, strict=True)]
            frames = pa.RecordBatch.from_arrays(arrays, schema=schema)
            final = None
            if f"{prefix}final" in schema.names:
                final = np.asarray(frames.column(f"{prefix}final").to_numpy(zero_copy_only=False))
            yield moved(frames, [move], prefix, final)

    return move_batches


def inside_stream(moves: Sequence[Move], frames: pa.Schema, prefix: str, *, fragments: bool) -> tuple[Move, ...]:
    """The moves as the stateful stage carries them out: without Spark, and never back on what has been reported."""
    return tuple(_inside(move, frames, prefix, fragments=fragments) for move in moves)


def _inside(move: Move, frames: pa.Schema, prefix: str, *, fragments: bool) -> Move:
    if fragments and not isinstance(move, Expand):
        name = "split()" if isinstance(move, Split) else "move()"
        raise InvalidArgument(
            f"fill() of a stream with fragments=True got {name}, which could take back what a fragment has said; "
            "use expand(), or leave out fragments=True"
        )
    if not isinstance(move, Shift):
        return move
    bounds = [_bound(name, text, frames, prefix) for name, text in (("start", move.start), ("end", move.end))]
    if move.lookback is not None:
        return move
    if bounds[0] is None:
        raise InvalidArgument(
            f"fill() of a stream got move(start={move.start!r}), of which it cannot be seen how far back it goes; say "
            "it with move(..., lookback=...), so that rows are kept as long"
        )
    return Shift(move.start, move.end, max(0, -bounds[0]))


def _bound(name: str, text: Any, frames: pa.Schema, prefix: str) -> int | None:
    """How far after the frame's start an edge lies at least; refuses what only Spark can evaluate."""
    if text is None:
        return 0
    if not isinstance(text, str):
        raise InvalidArgument(f"fill() of a stream got move({name}={text!r}); write it as SQL text there")
    wanted = frames.field(f"{prefix}start").type
    try:
        found = translate(text, frames).type
        if found != wanted:
            raise Untranslatable(f"there it would be {found}, not {wanted}")
    except Untranslatable as why:
        raise InvalidArgument(
            f"fill() of a stream got move({name}={text!r}), which only Spark can evaluate: {why}; "
            "use comparisons, arithmetic, case, greatest, least, coalesce and intervals of fixed length"
        ) from None
    return least_offset(text, frames, f"{prefix}start", f"{prefix}end")
