"""Regions: the speed contour of a freeway with its jams outlined, by both methods and as connected shapes.

References
----------
Whiteneck et al., Framing the question: detecting and filling spatial-temporal windows, 2010, figures 2 to 6.
"""

from __future__ import annotations

from typing import TYPE_CHECKING

import numpy as np
import pyarrow as pa

from streamframes.api.regions import regions
from streamframes.data import Generated, freeway
from streamframes.draw import RegionColours, draw_regions
from streamframes.errors import StreamFramesError
from streamframes.region_options import Rectangles, Reports
from streamframes.study.data.sources import REPORTS_AN_HOUR
from streamframes.study.kit import Lab, Need, Study
from streamframes.study.report.outcome import Claim, Outcome, Picture, Table

if TYPE_CHECKING:
    from matplotlib.figure import Figure

    from streamframes.spark import DataFrame

WHERE, MIN_EXTENT, MIN_DURATION = "speed < 40", 1.0, "10 minutes"
SHAPES: dict[str, Rectangles | str] = {
    "Method I": Rectangles(method="durations"),
    "Method II": Rectangles(method="spans"),
    "best of those that overlap": Rectangles(prefer="largest"),
    "connected": "connected",
}
SIZE = f"at least {MIN_EXTENT:g} mile and {MIN_DURATION}"
EDGES = ("frame_start", "frame_end", "frame_low", "frame_high")
STATIONS = 24


def run(lab: Lab) -> Outcome:
    """Search the same reports in four ways."""
    rows, road = lab.largest(lab.rows_of(lambda: _made(lab)), "highway")
    rows = _one_a_place(rows).cache()
    found = {name: lab.fetch(f"Regions, {name}", _found(rows, shape)) for name, shape in SHAPES.items()}
    if not found["connected"].num_rows:
        way_out = "make more with --rows" if lab.data is None else "give those of a road with jams"
        raise StreamFramesError(f"study regions found no region of {WHERE}, {SIZE}, in the reports; {way_out}")
    reports = lab.fetch("Reading the contour", rows.orderBy("ts", "milepost"))
    rows.unpersist()
    return Outcome(
        data=lab.named(f"{lab.rows:,} reports of {STATIONS} stations of a made-up freeway, every 20 seconds") + road,
        tables=[_table(found, reports)],
        pictures=[
            Picture(
                "rectangles",
                "Speed by time and place; maximal rectangles are outlined, and overlap",
                lambda: _drawn(reports, found["Method II"], "Jams as maximal rectangles"),
            ),
            Picture(
                "connected",
                "The same; connected regions follow the shape of a jam",
                lambda: _drawn(reports, found["connected"], "Jams as connected regions"),
            ),
        ],
        claims=_claims(found, reports),
        settings={"where": WHERE, "min_extent": MIN_EXTENT, "min_duration": MIN_DURATION},
    )


def _made(lab: Lab) -> Generated:
    hours = max(1, lab.rows // (STATIONS * REPORTS_AN_HOUR))
    return freeway(STATIONS, hours, seed=lab.seed, shape="wedge")


def _one_a_place(rows: DataFrame) -> DataFrame:
    """One report a place and instant: the mean of several, such as those of lanes."""
    there = rows.where("ts IS NOT NULL AND milepost IS NOT NULL")
    return there.groupBy("ts", "milepost").avg("speed").withColumnRenamed("avg(speed)", "speed")


def _found(rows: DataFrame, shape: Rectangles | str) -> DataFrame:
    found = regions(
        rows,
        WHERE,
        ts="ts",
        space="milepost",
        shape=shape,
        min_duration=MIN_DURATION,
        min_extent=MIN_EXTENT,
        reports=Reports(missing="ends"),
    )
    return found.toDF().orderBy(*EDGES)


def _table(found: dict[str, pa.Table], reports: pa.Table) -> Table:
    slow = int(np.count_nonzero(_slow(reports)))
    columns = ("search", "regions", "reports in the largest", "slow reports inside", "of all slow reports, %")
    lines = []
    for name, each in found.items():
        inside = covered(reports, each)
        largest = max(each["frame_rows"].to_pylist(), default=0)
        lines.append([name, each.num_rows, largest, inside, 100 * inside / max(1, slow)])
    title = f"Regions of {WHERE}, {SIZE}"
    return Table("regions", title, columns, lines)


def covered(reports: pa.Table, found: pa.Table) -> int:
    """How many slow reports lie in any region; of connected ones, in what they are made of."""
    if "frame_area" in found.column_names:
        return int(np.sum(found["frame_rows"].to_numpy()))
    ts, place = reports["ts"].to_numpy(), reports["milepost"].to_numpy()
    inside = np.zeros(ts.size, np.bool_)
    for start, end, low, high in zip(*(found[name].to_numpy() for name in EDGES), strict=True):
        inside |= (ts >= start) & (ts <= end) & (place >= low) & (place <= high)
    return int(np.count_nonzero(inside & _slow(reports)))


def _slow(reports: pa.Table) -> np.ndarray:
    speed = reports["speed"].to_numpy()
    return np.asarray(speed < 40)


def _claims(found: dict[str, pa.Table], reports: pa.Table) -> list[Claim]:
    one, two = (found[name].select(EDGES).to_pydict() for name in ("Method I", "Method II"))
    rectangles, shapes = covered(reports, found["Method II"]), covered(reports, found["connected"])
    kept = found["best of those that overlap"].num_rows
    return [
        Claim(
            "Durations per place and spans with depth find the same regions.",
            f"{found['Method I'].num_rows} and {found['Method II'].num_rows} regions",
            one == two,
        ),
        Claim(
            "Maximal regions overlap, so that one jam is reported several times.",
            f"{found['Method II'].num_rows} regions, {kept} of which no two overlap",
            kept < found["Method II"].num_rows,
        ),
        Claim(
            "Rectangles leave out parts of a jam that shapes capture.",
            f"{rectangles:,} slow reports in rectangles, {shapes:,} in connected regions",
            shapes > rectangles,
        ),
    ]


def _drawn(reports: pa.Table, found: pa.Table, title: str) -> Figure:
    return draw_regions(
        reports,
        found,
        ts="ts",
        space="milepost",
        value="speed",
        colours=RegionColours(levels=[40.0], label="speed, mph"),
        title=title,
        subtitle=f"{WHERE} mph, {SIZE}",
        space_label="milepost",
    )


STUDY = Study(
    name="regions",
    title="Jams in time and space",
    paper="Whiteneck et al. 2010, figures 2 to 6",
    rows=24 * STATIONS * REPORTS_AN_HOUR,
    counted="reports",
    needs=(
        Need("ts", "when", ("cast(time AS timestamp)",), kind="time"),
        Need("milepost", "where along the road, miles", ("km / 1.609344D", "km_from / 1.609344D"), kind="number"),
        Need(
            "speed", "miles per hour", ("v_avg_kmh / 1.609344D", "nullif(speed_all_kmh, 0) / 1.609344D"), kind="number"
        ),
        Need("highway", "which road", ("concat(freeway, dir, ' ', mainline)",), optional=True),
    ),
    run=run,
    least=STATIONS * REPORTS_AN_HOUR,
)
