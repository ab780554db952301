"""Regions: frames in time and space.

`regions()` and `density()` check their arguments at once and plan; nothing runs until the DataFrame that `.toDF()`,
`.agg()`, `.tag()` or `.fill()` leads to is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from streamframes.api.frames import Frames
from streamframes.arguments import Groups, Measure
from streamframes.core.batch.clock import Duration
from streamframes.errors import InvalidArgument
from streamframes.options import Stream, stream_of
from streamframes.region_options import Rectangles, Reports, reports_of

if TYPE_CHECKING:
    from streamframes.spark import Column, DataFrame
    from streamframes.spark.planning.regions import RegionQuery
    from streamframes.spark.scan.scan import Scan


def regions(
    rows: DataFrame | Scan,
    condition: str | Column,
    *,
    ts: str | Sequence[str],
    space: str | Sequence[str],
    by: str | Sequence[str] = (),
    shape: Rectangles | str = "rectangle",
    min_duration: Duration | None = None,
    min_extent: float | Sequence[float] | None = None,
    reports: Reports | None = None,
    prefix: str = "frame_",
    lateness: Duration | None = None,
    stream: Stream | None = None,
) -> Regions:
    """Find episodes with an extent in time and in space: a jam over miles and minutes.

    Parameters
    ----------
    rows
        A Spark DataFrame of reports, a table or a stream, or a `scan()`; the result is a stream if the rows are one.
    condition
        What must hold, like `"speed < 20"`; null is not satisfied.
    ts
        The column that orders rows, or a list of it and the columns that break ties. Of several reports of one place
        and instant the last counts.
    space
        The column of the place, a number like a milepost; or two, `["x", "y"]`.
    by
        Group columns; everything happens within a group.
    shape
        `"rectangle"`: all maximal rectangles of reports that satisfy the condition; they may overlap, unless
        `Rectangles(prefer=...)` selects some. With two dimensions of space, boxes. `"connected"`: sets of neighbouring
        reports, with their outline.
    min_duration, min_extent
        How long and how wide a region is at least; with two dimensions of space, one extent for each or one for both.
    reports
        Which reports are expected, bad, missing or neighbours, and how many a region needs; see `Reports`.
    prefix
        What the names of the frame columns begin with.
    lateness, stream
        What is known of a stream and wanted of it, as for `frames()`; `Stream(fragments=True)` reports rectangles that
        go on.

    Returns
    -------
    Regions
        A lazy value; `.toDF()` is one row a region, `.agg()`, `.tag()` and `.fill()` go by time and place.
    """
    from streamframes.spark.planning.regions import plan_regions

    query = plan_regions(
        rows,
        condition,
        ts=ts,
        space=space,
        by=by,
        shape=shape,
        min_duration=min_duration,
        min_extent=min_extent,
        reports=reports_of(reports),
        prefix=prefix,
        stream=stream_of(stream, lateness, "regions", ("fragments", "early", "amend_within")),
    )
    return Regions(query)


def density(
    rows: DataFrame | Scan,
    *,
    ts: str | Sequence[str],
    space: str | Sequence[str],
    bin: float | Sequence[float],
    unit: Duration,
    above: float,
    by: str | Sequence[str] = (),
    min_area: float | None = None,
    min_duration: Duration | None = None,
    prefix: str = "frame_",
    lateness: Duration | None = None,
    stream: Stream | None = None,
) -> Regions:
    """Find where points are dense: connected cells whose mean density is at least `above`, and for how long.

    Each row is a point. Points are counted by cell and unit of time. In each unit regions grow from the densest cell:
    neighbours are added, the densest first, until `min_area` is reached and any further one would lower the mean. What
    shares a cell from one unit to the next is one region.

    Parameters
    ----------
    rows
        A Spark DataFrame of points, a table or a stream, or a `scan()` of files.
    ts, by
        The column that orders rows, and group columns, as for `regions()`.
    space
        The column of the place, or two, `["x", "y"]`.
    bin
        The size of a cell, or one for each dimension.
    unit
        The length of the units of time, counted from 1970 or 0.
    above
        Points in a unit of time for each unit of area (or length) that are dense. Only a cell that has as many by
        itself starts a growth; thinner cells may join one.
    min_area
        The area (or length) that a region has at least in each unit of time.
    min_duration
        How long a region lasts at least.
    prefix
        What the names of the frame columns begin with.
    lateness, stream
        What is known of a stream, as for `frames()`.

    Returns
    -------
    Regions
        A lazy value; `.toDF()` is one row a region: start and end of its units, the edges of its cells, `frame_rows`
        points, `frame_places` cells, `frame_area`, the `frame_peak` mean density of a unit and its `frame_density`.
    """
    from streamframes.spark.planning.regions import plan_density

    query = plan_density(
        rows,
        ts=ts,
        space=space,
        bin=bin,
        unit=unit,
        above=above,
        by=by,
        min_area=min_area,
        min_duration=min_duration,
        prefix=prefix,
        stream=stream_of(stream, lateness, "density", ("early", "amend_within")),
    )
    return Regions(query)


@dataclass(frozen=True, repr=False)
class Regions(Frames):
    """A search for regions that has been planned and not yet run: frames that also have places.

    Rows belong to a region by time and place. `expand()`, `move()` and `split()` change its edges in time.
    """

    plan: RegionQuery

    def fill(  # type: ignore[override]  # no measure can be called space
        self,
        other: DataFrame | Scan,
        *,
        ts: str | Sequence[str],
        space: str | Sequence[str] | None = None,
        by: Groups | None = None,
        keep_empty: bool = True,
        wait: bool = True,
        lateness: Duration | None = None,
        **measures: Measure,
    ) -> DataFrame:
        """The regions, each with measures of the rows of another table or stream that lie in it, by time and place.

        `space` names the column(s) of `other` that say where a row is, in the order of the regions' own; the other
        arguments are those of `Frames.fill`. A connected region holds what lies in its box.
        """
        from streamframes.spark.planning.fill.query import FillArguments
        from streamframes.spark.planning.fill.verbs import fill_frames

        if space is None or space == ():
            raise InvalidArgument(
                f"fill() of regions got no space=; name the column(s) of the other rows for {list(self.plan.space)}"
            )
        arguments = FillArguments(
            ts, self.plan.fill_by if by is None else by, keep_empty, measures, self.plan.prefix, space
        )
        return fill_frames(self.plan, self.moves, other, arguments, wait, lateness)

    def duplicates(self) -> DataFrame:
        """The reports of one place and instant of which there are several, and how many; the last of them counts."""
        return self.plan.duplicates()

    def __repr__(self) -> str:
        return super().__repr__().replace("Frames(", "Regions(", 1)
