"""Ending: sessions are closed, those within them first.

A closing session tells what is told at closing, its result is written, and its record is free again.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.jit.pointers import pointer_at
from streamframes.core.sessions.vm.arrays import CLOSED, LANES, LISTS, RECENT
from streamframes.core.sessions.vm.bits import NULL
from streamframes.core.sessions.vm.bytecode import (
    N_ARGUMENT,
    N_CLASS,
    N_DOUBLE,
    N_END_COUNT,
    N_ENDS,
    N_LAST,
    N_SLOT,
    N_SPAN,
    NODE_FIELDS,
    P_CLASSES,
    P_LANES,
    P_N_NODES,
    P_NODES,
    P_OUT_WIDTH,
    P_SPANS,
    P_TIMED,
    P_WINDOWS,
    R_CLASS,
    R_END,
    R_GROUP,
    R_ID,
    R_KEY,
    R_KEY2,
    R_PARENT,
    R_ROWS,
    R_START,
)  # fmt: skip
from streamframes.core.sessions.vm.fetching import fetch_family
from streamframes.core.sessions.vm.layout import (
    BY_MATCH,
    C_CLOSED,
    C_ENDS,
    C_FINDS,
    C_HEADS,
    C_KEY,
    C_LASTING,
    C_LEVEL,
    C_N_CLOSED,
    C_N_ENDS,
    C_N_OUTS,
    C_N_PARTS,
    C_N_TELLS,
    C_OUTS,
    C_PARTS,
    C_SALT,
    C_TELLS,
    C_TIMEOUT,
    CLASS_FIELDS,
    O_CLASS,
    O_CLOSED_BY,
    O_END,
    O_GROUP,
    O_HEAD,
    O_ID,
    O_PARENT,
    O_ROWS,
    O_START,
    OUT_FIELDS,
    TELL_FIELDS,
)  # fmt: skip
from streamframes.core.sessions.vm.propagate import ON_CLOSE, evaluated, fire, report, tell, tell_touched
from streamframes.core.sessions.vm.records import (
    Q_FREE,
    Q_FRESH,
    Q_IN_TABLE,
    Q_INSTANT,
    Q_OPEN,
    Q_OUT,
    Q_RECENT,
    Q_STEP,
    Q_TELLERS,
    Q_WANTS_OUT,
    Q_WANTS_TOLD,
    freed_entries,
    leave_siblings,
    named,
    remember,
    remove,
    take_from_lane,
)  # fmt: skip

# Why a session is closed; the number is its place in `results.CLOSED_BY`.
BY_CONDITION, BY_PARENT, BY_TIMEOUT, BY_END = range(4)


@compiled
def close(a: Any, user: Any, p: Any, why: Any, i: Any, now: Any) -> None:
    """Close a session, those within it first."""
    if a.P[a.P[P_CLASSES] + a.W[p + R_CLASS] * CLASS_FIELDS + C_N_PARTS]:
        fetch_family(a.P, a.W, a.T, pointer_at(a.others, LISTS), a.Q, p)
    inner = BY_END if why == BY_END else BY_PARENT
    s = p
    while True:
        c = a.P[P_CLASSES] + a.W[s + R_CLASS] * CLASS_FIELDS
        child = np.int64(0)
        parts = a.P[c + C_PARTS]
        for j in range(a.P[c + C_N_PARTS]):
            child = a.W[s + a.P[a.P[P_CLASSES] + a.P[parts + j] * CLASS_FIELDS + C_HEADS]]
            if child:
                break
        if child:
            s = child
            continue
        parent = a.W[s + R_PARENT]
        _finish(a, user, s, why if s == p else inner, i, now)
        if s == p:
            return
        s = parent


@compiled
def _finish(a: Any, user: Any, p: Any, why: Any, i: Any, now: Any) -> None:
    """A session without children is closed: destructor, reports, results; its record is free."""
    cls = a.W[p + R_CLASS]
    c = a.P[P_CLASSES] + cls * CLASS_FIELDS
    if why == BY_END:
        now = a.W[p + R_END]
    closed = a.P[c + C_CLOSED]
    for k in range(a.P[c + C_N_CLOSED]):
        n = a.P[closed + k]
        a.W[p + a.P[n + N_SLOT]] = evaluated(a, user, a.P[n + N_ARGUMENT], a.P[n + N_DOUBLE], i, p, now)
    if why != BY_END:
        _last_words(a, user, p, c, i, now)
    if a.Q[Q_WANTS_OUT]:
        _result(a, user, p, c, why, i, now)
    if a.P[c + C_N_TELLS]:
        a.W[p + R_ROWS] = 0
    leave_siblings(a.P, a.W, p)
    if a.P[c + C_KEY] >= 0:
        remove(a.W, a.T, a.Q, p)
        a.Q[Q_IN_TABLE] -= 1
    if a.P[c + C_TIMEOUT] >= 0:
        take_from_lane(a.P, a.W, pointer_at(a.others, LANES), p)
    if a.P[P_WINDOWS]:
        _free_windows(a, p, cls)
    if i >= 0 and a.W[p + R_START] == now and not a.P[c + C_LASTING] and a.P[c + C_FINDS] != BY_MATCH:
        name = named(a.W[a.W[p + R_PARENT] + R_ID], a.P[c + C_SALT], a.W[p + R_KEY], a.W[p + R_KEY2], now)
        remember(pointer_at(a.others, RECENT), a.Q, name)
    a.Q[Q_OPEN] -= 1
    a.Q[Q_TELLERS] -= a.P[c + C_N_TELLS]
    a.W[p] = a.Q[Q_FREE + cls]
    a.Q[Q_FREE + cls] = p


@compiled
def _last_words(a: Any, user: Any, p: Any, c: Any, i: Any, now: Any) -> None:
    """A closing session tells its values to those that wait for them, and its measures."""
    closed = a.P[c + C_CLOSED]
    for k in range(a.P[c + C_N_CLOSED]):
        fire(a, user, p, a.P[closed + k], i, now)
    ends = a.P[c + C_ENDS]
    for k in range(a.P[c + C_N_ENDS]):
        n = a.P[ends + k]
        for j in range(a.P[n + N_END_COUNT]):
            to = a.P[a.P[n + N_ENDS] + j]
            q = report(a, user, p, n, to, i, now)
            if q >= 0 and not (a.P[P_SPANS] and a.P[to + N_CLASS] == 0):
                fire(a, user, q, to, i, now)
    tells = a.P[c + C_TELLS]
    for k in range(a.P[c + C_N_TELLS]):
        at = tells + k * TELL_FIELDS
        if a.Q[Q_WANTS_TOLD] and (a.P[at + 2] == ON_CLOSE or a.W[p + a.P[at + 3]] == a.Q[Q_STEP]):
            tell(a, user, p, at, i, now)


@compiled
def _result(a: Any, user: Any, p: Any, c: Any, why: Any, i: Any, now: Any) -> None:
    """What is told of a closed session."""
    out = pointer_at(a.others, CLOSED)
    row = a.Q[Q_OUT] * a.P[P_OUT_WIDTH]
    parent = a.W[p + R_PARENT]
    out[row + O_CLASS], out[row + O_ID] = a.W[p + R_CLASS], a.W[p + R_ID]
    out[row + O_PARENT] = a.W[parent + R_ID] if parent else NULL
    out[row + O_START], out[row + O_END] = a.W[p + R_START], a.W[p + R_END]
    out[row + O_ROWS] = a.W[p + R_ROWS]
    out[row + O_CLOSED_BY], out[row + O_GROUP] = why, a.W[p + R_GROUP]
    outs = a.P[c + C_OUTS]
    for k in range(a.P[c + C_N_OUTS]):
        column, ref = a.P[outs + k * OUT_FIELDS], a.P[outs + k * OUT_FIELDS + 1]
        out[row + O_HEAD + column] = evaluated(a, user, ref, np.int64(0), i, p, now)
    a.Q[Q_OUT] += 1


@compiled
def _free_windows(a: Any, p: Any, cls: Any) -> None:
    """Give back the entries of all windows of a session."""
    at, end = a.P[P_NODES], a.P[P_NODES] + a.P[P_N_NODES] * NODE_FIELDS
    while at < end:
        if a.P[at + N_CLASS] == cls and (a.P[at + N_LAST] >= 0 or a.P[at + N_SPAN] >= 0):
            freed_entries(a.W, a.Q, p + a.P[at + N_SLOT])
        at += NODE_FIELDS


@compiled
def expire(a: Any, user: Any, g: Any, point: Any) -> Any:
    """Close the session of a group with the earliest deadline, if that lies before a point; returns whether it does."""
    best, best_deadline, best_level = np.int64(0), np.int64(0), np.int64(0)
    for lane in range(a.P[P_LANES]):
        p = pointer_at(a.others, LANES)[2 * (g * a.P[P_LANES] + lane)]
        if p == 0:
            continue
        c = a.P[P_CLASSES] + a.P[a.P[P_TIMED] + lane] * CLASS_FIELDS
        deadline = a.W[p + R_END] + a.P[c + C_TIMEOUT]
        if deadline >= point:
            continue
        level = a.P[c + C_LEVEL]
        if best == 0 or deadline < best_deadline or (deadline == best_deadline and level > best_level):
            best, best_deadline, best_level = p, deadline, level
    if best == 0:
        return False
    a.Q[Q_STEP] += 1
    a.Q[Q_INSTANT] += 1
    a.Q[Q_RECENT], a.Q[Q_FRESH] = 0, 0
    close(a, user, best, np.int64(BY_TIMEOUT), np.int64(-1), best_deadline)
    tell_touched(a, user, np.int64(-1), best_deadline)
    return True
