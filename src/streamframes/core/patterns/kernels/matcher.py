"""The matcher: rows of many groups in, matches out; one compiled loop for every pattern.

At each start it asks what the pattern prefers there, writes that down, and skips as AFTER MATCH SKIP says. It stops in
a group where rows to come decide.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.patterns.kernels.paths import (
    EMPTY,
    ENDS_WITH_GROUP,
    MATCH,
    NO_MATCH,
    TIMEOUT,
    UNMATCHED,
    WAIT,
    begin_paths,
    follow_row,
    grown,
    steps_of,
)
from streamframes.core.patterns.kernels.rules import (
    FAR,
    FINE,
    NEXT_ROW,
    NO_ROW_TO_SKIP_TO,
    PAST_LAST,
    SKIPS_TO_FIRST,
    TO_FIRST,
)
from streamframes.core.patterns.kernels.viability import fill_ends, walk


@compiled
def match_rows(
    p: Any,
    h: Any,
    x: Any,
    row_ok: Any,
    ts: Any,
    groups: Any,
    rules: Any,
    at_end: Any,
    room: Any,
    found: Any,
    steps: Any,
) -> Any:
    """Find the matches of all groups; `found` has for each: group, start, length, kind, number, first of its steps.

    Returns them, how many, the steps, and whether something is wrong; what is known of the groups is changed.
    """
    sizes = (0, 0)
    for k in range(groups.start.size):
        low, n, first = groups.bounds[k], groups.bounds[k + 1], groups.start[k]
        high = n if at_end else max(first, n - rules.ahead)
        ends = room.ends
        if rules.timeouts:
            ends = ends[:0]
        else:
            fill_ends(p, row_ok, first, high, at_end, high == n and not at_end, rules.within >= 0, ends)
        bounds = (low, first, high, n, at_end, groups.watermark[k])
        found, steps, sizes, wrong = _match_group(
            p, h, x, row_ok, ts, groups, k, rules, bounds, ends, room, found, steps, sizes
        )
        if wrong != FINE:
            return found, sizes[0], steps, wrong
    return found, sizes[0], steps, FINE


@compiled
def _match_group(
    p: Any, h: Any, x: Any, row_ok: Any, ts: Any, groups: Any, k: Any, rules: Any, bounds: Any, ends: Any, room: Any,
    found: Any, steps: Any, sizes: Any,
) -> Any:  # fmt: skip
    """Find the matches of one group, up to where rows to come decide."""
    _, s, high, n, at_end, _ = bounds
    n_found, n_steps = sizes
    last, wrong = s, FINE
    while s < high and wrong == FINE:
        start = _start(ts, groups, k, rules, bounds, s, last)
        last = start[2]
        if rules.history or rules.timeouts:
            kind, length, steps = _by_paths(p, h, x, row_ok, ends, bounds, start, rules, room, steps, n_steps)
        else:
            kind, length, steps = _by_ends(p, ends, bounds, start, rules, steps, n_steps)
        if kind == WAIT or (length > 0 and not at_end and s + length - 1 + rules.measures_ahead >= n):
            break
        if kind == NO_MATCH:
            kind = UNMATCHED if rules.unmatched and s >= groups.matched[k] else NO_MATCH
        elif kind != TIMEOUT:
            groups.number[k] += 1
        if kind == MATCH:
            groups.matched[k] = max(groups.matched[k], s + length)
        at = s
        s, wrong = _skipped(p, rules, kind, at, length, steps, n_steps)
        if kind != NO_MATCH:
            found = _noted(found, n_found, k, at, length, kind, groups.number[k], n_steps)
            n_found += 1
            n_steps += length if rules.steps else 0
    groups.start[k] = s
    return found, steps, (n_found, n_steps), wrong


@compiled
def _start(ts: Any, groups: Any, k: Any, rules: Any, bounds: Any, s: Any, last: Any) -> Any:
    """What is known of a start: its row, whether it is the first of the group, the row before which a match must end.

    Then whether rows to come may be in time, whether time is up, and the number of the next match.
    """
    low, _, high, _, at_end, watermark = bounds
    deadline = FAR
    if rules.within >= 0:
        deadline, last = min(FAR, ts[s] + rules.within), max(last, s)
        while last < high and ts[last] <= deadline:
            last += 1
    else:
        last = high
    is_open = last == high and _is_open(bounds, ts, deadline, rules.within)
    is_over = rules.within >= 0 and not is_open and (not at_end or last < high or watermark > deadline)
    return s, s == low and groups.first[k], last, is_open, is_over, groups.number[k] + 1


@compiled
def _noted(found: Any, n: Any, k: Any, s: Any, length: Any, kind: Any, number: Any, first: Any) -> Any:
    """The table of matches with another one."""
    if n == found.shape[0]:
        bigger = np.empty((2 * n, found.shape[1]), np.int64)
        bigger[:n] = found
        found = bigger
    found[n, 0], found[n, 1], found[n, 2] = k, s, length
    found[n, 3], found[n, 4], found[n, 5] = kind, number, first
    return found


@compiled
def _skipped(p: Any, rules: Any, kind: Any, s: Any, length: Any, steps: Any, first: Any) -> Any:
    """Where the next match may begin, and whether that is wrong."""
    if kind != MATCH or rules.skip == NEXT_ROW:
        return s + 1, FINE
    if rules.skip == PAST_LAST:
        return s + length, FINE
    for j in range(length):
        r = j if rules.skip == TO_FIRST else length - 1 - j
        if (rules.skip_mask >> p.variable[steps[first + r]]) & 1:
            return s + r, FINE if r > 0 else SKIPS_TO_FIRST
    return s, NO_ROW_TO_SKIP_TO


@compiled
def _is_open(bounds: Any, ts: Any, deadline: Any, within: Any) -> Any:
    """Whether a row of the group may still come before the deadline."""
    _, _, high, n, at_end, watermark = bounds
    if at_end or within < 0:
        return not at_end
    return ts[high] <= deadline if high < n else watermark <= deadline


@compiled
def _by_ends(p: Any, ends: Any, bounds: Any, start: Any, rules: Any, steps: Any, n_steps: Any) -> Any:
    """What is preferred at a start, where conditions ask nothing of the match: kind, length, and the steps."""
    _, first, high, _, at_end, _ = bounds
    s, is_first, last, is_open, _, _ = start
    m, r = high - first, s - first
    # The row before which a match must end; m + 1 where rows to come may still belong to it.
    limit = m + 1 if is_open else last - first
    begins = p.begins_first if is_first else p.begins
    for k in range(begins.size):
        q = begins[k]
        if q < 0:
            return EMPTY, 0, steps
        end = ends[r, q]
        if 0 < end <= limit:
            if rules.within < 0 and end > m:
                return WAIT, 0, steps
            if rules.within < 0 and not rules.steps:
                return MATCH, end - r, steps
            steps = grown(steps, n_steps + m - r)
            length = walk(p, ends, r, q, m, at_end, limit, steps, n_steps)
            if length < 0:
                return WAIT, 0, steps
            return MATCH, length, steps
    return NO_MATCH, 0, steps


@compiled
def _by_paths(
    p: Any,
    h: Any,
    x: Any,
    row_ok: Any,
    ends: Any,
    bounds: Any,
    start: Any,
    rules: Any,
    room: Any,
    steps: Any,
    n_steps: Any,
) -> Any:
    """What is preferred at a start, by following all paths: kind, length, and the steps."""
    low, first, high, n, at_end, _ = bounds
    s, is_first, last, is_open, is_over, number = start
    limit = high - first + 1 if is_open else last - first
    now, next_, nodes = room.now, room.next, room.nodes
    kind, best, length = NO_MATCH, -1, 0
    now, n_now, has_empty = begin_paths(p, h, now, is_first)
    if has_empty:
        kind = EMPTY
    i = s
    while n_now > 0 and i < last:
        limits = (i, first, limit, low, n, number, at_end, i + 1 == n)
        next_, n_next, nodes, done = follow_row(p, h, x, room.scratch, row_ok, ends, limits, now, n_now, next_, nodes)
        i += 1
        if done == ENDS_WITH_GROUP:
            return WAIT, 0, steps
        if done >= 0:
            kind, best, length = MATCH, done, i - s
        now, next_, n_now = next_, now, n_next
    if n_now > 0 and is_open:
        return WAIT, 0, steps
    if kind == NO_MATCH and rules.timeouts and n_now > 0 and i > s and is_over:
        kind, best, length = TIMEOUT, now.node[0], i - s
    if best >= 0:
        steps = steps_of(nodes, best, length, steps, n_steps)
    return kind, length, steps
