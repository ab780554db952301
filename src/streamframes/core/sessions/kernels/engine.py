"""Engine: the three loops over a machine: events flow, time passes, the data ends.

  descend     an event goes from each session to those of its parts that it belongs to, which may be opened (`open`)
  propagate   what it changes is passed on up the tree at once, or when a session closes
  close       conditions, timeouts and the end of the data close sessions, their children first

Everything is a 64-bit word in a few arrays (`arrays`), so that one compiled loop serves every tree. Each loop stops
when one of the arrays must grow or be emptied; who called it sees to that and calls it again.
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
    LONG_OVERFLOW,
    N_EVENTS,
    RECORD,
    TS,
    pointed,
)
from streamframes.core.sessions.kernels.close import BY_END, close, expire
from streamframes.core.sessions.kernels.descend import descend
from streamframes.core.sessions.kernels.fetching import FAR, NEAR, NEXT, fetch_records, fetch_siblings, foresee
from streamframes.core.sessions.kernels.fields import TREE
from streamframes.core.sessions.kernels.propagate import emit_touched

# Why the engine stops: all is done, or one of its arrays must grow (or be emptied) first.
(
    DONE, MORE_RECORDS, MORE_TABLE, MORE_CLOSED, MORE_EMITTED, MORE_RECEIVED, MORE_MEMBERSHIPS, MORE_RECENT,
    MORE_MATCHES, OVERFLOW,
) = range(10)  # fmt: skip


@inlined
def _room(a: Any) -> Any:
    """Whether there is room for all that one step may do; otherwise what must grow."""
    opened, n_open = a.tree[TREE.n_classes], a.counters[COUNTER.open]
    if a.tree[TREE.has_matches]:
        opened = (n_open + 1) * a.tree[TREE.n_classes]
    most = n_open + opened
    width = a.tree[TREE.width] * (opened // a.tree[TREE.n_classes])
    if a.counters[COUNTER.top] + width + 3 * a.tree[TREE.n_windows] * 2 * most > a.counters[COUNTER.size_of_records]:
        return MORE_RECORDS
    if 2 * (a.counters[COUNTER.in_table] + opened) > a.counters[COUNTER.size_of_table]:
        return MORE_TABLE
    if a.counters[COUNTER.wants_closed] and a.counters[COUNTER.closed] + most > a.counters[COUNTER.size_of_closed]:
        return MORE_CLOSED
    measures = a.counters[COUNTER.open_measures] + a.tree[TREE.n_measures] * opened
    if a.tree[TREE.n_measures]:
        emitted = a.counters[COUNTER.emitted] + measures
        if emitted > a.counters[COUNTER.size_of_emitted] or measures > a.counters[COUNTER.size_of_touched]:
            return MORE_EMITTED
    if (
        a.tree[TREE.merges_root]
        and a.counters[COUNTER.received] + 2 * a.tree[TREE.n_nodes] * most > a.counters[COUNTER.size_of_received]
    ):
        return MORE_RECEIVED
    if (
        a.counters[COUNTER.wants_memberships]
        and a.counters[COUNTER.memberships] + most > a.counters[COUNTER.size_of_memberships]
    ):
        return MORE_MEMBERSHIPS
    if 2 * (a.counters[COUNTER.recent] + a.counters[COUNTER.fresh] + opened) > a.counters[COUNTER.size_of_recent]:
        return MORE_RECENT
    if a.tree[TREE.has_matches] and most > a.counters[COUNTER.size_of_matches]:
        return MORE_MATCHES
    return DONE


@inlined
def _look_ahead(a: Any, foreseen: Any, i: Any) -> Any:
    """Fetch what the events after `i` will need; returns up to which one hashes are known."""
    n = a.scratch[N_EVENTS]
    while foreseen < min(i + FAR, n):
        foresee(a.tree, a.table, pointer_at(a.others, KEYS), pointer_at(a.others, HASHES), a.counters, n, foreseen)
        foreseen += 1
    if i + NEAR < n:
        fetch_records(a.tree, a.records, a.table, pointer_at(a.others, HASHES), a.counters, i + NEAR)
        fetch_siblings(a.tree, a.records, a.table, pointer_at(a.others, HASHES), a.counters, i + NEXT)
    return foreseen


@compiled
def flow(arrays: Any, groups: Any, bounds: Any, user: Any) -> Any:
    """Let events flow, from where the engine got to; returns why it stops."""
    a = pointed(arrays)
    ts, foreseen = pointer_at(a.others, TS), a.counters[COUNTER.row]
    while a.counters[COUNTER.group] < groups.size:
        k = a.counters[COUNTER.group]
        while a.counters[COUNTER.row] < bounds[k + 1]:
            i = a.counters[COUNTER.row]
            now = ts[i]
            wanted = _room(a)
            if wanted != DONE:
                return wanted
            if a.tree[TREE.n_lanes] and expire(a, user, groups[k], now):
                continue
            if a.tree[TREE.n_ahead]:
                foreseen = _look_ahead(a, foreseen, i)
            a.counters[COUNTER.step] += 1
            if i == bounds[k] or now != ts[i - 1]:
                a.counters[COUNTER.instant] += 1
                a.counters[COUNTER.recent], a.counters[COUNTER.fresh] = 0, 0
            descend(a, user, groups[k], i, now)
            if a.counters[COUNTER.touched]:
                emit_touched(a, user, i, now)
            a.counters[COUNTER.row] = i + 1
            if a.counters[COUNTER.overflow] or a.scratch[LONG_OVERFLOW]:
                return OVERFLOW
        a.counters[COUNTER.group] = k + 1
    return DONE


@compiled
def pass_time(arrays: Any, points: Any, user: Any) -> Any:
    """Close what time alone closes: all events of each group before its point have been seen."""
    a = pointed(arrays)
    while a.counters[COUNTER.group] < points.size:
        group = a.counters[COUNTER.group]
        while True:
            wanted = _room(a)
            if wanted != DONE:
                return wanted
            if not expire(a, user, group, points[group]):
                break
        a.counters[COUNTER.group] = group + 1
    return OVERFLOW if a.counters[COUNTER.overflow] or a.scratch[LONG_OVERFLOW] else DONE


@compiled
def end(arrays: Any, user: Any) -> Any:
    """The end of the data: close every root, and with it all that is open."""
    a = pointed(arrays)
    while a.records[len(RECORD)] != 0:
        wanted = _room(a)
        if wanted != DONE:
            return wanted
        a.counters[COUNTER.step] += 1
        close(a, user, a.records[len(RECORD)], np.int64(BY_END), np.int64(-1), np.int64(0))
    return OVERFLOW if a.counters[COUNTER.overflow] or a.scratch[LONG_OVERFLOW] else DONE
