"""Records: where open sessions live. One array of words holds them all; what is closed is used again.

  W        0: the system object, in which the roots are | records of sessions | entries of windows
  T        a hash table of records by (parent, class, key), with open addressing; a slot is the hash and the place
  lanes    for each group and each class with a timeout: its sessions, from the one that has been silent for longest

Counters, sizes of arrays and the beginnings of the lists of free words are in Q. All arrays are pointers.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.batch.groups import mix
from streamframes.core.jit.compiled import compiled
from streamframes.core.jit.pointers import inlined
from streamframes.core.sessions.vm.bytecode import (
    P_CLASSES,
    P_LANES,
    R_CLASS,
    R_GROUP,
    R_HASH,
    R_KEY,
    R_KEY2,
    R_NEXT,
    R_PARENT,
    R_PREV,
)
from streamframes.core.sessions.vm.layout import C_HEADS, C_LANE, C_NEWER, CLASS_FIELDS

# What is counted, how large the arrays are, and where the engine got to; TELLERS are the measures of all open sessions,
# FRESH the sessions that were opened at this instant.
(
    Q_OPEN, Q_TOP, Q_ENTRIES, Q_IN_TABLE, Q_STEP, Q_INSTANT, Q_RECENT, Q_OUT, Q_TOLD, Q_LOG, Q_BELONGS, Q_DIRTY,
    Q_ERROR, Q_WANTS_OUT, Q_WANTS_TOLD, Q_WANTS_BELONGS, Q_GROUP, Q_ROW, Q_WORDS, Q_SLOTS, Q_RECENTS, Q_OUTS, Q_TELLS,
    Q_LOGS, Q_BELONGINGS, Q_DIRTIES, Q_MATCHES, Q_TELLERS, Q_FRESH,
) = range(29)  # fmt: skip
Q_FREE = 29
# The bits of a slot that say where the record is.
PLACE = 2**32 - 1
MOST_WORDS = 2**32


@compiled
def hashed(above: Any, cls: Any, key: Any, key2: Any) -> Any:
    """The hash of a session, by the hash of its parent, its class and its key."""
    path = (np.uint64(above) ^ (np.uint64(cls) << np.uint64(56))) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64(mix(path + np.uint64(key) + np.uint64(key2) * np.uint64(0xD6E8FEB86659FD93)))


@compiled
def tagged(h: Any) -> Any:
    """The bits of a hash that stand in a slot, the lower ones of which say where it is."""
    return np.int64(np.uint64(h) >> np.uint64(33))


@inlined
def found(W: Any, T: Any, Q: Any, h: Any, parent: Any, cls: Any, key: Any, key2: Any) -> Any:
    """The open session of a parent, class and key; 0 if there is none."""
    mask, tag = Q[Q_SLOTS] - 1, tagged(h)
    at = tag & mask
    while T[at] != 0:
        if T[at] >> 32 == tag:
            p = T[at] & PLACE
            if W[p + R_KEY] == key and W[p + R_PARENT] == parent and W[p + R_CLASS] == cls and W[p + R_KEY2] == key2:
                return p
        at = (at + 1) & mask
    return np.int64(0)


@compiled
def insert(T: Any, Q: Any, h: Any, p: Any) -> None:
    """Put a session into the table."""
    mask, tag = Q[Q_SLOTS] - 1, tagged(h)
    at = tag & mask
    while T[at] != 0:
        at = (at + 1) & mask
    T[at] = tag << 32 | p


@compiled
def remove(W: Any, T: Any, Q: Any, p: Any) -> None:
    """Take a session out of the table; those behind it that can move up do."""
    mask = Q[Q_SLOTS] - 1
    tag = tagged(W[p + R_HASH])
    entry = tag << 32 | p
    hole = tag & mask
    while T[hole] != entry:
        hole = (hole + 1) & mask
    at = hole
    while True:
        at = (at + 1) & mask
        if T[at] == 0:
            break
        home = (T[at] >> 32) & mask
        if ((at - home) & mask) >= ((at - hole) & mask):
            T[hole] = T[at]
            hole = at
    T[hole] = 0


@compiled
def put_in_lane(P: Any, W: Any, L: Any, p: Any) -> None:
    """A session has just had an event: it is the last of its lane."""
    c = P[P_CLASSES] + W[p + R_CLASS] * CLASS_FIELDS
    at = 2 * (W[p + R_GROUP] * P[P_LANES] + P[c + C_LANE])
    newer_at = P[c + C_NEWER]
    older = L[at + 1]
    W[p + newer_at], W[p + newer_at + 1] = 0, older
    if older:
        W[older + newer_at] = p
    else:
        L[at] = p
    L[at + 1] = p


@compiled
def take_from_lane(P: Any, W: Any, L: Any, p: Any) -> None:
    """Take a session out of its lane."""
    c = P[P_CLASSES] + W[p + R_CLASS] * CLASS_FIELDS
    at = 2 * (W[p + R_GROUP] * P[P_LANES] + P[c + C_LANE])
    newer_at = P[c + C_NEWER]
    newer, older = W[p + newer_at], W[p + newer_at + 1]
    if older:
        W[older + newer_at] = newer
    else:
        L[at] = newer
    if newer:
        W[newer + newer_at + 1] = older
    else:
        L[at + 1] = older


@compiled
def join_siblings(P: Any, W: Any, p: Any) -> None:
    """A session becomes the last child of its parent."""
    head = W[p + R_PARENT] + P[P[P_CLASSES] + W[p + R_CLASS] * CLASS_FIELDS + C_HEADS]
    last = W[head + 1]
    W[p + R_PREV], W[p + R_NEXT] = last, 0
    if last:
        W[last + R_NEXT] = p
    else:
        W[head] = p
    W[head + 1] = p


@compiled
def leave_siblings(P: Any, W: Any, p: Any) -> None:
    """A session is no child any more."""
    head = W[p + R_PARENT] + P[P[P_CLASSES] + W[p + R_CLASS] * CLASS_FIELDS + C_HEADS]
    before, after = W[p + R_PREV], W[p + R_NEXT]
    if before:
        W[before + R_NEXT] = after
    else:
        W[head] = after
    if after:
        W[after + R_PREV] = before
    else:
        W[head + 1] = before


@compiled
def freed_entries(W: Any, Q: Any, at: Any) -> None:
    """Give back the entries of a window, at its words `at`."""
    if W[at] != 0:
        W[W[at + 1] + 2] = Q[Q_ENTRIES]
        Q[Q_ENTRIES] = W[at]


@compiled
def first_out(W: Any, Q: Any, at: Any) -> None:
    """Give back the oldest entry of a window."""
    entry = W[at]
    W[at] = W[entry + 2]
    if W[at] == 0:
        W[at + 1] = 0
    W[at + 2] -= 1
    W[entry + 2] = Q[Q_ENTRIES]
    Q[Q_ENTRIES] = entry


@compiled
def enter(W: Any, Q: Any, at: Any, word: Any, now: Any) -> None:
    """Add an entry to a window."""
    entry = Q[Q_ENTRIES]
    if entry:
        Q[Q_ENTRIES] = W[entry + 2]
    else:
        entry = Q[Q_TOP]
        Q[Q_TOP] += 3
    W[entry], W[entry + 1], W[entry + 2] = word, now, 0
    if W[at]:
        W[W[at + 1] + 2] = entry
    else:
        W[at] = entry
    W[at + 1] = entry
    W[at + 2] += 1


@compiled
def named(parent: Any, salt: Any, key: Any, key2: Any, now: Any) -> Any:
    """What a session is known by: the id of its parent, its class, its key and the instant at which it began."""
    seed = mix(np.uint64(parent) ^ np.uint64(salt)) + mix(np.uint64(key) + mix(np.uint64(key2)))
    return mix(seed + mix(np.uint64(now)))


@compiled
def ordinal(R: Any, Q: Any, h: Any) -> Any:
    """How many sessions that began at this instant, and are known by this hash, have been closed already."""
    if Q[Q_RECENT] == 0:
        return np.int64(0)
    mask = np.uint64(Q[Q_RECENTS] - 1)
    at = np.uint64(h) & mask
    while R[np.uint64(3) * at + np.uint64(1)] == Q[Q_INSTANT]:
        if R[np.uint64(3) * at + np.uint64(0)] == np.int64(h):
            return R[np.uint64(3) * at + np.uint64(2)]
        at = (at + np.uint64(1)) & mask
    return np.int64(0)


@compiled
def remember(R: Any, Q: Any, h: Any) -> None:
    """A session that began at this instant is closed: the next of its kind must be told from it."""
    mask = np.uint64(Q[Q_RECENTS] - 1)
    at = np.uint64(h) & mask
    while R[np.uint64(3) * at + np.uint64(1)] == Q[Q_INSTANT]:
        if R[np.uint64(3) * at + np.uint64(0)] == np.int64(h):
            R[np.uint64(3) * at + np.uint64(2)] += 1
            return
        at = (at + np.uint64(1)) & mask
    row = np.uint64(3) * at
    R[row], R[row + np.uint64(1)], R[row + np.uint64(2)] = np.int64(h), Q[Q_INSTANT], 1
    Q[Q_RECENT] += 1
