"""Frames and windows side by side: a stretch of the signal, and what each takes for an episode."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, TypeAlias

import numpy as np
from matplotlib.figure import Figure

from streamframes.api.frames import Frames, frames
from streamframes.core.schemes import Count, Scheme, Threshold
from streamframes.errors import StreamFramesError
from streamframes.study.data.sources import DYE, dye, groups, level_of
from streamframes.study.data.stretch import Numbers, Selection, Spans
from streamframes.study.kit import Lab, Study
from streamframes.study.report import charts
from streamframes.study.report.comparison import HEURISTICS
from streamframes.study.report.outcome import Cell, Claim, Outcome, Picture, Row, Table

if TYPE_CHECKING:
    import pyarrow as pa

    from streamframes.spark import DataFrame

WINDOW = 60
SHOWN = 60
LEAST_ROWS = 20
BARS = {"frames": charts.FRAMES, "max": charts.SAMPLES, "avg": charts.WINDOWS, "min": charts.COLOURS[3]}


Group: TypeAlias = tuple[Cell, ...]


@dataclass(frozen=True)
class Stretch:
    """A part of one group: its signal, its frames and windows, and the level that parts them."""

    scan: Numbers
    signal: Numbers
    found: Selection
    level: float
    edges: tuple[float, float]

    def spans(self, name: str) -> Spans:
        """The frames, or the windows that a heuristic selects."""
        return (self.found.frames if name == "frames" else self.found.picked(name)).within(*self.edges)

    def wrong(self, heuristic: str) -> int:
        """How many rows are in a frame or in a selected window, but not in both."""
        both = [self.spans(name).hold(self.scan) for name in ("frames", heuristic)]
        return int(np.count_nonzero(both[0] != both[1]))


def run(lab: Lab) -> Outcome:
    """Find frames and windows, look for the stretch that shows most, and draw it."""
    rows = dye(lab)
    level = level_of(lab, rows)
    chosen = _chosen(lab, rows, level)
    rows.unpersist()
    low, high = chosen.edges
    title = f"fluorescence > {level} for at least {LEAST_ROWS} rows, windows of {WINDOW} rows"
    return Outcome(
        lab.named(f"{lab.rows:,} made-up scans of a tow"),
        [_table(chosen)],
        [Picture("timeline", f"Frames and selected windows, {title}", lambda: picture(chosen, title))],
        claims(chosen),
        {"level": level, "min_rows": LEAST_ROWS, "window_rows": WINDOW, "from": low, "to": high, "seed": lab.seed},
        [f"The stretch that shows most: scans {low:,.0f} to {high:,.0f}, {SHOWN} windows."],
    )


def _chosen(lab: Lab, rows: DataFrame, level: float) -> Stretch:
    by = groups(rows)
    scheme = Threshold(f"fluorescence > {level}", min_rows=LEAST_ROWS)
    framed = lab.fetch("Finding frames", _of(rows, scheme).toDF())
    measures = {name: f"{name}(fluorescence)" for name in HEURISTICS}
    windows = _of(rows, Count(WINDOW)).agg(**measures)
    picked = [f"coalesce(`{name}` > {level}, false) AS `{name}`" for name in HEURISTICS]
    selected = windows.selectExpr(*by, "frame_start", "frame_end", *picked)
    found = _by_group(framed, lab.fetch("Finding windows", selected), by)
    if not any(len(each.frames.start) for each in found.values()):
        raise StreamFramesError(f"there is no frame of {scheme.where} for {LEAST_ROWS} rows, so nothing to draw")
    varied = {key: each.most_varied(SHOWN) for key, each in found.items()}
    key = max(varied, key=lambda each: varied[each][0])
    edges = varied[key][1]
    here = rows.where(f"scan BETWEEN {edges[0]:.0f} AND {edges[1]:.0f}")
    for name, value in zip(by, key, strict=True):
        here = here.where(here[name].eqNullSafe(value))
    signal = lab.fetch("Fetching the stretch", here.select("scan", "fluorescence").orderBy("scan"))
    scan, value = (signal[name].to_numpy().astype(np.float64) for name in ("scan", "fluorescence"))
    return Stretch(scan, value, found[key], level, edges)


def _of(rows: DataFrame, scheme: Scheme) -> Frames:
    return frames(rows, scheme, ts="scan", by=groups(rows))


def _by_group(framed: pa.Table, windows: pa.Table, by: list[str]) -> dict[Group, Selection]:
    """The frames and windows of each group, in order."""
    mine, theirs = (_rows_of_groups(each, by) for each in (framed, windows))
    found = {}
    for key, rows in theirs.items():
        selected = {name: np.array([row[name] for row in rows], np.bool_) for name in HEURISTICS}
        found[key] = Selection(_spans(mine.get(key, [])), _spans(rows), selected)
    return found


def _rows_of_groups(table: pa.Table, by: list[str]) -> dict[Group, list[Row]]:
    """The rows of each group, null being one too, in the order of their start."""
    found: dict[Group, list[Row]] = {}
    for row in table.sort_by("frame_start").to_pylist():
        found.setdefault(tuple(row[name] for name in by), []).append(row)
    return found


def _spans(rows: Sequence[Row]) -> Spans:
    return Spans(*(np.array([row[name] for row in rows], np.float64) for name in ("frame_start", "frame_end")))


def claims(chosen: Stretch) -> list[Claim]:
    """The three errors that the paper shows in one stretch."""
    n_frames = len(chosen.spans("frames").start)
    missed = len(chosen.found.missed("min").within(*chosen.edges).start)
    alarms = len(chosen.found.false_alarms("max").within(*chosen.edges).start)
    lost = len(chosen.found.missed("max").within(*chosen.edges).start)
    wrong = {name: chosen.wrong(name) for name in HEURISTICS}
    in_frames = int(np.count_nonzero(chosen.spans("frames").hold(chosen.scan)))
    return [
        Claim(
            "No heuristic gets the edges of episodes right.",
            ", ".join(f"{name}: {rows:,} rows wrong" for name, rows in wrong.items()) + f"; {in_frames:,} in frames",
            min(wrong.values()) > 0,
        ),
        Claim("The conservative heuristic (min) misses frames.", f"{missed} of {n_frames} frames", missed > 0),
        Claim(
            "The liberal heuristic (max) misses none, but raises false alarms.",
            f"{lost} frames missed, {alarms} of {len(chosen.spans('max').start)} windows are false alarms",
            lost == 0 and alarms > 0,
        ),
    ]


def _table(chosen: Stretch) -> Table:
    rows = [
        [name, int(start), int(end)]
        for name in BARS
        for start, end in zip(chosen.spans(name).start, chosen.spans(name).end, strict=True)
    ]
    return Table("timeline", "What is taken for an episode in the stretch", ["way", "start_scan", "end_scan"], rows)


def picture(chosen: Stretch, title: str) -> Figure:
    """The signal, and below it the bars of frames and selected windows."""
    figure, (above, below) = charts.panels(1, 2, width=11, height=5.5, sharex=True, height_ratios=(3, 2))
    above.plot(chosen.scan, chosen.signal, color=charts.TRUTH, linewidth=0.8)
    above.axhline(chosen.level, color="black", linewidth=0.8, linestyle="--", label=f"level {chosen.level}")
    above.legend(frameon=False)
    charts.dress(above, "", "fluorescence", title)
    for place, (name, colour) in enumerate(reversed(BARS.items())):
        spans = chosen.spans(name)
        bars = list(zip(spans.start, spans.end - spans.start + 1, strict=True))
        below.broken_barh(bars, (place - 0.35, 0.7), facecolors=colour, edgecolor="white", linewidth=0.5)
    charts.dress(below, "scan", "")
    names = ["frames" if name == "frames" else f"windows by {name}" for name in BARS]
    below.set_yticks(range(len(BARS)), names[::-1])
    below.set_ylim(-0.5, len(BARS) - 0.5)
    return figure


STUDY = Study(
    "timeline",
    "Frames and windows along one signal",
    "Maier et al., DEBS 2012, figure 12",
    100_000,
    "scans",
    DYE,
    run,
)
