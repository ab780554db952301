"""The searches at one row: every window by a tree that rules most of them out, or the paper's few by bisection.

Estimates are one-sided; where sums are not exact (values that are no whole numbers, or sums beyond 2^53), they are
widened by what rounding can have done, so that they stay so. Histograms come apart, as arrays b, i, r, n: buckets,
index, recent rows and counts, of the values and of their squares.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.bursts.exact.sums import AVG, EPSILON, VARIANCE
from streamframes.core.bursts.histogram.search_space import DIRECT, FROM, MET, RANKED, TO, band_of, meet
from streamframes.core.bursts.histogram.suffix_sums import estimate
from streamframes.core.bursts.window_tree import GROUP
from streamframes.core.jit.compiled import compiled


@compiled
def _variance(
    b1: Any, i1: Any, r1: Any, n1: Any, b2: Any, i2: Any, r2: Any, n2: Any, start: int, length: int, over: bool,
    slack: float,
) -> float:  # fmt: skip
    """The estimate of a variance: squares from one side, sums from the other."""
    wide, narrow = 1.0 - slack, 1.0 + slack
    if over:
        wide, narrow = narrow, wide
    mean = estimate(b1, i1, r1, n1, start, not over) * narrow / length
    square = estimate(b2, i2, r2, n2, start, over) * wide / length
    margin = 8.0 * EPSILON * square
    return float(max(0.0, square - mean * mean + (margin if over else -margin)))


@compiled
def _of_sum(aggregate: int, total: float, length: int, over: bool, slack: float) -> float:
    """What is made of the estimate of a sum, if it is no variance."""
    total *= 1.0 + slack if over else 1.0 - slack
    return total / length if aggregate == AVG else total


@compiled
def search_tree(
    aggregate: int, first: Any, second: Any, end: int, over: bool, slack: float, lengths: Any, thresholds: Any,
    least: Any, shortest: Any, longest: Any, one: bool, stack: Any, row: int, alarms: Any, n: int,
) -> int:  # fmt: skip
    """Every window, by the tree: a sum grows with its window, and so does the estimate."""
    b1, i1, r1, n1, _ = first
    b2, i2, r2, n2, _ = second
    rows, which, values = alarms
    leaves = longest.size // 2
    stack[0, 0] = 1
    depth = 1
    while depth:
        depth -= 1
        node = stack[depth, 0]
        if shortest[node] > end:
            continue
        start = max(0, end - longest[node])
        if aggregate == VARIANCE:
            bound = estimate(b2, i2, r2, n2, start, True)
        else:
            bound = estimate(b1, i1, r1, n1, start, over)
        if bound * (1.0 + slack) < least[node]:
            continue
        if node < leaves:
            stack[depth, 0], stack[depth + 1, 0] = 2 * node + 1, 2 * node
            depth += 2
            continue
        low = (node - leaves) * GROUP
        for i in range(low, min(low + GROUP, lengths.size)):
            if lengths[i] > end:
                break
            start = end - lengths[i]
            if aggregate == VARIANCE:
                value = _variance(b1, i1, r1, n1, b2, i2, r2, n2, start, lengths[i], over, slack)
            else:
                value = _of_sum(aggregate, estimate(b1, i1, r1, n1, start, over), lengths[i], over, slack)
            if value >= thresholds[i]:
                rows[n], which[n], values[n] = row, i, value
                n += 1
                if one:
                    return n
    return n


@compiled
def search_directly(
    aggregate: int, first: Any, second: Any, end: int, over: bool, slack: float, lengths: Any, thresholds: Any,
    directly: Any, size: int, one: bool, row: int, alarms: Any, n: int,
) -> int:  # fmt: skip
    """Some windows, one by one."""
    b1, i1, r1, n1, _ = first
    b2, i2, r2, n2, _ = second
    rows, which, values = alarms
    for k in range(size):
        i = directly[k]
        if lengths[i] > end:
            break
        start = end - lengths[i]
        if aggregate == VARIANCE:
            value = _variance(b1, i1, r1, n1, b2, i2, r2, n2, start, lengths[i], over, slack)
        else:
            value = _of_sum(aggregate, estimate(b1, i1, r1, n1, start, over), lengths[i], over, slack)
        if value >= thresholds[i]:
            rows[n], which[n], values[n] = row, i, value
            n += 1
            if one:
                break
    return n


@compiled
def _bisect(
    aggregate: int, first: Any, second: Any, end: int, over: bool, slack: float, lengths: Any, thresholds: Any,
    log_lengths: Any, log_thresholds: Any, space: Any, level: float, one: bool, band: Any, row: int, alarms: Any,
    n: int,
) -> int:  # fmt: skip
    """Algorithm 2: the windows up to the last that bisection finds in the order of this level."""
    b1, i1, r1, n1, _ = first
    b2, i2, r2, n2, _ = second
    ranks, slopes, _, counts, marks = space
    rows, which, values = alarms
    low, high = 0, counts[RANKED] - 1
    if one:
        high = min(high, 0)
    while low <= high:
        middle = (low + high) // 2
        i = ranks[middle]
        if not marks[FROM] <= level <= marks[TO]:
            begin = band_of(ranks, slopes, counts, marks, log_lengths, log_thresholds, middle, level, band)
            i = band[middle - begin]
        start = end - lengths[i]
        if aggregate == VARIANCE:
            value = _variance(b1, i1, r1, n1, b2, i2, r2, n2, start, lengths[i], over, slack)
        else:
            value = _of_sum(aggregate, estimate(b1, i1, r1, n1, start, over), lengths[i], over, slack)
        if thresholds[i] <= value:
            low = middle + 1
        else:
            high = middle - 1
    if high < 0:
        return n
    begin = band_of(ranks, slopes, counts, marks, log_lengths, log_thresholds, high, level, band)
    for k in range(high + 1):
        i = ranks[k] if k < begin else band[k - begin]
        start = end - lengths[i]
        if aggregate == VARIANCE:
            value = _variance(b1, i1, r1, n1, b2, i2, r2, n2, start, lengths[i], over, slack)
        else:
            value = _of_sum(aggregate, estimate(b1, i1, r1, n1, start, over), lengths[i], over, slack)
        rows[n], which[n], values[n] = row, i, value
        n += 1
    return n


@compiled
def search_order(
    aggregate: int, first: Any, second: Any, end: int, over: bool, slack: float, lengths: Any, thresholds: Any,
    log_lengths: Any, log_thresholds: Any, space: Any, unit: float, one: bool, band: Any, row: int, alarms: Any,
    n: int,
) -> int:  # fmt: skip
    """By bisection in the order for a level of F(1); windows that have no place in the order one by one."""
    ranks, slopes, direct, counts, marks = space
    if not unit > 0.0:
        return search_directly(
            aggregate, first, second, end, over, slack, lengths, thresholds, np.arange(lengths.size), lengths.size,
            one, row, alarms, n,
        )  # fmt: skip
    level, upto = np.log(unit), counts[MET]
    while upto < lengths.size and lengths[upto] <= end:
        upto += 1
    if upto > counts[MET]:
        meet(ranks, slopes, direct, counts, marks, log_lengths, log_thresholds, upto, level)
    found = search_directly(
        aggregate, first, second, end, over, slack, lengths, thresholds, direct, counts[DIRECT], one, row, alarms, n
    )
    if one and found > n:
        return found
    return _bisect(
        aggregate, first, second, end, over, slack, lengths, thresholds, log_lengths, log_thresholds, space, level,
        one, band, row, alarms, found,
    )  # fmt: skip
