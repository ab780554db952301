"""Cells: the box around a report, and the boxes that the reports of a component fill.

place |      |---------|
    c +      |    .    |          halfway to the neighbouring places that are known at that instant, and
      |      +---------+          halfway to the columns before and after it;
    b +      |    .    |          at a border as far as on the opposite one
      |      |---------|
      +---------+----+--------+--> time
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.regions.connected.components import AFTER, AT, BEFORE
from streamframes.core.regions.connected.neighbours import PlaceTable
from streamframes.core.regions.connected.union_find import near

# How far the cell of a place that is alone extends, in units of space.
ALONE = 0.5
# Edges are rounded to so many digits, so that (0.1 + 0.2) / 2 is 0.15.
_DIGITS = 15


@compiled
def _rounded(value: float) -> float:
    if value == 0 or not np.isfinite(value):
        return value
    digits = _DIGITS - 1 - int(np.floor(np.log10(abs(value))))
    if digits <= 0 or digits > 300:
        return value
    scale = 10.0**digits
    return float(np.round(value * scale) / scale)


@compiled
def _cell_edges(table: Any, step: Any, axis: int, s: int, t: int) -> Any:
    """From where to where the cell of a place goes along an axis, at an instant."""
    low, high, here = table.before[axis, s], table.after[axis, s], table.places[s, axis]
    while low >= 0 and table.since[low] > t:
        low = table.before[axis, low]
    while high >= 0 and table.since[high] > t:
        high = table.after[axis, high]
    below, above = near(table, step, axis, low, s), near(table, step, axis, s, high)
    bottom = top = min(ALONE, step[axis] / 2)
    if below or above:
        bottom = (here - table.places[low if below else s, axis]) / 2
        top = (table.places[high if above else s, axis] - here) / 2
    low_edge = (here + table.places[low, axis]) / 2 if below else here - (top if above else bottom)
    high_edge = (here + table.places[high, axis]) / 2 if above else here + (bottom if below else top)
    return _rounded(low_edge), _rounded(high_edge)


@compiled
def times_and_places(since: Any, bounds: Any, columns: Any, spans: Any) -> Any:
    """How many columns and how many places each component has."""
    times, places = np.zeros(bounds.size - 1, np.int64), np.zeros(bounds.size - 1, np.int64)
    seen = np.full(since.size, -1)
    for c in range(bounds.size - 1):
        for i in range(bounds[c], bounds[c + 1]):
            t = columns[i, AT]
            times[c] += i == bounds[c] or columns[i - 1, AT] != t
            for s in range(spans[i, 0], spans[i, 1] + 1):
                if seen[s] != c and since[s] <= t:
                    seen[s] = c
                    places[c] += 1
    return times, places


@compiled
def run_boxes(table: Any, step: Any, columns: Any, spans: Any) -> Any:
    """Boxes of runs along one axis: from and to, in half ticks and in units of space."""
    ticks, edges = np.empty((columns.shape[0], 2), np.int64), np.empty((columns.shape[0], 2))
    for i in range(columns.shape[0]):
        t = columns[i, AT]
        left, right = t - columns[i, BEFORE], columns[i, AFTER] - t
        if left == 0 and right == 0:
            left = right = 1
        ticks[i, 0] = 2 * t - (left or right)
        ticks[i, 1] = 2 * t + (right or left)
        edges[i, 0] = _cell_edges(table, step, 0, spans[i, 0], t)[0]
        edges[i, 1] = _cell_edges(table, step, 0, spans[i, 1], t)[1]
    return ticks, edges


@compiled
def _cells(table: Any, step: Any, bounds: Any, columns: Any, spans: Any, out: Any) -> Any:
    """Cells in a plane, each once: component, place, and its box. Only counts them if there is no room."""
    n, seen, last = 0, np.full(table.since.size, -1), np.empty((table.since.size, 4))
    for c in range(bounds.size - 1):
        for i in range(bounds[c], bounds[c + 1]):
            t = columns[i, AT]
            for s in range(spans[i, 0], spans[i, 1] + 1):
                if table.since[s] > t:
                    continue
                (left, right), (low, high) = _cell_edges(table, step, 0, s, t), _cell_edges(table, step, 1, s, t)
                same = seen[s] == c and last[s, 0] == left and last[s, 1] == low
                if same and last[s, 2] == right and last[s, 3] == high:
                    continue
                seen[s] = c
                last[s, 0], last[s, 1], last[s, 2], last[s, 3] = left, low, right, high
                if out.size:
                    out[n, 0], out[n, 1], out[n, 2:] = c, s, last[s]
                n += 1
    return n


def plane_boxes(
    table: PlaceTable, step: np.ndarray, bounds: np.ndarray, columns: np.ndarray, spans: np.ndarray
) -> tuple[np.ndarray, np.ndarray]:
    """Boxes that make up the footprint of components in a plane: number of the component, left, low, right, high."""
    n = _cells(table, step, bounds, columns, spans, np.empty((0, 6)))
    cells = np.empty((n, 6))
    _cells(table, step, bounds, columns, spans, cells)
    cells = cells[np.lexsort((cells[:, 1], cells[:, 4], cells[:, 2], cells[:, 0]))]
    joins = (cells[1:, [0, 2, 4]] == cells[:-1, [0, 2, 4]]).all(axis=1) & (cells[1:, 3] == cells[:-1, 5])
    first = np.flatnonzero(np.append(True, ~joins)[:n])
    last = np.append(first[1:], n)[: first.size] - 1
    boxes = np.column_stack([cells[first, 2], cells[first, 3], cells[first, 4], cells[last, 5]])
    return cells[first, 0].astype(np.int64), boxes
