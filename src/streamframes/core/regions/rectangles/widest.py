"""The widest spans that hold a report of the newest column.

  failed at   3     -     5     1      For a start just after any failure: the widest stretch of places without a later
  place       0     1     2     3      one. After 3: places 0 and 1; after 1: place 3; after 5: all of them; and place 1
                                       alone from the beginning. Each is shrunk to the satisfied reports in it.

Where reports form no grid, what is left after shrinking may lie inside another span: in one that is wider and begins no
later (`since > parent`), or in one that is narrower and begins earlier (`_is_longest`). Such a one is left out.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.regions.rectangles.place_history import FAILED, LATEST, NOTHING, first_after
from streamframes.core.regions.tables import roomy

# Of a span: first and last column, lowest and highest place, and the first and last of its free range.
SINCE, UPTO, FROM, TO, FREE_FROM, FREE_TO = range(6)
SPAN_FIELDS = 6
FAR = 2**62


@compiled
def _shrunk(low: int, high: int, level: int, last: int, records: Any, stretches: Any) -> Any:
    """The satisfied reports after column `level` in a stretch of places: lowest and highest place, first column.

    `last` is a place that failed at `level`, which has most likely held ever since; or -1.
    """
    while low <= high and records[low, LATEST] <= level:
        low += 1
    while high >= low and records[high, LATEST] <= level:
        high -= 1
    first: Any = np.int64(FAR)
    if last >= 0 and records[last, LATEST] > level:
        first = first_after(level, last, records, stretches)
    for s in range(low, high + 1 if first > level + 1 else low):
        first = min(first, first_after(level, s, records, stretches))
        if first == level + 1:
            break
    return low, high, first


@compiled
def _is_longest(
    low: int, high: int, level: int, bounds: Any, records: Any, stretches: Any
) -> bool:  # fmt: skip
    """Whether no narrower stretch of places, around [low, high], holds reports from before as well."""
    outer_low, outer_high = bounds
    below: Any = level
    while below >= 0:
        for s in range(low, high + 1):
            if records[s, FAILED] == below:
                return True
        left, right = low, high
        deeper: Any = np.int64(-1)
        for s in range(low, high + 1):
            deeper = max(deeper, records[s, FAILED])
        while left > outer_low and records[left - 1, FAILED] < below:
            left -= 1
            deeper = max(deeper, records[left, FAILED])
        while right < outer_high and records[right + 1, FAILED] < below:
            right += 1
            deeper = max(deeper, records[right, FAILED])
        if _shrunk(left, right, deeper, NOTHING, records, stretches)[2] <= level:
            return False
        below = deeper
    return True


@compiled
def _consider(stretch: Any, parent: int, now: int, state: Any, least: float, spans: Any, n_spans: int) -> Any:
    """Add the span of the widest stretch of places that have not failed after a level, if no other contains it."""
    low, high, level, last = stretch
    records, stretches, walls, position = state
    between = low > 0 and high + 1 < position.size and not walls[low] and not walls[high + 1]
    if between and position[high + 1] - position[low - 1] <= least:
        return spans, n_spans
    first_low, last_high, since = _shrunk(low, high, level, last, records, stretches)
    if since > parent:
        return spans, n_spans
    if records[last, LATEST] <= level and not _is_longest(first_low, last_high, level, (low, high), records, stretches):
        return spans, n_spans
    spans = roomy(spans, n_spans)
    span = spans[n_spans]
    span[SINCE], span[UPTO], span[FROM], span[TO] = since, now, first_low, last_high
    span[FREE_FROM], span[FREE_TO] = low, high
    return spans, n_spans + 1


@compiled
def spans_of_all(state: Any, holding: Any, now: int, least: float, spans: Any, n_spans: int) -> Any:
    """The spans that hold a report of this column, all places in one pass; `holding[s]` counts those before place s."""
    records, _, walls, _ = state
    n, depth = records.shape[0], 0
    stack = np.empty((n + 1, 3), np.int64)
    for s in range(n + 1):
        wall = s == n or walls[s]
        level: Any = np.int64(FAR) if wall else records[s, FAILED]
        left = s
        while depth and stack[depth - 1, 0] < level:
            depth -= 1
            left = stack[depth, 1]
            if stack[depth, 0] < now and holding[s] > holding[left]:
                parent = min(level, stack[depth - 1, 0] if depth else FAR)
                stretch = (left, s - 1, stack[depth, 0], stack[depth, 2])
                spans, n_spans = _consider(stretch, parent, now, state, least, spans, n_spans)
        if wall:
            depth, left = 0, s
            level = records[s, FAILED] if s < n else level
        if not depth or stack[depth - 1, 0] != level:
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = level, left, s
            depth += 1
    return spans, n_spans


@compiled
def spans_around(at: int, lowest: int, state: Any, now: int, least: float, spans: Any, n_spans: int) -> Any:
    """The spans that hold the report of one place, but none of a place up to `lowest`."""
    records, _, walls, _ = state
    low, high, level, last = at, at, records[at, FAILED], at
    while level < now:
        while low > 0 and not walls[low] and records[low - 1, FAILED] <= level:
            low -= 1
        while high + 1 < records.shape[0] and not walls[high + 1] and records[high + 1, FAILED] <= level:
            high += 1
        if low <= lowest:
            break
        parent: Any = np.int64(FAR)
        failing = at
        if low > 0 and not walls[low]:
            parent, failing = records[low - 1, FAILED], low - 1
        if high + 1 < records.shape[0] and not walls[high + 1] and records[high + 1, FAILED] < parent:
            parent, failing = records[high + 1, FAILED], high + 1
        spans, n_spans = _consider((low, high, level, last), parent, now, state, least, spans, n_spans)
        level, last = parent, failing
    return spans, n_spans
