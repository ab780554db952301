"""Charts: how the pictures of all studies look."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from matplotlib.axes import Axes
from matplotlib.figure import Figure

from streamframes.study.report.outcome import Cell

FRAMES, WINDOWS, SAMPLES, TRUTH = "#2563eb", "#ea580c", "#16a34a", "#475569"
COLOURS = ("#2563eb", "#ea580c", "#16a34a", "#9333ea", "#ca8a04", "#db2777", "#0891b2", "#475569")


def panels(
    columns: int = 1,
    rows: int = 1,
    *,
    width: float = 9.0,
    height: float = 4.5,
    sharex: bool = False,
    sharey: bool = False,
    height_ratios: Sequence[float] | None = None,
) -> tuple[Figure, list[Axes]]:
    """A figure and its axes, one for each panel, row by row."""
    figure = Figure(figsize=(width, height), layout="constrained", dpi=130)
    axes = figure.subplots(rows, columns, squeeze=False, sharex=sharex, sharey=sharey, height_ratios=height_ratios)
    return figure, list(axes.flat)


def lines(
    axes: Axes,
    x: Sequence[Cell],
    series: Mapping[str, Sequence[Cell]],
    *,
    x_label: str,
    y_label: str,
    title: str = "",
    legend: bool = True,
) -> None:
    """A line with marks for each series."""
    for (name, values), colour in zip(series.items(), COLOURS, strict=False):
        axes.plot(x, values, marker="o", markersize=4, linewidth=1.5, color=colour, label=name)
    dress(axes, x_label, y_label, title)
    if legend:
        axes.legend(frameon=False)


def dress(axes: Axes, x_label: str, y_label: str, title: str = "") -> None:
    """Labels and a grid."""
    axes.set_xlabel(x_label)
    axes.set_ylabel(y_label)
    if title:
        axes.set_title(title, loc="left", fontsize=11)
    axes.grid(visible=True, color="#e2e8f0", linewidth=0.6)
    axes.set_axisbelow(True)
    axes.spines[["top", "right"]].set_visible(False)
