"""The picture: a signal, its frames shaded behind it and listed in a strip above it, the levels it crossed.

 [####]     [##########]  ##       a strip: frames that overlap stand in rows of their own
  xxxx   x   xx xxxx xx   xx
--xxxx---x---xxxxxxxxxx---xx----   a level
xx    xxx xxx          xxx  xxxx
 | ||||   | | |||||||||||  |   |   marks: other rows, where there are any
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from streamframes.draw.axis import INK, label_instants, label_values, tidy
from streamframes.draw.bands import MAX_BANDS, Bands, bands_of
from streamframes.draw.signal import (
    Instants,
    as_column,
    as_table,
    broken,
    column_of,
    in_order,
    instants,
    numbers,
    thinned,
)

SIGNAL, INSIDE, LEVEL, MARK = "#6b7c8c", "#c2410c", "#b91c1c", "#1d4ed8"
EPISODE, NEXT, GAP = "#fb923c", "#60a5fa", "#94a3b8"
# The share of the width that a frame needs to be seen.
_NARROWEST = 0.0012
_NAMED_LEVELS = 4
_DASHES = (0, (5, 3))
_LEGEND: dict[str, Any] = {"frameon": False, "fontsize": 9, "labelcolor": INK}


def draw_frames(
    rows: Any,
    frames: Any,
    *,
    ts: str,
    value: str,
    levels: Sequence[float] = (),
    level_label: str = "level",
    title: str = "",
    subtitle: str = "",
    label: str | None = None,
    prefix: str = "frame_",
    total: int | None = None,
    marks: Any = None,
    mark_label: str = "other rows",
    size: tuple[float, float] = (12.0, 4.0),
) -> Figure:
    """Draw the signal of one group and its frames.

    Parameters
    ----------
    rows, frames
        pandas or Arrow tables: the rows of one group, and its frames.
    ts, value
        Columns of the rows.
    levels, level_label
        Values to draw a line at, and what they are, such as a threshold.
    title, subtitle, label
        What is seen, how it was found, and the name of the value axis with its unit.
    prefix
        What the names of the frame columns begin with.
    total
        How many frames there are, if `frames` holds only the first of them.
    marks, mark_label
        Instants of other rows, drawn as strokes below the signal: an Arrow array or a pandas Series; and what they
        are.
    size
        Inches; a PNG has 100 points an inch.

    Returns
    -------
    Figure
        Not shown anywhere; see `save_picture`.
    """
    table = as_table(rows)
    place = instants(column_of(table, ts, "ts"))
    at, signal = in_order(place.at, numbers(column_of(table, value, "value"), value))
    bands = bands_of(as_table(frames), prefix)
    shown = bands.first(MAX_BANDS)
    if len(shown) < len(bands):
        inside = (at >= shown.start[0]) & (at <= shown.end.max())
        at, signal = at[inside], signal[inside]
    figure = Figure(figsize=size, dpi=100, layout="constrained", facecolor="white")
    strip, axes = figure.subplots(2, 1, sharex=True, height_ratios=[0.045 * shown.n_lanes, 1.0])
    handles = [
        *_draw_signal(axes, shown, *thinned(at, signal), label or value),
        *_draw_bands(strip, axes, shown, at),
        *_draw_levels(axes, levels, level_label),
        *_draw_marks(axes, marks, mark_label, within=at if len(shown) < len(bands) else None),
    ]
    axes.margins(x=0.01)
    label_values(axes, label or value)
    tidy(axes)
    label_instants(axes, ts, Instants(at, place.is_time, place.zone))
    entitle(strip, title, " · ".join(filter(None, [subtitle, _number(len(shown), total or len(bands))])))
    figure.legend(handles=handles, loc="outside lower center", ncols=len(handles), **_LEGEND)
    return figure


def _draw_signal(axes: Any, bands: Bands, at: np.ndarray, signal: np.ndarray, label: str) -> list[Any]:
    at, signal = broken(at, signal)
    few = at.size <= 400
    axes.plot(at, signal, color=SIGNAL, linewidth=0.8, marker="." if few else None, markersize=3)
    handles = [Line2D([], [], color=SIGNAL, linewidth=1.2, label=label)]
    inside = bands.covers(at)
    if inside.any() and not bands.tile(at):
        chosen = np.where(inside, signal, np.nan)
        axes.plot(at, chosen, color=INSIDE, linewidth=1.2, marker=".", markersize=3 if few else 1.5)
        handles.append(Line2D([], [], color=INSIDE, linewidth=1.6, label="inside a frame"))
    return handles


def _draw_bands(strip: Any, axes: Any, bands: Bands, at: np.ndarray) -> list[Any]:
    strip.axis("off")
    strip.set_ylim(-bands.n_lanes, 0.0)
    in_turn = bands.tile(at)
    turn = np.arange(len(bands)) % 2 if in_turn else np.zeros(len(bands), np.int64)
    colour = np.where(bands.gap, GAP, np.where(turn == 1, NEXT, EPISODE))
    span = np.ptp(np.concatenate([at, bands.start, bands.end])) if len(bands) else 0.0
    width = np.maximum(bands.end - bands.start, _NARROWEST * (span or 1.0))
    left = (bands.start + bands.end - width) / 2
    lanes = bands.lanes()
    for each in dict.fromkeys(colour.tolist()):
        chosen = colour == each
        strip.bar(left[chosen], 0.8, width[chosen], -lanes[chosen] - 0.9, align="edge", color=each)
        if bands.n_lanes == 1:  # Shades of frames that overlap would only mix.
            whole = {"transform": axes.get_xaxis_transform(), "align": "edge", "linewidth": 0}
            axes.bar(left[chosen], 1.0, width[chosen], color=each, alpha=0.22, **whole)
    names = {EPISODE: "frames, in turn" if in_turn else "frame", GAP: "gap between frames"}
    return [Patch(facecolor=each, label=name) for each, name in names.items() if each in colour.tolist()]


def _draw_levels(axes: Any, levels: Sequence[float], label: str) -> list[Any]:
    for level in levels:
        axes.axhline(level, color=LEVEL, linewidth=1.0, linestyle=_DASHES)
    if not levels:
        return []
    text = ", ".join(f"{level:g}" for level in levels[:_NAMED_LEVELS])
    more = ", ..." if len(levels) > _NAMED_LEVELS else ""
    return [Line2D([], [], color=LEVEL, linewidth=1.2, linestyle=_DASHES, label=f"{label} {text}{more}")]


def _draw_marks(axes: Any, marks: Any, label: str, within: np.ndarray | None) -> list[Any]:
    if marks is None:
        return []
    at = instants(as_column(marks)).at
    at = np.unique(at[np.isfinite(at)])
    if within is not None and within.size:
        at = at[(at >= within[0]) & (at <= within[-1])]
    stroke: dict[str, Any] = {
        "color": MARK,
        "marker": "|",
        "markersize": 8,
        "markeredgewidth": 0.8,
        "linestyle": "none",
    }
    axes.plot(at, np.full(at.size, 0.03), transform=axes.get_xaxis_transform(), alpha=0.7, **stroke)
    return [Line2D([], [], label=label, **stroke)]


def _number(shown: int, total: int) -> str:
    if shown < total:
        return f"the first {shown} of {total:,} frames"
    return "1 frame" if total == 1 else f"{total:,} frames"


def entitle(strip: Any, title: str, subtitle: str) -> None:
    """A heading, and below it how it was found."""
    strip.set_title(subtitle, loc="left", fontsize=9, color=INK, pad=6)
    if title:
        strip.annotate(
            title,
            (0, 1),
            xytext=(0, 22 if subtitle else 6),
            xycoords="axes fraction",
            textcoords="offset points",
            fontsize=13,
            fontweight="bold",
            color=INK,
        )
