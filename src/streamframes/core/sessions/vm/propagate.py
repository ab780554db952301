"""Telling: values flow up, from event to session, from session to those it is in, and out as measures.

update    an event comes to a session: its nodes take what they read
fire      a value that has changed is told to the nodes that receive it at once, and theirs to the next
tell      a measure that may have changed is told at the end of the step, if it has
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.jit.pointers import doubles, inlined, pointer_at, shifted
from streamframes.core.sessions.vm.accumulators import FOLDED, KEPT, add
from streamframes.core.sessions.vm.arrays import DIRTY, RECEIVED, TOLD, TOUCHED
from streamframes.core.sessions.vm.bits import NAN, NULL, is_null
from streamframes.core.sessions.vm.bytecode import (
    N_ARGUMENT,
    N_CLASS,
    N_CODE,
    N_COMPUTED,
    N_CONVERT,
    N_DOUBLE,
    N_EDGE_COUNT,
    N_EDGES,
    N_FLAG,
    N_INPUT_DOUBLE,
    N_LAST,
    N_SIZE,
    N_SLOT,
    N_SPAN,
    N_TELL_COUNT,
    N_TELLS,
    N_UPS,
    N_USER,
    N_WHEN,
    N_WHERE,
    NO_PROGRAM,
    NODE_FIELDS,
    P_CLASSES,
    P_NODES,
    P_SECOND,
    P_SPANS,
    R_CLASS,
    R_END,
    R_ID,
    R_PARENT,
    R_ROWS,
    R_START,
    node_word,
    run,
)  # fmt: skip
from streamframes.core.sessions.vm.layout import (
    C_FIRES,
    C_N_FIRES,
    C_N_READS,
    C_N_TELLS,
    C_READS,
    C_TELLS,
    CLASS_FIELDS,
    TELL_FIELDS,
)  # fmt: skip
from streamframes.core.sessions.vm.records import (
    Q_DIRTY,
    Q_ERROR,
    Q_LOG,
    Q_STEP,
    Q_TOLD,
    Q_WANTS_TOLD,
    enter,
    first_out,
)

# Tags, in the order of `nodes.TAGS`.
ON_OPEN, CONTINUOUS, ON_CLOSE = range(3)


@compiled
def evaluated(a: Any, user: Any, ref: Any, is_double: Any, i: Any, p: Any, now: Any) -> Any:
    """The word of a reference: a column of the event, or a program."""
    if ref <= -2:
        if i >= 0:
            return a.columns[(-2 - ref) * a.X[2] + i]
        return NAN if is_double else NULL
    return run(a.P, a.W, doubles(a.W), a.columns, a.X, doubles(a.X), user, ref, i, p, now)


@compiled
def _value(a: Any, user: Any, p: Any, n: Any, i: Any, now: Any) -> Any:
    """The value of the node `n` of the session `p`."""
    if a.P[n + N_COMPUTED] != NO_PROGRAM:
        return evaluated(a, user, a.P[n + N_COMPUTED], a.P[n + N_DOUBLE], i, p, now)
    return node_word(a.P, a.W, doubles(a.W), a.X, doubles(a.X), p, n, now)


@compiled
def _receive(a: Any, user: Any, p: Any, n: Any, word: Any, now: Any) -> None:
    """A value comes to the node `n` of the session `p`."""
    received = pointer_at(a.others, RECEIVED)
    a.X[0] = word
    convert = a.P[n + N_CONVERT]
    if convert == 1:
        doubles(a.X)[0] = np.float64(word)
    elif convert == 2:
        doubles(a.X)[0] = word / a.P[P_SECOND]
    if a.P[P_SPANS] and a.P[n + N_CLASS] == 0:
        at = 3 * a.Q[Q_LOG]
        received[at], received[at + 1], received[at + 2] = (n - a.P[P_NODES]) // NODE_FIELDS, now, a.X[0]
        a.Q[Q_LOG] += 1
        return
    at = p + a.P[n + N_SLOT]
    if a.P[n + N_LAST] >= 0:
        enter(a.W, a.Q, at, a.X[0], now)
        if a.W[at + 2] > a.P[n + N_LAST]:
            first_out(a.W, a.Q, at)
    elif a.P[n + N_SPAN] >= 0:
        enter(a.W, a.Q, at, a.X[0], now)
        while a.W[at] != 0 and a.W[a.W[at] + 1] <= now - a.P[n + N_SPAN]:
            first_out(a.W, a.Q, at)
    elif a.P[n + N_CODE] == FOLDED:
        size = a.P[n + N_SIZE]
        for j in range(size):
            doubles(a.X)[16 + j] = doubles(a.W)[at + 1 + j]
        doubles(a.X)[16 + size] = doubles(a.X)[0]
        doubles(a.W)[at] = user(a.P[n + N_USER], shifted(doubles(a.X), 16))
        for j in range(size):
            doubles(a.W)[at + 1 + j] = doubles(a.X)[16 + j]
    elif not add(a.W, doubles(a.W), at, a.P[n + N_CODE], a.X[0], doubles(a.X)[0]):
        a.Q[Q_ERROR] = 1


@compiled
def report(a: Any, user: Any, p: Any, n: Any, c: Any, i: Any, now: Any) -> Any:
    """The node `n` of the session `p` tells its value to the node `c`; returns whose node that is, or -1."""
    if a.P[c + N_WHEN] == ON_OPEN and a.W[p + a.P[c + N_FLAG]]:
        return np.int64(-1)
    word = _value(a, user, p, n, i, now)
    if is_null(word, a.P[n + N_DOUBLE]):
        return np.int64(-1)
    where = a.P[c + N_WHERE]
    if where != NO_PROGRAM and evaluated(a, user, where, np.int64(0), i, p, now) != 1:
        return np.int64(-1)
    if a.P[c + N_WHEN] == ON_OPEN:
        a.W[p + a.P[c + N_FLAG]] = 1
    q = p
    for _ in range(a.P[c + N_UPS]):
        q = a.W[q + R_PARENT]
    _receive(a, user, q, c, word, now)
    return q


@compiled
def _touch(a: Any, p: Any, n: Any) -> None:
    """Measures of a node may have changed."""
    dirty = pointer_at(a.others, DIRTY)
    at = a.P[n + N_TELLS]
    for _ in range(a.P[n + N_TELL_COUNT]):
        word = p + a.P[at + 1]
        if a.W[word] != a.Q[Q_STEP]:
            a.W[word] = a.Q[Q_STEP]
            dirty[2 * a.Q[Q_DIRTY]], dirty[2 * a.Q[Q_DIRTY] + 1] = p, a.P[at]
            a.Q[Q_DIRTY] += 1
        at += 2


@compiled
def fire(a: Any, user: Any, p: Any, n: Any, i: Any, now: Any) -> None:
    """A node has changed: those that receive its value at once change too, and so on up the tree."""
    _touch(a, p, n)
    top = 0
    # The stack stands behind that of programs: a session, a node, and how many of its receivers have been told.
    a.X[128], a.X[129], a.X[130] = p, n, 0
    while top >= 0:
        at = 128 + 3 * top
        s, m, k = a.X[at], a.X[at + 1], a.X[at + 2]
        if k == a.P[m + N_EDGE_COUNT]:
            top -= 1
            continue
        a.X[at + 2] = k + 1
        c = a.P[a.P[m + N_EDGES] + k]
        q = report(a, user, s, m, c, i, now)
        if q >= 0 and not (a.P[P_SPANS] and a.P[c + N_CLASS] == 0):
            _touch(a, q, c)
            top += 1
            a.X[at + 3], a.X[at + 4], a.X[at + 5] = q, c, 0


@inlined
def update(a: Any, user: Any, p: Any, c: Any, i: Any, now: Any) -> None:
    """An event comes to a session (`c` is the row of its class)."""
    a.W[p + R_ROWS] += 1
    if now < a.W[p + R_START]:
        # Only of a root that spans: groups come one after the other.
        a.W[p + R_START] = now
    if now > a.W[p + R_END]:
        a.W[p + R_END] = now
    reads = a.P[c + C_READS]
    for k in range(a.P[c + C_N_READS]):
        n = a.P[reads + k]
        is_double = a.P[n + N_INPUT_DOUBLE]
        word = evaluated(a, user, a.P[n + N_ARGUMENT], is_double, i, p, now)
        if not is_null(word, is_double):
            _receive(a, user, p, n, word, now)
            pointer_at(a.others, TOUCHED)[(n - a.P[P_NODES]) // NODE_FIELDS] = a.Q[Q_STEP]
        else:
            pointer_at(a.others, TOUCHED)[(n - a.P[P_NODES]) // NODE_FIELDS] = 0
    fires = a.P[c + C_FIRES]
    for k in range(a.P[c + C_N_FIRES]):
        n = a.P[fires + k]
        code = a.P[n + N_CODE]
        if a.P[n + N_COMPUTED] != NO_PROGRAM:
            heard = True
        elif code == KEPT:
            heard = a.W[p + R_ROWS] == 1
        else:
            heard = pointer_at(a.others, TOUCHED)[(n - a.P[P_NODES]) // NODE_FIELDS] == a.Q[Q_STEP]
        if heard:
            fire(a, user, p, n, i, now)


@compiled
def tell(a: Any, user: Any, p: Any, at: Any, i: Any, now: Any) -> None:
    """Tell a measure (its row in the list of its class) of a session, if it has changed."""
    told = pointer_at(a.others, TOLD)
    n, when, word_at = a.P[at + 1], a.P[at + 2], p + a.P[at + 3]
    if when == ON_OPEN and a.W[word_at + 1]:
        return
    word = _value(a, user, p, n, i, now)
    if is_null(word, a.P[n + N_DOUBLE]) or (a.W[word_at + 1] and a.W[word_at + 2] == word):
        return
    a.W[word_at + 1], a.W[word_at + 2] = 1, word
    row = 5 * a.Q[Q_TOLD]
    told[row], told[row + 1], told[row + 2] = now, a.W[p + R_CLASS], a.W[p + R_ID]
    told[row + 3], told[row + 4] = a.P[at], word
    a.Q[Q_TOLD] += 1


@compiled
def tell_touched(a: Any, user: Any, i: Any, now: Any) -> None:
    """The end of a step: tell the measures that were touched in it, of sessions that are still open."""
    dirty = pointer_at(a.others, DIRTY)
    for k in range(a.Q[Q_DIRTY]):
        p, measure = dirty[2 * k], dirty[2 * k + 1]
        if a.W[p + R_ROWS] == 0:
            continue
        c = a.P[P_CLASSES] + a.W[p + R_CLASS] * CLASS_FIELDS
        tells = a.P[c + C_TELLS]
        for j in range(a.P[c + C_N_TELLS]):
            at = tells + j * TELL_FIELDS
            if a.P[at] == measure and a.W[p + a.P[at + 3]] == a.Q[Q_STEP]:
                a.W[p + a.P[at + 3]] = 0
                if a.Q[Q_WANTS_TOLD]:
                    tell(a, user, p, at, i, now)
    a.Q[Q_DIRTY] = 0
