"""The sweep of Method II: what the reports of each column do to the spans that are open."""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.regions.rectangles.min_times import parts_of
from streamframes.core.regions.rectangles.place_history import (
    FAILED,
    FIRST,
    KNOWN,
    LAST,
    instant_of,
    take_report,
    tally,
)
from streamframes.core.regions.rectangles.types import (
    END_TS,
    FIELDS,
    HIGH,
    IMPUTED_ROWS,
    LOW,
    PLACES,
    ROWS,
    START_TS,
    WHY,
)
from streamframes.core.regions.rectangles.walls import NOT_YET, build_walls
from streamframes.core.regions.rectangles.widest import (
    FREE_FROM,
    FREE_TO,
    FROM,
    SINCE,
    TO,
    UPTO,
    spans_around,
    spans_of_all,
)
from streamframes.core.regions.tables import roomy
from streamframes.core.regions.types import BREAK, CONDITION, FALSE, GAP, HELD, MEANING, NEW

# Whether a span meets the minimums: no, yes, or all but that some place reports too seldom.
TOO_SMALL, ENOUGH, TOO_FEW_TIMES = range(3)


@compiled
def _index(place_id: Any, first: int, stop: int, wanted: int) -> int:
    """The first report from `first` on whose place is not below `wanted`."""
    guess = first + wanted
    if guess < stop and place_id[guess] == wanted:
        return guess
    while first < stop:
        middle = (first + stop) // 2
        if place_id[middle] < wanted:
            first = middle + 1
        else:
            stop = middle
    return first


@compiled
def describe(span: Any, instants: Any, records: Any, stretches: Any, position: Any, limits: Any, row: Any) -> int:
    """Whether a span meets the minimums; describes it in `row` if it does."""
    duration, extent, least_times, least_places = limits
    since, upto = instant_of(span[SINCE], instants), instant_of(span[UPTO], instants)
    if upto - since < duration or position[span[TO]] - position[span[FROM]] < extent:
        return TOO_SMALL
    if span[UPTO] + 1 - span[SINCE] < least_times:
        return TOO_SMALL
    rows, places, imputed, fewest = tally(span[FROM], span[TO], span[SINCE], span[UPTO], records, stretches)
    if places < least_places:
        return TOO_SMALL
    if fewest < least_times:
        return TOO_FEW_TIMES
    row[START_TS], row[END_TS], row[LOW], row[HIGH] = since, upto, span[FROM], span[TO]
    row[ROWS], row[PLACES], row[IMPUTED_ROWS] = rows, places, imputed
    return ENOUGH


@compiled
def _outcome(span: Any, first: int, stop: int, place_id: Any, seen: Any, breaks: Any, records: Any) -> int:
    """What a column does to a span: why it ends, 0 if it goes on, or -1 if it grows. Its free places may become fewer.

    `seen[i]` are, up to report i of the column: how many failed, how many hold, and which failed last and fails next.
    """
    low, high = _index(place_id, first, stop, span[FROM]), _index(place_id, first, stop, span[TO] + 1)
    if seen[high - first, 0] > seen[low - first, 0]:
        return CONDITION
    before, after = seen[low - first, 2], seen[high - first, 3]
    if before >= 0:
        span[FREE_FROM] = max(span[FREE_FROM], before + 1)
    if after >= 0:
        span[FREE_TO] = min(span[FREE_TO], after - 1)
    for s in breaks:
        if records[s, LAST] < span[SINCE]:
            continue
        if span[FROM] <= s <= span[TO]:
            return GAP
        if s < span[FROM]:
            span[FREE_FROM] = max(span[FREE_FROM], s + 1)
        else:
            span[FREE_TO] = min(span[FREE_TO], s - 1)
    low, high = _index(place_id, first, stop, span[FREE_FROM]), _index(place_id, first, stop, span[FREE_TO] + 1)
    return -1 if seen[high - first, 1] > seen[low - first, 1] else 0


@compiled
def _scan_column(place_id: Any, code: Any, first: int, stop: int, seen: Any) -> int:
    """Fill `seen` for one column; returns how many reports come after a break.

    A place that is new fails what began before it.
    """
    n_breaks, before = 0, -1
    for i in range(first, stop):
        j = i - first
        seen[j + 1, 0], seen[j + 1, 1] = seen[j, 0], seen[j, 1]
        seen[j, 2] = before
        meaning = code[i] & MEANING
        if meaning == FALSE or code[i] & NEW:
            seen[j + 1, 0] += 1
            before = place_id[i]
        if meaning != FALSE and meaning != HELD:
            seen[j + 1, 1] += 1
            n_breaks += code[i] & BREAK != 0
    seen[stop - first, 2] = before
    after = -1
    seen[stop - first, 3] = after
    for i in range(stop - 1, first - 1, -1):
        if code[i] & MEANING == FALSE or code[i] & NEW:
            after = place_id[i]
        seen[i - first, 3] = after
    return n_breaks


@compiled
def update_free_ranges(spans: Any, n_spans: int, records: Any, walls: Any) -> None:
    """The free places of spans: those around that have not failed since a span began, up to the next wall."""
    for j in range(n_spans):
        span = spans[j]
        low, high = span[FROM], span[TO]
        while low > 0 and not walls[low] and records[low - 1, FAILED] < span[SINCE]:
            low -= 1
        while high + 1 < records.shape[0] and not walls[high + 1] and records[high + 1, FAILED] < span[SINCE]:
            high += 1
        span[FREE_FROM], span[FREE_TO] = low, high


@compiled
def _update_spans(
    column: Any, seen: Any, breaks: Any, context: Any, spans: Any, n_spans: int, regions: Any, n_regions: int,
    parts: Any, n_parts: int,
) -> Any:  # fmt: skip
    """Spans that end at a column become regions, those that grow are dropped; how many are left, regions, and parts.

    Of a span in which some place reports too seldom, the parts without that are taken.
    """
    first, stop, place_id = column
    state, instants, limits, _ = context
    records, stretches, _, position = state
    left = 0
    for j in range(n_spans):
        outcome = _outcome(spans[j], first, stop, place_id, seen, breaks, records)
        if outcome == 0:
            spans[left] = spans[j]
            left += 1
        elif outcome > 0:
            regions = roomy(regions, n_regions)
            meets = describe(spans[j], instants, records, stretches, position, limits, regions[n_regions])
            if meets == ENOUGH:
                regions[n_regions, WHY] = outcome
                n_regions += 1
            elif meets == TOO_FEW_TIMES:
                box = (spans[j, SINCE], spans[j, UPTO], spans[j, FROM], spans[j, TO])
                parts, n_parts = parts_of(box, context, parts, n_parts)
    return left, regions, n_regions, parts, n_parts


@compiled
def _introduce_places(
    first: int, stop: int, place_id: Any, now: int, state: Any, step: float, spans: Any, n_spans: int
) -> None:
    """The places that report are known from now on; that may take walls away."""
    records, _, walls, position = state
    fresh = False
    for i in range(first, stop):
        if records[place_id[i], KNOWN] == 0:
            records[place_id[i], KNOWN], records[place_id[i], FIRST] = 1, now
            fresh = True
    if fresh and step < np.inf:
        build_walls(np.where(records[:, KNOWN] != 0, 0, NOT_YET), position, step, walls)
        update_free_ranges(spans, n_spans, records, walls)


@compiled
def sweep(columns: Any, now: int, n_stretches: int, context: Any, spans: Any) -> Any:
    """Walk the columns, the first of which is number `now`; returns the spans that are open, the regions, and parts."""
    bounds, place_id, code = columns
    state, _, limits, step = context
    records, stretches, _, _ = state
    n_spans = spans.shape[0]
    regions, n_regions = np.empty((0, FIELDS), np.int64), 0
    parts, n_parts = np.empty((0, FIELDS), np.int64), 0
    seen = np.zeros((records.shape[0] + 1, 4), np.int64)
    holding = np.zeros(records.shape[0] + 1, np.int64)
    for k in range(bounds.size - 1):
        first, stop = bounds[k], bounds[k + 1]
        _introduce_places(first, stop, place_id, now + k, state, step, spans, n_spans)
        breaks = np.empty(_scan_column(place_id, code, first, stop, seen), np.int64)
        n_breaks = 0
        for i in range(first, stop):
            if code[i] & BREAK and code[i] & MEANING != FALSE:
                breaks[n_breaks] = place_id[i]
                n_breaks += 1
        n_spans, regions, n_regions, parts, n_parts = _update_spans(
            (first, stop, place_id), seen, breaks, context, spans, n_spans, regions, n_regions, parts, n_parts
        )
        for i in range(first, stop):
            if code[i] & MEANING != HELD:
                n_stretches = take_report(place_id[i], code[i], now + k, records, stretches, n_stretches)
        if 4 * (stop - first) >= records.shape[0]:
            _count_holding(place_id, code, first, stop, holding)
            spans, n_spans = spans_of_all(state, holding, now + k, limits[1], spans, n_spans)
        else:
            lowest = -1
            for i in range(first, stop):
                if code[i] & MEANING != HELD and code[i] & MEANING != FALSE:
                    spans, n_spans = spans_around(place_id[i], lowest, state, now + k, limits[1], spans, n_spans)
                    lowest = place_id[i]
    return spans[:n_spans], regions[:n_regions], parts[:n_parts]


@compiled
def _count_holding(place_id: Any, code: Any, first: int, stop: int, holding: Any) -> None:
    """How many reports of a column hold, before each place."""
    i = first
    for s in range(holding.size - 1):
        holding[s + 1] = holding[s]
        if i < stop and place_id[i] == s:
            holding[s + 1] += code[i] & MEANING != FALSE and code[i] & MEANING != HELD
            i += 1
