"""Screening: which of the recent rows can alarm at all; tiles, rows by windows, of which most are ruled out whole.

             windows  4 ......................... 4000
  rows  0   +------------------+------------------+
        .   |  ruled out       |  ruled out       |     an estimate grows with its window, so a tile is ruled out
        .   +---------+--------+                  |     when even the longest window at the first row, drawn out to
        .   | split   | out    |                  |     the last row, stays under the least threshold; else it is
      511   +---------+--------+------------------+     split, along its longer side

Rows that are not ruled out are *hot*, and searched one by one. Where most rows are, screening is left out for a while.
"""

from __future__ import annotations

from typing import Any

from streamframes.core.bursts.histogram.recent_rows import BEGIN, LEDGER
from streamframes.core.bursts.histogram.suffix_sums import older
from streamframes.core.bursts.window_tree import GROUP
from streamframes.core.jit.compiled import compiled

LEAF_ROWS = 8
DEPTH = 256


@compiled
def _bound(buckets: Any, index: Any, recent: Any, begin: int, over: bool, first: int, last: int, length: int) -> float:
    """What no estimate of a window of up to `length` rows exceeds that ends at recent rows `first` to `last`."""
    start = first + 1 - length
    bound = recent[LEDGER, last + 1] - recent[LEDGER, max(0, start)]
    if start < 0 and begin > 0:
        bound += older(buckets, index, min(begin, -start), over)
    _ = buckets.size + index.size + recent.size
    return float(bound)


@compiled
def _screen_leaf(
    buckets: Any, index: Any, recent: Any, begin: int, over: bool, wide: float, off: float, lengths: Any, needed: Any,
    low: int, high: int, top: int, bottom: int, hot: Any,
) -> int:  # fmt: skip
    """Mark the hot rows of a few rows and windows; returns how many bounds that took."""
    cost = high - low
    for i in range(low, high):
        length = lengths[i]
        if length > begin + bottom + 1:
            break
        if _bound(buckets, index, recent, begin, over, top, bottom, length) * wide + off < needed[i]:
            continue
        cost += bottom - top + 1
        for r in range(max(top, length - 1 - begin), bottom + 1):
            if not hot[r] and _bound(buckets, index, recent, begin, over, r, r, length) * wide + off >= needed[i]:
                hot[r] = 1
    return cost


@compiled
def screen(
    histogram: Any, over: bool, wide: float, off: float, lengths: Any, needed: Any, least: Any, shortest: Any,
    longest: Any, top: int, bottom: int, hot: Any, stack: Any,
) -> int:  # fmt: skip
    """Mark the hot rows from `top` to `bottom`, which have been taken; returns how many bounds that took.

    Estimates may be off by a factor of `wide` and an amount of `off`.
    """
    buckets, index, recent, counts, _ = histogram
    begin, leaves, cost = counts[BEGIN], longest.size // 2, 0
    for r in range(top, bottom + 1):
        hot[r] = 0
    stack[0, 0], stack[0, 1], stack[0, 2] = 1, top, bottom
    depth = 1
    while depth:
        depth -= 1
        node, first, last = stack[depth, 0], stack[depth, 1], stack[depth, 2]
        small, large = shortest[node], longest[node]
        while first <= last and hot[first]:
            first += 1
        while first <= last and hot[last]:
            last -= 1
        if first > last or small > begin + last + 1:
            continue
        cost += 1
        if _bound(buckets, index, recent, begin, over, first, last, large) * wide + off < least[node]:
            continue
        n_rows = last - first + 1
        if n_rows > LEAF_ROWS and (node >= leaves or n_rows > large - small):
            middle = (first + last) // 2
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = node, middle + 1, last
            stack[depth + 1, 0], stack[depth + 1, 1], stack[depth + 1, 2] = node, first, middle
            depth += 2
        elif node < leaves:
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = 2 * node + 1, first, last
            stack[depth + 1, 0], stack[depth + 1, 1], stack[depth + 1, 2] = 2 * node, first, last
            depth += 2
        else:
            low = (node - leaves) * GROUP
            cost += _screen_leaf(
                buckets, index, recent, begin, over, wide, off, lengths, needed, low, min(low + GROUP, lengths.size),
                first, last, hot,
            )  # fmt: skip
    return cost


@compiled
def next_hot(hot: Any, fresh: int, size: int, at: int) -> int:
    """The next hot row of a batch of `size` rows, or its end."""
    while at < size and not hot[fresh + at]:
        at += 1
    return at
