"""The picture of bursts: a signal, and below it which windows alarm when, the darker the further over the threshold.

   |      |||                |
  _|__|___||||____|_|________||__|__   the signal
400|        .:+##+:.
   |       :*####+:
  4|      ####:               ##       windows by length; a column is a stretch of time
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from matplotlib.axes import Axes
from matplotlib.collections import QuadMesh
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.ticker import FuncFormatter, PercentFormatter

from streamframes.draw.axis import label_instants, label_values, tidy, tidy_key
from streamframes.draw.captions import entitle
from streamframes.draw.colours import FAINT, INK, INSIDE, SIGNAL
from streamframes.draw.signal import Instants, as_table, column_of, in_order, instants, numbers

MAX_COLUMNS = 600
MAX_LINES = 200
# Where the longest window is so many times the shortest, lengths are drawn by their logarithm.
_WIDE = 20
_NAMED_WINDOWS = 8
_HEAT = LinearSegmentedColormap.from_list("heat", ["#fed7aa", "#fb923c", INSIDE, "#7f1d1d", "#3b0a0a"])


def draw_bursts(
    rows: object,
    alarms: object,
    *,
    ts: str,
    value: str,
    windows: Sequence[int],
    window_label: str = "window (rows)",
    title: str = "",
    subtitle: str = "",
    label: str | None = None,
    total: int | None = None,
    size: tuple[float, float] = (12.0, 6.0),
) -> Figure:
    """Draw the signal of one group and its alarms by time and length of the window.

    Parameters
    ----------
    rows, alarms
        pandas or Arrow tables: the rows of one group, and its alarms with `window`, `value` and `threshold`.
    ts, value
        Columns of the rows; alarms have `ts` too.
    windows, window_label
        The lengths that are watched, and what they count.
    title, subtitle, label
        What is seen, how it was found, and the name of the value axis with its unit.
    total
        How many alarms there are, if `alarms` holds only some of them.
    size
        Inches; a PNG has 100 points an inch.

    Returns
    -------
    Figure
        Not shown anywhere; see `save_picture`.
    """
    table, found = as_table(rows), as_table(alarms)
    place = instants(column_of(table, ts, "ts"))
    at, signal = in_order(place.at, numbers(column_of(table, value, "value"), value))
    when = instants(column_of(found, ts, "ts")).at
    figure = Figure(figsize=size, dpi=100, layout="constrained", facecolor="white")
    above, below = figure.subplots(2, 1, sharex=True, height_ratios=[1.0, 1.4])
    above.vlines(at, np.minimum(signal, 0.0), np.maximum(signal, 0.0), color=SIGNAL, linewidth=0.8)
    above.axhline(0.0, color=FAINT, linewidth=0.8)
    heat = _draw_heat(below, np.concatenate([at, when]), when, found, np.unique(windows))
    _draw_key(figure, heat, [above, below])
    above.margins(x=0.01)
    label_values(above, label or value)
    for axes in (above, below):
        tidy(axes)
    above.tick_params(labelbottom=False)
    _label_windows(below, window_label, np.unique(windows))
    label_instants(below, ts, Instants(np.sort(np.concatenate([at, when])), place.is_time, place.zone))
    entitle(above, title, subtitle, _number(found.num_rows if total is None else total))
    return figure


def _draw_heat(axes: Axes, shown: np.ndarray, when: np.ndarray, alarms: pa.Table, windows: np.ndarray) -> QuadMesh:
    columns, lines = _columns(np.unique(shown[np.isfinite(shown)])), _lines(windows)
    heat = np.full((lines.size - 1, columns.size - 1), -1.0)
    over = _over(alarms)
    line = np.searchsorted(lines, numbers(column_of(alarms, "window", "alarms"), "window"), side="right") - 1
    column = np.clip(np.searchsorted(columns, when, side="right") - 1, 0, columns.size - 2)
    known = over[np.isfinite(over)]
    top = float(np.quantile(known, 0.98)) if known.size else 0.0
    # What is infinite would not be drawn.
    np.maximum.at(heat, (np.clip(line, 0, lines.size - 2), column), np.minimum(over, known.max(initial=1.0)))
    return axes.pcolormesh(
        columns,
        lines,
        np.ma.masked_less(heat, 0.0),
        cmap=_HEAT,
        norm=Normalize(0.0, max(top, 0.01)),
        rasterized=True,
    )


def _draw_key(figure: Figure, heat: QuadMesh, axes: list[Axes]) -> None:
    key = figure.colorbar(heat, ax=axes, format=PercentFormatter(1.0), pad=0.01, aspect=40)
    tidy_key(key, "over the threshold")


def _over(alarms: pa.Table) -> np.ndarray:
    """How far alarms are over their thresholds, as a share of these."""
    value, threshold = (numbers(column_of(alarms, name, "alarms"), name) for name in ("value", "threshold"))
    with np.errstate(divide="ignore", invalid="ignore"):
        share = (value - threshold) / np.abs(threshold)
    return np.asarray(np.where(np.isnan(share), 0.0, np.maximum(share, 0.0)))


def _columns(at: np.ndarray) -> np.ndarray:
    """Edges of equal stretches of time: as wide as rows are apart, and no more of them than a reader can see.

    >>> _columns(np.array([0.0, 1.0, 2.0, 3.0]))
    array([0., 1., 2., 3., 4.])
    """
    if at.size < 2:
        return np.array([0.0, 1.0]) + (at[0] if at.size else 0.0)
    span = at[-1] - at[0]
    width = max(float(np.median(np.diff(at))), span / MAX_COLUMNS)
    return np.asarray(at[0] + width * np.arange(int(span / width) + 2))


def _lines(windows: np.ndarray) -> np.ndarray:
    """Edges between windows, halfway on the scale on which they are drawn; those of many windows are fewer.

    >>> _lines(np.array([4, 8, 12]))
    array([ 2.,  6., 10., 14.])
    """
    on_scale = np.log(windows) if _is_wide(windows) else windows.astype(np.float64)
    if windows.size == 1:
        return np.asarray(np.array([0.5, 1.5]) * windows[0])
    if windows.size > MAX_LINES:
        edges = np.linspace(on_scale[0], on_scale[-1], MAX_LINES + 1)
    else:
        middle = (on_scale[1:] + on_scale[:-1]) / 2
        edges = np.concatenate([[2 * on_scale[0] - middle[0]], middle, [2 * on_scale[-1] - middle[-1]]])
    return np.asarray(np.exp(edges) if _is_wide(windows) else np.maximum(edges, 0.0))


def _is_wide(windows: np.ndarray) -> bool:
    return bool(windows[-1] >= _WIDE * windows[0])


def _label_windows(axes: Axes, label: str, windows: np.ndarray) -> None:
    if _is_wide(windows):
        axes.set_yscale("log")
        axes.tick_params(which="minor", length=0, labelleft=False)
    if windows.size <= _NAMED_WINDOWS:
        axes.set_yticks(windows)
    axes.yaxis.set_major_formatter(FuncFormatter(lambda w, _: f"{w:,.0f}"))
    axes.set_ylabel(label, color=INK)


def _number(total: int) -> str:
    return "1 alarm" if total == 1 else f"{total:,} alarms"
