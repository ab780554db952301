"""The windows that are watched, as the search sees them: a tree that knows the least threshold of each stretch.

lengths       4  8 12 16 | 20 24 28 32 | 36 ...        GROUP windows are a leaf
needed        thresholds as sums                       avg and variance need a multiple of the length
least         the least of `needed` below each node     nothing below a node can alarm where a bound stays under it
"""

from __future__ import annotations

from typing import NamedTuple

import numpy as np

from streamframes.core.bursts.exact.sums import AVG, EPSILON, VARIANCE

GROUP = 16


class Watched(NamedTuple):
    """Windows, ascending, and one or more sets of thresholds for them: one for all groups, or one for each."""

    lengths: np.ndarray
    thresholds: np.ndarray
    needed: np.ndarray
    least: np.ndarray
    shortest: np.ndarray
    longest: np.ndarray


def watched(aggregate: int, lengths: np.ndarray, thresholds: np.ndarray) -> Watched:
    """The tree over windows for sets of thresholds, one a row."""
    n_sets, size = thresholds.shape
    needed = thresholds
    if aggregate in (AVG, VARIANCE):
        needed = thresholds * lengths
        needed = needed - 8 * EPSILON * np.abs(needed)
    leaves = 1
    while leaves * GROUP < size:
        leaves *= 2
    padded = np.full((n_sets, leaves * GROUP), np.inf)
    padded[:, :size] = needed
    least = np.full((n_sets, 2 * leaves), np.inf)
    least[:, leaves:] = padded.reshape(n_sets, leaves, GROUP).min(axis=2)
    bounds = np.minimum(np.arange(leaves + 1) * GROUP, size)
    shortest, longest = np.zeros(2 * leaves, np.int64), np.zeros(2 * leaves, np.int64)
    if size:
        shortest[leaves:] = lengths[np.minimum(bounds[:-1], size - 1)]
        longest[leaves:] = lengths[bounds[1:] - 1]
    for node in range(leaves - 1, 0, -1):
        least[:, node] = np.minimum(least[:, 2 * node], least[:, 2 * node + 1])
        shortest[node], longest[node] = shortest[2 * node], longest[2 * node + 1]
    return Watched(lengths, thresholds, needed, least, shortest, longest)
