"""Turf: a football pitch to draw on, its long side from left to right."""

from __future__ import annotations

import numpy as np
from matplotlib.axes import Axes
from matplotlib.image import AxesImage
from matplotlib.patches import Arc, Circle, Rectangle

WIDTH, LENGTH = 68.0, 105.0
_COLOUR, _LINE_WIDTH = "#94a3b8", 0.9
_BOX, _GOAL_BOX = (40.32, 16.5), (18.32, 5.5)
"""The areas in front of a goal: across and along, in metres."""
_SPOT, _CIRCLE = 11.0, 9.15


def draw_map(axes: Axes, seconds: np.ndarray, title: str, *, most: float) -> AxesImage:
    """A heat map over the lines of a pitch; `seconds` by cell across and along."""
    shown = np.ma.masked_less_equal(seconds, 0)
    image = axes.imshow(
        shown, extent=(0, LENGTH, 0, WIDTH), origin="lower", cmap="YlOrRd", vmin=0, vmax=most, interpolation="nearest"
    )
    draw_lines(axes)
    axes.set(xlim=(-2, LENGTH + 2), ylim=(-2, WIDTH + 2), aspect="equal", xticks=range(0, 106, 35), yticks=(0, 34, 68))
    axes.set_title(title, loc="left", fontsize=10)
    axes.spines[:].set_visible(False)
    return image


def draw_lines(axes: Axes) -> None:
    """What is painted on the grass."""
    axes.add_patch(Rectangle((0, 0), LENGTH, WIDTH, fill=False, edgecolor=_COLOUR, linewidth=_LINE_WIDTH))
    axes.plot([LENGTH / 2] * 2, [0, WIDTH], color=_COLOUR, linewidth=_LINE_WIDTH)
    axes.add_patch(Circle((LENGTH / 2, WIDTH / 2), _CIRCLE, fill=False, edgecolor=_COLOUR, linewidth=_LINE_WIDTH))
    for side in (0, 1):
        for across, along in (_BOX, _GOAL_BOX):
            corner = (side * (LENGTH - along), (WIDTH - across) / 2)
            axes.add_patch(Rectangle(corner, along, across, fill=False, edgecolor=_COLOUR, linewidth=_LINE_WIDTH))
        spot = (LENGTH - _SPOT if side else _SPOT, WIDTH / 2)
        # Only what is outside of the box.
        opening = np.degrees(np.arccos((_BOX[1] - _SPOT) / _CIRCLE))
        arc = Arc(spot, 2 * _CIRCLE, 2 * _CIRCLE, angle=180 * side, theta1=-opening, theta2=opening)
        arc.set(edgecolor=_COLOUR, linewidth=_LINE_WIDTH)
        axes.add_patch(arc)
