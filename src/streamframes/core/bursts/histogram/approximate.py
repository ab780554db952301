"""The search in histograms: rows are taken in batches, screened, and only those that may alarm are searched.

Between two compactions of a histogram its buckets stay as they are, so that rows can be taken ahead: a batch ends with
the recent rows that there is room for, before zeros that were left out, or with what was fed. What a row finds is what
it would find if rows came one by one, whatever the feeds.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.bursts.batch import with_room
from streamframes.core.bursts.exact.sums import EPSILON, VARIANCE
from streamframes.core.bursts.histogram.recent_rows import BEGIN, FRESH, LEDGER, RECENT, advance, take
from streamframes.core.bursts.histogram.screening import DEPTH, next_hot, screen
from streamframes.core.bursts.histogram.search_space import BAND, empty_space, forget_order
from streamframes.core.bursts.histogram.searches import search_order, search_tree
from streamframes.core.bursts.histogram.suffix_sums import FIELDS, compact, empty_histogram, restored, saved
from streamframes.core.bursts.histogram.totals import (
    MEAN,
    RECENT_FROM,
    ROUGH,
    ROWS,
    SPREAD,
    TOTAL,
    is_exact,
    slack_of,
    tally,
)
from streamframes.core.jit.compiled import compiled

ALL, MONOTONIC = range(2)
# What a row that is searched costs, in bounds of the screening: by the tree; by bisection, for each halving.
_TREE_COST, _HALVING_COST = 32, 2
# Batches that are not screened, at the most, after one for which screening did not pay.
_PATIENCE = 64


@compiled
def _skip(
    aggregate: int, zeros: int, error: float, longest: int, first: Any, second: Any, numbers: Any, totals: Any
) -> Any:
    """Take zeros that were left out."""
    first = compact(first, error, zeros, longest)
    before, end = numbers[ROWS], numbers[ROWS] + zeros
    numbers[ROWS] = end
    if aggregate == VARIANCE:
        second = compact(second, error, zeros, longest)
        mean = totals[MEAN]
        totals[SPREAD] += mean * mean * before * zeros / end
        totals[MEAN] = mean * before / end
    return first, second


@compiled
def _take(aggregate: int, x: Any, exact: bool, first: Any, second: Any) -> None:
    """Let both histograms take values."""
    take(first[2], first[3], x, False, exact)
    if aggregate == VARIANCE:
        take(second[2], second[3], x, True, exact)


@compiled
def _advance(aggregate: int, upto: int, first: Any, second: Any) -> None:
    """Let recent rows count in both histograms."""
    advance(first[2], first[3], upto)
    if aggregate == VARIANCE:
        advance(second[2], second[3], upto)


@compiled
def _mark_hot(
    aggregate: int, search: int, over: bool, exact: bool, first: Any, second: Any, rows: int, watched: Any,
    own_set: int, upto: int, work: Any,
) -> None:  # fmt: skip
    """Mark which of the rows that were taken are to be searched: all, for a while, where screening does not pay."""
    hot, stack, _, _, patience = work
    two = aggregate == VARIANCE
    histogram = second if two else first
    fresh = histogram[3][FRESH]
    if patience[1] > 0:
        patience[1] -= 1
        hot[fresh:upto] = 1
        return
    wide, off = 1.0, 0.0
    if not exact:
        wide = (1.0 + slack_of(aggregate, rows + RECENT, True, 0.0)) * (1.0 + 2.0**-40)
        off = 2 * RECENT * EPSILON * histogram[2][LEDGER, upto]
    cost = screen(
        histogram, over or two, wide, off, watched.lengths, watched.needed[own_set], watched.least[own_set],
        watched.shortest, watched.longest, fresh, upto - 1, hot, stack,
    )  # fmt: skip
    row_cost = _TREE_COST if search == ALL else _HALVING_COST * (np.log2(watched.lengths.size + 1.0) + 2.0)
    if cost > row_cost * (upto - fresh - np.sum(hot[fresh:upto])):
        patience[0] = min(2 * patience[0] + 1, _PATIENCE)
        patience[1] = patience[0]
    else:
        patience[0] = 0


@compiled
def _search_row(
    aggregate: int, counted: bool, search: int, over: bool, first: Any, second: Any, numbers: Any, totals: Any,
    watched: Any, own_set: int, logs: Any, one: bool, work: Any, row: int, alarms: Any, n: int,
) -> Any:  # fmt: skip
    """Search the row that came last."""
    _, stack, band, space, _ = work
    end = numbers[ROWS]
    slack = slack_of(aggregate, end, numbers[ROUGH] != 0, totals[TOTAL])
    if search == ALL:
        return search_tree(
            aggregate, first, second, end, over, slack, watched.lengths, watched.thresholds[own_set],
            watched.least[own_set], watched.shortest, watched.longest, one, stack, row, alarms, n,
        )  # fmt: skip
    unit = 1.0 if counted else (totals[SPREAD] if aggregate == VARIANCE else totals[TOTAL]) / end
    return search_order(
        aggregate, first, second, end, over, slack, watched.lengths, watched.thresholds[own_set], logs[0],
        logs[1][own_set], space, unit, one, band, row, alarms, n,
    )  # fmt: skip


@compiled
def _batch(x: Any, skips: Any, at: int, room: int) -> int:
    """Where the batch ends that begins at a row."""
    stop = min(x.size, at + room)
    if skips.size:
        for i in range(at + 1, stop):
            if skips[i]:
                return i
    return int(stop)


@compiled
def _search_batch(
    aggregate: int, counted: bool, search: int, over: bool, x: Any, begin: int, first: Any, second: Any, numbers: Any,
    totals: Any, watched: Any, own_set: int, logs: Any, limit: int, one: bool, work: Any, alarms: Any, n: int,
) -> Any:  # fmt: skip
    """Take and search a batch, up to a limit of alarms; returns how many rows that were."""
    hot, fresh, size = work[0], first[3][FRESH], watched.lengths.size
    exact = is_exact(aggregate, x, numbers, totals)
    _take(aggregate, x, exact, first, second)
    done, at = 0, 0
    if own_set < 0:
        at = x.size
    else:
        _mark_hot(
            aggregate, search, over, exact, first, second, numbers[ROWS], watched, own_set, fresh + x.size, work
        )  # fmt: skip
        at = next_hot(hot, fresh, x.size, 0)
        while at < x.size and n < limit:
            _advance(aggregate, fresh + at + 1, first, second)
            tally(aggregate, x[done : at + 1], numbers, totals)
            done = at + 1
            if n + size >= alarms[0].size:
                alarms = with_room(alarms, n, size)
            n = _search_row(
                aggregate, counted, search, over, first, second, numbers, totals, watched, own_set, logs, one, work,
                begin + at, alarms, n,
            )  # fmt: skip
            at = next_hot(hot, fresh, x.size, done)
        if n >= limit:
            at = done
    _advance(aggregate, fresh + at, first, second)
    tally(aggregate, x[done:at], numbers, totals)
    return at, n, alarms


@compiled
def _search_group(
    aggregate: int, counted: bool, search: int, over: bool, error: float, x: Any, skips: Any, begin: int, first: Any,
    second: Any, numbers: Any, totals: Any, watched: Any, own_set: int, logs: Any, limit: int, one: bool, work: Any,
    alarms: Any, n: int,
) -> Any:  # fmt: skip
    """Take and search the rows of one group, up to a limit of alarms; returns how many rows that were."""
    at, longest = 0, watched.longest[1]
    while at < x.size and n < limit:
        if skips.size and skips[at]:
            first, second = _skip(aggregate, skips[at], error, longest, first, second, numbers, totals)
        stop = _batch(x, skips, at, RECENT - first[3][FRESH])
        done, n, alarms = _search_batch(
            aggregate, counted, search, over, x[at:stop], begin + at, first, second, numbers, totals, watched, own_set,
            logs, limit, one, work, alarms, n,
        )  # fmt: skip
        at += done
        if first[3][FRESH] == RECENT:
            first = compact(first, error, 0, longest)
            if aggregate == VARIANCE:
                second = compact(second, error, 0, longest)
    numbers[RECENT_FROM] = first[3][BEGIN]
    return at, n, alarms, first, second


@compiled
def search_rows(
    aggregate: int, counted: bool, search: int, over: bool, error: float, fed: Any, past: Any, watched: Any,
    set_of_group: Any, logs: Any, resume: Any, limit: int, one: bool, alarms: Any,
) -> Any:  # fmt: skip
    """Take and search the rows of many groups, from where `resume` says; returns alarms, where it stopped, and states.

    `past` are, by group, the buckets of both histograms and the recent values with their bounds, and the numbers and
    totals, which are changed in place. The states of the groups that were fed come as arrays with bounds.
    """
    groups, bounds, values, skips = fed
    numbers, totals = past[6], past[7]
    two, longest = aggregate == VARIANCE, watched.longest[1]
    states = (np.empty((1024, FIELDS)), np.empty((1024 if two else 1, FIELDS)), np.empty(1024))
    ends = np.zeros((groups.size + 1, 3), np.int64)
    first, second = empty_histogram(), empty_histogram()
    work = (
        np.zeros(RECENT, np.uint8), np.empty((DEPTH, 3), np.int64), np.empty(BAND, np.int64),
        empty_space(watched.lengths.size if search == MONOTONIC else 0), np.zeros(2, np.int64),
    )  # fmt: skip
    n, n_saved = 0, 0
    k, at = resume
    while k < groups.size and n < limit:
        g = groups[k]
        begin = bounds[k] + at
        first = restored(first, past[0][past[1][g] : past[1][g + 1]], numbers[g, RECENT_FROM], longest)
        second = restored(second, past[2][past[3][g] : past[3][g + 1]], numbers[g, RECENT_FROM], longest)
        recent = past[4][past[5][g] : past[5][g + 1]]
        _take(aggregate, recent, is_exact(aggregate, recent[:0], numbers[g], totals[g]), first, second)
        _advance(aggregate, recent.size, first, second)
        forget_order(work[3])
        x, zeros = values[begin : bounds[k + 1]], skips[begin : bounds[k + 1]] if skips.size else skips
        done, n, alarms, first, second = _search_group(
            aggregate, counted, search, over, error, x, zeros, begin, first, second, numbers[g], totals[g], watched,
            set_of_group[g], logs, limit, one, work, alarms, n,
        )  # fmt: skip
        states = saved(states, ends, n_saved, first, second, two)
        n_saved += 1
        at += done
        if at == bounds[k + 1] - bounds[k]:
            k += 1
            at = 0
    return n, alarms, (k, at), states, ends[: n_saved + 1]
