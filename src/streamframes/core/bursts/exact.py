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

from streamframes.core.bursts.ranges import fill_highest, fill_lowest, highest, lowest
from streamframes.core.bursts.sums import (
    AVG,
    MAX,
    MIN,
    SUM,
    VARIANCE,
    difference,
    prefix_spread,
    prefix_squares,
    prefix_sums,
    variance,
)
from streamframes.core.bursts.windows import GROUP
from streamframes.core.compiled import compiled

# How much of a tile's aggregates can be bounded: by two ends, by the extremes of prefix sums, or of the values.
ENDS, EXTREMES, HIGHEST, LOWEST = range(4)
LEAF_ROWS = 64
# What a tile costs, in tests of a window at a row, which are cheap by the vector. Where tiles cost more than testing
# everything, the next rows are tested without them, more rows each time, up to PATIENCE tiles.
TILE_COST = 100
PATIENCE = 64
_DEPTH = 512


@compiled
def _bound(bounding: int, ledger: Any, tables: Any, first: int, last: int, shortest: int, longest: int) -> float:
    """What no aggregate of rows `first` to `last` over windows `shortest` to `longest` exceeds."""
    start = max(0, first + 1 - longest)
    if bounding == ENDS:
        return float(ledger[last + 1] - ledger[start])
    if last + 1 < shortest:
        return -np.inf
    if bounding == EXTREMES:
        return highest(tables[0], first + 1, last + 1) - lowest(tables[1], start, last + 1 - shortest)
    if bounding == HIGHEST:
        return highest(tables[0], start, last)
    if last - shortest >= first:
        return np.inf
    return lowest(tables[1], max(0, last + 1 - shortest), first)


@compiled
def value_of(aggregate: int, sums: Any, squares: Any, tables: Any, end: int, start: int) -> float:
    """The aggregate of the rows between two prefixes."""
    if aggregate == VARIANCE:
        return float(variance(sums, squares, end, start))
    if aggregate == MAX:
        return highest(tables[0], start, end - 1)
    if aggregate == MIN:
        return lowest(tables[1], start, end - 1)
    total, _ = difference(sums[0], sums[1], end, start)
    return float(total / (end - start)) if aggregate == AVG else float(total)


@compiled
def _with_room(alarms: Any, n: int, more: int) -> Any:
    """The alarms, with room for more and one to spare."""
    rows, which, values = alarms
    if n + more < rows.size:
        return alarms
    size = 2 * (n + more)
    new_rows, new_which, new_values = np.empty(size, np.int32), np.empty(size, np.int32), np.empty(size, np.float64)
    for i in range(n):
        new_rows[i], new_which[i], new_values[i] = rows[i], which[i], values[i]
    return new_rows, new_which, new_values


@compiled
def _any_of_four(ledger: Any, lengths: Any, asked: Any, slack: float, i: int, first: int, last: int) -> bool:
    """Whether one of four windows, all full, may alarm at any row; without a branch, so that it is vectorised."""
    a, b, c, d = lengths[i], lengths[i + 1], lengths[i + 2], lengths[i + 3]
    here = ledger[first + 1 : last + 2]
    before_a, before_b = ledger[first + 1 - a : last + 2 - a], ledger[first + 1 - b : last + 2 - b]
    before_c, before_d = ledger[first + 1 - c : last + 2 - c], ledger[first + 1 - d : last + 2 - d]
    need_a, need_b, need_c, need_d = asked[i] - slack, asked[i + 1] - slack, asked[i + 2] - slack, asked[i + 3] - slack
    hits = 0
    for j in range(here.size):
        hits += (
            (here[j] - before_a[j] >= need_a)
            | (here[j] - before_b[j] >= need_b)
            | (here[j] - before_c[j] >= need_c)
            | (here[j] - before_d[j] >= need_d)
        )
    return hits > 0


@compiled
def _window_of_sums(
    ledger: Any, part: Any, slack: float, length: int, asked: float, i: int, first: int, last: int, shift: int,
    alarms: Any, n: int,
) -> Any:  # fmt: skip
    """The alarms of one window, by sums that only grow."""
    first = max(first, length - 1)
    if first > last:
        return alarms, n
    upper, lower = ledger[first + 1 : last + 2], ledger[first + 1 - length : last + 2 - length]
    need = asked - slack
    hits = 0
    for j in range(upper.size):
        hits += upper[j] - lower[j] >= need
    if hits == 0:
        return alarms, n
    alarms = _with_room(alarms, n, hits)
    rows, which, values = alarms
    # Every row is written and only alarms are kept: a branch could not be foreseen.
    if slack == 0.0:
        for j in range(upper.size):
            rows[n], which[n], values[n] = first + j + shift, i, upper[j] - lower[j]
            n += upper[j] - lower[j] >= need
        return alarms, n
    upper_part, lower_part = part[first + 1 : last + 2], part[first + 1 - length : last + 2 - length]
    for j in range(upper.size):
        value = upper[j] - lower[j]
        value += ((upper[j] - value) - lower[j]) + (upper_part[j] - lower_part[j])
        rows[n], which[n], values[n] = first + j + shift, i, value
        n += value >= asked
    return alarms, n


@compiled
def _leaf_of_sums(
    ledger: Any, part: Any, slack: float, lengths: Any, asked: Any, first: int, last: int, low: int, high: int,
    shift: int, alarms: Any, n: int,
) -> Any:  # fmt: skip
    """`_leaf` for sums that only grow."""
    i = low
    while i < high:
        four = i + 4 <= high and lengths[i + 3] <= first + 1
        if not four or _any_of_four(ledger, lengths, asked, slack, i, first, last):
            for k in range(i, min(i + 4, high)):
                alarms, n = _window_of_sums(
                    ledger, part, slack, lengths[k], asked[k], k, first, last, shift, alarms, n
                )  # fmt: skip
        i += 4
    return alarms, n


@compiled
def _leaf(
    aggregate: int, bounding: int, measured: Any, lengths: Any, asked: Any, thresholds: Any, first: int, last: int,
    low: int, high: int, shift: int, done: Any, alarms: Any, n: int,
) -> Any:  # fmt: skip
    """Test windows `low` up to `high` at rows `first` to `last`; `done` are rows of which one alarm is enough."""
    ledger, slack, sums, squares, tables = measured
    alarms = _with_room(alarms, n, (last - first + 1) * (high - low))
    rows, which, values = alarms
    by_sums = bounding <= EXTREMES
    for i in range(low, high):
        for r in range(max(first, lengths[i] - 1), last + 1):
            start = r + 1 - lengths[i]
            if by_sums and ledger[r + 1] - ledger[start] < asked[i] - slack:
                continue
            if done.size and done[r + shift]:
                continue
            value = value_of(aggregate, sums, squares, tables, r + 1, start)
            if value >= thresholds[i]:
                rows[n], which[n], values[n] = r + shift, i, value
                n += 1
                if done.size:
                    done[r + shift] = 1
    return alarms, n


@compiled
def _search(
    aggregate: int, bounding: int, measured: Any, top: int, bottom: int, watched: Any, shelf: int, shift: int,
    done: Any, stack: Any, alarms: Any, n: int, whole: bool,
) -> Any:  # fmt: skip
    """All alarms of rows `top` to `bottom`, tile by tile; of one window they come in the order of rows.

    With `whole`, the rows are one leaf. Also returns what the search cost, in tests of a window at a row.
    """
    ledger, slack, sums, _, tables = measured
    part, lengths = sums[1], watched.lengths
    least, asked, thresholds = watched.least[shelf], watched.asked[shelf], watched.thresholds[shelf]
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
        if not whole and _bound(bounding, ledger, tables, first, last, small, large) + slack < least[node]:
            continue
        n_rows = last - first + 1
        if whole or (node >= leaves and n_rows <= LEAF_ROWS):
            low = 0 if whole else (node - leaves) * GROUP
            high = size if whole else min(size, low + GROUP)
            cost += 2 * n_rows * (high - low)
            if fast:
                alarms, n = _leaf_of_sums(
                    ledger, part, slack, lengths, asked, first, last, low, high, shift, alarms, n
                )  # fmt: skip
            else:
                alarms, n = _leaf(
                    aggregate, bounding, measured, lengths, asked, thresholds, first, last, low, high, shift,
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
def measure(aggregate: int, bounding: int, x: Any, size: int, work: Any) -> Any:
    """Prefix sums and tables of the first `size` values: what bounds, how far it can be off, and what is exact."""
    sums, squares, spread, tables = work
    slack = prefix_sums(x, size, sums[0], sums[1])
    ledger = sums[0]
    if aggregate == VARIANCE:
        prefix_squares(x, size, squares[0], squares[1])
        slack = prefix_spread(x, size, spread)
        ledger = spread
    if bounding == EXTREMES:
        fill_highest(ledger, size + 1, tables[0])
        fill_lowest(ledger, size + 1, tables[1])
    elif bounding == HIGHEST:
        fill_highest(x, size, tables[0])
        slack = 0.0
    elif bounding == LOWEST:
        fill_lowest(x, size, tables[1])
        slack = 0.0
    return ledger, slack, sums, squares, tables


@compiled
def work_for(aggregate: int, bounding: int, size: int) -> Any:
    """Room to measure so many values."""
    squares = size + 1 if aggregate == VARIANCE else 1
    width = size + 1 if bounding != ENDS else 1
    deep = int(np.log2(float(max(2, width)))) + 2
    return (
        (np.empty(size + 1), np.empty(size + 1)),
        (np.empty(squares), np.empty(squares)),
        np.empty(squares),
        (np.empty((deep, width)), np.empty((deep, width))),
    )


@compiled
def search_rows(  # noqa: PLR0915  (one loop over groups and blocks: its state would fill a call)
    aggregate: int,
    bounding: int,
    fed: Any,
    past: Any,
    watched: Any,
    shelves: Any,
    block: int,
    tile_rows: int,
    resume: Any,
    limit: int,
    done: Any,
    alarms: Any,
) -> Any:
    """Search the rows of many groups, from where `resume` says; returns the alarms and where it stopped.

    `fed` are groups, bounds, values and skips (zeros left out before a row); `past` are the values before, by group,
    their bounds, and the numbers of the rows seen and of the first that counts; `shelves` says which thresholds are
    a group's, -1 for none. A search stops once there are `limit` alarms.
    """
    groups, bounds, values, skips = fed
    history, history_bounds, seen, kept = past
    reach = watched.lengths[-1]
    both = np.empty(block + reach, np.float64)
    work = work_for(aggregate, bounding, block + reach)
    stack = np.empty((_DEPTH, 3), np.int64)
    n, blind, patience = 0, 0, 1
    k, at = resume
    while k < groups.size:
        g = groups[k]
        begin, end = bounds[k], bounds[k + 1]
        old = history[history_bounds[g] : history_bounds[g + 1]]
        before = seen[g] - old.size
        while at < end - begin and shelves[g] >= 0:
            number = seen[g] + at
            if skips.size and skips[begin + at]:
                kept[g] = max(kept[g], number - reach)
            anchor = max(number // block * block - reach, before, kept[g])
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
                bottom = min(top + tile_rows, seen[g] + stop - anchor) - 1
                alarms, n, cost = _search(
                    aggregate, bounding, measured, top, bottom, watched, shelves[g], shift, done, stack, alarms, n,
                    blind > 0,
                )  # fmt: skip
                if blind > 0:
                    blind -= 1
                elif cost > (bottom - top + 1) * watched.lengths.size:
                    blind, patience = patience, min(2 * patience, PATIENCE)
                else:
                    patience = 1
                at += bottom - top + 1
                if n >= limit:
                    return n, alarms, (k, at)
        k += 1
        at = 0
    return n, alarms, (k, at)
