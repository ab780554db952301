"""The kernel of filling: which rows are in frames, and in which; one walk over both in the order of time."""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.batch.clock import MIN_INSTANT
from streamframes.core.jit.compiled import compiled


@compiled
def held(groups: Any, bounds: Any, ts: Any, first: Any, low: Any, high: Any, out: Any) -> None:
    """Whether each row is in any frame; frames are sorted by group and start, `first` says where a group begins."""
    for k in range(groups.size):
        f, stop = first[groups[k]], first[groups[k] + 1]
        latest: Any = np.int64(MIN_INSTANT)
        for i in range(bounds[k], bounds[k + 1]):
            while f < stop and low[f] <= ts[i]:
                latest = max(latest, high[f])
                f += 1
            out[i] = ts[i] <= latest


@compiled
def pair(
    groups: Any, bounds: Any, ts: Any, first: Any, low: Any, high: Any, done: Any, active: Any, frame: Any, row: Any
) -> int:
    """Every (frame, row) such that the frame holds the row and has not had it; where there is no room, only counts."""
    n_pairs = 0
    for k in range(groups.size):
        f, stop, n_active = first[groups[k]], first[groups[k] + 1], 0
        for i in range(bounds[k], bounds[k + 1]):
            while f < stop and low[f] <= ts[i]:
                active[n_active] = f
                n_active += 1
                f += 1
            j = 0
            while j < n_active:
                a = active[j]
                if high[a] < ts[i]:
                    n_active -= 1
                    active[j] = active[n_active]
                    continue
                if ts[i] >= done[a]:
                    if n_pairs < frame.size:
                        frame[n_pairs], row[n_pairs] = a, i
                    n_pairs += 1
                j += 1
    return n_pairs
