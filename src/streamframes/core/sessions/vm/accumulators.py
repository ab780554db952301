"""Accumulators: how a value is added to a node of a session, and what its value is.

Each has some words of the session's record. Sums of doubles are pairs (a sum and its error), so that the order of
additions does not show; whole numbers are added exactly.

  count        n                    first, last, min, max   value
  sum, long    sum                  sum, double             sum, error
  avg, long    sum, n               avg, double             sum, error, n
  stddev       sum, error, sum of squares, error, n
  fold         n, result, scalars of the user
  windowed     first entry, last entry, n; an entry is value, instant, next
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.jit.pairs import product, square
from streamframes.core.sessions.vm.bits import NAN, NULL, is_nan

(
    COUNT, SUM_LONG, SUM_DOUBLE, AVG_LONG, AVG_DOUBLE, MIN_LONG, MIN_DOUBLE, MAX_LONG, MAX_DOUBLE,
    FIRST_LONG, FIRST_DOUBLE, LAST_VALUE, STDDEV, FOLDED, KEPT, COMPUTED_VALUE,
) = range(16)  # fmt: skip
# The words that each begins with.
BLANK: dict[int, tuple[int, ...]] = {
    COUNT: (0,),
    SUM_LONG: (NULL,),
    SUM_DOUBLE: (NAN, 0),
    AVG_LONG: (0, 0),
    AVG_DOUBLE: (0, 0, 0),
    MIN_LONG: (NULL,),
    MIN_DOUBLE: (NAN,),
    MAX_LONG: (NULL,),
    MAX_DOUBLE: (NAN,),
    FIRST_LONG: (NULL,),
    FIRST_DOUBLE: (NAN,),
    STDDEV: (0, 0, 0, 0, 0),
    COMPUTED_VALUE: (),
}
MOST_WORDS = 5


@compiled
def overflows(a: Any, b: Any) -> Any:
    """Whether the sum of two longs is none."""
    total = a + b
    return ((a ^ total) & (b ^ total)) < 0


@compiled
def add_double(D: Any, at: Any, x: Any) -> None:
    """Add to a pair: the sum and its error."""
    high = D[at]
    total = high + x
    if np.isfinite(total):
        back = total - high
        low = D[at + 1] + ((high - (total - back)) + (x - back))
        D[at] = total + low
        D[at + 1] = low - (D[at] - total)
    else:
        D[at], D[at + 1] = total, 0.0


@compiled
def add(W: Any, D: Any, at: Any, code: Any, bits: Any, x: Any) -> Any:
    """Add a value, given as bits and as a double, to an accumulator; false if it overflows."""
    if code == COUNT:
        W[at] += 1
    elif code == AVG_DOUBLE:
        add_double(D, at, x)
        W[at + 2] += 1
    elif code == LAST_VALUE or code == KEPT:  # noqa: SIM109  (Numba compiles this to comparisons)
        W[at] = bits
    elif code == SUM_LONG:
        if W[at] == NULL:
            W[at] = bits
        elif overflows(W[at], bits):
            return False
        else:
            W[at] += bits
    elif code == SUM_DOUBLE:
        if is_nan(W[at]):
            D[at], D[at + 1] = x, 0.0
        else:
            add_double(D, at, x)
    elif code == AVG_LONG:
        if overflows(W[at], bits):
            return False
        W[at] += bits
        W[at + 1] += 1
    elif code == STDDEV:
        whole, rest = square(x)
        add_double(D, at, x)
        add_double(D, at + 2, whole)
        add_double(D, at + 2, rest)
        W[at + 4] += 1
    elif _is_chosen(W, D, at, code, bits, x):
        W[at] = bits
    return True


@compiled
def _is_chosen(W: Any, D: Any, at: Any, code: Any, bits: Any, x: Any) -> Any:
    """Whether a value takes the place of the least, the greatest or the first one so far."""
    if code in (MIN_LONG, MAX_LONG, FIRST_LONG):
        if W[at] == NULL:
            return True
        return (code == MIN_LONG and bits < W[at]) or (code == MAX_LONG and bits > W[at])
    if code in (MIN_DOUBLE, MAX_DOUBLE, FIRST_DOUBLE):
        if is_nan(W[at]):
            return True
        return (code == MIN_DOUBLE and x < D[at]) or (code == MAX_DOUBLE and x > D[at])
    return False


@compiled
def deviation(D: Any, at: Any, n: Any) -> Any:
    """The deviation of a sample, from the sums of its values and of their squares; both are pairs."""
    if n < 2:
        return np.nan
    whole, rest = square(D[at])
    rest += 2.0 * D[at] * D[at + 1]
    high, low = whole / n, 0.0
    # The quotient as a pair: what its rounding left over, divided again.
    back, error = product(high, float(n))
    low = ((whole - back) - error + rest) / n
    spread = (D[at + 2] - high) + (D[at + 3] - low)
    return np.sqrt(max(spread, 0.0) / (n - 1))


@compiled
def read_double(W: Any, D: Any, at: Any, code: Any, scale: Any) -> Any:
    """The value of an average or a deviation."""
    if code == AVG_DOUBLE:
        return D[at] / W[at + 2] if W[at + 2] > 0 else np.nan
    if code == AVG_LONG:
        return W[at] / W[at + 1] / scale if W[at + 1] > 0 else np.nan
    return deviation(D, at, W[at + 4])


@compiled
def is_read(code: Any) -> Any:
    """Whether the value is a double that must be worked out; otherwise it is the first word."""
    if code == AVG_DOUBLE or code == AVG_LONG:  # noqa: SIM109  (Numba compiles this to comparisons)
        return True
    return code == STDDEV


# Adding what two parts of the data have accumulated: the same as if one had seen all of it.
@compiled
def merge(W: Any, D: Any, at: Any, code: Any, V: Any, U: Any, other: Any) -> Any:
    """Add the accumulator `other` of V, seen as doubles U, to that of W, seen as doubles D; false if it overflows."""
    if code == COUNT:
        W[at] += V[other]
    elif code == AVG_LONG:
        if overflows(W[at], V[other]):
            return False
        W[at] += V[other]
        W[at + 1] += V[other + 1]
    elif code in (AVG_DOUBLE, STDDEV):
        add_double(D, at, U[other])
        add_double(D, at, U[other + 1])
        if code == STDDEV:
            add_double(D, at + 2, U[other + 2])
            add_double(D, at + 2, U[other + 3])
            W[at + 4] += V[other + 4]
        else:
            W[at + 2] += V[other + 2]
    elif code == SUM_DOUBLE:
        if not is_nan(V[other]):
            add(W, D, at, code, V[other], U[other])
            add_double(D, at, U[other + 1])
    elif V[other] != NULL and not (code in (MIN_DOUBLE, MAX_DOUBLE) and is_nan(V[other])):
        return add(W, D, at, code, V[other], U[other])
    return True
