"""Footprints: what regions of two dimensions cover on a map, coloured by when they began or how long they lasted.

y |  .  .   +----+        points are reports
  |   . .   |    | .
  |         +----+
  +-------------------> x
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from matplotlib.artist import Artist
from matplotlib.collections import PolyCollection
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from streamframes.draw.axis import tick_dates, tidy, tidy_key
from streamframes.draw.colours import FAINT, INK
from streamframes.draw.outlines import Outlines, corners
from streamframes.draw.signal import Instants, column_of, instants, numbers

MAX_POINTS = 20_000
# Lengths of time: how many days one is, what it is called, and from how many on it is used.
_UNITS = ((1.0, "days"), (1 / 24, "hours"), (1 / 1440, "minutes"), (1 / 86_400, "seconds"))
_SEVERAL = 3


def draw_footprints(
    figure: Figure,
    table: pa.Table,
    regions: Outlines | None,
    ts: str,
    space: Sequence[str],
    labels: Sequence[str],
    map_by: str,
) -> list[Artist]:
    """Draw points and regions into the figure; the entries of its legend."""
    axes = figure.axes[0]
    x, y = (numbers(column_of(table, name, "space"), name) for name in space)
    some = np.unique(np.linspace(0, x.size - 1, min(x.size, MAX_POINTS)).astype(np.int64)) if x.size else slice(0)
    axes.plot(x[some], y[some], ".", color="#94a3b8", markersize=2.5, alpha=0.5, markeredgewidth=0, rasterized=True)
    handles: list[Artist] = [Line2D([], [], color="#94a3b8", marker=".", linestyle="none", label="report")]
    if regions is not None and len(regions):
        _draw_boxes(figure, regions, instants(column_of(table, ts, "ts")), map_by)
        handles.append(Patch(facecolor="none", edgecolor=INK, label="region"))
    axes.set_aspect("equal", adjustable="datalim")
    axes.margins(0.03)
    axes.set_xlabel(labels[0])
    axes.set_ylabel(labels[1])
    tidy(axes)
    axes.grid(visible=True, axis="both", color=FAINT, linewidth=0.6)
    return handles


def _draw_boxes(figure: Figure, regions: Outlines, when: Instants, map_by: str) -> None:
    """The shortest regions last, so that long ones cover none."""
    lasting = regions.end - regions.start
    order = np.argsort(-lasting, kind="stable")
    boxes, numbers_of = [], []
    for number in order.tolist():
        known = regions.rings[number] if regions.rings else []
        own = known or [corners(*np.stack([regions.low[number], regions.high[number]], axis=1).ravel())]
        boxes += own
        numbers_of += [number] * len(own)
    unit, name = _unit(lasting, when.is_time)
    shades = (regions.start if map_by == "start" else lasting / unit)[numbers_of]
    axes = figure.axes[0]
    drawn = PolyCollection(boxes, array=shades, cmap="viridis_r", alpha=0.25, linewidths=0)
    edges = PolyCollection(boxes, array=shades, cmap="viridis_r", facecolors="none", linewidths=2.0)
    for each in (drawn, edges):
        if shades.size and shades.min() == shades.max():
            # One colour alone has no scale: that of a start goes on to the end.
            each.set_clim(shades.min(), regions.end.max() if map_by == "start" else 2 * shades.max())
        axes.add_collection(each)
    key = figure.colorbar(drawn, ax=axes, pad=0.01, aspect=35)
    if key.solids is not None:
        key.solids.set_alpha(1.0)
    tidy_key(key, "start" if map_by == "start" else f"duration ({name})" if name else "duration")
    if map_by == "start" and when.is_time:
        tick_dates(key.ax.yaxis, 3, 9)


def _unit(lasting: np.ndarray, is_time: bool) -> tuple[float, str]:
    """The unit in which most durations are small numbers, but not fractions.

    >>> _unit(np.array([0.01, 0.02]), True)[1], _unit(np.array([5.0]), False)
    ('minutes', (1.0, ''))
    """
    if not is_time:
        return 1.0, ""
    usual = float(np.median(lasting)) if lasting.size else 0.0
    return next(((unit, name) for unit, name in _UNITS if usual >= _SEVERAL * unit), _UNITS[-1])
