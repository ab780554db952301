"""Scatter: a plot of fluorescence by depth, from frames, from as many windows, and from as many samples."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from functools import partial

import numpy as np
import pyarrow as pa
from matplotlib.figure import Figure
from numpy.typing import NDArray

import streamframes as sf
from streamframes.study.data.raster import Cells, Extent, jaccard, occupied
from streamframes.study.data.sources import CAST, SCAN
from streamframes.study.data.water import DEPTH, DYE, Water, as_many_as, water
from streamframes.study.kit import Lab, Study
from streamframes.study.report.charts import COLOURS, FRAMES, SAMPLES, TRUTH, WINDOWS, dress, panels
from streamframes.study.report.outcome import Claim, Outcome, Picture, Table, span

GRIDS = (25, 50, 100)
PARTS = (100, 50, 25)
"""A frame ends when fluorescence has moved by one of so many parts of its range."""
DRAWN = 50
KINDS = {"frames": FRAMES, "windows": WINDOWS, "samples": SAMPLES, "random samples": COLOURS[3]}
X_LABEL, Y_LABEL = "depth (m)", "fluorescence (as measured)"


@dataclass(frozen=True)
class _Plot:
    """The extents of the axes, and the cells of the fine grid that all rows together fill."""

    x: Extent
    y: Extent
    cells: tuple[Cells, Cells]

    def distance(self, points: pa.Table, grid: int) -> float:
        """From all rows to some points."""
        x, y = (points[name].to_numpy() for name in ("x", "y"))
        mine = occupied(self.x.cells(x), self.y.cells(y), grid=grid)
        return jaccard(mine, occupied(*self.cells, grid=grid))


def _run(lab: Lab) -> Outcome:
    scans = water(lab)
    plot = _whole(lab, scans)
    deltas = {parts: plot.y.length / parts for parts in PARTS}
    points = {parts: dict(_points(lab, scans, delta)) for parts, delta in deltas.items()}
    counts = [[deltas[parts], *(of.num_rows for of in kinds.values())] for parts, kinds in points.items()]
    distances = [
        [deltas[parts], grid, *(plot.distance(of, grid) for of in kinds.values())]
        for parts, kinds in points.items()
        for grid in GRIDS
    ]
    tables = (
        Table("points", "How many points are drawn", ["delta", *KINDS], counts),
        Table("distances", "Jaccard distance to the plot of all rows", ["delta", "grid", *KINDS], distances),
    )
    scans.rows.unpersist()
    return Outcome(
        data=scans.named(lab),
        tables=tables,
        pictures=(
            Picture("scatter", _caption(deltas[DRAWN]), partial(_draw, scans, plot, points[DRAWN])),
            Picture("distances", "How far each plot is from that of all rows", partial(_draw_distances, tables[1])),
        ),
        claims=tuple(_claims(*tables)),
        settings={"deltas": list(deltas.values()), "grids": list(GRIDS)},
        notes=scans.notes,
    )


def _whole(lab: Lab, scans: Water) -> _Plot:
    ends = scans.rows.selectExpr("min(depth_m)", "max(depth_m)", "min(fluorescence)", "max(fluorescence)")
    left, right, bottom, top = (column[0].as_py() for column in lab.fetch("Looking for ends", ends).columns)
    x, y = Extent(left, right), Extent(bottom, top)
    cells = scans.rows.selectExpr(f"{x.cell('depth_m')} AS x", f"{y.cell('fluorescence')} AS y").distinct()
    filled = lab.fetch("Drawing all rows", cells)
    return _Plot(x, y, (filled["x"].to_numpy(), filled["y"].to_numpy()))


def _points(lab: Lab, scans: Water, delta: float) -> Iterator[tuple[str, pa.Table]]:
    """Frames, and points of the other kinds, about as many."""
    means = {"x": "avg(depth_m)", "y": "avg(fluorescence)"}
    found = lab.fetch("Framing", scans.pieces(sf.Delta("fluorescence", "<", delta), **means))
    windows = scans.windows_like(found.num_rows)
    yield "frames", found
    yield "windows", lab.fetch("Cutting windows", scans.pieces(windows, **means))
    first = {"x": "first(depth_m)", "y": "first(fluorescence)"}
    regular = lab.fetch("Sampling", scans.pieces(windows, **first))
    yield "samples", regular
    shuffled = scans.rows.selectExpr("depth_m AS x", "fluorescence AS y", f"xxhash64(cast, scan, {lab.seed}) AS chance")
    yield "random samples", lab.fetch("Sampling", shuffled.orderBy("chance").limit(regular.num_rows))


def _claims(points: Table, distances: Table) -> Iterator[Claim]:
    frames = distances.column("frames")
    as_many = all(as_many_as(row["frames"], row["windows"]) for row in points.where())
    for way in list(KINDS)[1:]:
        theirs = distances.column(way)
        better = sum(mine < other for mine, other in zip(frames, theirs, strict=True))
        yield Claim(
            f"Averages of delta frames draw the scatter plot more truly than as many {way}.",
            f"nearer on {better} of {len(frames)} grids; Jaccard distance {span(frames)} against {span(theirs)}",
            better == len(frames) if as_many else None,
        )


def _caption(delta: float) -> str:
    return f"Fluorescence by depth; a frame ends when fluorescence has moved by {delta:.2g}"


def _draw(scans: Water, plot: _Plot, points: dict[str, pa.Table]) -> Figure:
    figure, axes = panels(4, width=13, height=3.8, sharex=True, sharey=True)
    x, y = plot.x.values(plot.cells[0]), plot.y.values(plot.cells[1])
    shown: list[tuple[str, NDArray[np.float64], NDArray[np.float64], str]] = [
        (f"all {scans.n_rows:,} rows", x, y, TRUTH)
    ]
    for way in ("frames", "windows", "samples"):
        table = points[way]
        shown.append((f"{table.num_rows:,} {way}", table["x"].to_numpy(), table["y"].to_numpy(), KINDS[way]))
    for place, (title, across, up, colour) in zip(axes, shown, strict=True):
        place.scatter(across, up, s=2, color=colour, linewidths=0, rasterized=True)
        dress(place, X_LABEL, Y_LABEL if place is axes[0] else "", title)
    return figure


def _draw_distances(distances: Table) -> Figure:
    deltas = list(dict.fromkeys(distances.column("delta")))
    figure, axes = panels(len(deltas), width=11, height=3.6, sharey=True)
    for place, delta in zip(axes, deltas, strict=True):
        rows = distances.where(delta=delta)
        for number, (way, colour) in enumerate(KINDS.items()):
            at = np.arange(len(GRIDS)) + (number - 1.5) * 0.2
            place.bar(at, [row[way] for row in rows], 0.18, color=colour, label=way)
        place.set_xticks(range(len(GRIDS)), [f"{grid} x {grid}" for grid in GRIDS])
        dress(place, "grid", "Jaccard distance" if place is axes[0] else "", f"delta {delta:.2g}")
    axes[0].set_ylim(0, 1)
    figure.legend(*axes[0].get_legend_handles_labels(), loc="outside upper right", ncols=len(KINDS), frameon=False)
    return figure


STUDY = Study(
    name="scatter",
    title="Scatter plots from frames, windows and samples",
    paper="Grossniklaus et al., Frames: data-driven windows, DEBS 2016, section 4.1: tables 1 and 2, figure 2",
    rows=400_000,
    counted="scans",
    needs=(SCAN, DYE, DEPTH, CAST),
    run=_run,
)
