"""Rectangles in which no place reports too seldom, inside one where some do.

  place                       Place 2 reports once, and twice is asked for. No region holds that report: what is left
    3  x   x   x   x          of the rectangle lies before it, after it, below it or above it. A place that reports
    2          x              often enough in all of it may do so too seldom in a part; then that gives way in turn.
    1  x   x   x   x

Of the rectangles that hold none of some points, those that stand on one of them are met from the lowest to the highest,
each with what is left of the time between the points on either side.

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
from streamframes.core.regions.rectangles.rectangles import IMPUTED_ROWS, PLACES, ROWS, WHY, roomy
from streamframes.core.regions.rectangles.widest import FAR, FROM, SINCE, TO, UPTO


@compiled
def parts_of(box: Any, asked: Any, parts: Any, n_parts: int) -> Any:
    """Add the rectangles in a box (columns, slots) that meet all minimums and reach over no failure or wall.

    None that does is left out, but for those that lie in another.
    """
    known, instants, limits, step = asked
    slots, stretches, _, place = known
    left = [box]
    met = {box}
    met.clear()
    while left:
        n_places, box = _shrunk(left.pop(), slots, stretches, limits[2])
        if box in met or not _is_large(n_places, box, place, instants, limits):
            continue
        met.add(box)
        if _beside_failures(box, slots, left) or _between_walls(box, slots, place, step, left):
            continue
        if _around_seldom(box, slots, stretches, limits[2], left):
            continue
        parts = roomy(parts, n_parts)
        part = parts[n_parts]
        part[SINCE], part[UPTO], part[FROM], part[TO] = box
        part[ROWS], part[PLACES], part[IMPUTED_ROWS], _ = tally(box[2], box[3], box[0], box[1], slots, stretches)
        part[WHY] = 0
        n_parts += 1
    return parts, n_parts


@compiled
def _shrunk(box: Any, slots: Any, stretches: Any, times: int) -> Any:
    """How many slots report often enough in a box, and what is left of it around their reports."""
    since, upto, low, high = box
    n_places = 0
    first: Any = np.int64(FAR)
    last: Any = np.int64(-1)
    lowest, highest = high + 1, low - 1
    for s in range(low, high + 1):
        mine, _, begin, end = within(s, since, upto, slots, stretches)
        if mine >= times:
            n_places += 1
            first, last = min(first, begin), max(last, end)
            lowest, highest = min(lowest, s), s
    return n_places, (first, last, lowest, highest)


@compiled
def _is_large(n_places: int, box: Any, place: Any, instants: Any, limits: Any) -> bool:
    """Whether a box with so many places meets the other minimums."""
    since, upto, low, high = box
    duration, extent, _, places = limits
    if n_places == 0 or n_places < places or place[high] - place[low] < extent:
        return False
    return bool(instant_of(upto, instants) - instant_of(since, instants) >= duration)


@compiled
def _beside_failures(box: Any, slots: Any, left: Any) -> bool:
    """Whether a slot has failed since the box began; then what does not hold that is left."""
    since, upto, low, high = box
    worst = low
    for s in range(low, high + 1):
        if slots[s, FAILED] > slots[worst, FAILED]:
            worst = s
    failed = slots[worst, FAILED]
    if failed < since:
        return False
    left.append((since, upto, low, worst - 1))
    left.append((since, upto, worst + 1, high))
    left.append((failed + 1, upto, low, high))
    return True


@compiled
def _between_walls(box: Any, slots: Any, place: Any, step: float, left: Any) -> bool:
    """Whether neighbours among the places that are known at the end are too far apart; then what is between is left."""
    since, upto, low, high = box
    begin, before, walled = low, low, False
    for s in range(low, high + 1):
        if slots[s, KNOWN] == 0 or slots[s, FIRST] > upto:
            continue
        if place[s] - place[before] > step:
            left.append((since, upto, begin, before))
            begin, walled = s, True
        before = s
    if walled:
        left.append((since, upto, begin, high))
    return walled


@compiled
def _seldom(box: Any, slots: Any, stretches: Any, times: int) -> Any:
    """The reports of slots that report too seldom in a box: columns and slots, by slot."""
    since, upto, low, high = box
    size = 0
    for s in range(low, high + 1):
        mine = within(s, since, upto, slots, stretches)[0]
        size += mine if mine < times else 0
    at, whose, n = np.empty(size, np.int64), np.empty(size, np.int64), 0
    for s in range(low, high + 1 if size else low):
        if within(s, since, upto, slots, stretches)[0] >= times:
            continue
        stretch = slots[s, NEWEST]
        while stretch >= 0 and stretches[stretch, LAST_COLUMN] >= since:
            first, last = max(since, stretches[stretch, FIRST_COLUMN]), min(upto, stretches[stretch, LAST_COLUMN])
            for column in range(first, last + 1):
                at[n], whose[n] = column, s
                n += 1
            stretch = stretches[stretch, BEFORE]
    return at, whose


@compiled
def _around_seldom(box: Any, slots: Any, stretches: Any, times: int, left: Any) -> bool:
    """Whether slots report too seldom in a box; then the widest boxes without their reports are left."""
    since, upto, low, high = box
    at, whose = _seldom(box, slots, stretches, times)
    begin = since
    for column in np.sort(at):
        left.append((begin, column - 1, low, high))
        begin = column + 1
    if at.size:
        left.append((begin, upto, low, high))
    for i in range(at.size):
        _on_top(i, 1, box, at, whose, left)
        _on_top(i, -1, box, at, whose, left)
    return bool(at.size > 0)


@compiled
def _on_top(i: int, step: int, box: Any, at: Any, whose: Any, left: Any) -> None:
    """The boxes that begin beside report i, upwards or downwards; downwards only the one that reaches the edge."""
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
