"""Makes regions.png, region-shapes.png and gatherings.png, the pictures of docs/regions.md.

`python docs/pictures/make_regions.py`
"""

from pathlib import Path

import numpy as np
import pyarrow.compute as pc
from matplotlib.figure import Figure
from matplotlib.patches import Rectangle
from PIL import Image

import streamframes as sf
from streamframes.data import building, freeway
from streamframes.draw import RegionColours, draw_regions, save_picture

INK, SLOW, FREE, EDGES = "#22303c", "#f0762b", "#e4ece6", ("#1d4ed8", "#7f1d1d")
HERE = Path(__file__)
# The reports of docs/regions.md: slow places and instants.
FIELD = {9: (5, 10), 8: (4, 10), 7: (4, 10), 6: (4, 10), 5: (4, 10), 4: (4, 7)}
BOXES = [(4, 10, 5, 8), (5, 10, 5, 9)]


def contour():
    """A day on a freeway, and its jams as regions() finds them."""
    made = freeway(stations=24, hours=24, seed=3, shape="wedge", missing=0.03)
    found = sf.regions(
        made.toDF(sf.session()),
        "speed < 40",
        ts="ts",
        space="milepost",
        by="highway",
        shape="connected",
        min_duration="10 minutes",
        reports=sf.Reports(missing="true"),
    )
    return draw_regions(
        made.table,
        found.toDF().toArrow(),
        ts="ts",
        space="milepost",
        value="speed",
        colours=RegionColours(levels=[40], label="speed (mph)"),
        space_label="milepost",
        title="Jams have a beginning and an end, in time and in space",
        subtitle="regions(reports, 'speed < 40', shape='connected', min_duration='10 minutes', ...)",
    )


def shapes():
    """The same reports under rectangles, under the preferred one, and under a polygon."""
    figure = Figure(figsize=(11, 3.2), dpi=100, layout="constrained", facecolor="white")
    panels = figure.subplots(1, 3, sharey=True)
    titles = ("rectangles: all that are maximal", 'Rectangles(prefer="largest")', 'shape="connected"')
    for axes, title, boxes in zip(panels, titles, (BOXES, BOXES[1:], []), strict=True):
        cells = np.array([[low <= t <= high for t in range(1, 13)] for low, high in
                          (FIELD.get(place, (0, -1)) for place in range(3, 11))])  # fmt: skip
        for place, t in np.argwhere(np.ones_like(cells)):
            colour = SLOW if cells[place, t] else FREE
            axes.add_patch(_square(t + 1, place + 3, 0.42, facecolor=colour))
        for number, (start, end, low, high) in enumerate(boxes):
            edge = 0.5 + 0.08 * number
            corners = [start - edge, end + edge, low - edge, high + edge]
            axes.plot(*_ring(*corners), color=EDGES[number], linewidth=2.2)
        if not boxes:
            axes.plot([3.5, 7.5, 7.5, 10.5, 10.5, 4.5, 4.5, 3.5, 3.5],
                      [3.5, 3.5, 4.5, 4.5, 9.5, 9.5, 8.5, 8.5, 3.5], color=EDGES[0], linewidth=2.2)  # fmt: skip
        axes.set(xlim=(0.3, 12.7), ylim=(2.3, 10.7), aspect="equal", xticks=range(1, 13), yticks=range(3, 11))
        axes.set_title(title, loc="left", fontsize=10, color=INK)
        axes.set_xlabel("time", color=INK)
        axes.tick_params(colors=INK, length=0, labelsize=8)
        for side in axes.spines.values():
            side.set_visible(False)
    panels[0].set_ylabel("place", color=INK)
    return figure


def _square(x, y, half, **look):
    return Rectangle((x - half, y - half), 2 * half, 2 * half, linewidth=0, **look)


def _ring(start, end, low, high):
    return [start, end, end, start, start], [low, low, high, high, low]


def gatherings():
    """A floor of an office, and where people gathered, as density() finds them."""
    made = building(floors=2, hours=8, seed=1)
    found = sf.density(
        made.toDF(sf.session()),
        ts="ts",
        space=["x", "y"],
        by="floor",
        bin=10,
        unit="1 minute",
        above=0.05,
        min_area=400,
        min_duration="5 minutes",
    ).toDF()
    people = made.table.filter(pc.equal(made.table["floor"], 1))
    return draw_regions(
        people,
        found.where("floor = 1").toArrow(),
        ts="ts",
        space=["x", "y"],
        space_label=["x (feet)", "y (feet)"],
        title="Gatherings of a day on one floor",
        subtitle="density(people, bin=10, unit='1 minute', above=0.05, min_area=400, min_duration='5 minutes')",
        size=(10.0, 6.0),
    )


def saved(figure, name):
    """Save with few colours, which are enough."""
    path = save_picture(figure, HERE.with_name(name))
    # Those that are rare count too: they are the jams and the key.
    Image.open(path).convert("RGB").quantize(256, Image.Quantize.MAXCOVERAGE).save(path, optimize=True)


if __name__ == "__main__":
    saved(shapes(), "region-shapes.png")
    saved(contour(), "regions.png")
    saved(gatherings(), "gatherings.png")
