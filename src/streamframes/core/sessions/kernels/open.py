"""Open: an event opens a session where none takes it, if the condition of the class holds."""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.batch.groups import mix
from streamframes.core.jit.compiled import compiled
from streamframes.core.jit.pointers import inlined, pointer_at
from streamframes.core.sessions.kernels.arrays import COUNTER, KEYS, LANES, N_EVENTS, PER_CLASS, RECENT, RECORD
from streamframes.core.sessions.kernels.fields import BY_MATCH, CLASS, NO_PROGRAM, NODE, TREE
from streamframes.core.sessions.kernels.interpreter import evaluated
from streamframes.core.sessions.kernels.records import insert, join_siblings, named, ordinal, put_in_lane, remember


@compiled
def _open(a: Any, user: Any, parent: Any, c: Any, cls: Any, at: Any, h: Any, g: Any, i: Any, now: Any) -> Any:
    """A new session, which has had no event yet; its key is at the place `at` of the keys, or it has none."""
    free = PER_CLASS + cls
    p = a.counters[free]
    width = a.tree[c + CLASS.width]
    if p:
        a.counters[free] = a.records[p]
    else:
        p = a.counters[COUNTER.top]
        a.counters[COUNTER.top] += width
    blank = a.tree[c + CLASS.blank]
    for j in range(width - len(RECORD)):
        a.records[p + len(RECORD) + j] = a.tree[blank + j]
    key, key2 = np.int64(0), np.int64(0)
    if at >= 0:
        keys = pointer_at(a.others, KEYS)
        key, key2 = keys[at], keys[at + a.scratch[N_EVENTS]]
    a.records[p + RECORD.cls], a.records[p + RECORD.parent] = cls, parent
    a.records[p + RECORD.key], a.records[p + RECORD.key2] = key, key2
    a.records[p + RECORD.start], a.records[p + RECORD.end], a.records[p + RECORD.rows] = now, now, 0
    a.records[p + RECORD.group], a.records[p + RECORD.hash] = g, h
    if a.tree[c + CLASS.lasting]:
        a.records[p + RECORD.id] = np.int64(mix(np.uint64(a.tree[c + CLASS.salt])))
    else:
        name = named(a.records[parent + RECORD.id], a.tree[c + CLASS.salt], key, key2, now)
        number = ordinal(pointer_at(a.others, RECENT), a.counters, name)
        a.records[p + RECORD.id] = np.int64(mix(name + np.uint64(number)))
        if a.tree[c + CLASS.found_by] == BY_MATCH:
            # Several that began at this instant may be open side by side; others only follow each other.
            remember(pointer_at(a.others, RECENT), a.counters, name)
            a.records[p + RECORD.hash] = a.records[p + RECORD.id]
    join_siblings(a.tree, a.records, p)
    if a.tree[c + CLASS.key] >= 0:
        insert(a.table, a.counters, h, p)
        a.counters[COUNTER.in_table] += 1
    if a.tree[c + CLASS.timeout] >= 0:
        put_in_lane(a.tree, a.records, pointer_at(a.others, LANES), p)
    a.counters[COUNTER.open] += 1
    a.counters[COUNTER.fresh] += 1
    a.counters[COUNTER.open_measures] += a.tree[c + CLASS.n_measures]
    for k in range(a.tree[c + CLASS.n_on_open]):
        n = a.tree[a.tree[c + CLASS.on_open] + k]
        word = evaluated(a, user, a.tree[n + NODE.argument], a.tree[n + NODE.is_double], i, p, now)
        a.records[p + a.tree[n + NODE.place]] = word
    return p


@inlined
def open_if_wanted(a: Any, user: Any, p: Any, c: Any, cls: Any, key: Any, h: Any, g: Any, i: Any, now: Any) -> Any:
    """The session of a class (`c` is its row) that an event opens in `p`; 0 if it opens none.

    An event that opens none and would have closed one is counted as an unmatched close.
    """
    opens, unmatched = a.tree[c + CLASS.opens], a.tree[c + CLASS.unmatched]
    if opens == NO_PROGRAM or evaluated(a, user, opens, np.int64(0), i, p, now) == 1:
        return _open(a, user, p, c, cls, key, h, g, i, now)
    if unmatched != NO_PROGRAM and evaluated(a, user, unmatched, np.int64(0), i, p, now) == 1:
        a.counters[PER_CLASS + 2 * a.tree[TREE.n_classes] + cls] += 1
    return np.int64(0)
