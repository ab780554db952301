"""Heat maps: how long players are in each cell of the pitch, by boundary frames and by windows."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import partial
from typing import TYPE_CHECKING

import pyarrow as pa
import pyarrow.compute as pc
from matplotlib.figure import Figure

from streamframes.study.data.dwell import MICROS, NEEDS, Positions, compare, gathered, heat, positions
from streamframes.study.kit import Lab, Study
from streamframes.study.report.charts import COLOURS, dress, panels
from streamframes.study.report.outcome import Cell, Claim, Outcome, Picture, Row, Table
from streamframes.study.report.turf import draw_map

if TYPE_CHECKING:
    from streamframes.spark import DataFrame

REPORTS = ((60, 1), (60, 10), (300, 1), (300, 10))
"""Maps of so many seconds, each so many seconds after the one before."""
SHARES = (100, 50, 20, 10)
"""How long windows are, in percent of the time between two maps."""
COLUMNS = ("report", "segments", "rms_s", "wrong_pct", "relative_error", "run_s")
_FRAMES = "boundary frames"
_COMPARABLE, _ROUNDS = 2.0, 2
_FIRST = 10 * MICROS, 10 * MICROS


def run(lab: Lab) -> Outcome:
    """Make the maps of all reports by all ways, and compare each with the true one."""
    seen = positions(lab)
    lab.run(
        "Starting workers", lambda: [seen.time_by_frames(10 * MICROS).count(), seen.time_by_windows(*_FIRST).count()]
    )
    looked = {slide: _look(lab, seen, slide) for slide in dict.fromkeys(slide for _, slide in REPORTS)}
    rows = [row for length, slide in REPORTS for row in _errors(lab, looked[slide], length, slide)]
    table = Table("heatmap", "Error of heat maps against the time of every position", COLUMNS, rows)
    times = looked[10][0]
    return Outcome(
        data=seen.name,
        tables=[table],
        pictures=[
            Picture(
                "maps", "Time of one player in each cell of the pitch, by four ways of looking", lambda: _maps(times)
            ),
            Picture("heatmap", "Error of the maps of each report; the axis is logarithmic", lambda: _bars(table)),
            Picture("runtime", "Error and run time of the shortest and of the longest report", lambda: _costs(table)),
        ],
        claims=_claims(table),
        settings={"cells": "16 x 25", "period_us": seen.period, "reports_s": REPORTS, "window_shares_pct": SHARES},
        notes=_notes(seen),
    )


def window_lengths(slide: int, period: int) -> list[int]:
    """Microseconds of the windows that divide a slide of so many seconds and hold two positions or more."""
    return [length for share in SHARES if (length := slide * MICROS * share // 100) >= 2 * period]


def _look(lab: Lab, seen: Positions, slide: int) -> tuple[pa.Table, dict[str, float]]:
    """The time in cells by all ways, and how long each way took."""
    every = slide * MICROS
    views: dict[str, Callable[[], DataFrame]] = {_FRAMES: partial(seen.time_by_frames, every)}
    for length in window_lengths(slide, seen.period):
        views[f"windows of {length / MICROS:g} s"] = partial(seen.time_by_windows, every, length)
    found = {"exact": lab.fetch(f"Exact time, every {slide} s", seen.time_by_positions(every))}
    took: dict[str, float] = {}
    for number in range(1, _ROUNDS + 1):
        for way, look in views.items():
            doing = f"Round {number} of {_ROUNDS}, every {slide} s: {way}"
            seconds = lab.seconds(doing, partial(_fetch, found, way, look))
            took[way] = min(seconds, took.get(way, seconds))
    return gathered(found), took


def _fetch(found: dict[str, pa.Table], way: str, look: Callable[[], DataFrame]) -> None:
    """Plan anew: of a plan that has run before, Spark would keep what it shuffled."""
    found[way] = look().toArrow()


def _errors(lab: Lab, looked: tuple[pa.Table, dict[str, float]], length: int, slide: int) -> list[list[Cell]]:
    times, took = looked
    found = compare(lab, times, list(took), length=length * MICROS, slide=slide * MICROS)
    best = found[_FRAMES][0]
    relative = {way: 1 - best / rms if rms and way != _FRAMES else None for way, (rms, _) in found.items()}
    report = f"{length} s / {slide} s"
    return [[report, way, *found[way], relative[way], round(took[way], 2)] for way in took]


def _claims(table: Table) -> list[Claim]:
    rows = table.where()
    frames, windows = ([row for row in rows if (row["segments"] == _FRAMES) == is_frame] for is_frame in (True, False))
    ours = {row["report"]: row for row in frames}
    nearest = min(windows, key=lambda row: row["rms_s"] - ours[row["report"]]["rms_s"])
    times = [ours[row["report"]]["run_s"] / row["run_s"] for row in windows]
    by_report = [[row["rms_s"] for row in windows if row["report"] == report] for report in ours]
    return [
        Claim(
            "Heat maps of boundary frames have a smaller error than those of any windows.",
            f"RMS over all cells: frames {_span(frames)}, windows {_span(windows)}; the closest are "
            f"{nearest['segments']} in {nearest['report']} with {nearest['rms_s']:.4f} s",
            all(row["rms_s"] > ours[row["report"]]["rms_s"] for row in windows),
        ),
        Claim(
            "Windows come closer the shorter they are.",
            "RMS of the longest is "
            + ", ".join(f"{max(errors) / min(errors):.0f}" for errors in by_report)
            + " times that of the shortest",
            all(errors == sorted(errors, reverse=True) for errors in by_report),
        ),
        Claim(
            "Frames take about as long as windows, less than twice the time of any.",
            f"{min(times):.2f} to {max(times):.2f} times the time of windows",
            max(times) < _COMPARABLE,
        ),
    ]


def _span(rows: Sequence[Row]) -> str:
    errors = [row["rms_s"] for row in rows]
    return f"{min(errors):.4f} to {max(errors):.4f} s"


def _notes(seen: Positions) -> list[str]:
    notes = [
        "Run time is that of the time in each cell for every slide; adding slides up to reports is the same for all.",
        "A window counts for the cell of its average position, with the time of the positions in it.",
    ]
    if len(window_lengths(1, seen.period)) < len(SHARES):
        notes.append("Windows that would hold a single position are left out: they are the positions themselves.")
    return notes


def _maps(times: pa.Table) -> Figure:
    views = pc.unique(times["way"]).to_pylist()
    shown = [*views[:3], *views[-1:]] if len(views) > 3 else views
    player = widest(times)
    maps = [heat(times, way, player) for way in shown]
    figure, axes = panels(2, 2, width=10, height=6.6)
    most = max(seconds.max() for seconds in maps)
    for place, way, seconds in zip(axes, shown, maps, strict=False):
        image = draw_map(place, seconds, f"{'every position (exact)' if way == 'exact' else way}", most=most)
    for place in axes[2:]:
        place.set_xlabel("along the pitch (m)")
    for place in axes[::2]:
        place.set_ylabel("across (m)")
    figure.colorbar(image, ax=axes, label="seconds in the cell", shrink=0.8)
    figure.suptitle(f"Player {player}, both halves", x=0.02, ha="left", fontsize=12)
    return figure


def widest(times: pa.Table) -> str:
    """The player who was in the most cells."""
    exact = times.filter(pc.field("way") == "exact").group_by(["player", "cell_x", "cell_y"]).aggregate([])
    most = (
        exact.group_by("player")
        .aggregate([([], "count_all")])
        .sort_by([("count_all", "descending"), ("player", "ascending")])
    )
    return str(most["player"][0].as_py())


def _bars(table: Table) -> Figure:
    figure, (axes,) = panels(width=10, height=4.8)
    reports = list(dict.fromkeys(table.column("report")))
    names = [_FRAMES, *(f"windows, {share} % of the slide" for share in SHARES)]
    groups = [[row["rms_s"] for row in table.where(report=report)] for report in reports]
    lowest = min(error for group in groups for error in group if error > 0) / 3
    for nth, (name, colour) in enumerate(zip(names, COLOURS, strict=False)):
        have = [(place, group[nth]) for place, group in enumerate(groups) if nth < len(group)]
        at = [place + 0.16 * (nth - 2) for place, _ in have]
        axes.bar(at, [max(error, lowest) for _, error in have], 0.15, label=name, color=colour)
        for x, (_, error) in zip(at, have, strict=True):
            axes.annotate(f"{error:.2g}", (x, max(error, lowest)), ha="center", va="bottom", fontsize=7)
    axes.set_yscale("log")
    axes.set_xticks(
        range(len(reports)), [f"{report.split(' / ')[0]} every {report.split(' / ')[1]}" for report in reports]
    )
    dress(axes, "maps of the last ... every ...", "RMS error of a cell (s)")
    axes.set_ylim(lowest, 4 * max(map(max, groups)))
    axes.legend(frameon=False, ncols=3, loc="lower center", bbox_to_anchor=(0.5, 1.0), fontsize=9)
    return figure


def _costs(table: Table) -> Figure:
    figure, axes = panels(2, width=10, height=4.3)
    for place, (length, slide) in zip(axes, (REPORTS[0], REPORTS[-1]), strict=True):
        rows = table.where(report=f"{length} s / {slide} s")
        for row, colour in zip(rows, COLOURS, strict=False):
            marker = "*" if row["segments"] == _FRAMES else "o"
            size = 160 if row["segments"] == _FRAMES else 50
            place.scatter(row["run_s"], row["rms_s"], s=size, marker=marker, color=colour, label=row["segments"])
        least = min((row["rms_s"] for row in rows if row["rms_s"] > 0), default=1.0)
        # An error of none is drawn too.
        place.set_yscale("symlog", linthresh=least, linscale=0.3)
        place.set_ylim(-least / 5, 3 * max(row["rms_s"] for row in rows))
        place.set_xlim(0, 1.25 * max(row["run_s"] for row in rows))
        dress(place, "run time (s)", "RMS error of a cell (s)", f"maps of {length} s every {slide} s")
        place.legend(frameon=False, fontsize=8)
    return figure


STUDY = Study(
    name="heatmap",
    title="Heat maps of football players",
    paper="Frames: data-driven windows (DEBS 2016), figures 6 and 9",
    rows=960_000,
    counted="positions",
    needs=NEEDS,
    run=run,
    least=48_000,
)
