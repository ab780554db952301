"""Searches for regions: everything is checked before a job starts; then tables and streams go the ways of frames.

rows ─ select place and condition ─ pack, shuffle chunks ─ search by bucket ─ regions
       Catalyst                     as frames do          a field of places a group
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T
from pyspark.sql.pandas.types import from_arrow_type

from streamframes.core.batch.clock import Clock
from streamframes.core.regions.arguments import crowding_of, limits_of, method_of, reading_of, ticks
from streamframes.core.regions.non_overlapping import PREFERENCES
from streamframes.core.regions.operator import RegionPlan
from streamframes.core.regions.plan import BAD_REPORT, CONNECTED, DENSITY, NOT_SATISFIED, RECTANGLE, SATISFIED
from streamframes.core.regions.types import Limits
from streamframes.core.schemes.base import Input, check_choice
from streamframes.errors import InvalidArgument
from streamframes.spark.planning.run import table_frames
from streamframes.spark.columns import arrow_type, check_beginning, clock_of, column, order_and_groups, scheme_input
from streamframes.spark.explain.regions import explained
from streamframes.spark.planning.places import listed_places, place_columns, place_type, space_columns
from streamframes.spark.session import buckets_for, require_dataframe
from streamframes.spark.streaming.run import StreamOptions, check_options, stream_frames, without_punctuation


@dataclass(frozen=True)
class RegionQuery:
    """A search for regions: what is known before anything runs. It has what `Frames` needs of a framing."""

    rows: DataFrame
    state: Column | None
    clock: Clock
    ts: str
    ties: tuple[str, ...]
    by: tuple[str, ...]
    space: tuple[str, ...]
    settings: Mapping[str, Any]
    options: StreamOptions
    prefix: str

    @property
    def is_stream(self) -> bool:
        """Whether the rows are a stream."""
        return bool(self.rows.isStreaming)

    @property
    def data(self) -> DataFrame:
        """The rows that are data."""
        return without_punctuation(self.rows, self.options)

    @property
    def fill_by(self) -> tuple[str, ...]:
        """Rows belong to the regions of their group."""
        return self.by

    def n_buckets(self) -> int:
        """How many buckets the groups are hashed onto."""
        return buckets_for(self.rows, self.by)

    def frame_table(self, measures: Sequence[Any] = ()) -> DataFrame:
        """The regions; measures are filled in, not found on the way."""
        columns, plan = self.planned()
        schema = self.result_types(plan)
        if self.is_stream:
            return stream_frames(self.rows, columns, self.ts, plan, self.n_buckets(), self.options, schema)
        return table_frames(self.data.select(*columns), plan, self.n_buckets(), schema)

    def aggregate(self, measures: Mapping[str, Any]) -> DataFrame:
        """The regions with measures over the rows they hold."""
        from streamframes.spark.planning.fill.verbs import fill_own

        return fill_own(self, (), measures)

    def tag(self, *, keep_outside: bool) -> DataFrame:
        """The rows with the ids of the regions they are in."""
        from streamframes.spark.planning.fill.verbs import fill_own

        if keep_outside:
            raise InvalidArgument("tag() got keep_outside=True for regions, which may overlap; leave it out")
        return fill_own(self, (), {})

    def duplicates(self) -> DataFrame:
        """The reports of one place and instant of which there are several."""
        if self.is_stream:
            raise InvalidArgument(
                "duplicates() looks at tables; a stream counts them in query.lastProgress['observedMetrics'] as "
                "duplicate_reports"
            )
        identity = [column(name) for name in (*self.by, self.ts, *self.space)]
        rows = self.data.filter(column(self.ts).isNotNull())
        for place in place_columns(self.space):
            rows = rows.filter(place.isNotNull() & ~F.isnan(place))
        return rows.groupBy(*identity).agg(F.count(F.lit(1)).alias("reports")).filter("reports > 1")

    def planned(self, extra: Sequence[Column] = ()) -> tuple[list[Column], RegionPlan]:
        """The columns that travel, and the plan of the core for them."""
        state = [] if self.state is None else [self.state]
        chosen = [*map(column, (*self.by, self.ts, *self.ties)), *place_columns(self.space), *state, *extra]
        columns = [each.alias(f"__sf_{i}") for i, each in enumerate(chosen)]
        kinds = [arrow_type(each.dataType) for each in self.rows.select(*columns).schema]
        n_keys = len(self.by)
        plan = RegionPlan(
            clock=self.clock,
            keys=pa.schema(list(zip(self.by, kinds[:n_keys], strict=True))),
            ts_type=kinds[n_keys],
            columns=tuple(kinds[n_keys + 1 :]),
            space=self.space,
            n_ties=len(self.ties),
            prefix=self.prefix,
            fragments=self.options.fragments,
            **self.settings,
        )
        return columns, plan

    def result_types(self, plan: RegionPlan, measures: Sequence[Any] = ()) -> T.StructType:
        """The columns of the results, as Spark knows them."""
        known = {name: self.rows.schema[name].dataType for name in self.by}
        known |= {f"{self.prefix}{name}": self.rows.schema[self.ts].dataType for name in ("start", "end")}
        return T.StructType(
            [
                T.StructField(each.name, known.get(each.name) or from_arrow_type(each.type, prefer_timestamp_ntz=True))
                for each in plan.result_schema
            ]
        )

    def explain(self) -> str:
        """Which way the rows go."""
        return explained(self)

    def describe(self) -> str:
        """The plan in one line."""
        space = self.space[0] if len(self.space) == 1 else list(self.space)
        return f"{self.settings['shape']}, ts={self.ts!r}, space={space!r}, by={list(self.by)!r}"


def plan_regions(rows: Any, condition: Any, asked: Mapping[str, Any], stream: Mapping[str, Any]) -> RegionQuery:
    """Check everything that can be checked before a job starts."""
    require_dataframe(rows, "regions")
    order, groups = order_and_groups(rows, asked["ts"], asked["by"], "regions")
    check_beginning(asked["prefix"], "regions")
    space = space_columns(rows, asked["space"], "regions", (*order[:1], *groups))
    clock = clock_of(rows.schema[order[0]].dataType, order[0], "regions")
    check_choice(asked["shape"], "shape", (RECTANGLE, CONNECTED))
    missing, has_places = asked["missing"], asked["places"] is not None
    if missing == "holds" and asked["shape"] == RECTANGLE and len(space) > 1:
        raise InvalidArgument(
            "regions() got missing='holds' for boxes in two dimensions of space, all of whose places report; give "
            "missing='true', or shape='connected'"
        )
    method, stations = method_of(asked["method"], asked["shape"], len(space), missing, has_places=has_places)
    reading = {name: asked[name] for name in ("missing", "max_missing", "open_on", "max_gap")}
    limits = {name: asked[name] for name in ("min_duration", "min_extent", "min_times", "min_places", "max_step")}
    settings = {
        "shape": asked["shape"],
        "method": method,
        "prefer": _preference(asked["prefer"], asked["shape"]),
        "limits": limits_of(clock, len(space), **limits),
        "reading": reading_of(clock, stations=stations, **reading),
        "listed": listed_places(asked["places"], rows, space, groups),
        "may_miss": stations or asked["bad"] is not None,
        "place_types": tuple(place_type(rows.schema[name].dataType) for name in space),
    }
    _check_fragments(stream["fragments"], settings, len(space))
    options = check_options(rows, order[0], clock, punctuations=False, verb="regions()", **stream)
    state = _state(rows, condition, asked["bad"])
    _check_names(asked["prefix"], groups, "regions")
    return RegionQuery(
        rows, state, clock, order[0], tuple(order[1:]), tuple(groups), tuple(space), settings, options, asked["prefix"]
    )


def plan_density(rows: Any, asked: Mapping[str, Any], stream: Mapping[str, Any]) -> RegionQuery:
    """Check everything that can be checked before a job starts."""
    require_dataframe(rows, "density")
    order, groups = order_and_groups(rows, asked["ts"], asked["by"], "density")
    check_beginning(asked["prefix"], "density")
    space = space_columns(rows, asked["space"], "density", (*order[:1], *groups))
    clock = clock_of(rows.schema[order[0]].dataType, order[0], "density")
    crowded = {name: asked[name] for name in ("bin", "unit", "above", "min_area")}
    duration = asked["min_duration"]
    settings = {
        "shape": DENSITY,
        "limits": Limits(0 if duration is None else ticks(duration, "min_duration", clock, zero=True)),
        "crowding": crowding_of(clock, len(space), **crowded),
        "place_types": (pa.float64(),) * len(space),
    }
    options = check_options(rows, order[0], clock, fragments=False, punctuations=False, verb="density()", **stream)
    _check_names(asked["prefix"], groups, "density")
    return RegionQuery(
        rows, None, clock, order[0], tuple(order[1:]), tuple(groups), tuple(space), settings, options, asked["prefix"]
    )


def _preference(prefer: Any, shape: str) -> str | None:
    if prefer is None:
        return None
    check_choice(prefer, "prefer", PREFERENCES)
    if shape != RECTANGLE:
        raise InvalidArgument(
            f"regions() got prefer={prefer!r} for connected regions, which share no report; leave it out"
        )
    return str(prefer)


def _check_fragments(fragments: Any, settings: Mapping[str, Any], n_dims: int) -> None:
    if fragments is not True:
        return
    if settings["prefer"] is not None:
        raise InvalidArgument(
            f"regions() got fragments=True with prefer={settings['prefer']!r}, which decides when all regions that "
            "overlap have ended; leave one of them out"
        )
    if settings["shape"] != RECTANGLE:
        raise InvalidArgument(
            f"regions() got fragments=True with shape={settings['shape']!r}, but connected regions may still grow "
            "together; leave it out, or search for rectangles"
        )
    if n_dims > 1:
        raise InvalidArgument("regions() got fragments=True for two dimensions of space; they need one: leave it out")


def _state(rows: DataFrame, condition: Any, bad: Any) -> Column:
    """What a row says of its place, as a byte."""
    holds = scheme_input(rows, Input("condition", condition, "condition"), "regions()")
    said = F.when(holds, F.lit(SATISFIED)).otherwise(F.lit(NOT_SATISFIED))
    if bad is not None:
        said = F.when(scheme_input(rows, Input("bad", bad, "condition"), "regions()"), F.lit(BAD_REPORT)).otherwise(
            said
        )
    return said.cast("byte")


def _check_names(prefix: str, by: Sequence[str], verb: str) -> None:
    clash = [name for name in by if name.startswith(prefix)]
    if clash:
        raise InvalidArgument(
            f"{verb}() would name its own columns {prefix}..., but by={clash[0]!r} begins so; choose another prefix="
        )
