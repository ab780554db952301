"""Paths: all ways to go on from one start, row by row, preferred ones first; where conditions ask what was matched.

Each path has a step that it takes next and its own registers. Of two paths that take the same step and remember the
same of what can still be asked, only the preferred one is followed. What a path took is a chain of nodes, newest first.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.patterns.kernels.history import holds, remember

NO_MATCH, EMPTY, MATCH, TIMEOUT, UNMATCHED, WAIT = range(6)
# In place of a node: whether a match ends here depends on whether the group does.
ENDS_WITH_GROUP = -2


class Paths(NamedTuple):
    """Paths at one row: their next steps, their newest nodes, their registers."""

    step: np.ndarray
    node: np.ndarray
    registers: np.ndarray


@compiled
def room_for(paths: Any, n: Any) -> Any:
    """The paths, with room for more than n."""
    if n < paths.step.size:
        return paths
    size = 2 * paths.step.size
    step, node = np.empty(size, np.int64), np.empty(size, np.int64)
    registers = np.empty((size, paths.registers.shape[1]), np.int64)
    step[:n], node[:n], registers[:n] = paths.step[:n], paths.node[:n], paths.registers[:n]
    return Paths(step, node, registers)


@compiled
def grown(array: Any, n: Any) -> Any:
    """An array with room for more than n."""
    if n < array.size:
        return array
    bigger = np.empty(max(n + 1, 2 * array.size), array.dtype)
    bigger[: array.size] = array
    return bigger


@compiled
def _is_known(h: Any, paths: Any, n: Any, first: Any, q: Any, registers: Any) -> Any:
    """Whether a more preferred path takes the same step and remembers the same."""
    for j in range(first, n):
        if paths.step[j] == q:
            same = True
            for k in range(registers.size):
                if h.live[q, k] and paths.registers[j, k] != registers[k]:
                    same = False
                    break
            if same:
                return True
    return False


@compiled
def begin_paths(p: Any, h: Any, paths: Any, is_first: Any) -> Any:
    """The paths before the first row; returns how many there are, and whether the empty match ends the list."""
    begins = p.begins_first if is_first else p.begins
    n = 0
    for k in range(begins.size):
        if begins[k] < 0:
            return paths, n, True
        paths = room_for(paths, n)
        paths.step[n], paths.node[n] = begins[k], -1
        paths.registers[n] = h.begin
        n += 1
    return paths, n, False


@compiled
def follow_row(
    p: Any, h: Any, x: Any, s: Any, row_ok: Any, viable: Any, limits: Any, now: Any, n: Any, next_: Any, nodes: Any
) -> Any:
    """Take a row on all paths; returns the next paths, how many, the nodes, and the node of a match that ends here.

    limits: row, first of the viable rows, their limit, bounds of the group, match number, whether the group ends there,
    whether the row is the last.
    """
    i, first, limit, low, high, number, at_end, is_last = limits
    parents, taken, n_nodes = nodes
    m = 0
    for j in range(n):
        q = now.step[j]
        v = p.variable[q]
        if not row_ok[v, i] or (viable.size > 0 and not 0 < viable[i - first, q] <= limit):
            continue
        s.registers[:] = now.registers[j]
        remember(h, x, s, v, i)
        if not holds(h, x, s, v, i, low, high, number):
            continue
        parents, taken = grown(parents, n_nodes), grown(taken, n_nodes)
        parents[n_nodes], taken[n_nodes] = now.node[j], q
        n_nodes += 1
        if is_last and at_end:
            if p.ends[q]:
                return next_, m, (parents, taken, n_nodes), n_nodes - 1
            continue
        if is_last and p.ends[q] == 2:
            return next_, m, (parents, taken, n_nodes), ENDS_WITH_GROUP
        for k in range(p.after[q], p.after[q + 1]):
            t = p.follow[k]
            if t < 0:
                return next_, m, (parents, taken, n_nodes), n_nodes - 1
            if not _is_known(h, next_, m, 0, t, s.registers):
                next_ = room_for(next_, m)
                next_.step[m], next_.node[m] = t, n_nodes - 1
                next_.registers[m] = s.registers
                m += 1
    return next_, m, (parents, taken, n_nodes), -1


@compiled
def steps_of(nodes: Any, node: Any, length: Any, steps: Any, n: Any) -> Any:
    """Write the steps of a path that ends in a node; returns the array, which may have grown."""
    parents, taken, _ = nodes
    steps = grown(steps, n + length)
    for r in range(length - 1, -1, -1):
        steps[n + r] = taken[node]
        node = parents[node]
    return steps
