"""Fetching: what the engine will need is brought into the cache before, as waiting for memory takes most of its time.

  event i + 16   its hashes, and the slots of the table they lead to
  event i + 8    the records that the slots lead to
  event i + 4    the youngest child, where an event is about to open another one
  closing        the records and slots of a whole family, several lists of children at once

All this changes nothing but the time that it takes.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.jit.pointers import fetch, inlined
from streamframes.core.sessions.vm.bytecode import P_AHEAD, P_CLASSES, P_N_AHEAD, R_HASH, R_NEXT
from streamframes.core.sessions.vm.layout import AHEAD_FIELDS, C_HEADS, C_N_PARTS, C_PARTS, CLASS_FIELDS
from streamframes.core.sessions.vm.records import PLACE, Q_SLOTS, hashed, tagged

# How many events ahead hashes are worked out, slots and records are read; hashes are kept for RING events.
FAR, NEAR, NEXT = 16, 8, 4
RING = 32
# Lists of children that are followed at once, and how many wait; of larger families no more is fetched.
_LISTS, _WAITING, _FAMILY = 8, 256, 4096
WARM_ROOM = _LISTS + _WAITING


@inlined
def foresee(P: Any, T: Any, K: Any, F: Any, Q: Any, n: Any, i: Any) -> None:
    """Work out the hashes of an event, and fetch their slots."""
    mask = Q[Q_SLOTS] - 1
    row = P[P_AHEAD]
    base = (i % RING) * P[P_N_AHEAD]
    for j in range(P[P_N_AHEAD]):
        key, above = 2 * P[row + 1] * n + i, P[row + 2]
        h = hashed(F[base + above] if above >= 0 else np.int64(0), P[row], K[key], K[key + n])
        F[base + j] = h
        fetch(T, tagged(h) & mask)
        row += AHEAD_FIELDS


@inlined
def fetch_records(P: Any, W: Any, T: Any, F: Any, Q: Any, i: Any) -> None:
    """Fetch the records that the slots of an event lead to."""
    mask = Q[Q_SLOTS] - 1
    row = P[P_AHEAD]
    base = (i % RING) * P[P_N_AHEAD]
    for j in range(P[P_N_AHEAD]):
        tag = tagged(F[base + j])
        slot = T[tag & mask]
        if slot >> 32 == tag:
            p = slot & PLACE
            for part in range(0, P[row + 3], 8):
                fetch(W, p + part)
        row += AHEAD_FIELDS


@inlined
def fetch_siblings(P: Any, W: Any, T: Any, F: Any, Q: Any, i: Any) -> None:
    """Fetch the youngest children that an event may get a sibling for."""
    mask = Q[Q_SLOTS] - 1
    row = P[P_AHEAD]
    base = (i % RING) * P[P_N_AHEAD]
    for _ in range(P[P_N_AHEAD]):
        above = P[row + 2]
        if above >= 0:
            tag = tagged(F[base + above])
            slot = T[tag & mask]
            if slot >> 32 == tag:
                last = W[(slot & PLACE) + P[P[P_CLASSES] + P[row] * CLASS_FIELDS + C_HEADS] + 1]
                fetch(W, last)
        row += AHEAD_FIELDS


@compiled
def fetch_family(P: Any, W: Any, T: Any, S: Any, Q: Any, p: Any) -> None:
    """Fetch the records and slots of all within a session, S is room to work in."""
    mask = Q[Q_SLOTS] - 1
    first, last, fetched = np.int64(0), np.int64(0), 0
    for lane in range(_LISTS):
        S[lane] = 0
    S[0] = p
    walking = 1
    while walking and fetched < _FAMILY:
        walking = 0
        for lane in range(_LISTS):
            s = S[lane]
            if s == 0:
                if first == last:
                    continue
                s = S[_LISTS + first % _WAITING]
                first += 1
            walking += 1
            fetched += 1
            fetch(T, tagged(W[s + R_HASH]) & mask)
            following = W[s + R_NEXT] if s != p else np.int64(0)
            S[lane] = following
            fetch(W, following)
            fetch(W, following + 8)
            c = P[P_CLASSES] + W[s] * CLASS_FIELDS
            parts = P[c + C_PARTS]
            for j in range(P[c + C_N_PARTS]):
                child = W[s + P[P[P_CLASSES] + P[parts + j] * CLASS_FIELDS + C_HEADS]]
                if child and last - first < _WAITING:
                    fetch(W, child)
                    fetch(W, child + 8)
                    S[_LISTS + last % _WAITING] = child
                    last += 1
