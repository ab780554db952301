"""Propagate: values flow up, from an event to its session, from a session to those it is in, and out as measures.

update    an event comes to a session: its nodes take what they read
change    a value that has changed is passed on to the nodes that receive it at once, and theirs to the next
emit      a measure that may have changed is emitted at the end of the step, if it has
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.jit.pointers import doubles, inlined, pointer_at, shifted
from streamframes.core.sessions.kernels.accumulators import FOLDED, KEPT, TO_DOUBLE, TO_SECONDS, add
from streamframes.core.sessions.kernels.arrays import (
    ARGUMENTS,
    CHANGED,
    CHANGES,
    COUNTER,
    EMITTED,
    RECEIVED,
    RECORD,
    TOUCHED,
    VALUE,
)
from streamframes.core.sessions.kernels.fields import (
    CLASS,
    MEASURE,
    NO_PROGRAM,
    NODE,
    TREE,
    class_row,
    is_null,
    node_number,
)
from streamframes.core.sessions.kernels.interpreter import evaluated, value_of_node
from streamframes.core.sessions.kernels.records import window_append, window_pop

# Tags, in the order of `nodes.TAGS`.
ON_OPEN, CONTINUOUS, ON_CLOSE = range(3)


@compiled
def _value(a: Any, user: Any, p: Any, n: Any, i: Any, now: Any) -> Any:
    """The value of the node `n` of the session `p`."""
    if a.tree[n + NODE.computed] != NO_PROGRAM:
        return evaluated(a, user, a.tree[n + NODE.computed], a.tree[n + NODE.is_double], i, p, now)
    return value_of_node(a, p, n, now)


@compiled
def _receive(a: Any, user: Any, p: Any, n: Any, word: Any, now: Any) -> None:
    """A value comes to the node `n` of the session `p`."""
    received = pointer_at(a.others, RECEIVED)
    a.scratch[VALUE] = word
    conversion = a.tree[n + NODE.conversion]
    if conversion == TO_DOUBLE:
        doubles(a.scratch)[VALUE] = np.float64(word)
    elif conversion == TO_SECONDS:
        doubles(a.scratch)[VALUE] = word / a.tree[TREE.ticks_per_second]
    if a.tree[TREE.merges_root] and a.tree[n + NODE.cls] == 0:
        at = 3 * a.counters[COUNTER.received]
        received[at], received[at + 1], received[at + 2] = node_number(a.tree, n), now, a.scratch[VALUE]
        a.counters[COUNTER.received] += 1
        return
    at = p + a.tree[n + NODE.place]
    if a.tree[n + NODE.last] >= 0:
        window_append(a.records, a.counters, at, a.scratch[VALUE], now)
        if a.records[at + 2] > a.tree[n + NODE.last]:
            window_pop(a.records, a.counters, at)
    elif a.tree[n + NODE.span] >= 0:
        window_append(a.records, a.counters, at, a.scratch[VALUE], now)
        while a.records[at] != 0 and a.records[a.records[at] + 1] <= now - a.tree[n + NODE.span]:
            window_pop(a.records, a.counters, at)
    elif a.tree[n + NODE.code] == FOLDED:
        size = a.tree[n + NODE.size]
        for j in range(size):
            doubles(a.scratch)[ARGUMENTS + j] = doubles(a.records)[at + 1 + j]
        doubles(a.scratch)[ARGUMENTS + size] = doubles(a.scratch)[VALUE]
        doubles(a.records)[at] = user(a.tree[n + NODE.user], shifted(doubles(a.scratch), ARGUMENTS))
        for j in range(size):
            doubles(a.records)[at + 1 + j] = doubles(a.scratch)[ARGUMENTS + j]
    elif not add(a.records, doubles(a.records), at, a.tree[n + NODE.code], a.scratch[VALUE], doubles(a.scratch)[VALUE]):
        a.counters[COUNTER.overflow] = 1


@compiled
def pass_on(a: Any, user: Any, p: Any, n: Any, c: Any, i: Any, now: Any) -> Any:
    """The node `n` of the session `p` passes its value on to the node `c`; returns whose node that is, or -1."""
    if a.tree[c + NODE.when] == ON_OPEN and a.records[p + a.tree[c + NODE.passed_once]]:
        return np.int64(-1)
    word = _value(a, user, p, n, i, now)
    if is_null(word, a.tree[n + NODE.is_double]):
        return np.int64(-1)
    where = a.tree[c + NODE.where]
    if where != NO_PROGRAM and evaluated(a, user, where, np.int64(0), i, p, now) != 1:
        return np.int64(-1)
    if a.tree[c + NODE.when] == ON_OPEN:
        a.records[p + a.tree[c + NODE.passed_once]] = 1
    q = p
    for _ in range(a.tree[c + NODE.levels_up]):
        q = a.records[q + RECORD.parent]
    _receive(a, user, q, c, word, now)
    return q


@compiled
def _touch(a: Any, p: Any, n: Any) -> None:
    """Measures of a node may have changed."""
    touched = pointer_at(a.others, TOUCHED)
    at = a.tree[n + NODE.measures]
    for _ in range(a.tree[n + NODE.n_measures]):
        word = p + a.tree[at + 1]
        if a.records[word] != a.counters[COUNTER.step]:
            a.records[word] = a.counters[COUNTER.step]
            touched[2 * a.counters[COUNTER.touched]], touched[2 * a.counters[COUNTER.touched] + 1] = p, a.tree[at]
            a.counters[COUNTER.touched] += 1
        at += 2


@compiled
def change(a: Any, user: Any, p: Any, n: Any, i: Any, now: Any) -> None:
    """A node has changed: those that receive its value at once change too, and so on up the tree."""
    _touch(a, p, n)
    top = 0
    # On the stack: a session, a node, and how many of its receivers have its value.
    a.scratch[CHANGES], a.scratch[CHANGES + 1], a.scratch[CHANGES + 2] = p, n, 0
    while top >= 0:
        at = CHANGES + 3 * top
        s, m, k = a.scratch[at], a.scratch[at + 1], a.scratch[at + 2]
        if k == a.tree[m + NODE.n_receivers]:
            top -= 1
            continue
        a.scratch[at + 2] = k + 1
        c = a.tree[a.tree[m + NODE.receivers] + k]
        q = pass_on(a, user, s, m, c, i, now)
        if q >= 0 and not (a.tree[TREE.merges_root] and a.tree[c + NODE.cls] == 0):
            _touch(a, q, c)
            top += 1
            a.scratch[at + 3], a.scratch[at + 4], a.scratch[at + 5] = q, c, 0


@inlined
def update(a: Any, user: Any, p: Any, c: Any, i: Any, now: Any) -> None:
    """An event comes to a session (`c` is the row of its class)."""
    a.records[p + RECORD.rows] += 1
    if now < a.records[p + RECORD.start]:
        # Only in a merged root: groups come one after the other.
        a.records[p + RECORD.start] = now
    if now > a.records[p + RECORD.end]:
        a.records[p + RECORD.end] = now
    reads = a.tree[c + CLASS.reads]
    for k in range(a.tree[c + CLASS.n_reads]):
        n = a.tree[reads + k]
        is_double = a.tree[n + NODE.reads_double]
        word = evaluated(a, user, a.tree[n + NODE.argument], is_double, i, p, now)
        if not is_null(word, is_double):
            _receive(a, user, p, n, word, now)
            pointer_at(a.others, CHANGED)[node_number(a.tree, n)] = a.counters[COUNTER.step]
        else:
            pointer_at(a.others, CHANGED)[node_number(a.tree, n)] = 0
    changes = a.tree[c + CLASS.changes]
    for k in range(a.tree[c + CLASS.n_changes]):
        n = a.tree[changes + k]
        code = a.tree[n + NODE.code]
        if a.tree[n + NODE.computed] != NO_PROGRAM:
            changed = True
        elif code == KEPT:
            changed = a.records[p + RECORD.rows] == 1
        else:
            changed = pointer_at(a.others, CHANGED)[node_number(a.tree, n)] == a.counters[COUNTER.step]
        if changed:
            change(a, user, p, n, i, now)


@compiled
def emit(a: Any, user: Any, p: Any, at: Any, i: Any, now: Any) -> None:
    """Emit a measure (its row in the list of its class) of a session, if it has changed."""
    emitted = pointer_at(a.others, EMITTED)
    n, when, state = a.tree[at + MEASURE.node], a.tree[at + MEASURE.when], p + a.tree[at + MEASURE.state]
    if when == ON_OPEN and a.records[state + 1]:
        return
    word = _value(a, user, p, n, i, now)
    if is_null(word, a.tree[n + NODE.is_double]) or (a.records[state + 1] and a.records[state + 2] == word):
        return
    a.records[state + 1], a.records[state + 2] = 1, word
    row = 5 * a.counters[COUNTER.emitted]
    emitted[row], emitted[row + 1], emitted[row + 2] = now, a.records[p + RECORD.cls], a.records[p + RECORD.id]
    emitted[row + 3], emitted[row + 4] = a.tree[at + MEASURE.number], word
    a.counters[COUNTER.emitted] += 1


@compiled
def emit_touched(a: Any, user: Any, i: Any, now: Any) -> None:
    """The end of a step: emit the measures that were touched in it, of sessions that are still open."""
    touched = pointer_at(a.others, TOUCHED)
    for k in range(a.counters[COUNTER.touched]):
        p, measure = touched[2 * k], touched[2 * k + 1]
        if a.records[p + RECORD.rows] == 0:
            continue
        c = class_row(a.tree, a.records[p + RECORD.cls])
        for j in range(a.tree[c + CLASS.n_measures]):
            at = a.tree[c + CLASS.measures] + j * len(MEASURE)
            state = p + a.tree[at + MEASURE.state]
            if a.tree[at + MEASURE.number] == measure and a.records[state] == a.counters[COUNTER.step]:
                a.records[state] = 0
                if a.counters[COUNTER.wants_emitted]:
                    emit(a, user, p, at, i, now)
    a.counters[COUNTER.touched] = 0
