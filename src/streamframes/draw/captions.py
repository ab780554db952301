"""Captions: the heading of a picture above it, and the legend below it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal, TypedDict

from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure

from streamframes.draw.colours import INK


class Stroke(TypedDict, total=False):
    """How a mark is drawn, in the picture and in its legend."""

    color: str
    marker: str
    markersize: float
    markeredgewidth: float
    markerfacecolor: str
    linestyle: Literal["none"]


def entitle(axes: Axes, title: str, *facts: str) -> None:
    """A heading, and below it in one line how what is seen was found."""
    subtitle = " · ".join(filter(None, facts))
    axes.set_title(subtitle, loc="left", fontsize=9, color=INK, pad=6)
    if title:
        axes.annotate(
            title,
            (0, 1),
            xytext=(0, 22 if subtitle else 6),
            xycoords="axes fraction",
            textcoords="offset points",
            fontsize=13,
            fontweight="bold",
            color=INK,
        )


def add_legend(figure: Figure, handles: Sequence[Artist]) -> None:
    """What colours and lines mean, in one line; nothing where there are none."""
    if handles:
        figure.legend(
            handles=handles,
            loc="outside lower center",
            ncols=len(handles),
            frameon=False,
            fontsize=9,
            labelcolor=INK,
        )
