"""Method II: partial regions as spans in space with a depth in time; places and times need not form a grid.

  place   column 7         column 8         A *span* is a rectangle of satisfied reports that nothing satisfied could
    9     |3               |4               have widened so far. A report in its way ends it: it is a region. One
    8     |  |4            |  |5            that it can take in replaces it by a larger span. What else may still be
    5     |  |             |  |             taken in is its *reach*: the slots around it that have not failed since
    4     |  |             F                it began.

What is known of a slot is the last column at which it failed and, since then, its satisfied reports, as stretches of
successive columns. At each column the spans that hold one of its satisfied reports are found anew (`widest`).

A column with many reports costs O(slots + spans), one with few the slots that its spans reach over. Where reports form
no grid, a span is shrunk by looking at its slots one by one.

References
----------
Whiteneck et al., Framing the Question: detecting and filling spatial-temporal windows, IWGS 2010, section 3.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.regions.rectangles.forgetting import drop_hopeless, needed_slots, reaches
from streamframes.core.regions.rectangles.grid import NOT_YET, build_walls
from streamframes.core.regions.rectangles.pending import Undecided, blows_of, parts_of_all
from streamframes.core.regions.rectangles.place_history import (
    FAILED,
    FIRST_COLUMN,
    KNOWN,
    LAST,
    LAST_COLUMN,
    LATEST,
    NEWEST,
    NOTHING,
    SLOT_FIELDS,
    STRETCH_FIELDS,
    packed,
)
from streamframes.core.regions.rectangles.rectangles import END_TS, FIELDS, START_TS, as_found
from streamframes.core.regions.rectangles.sweep import ENOUGH, SELDOM, describe, reach_anew, sweep
from streamframes.core.regions.rectangles.widest import FROM, REACH_FROM, REACH_TO, SINCE, SPAN_FIELDS, TO
from streamframes.core.regions.types import Columns, Found, Limits, Live, joined

# So many slots are not worth a look at which of them matter.
FEW_SLOTS = 256


class Spans:
    """The search for rectangles by Method II; `absent` says that places may be silent, and nothing stands for it."""

    def __init__(self, limits: Limits, *, absent: bool = True) -> None:
        self.limits = limits
        self.place = np.empty(0, np.float64)
        self.slots = np.empty((0, SLOT_FIELDS), np.int64)
        self.stretches = np.empty((0, STRETCH_FIELDS), np.int64)
        self.spans = np.empty((0, SPAN_FIELDS), np.int64)
        self.instants = np.empty((0, 2), np.int64)
        self.now = 0
        self.kept = 0
        self.undecided = Undecided() if absent and limits.times > 1 else None

    def widen(self, place: np.ndarray, places: np.ndarray, listed: np.ndarray) -> None:
        """More places have come."""
        slots = np.full((places.shape[0], SLOT_FIELDS), NOTHING, np.int64)
        slots[:, KNOWN] = listed
        slots[place] = self.slots
        self.slots, self.place = slots, np.ascontiguousarray(places[:, 0])
        self._move(place)

    def feed(self, columns: Columns) -> Found:
        """The regions that these columns end."""
        numbers = self.now + np.arange(columns.times.size)
        self.instants = np.concatenate([self.instants, np.stack([numbers, columns.times], axis=1)])
        n_stretches = self.stretches.shape[0]
        room = np.empty((np.count_nonzero(columns.code), STRETCH_FIELDS), np.int64)
        self.stretches = np.concatenate([self.stretches, room])
        given, last = (columns.bounds, columns.slot, columns.code), self.slots[:, LAST].copy()
        self.spans, found, parts = sweep(given, self.now, n_stretches, self._asked, self.spans)
        regions = as_found(found, self.place)
        if self.undecided is not None:
            ended = self.undecided.feed(self._numbered(found), parts, blows_of(given, self.now, last))
            regions = joined([regions, self._dated(ended)])
            self.undecided.tidy(self.now + columns.times.size, self._asked)
        self.now += columns.times.size
        self._tidy()
        return regions

    def forget(self) -> np.ndarray | None:
        """Forget slots of which nothing matters, once they are many; returns those that are left, or None."""
        if self.place.size < 2 * self.kept + FEW_SLOTS:
            return None
        least = self.limits.extent[0]
        drop_hopeless(self.slots, self.place, least)
        self.stretches = packed(self.slots, self.stretches)
        left = np.flatnonzero(
            needed_slots(
                self.slots, self.stretches, self.place, self.limits.step, looks_back=self.undecided is not None
            )
        )
        self.spans = self.spans[self._may_be_wide(least)]
        place = np.cumsum(np.bincount(left, minlength=self.place.size)) - 1
        self.slots, self.place, self.kept = self.slots[left], self.place[left], left.size
        self._move(place)
        return left

    def _move(self, place: np.ndarray) -> None:
        """Slot i is now place[i]."""
        self.spans[:, [FROM, TO]] = place[self.spans[:, [FROM, TO]]]
        reach_anew(self.spans, self.spans.shape[0], self.slots, self._walls)
        if self.undecided is not None:
            self.undecided.move(place)

    def _may_be_wide(self, least: float) -> np.ndarray:
        """Which spans do not lie between failures that are too close."""
        reached = self._reached()
        low, high = reached.low[:, 0], reached.high[:, 0]
        return np.asarray(high - low > least) if least > 0 else np.ones(low.size, np.bool_)

    def finish(self, cause: int) -> Found:
        """The regions that are open."""
        told, meets = self._described(self.spans)
        found = as_found(told[meets == ENOUGH], self.place)
        if self.undecided is not None:
            parts = parts_of_all(self.spans[meets == SELDOM], self._asked)
            ended = self.undecided.finish(self._numbered(told[meets == ENOUGH]), parts)
            found = joined([found, self._dated(ended)])
        found.cause[:] = cause
        self.slots[:, FAILED] = self.now - 1
        self.slots[:, [NEWEST, LATEST]] = NOTHING
        self.spans = self.spans[:0]
        return found

    def certain(self) -> Found:
        """The open regions of which start and extent are certain, as far as places are known."""
        known = np.append(0, np.cumsum(self.slots[:, KNOWN] != 0))
        spans = self.spans
        inside = known[spans[:, TO] + 1] - known[spans[:, FROM]]
        told, meets = self._described(spans[known[spans[:, REACH_TO] + 1] - known[spans[:, REACH_FROM]] == inside])
        return as_found(told[meets == ENOUGH], self.place)

    def live(self) -> Live:
        """What satisfied reports may still be part of: since when, over which places; also where no span is open."""
        first, low, high = reaches(self.slots, self.stretches)
        since = self.instants[np.searchsorted(self.instants[:, 0], first), 1]
        beyond = np.concatenate([[-np.inf], self.place, [np.inf]])
        return Live(since, beyond[low][:, None], beyond[high + 2][:, None])

    def _reached(self) -> Live:
        """The spans that are open, and what they reach over."""
        since = self.instants[np.searchsorted(self.instants[:, 0], self.spans[:, SINCE]), 1]
        beyond = np.concatenate([[-np.inf], self.place, [np.inf]])
        low, high = beyond[self.spans[:, REACH_FROM]], beyond[self.spans[:, REACH_TO] + 2]
        return Live(since, low[:, None], high[:, None])

    def _described(self, spans: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """Spans as rows of numbers, and whether each meets the minimums."""
        told = np.zeros((spans.shape[0], FIELDS), np.int64)
        meets = [
            describe(span, self.instants, self.slots, self.stretches, self.place, self._limits, row)
            for span, row in zip(spans, told, strict=True)
        ]
        return told, np.array(meets, np.int64)

    def _numbered(self, told: np.ndarray) -> np.ndarray:
        """Rectangles with the numbers of columns in the place of instants."""
        rows = told.copy()
        edges = [START_TS, END_TS]
        rows[:, edges] = self.instants[np.searchsorted(self.instants[:, 1], told[:, edges]), 0]
        return rows

    def _dated(self, rows: np.ndarray) -> Found:
        """Regions of rectangles with the numbers of columns."""
        edges = [START_TS, END_TS]
        rows[:, edges] = self.instants[np.searchsorted(self.instants[:, 0], rows[:, edges]), 1]
        return as_found(rows, self.place)

    def _tidy(self) -> None:
        """Drop the reports that no slot knows of, and the instants of columns without any that is left."""
        self.stretches = packed(self.slots, self.stretches)
        first, last = np.sort(self.stretches[:, FIRST_COLUMN]), np.sort(self.stretches[:, LAST_COLUMN])
        numbers = self.instants[:, 0]
        begun, over = np.searchsorted(first, numbers, side="right"), np.searchsorted(last, numbers)
        self.instants = self.instants[begun > over]

    @property
    def _limits(self) -> tuple[int, float, int, int]:
        return self.limits.duration, self.limits.extent[0], self.limits.times, self.limits.places

    @property
    def _walls(self) -> np.ndarray:
        walls = np.zeros(self.place.size, np.bool_)
        first = np.where(self.slots[:, KNOWN] != 0, 0, NOT_YET)
        build_walls(first, self.place, self.limits.step, walls)
        return walls

    @property
    def _known(self) -> tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray]:
        return self.slots, self.stretches, self._walls, self.place

    @property
    def _asked(self) -> tuple[Any, ...]:
        return self._known, self.instants, self._limits, self.limits.step

    def snapshot(self) -> dict[str, Any]:
        """Everything that must be known to go on later."""
        return {
            "slots": self.slots,
            "stretches": self.stretches,
            "spans": self.spans,
            "instants": self.instants,
            "now": self.now,
            "kept": self.kept,
            "undecided": self.undecided.snapshot() if self.undecided is not None else {},
        }

    def restore(self, saved: dict[str, Any]) -> None:
        """Go on from what was saved."""
        self.slots, self.stretches, self.spans = saved["slots"], saved["stretches"], saved["spans"]
        self.instants, self.now, self.kept = saved["instants"], saved["now"], saved["kept"]
        if self.undecided is not None:
            self.undecided.restore(saved["undecided"])
