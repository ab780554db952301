"""The monotonic search space: windows in an order in which, of a fractal stream, those that alarm come first.

  log T                        the line through two thresholds meets the axis at a *divide point*; above it the shorter
   |      x T(w2)              window comes first, below it the longer one. Between neighbouring divide points the
   |   x T(w1)                 order is the same: by the slope from (0, log F(1)) to (log w, log T(w)).
  f|/
   +-------------- log w       F(1) moves with every row, the order seldom.

The order is kept as it was sorted last, with the levels between which no two neighbours swap: there it is the order
still. Beyond, slopes have moved by amounts that differ by no more than a *spread*, so whoever is k-th now is among
those that were within the spread of the k-th then: mostly one, and few to be sorted.

References
----------
Qin, Qian and Zhou, Approximately processing multi-granularity aggregate queries over data streams, ICDE 2006,
algorithms 1 and 2, properties 1 and 2.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled

# A band of windows whose order is in doubt is sorted by itself, up to this size; beyond it, everything is sorted anew.
BAND = 32
_TOLERANCE = 1e-12
# An order that has hardly changed is sorted by moving windows, up to so many times their number.
_MOVES = 4

# What is counted of an order: windows in it, windows looked at, and those of them that have no place in it.
RANKED, MET, DIRECT = range(3)
# What is known of it: the level it was sorted for, the range of 1 / log w, the levels between which it holds.
AT, WIDEST, NARROWEST, FROM, TO = range(5)


@compiled
def slope(log_threshold: float, log_length: float, level: float) -> float:
    """The slope from (0, level) to a threshold, by which windows are ordered."""
    return (log_threshold - level) / log_length


@compiled
def empty_space(size: int) -> Any:
    """An order of no windows: ranks, slopes, windows that have no place in it, counts, marks."""
    return np.empty(size, np.int64), np.empty(size), np.empty(size, np.int64), np.zeros(3, np.int64), np.zeros(5)


@compiled
def forget_order(space: Any) -> None:
    """Make an order one of no windows."""
    counts, marks = space[3], space[4]
    counts[:] = 0
    marks[AT], marks[FROM], marks[TO] = 0.0, -1.0, 1.0


@compiled
def sort_space(
    ranks: Any, slopes: Any, counts: Any, marks: Any, log_lengths: Any, log_thresholds: Any, level: float
) -> None:
    """Sort all windows that are in the order for a level; ties by length."""
    n = counts[RANKED]
    for i in range(n):
        slopes[i] = slope(log_thresholds[ranks[i]], log_lengths[ranks[i]], level)
    if not _straightened(ranks, slopes, n):
        order = np.sort(ranks[:n])
        fresh = np.empty(n)
        for i in range(n):
            fresh[i] = slope(log_thresholds[order[i]], log_lengths[order[i]], level)
        chosen = np.argsort(fresh, kind="mergesort")
        for i in range(n):
            ranks[i], slopes[i] = order[chosen[i]], fresh[chosen[i]]
    marks[AT], marks[FROM], marks[TO] = level, level - 1.0, level + 1.0
    for i in range(1, n):
        _hold(ranks, slopes, marks, log_lengths, i)


@compiled
def _straightened(ranks: Any, slopes: Any, n: int) -> bool:
    """Sort by insertion; gives up, with all windows still there, where that takes many moves."""
    moves = _MOVES * n
    for i in range(1, n):
        w, here = ranks[i], slopes[i]
        j = i
        while j > 0 and (slopes[j - 1] > here or (slopes[j - 1] == here and ranks[j - 1] > w)):
            ranks[j], slopes[j] = ranks[j - 1], slopes[j - 1]
            j -= 1
        ranks[j], slopes[j] = w, here
        moves -= i - j
        if moves < 0:
            return False
    return True


@compiled
def _hold(ranks: Any, slopes: Any, marks: Any, log_lengths: Any, i: int) -> None:
    """Narrow the levels between which the order holds to those at which the i-th stays behind the one before it."""
    apart = slopes[i] - slopes[i - 1] - _TOLERANCE * (1.0 + abs(slopes[i]))
    drift = 1.0 / log_lengths[ranks[i]] - 1.0 / log_lengths[ranks[i - 1]]
    if apart <= 0.0:
        marks[FROM], marks[TO] = np.inf, -np.inf
    elif drift > 0.0:
        marks[TO] = min(marks[TO], marks[AT] + apart / drift)
    elif drift < 0.0:
        marks[FROM] = max(marks[FROM], marks[AT] + apart / drift)


@compiled
def meet(
    ranks: Any, slopes: Any, direct: Any, counts: Any, marks: Any, log_lengths: Any, log_thresholds: Any, upto: int,
    level: float,
) -> None:  # fmt: skip
    """Put windows in the order that are full now; those with no logarithm stay outside."""
    many = upto - counts[MET] > BAND
    for i in range(counts[MET], upto):
        if log_lengths[i] <= 0.0 or not np.isfinite(log_thresholds[i]):
            direct[counts[DIRECT]] = i
            counts[DIRECT] += 1
            continue
        n = counts[RANKED]
        drift = 1.0 / log_lengths[i]
        marks[WIDEST] = drift if n == 0 else max(marks[WIDEST], drift)
        marks[NARROWEST] = drift if n == 0 else min(marks[NARROWEST], drift)
        counts[RANKED] = n + 1
        here = slope(log_thresholds[i], log_lengths[i], marks[AT])
        j = n
        while not many and j > 0 and slopes[j - 1] > here:
            ranks[j], slopes[j] = ranks[j - 1], slopes[j - 1]
            j -= 1
        ranks[j], slopes[j] = i, here
        if j > 0 and not many:
            _hold(ranks, slopes, marks, log_lengths, j)
        if j < n and not many:
            _hold(ranks, slopes, marks, log_lengths, j + 1)
    counts[MET] = upto
    if many:
        sort_space(ranks, slopes, counts, marks, log_lengths, log_thresholds, level)


@compiled
def band_of(
    ranks: Any, slopes: Any, counts: Any, marks: Any, log_lengths: Any, log_thresholds: Any, k: int, level: float,
    band: Any,
) -> int:  # fmt: skip
    """Who may be k-th at a level: where their band begins in the order; `band` gets it, in the order of now."""
    if marks[FROM] <= level <= marks[TO]:
        band[0] = ranks[k]
        return k
    n = counts[RANKED]
    while True:
        spread = abs(level - marks[AT]) * (marks[WIDEST] - marks[NARROWEST])
        doubt = spread + _TOLERANCE * (1.0 + abs(slopes[k]))
        first, last = k, k
        while first > 0 and slopes[k] - slopes[first - 1] <= doubt and last - first < BAND:
            first -= 1
        while last < n - 1 and slopes[last + 1] - slopes[k] <= doubt and last - first < BAND:
            last += 1
        if first == last or level == marks[AT]:
            band[0] = ranks[k]
            return k
        if last - first < BAND:
            break
        sort_space(ranks, slopes, counts, marks, log_lengths, log_thresholds, level)
    _sort_band(ranks, log_lengths, log_thresholds, first, last, level, band)
    return first


@compiled
def _sort_band(
    ranks: Any, log_lengths: Any, log_thresholds: Any, first: int, last: int, level: float, band: Any
) -> None:
    """The windows of a stretch of the order as they are sorted at a level."""
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
