"""The error bound of the monotonic search, as the paper gives it."""

from __future__ import annotations

import math


def error_bound(sigmas: float, error: float, tolerance: float = 0.0) -> float:
    """How probable a wrong answer is for one window, if its aggregate is normal and thresholds lie `sigmas` above.

    Two errors add up: that the stream is no fractal, P(x >= sigmas) of the normal distribution; and that of the
    histogram, if aggregates within `tolerance` of the threshold do not count as wrong.

    >>> error_bound(sigmas=3, error=0.01, tolerance=0.01)
    0.0013498980316300957
    >>> round(error_bound(sigmas=3, error=0.01, tolerance=0.005), 3)
    0.5

    References
    ----------
    Qin, Qian and Zhou, Approximately processing multi-granularity aggregate queries over data streams, ICDE 2006,
    theorem 3.
    """
    above = 0.5 * math.erfc(sigmas / math.sqrt(2))
    missed = max((1 - above) * (error - tolerance) / error, 0.0)
    return above + missed - above * missed


def bucket_bound(rows: float, largest: float, error: float) -> float:
    """The order of the number of buckets of a histogram: log(rows * largest value) / log(1 + error); theorem 2."""
    return math.log(max(rows * largest, 1)) / math.log1p(error)
