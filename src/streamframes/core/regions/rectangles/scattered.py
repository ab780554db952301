"""Method II: partial regions as spans in space with a depth in time; places and times need not form a grid.

  place   column 7         column 8         A *span* is a rectangle of satisfied reports that nothing satisfied could
    9     |3               |4               have widened so far. A report in its way ends it: it is a region. One
    8     |  |4            |  |5            that it can take in replaces it by a larger span. Its *free range* is what
    5     |  |             |  |             it may still take in: the places around it that have not failed since it
    4     |  |             F                began.

What is known of a place is the last column at which it failed and, since then, its satisfied reports, as stretches of
successive columns. At each column the spans that hold one of its satisfied reports are found anew (`widest`).

A column with many reports costs O(places + spans), one with few costs the places that its spans may come to hold.
Where reports form no grid, a span is shrunk by looking at its places one by one.

References
----------
Whiteneck et al., Framing the Question: detecting and filling spatial-temporal windows, IWGS 2010, section 3.
"""

from __future__ import annotations

import numpy as np

from streamframes.core.batch.tree import Tree, array_at, number_at, tree_at
from streamframes.core.regions.rectangles.forgetting import drop_enclosed, free_ranges, needed_places
from streamframes.core.regions.rectangles.pending import PendingRectangles, endings_of, parts_of_all
from streamframes.core.regions.rectangles.place_history import (
    FAILED,
    FIRST_COLUMN,
    KNOWN,
    LAST,
    LAST_COLUMN,
    LATEST,
    NEWEST,
    NOTHING,
    RECORD_FIELDS,
    STRETCH_FIELDS,
    packed,
)
from streamframes.core.regions.rectangles.sweep import ENOUGH, TOO_FEW_TIMES, describe, sweep, update_free_ranges
from streamframes.core.regions.rectangles.types import END_TS, FIELDS, START_TS, Context, regions_of
from streamframes.core.regions.rectangles.walls import NOT_YET, build_walls
from streamframes.core.regions.rectangles.widest import FREE_FROM, FREE_TO, FROM, SINCE, SPAN_FIELDS, TO
from streamframes.core.regions.types import Columns, Limits, OpenRegions, Regions, Search, concat

# Up to so many places, none is forgotten.
FEW_PLACES = 256


class ScatteredSearch(Search):
    """The search for rectangles by Method II; `absent` says that places may be silent, and nothing stands for it."""

    def __init__(self, limits: Limits, *, absent: bool = True) -> None:
        self.limits = limits
        self.position = np.empty(0, np.float64)
        self.records = np.empty((0, RECORD_FIELDS), np.int64)
        self.stretches = np.empty((0, STRETCH_FIELDS), np.int64)
        self.spans = np.empty((0, SPAN_FIELDS), np.int64)
        self.instants = np.empty((0, 2), np.int64)
        self.now = 0
        self.kept = 0
        self.pending = PendingRectangles() if absent and limits.times > 1 else None

    def add_places(self, moved_to: np.ndarray, places: np.ndarray, listed: np.ndarray) -> None:
        """More places have come."""
        records = np.full((places.shape[0], RECORD_FIELDS), NOTHING, np.int64)
        records[:, KNOWN] = listed
        records[moved_to] = self.records
        self.records, self.position = records, np.ascontiguousarray(places[:, 0])
        self._renumber(moved_to)

    def feed(self, columns: Columns) -> Regions:
        """The regions that these columns end."""
        numbers = self.now + np.arange(columns.times.size)
        self.instants = np.concatenate([self.instants, np.stack([numbers, columns.times], axis=1)])
        n_stretches = self.stretches.shape[0]
        room = np.empty((np.count_nonzero(columns.code), STRETCH_FIELDS), np.int64)
        self.stretches = np.concatenate([self.stretches, room])
        given, last = (columns.bounds, columns.place_id, columns.code), self.records[:, LAST].copy()
        self.spans, rows, parts = sweep(given, self.now, n_stretches, self._context, self.spans)
        regions = regions_of(rows, self.position)
        if self.pending is not None:
            ended = self.pending.feed(self._numbered(rows), parts, endings_of(given, self.now, last))
            regions = concat([regions, self._dated(ended)])
            self.pending.tidy(self.now + columns.times.size, self._context)
        self.now += columns.times.size
        self._tidy()
        return regions

    def forget(self) -> np.ndarray | None:
        """Forget places of which nothing matters, once they are many; returns those that are left, or None."""
        if self.position.size < 2 * self.kept + FEW_PLACES:
            return None
        least = self.limits.extent[0]
        drop_enclosed(self.records, self.position, least)
        self.stretches = packed(self.records, self.stretches)
        left = np.flatnonzero(
            needed_places(
                self.records,
                self.stretches,
                self.position,
                self.limits.widest_step,
                looks_back=self.pending is not None,
            )
        )
        self.spans = self.spans[self._may_be_wide(least)]
        moved_to = np.cumsum(np.bincount(left, minlength=self.position.size)) - 1
        self.records, self.position, self.kept = self.records[left], self.position[left], left.size
        self._renumber(moved_to)
        return left

    def _renumber(self, moved_to: np.ndarray) -> None:
        """Place i is now moved_to[i]."""
        self.spans[:, [FROM, TO]] = moved_to[self.spans[:, [FROM, TO]]]
        update_free_ranges(self.spans, self.spans.shape[0], self.records, self._walls)
        if self.pending is not None:
            self.pending.renumber(moved_to)

    def _may_be_wide(self, least: float) -> np.ndarray:
        """Which spans do not lie between failures that are too close."""
        free = self._free_regions()
        low, high = free.low[:, 0], free.high[:, 0]
        return np.asarray(high - low > least) if least > 0 else np.ones(low.size, np.bool_)

    def finish(self, cause: int) -> Regions:
        """The regions that are open."""
        rows, meets = self._described(self.spans)
        regions = regions_of(rows[meets == ENOUGH], self.position)
        if self.pending is not None:
            parts = parts_of_all(self.spans[meets == TOO_FEW_TIMES], self._context)
            ended = self.pending.finish(self._numbered(rows[meets == ENOUGH]), parts)
            regions = concat([regions, self._dated(ended)])
        regions.cause[:] = cause
        self.records[:, FAILED] = self.now - 1
        self.records[:, [NEWEST, LATEST]] = NOTHING
        self.spans = self.spans[:0]
        return regions

    def certain(self) -> Regions:
        """The open regions of which start and extent are certain, as far as places are known."""
        known = np.append(0, np.cumsum(self.records[:, KNOWN] != 0))
        spans = self.spans
        inside = known[spans[:, TO] + 1] - known[spans[:, FROM]]
        rows, meets = self._described(spans[known[spans[:, FREE_TO] + 1] - known[spans[:, FREE_FROM]] == inside])
        return regions_of(rows[meets == ENOUGH], self.position)

    def count_open(self, candidates: OpenRegions) -> int:
        """How many spans are open."""
        return len(self.spans)

    def open_regions(self) -> OpenRegions:
        """What satisfied reports may still be part of: since when, over which places; also where no span is open."""
        first, low, high = free_ranges(self.records, self.stretches)
        since = self.instants[np.searchsorted(self.instants[:, 0], first), 1]
        beyond = np.concatenate([[-np.inf], self.position, [np.inf]])
        return OpenRegions(since, beyond[low][:, None], beyond[high + 2][:, None])

    def _free_regions(self) -> OpenRegions:
        """The spans that are open, over their free ranges."""
        since = self.instants[np.searchsorted(self.instants[:, 0], self.spans[:, SINCE]), 1]
        beyond = np.concatenate([[-np.inf], self.position, [np.inf]])
        low, high = beyond[self.spans[:, FREE_FROM]], beyond[self.spans[:, FREE_TO] + 2]
        return OpenRegions(since, low[:, None], high[:, None])

    def _described(self, spans: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Spans as rows of numbers, and whether each meets the minimums."""
        rows = np.zeros((spans.shape[0], FIELDS), np.int64)
        meets = [
            describe(span, self.instants, self.records, self.stretches, self.position, self._limits, row)
            for span, row in zip(spans, rows, strict=True)
        ]
        return rows, np.array(meets, np.int64)

    def _numbered(self, rectangles: np.ndarray) -> np.ndarray:
        """Rectangles with numbers of columns instead of instants."""
        rows = rectangles.copy()
        edges = [START_TS, END_TS]
        rows[:, edges] = self.instants[np.searchsorted(self.instants[:, 1], rectangles[:, edges]), 0]
        return rows

    def _dated(self, rows: np.ndarray) -> Regions:
        """Regions of rectangles with the numbers of columns."""
        edges = [START_TS, END_TS]
        rows[:, edges] = self.instants[np.searchsorted(self.instants[:, 0], rows[:, edges]), 1]
        return regions_of(rows, self.position)

    def _tidy(self) -> None:
        """Drop the reports that no place knows of, and the instants of columns without any that is left."""
        self.stretches = packed(self.records, self.stretches)
        first, last = np.sort(self.stretches[:, FIRST_COLUMN]), np.sort(self.stretches[:, LAST_COLUMN])
        numbers = self.instants[:, 0]
        begun, over = np.searchsorted(first, numbers, side="right"), np.searchsorted(last, numbers)
        self.instants = self.instants[begun > over]

    @property
    def _limits(self) -> tuple[int, float, int, int]:
        return self.limits.duration, self.limits.extent[0], self.limits.times, self.limits.places

    @property
    def _walls(self) -> np.ndarray:
        walls = np.zeros(self.position.size, np.bool_)
        first = np.where(self.records[:, KNOWN] != 0, 0, NOT_YET)
        build_walls(first, self.position, self.limits.widest_step, walls)
        return walls

    @property
    def _state(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        return self.records, self.stretches, self._walls, self.position

    @property
    def _context(self) -> Context:
        return self._state, self.instants, self._limits, self.limits.widest_step

    def snapshot(self) -> Tree:
        """Everything that must be known to go on later."""
        return {
            "records": self.records,
            "stretches": self.stretches,
            "spans": self.spans,
            "instants": self.instants,
            "now": self.now,
            "kept": self.kept,
            "pending": self.pending.snapshot() if self.pending is not None else {},
        }

    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot."""
        self.records, self.stretches = array_at(tree, "records"), array_at(tree, "stretches")
        self.spans, self.instants = array_at(tree, "spans"), array_at(tree, "instants")
        self.now, self.kept = number_at(tree, "now"), number_at(tree, "kept")
        if self.pending is not None:
            self.pending.restore(tree_at(tree, "pending"))
