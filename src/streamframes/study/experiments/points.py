"""Points: how many are left for whatever comes after frames or windows, and how good they are."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pyarrow.compute as pc

from streamframes.api.frames import frames
from streamframes.core.schemes import Boundary, Count, Delta
from streamframes.data import tow
from streamframes.study.data.dwell import MICROS, NEEDS, Positions, compare, gathered, positions
from streamframes.study.kit import Lab, Study
from streamframes.study.report.charts import FRAMES, SAMPLES, TRUTH, WINDOWS, dress, panels
from streamframes.study.report.outcome import Cell, Claim, Outcome, Picture, Table

if TYPE_CHECKING:
    from matplotlib.axes import Axes
    from matplotlib.figure import Figure

LENGTHS = (10.0, 5.0, 2.0, 1.0, 0.5, 0.2, 0.1)
"""Seconds of windows: those of the study of heat maps."""
SLICE, MOVES = 0.25, {"density": 0.4, "fluorescence": 0.8}
"""Metres of a slice of depth, and what ends a frame of the dye."""
COLUMNS = ("segments", "points", "fewer", "rms_s")
_DAY = 86_400 * MICROS
_FRAMES, _AS_MANY = "boundary frames", "as many windows"
_FEW = 100
_SMALL = 0.01
"""Errors below this many seconds are drawn on a linear scale, down to none."""


def run(lab: Lab) -> Outcome:
    """Count what is left of positions, and of scans through dye where data is made."""
    seen = positions(lab)
    lab.run("Starting workers", seen.stays().toDF().count)
    table = _of_the_pitch(lab, seen)
    dye = [_of_the_dye(lab)] if lab.data is None else []
    return Outcome(
        data=seen.name,
        tables=[table, *dye],
        pictures=[Picture("points", "Points that are left, and how far they lead astray", lambda: _draw(table, *dye))],
        claims=[*_claims(table), *map(_claim_of_the_dye, dye)],
        settings={"cells": "16 x 25", "window_lengths_s": LENGTHS, "slice_m": SLICE, "dye_frames": MOVES},
        notes=["The error is that of the time of each player in each cell in a whole half, against every position."],
    )


def _of_the_pitch(lab: Lab, seen: Positions) -> Table:
    queries = {"exact": seen.time_by_positions(_DAY), _FRAMES: seen.time_by_frames(_DAY)}
    found = {way: lab.fetch(f"Counting, {way}", rows) for way, rows in queries.items()}
    points, stays = (pc.sum(found[way]["points"]).as_py() for way in queries)
    as_long = max(2 * seen.period, points * seen.period // stays)
    lengths = {f"windows of {length:g} s": round(length * MICROS) for length in LENGTHS}
    for way, length in {f"{_AS_MANY} ({as_long / MICROS:.3g} s)": as_long, **lengths}.items():
        if length >= 2 * seen.period:
            found[way] = lab.fetch(f"Counting, {way}", seen.time_by_windows(_DAY, length))
    views = [way for way in found if way != "exact"]
    errors = compare(lab, gathered(found), views, length=_DAY, slide=_DAY)
    rows: list[list[Cell]] = [["positions", points, 1.0, 0.0]]
    for way in views:
        left = pc.sum(found[way]["points"]).as_py()
        rows.append([way, left, points / left, errors[way][0]])
    return Table("points", "Points of the pitch", COLUMNS, rows)


def _of_the_dye(lab: Lab) -> Table:
    """Scans of a tow as the slices of depth of oceanographers, as frames and as windows of as many rows."""
    made = tow(rows=max(20_000, lab.rows // 5), seed=lab.seed)
    scans = lab.run("Making scans", lambda: made.toDF(lab.spark).cache())
    counted = {
        "scans": made.num_rows,
        "depth slices": lab.run("Slicing depth", frames(scans, Boundary({"depth_m": SLICE}), ts="scan").toDF().count),
        "delta frames": lab.run("Framing dye", frames(scans, Delta(MOVES, "<"), ts="scan").toDF().count),
    }
    size = max(1, made.num_rows // counted["delta frames"])
    name = f"windows of {size} scans"
    counted[name] = lab.run("Windows of dye", frames(scans, Count(size), ts="scan").toDF().count)
    rows = [[name, number, made.num_rows / number] for name, number in counted.items()]
    return Table("dye", "Points of a tow through dye", ("segments", "points", "fewer"), rows)


def _claims(table: Table) -> list[Claim]:
    rows = table.where()
    ours = table.where(segments=_FRAMES)[0]
    windows = [row for row in rows if "windows" in row["segments"]]
    as_many = next((row for row in windows if row["segments"].startswith(_AS_MANY)), None)
    nearest = min(windows, key=lambda row: row["rms_s"])
    return [
        Claim(
            "Frames leave a hundredth of the points or fewer.",
            f"{ours['points']:,} of {rows[0]['points']:,} points, {ours['fewer']:.0f} times fewer",
            ours["fewer"] >= _FEW,
        ),
        Claim(
            "As many windows as there are frames lead further astray.",
            "there are no such windows of two positions or more"
            if as_many is None
            else f"RMS of {as_many['rms_s']:.3g} s with {as_many['points']:,} windows, {ours['rms_s']:.3g} s with "
            f"{ours['points']:,} frames",
            None if as_many is None else as_many["rms_s"] > ours["rms_s"],
        ),
        Claim(
            "No windows come as close as frames with as few points.",
            f"the closest, {nearest['segments']}, have {nearest['points'] / ours['points']:.1f} times the points of "
            f"frames and an RMS of {nearest['rms_s']:.3g} s",
            not any(row["points"] <= ours["points"] and row["rms_s"] <= ours["rms_s"] for row in windows),
        ),
    ]


def _claim_of_the_dye(table: Table) -> Claim:
    scans, slices, found, windows = table.column("points")
    return Claim(
        "In dye, frames leave a tenth of the points of depth slices and a hundredth of the scans, or fewer.",
        f"{found:,} frames and {windows:,} windows for {slices:,} slices of {scans:,} scans",
        10 * found <= slices and _FEW * found <= scans,
    )


def _draw(table: Table, dye: Table | None = None) -> Figure:
    figure, axes = panels(3 if dye else 2, width=15 if dye else 10.5, height=4.4)
    _bars(axes[0], table, "positions of players")
    _errors(axes[1], table)
    if dye:
        _bars(axes[2], dye, "scans through dye")
    return figure


def _errors(axes: Axes, table: Table) -> None:
    """Each way as a mark; a perfect one is on the axis."""
    for row in table.where()[1:]:
        name, at = row["segments"], (row["points"], row["rms_s"])
        is_frames, is_left = name == _FRAMES, name.startswith(_AS_MANY)
        axes.scatter(*at, s=160 if is_frames else 40, marker="*" if is_frames else "o", color=_colour(name), zorder=3)
        place, align = ((-7, -12), "right") if is_left else ((7, 4), "left")
        shown = name.removeprefix("windows of ").replace("windows ", "")
        axes.annotate(shown, at, textcoords="offset points", fontsize=8, xytext=place, ha=align)
    points, errors = table.column("points")[1:], table.column("rms_s")[1:]
    axes.set_xscale("log")
    axes.set_yscale("symlog", linthresh=_SMALL, linscale=0.3)
    axes.set_ylim(-_SMALL / 5, 2 * max(errors))
    axes.set_xlim(min(points) / 2, 8 * max(points))
    dress(axes, "points (logarithmic)", "RMS error of a cell in a half (s)", "error by number of points")


def _bars(axes: Axes, table: Table, title: str) -> None:
    names, points = table.column("segments"), table.column("points")
    axes.barh(range(len(names)), points, color=[_colour(name) for name in names])
    for place, number in enumerate(points):
        axes.annotate(
            f"{number:,}", (number, place), xytext=(3, 0), textcoords="offset points", va="center", fontsize=8
        )
    axes.set_yticks(range(len(names)), names, fontsize=8)
    axes.invert_yaxis()
    axes.set_xscale("log")
    axes.set_xlim(min(points) / 3, max(points) * 12)
    dress(axes, "points (logarithmic)", "", title)


def _colour(name: str) -> str:
    if "frames" in name:
        return FRAMES
    return WINDOWS if "windows" in name else SAMPLES if "slices" in name else TRUTH


STUDY = Study(
    name="points",
    title="Points that enter the computation",
    paper="Frames: data-driven windows (DEBS 2016), figure 8",
    rows=960_000,
    counted="positions",
    needs=NEEDS,
    run=run,
    least=48_000,
)
