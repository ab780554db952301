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

from streamframes.core.compiled import compiled
from streamframes.core.regions.durations import NOT_YET, build_walls
from streamframes.core.regions.found import BREAK, CONDITION, FALSE, GAP, HELD, MEANING, Columns, Found, Limits, Live
from streamframes.core.regions.rectangles import (
    END_TS,
    FIELDS,
    HIGH,
    IMPUTED_ROWS,
    LOW,
    PLACES,
    ROWS,
    START_TS,
    WHY,
    as_found,
    roomy,
)
from streamframes.core.regions.reports import (
    FAILED,
    KNOWN,
    LAST,
    NEWEST,
    NOTHING,
    SLOT_FIELDS,
    STRETCH_FIELDS,
    packed,
    take_report,
    tally,
)
from streamframes.core.regions.widest import (
    FROM,
    REACH_FROM,
    REACH_TO,
    SINCE,
    SPAN_FIELDS,
    TO,
    UPTO,
    spans_around,
    spans_of_all,
)


@compiled
def _index(slot: Any, first: int, stop: int, wanted: int) -> int:
    """The first report from `first` on whose slot is not below `wanted`."""
    guess = first + wanted
    if guess < stop and slot[guess] == wanted:
        return guess
    while first < stop:
        middle = (first + stop) // 2
        if slot[middle] < wanted:
            first = middle + 1
        else:
            stop = middle
    return first


@compiled
def _describe(span: Any, times: Any, base: int, slots: Any, stretches: Any, place: Any, limits: Any, told: Any) -> bool:
    """Whether a span meets the minimums; describes it in `told`."""
    duration, extent, least_times, least_places = limits
    since, upto = times[span[SINCE] - base], times[span[UPTO] - base]
    if upto - since < duration or place[span[TO]] - place[span[FROM]] < extent:
        return False
    rows, places, imputed, fewest = tally(span[FROM], span[TO], span[SINCE], span[UPTO], slots, stretches)
    if fewest < least_times or places < least_places:
        return False
    told[START_TS], told[END_TS], told[LOW], told[HIGH] = since, upto, span[FROM], span[TO]
    told[ROWS], told[PLACES], told[IMPUTED_ROWS] = rows, places, imputed
    return True


@compiled
def _fate(span: Any, first: int, stop: int, slot: Any, seen: Any, breaks: Any, slots: Any) -> int:
    """What a column does to a span: why it ends, 0 if it goes on, or -1 if it grows. Its reach may shrink.

    `seen[i]` are, up to report i of the column: how many failed, how many hold, and which failed last and fails next.
    """
    low, high = _index(slot, first, stop, span[FROM]), _index(slot, first, stop, span[TO] + 1)
    if seen[high - first, 0] > seen[low - first, 0]:
        return CONDITION
    before, after = seen[low - first, 2], seen[high - first, 3]
    if before >= 0:
        span[REACH_FROM] = max(span[REACH_FROM], before + 1)
    if after >= 0:
        span[REACH_TO] = min(span[REACH_TO], after - 1)
    for s in breaks:
        if slots[s, LAST] < span[SINCE]:
            continue
        if span[FROM] <= s <= span[TO]:
            return GAP
        if s < span[FROM]:
            span[REACH_FROM] = max(span[REACH_FROM], s + 1)
        else:
            span[REACH_TO] = min(span[REACH_TO], s - 1)
    low, high = _index(slot, first, stop, span[REACH_FROM]), _index(slot, first, stop, span[REACH_TO] + 1)
    return -1 if seen[high - first, 1] > seen[low - first, 1] else 0


@compiled
def _look(slot: Any, code: Any, first: int, stop: int, seen: Any) -> int:
    """Fill `seen` for one column; returns how many reports come after a break."""
    n_breaks, before = 0, -1
    for i in range(first, stop):
        j = i - first
        seen[j + 1, 0], seen[j + 1, 1] = seen[j, 0], seen[j, 1]
        seen[j, 2] = before
        meaning = code[i] & MEANING
        if meaning == FALSE:
            seen[j + 1, 0] += 1
            before = slot[i]
        elif meaning != HELD:
            seen[j + 1, 1] += 1
            n_breaks += code[i] & BREAK != 0
    seen[stop - first, 2] = before
    after = -1
    seen[stop - first, 3] = after
    for i in range(stop - 1, first - 1, -1):
        if code[i] & MEANING == FALSE:
            after = slot[i]
        seen[i - first, 3] = after
    return n_breaks


@compiled
def _reach_anew(spans: Any, n_spans: int, slots: Any, walls: Any) -> None:
    """How far spans reach over slots that have not failed since they began, up to the next wall."""
    for j in range(n_spans):
        span = spans[j]
        low, high = span[FROM], span[TO]
        while low > 0 and not walls[low] and slots[low - 1, FAILED] < span[SINCE]:
            low -= 1
        while high + 1 < slots.shape[0] and not walls[high + 1] and slots[high + 1, FAILED] < span[SINCE]:
            high += 1
        span[REACH_FROM], span[REACH_TO] = low, high


@compiled
def _settle(
    column: Any, seen: Any, breaks: Any, times: Any, base: int, known: Any, limits: Any, spans: Any, n_spans: int,
    found: Any, n_found: int,
) -> Any:  # fmt: skip
    """Spans that end at a column are told of, those that grow go; returns the spans that are left, and the regions."""
    first, stop, slot = column
    slots, stretches, _, place = known
    left = 0
    for j in range(n_spans):
        fate = _fate(spans[j], first, stop, slot, seen, breaks, slots)
        if fate == 0:
            spans[left] = spans[j]
            left += 1
        elif fate > 0:
            found = roomy(found, n_found)
            if _describe(spans[j], times, base, slots, stretches, place, limits, found[n_found]):
                found[n_found, WHY] = fate
                n_found += 1
    return left, found, n_found


@compiled
def _introduce(first: int, stop: int, slot: Any, known: Any, step: float, spans: Any, n_spans: int) -> None:
    """The slots that report are known from now on; that may take walls away."""
    slots, _, walls, place = known
    fresh = False
    for i in range(first, stop):
        fresh |= slots[slot[i], KNOWN] == 0
        slots[slot[i], KNOWN] = 1
    if fresh and step < np.inf:
        build_walls(np.where(slots[:, KNOWN] != 0, 0, NOT_YET), place, step, walls)
        _reach_anew(spans, n_spans, slots, walls)


@compiled
def _sweep(
    columns: Any, times: Any, base: int, now: int, known: Any, n_stretches: int, limits: Any, step: float, spans: Any
) -> Any:
    """Walk the columns, the first of which is number `now`; returns the spans that are open and the regions."""
    bounds, slot, code = columns
    slots, stretches, _, _ = known
    n_spans = spans.shape[0]
    found, n_found = np.empty((0, FIELDS), np.int64), 0
    seen = np.zeros((slots.shape[0] + 1, 4), np.int64)
    holding = np.zeros(slots.shape[0] + 1, np.int64)
    for k in range(bounds.size - 1):
        first, stop = bounds[k], bounds[k + 1]
        _introduce(first, stop, slot, known, step, spans, n_spans)
        breaks = np.empty(_look(slot, code, first, stop, seen), np.int64)
        n_breaks = 0
        for i in range(first, stop):
            if code[i] & BREAK and code[i] & MEANING != FALSE:
                breaks[n_breaks] = slot[i]
                n_breaks += 1
        n_spans, found, n_found = _settle(
            (first, stop, slot), seen, breaks, times, base, known, limits, spans, n_spans, found, n_found
        )
        for i in range(first, stop):
            if code[i] & MEANING != HELD:
                n_stretches = take_report(slot[i], code[i], now + k, slots, stretches, n_stretches)
        if 4 * (stop - first) >= slots.shape[0]:
            _count_holding(slot, code, first, stop, holding)
            spans, n_spans = spans_of_all(known, holding, now + k, limits[1], spans, n_spans)
        else:
            lowest = -1
            for i in range(first, stop):
                if code[i] & MEANING != HELD and code[i] & MEANING != FALSE:
                    spans, n_spans = spans_around(slot[i], lowest, known, now + k, limits[1], spans, n_spans)
                    lowest = slot[i]
    return spans[:n_spans], found[:n_found]


@compiled
def _count_holding(slot: Any, code: Any, first: int, stop: int, holding: Any) -> None:
    """How many reports of a column hold, before each slot."""
    i = first
    for s in range(holding.size - 1):
        holding[s + 1] = holding[s]
        if i < stop and slot[i] == s:
            holding[s + 1] += code[i] & MEANING != FALSE and code[i] & MEANING != HELD
            i += 1


class Spans:
    """The search for rectangles by Method II."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.place = np.empty(0, np.float64)
        self.slots = np.empty((0, SLOT_FIELDS), np.int64)
        self.stretches = np.empty((0, STRETCH_FIELDS), np.int64)
        self.spans = np.empty((0, SPAN_FIELDS), np.int64)
        self.times = np.empty(0, np.int64)
        self.base = 0

    def widen(self, place: np.ndarray, places: np.ndarray, listed: np.ndarray) -> None:
        """More places have come."""
        slots = np.full((places.shape[0], SLOT_FIELDS), NOTHING, np.int64)
        slots[:, KNOWN] = listed
        slots[place] = self.slots
        self.slots, self.place = slots, np.ascontiguousarray(places[:, 0])
        self.spans[:, [FROM, TO]] = place[self.spans[:, [FROM, TO]]]
        _reach_anew(self.spans, self.spans.shape[0], slots, self._walls)

    def feed(self, columns: Columns) -> Found:
        """The regions that these columns end."""
        now = self.base + self.times.size
        self.times = np.concatenate([self.times, columns.times])
        n_stretches = self.stretches.shape[0]
        self.stretches = np.concatenate([self.stretches, np.empty((columns.slot.size, STRETCH_FIELDS), np.int64)])
        given = (columns.bounds, columns.slot, columns.code)
        self.spans, found = _sweep(
            given, self.times, self.base, now, self._known, n_stretches, self._limits, self.limits.step, self.spans
        )
        regions = as_found(found, self.place)
        self._forget()
        return regions

    def finish(self, cause: int) -> Found:
        """The regions that are open."""
        found = self._described(self.spans)
        found.cause[:] = cause
        self.slots[:, FAILED] = self.base + self.times.size - 1
        self.slots[:, NEWEST] = NOTHING
        self.spans = self.spans[:0]
        return found

    def certain(self) -> Found:
        """The open regions of which start and extent are certain, as far as places are known."""
        known = np.append(0, np.cumsum(self.slots[:, KNOWN]))
        spans = self.spans
        inside = known[spans[:, TO] + 1] - known[spans[:, FROM]]
        return self._described(spans[known[spans[:, REACH_TO] + 1] - known[spans[:, REACH_FROM]] == inside])

    def live(self) -> Live:
        """The spans that are open, and what they reach over."""
        since = self.times[self.spans[:, SINCE] - self.base]
        beyond = np.concatenate([[-np.inf], self.place, [np.inf]])
        low, high = beyond[self.spans[:, REACH_FROM]], beyond[self.spans[:, REACH_TO] + 2]
        return Live(since, low[:, None], high[:, None])

    def _described(self, spans: np.ndarray) -> Found:
        told = np.zeros((spans.shape[0], FIELDS), np.int64)
        meets = [
            _describe(span, self.times, self.base, self.slots, self.stretches, self.place, self._limits, row)
            for span, row in zip(spans, told, strict=True)
        ]
        return as_found(told[np.array(meets, np.bool_)], self.place)

    def _forget(self) -> None:
        """Drop the reports that no slot knows of, and the instants of columns before anything that is open."""
        self.stretches = packed(self.slots, self.stretches)
        oldest = min(int(self.spans[:, SINCE].min(initial=self.base + self.times.size)), self._oldest_report)
        self.times, self.base = self.times[oldest - self.base :], oldest

    @property
    def _oldest_report(self) -> int:
        return int(self.stretches[:, 0].min(initial=self.base + self.times.size))

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

    def save(self) -> dict[str, Any]:
        """Everything that must be known to go on later."""
        return {
            "slots": self.slots,
            "stretches": self.stretches,
            "spans": self.spans,
            "times": self.times,
            "base": self.base,
        }

    def load(self, saved: dict[str, Any]) -> None:
        """Go on from what was saved."""
        self.slots, self.stretches, self.spans = saved["slots"], saved["stretches"], saved["spans"]
        self.times, self.base = saved["times"], saved["base"]
