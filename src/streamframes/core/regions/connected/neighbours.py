"""Known places: who is whose neighbour, and since when.

  y |  3     7          axis 1: next known place of the same x      3 - 2 - 1, 5 - 4, 7 - 6
    |  2  5             axis 0: next known place of the same y      2 - 5, 1 - 4 - 6
    |  1  4  6          (places in the order of x, then y)
    +----------> x

A place counts from the instant it is known; those who come later are skipped over as if they were not there.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from streamframes.core.jit.compiled import compiled

NEVER = np.iinfo(np.int64).max
ALWAYS = np.iinfo(np.int64).min


class PlaceTable(NamedTuple):
    """All places of a group, in lexicographic order.

    places          float64[S, ndim]
    since           int64[S]: known from this instant on
    label           int64[S]: label of its latest report, -1 if that was not satisfied
    order, where    int64[ndim, S]: places line after line of an axis, and where in it a place is
    before, after   int64[ndim, S]: the neighbours among the places that are known by now, -1 for none
    """

    places: np.ndarray
    since: np.ndarray
    label: np.ndarray
    order: np.ndarray
    where: np.ndarray
    before: np.ndarray
    after: np.ndarray


def place_table(places: np.ndarray, since: np.ndarray, label: np.ndarray) -> PlaceTable:
    """Places with their neighbours."""
    n, ndim = places.shape
    order = np.empty((ndim, n), np.int64)
    order[ndim - 1] = np.arange(n)
    if ndim == 2:
        order[0] = np.lexsort((places[:, 0], places[:, 1]))
    where = np.empty_like(order)
    for axis in range(ndim):
        where[axis, order[axis]] = np.arange(n)
    table = PlaceTable(places, since, label, order, where, np.full_like(order, -1), np.full_like(order, -1))
    _link(table)
    return table


@compiled
def _same_line(places: Any, axis: int, a: int, b: int) -> bool:
    return bool(places.shape[1] == 1 or places[a, 1 - axis] == places[b, 1 - axis])


@compiled
def _link(table: Any) -> None:
    for axis in range(table.places.shape[1]):
        last = -1
        for s in table.order[axis]:
            if table.since[s] == NEVER:
                continue
            if last >= 0 and _same_line(table.places, axis, last, s):
                table.before[axis, s], table.after[axis, last] = last, s
            last = s


@compiled
def _nearest(table: Any, axis: int, s: int) -> Any:
    """The known neighbours of a place that is not linked yet; looks both ways at once, so the nearer one is enough."""
    order, n = table.order[axis], table.since.size
    down, up = table.where[axis, s] - 1, table.where[axis, s] + 1
    while down >= 0 or up < n:
        if down >= 0:
            other = order[down]
            if not _same_line(table.places, axis, s, other):
                down = -1
            elif table.since[other] != NEVER:
                return other, table.after[axis, other]
            else:
                down -= 1
        if up < n:
            other = order[up]
            if not _same_line(table.places, axis, s, other):
                up = n
            elif table.since[other] != NEVER:
                return table.before[axis, other], other
            else:
                up += 1
    return -1, -1


@compiled
def introduce(table: Any, s: int, t: int) -> None:
    """A place is known from now on."""
    for axis in range(table.places.shape[1]):
        low, high = _nearest(table, axis, s)
        table.before[axis, s], table.after[axis, s] = low, high
        if low >= 0:
            table.after[axis, low] = s
        if high >= 0:
            table.before[axis, high] = s
    table.since[s] = t
