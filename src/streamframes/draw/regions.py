"""The picture of regions: places over time, coloured by a value as in a speed contour, and the regions outlined.

milepost |  . . . . . . . .        [] value
     308 |  . . +-------+ .
         |  . . | # # # | .        regions are outlined
     303 |  . . +-------+ .
         +-------------------> time
"""

from __future__ import annotations

from collections.abc import Sequence

import numpy as np
import pyarrow as pa
from matplotlib.artist import Artist
from matplotlib.axes import Axes
from matplotlib.cm import ScalarMappable
from matplotlib.collections import LineCollection
from matplotlib.colors import LinearSegmentedColormap, Normalize
from matplotlib.figure import Figure
from matplotlib.lines import Line2D
from matplotlib.patches import Patch

from streamframes.draw.axis import label_instants, tidy, tidy_key
from streamframes.draw.captions import add_legend, entitle
from streamframes.draw.colours import FAINT, INK
from streamframes.draw.footprints import draw_footprints
from streamframes.draw.mesh import Mesh, mesh_of
from streamframes.draw.options import RegionColours, colours_of
from streamframes.draw.outlines import Outlines, corners, outlines_of
from streamframes.draw.signal import Instants, as_table, column_of, instants, numbers
from streamframes.errors import InvalidArgument

MAX_REGIONS = 2_000
EMPTY = "#9aa5b1"
_FLOW = LinearSegmentedColormap.from_list(
    "flow", ["#5b0f14", "#b91c1c", "#f0762b", "#fdd777", "#f1f5d8", "#b7dccb", "#5fa8a0"]
)


def draw_regions(
    rows: object,
    regions: object = None,
    *,
    ts: str,
    space: str | Sequence[str],
    value: str | None = None,
    colours: RegionColours | str = "low",
    title: str = "",
    subtitle: str = "",
    space_label: str | Sequence[str] | None = None,
    prefix: str = "frame_",
    total: int | None = None,
    size: tuple[float, float] = (12.0, 5.5),
) -> Figure:
    """Draw the reports of one group by time and place, coloured by a value, and its regions.

    Parameters
    ----------
    rows, regions
        pandas or Arrow tables: the rows of one group, and its regions, if there are any. Regions with an `outline`
        (WKT) have its shape, others are boxes.
    ts, space, value
        Columns of the rows. With two columns in `space` the picture is a map of what the regions cover, whenever
        that was, and has no value.
    colours
        Which values are red, "low" or "high"; `RegionColours` says more of what colours mean.
    title, subtitle, space_label
        What is seen, how it was found, and the name of the places with their unit; two of them for a map.
    prefix
        What the names of the frame columns begin with.
    total
        How many regions there are, if `regions` holds only some of them.
    size
        Inches; a PNG has 100 points an inch.

    Returns
    -------
    Figure
        Not shown anywhere; see `save_picture`.
    """
    table, found = as_table(rows), None if regions is None else as_table(regions)
    look = colours_of(colours)
    names = [space] if isinstance(space, str) else list(space)
    labels = [space_label] if isinstance(space_label, str) else list(space_label or names)
    _check(names, labels, value)
    figure = Figure(figsize=size, dpi=100, layout="constrained", facecolor="white")
    axes = figure.subplots()
    shown = None if found is None else outlines_of(found, prefix, names).largest(MAX_REGIONS)
    if len(names) == 1:
        mesh = _draw_values(figure, table, ts, names[0], str(value), look)
        handles: list[Artist] = [*_draw_outlines(axes, shown, mesh), *_empty(mesh)]
        axes.set_ylabel(labels[0])
        tidy(axes)
        axes.grid(visible=False)
    else:
        handles = draw_footprints(figure, table, shown, ts, names, labels, look.map_by)
    counted = "" if shown is None else _number(len(shown), total or (0 if found is None else found.num_rows))
    entitle(axes, title, subtitle, counted)
    add_legend(figure, handles)
    return figure


def _check(names: Sequence[str], labels: Sequence[str], value: str | None) -> None:
    if len(names) not in (1, 2) or len(labels) != len(names):
        raise InvalidArgument(f"a picture got space={list(names)} with the labels {list(labels)}; draw one or two")
    if len(names) == 1 and value is None:
        raise InvalidArgument("a picture of regions got no value; name the column that colours the reports")


def _draw_values(
    figure: Figure,
    table: pa.Table,
    ts: str,
    space: str,
    value: str,
    colours: RegionColours,
) -> Mesh | None:
    axes = figure.axes[0]
    when = instants(column_of(table, ts, "ts"))
    place = numbers(column_of(table, space, "space"), space)
    signal = numbers(column_of(table, value, "value"), value)
    known = np.isfinite(when.at) & np.isfinite(place)
    at, place, signal = when.at[known], place[known], signal[known]
    mesh = mesh_of(at, place, signal)
    flow, norm = _FLOW if colours.worst == "low" else _FLOW.reversed(), _norm(signal, colours.levels)
    drawn: ScalarMappable
    if mesh is None:
        drawn = axes.scatter(at, place, c=signal, s=9, linewidths=0, cmap=flow, norm=norm, rasterized=True)
    else:
        axes.set_facecolor(EMPTY)
        drawn = axes.pcolormesh(mesh.columns, mesh.lines, mesh.cells, cmap=flow, norm=norm, rasterized=True)
    axes.margins(0.01 if mesh is None else 0.0)
    _draw_key(figure, drawn, colours.levels, colours.label or value)
    label_instants(axes, ts, Instants(np.sort(at), when.is_time, when.zone))
    return mesh


def _norm(signal: np.ndarray, levels: Sequence[float]) -> Normalize:
    """Colours over nearly all values: a few that are far off would leave one colour to the rest."""
    known = signal[np.isfinite(signal)]
    low, high = np.quantile(known, [0.005, 0.99]) if known.size else (0.0, 1.0)
    low, high = min([low, *levels]), max([high, *levels])
    return Normalize(float(low), float(high) if high > low else float(low) + 1.0)


def _draw_key(figure: Figure, drawn: ScalarMappable, levels: Sequence[float], label: str) -> None:
    key = figure.colorbar(drawn, ax=figure.axes[0], pad=0.01, aspect=35, extend="both")
    for level in levels:
        key.ax.axhline(level, color=INK, linewidth=1.5)
        key.ax.annotate(
            f"{level:g}",
            (0, level),
            xycoords=("axes fraction", "data"),
            xytext=(-3, 0),
            textcoords="offset points",
            ha="right",
            va="center",
            fontsize=8,
            fontweight="bold",
            color=INK,
        )
    tidy_key(key, label)


def _draw_outlines(axes: Axes, regions: Outlines | None, mesh: Mesh | None) -> list[Line2D]:
    """Dark lines with pale edges, which stand out from every colour."""
    if regions is None or not len(regions):
        return []
    edges = np.column_stack([regions.start, regions.end, regions.low[:, 0], regions.high[:, 0]])
    rings = []
    for number, box in enumerate(edges.tolist()):
        known = regions.rings[number] if regions.rings else []
        rings += known or [corners(*(box if mesh is None else mesh.around(*box)))]
    # Many lines would cover what they go around.
    width = next(width for most, width in ((10, 1.5), (200, 1.0), (np.inf, 0.5)) if len(rings) <= most)
    for own, shade in ((1.8 * width, "white"), (width, INK)):
        lines = LineCollection(rings, colors=shade, linewidths=own, joinstyle="miter")
        axes.add_collection(lines, autolim=mesh is None)
    axes.autoscale_view()
    return [Line2D([], [], color=INK, linewidth=1.5, label="region")]


def _empty(mesh: Mesh | None) -> list[Patch]:
    if mesh is None or not np.ma.getmaskarray(mesh.cells).any():
        return []
    return [Patch(facecolor=EMPTY, edgecolor=FAINT, label="no report")]


def _number(shown: int, total: int) -> str:
    if shown < total:
        return f"the largest {shown:,} of {total:,} regions"
    return "1 region" if total == 1 else f"{total:,} regions"
