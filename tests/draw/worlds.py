"""What is drawn in tests: small tables, and every picture by its name, with a table of what it shows."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field
from typing import Any

import numpy as np
import pyarrow as pa
from matplotlib.figure import Figure

from streamframes.draw import draw_bursts, draw_frames, draw_regions, timeline


def table(n=50, **columns):
    return pa.table({"t": list(range(n)), "v": [float(i % 7) for i in range(n)], **columns})


def frames(*edges, **columns):
    names = {"frame_start": pa.int64(), "frame_end": pa.int64()}
    return filled(names, edges, columns)


def grid(times=6, places=(1.0, 2.0, 4.0), **columns):
    """One report of each place at each instant; the speed counts them."""
    t, m = np.meshgrid(np.arange(times), np.array(places), indexing="ij")
    return pa.table({"t": t.ravel(), "m": m.ravel(), "v": np.arange(t.size, dtype=float), **columns})


def boxes(*edges, **columns):
    names = ("frame_start", "frame_end", "frame_low", "frame_high")
    return pa.table({name: [edge[n] for edge in edges] for n, name in enumerate(names)} | columns)


def places(n=3):
    """Reports in two dimensions."""
    return pa.table({"t": [0, 1, 2], "x": [0.0, 5.0, 9.0], "y": [1.0, 2.0, 3.0]}).slice(0, n)


def footprints(*edges, **columns):
    names = ("frame_start", "frame_end", "frame_low_x", "frame_high_x", "frame_low_y", "frame_high_y")
    kinds = dict(zip(names, [pa.int64()] * 2 + [pa.float64()] * 4, strict=True))
    return filled(kinds, edges or [(0, 2, 1.0, 3.0, 1.0, 2.0), (1, 9, 4.0, 6.0, 0.0, 2.0)], columns)


def alarms(*cells):
    return filled({"t": pa.int64(), "window": pa.int64(), "value": pa.float64(), "threshold": pa.float64()}, cells)


def sessions(*rows, prefix="frame_", **columns):
    names = ("class", "id", "parent", "level", "start", "end", "closed_by")
    kinds = (pa.string(), pa.int64(), pa.int64(), pa.int32(), pa.int64(), pa.int64(), pa.string())
    return filled({prefix + name: kind for name, kind in zip(names, kinds, strict=True)}, rows, columns)


def filled(kinds: dict[str, pa.DataType], rows: Any, columns: Any = None) -> pa.Table:
    """A table of rows, with more columns beside."""
    made = pa.Table.from_pylist([dict(zip(kinds, row, strict=True)) for row in rows], schema=pa.schema(kinds))
    for name, values in (columns or {}).items():
        made = made.append_column(name, pa.array(values))
    return made


FEW = (
    ("Call", 1, None, 0, 0, 90, "condition"),
    ("ATT", 2, 1, 1, 10, 40, "condition"),
    ("FAQ", 3, 2, 2, 20, 30, "condition"),
    ("ATT", 4, 1, 1, 50, 90, "parent"),
    ("Call", 5, None, 0, 30, 100, "end of data"),
    ("ATT", 6, 5, 1, 40, 60, "timeout"),
)


@dataclass(frozen=True)
class Picture:
    """A function that draws, and tables to draw; `edges` are the columns of instants of the second table."""

    draw: Callable[..., Figure]
    tables: tuple[pa.Table, ...]
    instants: tuple[tuple[str, ...], ...]
    title: str
    options: dict[str, Any] = field(default_factory=dict)

    def __call__(self, *tables: Any, **options: Any) -> Figure:
        return self.draw(*(tables or self.tables), **{**self.options, **options})


_EDGES = ("frame_start", "frame_end")
PICTURES = {
    "frames": Picture(
        draw_frames, (table(), frames((5, 9), (20, 30))), (("t",), _EDGES), "2 frames", {"ts": "t", "value": "v"}
    ),
    "regions": Picture(
        draw_regions,
        (grid(), boxes((1, 3, 2.0, 4.0))),
        (("t",), _EDGES),
        "1 region",
        {"ts": "t", "space": "m", "value": "v"},
    ),
    "map": Picture(
        draw_regions, (places(), footprints()), (("t",), _EDGES), "2 regions", {"ts": "t", "space": ["x", "y"]}
    ),
    "bursts": Picture(
        draw_bursts,
        (table(), alarms((3, 4, 30.0, 20.0), (3, 8, 20.0, 20.0), (40, 4, 10.0, 0.0))),
        (("t",), ("t",)),
        "3 alarms",
        {"ts": "t", "value": "v", "windows": [4, 8, 12]},
    ),
    "timeline": Picture(timeline, (sessions(*FEW),), (_EDGES,), "2 Call sessions"),
}


def heading(figure: Figure) -> str:
    """What stands in small letters above a picture."""
    return str(figure.axes[0].get_title(loc="left"))


def legend(figure: Figure) -> list[str]:
    """What the legend says."""
    return [text.get_text() for each in figure.legends for text in each.get_texts()]
