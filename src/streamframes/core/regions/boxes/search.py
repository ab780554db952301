"""Boxes: maximal regions of places in a plane that satisfy the condition over a span of time.

y |  o  o  o      Places stand on a lattice of the known x and the known y. A box holds a place at each of its
  |  o  o         points, and each of them has satisfied the condition at every column since the box started, or
  |  o  o  o      since it is known. A point without a place ends the boxes over it, from the column on at which
  +----------> x  both its x and its y are known; so does a known place that does not report.
"""

from __future__ import annotations

import numpy as np

from streamframes.core.batch.tree import Tree, array_at, number_at
from streamframes.core.regions.boxes.imputations import moved, no_entries
from streamframes.core.regions.boxes.kernel import (
    END_TS,
    FAILED,
    FIRST,
    IMPUTED_ROWS,
    LAST_LINE,
    LAST_ROW,
    LINE,
    NOT_YET,
    PLACES,
    ROW,
    ROWS,
    START_TS,
    WHY,
    boxes_at,
    sweep,
)
from streamframes.core.regions.boxes.kernel import FIELDS as BOX_FIELDS
from streamframes.core.regions.types import Columns, Limits, OpenRegions, Regions, Search
from streamframes.errors import StreamFramesError

MOST_POINTS = 1 << 22
_POINT_FIELDS = 4


class BoxSearch(Search):
    """The search for boxes; the axis with fewer coordinates makes the rows of its lattice.

    Examples
    --------
    >>> search = BoxSearch(Limits(extent=(0.0, 0.0)))
    >>> search.add_places(np.arange(0), np.array([[1.0, 1.0], [2.0, 1.0]]), np.zeros(2, bool))
    >>> both, one = np.array([1, 1], np.uint8), np.array([1, 0], np.uint8)
    >>> columns = Columns(np.array([10, 20]), np.array([0, 2, 4]), np.array([0, 1, 0, 1]), np.append(both, one))
    >>> boxes = search.feed(columns)
    >>> boxes.start.tolist(), boxes.end.tolist(), boxes.low.tolist(), boxes.high.tolist()
    ([10], [10], [[1.0, 1.0]], [[2.0, 1.0]])
    """

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.axes = [0, 1]
        self.edges = [np.empty(0), np.empty(0)]
        self.since = [np.empty(0, np.int64), np.empty(0, np.int64)]
        self.points = np.empty((0, _POINT_FIELDS), np.int64)
        self.point_of = np.empty(0, np.int64)
        self.entries: tuple[np.ndarray, ...] = no_entries(0)
        self.now, self.now_ts = -1, 0

    def add_places(self, moved_to: np.ndarray, places: np.ndarray, listed: np.ndarray) -> None:
        """More places have come; what is known goes with their coordinates."""
        lines = [np.unique(places[:, 0]), np.unique(places[:, 1])]
        if lines[0].size * lines[1].size > MOST_POINTS:
            raise StreamFramesError(
                f"boxes need places on a lattice, but {places.shape[0]} places have {lines[0].size} different values "
                f"of the first coordinate and {lines[1].size} of the second; round them to a grid"
            )
        axes = [0, 1] if lines[0].size <= lines[1].size else [1, 0]
        if axes != self.axes:
            self._turn()
        edges = [lines[axis] for axis in axes]
        self._enlarge(edges)
        rows, columns = (np.searchsorted(edges[k], places[:, axes[k]]) for k in range(2))
        self.point_of = rows * edges[1].size + columns
        fresh = listed & (self.points[self.point_of, FIRST] == NOT_YET)
        self.points[self.point_of[fresh], FIRST] = self.now + 1
        for since, line in zip(self.since, (rows, columns), strict=True):
            since[line[fresh]] = np.minimum(since[line[fresh]], self.now + 1)

    def _turn(self) -> None:
        """Make rows of what were lines."""
        order = np.arange(self.points.shape[0]).reshape(self.edges[0].size, self.edges[1].size).T.ravel()
        self.points = self.points[order]
        at, much, size = self.entries
        self.entries = (at[order], much[order], size[order])
        self.axes, self.edges, self.since = self.axes[::-1], self.edges[::-1], self.since[::-1]

    def _enlarge(self, edges: list[np.ndarray]) -> None:
        """Take the state to a lattice with more rows and lines."""
        rows, lines = (np.searchsorted(edges[k], self.edges[k]) for k in range(2))
        moved_to = (rows[:, None] * edges[1].size + lines).ravel()
        n_points = edges[0].size * edges[1].size
        points = np.zeros((n_points, _POINT_FIELDS), np.int64)
        points[:, FAILED], points[:, FIRST] = -1, NOT_YET
        points[moved_to] = self.points
        self.points, self.entries = points, moved(self.entries, moved_to, n_points)
        for k, old in enumerate((rows, lines)):
            since = np.full(edges[k].size, NOT_YET, np.int64)
            since[old] = self.since[k]
            self.since[k] = since
        self.edges = edges

    def feed(self, columns: Columns) -> Regions:
        """The boxes that these columns end."""
        given = (columns.times, columns.bounds, columns.place_id, columns.code)
        rows, n_rows, self.now, self.now_ts, self.entries = sweep(
            given, self.point_of, self.now, self.now_ts, self._lattice, self._spaced, self._limits(self.limits),
            self.entries,
        )  # fmt: skip
        return self._regions(rows[:n_rows])

    def finish(self, cause: int) -> Regions:
        """The boxes that are open; nothing is open afterwards."""
        regions = self._open(self.limits)
        regions.cause[:] = cause
        self.points[:, FAILED] = self.now
        self.entries[2][:] = 0
        return regions

    def open_regions(self) -> OpenRegions:
        """The open boxes, large enough or not."""
        regions = self._open(Limits(extent=(0.0, 0.0), step=self.limits.step))
        return OpenRegions(regions.start, regions.low, regions.high)

    def _open(self, limits: Limits) -> Regions:
        ended = np.zeros((self.edges[0].size + 1, self.edges[1].size + 1), np.int64)
        rows, n_rows = boxes_at(
            self.now, self.now_ts, self._lattice, ended, self._spaced, self._limits(limits), self.entries,
            np.empty((0, BOX_FIELDS), np.int64), 0,
        )  # fmt: skip
        return self._regions(rows[:n_rows])

    @property
    def _lattice(self) -> tuple[np.ndarray, ...]:
        return self.points, *self.since

    @property
    def _spaced(self) -> tuple[np.ndarray, np.ndarray, float]:
        return self.edges[0], self.edges[1], float(self.limits.widest_step)

    def _limits(self, limits: Limits) -> tuple[int, float, float, int, int]:
        extent, other_extent = (float(limits.extent[axis]) for axis in self.axes)
        return int(limits.duration), extent, other_extent, max(1, int(limits.times)), int(limits.places)

    def _regions(self, rows: np.ndarray) -> Regions:
        rows = rows[np.lexsort((self._number(rows), rows[:, START_TS], rows[:, END_TS]))]
        corners = [
            (self.edges[0][rows[:, row]], self.edges[1][rows[:, line]])
            for row, line in ((ROW, LINE), (LAST_ROW, LAST_LINE))
        ]
        low, high = (np.stack([corner[axis] for axis in self.axes], axis=1) for corner in corners)
        return Regions(
            start=rows[:, START_TS],
            end=rows[:, END_TS],
            low=low,
            high=high,
            rows=rows[:, ROWS],
            places=rows[:, PLACES],
            imputed=rows[:, IMPUTED_ROWS],
            cause=rows[:, WHY],
            identity=np.concatenate([low, high], axis=1),
        )

    def _number(self, rows: np.ndarray) -> np.ndarray:
        """Boxes in the order of their corners, whichever axis makes the rows."""
        fields = ((ROW, LAST_ROW), (LINE, LAST_LINE))
        (x, last_x), (y, last_y) = (fields[axis] for axis in self.axes)
        n_x, n_y = (self.edges[axis].size for axis in self.axes)
        number = ((rows[:, x] * n_y + rows[:, y]) * n_x + rows[:, last_x]) * n_y + rows[:, last_y]
        return np.asarray(number)

    def snapshot(self) -> Tree:
        """Everything that must be known to go on later."""
        edges = {f"edges {k}": each for k, each in enumerate(self.edges)}
        since = {f"since {k}": each for k, each in enumerate(self.since)}
        entries = {f"entries {k}": each for k, each in enumerate(self.entries)}
        return {
            **edges,
            **since,
            **entries,
            "axes": np.array(self.axes),
            "points": self.points,
            "point_of": self.point_of,
            "now": self.now,
            "now_ts": self.now_ts,
        }

    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot."""
        self.axes = array_at(tree, "axes").tolist()
        self.edges, self.since = (
            [array_at(tree, f"{name} {axis}") for axis in range(2)] for name in ("edges", "since")
        )
        self.points, self.point_of = array_at(tree, "points"), array_at(tree, "point_of")
        self.entries = tuple(array_at(tree, f"entries {k}") for k in range(3))
        self.now, self.now_ts = number_at(tree, "now"), number_at(tree, "now_ts")
