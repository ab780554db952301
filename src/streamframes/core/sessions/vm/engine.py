"""The engine: events flow down the tree, values flow up.

  flow      an event goes to the root, and from each session to the one of each part class that it belongs to, which
            may be opened for it; then, from the leaves up, sessions are closed whose condition holds
  telling   what an event changes goes up the tree at once, or when a session closes
  ending    conditions, timeouts and the end of the data close sessions

Everything is a word in a few arrays (`arrays`), so that one compiled loop serves every tree.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.batch.groups import mix
from streamframes.core.jit.compiled import compiled
from streamframes.core.jit.pointers import inlined, pointer_at
from streamframes.core.sessions.vm.arrays import AHEAD, BELONGS, KEYS, LANES, MATCHES, RECENT, STACK, TS, pointed
from streamframes.core.sessions.vm.bits import NULL
from streamframes.core.sessions.vm.bytecode import (
    HEADER,
    N_ARGUMENT,
    N_DOUBLE,
    N_SLOT,
    NO_PROGRAM,
    P_CLASSES,
    P_LANES,
    P_MATCHES,
    P_MEASURES,
    P_N_AHEAD,
    P_N_CLASSES,
    P_N_NODES,
    P_SPANS,
    P_WIDTH,
    P_WINDOWS,
    R_CLASS,
    R_END,
    R_GROUP,
    R_HASH,
    R_ID,
    R_KEY,
    R_KEY2,
    R_NEXT,
    R_PARENT,
    R_ROWS,
    R_START,
)  # fmt: skip
from streamframes.core.sessions.vm.close import BY_CONDITION, BY_END, close, expire
from streamframes.core.sessions.vm.fetching import FAR, NEAR, NEXT, RING, fetch_records, fetch_siblings, foresee
from streamframes.core.sessions.vm.layout import (
    BY_KEY,
    BY_MATCH,
    C_AHEAD,
    C_BLANK,
    C_CLOSES,
    C_FINDS,
    C_HEADS,
    C_KEY,
    C_LASTING,
    C_MATCHES,
    C_N_OPENED,
    C_N_PARTS,
    C_N_TELLS,
    C_OPENED,
    C_OPENS,
    C_PARTS,
    C_SALT,
    C_STRAY,
    C_TIMEOUT,
    C_WIDTH,
    CLASS_FIELDS,
)  # fmt: skip
from streamframes.core.sessions.vm.propagate import evaluated, tell_touched, update
from streamframes.core.sessions.vm.records import (
    Q_BELONGINGS,
    Q_BELONGS,
    Q_DIRTIES,
    Q_DIRTY,
    Q_ERROR,
    Q_FREE,
    Q_FRESH,
    Q_GROUP,
    Q_IN_TABLE,
    Q_INSTANT,
    Q_LOG,
    Q_LOGS,
    Q_MATCHES,
    Q_OPEN,
    Q_OUT,
    Q_OUTS,
    Q_RECENT,
    Q_RECENTS,
    Q_ROW,
    Q_SLOTS,
    Q_STEP,
    Q_TELLERS,
    Q_TELLS,
    Q_TOLD,
    Q_TOP,
    Q_WANTS_BELONGS,
    Q_WANTS_OUT,
    Q_WORDS,
    found,
    hashed,
    insert,
    join_siblings,
    named,
    ordinal,
    put_in_lane,
    remember,
    take_from_lane,
)  # fmt: skip

# Why the engine stops: all is done, or one of its arrays must grow (or be emptied) first.
(
    DONE, MORE_RECORDS, MORE_TABLE, MORE_OUT, MORE_TOLD, MORE_LOG, MORE_BELONGS, MORE_RECENT, MORE_MATCHES, OVERFLOW,
) = range(10)  # fmt: skip


@inlined
def _room(a: Any) -> Any:
    """Whether there is room for all that one step may do; otherwise what must grow."""
    opened, n_open = a.P[P_N_CLASSES], a.Q[Q_OPEN]
    if a.P[P_MATCHES]:
        opened = (n_open + 1) * a.P[P_N_CLASSES]
    most = n_open + opened
    width = a.P[P_WIDTH] * (opened // a.P[P_N_CLASSES])
    if a.Q[Q_TOP] + width + 3 * a.P[P_WINDOWS] * 2 * most > a.Q[Q_WORDS]:
        return MORE_RECORDS
    if 2 * (a.Q[Q_IN_TABLE] + opened) > a.Q[Q_SLOTS]:
        return MORE_TABLE
    if a.Q[Q_WANTS_OUT] and a.Q[Q_OUT] + most > a.Q[Q_OUTS]:
        return MORE_OUT
    told = a.Q[Q_TELLERS] + a.P[P_MEASURES] * opened
    if a.P[P_MEASURES] and (a.Q[Q_TOLD] + told > a.Q[Q_TELLS] or told > a.Q[Q_DIRTIES]):
        return MORE_TOLD
    if a.P[P_SPANS] and a.Q[Q_LOG] + 2 * a.P[P_N_NODES] * most > a.Q[Q_LOGS]:
        return MORE_LOG
    if a.Q[Q_WANTS_BELONGS] and a.Q[Q_BELONGS] + most > a.Q[Q_BELONGINGS]:
        return MORE_BELONGS
    if 2 * (a.Q[Q_RECENT] + a.Q[Q_FRESH] + opened) > a.Q[Q_RECENTS]:
        return MORE_RECENT
    if a.P[P_MATCHES] and most > a.Q[Q_MATCHES]:
        return MORE_MATCHES
    return DONE


@compiled
def _opened(a: Any, user: Any, parent: Any, c: Any, cls: Any, at: Any, h: Any, g: Any, i: Any, now: Any) -> Any:
    """A new session, which has had no event yet; its key is at the place `at` of the keys, or it has none."""
    free = Q_FREE + cls
    p = a.Q[free]
    width = a.P[c + C_WIDTH]
    if p:
        a.Q[free] = a.W[p]
    else:
        p = a.Q[Q_TOP]
        a.Q[Q_TOP] += width
    blank = a.P[c + C_BLANK]
    for j in range(width - HEADER):
        a.W[p + HEADER + j] = a.P[blank + j]
    key, key2 = np.int64(0), np.int64(0)
    if at >= 0:
        keys = pointer_at(a.others, KEYS)
        key, key2 = keys[at], keys[at + a.X[2]]
    a.W[p + R_CLASS], a.W[p + R_PARENT], a.W[p + R_KEY], a.W[p + R_KEY2] = cls, parent, key, key2
    a.W[p + R_START], a.W[p + R_END], a.W[p + R_ROWS], a.W[p + R_GROUP], a.W[p + R_HASH] = now, now, 0, g, h
    if a.P[c + C_LASTING]:
        a.W[p + R_ID] = np.int64(mix(np.uint64(a.P[c + C_SALT])))
    else:
        name = named(a.W[parent + R_ID], a.P[c + C_SALT], key, key2, now)
        a.W[p + R_ID] = np.int64(mix(name + np.uint64(ordinal(pointer_at(a.others, RECENT), a.Q, name))))
        if a.P[c + C_FINDS] == BY_MATCH:
            # Several that began at this instant may be open side by side; others only follow each other.
            remember(pointer_at(a.others, RECENT), a.Q, name)
            a.W[p + R_HASH] = a.W[p + R_ID]
    join_siblings(a.P, a.W, p)
    if a.P[c + C_KEY] >= 0:
        insert(a.T, a.Q, h, p)
        a.Q[Q_IN_TABLE] += 1
    if a.P[c + C_TIMEOUT] >= 0:
        put_in_lane(a.P, a.W, pointer_at(a.others, LANES), p)
    a.Q[Q_OPEN] += 1
    a.Q[Q_FRESH] += 1
    a.Q[Q_TELLERS] += a.P[c + C_N_TELLS]
    opened = a.P[c + C_OPENED]
    for k in range(a.P[c + C_N_OPENED]):
        n = a.P[opened + k]
        a.W[p + a.P[n + N_SLOT]] = evaluated(a, user, a.P[n + N_ARGUMENT], a.P[n + N_DOUBLE], i, p, now)
    return p


@inlined
def _called_for(a: Any, user: Any, p: Any, c: Any, cls: Any, key: Any, h: Any, g: Any, i: Any, now: Any) -> Any:
    """The session that an event opens in `p`, 0 if it does not; `c` is the row of its class."""
    opens, stray = a.P[c + C_OPENS], a.P[c + C_STRAY]
    if opens == NO_PROGRAM or evaluated(a, user, opens, np.int64(0), i, p, now) == 1:
        return _opened(a, user, p, c, cls, key, h, g, i, now)
    if stray != NO_PROGRAM and evaluated(a, user, stray, np.int64(0), i, p, now) == 1:
        a.Q[Q_FREE + 2 * a.P[P_N_CLASSES] + cls] += 1
    return np.int64(0)


@inlined
def _child(a: Any, user: Any, p: Any, c: Any, cls: Any, g: Any, i: Any, now: Any) -> Any:
    """The session of a class in `p` that an event belongs to, which may be opened for it; 0 if there is none."""
    keys = pointer_at(a.others, KEYS)
    key, h = np.int64(-1), a.W[p + R_HASH]
    if a.P[c + C_FINDS] == BY_KEY:
        key = 2 * a.P[c + C_KEY] * a.X[2] + i
        key2 = keys[key + a.X[2]]
        if key2 == NULL:
            a.Q[Q_FREE + a.P[P_N_CLASSES] + cls] += 1
            return np.int64(0)
        ahead = a.P[c + C_AHEAD]
        hashes = pointer_at(a.others, AHEAD)
        h = hashes[(i % RING) * a.P[P_N_AHEAD] + ahead] if ahead >= 0 else hashed(h, cls, keys[key], key2)
        child = found(a.W, a.T, a.Q, h, p, cls, keys[key], key2)
    else:
        child = a.W[p + a.P[c + C_HEADS]]
    if child == 0:
        child = _called_for(a, user, p, c, cls, key, h, g, i, now)
    return child


@compiled
def _matching(a: Any, user: Any, p: Any, c: Any, at: Any, i: Any, now: Any) -> Any:
    """Note the sessions of a class in `p` that an event matches, from the place `at` on; returns where they end."""
    session = a.W[p + a.P[c + C_HEADS]]
    while session != 0:
        if evaluated(a, user, a.P[c + C_MATCHES], np.int64(0), i, session, now) == 1:
            pointer_at(a.others, MATCHES)[at] = session
            at += 1
        session = a.W[session + R_NEXT]
    return at


@inlined
def _enter(a: Any, user: Any, child: Any, c: Any, cls: Any, i: Any, now: Any) -> Any:
    """An event comes to a session; returns whether it must be come back to: for its parts, or to close it."""
    update(a, user, child, c, i, now)
    if a.P[c + C_TIMEOUT] >= 0:
        take_from_lane(a.P, a.W, pointer_at(a.others, LANES), child)
        put_in_lane(a.P, a.W, pointer_at(a.others, LANES), child)
    if a.Q[Q_WANTS_BELONGS]:
        belongs, row = pointer_at(a.others, BELONGS), 3 * a.Q[Q_BELONGS]
        belongs[row], belongs[row + 1], belongs[row + 2] = i, cls, a.W[child + R_ID]
        a.Q[Q_BELONGS] += 1
    return a.P[c + C_N_PARTS] != 0 or a.P[c + C_CLOSES] != NO_PROGRAM


@inlined
def _flow_down(a: Any, user: Any, g: Any, i: Any, now: Any) -> None:
    """An event flows down the tree, from the system object, and on the way back closes what it closes."""
    stack = pointer_at(a.others, STACK)
    # A session, its next part, the sessions of that part that are still to come to (from, up to).
    stack[0], stack[1], stack[2], stack[3] = 0, 0, 0, 0
    top = 0
    while top >= 0:
        p, j, first, last = stack[top], stack[top + 1], stack[top + 2], stack[top + 3]
        if first < last:
            child = pointer_at(a.others, MATCHES)[first]
            stack[top + 2] = first + 1
            cls = a.W[child + R_CLASS]
            c = a.P[P_CLASSES] + cls * CLASS_FIELDS
        else:
            own = a.P[P_CLASSES] + a.W[p + R_CLASS] * CLASS_FIELDS
            if j == (a.P[own + C_N_PARTS] if p else np.int64(1)):
                closes = a.P[own + C_CLOSES]
                if p and closes != NO_PROGRAM and evaluated(a, user, closes, np.int64(0), i, p, now) == 1:
                    close(a, user, p, np.int64(BY_CONDITION), i, now)
                top -= 4
                continue
            stack[top + 1] = j + 1
            cls = a.P[a.P[own + C_PARTS] + j] if p else np.int64(0)
            c = a.P[P_CLASSES] + cls * CLASS_FIELDS
            if a.P[c + C_FINDS] == BY_MATCH:
                found_up_to = _matching(a, user, p, c, last, i, now)
                if found_up_to > last:
                    stack[top + 2], stack[top + 3] = last, found_up_to
                    continue
                child = _called_for(a, user, p, c, cls, np.int64(-1), a.W[p + R_HASH], g, i, now)
            else:
                child = _child(a, user, p, c, cls, g, i, now)
        if child != 0 and _enter(a, user, child, c, cls, i, now):
            last = stack[top + 3]
            top += 4
            stack[top], stack[top + 1], stack[top + 2], stack[top + 3] = child, 0, last, last


@inlined
def _look_ahead(a: Any, foreseen: Any, i: Any) -> Any:
    """Fetch what the events after `i` will need; returns up to which one hashes are known."""
    n = a.X[2]
    while foreseen < min(i + FAR, n):
        foresee(a.P, a.T, pointer_at(a.others, KEYS), pointer_at(a.others, AHEAD), a.Q, n, foreseen)
        foreseen += 1
    if i + NEAR < n:
        fetch_records(a.P, a.W, a.T, pointer_at(a.others, AHEAD), a.Q, i + NEAR)
        fetch_siblings(a.P, a.W, a.T, pointer_at(a.others, AHEAD), a.Q, i + NEXT)
    return foreseen


@compiled
def flow(arrays: Any, groups: Any, bounds: Any, user: Any) -> Any:
    """Let events flow, from where the engine got to; returns why it stops."""
    a = pointed(arrays)
    ts, foreseen = pointer_at(a.others, TS), a.Q[Q_ROW]
    while a.Q[Q_GROUP] < groups.size:
        k = a.Q[Q_GROUP]
        while a.Q[Q_ROW] < bounds[k + 1]:
            i = a.Q[Q_ROW]
            now = ts[i]
            wanted = _room(a)
            if wanted != DONE:
                return wanted
            if a.P[P_LANES] and expire(a, user, groups[k], now):
                continue
            if a.P[P_N_AHEAD]:
                foreseen = _look_ahead(a, foreseen, i)
            a.Q[Q_STEP] += 1
            if i == bounds[k] or now != ts[i - 1]:
                a.Q[Q_INSTANT] += 1
                a.Q[Q_RECENT], a.Q[Q_FRESH] = 0, 0
            _flow_down(a, user, groups[k], i, now)
            if a.Q[Q_DIRTY]:
                tell_touched(a, user, i, now)
            a.Q[Q_ROW] = i + 1
            if a.Q[Q_ERROR] or a.X[1]:
                return OVERFLOW
        a.Q[Q_GROUP] = k + 1
    return DONE


@compiled
def pass_time(arrays: Any, points: Any, user: Any) -> Any:
    """Close what time alone closes: all events of each group before its point have been seen."""
    a = pointed(arrays)
    while a.Q[Q_GROUP] < points.size:
        group = a.Q[Q_GROUP]
        while True:
            wanted = _room(a)
            if wanted != DONE:
                return wanted
            if not expire(a, user, group, points[group]):
                break
        a.Q[Q_GROUP] = group + 1
    return OVERFLOW if a.Q[Q_ERROR] or a.X[1] else DONE


@compiled
def end(arrays: Any, user: Any) -> Any:
    """The end of the data: close every root, and with it all that is open."""
    a = pointed(arrays)
    while a.W[HEADER] != 0:
        wanted = _room(a)
        if wanted != DONE:
            return wanted
        a.Q[Q_STEP] += 1
        close(a, user, a.W[HEADER], np.int64(BY_END), np.int64(-1), np.int64(0))
    return OVERFLOW if a.Q[Q_ERROR] or a.X[1] else DONE
