"""Comparisons: windows that are selected to stand for frames, as a table, as claims and as a picture.

accuracy() ──> one row for each length and heuristic ──> who misses frames, who errs by more than there is
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING

from matplotlib.figure import Figure

from streamframes.api.accuracy import accuracy
from streamframes.study.kit import Lab, as_rows
from streamframes.study.report import charts
from streamframes.study.report.outcome import Cell, Claim, Table

if TYPE_CHECKING:
    from streamframes.core.schemes import Count, Every, Threshold
    from streamframes.spark import DataFrame

COLUMNS = ("frames", "frame_rows", "windows", "selected", "duration_error", "false_negatives", "false_positives")
HEURISTICS = ("min", "max", "avg")


@dataclass(frozen=True)
class Comparison:
    """What `accuracy()` found, by length of windows, which is in `unit`; `liberal` needs one row of a window only."""

    table: Table
    unit: str
    liberal: str

    @property
    def conservative(self) -> str:
        """The heuristic that needs all rows of a window."""
        return "min" if self.liberal == "max" else "max"

    @property
    def lengths(self) -> list[Cell]:
        """Of the windows, as they were given."""
        return list(dict.fromkeys(self.table.column("window")))

    def series(self, column: str) -> dict[str, list[Cell]]:
        """A column by heuristic, length by length."""
        return {name: [row[column] for row in self.table.where(heuristic=name)] for name in HEURISTICS}

    def frames(self) -> tuple[int, int]:
        """How many frames there are, and how many rows in them."""
        return (self.table.column("frames")[0], self.table.column("frame_rows")[0])


def compared(
    lab: Lab,
    rows: DataFrame,
    scheme: Threshold,
    windows: Mapping[int, str | int | Count | Every],
    *,
    ts: str,
    by: Sequence[str],
    unit: str,
    liberal: str,
    name: str,
    title: str,
) -> Comparison:
    """Compare frames with windows of these lengths, each with what `accuracy()` takes for it."""
    planned = accuracy(rows, scheme, windows=list(windows.values()), ts=ts, by=by, heuristics=HEURISTICS)
    found = as_rows(lab.fetch(f"Comparing windows with frames of {scheme.where}", planned), ["heuristic", *COLUMNS])
    lengths = [length for length in windows for _ in HEURISTICS]
    cells = [[length, *row] for length, row in zip(lengths, found, strict=True)]
    return Comparison(Table(name, title, ["window", "heuristic", *COLUMNS], cells), unit, liberal)


def claims(found: Comparison, of: str = "") -> list[Claim]:
    """What the paper says of heuristics, and whether these windows bear it out; `of` names the frames."""
    frames, frame_rows = found.frames()
    missed = {name: [each or 0.0 for each in values] for name, values in found.series("false_negatives").items()}
    wrong = found.series("duration_error")
    longest, largest = found.lengths[-1], wrong[found.liberal][-1]
    least = min(error for each in wrong.values() for error in each)
    # Claims about frames say nothing where there are none.
    sentences: list[tuple[str, str, bool]] = [
        (
            f"Windows that the liberal heuristic ({found.liberal}) selects miss no frame.",
            f"{max(missed[found.liberal]):.1f} % of {frames:,} frames missed at the most",
            max(missed[found.liberal]) == 0,
        ),
        (
            f"The conservative heuristic ({found.conservative}) misses the most frames.",
            f"{_ends(missed, found.conservative)} with windows of {longest} {found.unit}",
            _misses_most(missed, found.conservative),
        ),
        (
            "With long windows the liberal heuristic gets more rows wrong than the frames have.",
            f"{largest:,} rows wrong with windows of {longest} {found.unit}, {frame_rows:,} rows in frames",
            largest > frame_rows,
        ),
        (
            "Windows differ from the frames at every length, with every heuristic.",
            f"{least:,} rows wrong at the least",
            least > 0,
        ),
    ]
    return [
        Claim(f"{of}{_lower(says) if of else says}", figure, holds if frames else None)
        for says, figure, holds in sentences
    ]


def _lower(sentence: str) -> str:
    return sentence[0].lower() + sentence[1:]


def _ends(missed: Mapping[str, Sequence[float]], first: str) -> str:
    """What each heuristic misses with the longest windows, one of them first."""
    order = [first, *(name for name in missed if name != first)]
    return ", ".join(f"{name} misses {missed[name][-1]:.1f} %" for name in order)


def _misses_most(missed: Mapping[str, Sequence[float]], most: str) -> bool:
    """Whether one is never better than another, and worse than all with the longest windows."""
    others = [each for name, each in missed.items() if name != most]
    never_better = all(mine >= theirs for each in others for mine, theirs in zip(missed[most], each, strict=True))
    return never_better and all(missed[most][-1] > each[-1] for each in others)


def picture(found: Comparison, title: str) -> Figure:
    """Rows that are wrong, frames that are missed, windows that are false alarms, by length of windows."""
    figure, (wrong, missed, alarms) = charts.panels(3, width=13.5, height=4.3)
    x, x_label = found.lengths, f"length of windows ({found.unit})"
    series = {name: found.series(name) for name in ("duration_error", "false_negatives", "false_positives")}
    charts.lines(wrong, x, _named(found, series["duration_error"]), x_label=x_label, y_label="rows", title="rows wrong")
    wrong.yaxis.set_major_formatter("{x:,.0f}")
    wrong.axhline(found.frames()[1], color="black", linewidth=1.5, label="rows in frames")
    wrong.legend(frameon=False)
    for axes, column, heading, of in (
        (missed, "false_negatives", "frames missed", "% of frames"),
        (alarms, "false_positives", "false alarms", "% of selected windows"),
    ):
        charts.lines(axes, x, _named(found, series[column]), x_label=x_label, y_label=of, title=heading, legend=False)
        axes.set_ylim(bottom=0)
    figure.suptitle(title, fontsize=12)
    return figure


def _named(found: Comparison, series: Mapping[str, Sequence[Cell]]) -> dict[str, list[Cell]]:
    """Series with names that a legend can show; nothing is drawn where there is no figure."""
    words = {found.liberal: "liberal", found.conservative: "conservative", "avg": "average"}
    nothing = float("nan")
    return {
        f"{name} ({words[name]})" if name != "avg" else "avg": [nothing if each is None else each for each in values]
        for name, values in series.items()
    }
