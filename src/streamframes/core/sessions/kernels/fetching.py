"""Fetching: what the engine will need is brought into the cache before, as it spends most of its time on cache misses.

  event i + 16   its hashes, and the entries of the table they lead to
  event i + 8    the records that the entries lead to
  event i + 4    the youngest child, where an event is about to open another one
  closing        the records and entries of all sessions within a session, several lists of children at once

All this changes nothing but the time; `python -m benchmarks.kept` measures it. CPU seconds for 4 million events in
random order, with fetching and without:

  keys        closed sessions   average of them   closed, one inside the other   average of averages
  1,000       0.22, 0.25        0.21, 0.23        0.42, 0.46                     0.35, 0.40
  100,000     0.36, 1.12        0.34, 1.14        1.06, 3.06                     0.82, 2.81
  1,000,000   1.11, 1.96        0.47, 1.30        4.53, 6.29                     1.58, 3.37

What is fetched at a closing is 12 % of the average of averages with 100,000 keys, and less than 10 % elsewhere.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.jit.pointers import fetch, inlined
from streamframes.core.sessions.kernels.arrays import COUNTER, RECORD
from streamframes.core.sessions.kernels.fields import AHEAD, CLASS, TREE, children_at, class_row
from streamframes.core.sessions.kernels.records import PLACE, hashed, tagged

# How many events ahead hashes are worked out, slots and records are read; hashes are kept for RING events.
FAR, NEAR, NEXT = 16, 8, 4
RING = 32
# Lists of children that are followed at once, and how many wait; of larger families no more is fetched.
_LISTS, _WAITING, _FAMILY = 8, 256, 4096
WARM_ROOM = _LISTS + _WAITING


@inlined
def foresee(tree: Any, table: Any, keys: Any, hashes: Any, counters: Any, n: Any, i: Any) -> None:
    """Work out the hashes of an event, and fetch their entries of the table."""
    mask = counters[COUNTER.size_of_table] - 1
    row = tree[TREE.ahead]
    base = (i % RING) * tree[TREE.n_ahead]
    for j in range(tree[TREE.n_ahead]):
        key, above = 2 * tree[row + AHEAD.key] * n + i, tree[row + AHEAD.above]
        h = hashed(hashes[base + above] if above >= 0 else np.int64(0), tree[row + AHEAD.cls], keys[key], keys[key + n])
        hashes[base + j] = h
        fetch(table, tagged(h) & mask)
        row += len(AHEAD)


@inlined
def fetch_records(tree: Any, records: Any, table: Any, hashes: Any, counters: Any, i: Any) -> None:
    """Fetch the records that the entries of an event lead to."""
    mask = counters[COUNTER.size_of_table] - 1
    row = tree[TREE.ahead]
    base = (i % RING) * tree[TREE.n_ahead]
    for j in range(tree[TREE.n_ahead]):
        tag = tagged(hashes[base + j])
        entry = table[tag & mask]
        if entry >> 32 == tag:
            p = entry & PLACE
            for part in range(0, tree[row + AHEAD.width], 8):
                fetch(records, p + part)
        row += len(AHEAD)


@inlined
def fetch_siblings(tree: Any, records: Any, table: Any, hashes: Any, counters: Any, i: Any) -> None:
    """Fetch the youngest children that an event may get a sibling for."""
    mask = counters[COUNTER.size_of_table] - 1
    row = tree[TREE.ahead]
    base = (i % RING) * tree[TREE.n_ahead]
    for _ in range(tree[TREE.n_ahead]):
        above = tree[row + AHEAD.above]
        if above >= 0:
            tag = tagged(hashes[base + above])
            entry = table[tag & mask]
            if entry >> 32 == tag:
                last = records[children_at(tree, entry & PLACE, tree[row + AHEAD.cls]) + 1]
                fetch(records, last)
        row += len(AHEAD)


@compiled
def fetch_family(tree: Any, records: Any, table: Any, lists: Any, counters: Any, p: Any) -> None:
    """Fetch the records and entries of all sessions within a session; `lists` is room to work in."""
    mask = counters[COUNTER.size_of_table] - 1
    first, last, fetched = np.int64(0), np.int64(0), 0
    for lane in range(_LISTS):
        lists[lane] = 0
    lists[0] = p
    walking = 1
    while walking and fetched < _FAMILY:
        walking = 0
        for lane in range(_LISTS):
            s = lists[lane]
            if s == 0:
                if first == last:
                    continue
                s = lists[_LISTS + first % _WAITING]
                first += 1
            walking += 1
            fetched += 1
            fetch(table, tagged(records[s + RECORD.hash]) & mask)
            following = records[s + RECORD.next] if s != p else np.int64(0)
            lists[lane] = following
            fetch(records, following)
            fetch(records, following + 8)
            c = class_row(tree, records[s])
            parts = tree[c + CLASS.parts]
            for j in range(tree[c + CLASS.n_parts]):
                child = records[children_at(tree, s, tree[parts + j])]
                if child and last - first < _WAITING:
                    fetch(records, child)
                    fetch(records, child + 8)
                    lists[_LISTS + last % _WAITING] = child
                    last += 1
