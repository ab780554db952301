"""Places: which columns say where a report comes from, and places that are known beforehand."""

from __future__ import annotations

from collections.abc import Sequence
from numbers import Number
from typing import Any

import numpy as np
import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.core.regions.plan import Listed, UnreadPlaces
from streamframes.errors import InvalidArgument
from streamframes.spark.columns import column, group_types, names

_WHOLE = (T.ByteType, T.ShortType, T.IntegerType, T.LongType)


def space_columns(rows: DataFrame, space: Any, verb: str, taken: Sequence[str] = ()) -> list[str]:
    """The columns that an argument names; they must be numbers."""
    chosen = names(space, "space", rows, verb)
    if len(chosen) not in (1, 2) or len(set(chosen)) < len(chosen) or set(chosen) & set(taken):
        raise InvalidArgument(
            f"{verb}() got space={space!r}; name one column, or two like ['x', 'y'], which are not in ts= or by="
        )
    for name in chosen:
        kind = rows.schema[name].dataType
        if not isinstance(kind, T.NumericType):
            raise InvalidArgument(
                f"{verb}() got space={name!r} of type {kind.simpleString()}; a place is a number, like a milepost; "
                f"cast it, for example rows.withColumn('at', F.col({name!r}).cast('double')), or join a table of "
                "positions"
            )
    return chosen


def space_edges(columns: Sequence[str], prefix: str) -> list[tuple[str, str]]:
    """The columns of regions that hold their edges in space: `frame_low` and `frame_high`, or a pair for each axis."""
    lows = [name for name in columns if name == f"{prefix}low" or name.startswith(f"{prefix}low_")]
    pairs = [(low, f"{prefix}high{low.removeprefix(prefix + 'low')}") for low in lows]
    return [(low, high) for low, high in pairs if high in columns]


def check_edges(frames: DataFrame, edges: Sequence[tuple[str, str]], verb: str) -> None:
    """Refuse edges in space that are not numbers."""
    for name in (name for pair in edges for name in pair):
        kind = frames.schema[name].dataType
        if not isinstance(kind, T.NumericType):
            raise InvalidArgument(
                f"{verb}() got frames with {name!r} of type {kind.simpleString()}; an edge is a number; cast it"
            )


def place_type(kind: T.DataType) -> pa.DataType:
    """How the edges of a region in space are emitted: whole numbers as such, others as doubles."""
    return pa.int64() if isinstance(kind, _WHOLE) else pa.float64()


def place_columns(space: Sequence[str]) -> list[Column]:
    """The place as it travels."""
    return [column(name).cast("double") for name in space]


def listed_places(places: Any, space: Sequence[str]) -> Listed:
    """The places that a list names."""
    try:
        values = np.array(list(places))
    except (TypeError, ValueError):
        values = np.array(None)
    # Spelled numbers are no places, decimals are.
    right = all(isinstance(each, Number | np.number) and not isinstance(each, bool) for each in values.flat)
    found = values.astype(np.float64) if right else np.full(1, np.nan)
    found = found[:, None] if found.ndim == 1 and len(space) == 1 else found
    if found.ndim != 2 or found.shape[1] != len(space) or not found.size or not np.isfinite(found).all():
        wanted = "numbers" if len(space) == 1 else f"pairs of numbers, for {' and '.join(space)}"
        columns = " and ".join(map(repr, space))
        raise InvalidArgument(f"regions() got places={places!r}; give a list of {wanted}, or a table with {columns}")
    return Listed(found + 0.0)


def places_of_table(
    places: DataFrame, rows: DataFrame, space: Sequence[str], by: Sequence[str]
) -> tuple[DataFrame, UnreadPlaces]:
    """The table of places as it is read when a result is used: group columns, if it has them, and coordinates."""
    if places.isStreaming:
        raise InvalidArgument("regions() got places= as a stream; give a table of them, or a list")
    chosen = names(list(space), "places", places, "regions", table="the table of places")
    for name in chosen:
        kind = places.schema[name].dataType
        if not isinstance(kind, T.NumericType):
            raise InvalidArgument(
                f"regions() got places= as a table with {name!r} of type {kind.simpleString()}; a place is a number; "
                "cast it"
            )
    groups = [name for name in by if name in places.columns]
    if groups and groups != list(by):
        lacking = next(name for name in by if name not in groups)
        raise InvalidArgument(
            f"regions() got a table of places with {groups[0]!r} but without {lacking!r}; it needs all columns of "
            f"by={list(by)}, or none of them for places of all groups"
        )
    own = [column(name).cast(rows.schema[name].dataType).alias(f"k{i}") for i, name in enumerate(groups)]
    table = places.select(*own, *(each.alias(f"p{i}") for i, each in enumerate(place_columns(chosen))))
    return table, UnreadPlaces(group_types(rows, groups), tuple(chosen))


def in_one_place(
    pairs: DataFrame, a: DataFrame, b: DataFrame, prefix: str, sides: Sequence[str], first: int
) -> DataFrame:
    """The pairs of regions that share a place, with the edges of what they share behind the first columns."""
    edges = space_edges(a.columns, prefix)
    if not edges or edges != space_edges(b.columns, prefix):
        raise InvalidArgument(
            f"overlaps() got space=True, for which both tables need the columns {prefix + 'low'!r} and "
            f"{prefix + 'high'!r}; a has {', '.join(a.columns)}, and b has {', '.join(b.columns)}"
        )
    for table in (a, b):
        check_edges(table, edges, "overlaps")
    shared = []
    for low, high in edges:
        lows, highs = ([column(f"{side}{name}") for side in sides] for name in (low, high))
        shared += [F.greatest(*lows).alias(low), F.least(*highs).alias(high)]
        pairs = pairs.filter((lows[0] <= highs[1]) & (lows[1] <= highs[0]))
    known = [column(name) for name in pairs.columns]
    return pairs.select(*known[:first], *shared, *known[first:])
