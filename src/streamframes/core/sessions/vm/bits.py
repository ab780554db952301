"""Bits: every value of a session is one 64-bit word.

Whole numbers, instants, durations, truth values and the numbers of texts are longs, null is the smallest of them;
doubles are their bits, null is any NaN. One array of words, seen as longs and as doubles, so holds records of any
mixture.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.sessions.language.terms import DOUBLE

NULL = np.iinfo(np.int64).min
NAN = int(np.float64(np.nan).view(np.int64))
_ALL_BUT_SIGN = np.int64(2**63 - 1)
_INFINITE = np.int64(0x7FF0000000000000)


@compiled
def is_nan(bits: Any) -> Any:
    """Whether the bits of a double are no number."""
    return (bits & _ALL_BUT_SIGN) > _INFINITE


@compiled
def is_null(bits: Any, is_double: Any) -> Any:
    """Whether a word is null."""
    if is_double:
        return (bits & _ALL_BUT_SIGN) > _INFINITE
    return bits == NULL


def null_of(kind: str) -> int:
    """The word for null."""
    return NAN if kind == DOUBLE else NULL
