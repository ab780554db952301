"""Descend: an event goes down the tree, from each session to those of its parts that it belongs to.

A session is found by its key, by a condition on each, or as the only one of its class; where there is none, one may be
opened. On the way back up, sessions whose condition holds are closed.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.jit.pointers import inlined, pointer_at
from streamframes.core.sessions.kernels.arrays import (
    COUNTER,
    HASHES,
    KEYS,
    LANES,
    MATCHES,
    MEMBERSHIPS,
    N_EVENTS,
    PER_CLASS,
    RECORD,
    STACK,
)
from streamframes.core.sessions.kernels.close import BY_CONDITION, close
from streamframes.core.sessions.kernels.fetching import RING
from streamframes.core.sessions.kernels.fields import BY_KEY, BY_MATCH, CLASS, NO_PROGRAM, NULL, TREE, class_row
from streamframes.core.sessions.kernels.interpreter import evaluated
from streamframes.core.sessions.kernels.open import open_if_wanted
from streamframes.core.sessions.kernels.propagate import update
from streamframes.core.sessions.kernels.records import hashed, lookup, put_in_lane, take_from_lane


@inlined
def _child(a: Any, user: Any, p: Any, c: Any, cls: Any, g: Any, i: Any, now: Any) -> Any:
    """The session of a class in `p` that an event belongs to, which may be opened for it; 0 if there is none."""
    keys = pointer_at(a.others, KEYS)
    key, h = np.int64(-1), a.records[p + RECORD.hash]
    if a.tree[c + CLASS.found_by] == BY_KEY:
        key = 2 * a.tree[c + CLASS.key] * a.scratch[N_EVENTS] + i
        key2 = keys[key + a.scratch[N_EVENTS]]
        if key2 == NULL:
            a.counters[PER_CLASS + a.tree[TREE.n_classes] + cls] += 1
            return np.int64(0)
        ahead = a.tree[c + CLASS.ahead]
        hashes = pointer_at(a.others, HASHES)
        h = hashes[(i % RING) * a.tree[TREE.n_ahead] + ahead] if ahead >= 0 else hashed(h, cls, keys[key], key2)
        child = lookup(a.records, a.table, a.counters, h, p, cls, keys[key], key2)
    else:
        child = a.records[p + a.tree[c + CLASS.children]]
    if child == 0:
        child = open_if_wanted(a, user, p, c, cls, key, h, g, i, now)
    return child


@compiled
def _note_matching(a: Any, user: Any, p: Any, c: Any, at: Any, i: Any, now: Any) -> Any:
    """Note the sessions of a class in `p` that an event matches, from the place `at` on; returns where they end."""
    session = a.records[p + a.tree[c + CLASS.children]]
    while session != 0:
        if evaluated(a, user, a.tree[c + CLASS.matches], np.int64(0), i, session, now) == 1:
            pointer_at(a.others, MATCHES)[at] = session
            at += 1
        session = a.records[session + RECORD.next]
    return at


@inlined
def _enter(a: Any, user: Any, child: Any, c: Any, cls: Any, i: Any, now: Any) -> Any:
    """An event enters a session; returns whether it must come back to it: for its parts, or to close it."""
    update(a, user, child, c, i, now)
    if a.tree[c + CLASS.timeout] >= 0:
        take_from_lane(a.tree, a.records, pointer_at(a.others, LANES), child)
        put_in_lane(a.tree, a.records, pointer_at(a.others, LANES), child)
    if a.counters[COUNTER.wants_memberships]:
        memberships, row = pointer_at(a.others, MEMBERSHIPS), 3 * a.counters[COUNTER.memberships]
        memberships[row], memberships[row + 1], memberships[row + 2] = i, cls, a.records[child + RECORD.id]
        a.counters[COUNTER.memberships] += 1
    return a.tree[c + CLASS.n_parts] != 0 or a.tree[c + CLASS.closes] != NO_PROGRAM


@inlined
def descend(a: Any, user: Any, g: Any, i: Any, now: Any) -> None:
    """An event flows down the tree, from the system object, and on the way back closes what it closes."""
    stack = pointer_at(a.others, STACK)
    # A session, its next part, the sessions of that part that it has yet to enter (from, up to).
    stack[0], stack[1], stack[2], stack[3] = 0, 0, 0, 0
    top = 0
    while top >= 0:
        p, j, first, last = stack[top], stack[top + 1], stack[top + 2], stack[top + 3]
        if first < last:
            child = pointer_at(a.others, MATCHES)[first]
            stack[top + 2] = first + 1
            cls = a.records[child + RECORD.cls]
            c = class_row(a.tree, cls)
        else:
            own = class_row(a.tree, a.records[p + RECORD.cls])
            if j == (a.tree[own + CLASS.n_parts] if p else np.int64(1)):
                closes = a.tree[own + CLASS.closes]
                if p and closes != NO_PROGRAM and evaluated(a, user, closes, np.int64(0), i, p, now) == 1:
                    close(a, user, p, np.int64(BY_CONDITION), i, now)
                top -= 4
                continue
            stack[top + 1] = j + 1
            cls = a.tree[a.tree[own + CLASS.parts] + j] if p else np.int64(0)
            c = class_row(a.tree, cls)
            if a.tree[c + CLASS.found_by] == BY_MATCH:
                matching_up_to = _note_matching(a, user, p, c, last, i, now)
                if matching_up_to > last:
                    stack[top + 2], stack[top + 3] = last, matching_up_to
                    continue
                child = open_if_wanted(a, user, p, c, cls, np.int64(-1), a.records[p + RECORD.hash], g, i, now)
            else:
                child = _child(a, user, p, c, cls, g, i, now)
        if child != 0 and _enter(a, user, child, c, cls, i, now):
            last = stack[top + 3]
            top += 4
            stack[top], stack[top + 1], stack[top + 2], stack[top + 3] = child, 0, last, last
