"""Leaves: windows tested at rows, one by one, where no bound has ruled them out.

For sums that only grow, rows are taken in stretches: all of them are compared first, by the vector, and are walked
again only if something was found.
"""

from __future__ import annotations

from typing import Any

from streamframes.core.bursts.batch import with_room
from streamframes.core.bursts.exact.measured import EXTREMES, value_of
from streamframes.core.jit.compiled import compiled


@compiled
def _any_of_four(ledger: Any, lengths: Any, needed: Any, slack: float, i: int, first: int, last: int) -> bool:
    """Whether one of four windows, all full, may alarm at any row; without a branch, so that it is vectorised."""
    a, b, c, d = lengths[i], lengths[i + 1], lengths[i + 2], lengths[i + 3]
    here = ledger[first + 1 : last + 2]
    before_a, before_b = ledger[first + 1 - a : last + 2 - a], ledger[first + 1 - b : last + 2 - b]
    before_c, before_d = ledger[first + 1 - c : last + 2 - c], ledger[first + 1 - d : last + 2 - d]
    need_a, need_b, need_c, need_d = (
        needed[i] - slack,
        needed[i + 1] - slack,
        needed[i + 2] - slack,
        needed[i + 3] - slack,
    )
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
    ledger: Any, part: Any, slack: float, length: int, needed: float, i: int, first: int, last: int, shift: int,
    alarms: Any, n: int,
) -> Any:  # fmt: skip
    """The alarms of one window, by sums that only grow."""
    first = max(first, length - 1)
    if first > last:
        return alarms, n
    upper, lower = ledger[first + 1 : last + 2], ledger[first + 1 - length : last + 2 - length]
    need = needed - slack
    hits = 0
    for j in range(upper.size):
        hits += upper[j] - lower[j] >= need
    if hits == 0:
        return alarms, n
    alarms = with_room(alarms, n, hits)
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
        n += value >= needed
    return alarms, n


@compiled
def leaf_of_sums(
    ledger: Any, part: Any, slack: float, lengths: Any, needed: Any, first: int, last: int, low: int, high: int,
    shift: int, alarms: Any, n: int,
) -> Any:  # fmt: skip
    """`leaf` for sums that only grow."""
    i = low
    while i < high:
        four = i + 4 <= high and lengths[i + 3] <= first + 1
        if not four or _any_of_four(ledger, lengths, needed, slack, i, first, last):
            for k in range(i, min(i + 4, high)):
                alarms, n = _window_of_sums(
                    ledger, part, slack, lengths[k], needed[k], k, first, last, shift, alarms, n
                )  # fmt: skip
        i += 4
    return alarms, n


@compiled
def leaf(
    aggregate: int, bounding: int, measured: Any, lengths: Any, needed: Any, thresholds: Any, first: int, last: int,
    low: int, high: int, shift: int, done: Any, alarms: Any, n: int,
) -> Any:  # fmt: skip
    """Test windows `low` up to `high` at rows `first` to `last`; `done` are rows of which one alarm is enough."""
    ledger, slack, sums, squares, tables = measured
    alarms = with_room(alarms, n, (last - first + 1) * (high - low))
    rows, which, values = alarms
    by_sums = bounding <= EXTREMES
    for i in range(low, high):
        for r in range(max(first, lengths[i] - 1), last + 1):
            start = r + 1 - lengths[i]
            if by_sums and ledger[r + 1] - ledger[start] < needed[i] - slack:
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
