"""Fillings: frames and the rows that fill them, all checked before a job starts; then tables and streams go their ways.

frames ─┬─ both are tables:   pack, shuffle chunks of both, fill           `fill_tables`
rows   ─┘  one is a stream:   one stateful stage for frames and rows       `fill_streams`
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import types as T

from streamframes.core.batch.clock import Clock
from streamframes.core.fill.operator import FillPlan
from streamframes.core.fill.plan import Placed
from streamframes.errors import InvalidArgument
from streamframes.spark.columns import arrow_schema, clock_of, column, names, tag_columns
from streamframes.spark.planning.frame_tables import check_alike, frame_table, matched, point_table
from streamframes.spark.planning.measures import InPass, sorted_out, travelling
from streamframes.spark.planning.places import check_edges, place_columns, space_columns, space_edges
from streamframes.spark.types import arrow_type


@dataclass(frozen=True)
class FillArguments:
    """The arguments of a fill, as the user wrote them."""

    ts: str | Sequence[str]
    by: Any
    keep_empty: bool
    measures: Mapping[str, Any]
    prefix: str
    space: Any = ()


@dataclass(frozen=True)
class FillQuery:
    """Rows that fill frames: what is known before anything runs.

    `frames` are the columns of the frames; `by` maps group columns of the frames to those of the rows; of the
    measures, in the order of `names`, `measures` are computed in the same pass and `others` by Spark; without any,
    the rows are the result, with the columns `frame_columns` of their frame. `space` holds, for each of its dimensions,
    the columns of a frame's edges and that of a row's place.
    """

    frames: T.StructType
    rows: DataFrame
    ts: str
    ties: tuple[str, ...]
    by: Mapping[str, str]
    clock: Clock
    names: tuple[str, ...]
    measures: tuple[InPass, ...]
    others: Mapping[str, Any]
    frame_columns: tuple[str, ...]
    keep_empty: bool
    prefix: str
    space: tuple[tuple[str, str, str], ...] = ()

    @property
    def is_tagging(self) -> bool:
        """Whether the rows are the result."""
        return not self.measures and not self.others

    def planned(self, *, tags: bool, fragments: bool = False) -> tuple[list[Column], FillPlan]:
        """The columns of the rows that travel, and the plan of the core for them."""
        extra, measures = travelling(() if tags else self.measures, len(self.ties))
        groups = list(self.by.values())
        others, as_tags = tag_columns(self.rows, groups, self.ts, len(self.ties)) if tags else ([], ())
        chosen = [*map(column, (*groups, self.ts, *self.ties)), *extra, *map(column, others)]
        first_place = len(chosen) - len(self.by) - 1
        chosen += place_columns([place for _, _, place in self.space])
        columns = [each.alias(f"__sf_{i}") for i, each in enumerate(chosen)]
        kinds = [arrow_type(field.dataType) for field in self.rows.select(*columns).schema]
        n_keys = len(self.by)
        plan = FillPlan(
            frames=arrow_schema(self.frames),
            clock=self.clock,
            keys=pa.schema(list(zip(self.by, kinds[:n_keys], strict=True))),
            ts_type=kinds[n_keys],
            columns=tuple(kinds[n_keys + 1 :]),
            places=tuple(Placed(low, high, first_place + d) for d, (low, high, _) in enumerate(self.space)),
            measures=measures,
            tags=as_tags,
            frame_columns=self.frame_columns,
            keep_empty=self.keep_empty,
            fragments=fragments,
            prefix=self.prefix,
        )
        return columns, plan

    def result_types(self, *, tags: bool) -> T.StructType:
        """The columns of the results, as Spark knows them."""
        if tags:
            return T.StructType([*self.rows.schema, *(self.frames[name] for name in self.frame_columns)])
        return T.StructType([*self.frames, *(T.StructField(m.name, m.type) for m in self.measures)])


def plan_fill(frames: DataFrame, rows: DataFrame, arguments: FillArguments, *, in_stream: bool) -> FillQuery:
    """Check everything that can be checked before a job starts."""
    measures, prefix = arguments.measures, arguments.prefix
    if not isinstance(arguments.keep_empty, bool):
        raise InvalidArgument(f"fill() got keep_empty={arguments.keep_empty!r}; it is True or False")
    order = names(arguments.ts, "ts", rows, "fill")
    if not order:
        raise InvalidArgument(f"fill() got ts={arguments.ts!r}; name the column that orders the rows")
    ours, theirs = _groups(frames, rows, arguments.by)
    left = frame_table(frames, "the frames", ours, prefix, "fill")
    right = point_table(rows, "the rows", theirs, order[0], "fill")
    check_alike(left, right, "fill")
    _check_names(frames.schema, measures)
    here, there = sorted_out(rows, measures, "fill()", in_stream=in_stream)
    shown = [name for name in (f"{prefix}id", f"{prefix}piece") if name in frames.columns]
    if not measures:
        _check_shown(frames.schema, rows, shown, prefix)
    return FillQuery(
        frames=frames.schema,
        rows=rows,
        ts=order[0],
        ties=tuple(order[1:]),
        by=dict(zip(ours, theirs, strict=True)),
        clock=clock_of(left.kind, left.start, "fill"),
        names=tuple(measures),
        measures=tuple(here),
        others=there,
        frame_columns=tuple(shown),
        keep_empty=arguments.keep_empty,
        prefix=prefix,
        space=_space(frames, rows, arguments),
    )


def _space(frames: DataFrame, rows: DataFrame, arguments: FillArguments) -> tuple[tuple[str, str, str], ...]:
    """For each dimension of space: the edges of a frame, and the column that says where a row is."""
    if arguments.space is None or arguments.space == ():
        return ()
    places = space_columns(rows, arguments.space, "fill")
    edges = space_edges(frames.columns, arguments.prefix)
    if len(edges) != len(places):
        known = ", ".join(frames.columns)
        raise InvalidArgument(
            f"fill() got space={arguments.space!r}, but the frames have edges in {len(edges)} dimensions of space; "
            f"they have {known}; an edge is called {arguments.prefix + 'low'!r} and {arguments.prefix + 'high'!r}"
        )
    check_edges(frames, edges, "fill")
    return tuple((low, high, place) for (low, high), place in zip(edges, places, strict=True))


def _groups(frames: DataFrame, rows: DataFrame, by: Any) -> list[list[str]]:
    try:
        return matched(by, "fill", **{"the frames": frames, "the rows": rows})
    except InvalidArgument as error:
        raise InvalidArgument(
            f"{error}; where names differ, write by={{'router': 'device_id'}}, and by=() where a row fills all groups"
        ) from None


def _check_names(frames: T.StructType, measures: Mapping[str, Any]) -> None:
    for name in measures:
        if name in frames.names:
            raise InvalidArgument(f"fill() got the measure {name!r}, which is a column of the frames; rename it")


def _check_shown(frames: T.StructType, rows: DataFrame, shown: Sequence[str], prefix: str) -> None:
    if not shown:
        known = ", ".join(frames.names)
        raise InvalidArgument(
            f"fill() without measures tags rows with {prefix + 'id'!r}, which the frames do not have; they have {known}"
            "; add such a column, or give measures like n='count(*)'"
        )
    clash = [name for name in shown if name in rows.columns]
    if clash:
        raise InvalidArgument(
            f"fill() would add {clash[0]!r}, but the rows have a column of that name; rename it, or choose another "
            "with frames(..., prefix='my_')"
        )
