"""Algebra: frame tables are checked, packed side by side, and reduced a bucket at a time.

a ─ pack ─┐
          ├─ union ─ shuffle by bucket ─ reduce ─ frames, pairs or lengths
b ─ pack ─┘
"""

from __future__ import annotations

from collections.abc import Iterable, Sequence

import pyarrow as pa
from pyspark.sql import DataFrame
from pyspark.sql import types as T

from streamframes.core.algebra.pairs import PairColumn, PairPlan
from streamframes.core.algebra.sets import CoveragePlan, SetPlan
from streamframes.errors import InvalidArgument
from streamframes.spark.batch.reduce import reduced
from streamframes.spark.buckets import n_buckets
from streamframes.spark.columns import is_dataframe
from streamframes.spark.instants import tick
from streamframes.spark.planning.frame_tables import (
    FrameTable,
    check_alike,
    check_free,
    check_prefix,
    frame_table,
    matched,
    point_table,
    require_table,
)
from streamframes.spark.planning.places import in_one_place
from streamframes.spark.types import arrow_type

Wanted = list[tuple[PairColumn, T.DataType]]


def overlaps(
    a: DataFrame, b: DataFrame, *, by: object, prefix: str, sides: Sequence[str], space: bool = False
) -> DataFrame:
    """The pairs of frames that share an instant, and a place where `space` matters."""
    if isinstance(sides, str) or not isinstance(sides, Sequence) or [type(side) for side in sides] != [str, str]:
        raise InvalidArgument(f"overlaps() got sides={sides!r}; give two beginnings of names, like ('a_', 'b_')")
    if not isinstance(space, bool):
        raise InvalidArgument(f"overlaps() got space={space!r}; it is True or False")
    left, right = _two(a, b, by, prefix, "overlaps")
    start, end = PairColumn(left.start, _kind(left), "shared start"), PairColumn(left.end, _kind(left), "shared end")
    edges = [(start, left.kind), (end, left.kind)]
    wanted = [*_groups(left), *edges, *_columns(left, 0, sides[0]), *_columns(right, 1, sides[1])]
    plan, schema = _pairs(left, wanted, "overlaps", f"rename one, or choose other sides= than {tuple(sides)!r}")
    buckets = _n_buckets(left)
    pieces = left.pieces(left.others, buckets, 0).union(right.pieces(right.others, buckets, 1))
    pairs = reduced(pieces, buckets, plan.results, schema)
    return in_one_place(pairs, a, b, prefix, sides, first=len(left.by) + 2) if space else pairs


def combine(verb: str, a: DataFrame, b: DataFrame, *, by: object, prefix: str) -> DataFrame:
    """The stretches of intersect, union or subtract."""
    left, right = _two(a, b, by, prefix, verb)
    buckets = _n_buckets(left)
    pieces = left.pieces((), buckets, 0).union(right.pieces((), buckets, 1))
    return _stretches(verb, left, pieces, buckets, prefix)


def complement(a: DataFrame, *, within: object, by: object, prefix: str) -> DataFrame:
    """The stretches of `within` that are in no frame."""
    if is_dataframe(within):
        inner, outer = _two(a, within, by, prefix, "complement", second="within")
        buckets = _n_buckets(inner)
        pieces = outer.pieces((), buckets, 0).union(inner.pieces((), buckets, 1))
        return _stretches("complement", inner, pieces, buckets, prefix)
    frames = _one(a, by, prefix, "complement")
    buckets = _n_buckets(frames)
    edges = _edges(within, frames)
    return _stretches("complement", frames, frames.pieces((), buckets, 1), buckets, prefix, edges)


def coverage(a: DataFrame, *, by: object, prefix: str) -> DataFrame:
    """How long each group is in frames."""
    frames = _one(a, by, prefix, "coverage")
    timed = isinstance(frames.kind, (T.TimestampType, T.TimestampNTZType))
    length = T.DayTimeIntervalType() if timed else T.LongType()
    plan = CoveragePlan(frames.keys, arrow_type(length))
    check_free(plan.schema.names, "coverage", "rename the group column")
    schema = T.StructType([*_group_fields(frames), T.StructField("frames", T.LongType())]).add("covered", length)
    buckets = _n_buckets(frames)
    return reduced(frames.pieces((), buckets, 0), buckets, plan.results, schema)


def at(frames: DataFrame, points: object, *, ts: object, by: object, prefix: str, keep_outside: bool) -> DataFrame:
    """Points with the frames that hold them."""
    if not isinstance(keep_outside, bool):
        raise InvalidArgument(f"at() got keep_outside={keep_outside!r}; it is True or False")
    if is_dataframe(points):
        return _at_points(frames, points, ts, by, prefix, keep_outside)
    if ts is not None:
        raise InvalidArgument(f"at() got ts={ts!r}, but points is no table; leave ts out")
    return _at_instants(frames, points, by, prefix, keep_outside)


def _at_points(
    frames: DataFrame, points: DataFrame, ts: object, by: object, prefix: str, keep_outside: bool
) -> DataFrame:
    _check_tables("at", prefix, frames=frames, points=points)
    ours, theirs = matched(by, "at", frames=frames, points=points)
    left = frame_table(frames, "frames", ours, prefix, "at")
    right = point_table(points, "points", theirs, ts, "at")
    check_alike(left, right, "at")
    wanted = [*_columns(right, 1, with_groups=True), *_columns(left, 0)]
    remedy = "rename a column of points, or make the frames with another prefix="
    plan, schema = _pairs(left, wanted, "at", remedy, keep_outside=keep_outside)
    buckets = _n_buckets(left)
    pieces = left.pieces(left.others, buckets, 0)
    pieces = pieces.union(right.pieces(right.others, buckets, 1, every_row=keep_outside))
    return reduced(pieces, buckets, plan.results, schema)


def _at_instants(frames: DataFrame, points: object, by: object, prefix: str, keep_outside: bool) -> DataFrame:
    left = _one(frames, by, prefix, "at", argument="frames")
    several: Iterable[object] = points if isinstance(points, Iterable) and not isinstance(points, str) else [points]
    instants = tuple(_tick(point, left, "points", "at") for point in several)
    wanted = [*_groups(left), (PairColumn("at", _kind(left), "instant", 1), left.kind), *_columns(left, 0)]
    remedy = "the instants are called 'at': rename the column of the frames"
    plan, schema = _pairs(left, wanted, "at", remedy, keep_outside=keep_outside, instants=instants)
    buckets = _n_buckets(left)
    return reduced(left.pieces(left.others, buckets, 0), buckets, plan.results, schema)


def _check_tables(verb: str, prefix: str, **tables: object) -> None:
    for argument, rows in tables.items():
        require_table(rows, argument, verb)
    check_prefix(prefix, verb)


def _one(rows: DataFrame, by: object, prefix: str, verb: str, *, argument: str = "a") -> FrameTable:
    _check_tables(verb, prefix, **{argument: rows})
    (groups,) = matched(by, verb, **{argument: rows})
    return frame_table(rows, argument, groups, prefix, verb)


def _two(
    a: DataFrame, b: DataFrame, by: object, prefix: str, verb: str, *, second: str = "b"
) -> tuple[FrameTable, FrameTable]:
    _check_tables(verb, prefix, a=a, **{second: b})
    ours, theirs = matched(by, verb, a=a, **{second: b})
    left, right = frame_table(a, "a", ours, prefix, verb), frame_table(b, second, theirs, prefix, verb)
    check_alike(left, right, verb)
    return left, right


def _n_buckets(table: FrameTable) -> int:
    return n_buckets(table.rows.sparkSession) if table.by else 1


def _edges(within: object, frames: FrameTable) -> tuple[int, int]:
    """The ticks of a pair of instants."""
    if not isinstance(within, Sequence) or isinstance(within, str) or len(within) != 2:
        raise InvalidArgument(
            f"complement() got within={within!r}; give a pair of instants (start, end) or a DataFrame of frames"
        )
    start, end = (_tick(instant, frames, "within", "complement") for instant in within)
    if end < start:
        raise InvalidArgument(f"complement() got within={within!r}, which ends before it starts; swap them")
    return start, end


def _tick(value: object, frames: FrameTable, argument: str, verb: str) -> int:
    zone = str(frames.rows.sparkSession.conf.get("spark.sql.session.timeZone"))
    return tick(value, frames.kind, zone, argument, verb)


def _stretches(
    verb: str,
    named: FrameTable,
    pieces: DataFrame,
    buckets: int,
    prefix: str,
    within: tuple[int, int] | None = None,
) -> DataFrame:
    plan = SetPlan(verb, named.keys, _kind(named), prefix, within)
    check_free(plan.schema.names, verb, "rename the group column")
    edges = [T.StructField(f"{prefix}{edge}", named.kind) for edge in ("start", "end")]
    schema = T.StructType([*_group_fields(named), T.StructField(f"{prefix}id", T.LongType()), *edges])
    return reduced(pieces, buckets, plan.results, schema)


def _kind(table: FrameTable) -> pa.DataType:
    return arrow_type(table.kind)


def _group_fields(table: FrameTable) -> list[T.StructField]:
    return [T.StructField(name, table.types[name]) for name in table.by]


def _pairs(
    left: FrameTable,
    wanted: Wanted,
    verb: str,
    remedy: str,
    keep_outside: bool = False,
    instants: tuple[int, ...] | None = None,
) -> tuple[PairPlan, T.StructType]:
    """The plan of these columns, and what they are in Spark."""
    check_free((each.name for each, _ in wanted), verb, remedy)
    schema = T.StructType([T.StructField(each.name, kind) for each, kind in wanted])
    return PairPlan(left.keys, tuple(each for each, _ in wanted), keep_outside, instants), schema


def _groups(table: FrameTable) -> Wanted:
    kinds = ((name, table.types[name]) for name in table.by)
    return [(PairColumn(name, arrow_type(kind), "key", 0, i), kind) for i, (name, kind) in enumerate(kinds)]


def _columns(table: FrameTable, side: int, front: str = "", *, with_groups: bool = False) -> Wanted:
    """All columns of a table in their order, on request those of the group too."""
    wanted: Wanted = []
    for name in table.rows.columns:
        kind = table.types[name]
        settings = f"{front}{name}", arrow_type(kind)
        if name in table.by:
            made = PairColumn(*settings, "key", side, table.by.index(name))
        elif name == table.end:
            made = PairColumn(*settings, "column", side, 0)
        elif name == table.start:
            made = PairColumn(*settings, "instant", side)
        else:
            made = PairColumn(*settings, "column", side, 1 + table.others.index(name))
        if with_groups or name not in table.by:
            wanted.append((made, kind))
    return wanted
