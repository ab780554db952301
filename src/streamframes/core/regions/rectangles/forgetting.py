"""Places that Method II may forget, where places are many and each reports seldom.

place   5 --- F at 9        A satisfied report between later failures that are closer together than the least extent
        4  x at 7           can be in no region. A failure separates nothing where no report from before it is left
        3 --- F at 8        around it. Places of which neither matters are forgotten.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.regions.rectangles.place_history import (
    AGAIN,
    BEFORE,
    FAILED,
    FIRST,
    FIRST_COLUMN,
    KNOWN,
    LATEST,
    NEWEST,
    NOTHING,
)

_FAR = 2**62


@compiled
def drop_enclosed(records: Any, position: Any, least: float) -> None:
    """Reports that lie between later failures no further apart than `least`."""
    n = records.shape[0]
    for s in range(n):
        latest = records[s, LATEST]
        if latest < 0:
            continue
        low, high = s - 1, s + 1
        while low >= 0 and records[low, FAILED] < latest and position[s] - position[low] <= least:
            low -= 1
        if low < 0 or records[low, FAILED] < latest:
            continue
        while high < n and records[high, FAILED] < latest and position[high] - position[low] <= least:
            high += 1
        if high < n and records[high, FAILED] >= latest and position[high] - position[low] <= least:
            records[s, NEWEST] = records[s, LATEST] = NOTHING


@compiled
def _oldest(records: Any, stretches: Any, oldest: Any) -> None:
    """The first column of the satisfied reports of each place."""
    for s in range(records.shape[0]):
        oldest[s] = _FAR
        at = records[s, NEWEST]
        while at >= 0:
            oldest[s] = stretches[at, FIRST_COLUMN]
            at = stretches[at, BEFORE]


@compiled
def _separates(records: Any, oldest: Any, step: int, needed: Any) -> None:
    """Failures with a report from before them in one direction, up to the next failure that came no earlier."""
    n, depth = records.shape[0], 0
    stack = np.empty((n, 2), np.int64)
    for k in range(n):
        s = k if step > 0 else n - 1 - k
        least = oldest[s]
        while depth and stack[depth - 1, 0] < records[s, FAILED]:
            depth -= 1
            least = min(least, stack[depth, 1])
        needed[s] |= records[s, FAILED] >= 0 and least <= records[s, FAILED]
        stack[depth, 0], stack[depth, 1] = records[s, FAILED], least
        depth += 1


@compiled
def _keep_near(known: Any, since: Any, position: Any, step: float, needed: Any) -> None:
    """Known places without which others would be too far apart to be neighbours, now or since they are known."""
    before = -1
    for s in range(position.size):
        if not known[s] and not needed[s]:
            continue
        after = s + 1
        while after < position.size and not known[after]:
            after += 1
        at_the_edge = before < 0 or after == position.size
        if at_the_edge or position[after] - position[before] > step or max(since[before], since[after]) > since[s]:
            needed[s] = True
        if needed[s] and known[s]:
            before = s


def needed_places(
    records: np.ndarray, stretches: np.ndarray, position: np.ndarray, step: float, *, looks_back: bool
) -> np.ndarray:
    """Which places must be known to go on; where it looks back, also to say who was whose neighbour before."""
    oldest = np.empty(position.size, np.int64)
    _oldest(records, stretches, oldest)
    needed = np.asarray((oldest < _FAR) | (records[:, KNOWN] == AGAIN))
    for direction in (1, -1):
        _separates(records, oldest, direction, needed)
    if step < np.inf:
        since = np.maximum(records[:, FIRST], oldest.min()) if looks_back else np.zeros(position.size, np.int64)
        _keep_near(records[:, KNOWN] != 0, since, position, step, needed)
    return needed


@compiled
def free_ranges(records: Any, stretches: Any) -> Any:
    """For each place with satisfied reports: the first column of these, and the places that a region of it may hold."""
    n, n_held = records.shape[0], 0
    first, low, high = np.empty(n, np.int64), np.empty(n, np.int64), np.empty(n, np.int64)
    oldest = np.empty(n, np.int64)
    _oldest(records, stretches, oldest)
    for s in range(n):
        latest = records[s, LATEST]
        if latest < 0:
            continue
        a, b = s, s
        while a > 0 and records[a - 1, FAILED] < latest:
            a -= 1
        while b + 1 < n and records[b + 1, FAILED] < latest:
            b += 1
        first[n_held], low[n_held], high[n_held] = oldest[s], a, b
        n_held += 1
    return first[:n_held], low[:n_held], high[:n_held]
