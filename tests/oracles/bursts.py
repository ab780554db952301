"""The definitions of bursts, slowly: what the fast searches are proved equal to.

Nothing here shares a line with them: sums are of fractions, histograms are lists, orders are sorted anew each time.
"""

from __future__ import annotations

import math
from bisect import bisect_left
from collections.abc import Callable, Mapping, Sequence
from fractions import Fraction
from typing import NamedTuple


class Alarm(NamedTuple):
    """A window that reached its threshold at a row."""

    row: int
    window: int
    value: float


def aggregate_of(agg: str, values: Sequence[float]) -> float:
    """The aggregate of one window, rounded once."""
    if agg in ("min", "max"):
        return float(min(values) if agg == "min" else max(values))
    exact = [Fraction(value) for value in values]
    total, n = sum(exact, Fraction(0)), len(exact)
    if agg == "avg":
        return float(total) / n
    if agg == "variance":
        return float(sum((x * x for x in exact), Fraction(0)) / n - (total / n) ** 2)
    return float(total)


def brute(values: Sequence[float], thresholds: Mapping[int, float], agg: str = "sum") -> list[Alarm]:
    """Every alarm: each full window at each row.

    >>> brute([1, 5, 0, 3], {1: 4, 2: 5})
    [Alarm(row=1, window=1, value=5.0), Alarm(row=1, window=2, value=6.0), Alarm(row=2, window=2, value=5.0)]
    """
    found = []
    for row in range(len(values)):
        for window, threshold in sorted(thresholds.items()):
            if window <= row + 1:
                value = aggregate_of(agg, values[row + 1 - window : row + 1])
                if value >= threshold:
                    found.append(Alarm(row, window, value))
    return found


class Histogram:
    """Algorithm 3: each value is added to every bucket, and neighbours are merged from the latest on.

    A bucket is [smallest sum, largest sum, width, largest step, smallest step, step to the next].
    """

    def __init__(self, error: float) -> None:
        self.error = error
        self.buckets: list[list[float]] = []

    def update(self, x: float) -> None:
        """Take a value."""
        for bucket in self.buckets:
            bucket[0] += x
            bucket[1] += x
        older, self.buckets = self.buckets, [[x, x, 1, -math.inf, math.inf, x]]
        for bucket in older:
            last = self.buckets[-1]
            if bucket[1] <= (1 + self.error) * last[0]:
                step = bucket[5]
                last[1], last[2] = bucket[1], last[2] + bucket[2]
                last[3], last[4] = max(last[3], step, bucket[3]), min(last[4], step, bucket[4])
            else:
                self.buckets.append(bucket)

    def bounds(self, window: int) -> tuple[float, float]:
        """Between which the sum of the last `window` values lies."""
        before = 0
        for low, high, width, most, least, _ in self.buckets:
            if window <= before + width:
                after = window - before - 1
                if width == 1:
                    return low, high
                return low + least * after, min(high, low + most * after)
            before += int(width)
        raise ValueError(f"there are {before} rows, fewer than {window}")


def search_space(thresholds: Mapping[int, float], level: float) -> list[int]:
    """Algorithm 1, for one level of log F(1): the windows by their slope."""
    return sorted(thresholds, key=lambda w: ((math.log(thresholds[w]) - level) / math.log(w), w))


def bisected(space: Sequence[int], reaches: Callable[[int], bool]) -> list[int]:
    """Algorithm 2: the windows up to the last at which bisection finds that the threshold is reached."""
    low, high = 0, len(space) - 1
    while low <= high:
        middle = (low + high) // 2
        if reaches(space[middle]):
            low = middle + 1
        else:
            high = middle - 1
    return list(space[: high + 1])


def monotonic(
    values: Sequence[float],
    thresholds: Mapping[int, float],
    estimate: Callable[[int, int], float],
    unit: Callable[[int], float],
) -> list[tuple[int, int]]:
    """The search by bisection: row and window of each alarm.

    `estimate(row, window)` is what is known of the aggregate, `unit(row)` is F(1).
    """
    found = []
    lengths = sorted(thresholds)
    for row in range(len(values)):
        full = lengths[: bisect_left(lengths, row + 2)]
        level = unit(row)
        known = [w for w in full if w > 1 and thresholds[w] > 0] if level > 0 else []
        direct = [w for w in full if w not in known]

        def reaches(w: int, row: int = row) -> bool:
            return estimate(row, w) >= thresholds[w]

        space = search_space({w: thresholds[w] for w in known}, math.log(level)) if known else []
        found += [(row, w) for w in direct if reaches(w)] + [(row, w) for w in bisected(space, reaches)]
    return found
