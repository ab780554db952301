"""The monotonic search space: windows in an order in which, of a fractal stream, those that alarm come first.

  log T                        the line through two thresholds meets the axis at a *divide point*; above it the shorter
   |      x T(w2)              window comes first, below it the longer one. Between neighbouring divide points the
   |   x T(w1)                 order is the same: by the slope from (0, log F(1)) to (log w, log T(w)).
  f|/
   +-------------- log w       F(1) moves with every row, the order seldom.

The order is kept as it was sorted last. Slopes have moved since by amounts that differ by no more than a *spread*, so
whoever is k-th now is among those that were within the spread of the k-th then: mostly one, and few to be sorted.

References
----------
Qin, Qian and Zhou, Approximately processing multi-granularity aggregate queries over data streams, ICDE 2006,
algorithms 1 and 2, properties 1 and 2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.compiled import compiled

# A band of windows whose order is in doubt is sorted by itself, up to this size; beyond it, everything is sorted anew.
BAND = 32
_TOLERANCE = 1e-12

# What is known of an order: how many windows are in it, and how many of all windows have been looked at.
RANKED, MET = range(2)


@compiled
def slope(log_threshold: float, log_length: float, level: float) -> float:
    """The slope from (0, level) to a threshold, by which windows are ordered."""
    return (log_threshold - level) / log_length


@compiled
def empty_space(size: int) -> Any:
    """An order of no windows: ranks, slopes, counts, the level it was sorted for, the range of 1 / log w."""
    return np.empty(size, np.int64), np.empty(size), np.zeros(2, np.int64), np.zeros(1), np.zeros(2)


@compiled
def sort_space(
    ranks: Any, slopes: Any, counts: Any, at: Any, log_lengths: Any, log_thresholds: Any, level: float
) -> None:
    """Sort all windows that are in the order for a level; ties by length."""
    n = counts[RANKED]
    order = np.sort(ranks[:n])
    fresh = np.empty(n)
    for i in range(n):
        fresh[i] = slope(log_thresholds[order[i]], log_lengths[order[i]], level)
    chosen = np.argsort(fresh, kind="mergesort")
    for i in range(n):
        ranks[i], slopes[i] = order[chosen[i]], fresh[chosen[i]]
    at[0] = level


@compiled
def meet(
    ranks: Any, slopes: Any, counts: Any, at: Any, reach: Any, log_lengths: Any, log_thresholds: Any, upto: int,
    level: float,
) -> None:  # fmt: skip
    """Put windows in the order that are full now; those with no logarithm are not in it."""
    many = upto - counts[MET] > BAND
    for i in range(counts[MET], upto):
        if log_lengths[i] <= 0.0 or not np.isfinite(log_thresholds[i]):
            continue
        n = counts[RANKED]
        reach[0] = 1.0 / log_lengths[i] if n == 0 else max(reach[0], 1.0 / log_lengths[i])
        reach[1] = 1.0 / log_lengths[i] if n == 0 else min(reach[1], 1.0 / log_lengths[i])
        counts[RANKED] = n + 1
        ranks[n], slopes[n] = i, slope(log_thresholds[i], log_lengths[i], at[0])
        j = n
        while not many and j > 0 and slopes[j - 1] > slopes[j]:
            ranks[j], ranks[j - 1] = ranks[j - 1], ranks[j]
            slopes[j], slopes[j - 1] = slopes[j - 1], slopes[j]
            j -= 1
    counts[MET] = upto
    if many:
        sort_space(ranks, slopes, counts, at, log_lengths, log_thresholds, level)


@compiled
def band_of(
    ranks: Any, slopes: Any, counts: Any, at: Any, reach: Any, log_lengths: Any, log_thresholds: Any, k: int,
    level: float, band: Any,
) -> int:  # fmt: skip
    """Who may be k-th at a level: where their band begins in the order; `band` gets it, in the order of now."""
    n = counts[RANKED]
    while True:
        doubt = abs(level - at[0]) * (reach[0] - reach[1]) + _TOLERANCE * (1.0 + abs(slopes[k]))
        first, last = k, k
        while first > 0 and slopes[k] - slopes[first - 1] <= doubt:
            first -= 1
        while last < n - 1 and slopes[last + 1] - slopes[k] <= doubt:
            last += 1
        if first == last or level == at[0]:
            band[0] = ranks[k]
            return k
        if last - first < BAND:
            break
        sort_space(ranks, slopes, counts, at, log_lengths, log_thresholds, level)
    for i in range(last - first + 1):
        w = ranks[first + i]
        here = slope(log_thresholds[w], log_lengths[w], level)
        j = i
        while j > 0:
            other = slope(log_thresholds[band[j - 1]], log_lengths[band[j - 1]], level)
            if other < here or (other == here and band[j - 1] < w):
                break
            band[j] = band[j - 1]
            j -= 1
        band[j] = w
    return first


def divide_points(lengths: np.ndarray, thresholds: np.ndarray) -> np.ndarray:
    """Where the order of two windows changes: the levels of log F(1), ascending, at which some pair swaps.

    >>> divide_points(np.array([4, 16]), np.array([10.0, 20.0]))
    array([1.60943791])
    """
    with np.errstate(divide="ignore", invalid="ignore"):
        x, y = np.log(lengths.astype(float)), np.log(thresholds)
    known = np.isfinite(y) & (x > 0)
    x, y = x[known], y[known]
    i, j = np.triu_indices(x.size, 1)
    return np.unique((y[i] * x[j] - y[j] * x[i]) / (x[j] - x[i]))


def search_space(lengths: np.ndarray, thresholds: np.ndarray, level: float) -> np.ndarray:
    """The windows in the order in which they are searched while log F(1) is `level`.

    >>> search_space(np.array([4, 16]), np.array([10.0, 20.0]), level=1.0).tolist()
    [16, 4]
    >>> search_space(np.array([4, 16]), np.array([10.0, 20.0]), level=2.0).tolist()
    [4, 16]
    """
    slopes = (np.log(thresholds) - level) / np.log(lengths)
    return np.asarray(lengths[np.lexsort((lengths, slopes))])
