"""The exact search: a pyramid of tiles, rows by windows, of which most are ruled out whole.

             windows  4 ......................... 4000
  rows  n   +------------------+------------------+
        .   |  ruled out       |  ruled out       |     a tile is ruled out when even the sum of everything that
        .   +---------+--------+                  |     any of its windows covers stays under the least threshold
        .   | split   | out    |                  |     in it; else it is split, along its longer side
   n + 255  +---------+--------+------------------+

Quiet rows cost a share of a few tiles, whatever the number of windows; where everything alarms, the leaves are a loop
over all windows, as brute force is. Bounds hold for all data: sums of values that are never negative grow with the
window, so their two ends suffice; else, and for min and max, tables of extremes give them.

References
----------
Zhu and Shasha, Efficient elastic burst detection in data streams, KDD 2003: an aggregation pyramid, shifted.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.bursts.exact.leaf import leaf, leaf_of_sums
from streamframes.core.bursts.exact.measured import ENDS, bound, measure, work_for
from streamframes.core.bursts.exact.sums import SUM
from streamframes.core.bursts.window_tree import GROUP
from streamframes.core.jit.compiled import compiled

LEAF_ROWS = 64
# What a tile costs, in tests of a window at a row, which are cheap by the vector. Where tiles cost more than testing
# everything, the next rows are tested without them, more rows each time, up to PATIENCE tiles.
TILE_COST = 100
PATIENCE = 64
# Windows that were tested at most rows of a tile are tested at all rows of the next ones, in one go.
_STAYS_HOT = 16
# Where everything is tested, no more windows at rows at once than have alarms that fit in the caches.
_CELLS = 1 << 17
_DEPTH = 512


@compiled
def _search(
    aggregate: int, bounding: int, measured: Any, top: int, bottom: int, watched: Any, own_set: int, shift: int,
    done: Any, stack: Any, heat: Any, alarms: Any, n: int, whole: bool,
) -> Any:  # fmt: skip
    """All alarms of rows `top` to `bottom`, tile by tile; of one window they come in the order of rows.

    With `whole`, the rows are one leaf. Also returns what the search cost, in tests of a window at a row.
    """
    ledger, slack, sums, _, tables = measured
    part, lengths = sums[1], watched.lengths
    least, needed, thresholds = watched.least[own_set], watched.needed[own_set], watched.thresholds[own_set]
    shortest, longest = watched.shortest, watched.longest
    leaves, size = shortest.size // 2, lengths.size
    fast = aggregate == SUM and bounding == ENDS and done.size == 0
    stack[0, 0], stack[0, 1], stack[0, 2] = 1, top, bottom
    depth, cost = 1, 0
    while depth:
        depth -= 1
        node, first, last = stack[depth, 0], stack[depth, 1], stack[depth, 2]
        cost += TILE_COST
        small, large = shortest[node], longest[node]
        if not whole and bound(bounding, ledger, tables, first, last, small, large) + slack < least[node]:
            continue
        n_rows = last - first + 1
        if whole or (node >= leaves and (n_rows <= LEAF_ROWS or heat[node - leaves, 0] > 0)):
            low = 0 if whole else (node - leaves) * GROUP
            high = size if whole else min(size, low + GROUP)
            cost += n_rows * (high - low) * (2 if n_rows <= LEAF_ROWS else 1)
            heat[0 if whole else node - leaves, 1] += n_rows
            if fast:
                alarms, n = leaf_of_sums(
                    ledger, part, slack, lengths, needed, first, last, low, high, shift, alarms, n
                )  # fmt: skip
            else:
                alarms, n = leaf(
                    aggregate, bounding, measured, lengths, needed, thresholds, first, last, low, high, shift,
                    done, alarms, n,
                )  # fmt: skip
        elif node >= leaves or n_rows > max(1, large - small):
            middle = (first + last) // 2
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = node, middle + 1, last
            stack[depth + 1, 0], stack[depth + 1, 1], stack[depth + 1, 2] = node, first, middle
            depth += 2
        else:
            if least[2 * node + 1] < np.inf:
                stack[depth, 0], stack[depth, 1], stack[depth, 2] = 2 * node + 1, first, last
                depth += 1
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = 2 * node, first, last
            depth += 1
    return alarms, n, cost


@compiled
def _cool(heat: Any, n_rows: int) -> None:
    """After a tile: which leaves had to be tested at most of its rows."""
    for i in range(heat.shape[0]):
        if heat[i, 0] > 0:
            heat[i, 0] -= 1
        elif 4 * heat[i, 1] > 3 * n_rows:
            heat[i, 0] = _STAYS_HOT
        heat[i, 1] = 0


@compiled
def search_rows(  # noqa: PLR0915  (one loop over groups and blocks: its state would fill a call)
    aggregate: int,
    bounding: int,
    fed: Any,
    past: Any,
    watched: Any,
    set_of_group: Any,
    block: int,
    tile_rows: int,
    resume: Any,
    limit: int,
    done: Any,
    pace: Any,
    alarms: Any,
) -> Any:
    """Search the rows of many groups, from where `resume` says; returns the alarms and where it stopped.

    `fed` are groups, bounds, values and skips (zeros left out before a row); `past` are the values before, by group,
    their bounds, and the numbers of the rows seen and of the first that counts; `set_of_group` says which thresholds
    are a group's, -1 for none. A search stops once there are `limit` alarms; `pace` is how it went on, to be resumed.
    """
    groups, bounds, values, skips = fed
    history, history_bounds, seen, kept = past
    longest = watched.lengths[-1]
    both = np.empty(block + longest, np.float64)
    work = work_for(aggregate, bounding, block + longest)
    stack = np.empty((_DEPTH, 3), np.int64)
    heat, testing = pace
    blind, patience = testing
    n = 0
    k, at = resume
    while k < groups.size:
        g = groups[k]
        begin, end = bounds[k], bounds[k + 1]
        old = history[history_bounds[g] : history_bounds[g + 1]]
        before = seen[g] - old.size
        while at < end - begin and set_of_group[g] >= 0:
            number = seen[g] + at
            if skips.size and skips[begin + at]:
                kept[g] = max(kept[g], number - longest)
            anchor = max(number // block * block - longest, before, kept[g])
            stop = min((number // block + 1) * block - seen[g], end - begin)
            if skips.size:
                for i in range(at + 1, stop):
                    if skips[begin + i]:
                        stop = i
                        break
            known = max(0, seen[g] - anchor)
            x = values[begin + max(0, anchor - seen[g]) : begin + stop]
            if known:
                both[:known] = old[anchor - before : anchor - before + known]
                both[known : known + x.size] = x
                x = both[: known + x.size]
            measured = measure(aggregate, bounding, x, x.size, work)
            shift = begin + anchor - seen[g]
            while at < stop:
                top = seen[g] + at - anchor
                n_rows = min(tile_rows, max(LEAF_ROWS, _CELLS // watched.lengths.size)) if blind > 0 else tile_rows
                bottom = min(top + n_rows, seen[g] + stop - anchor) - 1
                alarms, n, cost = _search(
                    aggregate, bounding, measured, top, bottom, watched, set_of_group[g], shift, done, stack, heat,
                    alarms, n, blind > 0,
                )  # fmt: skip
                if blind > 0:
                    blind -= 1
                elif cost > (bottom - top + 1) * watched.lengths.size:
                    blind, patience = patience, min(2 * patience, PATIENCE)
                else:
                    patience = 1
                _cool(heat, bottom - top + 1)
                at += bottom - top + 1
                if n >= limit:
                    testing[0], testing[1] = blind, patience
                    return n, alarms, (k, at)
        k += 1
        at = 0
    testing[0], testing[1] = blind, patience
    return n, alarms, (k, at)
