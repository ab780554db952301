"""Histogram: how much dye there is in water of each density, from depth slices, from frames and from windows.

A piece of the tow adds its mean dye, times the metres that it passes, up or down, to the bin of its mean density.
"""

from __future__ import annotations

from dataclasses import dataclass
from functools import partial

import numpy as np
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from numpy.typing import NDArray

import streamframes as sf
from streamframes.study.data.sources import CAST, SCAN
from streamframes.study.data.water import DENSITY, DEPTH, DYE, Water, as_many_as, water
from streamframes.study.kit import Lab, Study
from streamframes.study.report.charts import FRAMES, TRUTH, WINDOWS, dress, panels
from streamframes.study.report.outcome import Claim, Outcome, Picture, Table, span

BINS = 50
SLICE = 0.25
"""Metres of a depth slice."""
SHARES = (0.04, 0.08, 0.16)
"""A frame ends when density has moved by this share of its range, or dye by twice this share of its own."""
_MEASURES = {"dye": "avg(fluorescence)", "density": "avg(density)", "passed": "sum(passed_m)"}


@dataclass(frozen=True)
class Histogram:
    """Dye in each bin, and of how many pieces it was made."""

    dye: NDArray[np.float64]
    pieces: int

    def distance(self, other: Histogram) -> float:
        """Earth mover's distance: how many bins a unit of dye lies from its place, on average.

        Examples
        --------
        >>> moved = Histogram(np.array([0.0, 1.0, 3.0]), 4)
        >>> moved.distance(Histogram(np.array([0.0, 4.0, 0.0]), 4))
        0.75
        """
        if not (self.dye.any() and other.dye.any()):
            return float("nan")
        mine, others = np.cumsum(self.dye), np.cumsum(other.dye)
        # What has to pass from each bin to the next.
        return float(np.abs(mine / mine[-1] - others / others[-1])[:-1].sum())


@dataclass(frozen=True)
class _Scale:
    """The range of densities and that of dye."""

    low: float
    high: float
    dye: float

    @property
    def width(self) -> float:
        """Of a bin."""
        return (self.high - self.low or 1.0) / BINS

    def delta(self, share: float) -> sf.Delta:
        """Frames of even water with even dye: the two amounts are 1 to 2."""
        return sf.Delta({"density": share * self.width * BINS, "fluorescence": 2 * share * (self.dye or 1.0)}, "<")

    def edges(self) -> NDArray[np.float64]:
        """The densities at which bins begin and end."""
        return self.low + self.width * np.arange(BINS + 1, dtype=np.float64)

    def middles(self) -> NDArray[np.float64]:
        """The density in the middle of each bin."""
        return self.edges()[:-1] + self.width / 2


def _run(lab: Lab) -> Outcome:
    scans = water(lab)
    scale = _scale(lab, scans)
    slices = _histogram(lab, "Slicing", scans, scale, sf.Boundary({"depth_m": SLICE}))
    found: dict[float, tuple[Histogram, Histogram]] = {}
    for share in SHARES:
        frames = _histogram(lab, "Framing", scans, scale, scale.delta(share))
        windows = _histogram(lab, "Cutting windows", scans, scale, scans.windows_like(frames.pieces))
        found[share] = frames, windows
    distances = _distances(scale, slices, found)
    scans.rows.unpersist()
    return Outcome(
        data=scans.named(lab),
        tables=(_bins(scale, slices, found), distances),
        pictures=(
            Picture("histogram", _caption(slices), partial(_draw, scale, slices, found)),
            Picture("distances", "How far dye lies from its place, on average", partial(_draw_distances, distances)),
        ),
        claims=(_claim(distances),),
        settings={"bins": BINS, "bin_width": scale.width, "slice_m": SLICE, "slices": slices.pieces},
        notes=scans.notes,
    )


def _scale(lab: Lab, scans: Water) -> _Scale:
    """Of a thousand scans, one may be beyond either end: a spike must not make all bins wide."""
    ends = ("percentile_approx(density, array(0.001, 0.999), 10000)", "max(fluorescence) - min(fluorescence)")
    (low, high), dye = (column[0].as_py() for column in lab.fetch("Looking for ends", scans.rows.selectExpr(*ends)))
    return _Scale(low, high, dye)


def _histogram(lab: Lab, doing: str, scans: Water, scale: _Scale, scheme: sf.Scheme) -> Histogram:
    place = f"CAST(floor((density - {scale.low!r}D) / {scale.width!r}D) AS INT)"
    text = (
        f"SELECT greatest(0, least({BINS - 1}, {place})) AS bin, sum(dye * passed) AS dye, "
        "count(*) AS pieces FROM {pieces} GROUP BY 1"
    )
    table = lab.fetch(doing, lab.spark.sql(text, pieces=scans.pieces(scheme, **_MEASURES)))
    dye = np.zeros(BINS)
    dye[table["bin"].to_numpy()] = table["dye"].to_numpy()
    return Histogram(dye, int(table["pieces"].to_numpy().sum()))


def _distances(scale: _Scale, slices: Histogram, found: dict[float, tuple[Histogram, Histogram]]) -> Table:
    rows = []
    for share, (frames, windows) in found.items():
        near, far = frames.distance(slices), windows.distance(slices)
        amounts = [amount for _, amount in scale.delta(share).amounts()]
        rows.append([*amounts, frames.pieces, windows.pieces, near, far, 1 - near / far if far else 0.0])
    columns = ["density delta", "dye delta", "frames", "windows", "frames off", "windows off", "saved"]
    title = f"Earth mover's distance, in bins, to the histogram of {slices.pieces:,} depth slices"
    return Table("distances", title, columns, rows)


def _bins(scale: _Scale, slices: Histogram, found: dict[float, tuple[Histogram, Histogram]]) -> Table:
    frames, windows = found[SHARES[1]]
    columns = [histogram.dye.tolist() for histogram in (slices, frames, windows)]
    rows = [list(row) for row in zip(scale.middles().tolist(), *columns, strict=True)]
    title = f"Dye by density, from {frames.pieces:,} frames and {windows.pieces:,} windows"
    return Table("bins", title, ["density", "slices", "frames", "windows"], rows)


def _claim(distances: Table) -> Claim:
    frames, windows = distances.column("frames off"), distances.column("windows off")
    better = [near < far for near, far in zip(frames, windows, strict=True)]
    figure = (
        f"nearer at {sum(better)} of {len(better)} deltas; dye lies {span(frames)} bins from its place "
        f"against {span(windows)}"
    )
    says = "Delta frames tell how much dye there is in water of each density more truly than as many windows."
    unequal = not all(as_many_as(row["frames"], row["windows"]) for row in distances.where())
    return Claim(says, figure, None if unequal or np.isnan([*frames, *windows]).any() else all(better))


def _caption(slices: Histogram) -> str:
    return f"Dye by density, from frames (above) and windows (below); the line is that of {slices.pieces:,} slices"


def _draw(scale: _Scale, slices: Histogram, found: dict[float, tuple[Histogram, Histogram]]) -> Figure:
    figure, axes = panels(len(found), 2, width=12, height=6.2, sharex=True, sharey=True)
    for column, both in enumerate(found.values()):
        for row, (name, histogram, colour) in enumerate(
            zip(("frames", "windows"), both, (FRAMES, WINDOWS), strict=True)
        ):
            place: Axes = axes[row * len(found) + column]
            middles = scale.middles()
            place.bar(middles, histogram.dye, scale.width, color=colour, alpha=0.75, label=name)
            place.stairs(slices.dye, scale.edges(), color=TRUTH, linewidth=1.2, label="depth slices")
            title = f"{histogram.pieces:,} {name}: {histogram.distance(slices):.2f} bins off"
            dress(place, "density (kg/m³)" if row else "", "" if column else "dye (as measured x m)", title)
            place.ticklabel_format(axis="x", useOffset=False)
    axes[0].legend(frameon=False)
    axes[len(found)].legend(frameon=False)
    return figure


def _draw_distances(distances: Table) -> Figure:
    figure, (axes,) = panels(width=7, height=3.8)
    at = np.arange(len(distances.rows))
    for shift, name, colour in ((-0.2, "frames", FRAMES), (0.2, "windows", WINDOWS)):
        axes.bar(at + shift, distances.column(f"{name} off"), 0.36, color=colour, label=name)
    axes.set_xticks(at, [f"{n:,}" for n in distances.column("frames")])
    dress(axes, "number of frames, and of windows", "earth mover's distance (bins)")
    axes.legend(frameon=False)
    return figure


STUDY = Study(
    name="histogram",
    title="Dye by density from depth slices, frames and windows",
    paper="Grossniklaus et al., Frames: data-driven windows, DEBS 2016, section 4.2: figures 3 and 4",
    rows=400_000,
    counted="scans",
    needs=(SCAN, DYE, DEPTH, DENSITY, CAST),
    run=_run,
)
