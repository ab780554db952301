"""Close: a session and all sessions inside it end, the children first.

`close` goes down to the innermost children, and finishes each session once it has no children left: attributes that are
set at the closing, values that are passed on then, the result; then the record is free.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.jit.pointers import inlined, pointer_at
from streamframes.core.sessions.kernels.arrays import CLOSED, COUNTER, LANES, LISTS, PER_CLASS, RECENT, RECORD, RESULT
from streamframes.core.sessions.kernels.fetching import fetch_family
from streamframes.core.sessions.kernels.fields import (
    BY_MATCH,
    CLASS,
    COLUMN,
    MEASURE,
    NODE,
    NULL,
    TREE,
    children_at,
    class_row,
    node_row,
)
from streamframes.core.sessions.kernels.interpreter import evaluated
from streamframes.core.sessions.kernels.propagate import ON_CLOSE, change, emit, emit_touched, pass_on
from streamframes.core.sessions.kernels.records import (
    free_window,
    leave_siblings,
    named,
    remember,
    remove,
    take_from_lane,
)

# Why a session is closed; the number is its place in `results.CLOSED_BY`.
BY_CONDITION, BY_PARENT, BY_TIMEOUT, BY_END = range(4)


@compiled
def close(a: Any, user: Any, p: Any, why: Any, i: Any, now: Any) -> None:
    """Close a session, its children first; `why` is what closes it, its children are closed by their parent."""
    if a.tree[class_row(a.tree, a.records[p + RECORD.cls]) + CLASS.n_parts]:
        fetch_family(a.tree, a.records, a.table, pointer_at(a.others, LISTS), a.counters, p)
    inner = BY_END if why == BY_END else BY_PARENT
    s = p
    while True:
        child = _first_child(a, s)
        if child:
            s = child
            continue
        parent = a.records[s + RECORD.parent]
        _finish(a, user, s, why if s == p else inner, i, now)
        if s == p:
            return
        s = parent


@inlined
def _first_child(a: Any, p: Any) -> Any:
    """The first open session within a session, 0 if there is none."""
    c = class_row(a.tree, a.records[p + RECORD.cls])
    for j in range(a.tree[c + CLASS.n_parts]):
        child = a.records[children_at(a.tree, p, a.tree[a.tree[c + CLASS.parts] + j])]
        if child:
            return child
    return np.int64(0)


@compiled
def _finish(a: Any, user: Any, p: Any, why: Any, i: Any, now: Any) -> None:
    """Close a session that has no children: its attributes, what it passes on, its result; its record is free."""
    cls = a.records[p + RECORD.cls]
    c = class_row(a.tree, cls)
    if why == BY_END:
        now = a.records[p + RECORD.end]
    closed = a.tree[c + CLASS.on_close]
    for k in range(a.tree[c + CLASS.n_on_close]):
        n = a.tree[closed + k]
        a.records[p + a.tree[n + NODE.place]] = evaluated(
            a, user, a.tree[n + NODE.argument], a.tree[n + NODE.is_double], i, p, now
        )
    if why != BY_END:
        _pass_on_all(a, user, p, c, i, now)
    if a.counters[COUNTER.wants_closed]:
        _result(a, user, p, c, why, i, now)
    if a.tree[c + CLASS.n_measures]:
        a.records[p + RECORD.rows] = 0
    leave_siblings(a.tree, a.records, p)
    if a.tree[c + CLASS.key] >= 0:
        remove(a.records, a.table, a.counters, p)
        a.counters[COUNTER.in_table] -= 1
    if a.tree[c + CLASS.timeout] >= 0:
        take_from_lane(a.tree, a.records, pointer_at(a.others, LANES), p)
    if a.tree[TREE.n_windows]:
        _free_windows(a, p, cls)
    if (
        i >= 0
        and a.records[p + RECORD.start] == now
        and not a.tree[c + CLASS.lasting]
        and a.tree[c + CLASS.found_by] != BY_MATCH
    ):
        name = named(
            a.records[a.records[p + RECORD.parent] + RECORD.id],
            a.tree[c + CLASS.salt],
            a.records[p + RECORD.key],
            a.records[p + RECORD.key2],
            now,
        )
        remember(pointer_at(a.others, RECENT), a.counters, name)
    a.counters[COUNTER.open] -= 1
    a.counters[COUNTER.open_measures] -= a.tree[c + CLASS.n_measures]
    a.records[p] = a.counters[PER_CLASS + cls]
    a.counters[PER_CLASS + cls] = p


@compiled
def _pass_on_all(a: Any, user: Any, p: Any, c: Any, i: Any, now: Any) -> None:
    """A closing session passes its values on to those that receive them then, and emits its measures."""
    closed = a.tree[c + CLASS.on_close]
    for k in range(a.tree[c + CLASS.n_on_close]):
        change(a, user, p, a.tree[closed + k], i, now)
    ends = a.tree[c + CLASS.passed_on]
    for k in range(a.tree[c + CLASS.n_passed_on]):
        n = a.tree[ends + k]
        for j in range(a.tree[n + NODE.n_receivers_on_close]):
            to = a.tree[a.tree[n + NODE.receivers_on_close] + j]
            q = pass_on(a, user, p, n, to, i, now)
            if q >= 0 and not (a.tree[TREE.merges_root] and a.tree[to + NODE.cls] == 0):
                change(a, user, q, to, i, now)
    for k in range(a.tree[c + CLASS.n_measures]):
        at = a.tree[c + CLASS.measures] + k * len(MEASURE)
        touched = a.records[p + a.tree[at + MEASURE.state]] == a.counters[COUNTER.step]
        if a.counters[COUNTER.wants_emitted] and (a.tree[at + MEASURE.when] == ON_CLOSE or touched):
            emit(a, user, p, at, i, now)


@compiled
def _result(a: Any, user: Any, p: Any, c: Any, why: Any, i: Any, now: Any) -> None:
    """Write the result of a closed session."""
    out = pointer_at(a.others, CLOSED)
    row = a.counters[COUNTER.closed] * a.tree[TREE.result_width]
    parent = a.records[p + RECORD.parent]
    out[row + RESULT.cls], out[row + RESULT.id] = a.records[p + RECORD.cls], a.records[p + RECORD.id]
    out[row + RESULT.parent] = a.records[parent + RECORD.id] if parent else NULL
    out[row + RESULT.start], out[row + RESULT.end] = a.records[p + RECORD.start], a.records[p + RECORD.end]
    out[row + RESULT.rows] = a.records[p + RECORD.rows]
    out[row + RESULT.closed_by], out[row + RESULT.group] = why, a.records[p + RECORD.group]
    columns = a.tree[c + CLASS.columns]
    for k in range(a.tree[c + CLASS.n_columns]):
        at = columns + k * len(COLUMN)
        program = a.tree[at + COLUMN.program]
        out[row + len(RESULT) + a.tree[at + COLUMN.number]] = evaluated(a, user, program, np.int64(0), i, p, now)
    a.counters[COUNTER.closed] += 1


@compiled
def _free_windows(a: Any, p: Any, cls: Any) -> None:
    """Give back the entries of all windows of a session."""
    for k in range(a.tree[TREE.n_nodes]):
        at = node_row(a.tree, k)
        if a.tree[at + NODE.cls] == cls and (a.tree[at + NODE.last] >= 0 or a.tree[at + NODE.span] >= 0):
            free_window(a.records, a.counters, p + a.tree[at + NODE.place])


@compiled
def expire(a: Any, user: Any, g: Any, point: Any) -> Any:
    """Close the session of a group with the earliest deadline, if that lies before a point; returns whether it does."""
    best, best_deadline, best_level = np.int64(0), np.int64(0), np.int64(0)
    for lane in range(a.tree[TREE.n_lanes]):
        p = pointer_at(a.others, LANES)[2 * (g * a.tree[TREE.n_lanes] + lane)]
        if p == 0:
            continue
        c = class_row(a.tree, a.tree[a.tree[TREE.timed] + lane])
        deadline = a.records[p + RECORD.end] + a.tree[c + CLASS.timeout]
        if deadline >= point:
            continue
        level = a.tree[c + CLASS.level]
        if best == 0 or deadline < best_deadline or (deadline == best_deadline and level > best_level):
            best, best_deadline, best_level = p, deadline, level
    if best == 0:
        return False
    a.counters[COUNTER.step] += 1
    a.counters[COUNTER.instant] += 1
    a.counters[COUNTER.recent], a.counters[COUNTER.fresh] = 0, 0
    close(a, user, best, np.int64(BY_TIMEOUT), np.int64(-1), best_deadline)
    emit_touched(a, user, np.int64(-1), best_deadline)
    return True
