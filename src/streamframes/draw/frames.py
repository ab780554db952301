"""The picture: a signal, its frames shaded behind it and listed in a strip above it, the levels it crossed.

 [####]     [##########]  ##       a strip: frames that overlap stand in rows of their own
  xxxx   x   xx xxxx xx   xx
--xxxx---x---xxxxxxxxxx---xx----   a level
xx    xxx xxx          xxx  xxxx
 | ||||   | | |||||||||||  |   |   marks: other rows, where there are any
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from streamframes.draw.axis import label_instants, label_values, tidy
from streamframes.draw.bands import MAX_BANDS, Bands, bands_of
from streamframes.draw.captions import Stroke, add_legend, entitle
from streamframes.draw.colours import INSIDE, SIGNAL
from streamframes.draw.options import Levels, Marks, levels_of
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

LEVEL, MARK = "#b91c1c", "#1d4ed8"
EPISODE, NEXT, GAP = "#fb923c", "#60a5fa", "#94a3b8"
# The share of the width that a frame needs to be seen.
_NARROWEST = 0.0012
_NAMED_LEVELS = 4
_STROKE: Stroke = {"color": MARK, "marker": "|", "markersize": 8, "markeredgewidth": 0.8, "linestyle": "none"}
_DASHES = (0, (5, 3))


def draw_frames(
    rows: object,
    frames: object,
    *,
    ts: str,
    value: str,
    levels: Levels | Sequence[float] = (),
    marks: Marks | object = None,
    title: str = "",
    subtitle: str = "",
    label: str | None = None,
    prefix: str = "frame_",
    total: int | None = None,
    size: tuple[float, float] = (12.0, 4.0),
) -> Figure:
    """Draw the signal of one group and its frames.

    Parameters
    ----------
    rows, frames
        pandas or Arrow tables: the rows of one group, and its frames.
    ts, value
        Columns of the rows.
    levels
        Values to draw a line at, such as a threshold; `Levels` names them in the legend.
    marks
        Instants of other rows, drawn as strokes below the signal: an Arrow array or a pandas Series, or `Marks`, which
        name them in the legend.
    title, subtitle, label
        What is seen, how it was found, and the name of the value axis with its unit.
    prefix
        What the names of the frame columns begin with.
    total
        How many frames there are, if `frames` holds only the first of them.
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
        *_draw_levels(axes, levels_of(levels)),
        *_draw_marks(axes, marks, within=at if len(shown) < len(bands) else None),
    ]
    axes.margins(x=0.01)
    label_values(axes, label or value)
    tidy(axes)
    label_instants(axes, ts, Instants(at, place.is_time, place.zone))
    entitle(strip, title, subtitle, _number(len(shown), total or len(bands)))
    add_legend(figure, handles)
    return figure


def _draw_signal(axes: Axes, bands: Bands, at: np.ndarray, signal: np.ndarray, label: str) -> list[Artist]:
    at, signal = broken(at, signal)
    few = at.size <= 400
    axes.plot(at, signal, color=SIGNAL, linewidth=0.8, marker="." if few else None, markersize=3)
    handles: list[Artist] = [Line2D([], [], color=SIGNAL, linewidth=1.2, label=label)]
    inside = bands.covers(at)
    if inside.any() and not bands.tile(at):
        chosen = np.where(inside, signal, np.nan)
        axes.plot(at, chosen, color=INSIDE, linewidth=1.2, marker=".", markersize=3 if few else 1.5)
        handles.append(Line2D([], [], color=INSIDE, linewidth=1.6, label="inside a frame"))
    return handles


def _draw_bands(strip: Axes, axes: Axes, bands: Bands, at: np.ndarray) -> list[Artist]:
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
            whole = axes.get_xaxis_transform()
            axes.bar(
                left[chosen], 1.0, width[chosen], align="edge", color=each, alpha=0.22, linewidth=0, transform=whole
            )
    names = {EPISODE: "frames, in turn" if in_turn else "frame", GAP: "gap between frames"}
    return [Patch(facecolor=each, label=name) for each, name in names.items() if each in colour.tolist()]


def _draw_levels(axes: Axes, levels: Levels) -> list[Artist]:
    for level in levels.values:
        axes.axhline(level, color=LEVEL, linewidth=1.0, linestyle=_DASHES)
    if not levels.values:
        return []
    text = ", ".join(f"{level:g}" for level in levels.values[:_NAMED_LEVELS])
    more = ", ..." if len(levels.values) > _NAMED_LEVELS else ""
    return [Line2D([], [], color=LEVEL, linewidth=1.2, linestyle=_DASHES, label=f"{levels.label} {text}{more}")]


def _draw_marks(axes: Axes, given: object, within: np.ndarray | None) -> list[Artist]:
    if given is None:
        return []
    marks = given if isinstance(given, Marks) else Marks(given)
    at = instants(as_column(marks.at)).at
    at = np.unique(at[np.isfinite(at)])
    if within is not None and within.size:
        at = at[(at >= within[0]) & (at <= within[-1])]
    axes.plot(at, np.full(at.size, 0.03), transform=axes.get_xaxis_transform(), alpha=0.7, **_STROKE)
    return [Line2D([], [], label=marks.label, **_STROKE)]


def _number(shown: int, total: int) -> str:
    if shown < total:
        return f"the first {shown} of {total:,} frames"
    return "1 frame" if total == 1 else f"{total:,} frames"
