"""Unions: reports that touch in time or in space get one label, column after column.

  place |  a a . c          a report goes on with the label of its place or gets a new one,
        |  . . b b          then satisfied neighbours of one column are united:
        |  . b b .          here b and c, at the last column
        +-----------> time

Of a component stand its numbers (`facts`), its box, and its runs: stretches of neighbours in one column, in a list.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.regions.connected.neighbours import introduce
from streamframes.core.regions.types import BREAK, CONDITION, FALSE, GAP, HELD, IMPUTED, MEANING, ROUNDING

# The numbers of a component. FIRST is the lowest place at START, LIVE counts the places whose latest report belongs
# to it, FAILED is the latest column at which one of them was not satisfied, HEAD and TAIL are ends of its list of runs.
PARENT, START, END, FIRST, ROWS, IMPUTATIONS, LIVE, FAILED, HEAD, TAIL = range(10)
FACTS = 10
# The numbers of a run.
COLUMN, FROM, TO, NEXT = range(4)
RUN = 4
# How many labels and how many runs there are.
LABELS, RUNS = range(2)


@compiled
def _holds(code: int) -> bool:
    """Whether a report is satisfied."""
    return bool(code & MEANING != FALSE and code & MEANING != HELD)


@compiled
def find(facts: Any, a: int) -> int:
    """The component of a label."""
    while facts[a, PARENT] != a:
        facts[a, PARENT] = facts[facts[a, PARENT], PARENT]
        a = facts[a, PARENT]
    return a


@compiled
def _unite(facts: Any, box: Any, runs: Any, a: int, b: int) -> int:
    """One component of two: the numbers of the smaller go to the larger."""
    if a == b:
        return a
    if facts[a, ROWS] < facts[b, ROWS]:
        a, b = b, a
    facts[b, PARENT] = a
    if (facts[b, START], facts[b, FIRST]) < (facts[a, START], facts[a, FIRST]):
        facts[a, START], facts[a, FIRST] = facts[b, START], facts[b, FIRST]
    facts[a, END] = max(facts[a, END], facts[b, END])
    facts[a, ROWS] += facts[b, ROWS]
    facts[a, IMPUTATIONS] += facts[b, IMPUTATIONS]
    facts[a, LIVE] += facts[b, LIVE]
    runs[facts[a, TAIL], NEXT] = facts[b, HEAD]
    facts[a, TAIL] = facts[b, TAIL]
    ndim = box.shape[1] // 2
    for d in range(ndim):
        box[a, d] = min(box[a, d], box[b, d])
        box[a, ndim + d] = max(box[a, ndim + d], box[b, ndim + d])
    return a


@compiled
def _end_labels(table: Any, facts: Any, place_id: Any, code: Any, k: int, t: int, closed: Any, n: int) -> int:
    """Reports that end the label of their place; a component that is no place's any more is closed."""
    for i in range(place_id.size):
        s = place_id[i]
        if table.since[s] > t:
            introduce(table, s, t)
        fails = code[i] & MEANING == FALSE
        if table.label[s] < 0 or code[i] & MEANING == HELD or not (fails or code[i] & BREAK):
            continue
        root = find(facts, table.label[s])
        table.label[s] = -1
        facts[root, LIVE] -= 1
        if fails:
            facts[root, FAILED] = t
        if facts[root, LIVE] == 0:
            closed[n, 0], closed[n, 1] = root, k
            closed[n, 2] = CONDITION if facts[root, FAILED] == t else GAP
            n += 1
    return n


@compiled
def _labelled(table: Any, facts: Any, box: Any, runs: Any, count: Any, stretch: Any, t: int) -> int:
    """The component of a stretch of satisfied neighbours, united if they are of several."""
    root = -1
    for s in stretch:
        if table.label[s] >= 0:
            other = find(facts, table.label[s])
            root = other if root < 0 else _unite(facts, box, runs, root, other)
    if root < 0:
        root = count[LABELS]
        count[LABELS] += 1
        facts[root] = 0
        facts[root, PARENT], facts[root, START], facts[root, FIRST] = root, t, stretch[0]
        facts[root, FAILED], facts[root, HEAD], facts[root, TAIL] = t, -1, -1
        box[root, : box.shape[1] // 2], box[root, box.shape[1] // 2 :] = np.inf, -np.inf
    for s in stretch:
        if table.label[s] < 0:
            facts[root, LIVE] += 1
        table.label[s] = root
    return root


@compiled
def _add_run(table: Any, facts: Any, box: Any, runs: Any, count: Any, root: int, stretch: Any, column: int) -> None:
    low, high, run = stretch[0], stretch[-1], count[RUNS]
    count[RUNS] += 1
    runs[run, COLUMN], runs[run, FROM], runs[run, TO], runs[run, NEXT] = column, low, high, -1
    if facts[root, HEAD] < 0:
        facts[root, HEAD] = run
    else:
        runs[facts[root, TAIL], NEXT] = run
    facts[root, TAIL] = run
    facts[root, ROWS] += stretch.size
    ndim = box.shape[1] // 2
    for d in range(ndim):
        box[root, d] = min(box[root, d], table.places[low, d])
        box[root, ndim + d] = max(box[root, ndim + d], table.places[high, d])


@compiled
def near(table: Any, step: Any, axis: int, low: int, high: int) -> bool:
    """Whether two places are neighbours along an axis."""
    if low < 0 or high < 0:
        return False
    return bool(table.places[high, axis] - table.places[low, axis] <= (1 + ROUNDING) * step[axis])


@compiled
def _join_runs(
    table: Any, step: Any, facts: Any, box: Any, runs: Any, count: Any, place_id: Any, code: Any, t: int, column: int
) -> None:
    axis, i = table.places.shape[1] - 1, 0
    while i < place_id.size:
        if not _holds(code[i]):
            i += 1
            continue
        imputed, j = code[i] & MEANING == IMPUTED, i + 1
        while (
            j < place_id.size
            and _holds(code[j])
            and table.before[axis, place_id[j]] == place_id[j - 1]
            and near(table, step, axis, place_id[j - 1], place_id[j])
        ):
            imputed += code[j] & MEANING == IMPUTED
            j += 1
        root = _labelled(table, facts, box, runs, count, place_id[i:j], t)
        _add_run(table, facts, box, runs, count, root, place_id[i:j], column)
        facts[root, END] = t
        facts[root, IMPUTATIONS] += imputed
        i = j


@compiled
def _join_rows(
    table: Any, step: Any, facts: Any, box: Any, runs: Any, place_id: Any, code: Any, stamp: Any, k: int
) -> None:
    """Places in a plane: runs go along the second axis, here they are joined along the first."""
    for i in range(place_id.size):
        if _holds(code[i]):
            s, other = place_id[i], table.before[0, place_id[i]]
            stamp[s] = k
            if near(table, step, 0, other, s) and stamp[other] == k:
                a, b = find(facts, table.label[s]), find(facts, table.label[other])
                table.label[s] = _unite(facts, box, runs, a, b)


@compiled
def take(
    table: Any, step: Any, facts: Any, box: Any, runs: Any, count: Any, times: Any, bounds: Any, place_id: Any,
    code: Any, column: int,
) -> Any:  # fmt: skip
    """Take columns, the first of them number `column`. Returns what closes: component, column of the feed, cause."""
    closed, n = np.empty((bounds[-1] - bounds[0], 3), np.int64), 0
    stamp = np.full(table.since.size if table.places.shape[1] == 2 else 0, -1)
    for k in range(times.size):
        ids, codes = place_id[bounds[k] : bounds[k + 1]], code[bounds[k] : bounds[k + 1]]
        n = _end_labels(table, facts, ids, codes, k, times[k], closed, n)
        _join_runs(table, step, facts, box, runs, count, ids, codes, times[k], column + k)
        if stamp.size:
            _join_rows(table, step, facts, box, runs, ids, codes, stamp, k)
    return closed[:n]


@compiled
def gathered(facts: Any, runs: Any, roots: Any) -> Any:
    """The runs of components: bounds, and what each run is."""
    n = 0
    for root in roots:
        run = facts[root, HEAD]
        while run >= 0:
            n += 1
            run = runs[run, NEXT]
    bounds, listed = np.zeros(roots.size + 1, np.int64), np.empty((n, NEXT), np.int64)
    n = 0
    for i in range(roots.size):
        run = facts[roots[i], HEAD]
        while run >= 0:
            listed[n] = runs[run, :NEXT]
            n += 1
            run = runs[run, NEXT]
        bounds[i + 1] = n
    return bounds, listed
