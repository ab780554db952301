"""Axes: instants and numbers that a reader can read off."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import datetime, tzinfo
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

from matplotlib import dates
from matplotlib.axes import Axes
from matplotlib.axis import Axis
from matplotlib.colorbar import Colorbar
from matplotlib.ticker import EngFormatter, FuncFormatter, MaxNLocator

from streamframes.draw.colours import FAINT, INK
from streamframes.draw.signal import Instants

_LARGE = 1e5

# For ticks of years, months, days, hours, minutes, seconds; and for those at the beginning of the next longer unit.
_FORMATS = ["%Y", "%b", "%d %b", "%H:%M", "%H:%M", "%H:%M:%S"]
_ROUND_FORMATS = ["", "%b %Y", "%d %b", "%d %b", "%H:%M", "%H:%M"]


def label_instants(axes: Axes, name: str, instants: Instants) -> None:
    """Dates and times as short as they can be, or whole numbers with separators."""
    if instants.is_time:
        zone = _zone(instants.zone)
        tick_dates(axes.xaxis, 4, 10, zone, _FORMATS, _ROUND_FORMATS)
        name = f"{name} ({instants.zone})" if instants.zone else name
        if instants.at.size:
            name += _common_date(_datetime(instants.at[0], zone), _datetime(instants.at[-1], zone))
    else:
        axes.xaxis.set_major_locator(MaxNLocator(nbins=10, integer=True, steps=[1, 2, 5, 10]))
        axes.xaxis.set_major_formatter(FuncFormatter(lambda x, _: f"{x:,.0f}"))
    axes.set_xlabel(name)


def tick_dates(
    axis: Axis,
    least: int,
    most: int,
    zone: tzinfo | None = None,
    formats: Sequence[str] | None = None,
    round_formats: Sequence[str] | None = None,
) -> None:
    """Let ticks be dates, and about so many of them."""
    # Matplotlib has no types for dates.
    locator = dates.AutoDateLocator(tz=zone, minticks=least, maxticks=most)  # type: ignore[no-untyped-call]
    axis.set_major_locator(locator)
    axis.set_major_formatter(
        dates.ConciseDateFormatter(  # type: ignore[no-untyped-call]
            locator, tz=zone, formats=formats, zero_formats=round_formats, show_offset=False
        )
    )


def label_values(axes: Axes, name: str) -> None:
    """Large values with k, M, G, so that no power of ten stands apart."""
    low, high = axes.get_ylim()
    if max(abs(low), abs(high)) >= _LARGE and high - low >= _LARGE / 100:
        axes.yaxis.set_major_formatter(EngFormatter(sep=""))
    axes.set_ylabel(name)


def tidy(axes: Axes) -> None:
    """Few lines, all of them faint."""
    for edge in ("top", "right", "left"):
        axes.spines[edge].set_visible(False)
    axes.spines["bottom"].set_color(FAINT)
    axes.tick_params(colors=INK, length=0, labelsize=9)
    axes.grid(axis="y", color=FAINT, linewidth=0.6)
    axes.set_axisbelow(True)
    axes.xaxis.label.set_color(INK)
    axes.yaxis.label.set_color(INK)


def tidy_key(key: Colorbar, label: str) -> None:
    """The same for the colours beside a picture."""
    key.set_label(label, color=INK)
    key.ax.tick_params(colors=INK, length=0, labelsize=9)
    key.outline.set_visible(False)


def _datetime(day: float, zone: tzinfo | None) -> datetime:
    found: datetime = dates.num2date(day, tz=zone)  # type: ignore[no-untyped-call]
    return found


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
