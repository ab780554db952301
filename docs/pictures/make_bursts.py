"""Makes histogram.png and search-space.png, the pictures of docs/bursts.md: `python docs/pictures/make_bursts.py`."""

import itertools
from pathlib import Path

import numpy as np
from matplotlib.figure import Figure
from PIL import Image

from streamframes.core.bursts.histogram.search_space import divide_points, search_space
from streamframes.draw import save_picture
from tests.oracles.bursts import Histogram

INK, FAINT, SIGNAL, ONE, OTHER = "#22303c", "#d8dee4", "#6b7c8c", "#fb923c", "#60a5fa"
HERE = Path(__file__)


def tidied(axes, x, y):
    """Few lines, all of them faint."""
    for side in ("top", "right"):
        axes.spines[side].set_visible(False)
    axes.tick_params(colors=INK, length=0, labelsize=9)
    axes.set_xlabel(x, color=INK)
    axes.set_ylabel(y, color=INK)


def histogram():
    """Suffix sums of a small stream, and the buckets that keep them within a quarter."""
    values = np.random.default_rng(5).integers(0, 9, 60).astype(float)
    values[22:27] = 30
    kept = Histogram(error=0.25)
    for value in values:
        kept.update(value)
    sums = np.cumsum(values[::-1])
    figure = Figure(figsize=(10, 4.2), dpi=100, layout="constrained", facecolor="white")
    axes = figure.subplots()
    before = 0
    for number, (low, high, width, *_) in enumerate(kept.buckets):
        axes.bar(
            before + 0.5, high - low or 2, int(width), low, align="edge", color=(ONE, OTHER)[number % 2], alpha=0.55
        )
        before += int(width)
    axes.plot(np.arange(1, sums.size + 1), sums, ".", color=INK, markersize=4)
    axes.annotate(
        "a bucket: neighbouring windows whose sums\ndiffer by no more than a quarter",
        (44, sums[43]), xytext=(60, -120), textcoords="offset points", ha="center", fontsize=9, color=INK,
        arrowprops={"arrowstyle": "-", "color": SIGNAL},
    )  # fmt: skip
    axes.annotate(
        "short windows have\na bucket each", (3, sums[2]), xytext=(10, 60), textcoords="offset points", fontsize=9,
        color=INK, arrowprops={"arrowstyle": "-", "color": SIGNAL},
    )  # fmt: skip
    axes.set_title(
        f"The sums of the last 1, 2, ... {sums.size} rows, in {len(kept.buckets)} buckets", loc="left", color=INK
    )
    tidied(axes, "length of the window, from the latest row back", "sum")
    saved(figure, "histogram.png")


def space():
    """Three thresholds, the divide points of their lines, and the order of each interval."""
    lengths, thresholds = np.array([4, 12, 40]), np.array([30.0, 52.0, 150.0])
    x, y = np.log(lengths), np.log(thresholds)
    divides = divide_points(lengths, thresholds)
    figure = Figure(figsize=(10, 4.6), dpi=100, layout="constrained", facecolor="white")
    axes = figure.subplots()
    for i, j in ((0, 1), (0, 2), (1, 2)):
        slope = (y[j] - y[i]) / (x[j] - x[i])
        axes.plot([0, x[j]], [y[j] - slope * x[j], y[j]], color=SIGNAL, linewidth=0.9, linestyle=(0, (5, 3)))
    axes.plot(x, y, "o", color=INK, zorder=3)
    for length, threshold, a, b in zip(lengths, thresholds, x, y, strict=True):
        axes.annotate(
            f"w = {length}, T = {threshold:g}",
            (a, b),
            xytext=(-4, 9),
            ha="right",
            textcoords="offset points",
            fontsize=9,
            color=INK,
        )
    axes.plot(np.zeros(divides.size), divides, "D", color="#b91c1c", zorder=3, clip_on=False)
    bounds = [divides[0] - 0.7, *divides, divides[-1] + 0.7]
    for number, (low, high) in enumerate(itertools.pairwise(bounds)):
        axes.bar(-0.12, high - low, 0.12, low, align="edge", color=(ONE, OTHER)[number % 2], alpha=0.55)
        order = search_space(lengths, thresholds, (low + high) / 2)
        axes.annotate(
            " , ".join(map(str, order)), (-0.12, (low + high) / 2), xytext=(-6, 0), textcoords="offset points",
            ha="right", va="center", fontsize=10, color=INK,
        )  # fmt: skip
    level = (divides[0] + divides[1]) / 2
    for a, b in zip(x, y, strict=True):
        axes.plot([0, a], [level, b], color="#c2410c", linewidth=1.1)
    axes.annotate(
        "log F(1) is here now: the flattest line first", (0, level), xytext=(60, -28), textcoords="offset points",
        fontsize=9, color="#c2410c", arrowprops={"arrowstyle": "-", "color": "#c2410c"},
    )  # fmt: skip
    axes.annotate(
        "divide points", (0, divides[-1]), xytext=(24, 22), textcoords="offset points", fontsize=9, color="#b91c1c",
        arrowprops={"arrowstyle": "-", "color": "#b91c1c"},
    )  # fmt: skip
    axes.set_xlim(-0.8, x[-1] + 0.7)
    axes.spines["left"].set_position(("data", 0.0))
    axes.set_title("Between two divide points the order of the windows is the same", loc="left", color=INK)
    tidied(axes, "log w", "")
    axes.set_yticks([])
    axes.annotate(
        "log T", (0, 1), xycoords=("data", "axes fraction"), xytext=(6, -4), textcoords="offset points", color=INK
    )
    axes.annotate("order of\nthe windows", (-0.45, divides[-1] + 0.8), ha="center", fontsize=9, color=INK)
    saved(figure, "search-space.png")


def saved(figure, name):
    """Save with few colours, which are enough."""
    path = save_picture(figure, HERE.with_name(name))
    Image.open(path).convert("RGB").quantize(64).save(path, optimize=True)


if __name__ == "__main__":
    histogram()
    space()
