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

from collections.abc import Sequence
from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.jit.pairs import product, square
from streamframes.core.sessions.kernels.fields import NAN, NULL, is_nan
from streamframes.core.sessions.language.nodes import CLOSED, COMPUTED, FOLD, OPENED, Node
from streamframes.core.sessions.language.terms import DOUBLE, LONG

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
# What is done to a value before it is added.
NO_CONVERSION, TO_DOUBLE, TO_SECONDS = range(3)

# By function: the accumulator for longs, and that for doubles.
_CODES = {
    "count": (COUNT, COUNT),
    "sum": (SUM_LONG, SUM_DOUBLE),
    "avg": (AVG_LONG, AVG_DOUBLE),
    "min": (MIN_LONG, MIN_DOUBLE),
    "max": (MAX_LONG, MAX_DOUBLE),
    "first": (FIRST_LONG, FIRST_DOUBLE),
    "last": (LAST_VALUE, LAST_VALUE),
    "stddev": (STDDEV, STDDEV),
    COMPUTED: (COMPUTED_VALUE, COMPUTED_VALUE),
    OPENED: (KEPT, KEPT),
    CLOSED: (KEPT, KEPT),
    FOLD: (FOLDED, FOLDED),
}


def input_type(nodes: Sequence[Node], node: Node) -> str:
    """The type of the values that a node gets."""
    if node.source is not None:
        return nodes[node.source].type
    return node.argument.type if node.argument is not None else LONG


def code_of(nodes: Sequence[Node], node: Node) -> int:
    """The accumulator of a node."""
    return _CODES[node.function][input_type(nodes, node) == DOUBLE]


@compiled
def overflows(a: Any, b: Any) -> Any:
    """Whether the sum of two longs is none."""
    total = a + b
    return ((a ^ total) & (b ^ total)) < 0


@compiled
def add_double(doubles: Any, at: Any, x: Any) -> None:
    """Add to a pair: the sum and its error."""
    high = doubles[at]
    total = high + x
    if np.isfinite(total):
        back = total - high
        low = doubles[at + 1] + ((high - (total - back)) + (x - back))
        doubles[at] = total + low
        doubles[at + 1] = low - (doubles[at] - total)
    else:
        doubles[at], doubles[at + 1] = total, 0.0


@compiled
def add(words: Any, doubles: Any, at: Any, code: Any, bits: Any, x: Any) -> Any:
    """Add a value, given as bits and as a double, to an accumulator; false if it overflows."""
    if code == COUNT:
        words[at] += 1
    elif code == AVG_DOUBLE:
        add_double(doubles, at, x)
        words[at + 2] += 1
    elif code == LAST_VALUE or code == KEPT:  # noqa: SIM109  (Numba compiles this to comparisons)
        words[at] = bits
    elif code == SUM_LONG:
        if words[at] == NULL:
            words[at] = bits
        elif overflows(words[at], bits):
            return False
        else:
            words[at] += bits
    elif code == SUM_DOUBLE:
        if is_nan(words[at]):
            doubles[at], doubles[at + 1] = x, 0.0
        else:
            add_double(doubles, at, x)
    elif code == AVG_LONG:
        if overflows(words[at], bits):
            return False
        words[at] += bits
        words[at + 1] += 1
    elif code == STDDEV:
        whole, rest = square(x)
        add_double(doubles, at, x)
        add_double(doubles, at + 2, whole)
        add_double(doubles, at + 2, rest)
        words[at + 4] += 1
    elif _is_chosen(words, doubles, at, code, bits, x):
        words[at] = bits
    return True


@compiled
def _is_chosen(words: Any, doubles: Any, at: Any, code: Any, bits: Any, x: Any) -> Any:
    """Whether a value takes the place of the least, the greatest or the first one so far."""
    if code in (MIN_LONG, MAX_LONG, FIRST_LONG):
        if words[at] == NULL:
            return True
        return (code == MIN_LONG and bits < words[at]) or (code == MAX_LONG and bits > words[at])
    if code in (MIN_DOUBLE, MAX_DOUBLE, FIRST_DOUBLE):
        if is_nan(words[at]):
            return True
        return (code == MIN_DOUBLE and x < doubles[at]) or (code == MAX_DOUBLE and x > doubles[at])
    return False


@compiled
def deviation(doubles: Any, at: Any, n: Any) -> Any:
    """The deviation of a sample, from the sums of its values and of their squares; both are pairs."""
    if n < 2:
        return np.nan
    whole, rest = square(doubles[at])
    rest += 2.0 * doubles[at] * doubles[at + 1]
    high, low = whole / n, 0.0
    # The quotient as a pair: what its rounding left over, divided again.
    back, error = product(high, float(n))
    low = ((whole - back) - error + rest) / n
    spread = (doubles[at + 2] - high) + (doubles[at + 3] - low)
    return np.sqrt(max(spread, 0.0) / (n - 1))


@compiled
def read_double(words: Any, doubles: Any, at: Any, code: Any, scale: Any) -> Any:
    """The value of an average or a deviation."""
    if code == AVG_DOUBLE:
        return doubles[at] / words[at + 2] if words[at + 2] > 0 else np.nan
    if code == AVG_LONG:
        return words[at] / words[at + 1] / scale if words[at + 1] > 0 else np.nan
    return deviation(doubles, at, words[at + 4])


@compiled
def is_read(code: Any) -> Any:
    """Whether the value is a double that must be worked out; otherwise it is the first word."""
    if code == AVG_DOUBLE or code == AVG_LONG:  # noqa: SIM109  (Numba compiles this to comparisons)
        return True
    return code == STDDEV


# Adding what two parts of the data have accumulated: the same as if one had seen all of it.
@compiled
def merge(words: Any, doubles: Any, at: Any, code: Any, other_words: Any, other_doubles: Any, other: Any) -> Any:
    """Add another accumulator, at `other`, to the one at `at`; both as words and as doubles. False if it overflows."""
    if code == COUNT:
        words[at] += other_words[other]
    elif code == AVG_LONG:
        if overflows(words[at], other_words[other]):
            return False
        words[at] += other_words[other]
        words[at + 1] += other_words[other + 1]
    elif code in (AVG_DOUBLE, STDDEV):
        add_double(doubles, at, other_doubles[other])
        add_double(doubles, at, other_doubles[other + 1])
        if code == STDDEV:
            add_double(doubles, at + 2, other_doubles[other + 2])
            add_double(doubles, at + 2, other_doubles[other + 3])
            words[at + 4] += other_words[other + 4]
        else:
            words[at + 2] += other_words[other + 2]
    elif code == SUM_DOUBLE:
        if not is_nan(other_words[other]):
            add(words, doubles, at, code, other_words[other], other_doubles[other])
            add_double(doubles, at, other_doubles[other + 1])
    elif other_words[other] != NULL and not (code in (MIN_DOUBLE, MAX_DOUBLE) and is_nan(other_words[other])):
        return add(words, doubles, at, code, other_words[other], other_doubles[other])
    return True
