"""Rectangles in which no place reports too seldom, inside one where some do.

  place                       Place 2 reports once, where twice is the minimum. No region holds that report: what
    3  x   x   x   x          is left of the rectangle lies before it, after it, below it or above it. A place that
    2          x              reports often enough in all of it may do so too seldom in a part; then that gives way
    1  x   x   x   x          in turn.

Of the rectangles that hold none of some points, those that stand on one of them are met from the lowest to the highest,
each with what is left of the time between the points below and above.

References
----------
Naamad, Lee and Hsu, On the maximum empty rectangle problem, Discrete Applied Mathematics 8, 1984.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.regions.rectangles.place_history import (
    BEFORE,
    FAILED,
    FIRST,
    FIRST_COLUMN,
    KNOWN,
    LAST_COLUMN,
    NEWEST,
    instant_of,
    tally,
    within,
)
from streamframes.core.regions.rectangles.types import IMPUTED_ROWS, PLACES, ROWS, WHY
from streamframes.core.regions.rectangles.widest import FAR, FROM, SINCE, TO, UPTO
from streamframes.core.regions.tables import roomy


@compiled
def parts_of(box: Any, context: Any, parts: Any, n_parts: int) -> Any:
    """Add the rectangles in a box (columns, places) that meet all minimums and hold no failure or wall.

    None that does is left out, but for those that lie in another.
    """
    state, instants, limits, step = context
    records, stretches, _, position = state
    left = [box]
    seen = {box}
    seen.clear()
    while left:
        n_places, box = _shrunk(left.pop(), records, stretches, limits[2])
        if box in seen or not _is_large(n_places, box, position, instants, limits):
            continue
        seen.add(box)
        if _split_at_failure(box, records, left) or _split_at_walls(box, records, position, step, left):
            continue
        if _split_around_rare(box, records, stretches, limits[2], left):
            continue
        parts = roomy(parts, n_parts)
        part = parts[n_parts]
        part[SINCE], part[UPTO], part[FROM], part[TO] = box
        part[ROWS], part[PLACES], part[IMPUTED_ROWS], _ = tally(box[2], box[3], box[0], box[1], records, stretches)
        part[WHY] = 0
        n_parts += 1
    return parts, n_parts


@compiled
def _shrunk(box: Any, records: Any, stretches: Any, times: int) -> Any:
    """How many places report often enough in a box, and what is left of it around their reports."""
    since, upto, low, high = box
    n_places = 0
    first: Any = np.int64(FAR)
    last: Any = np.int64(-1)
    lowest, highest = high + 1, low - 1
    for s in range(low, high + 1):
        mine, _, begin, end = within(s, since, upto, records, stretches)
        if mine >= times:
            n_places += 1
            first, last = min(first, begin), max(last, end)
            lowest, highest = min(lowest, s), s
    return n_places, (first, last, lowest, highest)


@compiled
def _is_large(n_places: int, box: Any, position: Any, instants: Any, limits: Any) -> bool:
    """Whether a box with so many places meets the other minimums."""
    since, upto, low, high = box
    duration, extent, _, places = limits
    if n_places == 0 or n_places < places or position[high] - position[low] < extent:
        return False
    return bool(instant_of(upto, instants) - instant_of(since, instants) >= duration)


@compiled
def _split_at_failure(box: Any, records: Any, left: Any) -> bool:
    """Whether a place has failed since the box began; then what does not hold that is left."""
    since, upto, low, high = box
    worst = low
    for s in range(low, high + 1):
        if records[s, FAILED] > records[worst, FAILED]:
            worst = s
    failed = records[worst, FAILED]
    if failed < since:
        return False
    left.append((since, upto, low, worst - 1))
    left.append((since, upto, worst + 1, high))
    left.append((failed + 1, upto, low, high))
    return True


@compiled
def _split_at_walls(box: Any, records: Any, position: Any, step: float, left: Any) -> bool:
    """Whether neighbours among the places that are known at the end are too far apart; then what is between is left."""
    since, upto, low, high = box
    begin, before, walled = low, low, False
    for s in range(low, high + 1):
        if records[s, KNOWN] == 0 or records[s, FIRST] > upto:
            continue
        if position[s] - position[before] > step:
            left.append((since, upto, begin, before))
            begin, walled = s, True
        before = s
    if walled:
        left.append((since, upto, begin, high))
    return walled


@compiled
def _rare_reports(box: Any, records: Any, stretches: Any, times: int) -> Any:
    """The reports of places that report too seldom in a box: columns and places, by place."""
    since, upto, low, high = box
    size = 0
    for s in range(low, high + 1):
        mine = within(s, since, upto, records, stretches)[0]
        size += mine if mine < times else 0
    at, whose, n = np.empty(size, np.int64), np.empty(size, np.int64), 0
    for s in range(low, high + 1 if size else low):
        if within(s, since, upto, records, stretches)[0] >= times:
            continue
        stretch = records[s, NEWEST]
        while stretch >= 0 and stretches[stretch, LAST_COLUMN] >= since:
            first, last = max(since, stretches[stretch, FIRST_COLUMN]), min(upto, stretches[stretch, LAST_COLUMN])
            for column in range(first, last + 1):
                at[n], whose[n] = column, s
                n += 1
            stretch = stretches[stretch, BEFORE]
    return at, whose


@compiled
def _split_around_rare(box: Any, records: Any, stretches: Any, times: int, left: Any) -> bool:
    """Whether places report too seldom in a box; then the widest boxes without their reports are left."""
    since, upto, low, high = box
    at, whose = _rare_reports(box, records, stretches, times)
    begin = since
    for column in np.sort(at):
        left.append((begin, column - 1, low, high))
        begin = column + 1
    if at.size:
        left.append((begin, upto, low, high))
    for i in range(at.size):
        _split_beside(i, 1, box, at, whose, left)
        _split_beside(i, -1, box, at, whose, left)
    return bool(at.size > 0)


@compiled
def _split_beside(i: int, step: int, box: Any, at: Any, whose: Any, left: Any) -> None:
    """The boxes that begin beside report i, upwards or downwards; downwards only the one that goes to the edge."""
    since, upto, low, high = box
    j = i + step
    while 0 <= j < at.size:
        if whose[j] != whose[i] and since <= at[j] <= upto:
            if step > 0:
                left.append((since, upto, whose[i] + 1, whose[j] - 1))
            if at[j] == at[i]:
                return
            if at[j] < at[i]:
                since = at[j] + 1
            else:
                upto = at[j] - 1
        j += step
    if step > 0:
        left.append((since, upto, whose[i] + 1, high))
    else:
        left.append((since, upto, low, whose[i] - 1))
