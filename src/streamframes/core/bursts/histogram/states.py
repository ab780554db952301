"""What a search in histograms gives back: the states of groups, one behind the other."""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.bursts.histogram.recent_rows import BUCKETS, FRESH, VALUES
from streamframes.core.bursts.histogram.suffix_sums import FIELDS
from streamframes.core.jit.compiled import compiled


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
def told_states(states: Any, ends: Any, told: int, first: Any, second: Any, two: bool) -> Any:
    """The states with that of one more group."""
    sums, squares, recent = states
    counts = first[3]
    sums = _appended(sums, ends[told, 0], first[0][: counts[BUCKETS]])
    ends[told + 1, 0] = ends[told, 0] + counts[BUCKETS]
    ends[told + 1, 1] = ends[told, 1]
    if two:
        squares = _appended(squares, ends[told, 1], second[0][: second[3][BUCKETS]])
        ends[told + 1, 1] += second[3][BUCKETS]
    at, fresh = ends[told, 2], counts[FRESH]
    if at + fresh > recent.size:
        larger = np.empty(2 * (at + fresh))
        larger[:at] = recent[:at]
        recent = larger
    recent[at : at + fresh] = first[2][VALUES, :fresh]
    ends[told + 1, 2] = at + fresh
    return sums, squares, recent
