"""Moving: all open sessions, found one after the other, and laid side by side, in the same records or in others."""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.sessions.vm.bytecode import (
    HEADER,
    N_CLASS,
    N_LAST,
    N_SLOT,
    N_SPAN,
    NODE_FIELDS,
    P_CLASSES,
    P_N_NODES,
    P_NODES,
    R_NEXT,
    R_PARENT,
    R_PREV,
)  # fmt: skip
from streamframes.core.sessions.vm.layout import (
    C_BLANK,
    C_HEADS,
    C_N_PARTS,
    C_NEWER,
    C_PARTS,
    C_TIMEOUT,
    C_WIDTH,
    CLASS_FIELDS,
    Tables,
)  # fmt: skip


@compiled
def walk(P: Any, W: Any, found: Any) -> None:
    """All records, level by level."""
    n, k = 0, 0
    p = W[HEADER]
    while p != 0:
        found[n] = p
        n += 1
        p = W[p + R_NEXT]
    while k < n:
        p = found[k]
        k += 1
        c = P[P_CLASSES] + W[p] * CLASS_FIELDS
        for j in range(P[c + C_N_PARTS]):
            part = P[P[c + C_PARTS] + j]
            child = W[p + P[P[P_CLASSES] + part * CLASS_FIELDS + C_HEADS]]
            while child != 0:
                found[n] = child
                n += 1
                child = W[child + R_NEXT]


def kept_words(old: Tables, new: Tables) -> np.ndarray:
    """Which words of records are taken over: class, place before and after, how many, whether they are a window."""
    kept = []
    for key, (cls, at, size, windowed) in old.places.items():
        if key in new.places:
            kept.append((cls, at, new.places[key][1], size, int(windowed)))
    return np.array(kept, np.int64).reshape(-1, 5)


@compiled
def count_entries(P: Any, W: Any, records: Any) -> int:
    """How many entries the windows of open sessions have."""
    total = 0
    for k in range(records.size):
        p = records[k]
        for n in range(P[P_N_NODES]):
            at = P[P_NODES] + n * NODE_FIELDS
            if P[at + N_CLASS] == W[p] and (P[at + N_LAST] >= 0 or P[at + N_SPAN] >= 0):
                total += W[p + P[at + N_SLOT] + 2]
    return int(total)


@compiled
def move(old: Any, new: Any, kept: Any, W: Any, moved: Any, where: Any, records: Any, top: int) -> int:
    """Write each record anew at its new place; `where` says for each old place the new one."""
    moved[:HEADER] = W[:HEADER]
    moved[HEADER], moved[HEADER + 1] = where[W[HEADER]], where[W[HEADER + 1]]
    for k in range(records.size):
        p = records[k]
        q = where[p]
        cls = W[p]
        c = new[P_CLASSES] + cls * CLASS_FIELDS
        for j in range(HEADER):
            moved[q + j] = W[p + j]
        for name in (R_PARENT, R_NEXT, R_PREV):
            moved[q + name] = where[W[p + name]]
        for j in range(new[c + C_WIDTH] - HEADER):
            moved[q + HEADER + j] = new[new[c + C_BLANK] + j]
        if new[c + C_TIMEOUT] >= 0:
            before, after = p + old[old[P_CLASSES] + cls * CLASS_FIELDS + C_NEWER], q + new[c + C_NEWER]
            moved[after], moved[after + 1] = where[W[before]], where[W[before + 1]]
        for j in range(new[c + C_N_PARTS]):
            part = new[new[c + C_PARTS] + j] * CLASS_FIELDS
            before, after = p + old[old[P_CLASSES] + part + C_HEADS], q + new[new[P_CLASSES] + part + C_HEADS]
            moved[after], moved[after + 1] = where[W[before]], where[W[before + 1]]
        for j in range(kept.shape[0]):
            if kept[j, 0] != cls:
                continue
            before, after = p + kept[j, 1], q + kept[j, 2]
            for i in range(kept[j, 3]):
                moved[after + i] = W[before + i]
            if kept[j, 4] and W[before] != 0:
                entry = W[before]
                moved[after] = top
                while entry != 0:
                    moved[top], moved[top + 1] = W[entry], W[entry + 1]
                    moved[top + 2] = top + 3 if W[entry + 2] != 0 else 0
                    moved[after + 1] = top
                    top += 3
                    entry = W[entry + 2]
    return top
