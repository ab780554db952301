"""Compact: all open sessions, found one after the other, and laid side by side, in the same layout or in another."""

from __future__ import annotations

from typing import Any

from streamframes.core.jit.compiled import compiled
from streamframes.core.sessions.kernels.arrays import RECORD
from streamframes.core.sessions.kernels.fields import CLASS, NODE, TREE, children_at, class_row, node_row

HEADER = len(RECORD)


@compiled
def walk(tree: Any, records: Any, places: Any) -> None:
    """The places of all open sessions, level by level."""
    n, k = 0, 0
    p = records[HEADER]
    while p != 0:
        places[n] = p
        n += 1
        p = records[p + RECORD.next]
    while k < n:
        p = places[k]
        k += 1
        c = class_row(tree, records[p])
        for j in range(tree[c + CLASS.n_parts]):
            part = tree[tree[c + CLASS.parts] + j]
            child = records[children_at(tree, p, part)]
            while child != 0:
                places[n] = child
                n += 1
                child = records[child + RECORD.next]


@compiled
def count_entries(tree: Any, records: Any, places: Any) -> int:
    """How many entries the windows of open sessions have."""
    total = 0
    for k in range(places.size):
        p = places[k]
        for n in range(tree[TREE.n_nodes]):
            at = node_row(tree, n)
            if tree[at + NODE.cls] == records[p] and (tree[at + NODE.last] >= 0 or tree[at + NODE.span] >= 0):
                total += records[p + tree[at + NODE.place] + 2]
    return int(total)


@compiled
def move(old: Any, new: Any, kept: Any, records: Any, moved: Any, where: Any, places: Any, top: int) -> int:
    """Write each record anew at its new place; `where` says for each old place the new one."""
    moved[:HEADER] = records[:HEADER]
    moved[HEADER], moved[HEADER + 1] = where[records[HEADER]], where[records[HEADER + 1]]
    for k in range(places.size):
        p = places[k]
        q = where[p]
        cls = records[p]
        c = class_row(new, cls)
        for j in range(HEADER):
            moved[q + j] = records[p + j]
        for name in (RECORD.parent, RECORD.next, RECORD.previous):
            moved[q + name] = where[records[p + name]]
        for j in range(new[c + CLASS.width] - HEADER):
            moved[q + HEADER + j] = new[new[c + CLASS.blank] + j]
        if new[c + CLASS.timeout] >= 0:
            before, after = p + old[class_row(old, cls) + CLASS.lane_links], q + new[c + CLASS.lane_links]
            moved[after], moved[after + 1] = where[records[before]], where[records[before + 1]]
        for j in range(new[c + CLASS.n_parts]):
            part = new[new[c + CLASS.parts] + j]
            before, after = children_at(old, p, part), children_at(new, q, part)
            moved[after], moved[after + 1] = where[records[before]], where[records[before + 1]]
        for j in range(kept.shape[0]):
            if kept[j, 0] != cls:
                continue
            before, after = p + kept[j, 1], q + kept[j, 2]
            for i in range(kept[j, 3]):
                moved[after + i] = records[before + i]
            if kept[j, 4] and records[before] != 0:
                entry = records[before]
                moved[after] = top
                while entry != 0:
                    moved[top], moved[top + 1] = records[entry], records[entry + 1]
                    moved[top + 2] = top + 3 if records[entry + 2] != 0 else 0
                    moved[after + 1] = top
                    top += 3
                    entry = records[entry + 2]
    return top
