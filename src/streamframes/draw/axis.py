"""Axes: instants and numbers that a reader can read off."""

from __future__ import annotations

from datetime import datetime, tzinfo
from typing import Any
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from matplotlib import dates
from matplotlib.ticker import EngFormatter, FuncFormatter, MaxNLocator

from streamframes.draw.signal import Instants

INK = "#22303c"
FAINT = "#d8dee4"

_DATES: Any = dates  # Matplotlib has no types for it.

_LARGE = 1e5

# For ticks of years, months, days, hours, minutes, seconds; and for those at the beginning of the next longer unit.
_FORMATS = ["%Y", "%b", "%d %b", "%H:%M", "%H:%M", "%H:%M:%S"]
_ROUND_FORMATS = ["", "%b %Y", "%d %b", "%d %b", "%H:%M", "%H:%M"]


def label_instants(axes: Any, name: str, instants: Instants) -> None:
    """Dates and times as short as they can be, or whole numbers with separators."""
    if instants.is_time:
        zone = _zone(instants.zone)
        locator = _DATES.AutoDateLocator(tz=zone, minticks=4, maxticks=10)
        axes.xaxis.set_major_locator(locator)
        axes.xaxis.set_major_formatter(
            _DATES.ConciseDateFormatter(
                locator, tz=zone, formats=_FORMATS, zero_formats=_ROUND_FORMATS, show_offset=False
            )
        )
        name = f"{name} ({instants.zone})" if instants.zone else name
        if instants.at.size:
            name += _common_date(*(_DATES.num2date(instants.at[edge], tz=zone) for edge in (0, -1)))
    else:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=10, integer=True, steps=[1, 2, 5, 10]))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
    axes.set_xlabel(name)


def label_values(axes: Any, name: str) -> None:
    """Large values with k, M, G, so that no power of ten stands apart."""
    low, high = axes.get_ylim()
    if max(abs(low), abs(high)) >= _LARGE and high - low >= _LARGE / 100:
        axes.yaxis.set_major_formatter(EngFormatter(sep=""))
    axes.set_ylabel(name)


def tidy(axes: Any) -> None:
    """Few lines, all of them faint."""
    for side in ("top", "right", "left"):
        axes.spines[side].set_visible(False)
    axes.spines["bottom"].set_color(FAINT)
    axes.tick_params(colors=INK, length=0, labelsize=9)
    axes.grid(axis="y", color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.xaxis.label.set_color(INK)
    axes.yaxis.label.set_color(INK)


def _common_date(first: datetime, last: datetime) -> str:
    """What the labels leave out because all instants share it."""
    if first.date() == last.date():
        return f", {first:%Y-%m-%d}"
    return f", {first:%Y}" if first.year == last.year else ""


def _zone(name: str | None) -> tzinfo | None:
    try:
        return ZoneInfo(name) if name else None
    except (ZoneInfoNotFoundError, ValueError):
        return None
