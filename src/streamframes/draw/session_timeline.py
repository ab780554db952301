"""The timeline: sessions as bars over time, those inside of a session below it.

Call | ==================          |      the first call, with its visits
 ATT |     =====  ======^          |      ^ closed by its parent
 FAQ |      ==      ====^          |
Call |         ====================|      the next call
 ATT |             =======         |
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from streamframes.draw.axis import label_instants, tidy
from streamframes.draw.captions import Stroke, add_legend, entitle
from streamframes.draw.colours import FAINT, INK, colours
from streamframes.draw.signal import Instants, as_table, column_of, instants
from streamframes.errors import InvalidArgument

_SHADE = "#f4f6f8"
# The share of the width that a bar needs to be seen.
_NARROWEST = 0.002
_LANE, _MARGINS = 0.24, 1.6
_MARKS = {"parent": "^", "timeout": "o", "end of data": ">", "still open": "4"}
_OTHER_MARK = "D"
# From here on, not every whole number is a float: pandas makes floats of whole numbers with nulls.
_EXACT = 2**53


@dataclass(frozen=True)
class _Bars:
    """Sessions, and which outermost session each is inside of, by position."""

    kind: list[str]
    level: np.ndarray
    start: np.ndarray
    end: np.ndarray
    closed_by: list[str]
    top: np.ndarray

    def tops(self) -> np.ndarray:
        """The outermost sessions, by start."""
        found = np.flatnonzero(self.top == np.arange(self.top.size))
        return found[np.argsort(self.start[found], kind="stable")]

    def inside(self, top: int) -> np.ndarray:
        """An outermost session and all inside of it, by depth, class and start."""
        found = np.flatnonzero(self.top == top)
        order = list(dict.fromkeys(self.kind))
        kinds = np.array([order.index(self.kind[each]) for each in found])
        return found[np.lexsort((self.end[found], self.start[found], kinds, self.level[found]))]

    def lanes(self, which: np.ndarray) -> list[list[int]]:
        """Positions in lanes from above: one for each depth and class, more only where its sessions overlap."""
        lanes: list[list[int]] = []
        for each in which.tolist():
            same = [
                lane
                for lane in lanes
                if (self.level[lane[0]], self.kind[lane[0]]) == (self.level[each], self.kind[each])
            ]
            free = next((lane for lane in same if self.end[lane[-1]] <= self.start[each]), None)
            if free is None:
                lanes.append([each])
            else:
                free.append(each)
        return lanes


def timeline(
    sessions: object,
    *,
    by: str | Sequence[str] = (),
    prefix: str = "frame_",
    at_most: int = 12,
    title: str = "",
    subtitle: str = "",
    label: str = "time",
    size: tuple[float, float] | None = None,
) -> Figure:
    """Draw sessions as bars over time, below each outermost session those inside of it.

    Parameters
    ----------
    sessions
        A pandas or Arrow table with class, id, parent, level, start, end and closed_by, each after the prefix. The
        parent of an outermost session is null, or not in the table. A session without an end is still open.
    by
        Columns whose values are written beside each outermost session.
    prefix
        What the names of the columns begin with.
    at_most
        How many outermost sessions are drawn, the earliest; the picture says when there are more.
    title, subtitle, label
        What is seen, how it was found, and the name of the axis of time.
    size
        Inches; as high as the lanes need unless given. A PNG has 100 points an inch.

    Returns
    -------
    Figure
        Not shown anywhere; see `save_picture`.
    """
    if isinstance(at_most, bool) or not isinstance(at_most, int) or at_most < 1:
        raise InvalidArgument(f"timeline() got at_most={at_most!r}; it must be a whole number of at least 1")
    table = as_table(sessions)
    bars, place = _read(table, prefix)
    names = _names(table, [by] if isinstance(by, str) else list(by))
    tops = bars.tops()
    shown = tops[:at_most]
    groups = [bars.lanes(bars.inside(int(top))) for top in shown]
    number = sum(map(len, groups))
    figure = Figure(figsize=size or (12.0, _MARGINS + _LANE * max(number, 2)), dpi=100, layout="constrained")
    figure.set_facecolor("white")
    axes = figure.subplots()
    drawn = [each for lanes in groups for lane in lanes for each in lane]
    edges = np.sort(np.concatenate([bars.start[drawn], bars.end[drawn]]))
    shades = colours(bars.kind[each] for each in np.lexsort((bars.start, bars.level)))
    handles = _draw_lanes(axes, bars, groups, shades, np.ptp(edges) if edges.size else 0.0)
    _label_groups(axes, groups, [names[int(top)] for top in shown])
    axes.use_sticky_edges = False
    axes.margins(x=0.01)
    tidy(axes)
    axes.grid(visible=False)
    axes.grid(axis="x", color=FAINT, linewidth=0.6)
    label_instants(axes, label, Instants(edges, place.is_time, place.zone))
    kinds = list(dict.fromkeys(bars.kind[int(top)] for top in tops))
    entitle(axes, title, subtitle, _number(kinds, shown.size, tops.size))
    add_legend(figure, handles)
    return figure


def _read(table: pa.Table, prefix: str) -> tuple[_Bars, Instants]:
    kind, number, parent, level, start, end, closed_by = (
        column_of(table, f"{prefix}{name}", "sessions")
        for name in ("class", "id", "parent", "level", "start", "end", "closed_by")
    )
    numbers, parents = number.to_pylist(), parent.to_pylist()
    if pa.types.is_floating(parent.type) and any(abs(each) >= _EXACT for each in parents if each is not None):
        raise InvalidArgument(f"timeline() got {prefix}parent as {parent.type}, which rounds it; give Arrow or Int64")
    place = {each: position for position, each in enumerate(numbers)}
    if len(place) < len(numbers):
        raise InvalidArgument(f"timeline() got sessions with the same {prefix}id; give each session once")
    begins, ends = instants(start), instants(end).at
    latest = np.nanmax(np.concatenate([begins.at, ends]), initial=-np.inf)
    reasons = ["still open" if np.isnan(at) else why or "" for at, why in zip(ends, closed_by.to_pylist(), strict=True)]
    top = np.array([_outermost(position, parents, place) for position in range(len(numbers))], np.int64)
    levels = np.asarray(level.to_pylist(), np.int64)
    ends = np.where(np.isnan(ends), latest, ends)
    return _Bars(kind.to_pylist(), levels, begins.at, ends, reasons, top), begins


def _outermost(position: int, parents: list[int | None], place: dict[int | None, int]) -> int:
    seen = {position}
    while (above := place.get(parents[position])) is not None:
        if above in seen:
            raise InvalidArgument("timeline() got sessions that are inside of themselves; check their parents")
        seen.add(above)
        position = above
    return position


def _names(table: pa.Table, by: list[str]) -> list[str]:
    """What is written beside each session."""
    columns = [column_of(table, name, "by").to_pylist() for name in by]
    said = [[f"{name} {value}" for value in column] for name, column in zip(by, columns, strict=True)]
    return [", ".join(each) for each in zip(*said, strict=True)] if said else [""] * table.num_rows


def _draw_lanes(
    axes: Axes, bars: _Bars, groups: list[list[list[int]]], shades: dict[str, str], span: float
) -> list[Artist]:
    """One row for each lane, from above; returns what the legend shows."""
    rows = {each: row for row, lane in enumerate(lane for lanes in groups for lane in lanes) for each in lane}
    for kind, colour in shades.items():
        some = [each for each in rows if bars.kind[each] == kind]
        width = np.maximum(bars.end[some] - bars.start[some], _NARROWEST * (span or 1.0))
        lines = [rows[each] for each in some]
        axes.barh(lines, width, 0.72, bars.start[some], color=colour, edgecolor="white", linewidth=0.5, label=kind)
    known = {bars.kind[each] for each in rows}
    handles: list[Artist] = [Patch(facecolor=colour, label=kind) for kind, colour in shades.items() if kind in known]
    reasons = {bars.closed_by[each] for each in rows} - {"condition", ""}
    for why in sorted(reasons, key=lambda why: (list(_MARKS).index(why) if why in _MARKS else len(_MARKS), why)):
        some = [each for each in rows if bars.closed_by[each] == why]
        stroke: Stroke = {
            "color": INK,
            "marker": _MARKS.get(why, _OTHER_MARK),
            "markersize": 6,
            "markerfacecolor": "white",
            "linestyle": "none",
        }
        name = why if why == "still open" else f"closed by {why}"
        axes.plot(bars.end[some], [rows[each] for each in some], label=name, zorder=3, **stroke)
        handles.append(Line2D([], [], label=name, **stroke))
    names = [bars.kind[lane[0]] for lanes in groups for lane in lanes]
    axes.set_yticks(range(len(names)), names)
    axes.set_ylim(max(len(names), 1) - 0.4, -0.6)
    return handles


def _label_groups(axes: Axes, groups: list[list[list[int]]], names: list[str]) -> None:
    """Every second outermost session stands on a shade, with its name at the right."""
    row = 0
    for place, (lanes, name) in enumerate(zip(groups, names, strict=True)):
        if place % 2:
            axes.axhspan(row - 0.5, row + len(lanes) - 0.5, color=_SHADE, linewidth=0, zorder=0)
        if name:
            axes.annotate(
                name,
                (1.0, row),
                xytext=(6, 0),
                xycoords=axes.get_yaxis_transform(),
                textcoords="offset points",
                annotation_clip=False,
                va="center",
                fontsize=8,
                color=INK,
            )
        row += len(lanes)


def _number(kinds: list[str], shown: int, total: int) -> str:
    of = kinds[0] if len(kinds) == 1 else "outermost"
    if shown < total:
        return f"the first {shown} of {total:,} {of} sessions"
    return f"1 {of} session" if total == 1 else f"{total:,} {of} sessions"
