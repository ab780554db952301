"""Records: where open sessions live. One array of words holds them all; the words of a closed session are used again.

  records   0: the system object, the parent of the roots | open sessions | entries of windows
  table     a hash table of records by (parent, class, key), with open addressing; an entry is the hash and the place
  lanes     for each group and each class with a timeout: its sessions, the one without an event for longest first

A session is named by the place of its record. Siblings, the sessions of a lane and the entries of a window are lists.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.batch.groups import mix
from streamframes.core.jit.compiled import compiled
from streamframes.core.jit.pointers import inlined
from streamframes.core.sessions.kernels.arrays import COUNTER, RECORD
from streamframes.core.sessions.kernels.fields import CLASS, TREE, children_at, class_row

# The bits of an entry of the table that say where the record is.
PLACE = 2**32 - 1


@compiled
def hashed(above: Any, cls: Any, key: Any, key2: Any) -> Any:
    """The hash of a session, by the hash of its parent, its class and its key."""
    path = (np.uint64(above) ^ (np.uint64(cls) << np.uint64(56))) * np.uint64(0x9E3779B97F4A7C15)
    return np.int64(mix(path + np.uint64(key) + np.uint64(key2) * np.uint64(0xD6E8FEB86659FD93)))


@compiled
def tagged(h: Any) -> Any:
    """The bits of a hash that an entry of the table has; the lower ones say where in the table it is."""
    return np.int64(np.uint64(h) >> np.uint64(33))


@inlined
def lookup(records: Any, table: Any, counters: Any, h: Any, parent: Any, cls: Any, key: Any, key2: Any) -> Any:
    """The open session of a parent, class and key; 0 if there is none."""
    mask, tag = counters[COUNTER.size_of_table] - 1, tagged(h)
    at = tag & mask
    while table[at] != 0:
        if table[at] >> 32 == tag:
            p = table[at] & PLACE
            if (
                records[p + RECORD.key] == key
                and records[p + RECORD.parent] == parent
                and records[p + RECORD.cls] == cls
                and records[p + RECORD.key2] == key2
            ):
                return p
        at = (at + 1) & mask
    return np.int64(0)


@compiled
def insert(table: Any, counters: Any, h: Any, p: Any) -> None:
    """Put a session into the table."""
    mask, tag = counters[COUNTER.size_of_table] - 1, tagged(h)
    at = tag & mask
    while table[at] != 0:
        at = (at + 1) & mask
    table[at] = tag << 32 | p


@compiled
def remove(records: Any, table: Any, counters: Any, p: Any) -> None:
    """Take a session out of the table; those behind it that can move up do."""
    mask = counters[COUNTER.size_of_table] - 1
    tag = tagged(records[p + RECORD.hash])
    entry = tag << 32 | p
    hole = tag & mask
    while table[hole] != entry:
        hole = (hole + 1) & mask
    at = hole
    while True:
        at = (at + 1) & mask
        if table[at] == 0:
            break
        home = (table[at] >> 32) & mask
        if ((at - home) & mask) >= ((at - hole) & mask):
            table[hole] = table[at]
            hole = at
    table[hole] = 0


@compiled
def put_in_lane(tree: Any, records: Any, lanes: Any, p: Any) -> None:
    """A session has just had an event: it is the last of its lane."""
    c = class_row(tree, records[p + RECORD.cls])
    at = 2 * (records[p + RECORD.group] * tree[TREE.n_lanes] + tree[c + CLASS.lane])
    newer_at = tree[c + CLASS.lane_links]
    older = lanes[at + 1]
    records[p + newer_at], records[p + newer_at + 1] = 0, older
    if older:
        records[older + newer_at] = p
    else:
        lanes[at] = p
    lanes[at + 1] = p


@compiled
def take_from_lane(tree: Any, records: Any, lanes: Any, p: Any) -> None:
    """Take a session out of its lane."""
    c = class_row(tree, records[p + RECORD.cls])
    at = 2 * (records[p + RECORD.group] * tree[TREE.n_lanes] + tree[c + CLASS.lane])
    newer_at = tree[c + CLASS.lane_links]
    newer, older = records[p + newer_at], records[p + newer_at + 1]
    if older:
        records[older + newer_at] = newer
    else:
        lanes[at] = newer
    if newer:
        records[newer + newer_at + 1] = older
    else:
        lanes[at + 1] = older


@compiled
def join_siblings(tree: Any, records: Any, p: Any) -> None:
    """A session becomes the last child of its parent."""
    head = children_at(tree, records[p + RECORD.parent], records[p + RECORD.cls])
    last = records[head + 1]
    records[p + RECORD.previous], records[p + RECORD.next] = last, 0
    if last:
        records[last + RECORD.next] = p
    else:
        records[head] = p
    records[head + 1] = p


@compiled
def leave_siblings(tree: Any, records: Any, p: Any) -> None:
    """A session is no child any more."""
    head = children_at(tree, records[p + RECORD.parent], records[p + RECORD.cls])
    before, after = records[p + RECORD.previous], records[p + RECORD.next]
    if before:
        records[before + RECORD.next] = after
    else:
        records[head] = after
    if after:
        records[after + RECORD.previous] = before
    else:
        records[head + 1] = before


@compiled
def free_window(records: Any, counters: Any, at: Any) -> None:
    """Give back the entries of a window, at its words `at`."""
    if records[at] != 0:
        records[records[at + 1] + 2] = counters[COUNTER.entries]
        counters[COUNTER.entries] = records[at]


@compiled
def window_pop(records: Any, counters: Any, at: Any) -> None:
    """Give back the oldest entry of a window."""
    entry = records[at]
    records[at] = records[entry + 2]
    if records[at] == 0:
        records[at + 1] = 0
    records[at + 2] -= 1
    records[entry + 2] = counters[COUNTER.entries]
    counters[COUNTER.entries] = entry


@compiled
def window_append(records: Any, counters: Any, at: Any, word: Any, now: Any) -> None:
    """Add an entry to a window."""
    entry = counters[COUNTER.entries]
    if entry:
        counters[COUNTER.entries] = records[entry + 2]
    else:
        entry = counters[COUNTER.top]
        counters[COUNTER.top] += 3
    records[entry], records[entry + 1], records[entry + 2] = word, now, 0
    if records[at]:
        records[records[at + 1] + 2] = entry
    else:
        records[at] = entry
    records[at + 1] = entry
    records[at + 2] += 1


@compiled
def named(parent: Any, salt: Any, key: Any, key2: Any, now: Any) -> Any:
    """What a session is known by: the id of its parent, its class, its key and the instant at which it began."""
    seed = mix(np.uint64(parent) ^ np.uint64(salt)) + mix(np.uint64(key) + mix(np.uint64(key2)))
    return mix(seed + mix(np.uint64(now)))


@compiled
def ordinal(recent: Any, counters: Any, h: Any) -> Any:
    """How many sessions that began at this instant, and are known by this hash, have been closed already."""
    if counters[COUNTER.recent] == 0:
        return np.int64(0)
    mask = np.uint64(counters[COUNTER.size_of_recent] - 1)
    at = np.uint64(h) & mask
    while recent[np.uint64(3) * at + np.uint64(1)] == counters[COUNTER.instant]:
        if recent[np.uint64(3) * at + np.uint64(0)] == np.int64(h):
            return recent[np.uint64(3) * at + np.uint64(2)]
        at = (at + np.uint64(1)) & mask
    return np.int64(0)


@compiled
def remember(recent: Any, counters: Any, h: Any) -> None:
    """A session that began at this instant is closed: the next of its kind must have another id."""
    mask = np.uint64(counters[COUNTER.size_of_recent] - 1)
    at = np.uint64(h) & mask
    while recent[np.uint64(3) * at + np.uint64(1)] == counters[COUNTER.instant]:
        if recent[np.uint64(3) * at + np.uint64(0)] == np.int64(h):
            recent[np.uint64(3) * at + np.uint64(2)] += 1
            return
        at = (at + np.uint64(1)) & mask
    row = np.uint64(3) * at
    recent[row], recent[row + np.uint64(1)], recent[row + np.uint64(2)] = np.int64(h), counters[COUNTER.instant], 1
    counters[COUNTER.recent] += 1
