"""Outlines: regions of a table as closed lines on the axes, each as its shape is known: a box, spans, or a polygon.

high |   +-----+            +--+
     |   |     |        +---+  |
 low |   +-----+        +------+
       start   end
"""

from __future__ import annotations

import re
from collections.abc import Iterator, Sequence
from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from streamframes.draw.signal import column_of, instants, numbers

_RING = re.compile(r"\(([^()]+)\)")
# Of a day: days, seconds and microseconds.
_UNITS = (1.0, 86_400.0, 86_400_000_000.0)


@dataclass(frozen=True)
class Outlines:
    """Regions by their largest: edges in time and place, and where a shape is known, the rings around it."""

    start: np.ndarray
    end: np.ndarray
    low: np.ndarray
    high: np.ndarray
    rings: list[list[np.ndarray]]

    def __len__(self) -> int:
        return int(self.start.size)

    def largest(self, number: int) -> Outlines:
        """Only those that cover most, in the order in which they stand."""
        if len(self) <= number:
            return self
        size = (self.end - self.start) * np.prod(self.high - self.low, axis=1)
        kept = np.sort(np.argsort(-size, kind="stable")[:number])
        rings = [self.rings[place] for place in kept] if self.rings else []
        return Outlines(self.start[kept], self.end[kept], self.low[kept], self.high[kept], rings)


def outlines_of(regions: pa.Table, prefix: str, space: Sequence[str]) -> Outlines:
    """The regions of a table; an `outline` in WKT, where there is one, is their shape."""
    start = instants(column_of(regions, f"{prefix}start", "regions"))
    end = instants(column_of(regions, f"{prefix}end", "regions")).at
    low, high = (_edges(regions, prefix, edge, space) for edge in ("low", "high"))
    rings: list[list[np.ndarray]] = []
    if f"{prefix}outline" in regions.column_names:
        texts = regions[f"{prefix}outline"].to_pylist()
        rings = [[*_rings(text)] for text in texts]
        if len(space) == 1 and start.is_time:
            _as_days(rings, start.at)
    return Outlines(start.at, end, low, high, rings)


def corners(start: float, end: float, low: float, high: float) -> np.ndarray:
    """A box as a ring.

    >>> corners(0, 2, 5, 6).tolist()
    [[0.0, 5.0], [2.0, 5.0], [2.0, 6.0], [0.0, 6.0], [0.0, 5.0]]
    """
    return np.array([[start, low], [end, low], [end, high], [start, high], [start, low]], np.float64)


def _edges(regions: pa.Table, prefix: str, edge: str, space: Sequence[str]) -> np.ndarray:
    """Low or high edges: one column, or one for each dimension."""
    if len(space) == 1:
        return numbers(column_of(regions, f"{prefix}{edge}", "regions"), edge)[:, np.newaxis]
    names = [f"{prefix}{edge}_{name}" for name in space]
    return np.stack([numbers(column_of(regions, name, "regions"), name) for name in names], axis=1)


def _rings(text: str | None) -> Iterator[np.ndarray]:
    """The rings of a polygon or of several, in WKT.

    >>> [ring.tolist() for ring in _rings("POLYGON ((0 1, 2 1, 2 3, 0 1))")]
    [[[0.0, 1.0], [2.0, 1.0], [2.0, 3.0], [0.0, 1.0]]]
    """
    for ring in _RING.findall(text or ""):
        yield np.array([pair.split()[:2] for pair in ring.split(",")], np.float64)


def _as_days(rings: list[list[np.ndarray]], start: np.ndarray) -> None:
    """Times of polygons, in whichever unit they count, as places on an axis of days."""
    for own, at in zip(rings, start, strict=True):
        if own:
            first = min(ring[:, 0].min() for ring in own)
            unit = min(_UNITS, key=lambda unit: abs(first / unit - at))
            for ring in own:
                ring[:, 0] /= unit
