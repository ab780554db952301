"""Regions: reports that are searched for frames in time and space.

rows ─ select place and condition ─ pack, shuffle chunks ─ search by bucket ─ regions
       Catalyst                                            the places of a group
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass, field

import pyarrow as pa
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F

from streamframes.arguments import Columns, Condition
from streamframes.core.batch.clock import Duration
from streamframes.core.regions.arguments import density_of, limits_of, method_of, reading_of, ticks
from streamframes.core.regions.operator import RegionPlan
from streamframes.core.regions.plan import (
    BAD_REPORT,
    CONNECTED,
    DENSITY,
    NOT_SATISFIED,
    RECTANGLE,
    SATISFIED,
    RegionSettings,
)
from streamframes.core.regions.types import Limits
from streamframes.core.schemes.base import Input
from streamframes.core.validation import check_choice
from streamframes.errors import InvalidArgument
from streamframes.extras import need
from streamframes.options import Stream
from streamframes.region_options import Rectangles, Reports
from streamframes.spark.columns import column, is_dataframe, scheme_input
from streamframes.spark.explain.regions import search_steps
from streamframes.spark.planning.fill.own import FilledQuery
from streamframes.spark.planning.places import (
    listed_places,
    place_columns,
    place_type,
    places_of_table,
    space_columns,
)
from streamframes.spark.planning.query import PackedRow, checked_source
from streamframes.spark.planning.run import SHUFFLED
from streamframes.spark.streaming.run import explain_stream


@dataclass(frozen=True)
class RegionQuery(FilledQuery[RegionPlan]):
    """Reports that are searched for regions; `settings` are those of the core's plan."""

    state: Column | None
    places: tuple[str, ...]
    settings: RegionSettings
    lookup: DataFrame | None = field(default=None)

    @property
    def space(self) -> tuple[str, ...]:
        """The columns of a report's place."""
        return self.places

    def evaluated(self) -> list[Column]:
        """The place, and what the report says of it."""
        return [*place_columns(self.space), *([] if self.state is None else [self.state])]

    def operator_plan(self, row: PackedRow) -> RegionPlan:
        """The plan of the core."""
        return RegionPlan(**row, space=self.space, fragments=self.stream.fragments, **self.settings)

    def explain(self) -> str:
        """Which way the rows go, which search was chosen and why."""
        way = explain_stream(self.stream) if self.is_stream else [SHUFFLED]
        search = search_steps(self.settings, self.space)
        return "\n".join([f"regions {self.describe()}", *self.packed_steps("place and condition"), *way, *search])

    def describe(self) -> str:
        """The query in one line."""
        space = self.space[0] if len(self.space) == 1 else list(self.space)
        return f"{self.settings['shape']}, ts={self.ts!r}, space={space!r}, by={list(self.by)!r}"

    def duplicates(self) -> DataFrame:
        """The reports of one place and instant of which there are several."""
        if self.is_stream:
            raise InvalidArgument(
                "duplicates() looks at tables; a stream counts them, as duplicate_reports of sf.watch(query)"
            )
        identity = [column(name) for name in (*self.by, self.ts, *self.space)]
        rows = self.data.filter(column(self.ts).isNotNull())
        for place in place_columns(self.space):
            rows = rows.filter(place.isNotNull() & ~F.isnan(place))
        return rows.groupBy(*identity).agg(F.count(F.lit(1)).alias("reports")).filter("reports > 1")


def plan_regions(
    rows: object,
    condition: Condition,
    *,
    ts: Columns,
    space: Columns,
    by: Columns,
    shape: str | Rectangles,
    min_duration: Duration | None,
    min_extent: float | Sequence[float] | None,
    reports: Reports,
    prefix: str,
    stream: Stream,
) -> RegionQuery:
    """Check everything that can be checked before a job starts."""
    source = checked_source("regions", rows, ts, by, prefix, stream)
    table = source.rows
    places = space_columns(table, space, "regions", (source.ts, *source.by))
    rectangles = shape if isinstance(shape, Rectangles) else Rectangles()
    kind = RECTANGLE if isinstance(shape, Rectangles) else shape
    check_choice(kind, "shape", (RECTANGLE, CONNECTED))
    if kind == CONNECTED:
        need("regions")
    if reports.missing == "holds" and kind == RECTANGLE and len(places) > 1:
        raise InvalidArgument(
            "regions() got missing='holds' for boxes in two dimensions of space, all of whose places report; give "
            "missing='true', or shape='connected'"
        )
    method, stations = method_of(
        rectangles.method, kind, len(places), reports.missing, has_places=reports.places is not None
    )
    listed, unread, lookup = None, None, None
    if is_dataframe(reports.places):
        lookup, unread = places_of_table(reports.places, table, places, source.by)
    elif reports.places is not None:
        listed = listed_places(reports.places, places)
    settings: RegionSettings = {
        "shape": kind,
        "method": method,
        "prefer": rectangles.prefer,
        "limits": limits_of(
            source.clock,
            len(places),
            min_duration=min_duration,
            min_extent=min_extent,
            min_times=reports.min_times,
            min_places=reports.min_places,
            max_step=reports.max_step,
        ),
        "reading": reading_of(
            source.clock,
            stations=stations,
            missing=reports.missing,
            max_missing=reports.max_missing,
            open_on=reports.open_on,
            max_gap=reports.max_gap,
        ),
        "listed": listed,
        "unread": unread,
        "may_miss": stations or reports.bad is not None,
        "place_types": tuple(place_type(table.schema[name].dataType) for name in places),
    }
    if stream.fragments:
        _check_fragments(settings, len(places))
    state = _state(table, condition, reports.bad)
    _check_names(prefix, source.by, "regions")
    return RegionQuery(**vars(source), state=state, places=tuple(places), settings=settings, lookup=lookup)


def plan_density(
    rows: object,
    *,
    ts: Columns,
    space: Columns,
    bin: float | Sequence[float],
    unit: Duration,
    above: float,
    by: Columns,
    min_area: float | None,
    min_duration: Duration | None,
    prefix: str,
    stream: Stream,
) -> RegionQuery:
    """Check everything that can be checked before a job starts."""
    source = checked_source("density", rows, ts, by, prefix, stream)
    places = space_columns(source.rows, space, "density", (source.ts, *source.by))
    lasting = 0 if min_duration is None else ticks(min_duration, "min_duration", source.clock, zero=True)
    settings: RegionSettings = {
        "shape": DENSITY,
        "limits": Limits(lasting),
        "density": density_of(source.clock, len(places), bin=bin, unit=unit, above=above, min_area=min_area),
        "place_types": (pa.float64(),) * len(places),
    }
    _check_names(prefix, source.by, "density")
    return RegionQuery(**vars(source), state=None, places=tuple(places), settings=settings)


def _check_fragments(settings: RegionSettings, n_dims: int) -> None:
    """Refuse fragments of regions that may change until they end."""
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


def _state(rows: DataFrame, condition: Condition, bad: Condition | None) -> Column:
    """The report of each row as a byte: bad, not satisfied, or satisfied."""
    holds = scheme_input(rows, Input("condition", condition, "condition"), "regions()")
    state = F.when(holds, F.lit(SATISFIED)).otherwise(F.lit(NOT_SATISFIED))
    if bad is not None:
        is_bad = scheme_input(rows, Input("bad", bad, "condition"), "regions()")
        state = F.when(is_bad, F.lit(BAD_REPORT)).otherwise(state)
    return state.cast("byte")


def _check_names(prefix: str, by: Sequence[str], verb: str) -> None:
    clash = [name for name in by if name.startswith(prefix)]
    if clash:
        raise InvalidArgument(
            f"{verb}() would name its own columns {prefix}..., but by={clash[0]!r} begins so; choose another prefix="
        )
