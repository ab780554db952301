"""The search in histograms: every window by a tree that rules most of them out, or the paper's few by bisection.

Each row is added to the histogram of its group, then searched. Estimates are one-sided; where sums are not exact (of
values that are no whole numbers, or beyond 2^53), they are widened by what rounding can have done, to stay so.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.bursts.histogram import (
    BEGIN,
    BUCKETS,
    FIELDS,
    FRESH,
    RECENT,
    add,
    compact,
    empty_histogram,
    estimate,
    index_ages,
)
from streamframes.core.bursts.space import BAND, MET, RANKED, band_of, empty_space, meet
from streamframes.core.bursts.sums import AVG, EPSILON, VARIANCE, WHOLE
from streamframes.core.bursts.windows import GROUP
from streamframes.core.compiled import compiled

ALL, MONOTONIC = range(2)
# What is kept of a group beside its histograms: rows, where recent ones begin, whether a value was no whole number.
ROWS, RECENT_FROM, ROUGH = range(3)
# And the sum of all values, their mean and the sum of squared distances from it.
TOTAL, MEAN, SPREAD = range(3)


@compiled
def _value(
    aggregate: int,
    b1: Any, a1: Any, c1: Any, s1: Any, n1: Any, b2: Any, a2: Any, c2: Any, s2: Any, n2: Any,
    end: int, length: int, over: bool, slack: float,
) -> float:  # fmt: skip
    """The estimate of an aggregate of the last `length` of `end` rows, from one or both histograms."""
    start = end - length
    wide = 1.0 + slack if over else 1.0 - slack
    total = estimate(b1, a1, c1, s1, n1, start, over) * wide
    if aggregate == AVG:
        return total / length
    if aggregate != VARIANCE:
        return total
    mean = estimate(b1, a1, c1, s1, n1, start, not over) * (1.0 - slack if over else 1.0 + slack) / length
    square = estimate(b2, a2, c2, s2, n2, start, over) * wide / length
    margin = 8.0 * EPSILON * square
    return float(max(0.0, square - mean * mean + (margin if over else -margin)))


@compiled
def _search_all(
    aggregate: int,
    b1: Any, a1: Any, c1: Any, s1: Any, n1: Any, b2: Any, a2: Any, c2: Any, s2: Any, n2: Any,
    end: int, over: bool, slack: float, lengths: Any, thresholds: Any, row: int,
    least: Any, shortest: Any, longest: Any, one: bool, stack: Any, rows: Any, which: Any, values: Any, n: int,
) -> int:  # fmt: skip
    """Every window at one row, by the tree: a sum grows with its window, and so does the estimate."""
    leaves = longest.size // 2
    stack[0] = 1
    depth = 1
    while depth:
        depth -= 1
        node = stack[depth]
        if shortest[node] > end:
            continue
        start = max(0, end - longest[node])
        if aggregate == VARIANCE:
            bound = estimate(b2, a2, c2, s2, n2, start, True)
        else:
            bound = estimate(b1, a1, c1, s1, n1, start, over)
        if bound * (1.0 + slack) < least[node]:
            continue
        if node < leaves:
            if least[2 * node + 1] < np.inf:
                stack[depth] = 2 * node + 1
                depth += 1
            stack[depth] = 2 * node
            depth += 1
            continue
        low = (node - leaves) * GROUP
        for i in range(low, min(low + GROUP, lengths.size)):
            if lengths[i] > end:
                break
            value = _value(
                aggregate, b1, a1, c1, s1, n1, b2, a2, c2, s2, n2, end, lengths[i], over, slack
            )  # fmt: skip
            if value >= thresholds[i]:
                rows[n], which[n], values[n] = row, i, value
                n += 1
                if one:
                    return n
    return n


@compiled
def _bisect(
    aggregate: int,
    b1: Any, a1: Any, c1: Any, s1: Any, n1: Any, b2: Any, a2: Any, c2: Any, s2: Any, n2: Any,
    end: int, over: bool, slack: float, lengths: Any, thresholds: Any, row: int,
    one: bool, ranks: Any, slopes: Any, counts: Any, at: Any, reach: Any, log_lengths: Any, log_thresholds: Any,
    level: float, band: Any, rows: Any, which: Any, values: Any, n: int,
) -> int:  # fmt: skip
    """Algorithm 2: the windows up to the last that bisection finds in the order of this level."""
    low, high = 0, counts[RANKED] - 1
    if one:
        high = min(high, 0)
    while low <= high:
        middle = (low + high) // 2
        i = band[middle - band_of(ranks, slopes, counts, at, reach, log_lengths, log_thresholds, middle, level, band)]
        value = _value(
            aggregate, b1, a1, c1, s1, n1, b2, a2, c2, s2, n2, end, lengths[i], over, slack
        )  # fmt: skip
        if thresholds[i] <= value:
            low = middle + 1
        else:
            high = middle - 1
    if high < 0:
        return n
    first = band_of(ranks, slopes, counts, at, reach, log_lengths, log_thresholds, high, level, band)
    for k in range(high + 1):
        i = ranks[k] if k < first else band[k - first]
        rows[n], which[n] = row, i
        values[n] = _value(
                aggregate, b1, a1, c1, s1, n1, b2, a2, c2, s2, n2, end, lengths[i], over, slack
            )  # fmt: skip
        n += 1
    return n


@compiled
def _search_directly(
    aggregate: int,
    b1: Any, a1: Any, c1: Any, s1: Any, n1: Any, b2: Any, a2: Any, c2: Any, s2: Any, n2: Any,
    end: int, over: bool, slack: float, lengths: Any, thresholds: Any, row: int,
    one: bool, directly: Any, rows: Any, which: Any, values: Any, n: int,
) -> int:  # fmt: skip
    """Some windows, one by one."""
    for i in directly:
        if lengths[i] > end:
            break
        value = _value(
            aggregate, b1, a1, c1, s1, n1, b2, a2, c2, s2, n2, end, lengths[i], over, slack
        )  # fmt: skip
        if value >= thresholds[i]:
            rows[n], which[n], values[n] = row, i, value
            n += 1
            if one:
                break
    return n


@compiled
def _restored(kept: Any, recent: Any, begin: int, power: int) -> Any:
    """A histogram as it was: buckets, and recent values added again."""
    n = kept.shape[0]
    histogram = empty_histogram(n + RECENT + 64)
    buckets, ages, cells, sums, values, counts = histogram
    buckets[:n] = kept
    counts[BUCKETS], counts[BEGIN] = n, begin
    index_ages(buckets, ages, cells, counts)
    for x in recent:
        add(sums, values, counts, x * x if power == 2 else x)
    return histogram


@compiled
def _search_group(  # noqa: PLR0915  (one loop: a call for each row would cost more than its work)
    aggregate: int, counted: bool, search: int, over: bool, error: float, x: Any, skips: Any, begin: int, first: Any,
    second: Any, numbers: Any, totals: Any, watched: Any, shelf: int, logs: Any, limit: int, one: bool, alarms: Any,
    n: int,
) -> Any:  # fmt: skip
    """Add and search the rows of one group, up to a limit of alarms; returns how many rows that were."""
    b1, a1, c1, s1, v1, n1 = first
    b2, a2, c2, s2, v2, n2 = second
    two = aggregate == VARIANCE
    lengths, shelf_or_any = watched.lengths, max(shelf, 0)
    size = lengths.size
    thresholds, least = watched.thresholds[shelf_or_any], watched.least[shelf_or_any]
    shortest, longest = watched.shortest, watched.longest
    stack, band, everything = np.empty(256, np.int64), np.empty(BAND, np.int64), np.arange(size)
    log_lengths, log_thresholds = logs[0], logs[1][shelf_or_any]
    ranks, slopes, counts, sorted_at, reach = empty_space(size if search == MONOTONIC else 0)
    directly = everything
    if search == MONOTONIC:
        directly = np.flatnonzero((log_lengths <= 0.0) | ~np.isfinite(log_thresholds))
    rows, which, values = alarms
    end, rough = numbers[ROWS], numbers[ROUGH] != 0
    total, mean, spread = totals[TOTAL], totals[MEAN], totals[SPREAD]
    at = 0
    while at < x.size and n < limit:
        value = x[at]
        if skips.size and skips[at]:
            b1, a1, c1, s1, v1, n1 = compact((b1, a1, c1, s1, v1, n1), error, skips[at])
            b2, a2, c2, s2, v2, n2 = compact((b2, a2, c2, s2, v2, n2), error, skips[at])
            before = end
            end += skips[at]
            spread += mean * mean * before * skips[at] / end
            mean = mean * before / end
        add(s1, v1, n1, value)
        if two:
            add(s2, v2, n2, value * value)
        end += 1
        total += value
        distance = value - mean
        mean += distance / end
        spread += distance * (value - mean)
        rough |= value != np.floor(value)
        if shelf >= 0:
            slack = 0.0
            if rough or two or total >= WHOLE:
                slack = (end / RECENT + 300.0) * EPSILON
            if n + size >= rows.size:
                rows, which, values = _with_room((rows, which, values), n, size)
            if search == ALL:
                n = _search_all(
                    aggregate, b1, a1, c1, s1, n1, b2, a2, c2, s2, n2, end, over, slack, lengths, thresholds,
                    begin + at, least, shortest, longest, one, stack, rows, which, values, n,
                )  # fmt: skip
            else:
                unit = 1.0 if counted else (spread if two else total) / end
                found = n
                n = _search_directly(
                    aggregate, b1, a1, c1, s1, n1, b2, a2, c2, s2, n2, end, over, slack, lengths, thresholds,
                    begin + at, one, directly if unit > 0.0 else everything, rows, which, values, n,
                )  # fmt: skip
                if unit > 0.0 and not (one and n > found):
                    level = np.log(unit)
                    upto = counts[MET]
                    while upto < size and lengths[upto] <= end:
                        upto += 1
                    if upto > counts[MET]:
                        meet(ranks, slopes, counts, sorted_at, reach, log_lengths, log_thresholds, upto, level)
                    n = _bisect(
                        aggregate, b1, a1, c1, s1, n1, b2, a2, c2, s2, n2, end, over, slack, lengths, thresholds,
                        begin + at, one, ranks, slopes, counts, sorted_at, reach, log_lengths, log_thresholds, level,
                        band, rows, which, values, n,
                    )  # fmt: skip
        if n1[FRESH] == RECENT:
            b1, a1, c1, s1, v1, n1 = compact((b1, a1, c1, s1, v1, n1), error, 0)
            if two:
                b2, a2, c2, s2, v2, n2 = compact((b2, a2, c2, s2, v2, n2), error, 0)
        at += 1
    numbers[ROWS], numbers[ROUGH], numbers[RECENT_FROM] = end, rough, n1[BEGIN]
    totals[TOTAL], totals[MEAN], totals[SPREAD] = total, mean, spread
    return at, n, (rows, which, values), (b1, a1, c1, s1, v1, n1), (b2, a2, c2, s2, v2, n2)


@compiled
def search_rows(
    aggregate: int, counted: bool, search: int, over: bool, error: float, fed: Any, past: Any, watched: Any,
    shelves: Any, logs: Any, resume: Any, limit: int, one: bool, alarms: Any,
) -> Any:  # fmt: skip
    """Add and search the rows of many groups, from where `resume` says; returns alarms, where it stopped, and states.

    `past` are, by group, the buckets of both histograms and the recent values with their bounds, and the numbers and
    totals, which are changed in place. The states of the groups that were fed come as arrays with bounds.
    """
    groups, bounds, values, skips = fed
    numbers, totals = past[6], past[7]
    two = aggregate == VARIANCE
    states = (np.empty((1024, FIELDS)), np.empty((1024 if two else 1, FIELDS)), np.empty(1024))
    ends = np.zeros((groups.size + 1, 3), np.int64)
    n, told = 0, 0
    k, at = resume
    while k < groups.size and n < limit:
        g = groups[k]
        begin = bounds[k] + at
        recent = past[4][past[5][g] : past[5][g + 1]]
        first = _restored(past[0][past[1][g] : past[1][g + 1]], recent, numbers[g, RECENT_FROM], 1)
        second = _restored(past[2][past[3][g] : past[3][g + 1]], recent, numbers[g, RECENT_FROM], 2)
        x, zeros = values[begin : bounds[k + 1]], skips[begin : bounds[k + 1]] if skips.size else skips
        done, n, alarms, first, second = _search_group(
            aggregate, counted, search, over, error, x, zeros, begin, first, second, numbers[g], totals[g], watched,
            shelves[g], logs, limit, one, alarms, n,
        )  # fmt: skip
        states = _told(states, ends, told, first, second, two)
        told += 1
        at += done
        if at == bounds[k + 1] - bounds[k]:
            k += 1
            at = 0
    return n, alarms, (k, at), states, ends[: told + 1]


@compiled
def _with_room(alarms: Any, n: int, more: int) -> Any:
    """The alarms, with room for more."""
    rows, which, values = alarms
    size = 2 * (n + more) + 1
    new_rows, new_which, new_values = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.float64)
    for i in range(n):
        new_rows[i], new_which[i], new_values[i] = rows[i], which[i], values[i]
    return new_rows, new_which, new_values


@compiled
def _appended(state: Any, at: int, part: Any) -> Any:
    """A table with rows written at a place, larger if need be."""
    if at + part.shape[0] > state.shape[0]:
        larger = np.empty((2 * (at + part.shape[0]), FIELDS))
        larger[:at] = state[:at]
        state = larger
    state[at : at + part.shape[0]] = part
    return state


@compiled
def _told(states: Any, ends: Any, told: int, first: Any, second: Any, two: bool) -> Any:
    """The states with that of one more group."""
    sums, squares, recent = states
    counts = first[5]
    sums = _appended(sums, ends[told, 0], first[0][: counts[BUCKETS]])
    ends[told + 1, 0] = ends[told, 0] + counts[BUCKETS]
    ends[told + 1, 1] = ends[told, 1]
    if two:
        squares = _appended(squares, ends[told, 1], second[0][: second[5][BUCKETS]])
        ends[told + 1, 1] += second[5][BUCKETS]
    at, fresh = ends[told, 2], counts[FRESH]
    if at + fresh > recent.size:
        larger = np.empty(2 * (at + fresh))
        larger[:at] = recent[:at]
        recent = larger
    recent[at : at + fresh] = first[4][:fresh]
    ends[told + 1, 2] = at + fresh
    return sums, squares, recent
