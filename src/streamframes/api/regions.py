"""Regions: frames in time and space.

`regions()` and `density()` check their arguments at once and plan; nothing runs until the DataFrame that `.toDF()`,
`.agg()`, `.tag()` or `.fill()` leads to is used.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from streamframes.api.frames import Frames, Groups
from streamframes.core.batch.clock import Duration
from streamframes.errors import InvalidArgument

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
    shape: str = "rectangle",
    prefer: str | None = None,
    min_duration: Duration | None = None,
    min_extent: float | Sequence[float] | None = None,
    min_times: int | None = None,
    min_places: int | None = None,
    max_gap: Duration | None = None,
    max_step: float | None = None,
    places: Any = None,
    bad: str | Column | None = None,
    missing: str | None = None,
    max_missing: int | None = None,
    open_on: str = "real",
    method: str | None = None,
    fragments: bool = False,
    prefix: str = "frame_",
    lateness: Duration | None = None,
    punctuation: Any = None,
    punctuation_all: Any = None,
    late: str = "count",
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
        `"rectangle"`: all maximal rectangles of reports that satisfy the condition; they may overlap. With two
        dimensions of space, boxes. `"connected"`: sets of neighbouring reports, with their outline.
    prefer
        `"largest"`, `"longest"` or `"widest"`: of rectangles that overlap, directly or through others, the best, then
        the best of those that do not overlap it, and so on.
    min_duration, min_extent
        How long and how wide a region is at least; with two dimensions of space, one extent for each or one for both.
    min_times, min_places
        How many reports each of its places has at least, and how many places it has.
    max_gap, max_step
        Reports of a place further apart than this, and places further apart than this, are no neighbours.
    places
        The places that are there, a list or a table (with the group columns, or for all groups): each of them is
        expected whenever anybody of its group reports. Without, a place is known from its first report on.
    bad
        A condition: a report that is as good as missing, like `"status != 2"`.
    missing
        What a missing report does: `"ends"` the region there (unless told otherwise), `"holds"`: the region goes on
        over it, `"true"` or `"false"`: it is imputed. Naming it, or `places`, says that all places report at the same
        times; otherwise what is not reported is not missing, as with probe vehicles.
    max_missing
        How many reports of a place in a row may be held or imputed.
    open_on
        `"real"`: an imputed report only continues what a real one began; `"any"`.
    method
        `"durations"` (method I: all places report at the same times) or `"spans"` (method II: places and times need
        not form a grid). They find the same on a grid; chosen by what is known of the reports unless told.
    fragments
        Tell of a rectangle as soon as it is certain, and whenever it has grown.
    prefix
        What the names of the frame columns begin with.
    lateness, punctuation, punctuation_all, late
        What is known of a stream, as for `frames()`.

    Returns
    -------
    Regions
        A lazy value; `.toDF()` is one row a region, `.agg()`, `.tag()` and `.fill()` go by time and place.
    """
    from streamframes.spark.planning.regions import plan_regions

    asked = {
        "ts": ts,
        "space": space,
        "by": by,
        "shape": shape,
        "prefer": prefer,
        "min_duration": min_duration,
        "min_extent": min_extent,
        "min_times": min_times,
        "min_places": min_places,
        "max_gap": max_gap,
        "max_step": max_step,
        "places": places,
        "bad": bad,
        "missing": missing,
        "max_missing": max_missing,
        "open_on": open_on,
        "method": method,
        "prefix": prefix,
    }
    stream = {
        "lateness": lateness,
        "punctuation": punctuation,
        "punctuation_all": punctuation_all,
        "late": late,
        "fragments": fragments,
    }
    return Regions(plan_regions(rows, condition, asked, stream))


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
    punctuation: Any = None,
    punctuation_all: Any = None,
    late: str = "count",
) -> Regions:
    """Find where points crowd: connected cells whose mean density is at least `above`, and for how long.

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
        The side of a cell, or one for each dimension.
    unit
        The length of the units of time, counted from 1970 or 0.
    above
        Points in a unit of time for each unit of area (or length) that are dense.
    min_area
        The area (or length) that a region has at least in each unit of time.
    min_duration
        How long a region lasts at least.
    prefix
        What the names of the frame columns begin with.
    lateness, punctuation, punctuation_all, late
        What is known of a stream, as for `frames()`.

    Returns
    -------
    Regions
        A lazy value; `.toDF()` is one row a region: start and end of its units, the edges of its cells, `frame_rows`
        points, `frame_places` cells, `frame_area`, the `frame_peak` mean density of a unit and its `frame_density`.
    """
    from streamframes.spark.planning.regions import plan_density

    asked = {
        "ts": ts,
        "space": space,
        "by": by,
        "bin": bin,
        "unit": unit,
        "above": above,
        "min_area": min_area,
        "min_duration": min_duration,
        "prefix": prefix,
    }
    stream = {
        "lateness": lateness,
        "punctuation": punctuation,
        "punctuation_all": punctuation_all,
        "late": late,
    }
    return Regions(plan_density(rows, asked, stream))


@dataclass(frozen=True, repr=False)
class Regions(Frames):
    """A search for regions that has been planned and not yet run: frames that also have places.

    Rows belong to a region by time and place. `expand()`, `move()` and `split()` change its edges in time.
    """

    plan: RegionQuery

    def fill(
        self,
        other: DataFrame | Scan,
        *,
        ts: str | Sequence[str],
        space: str | Sequence[str] | None = None,
        by: Groups | None = None,
        keep_empty: bool = True,
        wait: bool = True,
        lateness: Duration | None = None,
        **measures: Any,
    ) -> DataFrame:
        """The regions, each with measures of the rows of another table or stream that lie in it, by time and place.

        `space` names the column(s) of `other` that say where a row is, in the order of the regions' own; the other
        arguments are those of `Frames.fill`. A connected region holds what lies in its box.
        """
        from streamframes.spark.planning.fill.query import Asked
        from streamframes.spark.planning.fill.verbs import fill_frames

        if space is None or space == ():
            raise InvalidArgument(
                f"fill() of regions got no space=; name the column(s) of the other rows for {list(self.plan.space)}"
            )
        asked = Asked(ts, self.plan.fill_by if by is None else by, keep_empty, measures, self.plan.prefix, space)
        return fill_frames(self.plan, self.moves, other, asked, wait, lateness)

    def duplicates(self) -> DataFrame:
        """The reports of one place and instant of which there are several, and how many; the last of them counts."""
        return self.plan.duplicates()

    def __repr__(self) -> str:
        return super().__repr__().replace("Frames(", "Regions(", 1)
