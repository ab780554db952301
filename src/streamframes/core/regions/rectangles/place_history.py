"""The history of each place: its last failure, and stretches of satisfied reports since then.

stretches   [first column, last column, the stretch before, whether imputed]   a pool; places point to their newest
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.regions.types import BREAK, FALSE, IMPUTED, MEANING, NEW

# Of a place: the last column at which it failed, its newest stretch, the last column of that, the last column at which
# it reported, whether it is known, and since which column.
FAILED, NEWEST, LATEST, LAST, KNOWN, FIRST = range(6)
RECORD_FIELDS = 6
FIRST_COLUMN, LAST_COLUMN, BEFORE, MADE_UP = range(4)
STRETCH_FIELDS = 4
NOTHING = -1
# What is known of a place that has reported more than once: it will again, and is never forgotten.
AGAIN = 2
_FAR = 2**62


@compiled
def instant_of(column: int, instants: Any) -> Any:
    """The instant of a column, which is one of those that are known."""
    low, high = 0, instants.shape[0]
    while low < high:
        middle = (low + high) // 2
        if instants[middle, 0] < column:
            low = middle + 1
        else:
            high = middle
    return instants[low, 1]


@compiled
def first_after(level: int, s: int, records: Any, stretches: Any) -> Any:
    """The first column after `level` at which a place holds."""
    at: Any = records[s, NEWEST]
    first: Any = np.int64(_FAR)
    while at >= 0 and stretches[at, LAST_COLUMN] > level:
        first = max(stretches[at, FIRST_COLUMN], level + 1)
        at = stretches[at, BEFORE]
    return first


@compiled
def within(s: int, since: int, upto: int, records: Any, stretches: Any) -> Any:
    """The satisfied reports of a place in some columns: how many, how many imputed, the first and the last."""
    mine, imputed, at = 0, 0, records[s, NEWEST]
    first: Any = np.int64(_FAR)
    last: Any = np.int64(NOTHING)
    while at >= 0 and stretches[at, LAST_COLUMN] >= since:
        begin, end = max(since, stretches[at, FIRST_COLUMN]), min(upto, stretches[at, LAST_COLUMN])
        if begin <= end:
            mine += end + 1 - begin
            imputed += end + 1 - begin if stretches[at, MADE_UP] else 0
            first, last = begin, max(last, end)
        at = stretches[at, BEFORE]
    return mine, imputed, first, last


@compiled
def tally(low: int, high: int, since: int, upto: int, records: Any, stretches: Any) -> Any:
    """The reports of a rectangle: how many, of how many places, how many imputed, and the fewest of any place."""
    rows, places, imputed = 0, 0, 0
    fewest: Any = np.int64(_FAR)
    for s in range(low, high + 1):
        mine, made_up, _, _ = within(s, since, upto, records, stretches)
        if mine:
            rows += mine
            places += 1
            imputed += made_up
            fewest = min(fewest, mine)
    return rows, places, imputed, fewest


@compiled
def take_report(s: int, code: int, now: int, records: Any, stretches: Any, n_stretches: int) -> int:
    """A place reports at column `now`; returns how many stretches there are."""
    record, meaning = records[s], code & MEANING
    if meaning == FALSE or code & BREAK:
        record[FAILED] = now if meaning == FALSE else max(record[FAILED], record[LAST])
        record[NEWEST] = record[LATEST] = NOTHING
    elif code & NEW:
        record[FAILED] = now - 1
    if meaning != FALSE:
        newest, made_up = record[NEWEST], meaning == IMPUTED
        if newest >= 0 and record[LATEST] == now - 1 and (stretches[newest, MADE_UP] != 0) == made_up:
            stretches[newest, LAST_COLUMN] = now
        else:
            new = stretches[n_stretches]
            new[FIRST_COLUMN], new[LAST_COLUMN], new[BEFORE], new[MADE_UP] = now, now, newest, made_up
            record[NEWEST] = n_stretches
            n_stretches += 1
        record[LATEST] = now
    record[KNOWN] = AGAIN if record[LAST] >= 0 else record[KNOWN]
    record[LAST] = now
    return n_stretches


@compiled
def packed(records: Any, stretches: Any) -> Any:
    """The stretches that places still point to; places point to where they are now."""
    size = 0
    for s in range(records.shape[0]):
        at = records[s, NEWEST]
        while at >= 0:
            size += 1
            at = stretches[at, BEFORE]
    kept = np.empty((size, STRETCH_FIELDS), np.int64)
    n = 0
    for s in range(records.shape[0]):
        at, later = records[s, NEWEST], NOTHING
        while at >= 0:
            kept[n] = stretches[at]
            if later < 0:
                records[s, NEWEST] = n
            else:
                kept[later, BEFORE] = n
            later = n
            n += 1
            at = stretches[at, BEFORE]
    return kept
