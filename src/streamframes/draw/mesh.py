"""Meshes: reports of places over time as cells of a picture, no more of them than a reader can see.

place |  . : # # : .        a cell is the mean of its reports
      |  . # #     .        one without a report stays empty
      +---------------> time
"""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np

MAX_COLUMNS = 1_600
MAX_LINES = 400
# More points than this are drawn as cells, too.
MAX_POINTS = 30_000
MAX_LANES = 200
_POINTS = 8
# Reports in fewer of the cells are points, not a grid.
_GRID = 0.2
_FEWEST_LINES = 2


@dataclass(frozen=True)
class Mesh:
    """Cells by line (place) and column (time), and the edges between them."""

    columns: np.ndarray
    lines: np.ndarray
    cells: np.ma.MaskedArray

    def around(self, start: float, end: float, low: float, high: float) -> tuple[float, float, float, float]:
        """The edges of the cells that hold a box of reports, so that a line drawn there goes around them."""
        left, right = _cells(self.columns, np.array([start, end]))
        bottom, top = _cells(self.lines, np.array([low, high]))
        return (
            float(self.columns[left]),
            float(self.columns[right + 1]),
            float(self.lines[bottom]),
            float(self.lines[top + 1]),
        )


def mesh_of(at: np.ndarray, place: np.ndarray, value: np.ndarray) -> Mesh | None:
    """The cells of reports, or nothing where they are few and times and places too irregular for a grid.

    >>> mesh = mesh_of(np.array([0.0, 1, 0, 1]), np.array([5.0, 5, 7, 7]), np.array([1.0, 2, 3, 4]))
    >>> mesh.columns.tolist(), mesh.lines.tolist(), mesh.cells.tolist()
    ([-0.5, 0.5, 1.5], [4.0, 6.0, 8.0], [[1.0, 2.0], [3.0, 4.0]])
    """
    times, places = np.unique(at), np.unique(place)
    if places.size < _FEWEST_LINES or times.size < _FEWEST_LINES:
        return None
    if at.size >= _GRID * times.size * places.size:
        return _filled(_columns(times), _lines(places), at, place, value)
    if at.size > MAX_POINTS:
        # More columns than lines, and several points in a cell.
        number = min(MAX_LANES, round((at.size / (3 * _POINTS)) ** 0.5))
        columns, lines = (np.linspace(each[0], each[-1], n + 1) for each, n in ((times, 3 * number), (places, number)))
        return _filled(columns, lines, at, place, value)
    return None


def _filled(columns: np.ndarray, lines: np.ndarray, at: np.ndarray, place: np.ndarray, value: np.ndarray) -> Mesh:
    shape = (lines.size - 1, columns.size - 1)
    known = np.isfinite(value)
    flat = _cells(lines, place[known]) * shape[1] + _cells(columns, at[known])
    count = np.bincount(flat, minlength=shape[0] * shape[1])
    total = np.bincount(flat, value[known], minlength=count.size)
    mean = np.ma.masked_array(total / np.maximum(count, 1), mask=count == 0)
    return Mesh(columns, lines, mean.reshape(shape))


def _cells(edges: np.ndarray, values: np.ndarray) -> np.ndarray:
    return np.clip(np.searchsorted(edges, values, side="right") - 1, 0, edges.size - 2)


def _columns(times: np.ndarray) -> np.ndarray:
    """Edges of equal stretches of time, as wide as instants are apart, each around its instant."""
    span = times[-1] - times[0]
    width = max(float(np.median(np.diff(times))), span / MAX_COLUMNS)
    return np.asarray(times[0] - width / 2 + width * np.arange(round(span / width) + 2))


def _lines(places: np.ndarray) -> np.ndarray:
    """Edges halfway between neighbouring places; those of very many places are equally far apart."""
    if places.size > MAX_LINES:
        return np.linspace(places[0], places[-1], MAX_LINES + 1)
    middle = (places[1:] + places[:-1]) / 2
    return np.concatenate([[2 * places[0] - middle[0]], middle, [2 * places[-1] - middle[-1]]])
