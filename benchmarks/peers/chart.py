"""The picture of the tools beside each other: a panel for each task, a bar for each tool."""

from __future__ import annotations

from collections.abc import Sequence
from pathlib import Path
from typing import Any

from matplotlib.figure import Figure

from benchmarks.peers.outside import FLINK, TEMPO
from benchmarks.peers.tools import TOOLS, Speeds
from streamframes.draw import save_picture
from streamframes.draw.axis import tidy
from streamframes.draw.colours import FAINT, INK

NAMES = (*(tool.name for tool in TOOLS[:-2]), TEMPO, FLINK, *(tool.name for tool in TOOLS[-2:]))
OURS, THEIRS, LIMIT = "#2563eb", "#94a3b8", "#d8dee4"


def draw(speeds: Speeds, tasks: Sequence[str], keys: int) -> Figure:
    """Speeds on the largest table with as many keys; of a tool that had fewer rows, those on its largest."""
    shown = {(task, name): _largest(speeds, keys, task, name) for task in tasks for name in NAMES}
    names = [name for name in NAMES if any(shown[task, name] for task in tasks)]
    rows = max((found[0] for found in shown.values() if found), default=0)
    figure = Figure(figsize=(2.0 * len(tasks) + 3.0, 0.3 * len(names) + 1.4), dpi=100, layout="constrained")
    figure.set_facecolor("white")
    panels: Any = figure.subplots(1, len(tasks), sharey=True, squeeze=False)[0]
    for panel, task in zip(panels, tasks, strict=True):
        _draw_bars(panel, [shown[task, name] for name in names], [_colour(name) for name in names], rows)
        panel.set_title(task, loc="left", fontsize=11, color=INK)
    panels[0].set_yticks(range(len(names)), names)
    panels[0].invert_yaxis()
    named = f"{rows:,} rows of {keys:,} keys" if keys > 1 else f"{rows:,} rows of one key"
    figure.supxlabel(f"million rows a second, {named}; * fewer rows", fontsize=9, color=INK)
    return figure


def save(speeds: Speeds, tasks: Sequence[str], keys: int, folder: Path, name: str = "peers") -> Path:
    """Draw and write `<name>.png`."""
    return save_picture(draw(speeds, tasks, keys), folder / f"{name}.png")


def _largest(speeds: Speeds, keys: int, task: str, name: str) -> tuple[int, float] | None:
    found = [(rows, speed) for (rows, *place), speed in speeds.items() if place == [keys, task, name]]
    return max(found, default=None)


def _draw_bars(panel: Any, found: Sequence[tuple[int, float] | None], colours: Sequence[str], rows: int) -> None:
    speeds = [each[1] if each else 0.0 for each in found]
    panel.barh(range(len(found)), speeds, 0.7, color=colours)
    for place, each in enumerate(found):
        text = f"{each[1]:.{_digits(each[1])}f}{'' if each[0] == rows else ' *'}" if each else "-"
        speed = each[1] if each else 0.0
        panel.annotate(
            text, (speed, place), xytext=(3, 0), textcoords="offset points", va="center", fontsize=8, color=INK
        )
    panel.set_xlim(0, 1.25 * max([*speeds, 1.0]))
    tidy(panel)
    panel.grid(visible=False)
    panel.grid(axis="x", color=FAINT, linewidth=0.6)


def _digits(speed: float) -> int:
    return 0 if speed >= 10 else 1 if speed >= 1 else 3


def _colour(name: str) -> str:
    return OURS if name.startswith("streamframes") else LIMIT if name.startswith("limit") else THEIRS
