"""Rings: the border of what the boxes of a component fill, traced without testing boxes against each other.

+--<--+                     every edge has the inside to its left: bottoms go right, tops left, and where a column
|     +--<--+               meets the next, what only one of them fills goes up or down;
v   inside  ^               edges that end where others begin make rings, around the component and around its holes
+-->--+     |
      +-->--+
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled

# What an edge is: number of its component, from where to where. x is in half ticks.
_MOST_EDGES = 6


@compiled
def _draw(edges: Any, heights: Any, n: int, c: int, x: Any, y: Any) -> int:
    edges[n, 0], edges[n, 1], edges[n, 2] = c, x[0], x[1]
    heights[n, 0], heights[n, 1] = y[0], y[1]
    return n + 1


@compiled
def _wall(edges: Any, heights: Any, n: int, c: int, x: int, left: Any, right: Any) -> int:
    """Edges between what is filled on the left of x and on the right of it; both rise."""
    i, j, y = 0, 0, -np.inf
    ends, others = left.ravel(), right.ravel()
    while i < ends.size or j < others.size:
        inside = i % 2 - j % 2
        up = min(ends[i] if i < ends.size else np.inf, others[j] if j < others.size else np.inf)
        if inside > 0 and up > y:
            n = _draw(edges, heights, n, c, (x, x), (y, up))
        elif inside < 0 and up > y:
            n = _draw(edges, heights, n, c, (x, x), (up, y))
        y = up
        while i < ends.size and ends[i] == up:
            i += 1
        while j < others.size and others[j] == up:
            j += 1
    return n


@compiled
def _drawn(bounds: Any, ticks: Any, spans: Any) -> Any:
    """All edges of the components whose boxes, column by column, are given."""
    edges = np.empty((_MOST_EDGES * ticks.shape[0], 3), np.int64)
    heights, n = np.empty((edges.shape[0], 2)), 0
    for c in range(bounds.size - 1):
        past, i = bounds[c], bounds[c]
        while i < bounds[c + 1]:
            j = i
            while j < bounds[c + 1] and ticks[j, 0] == ticks[i, 0]:
                n = _draw(edges, heights, n, c, (ticks[j, 0], ticks[j, 1]), (spans[j, 0], spans[j, 0]))
                n = _draw(edges, heights, n, c, (ticks[j, 1], ticks[j, 0]), (spans[j, 1], spans[j, 1]))
                j += 1
            if past < i and ticks[past, 1] != ticks[i, 0]:
                n = _wall(edges, heights, n, c, ticks[past, 1], spans[past:i], spans[:0])
                past = i
            n = _wall(edges, heights, n, c, ticks[i, 0], spans[past:i], spans[i:j])
            past, i = i, j
        n = _wall(edges, heights, n, c, ticks[past, 1], spans[past:i], spans[:0])
    return edges[:n], heights[:n]


@compiled
def _paired(edges: Any, heights: Any, begin: Any, end: Any) -> Any:
    """The edge that follows each, and the number of the point it starts at. Where two rings touch, turn left."""
    follows, point, i, p = np.empty(begin.size, np.int64), np.empty(begin.size, np.int64), 0, 0
    while i < begin.size:
        a, b, j = end[i], begin[i], i + 1
        while j < begin.size and edges[begin[j], 1] == edges[b, 1] and heights[begin[j], 0] == heights[b, 0]:
            if edges[begin[j], 0] != edges[b, 0]:
                break
            j += 1
        if j == i + 2:
            into = (edges[a, 2] - edges[a, 1], heights[a, 1] - heights[a, 0])
            out = (edges[b, 2] - edges[b, 1], heights[b, 1] - heights[b, 0])
            left = into[0] * out[1] - into[1] * out[0] > 0
            follows[a], follows[end[i + 1]] = (b, begin[i + 1]) if left else (begin[i + 1], b)
            point[begin[i + 1]] = p
        else:
            follows[a] = b
        point[b] = p
        i, p = j, p + 1
    return follows, point


@compiled
def _corners(edges: Any, heights: Any, ring: Any, corner: Any, n: int) -> Any:
    """Write the edges of a ring at which it turns; returns how many there are by now, and whether it is a hole."""
    area, x0 = 0.0, edges[ring[0], 1]
    for i in range(ring.size):
        here, before = ring[i], ring[i - 1]
        area += float(edges[here, 2] - x0) * heights[here, 1] - float(edges[here, 1] - x0) * heights[here, 1]
        flat = edges[here, 1] != edges[here, 2]
        if flat != (edges[before, 1] != edges[before, 2]):
            corner[n] = here
            n += 1
    # The integral of y dx is negative where the inside lies to the left of a ring that goes around it.
    return n, area > 0


@compiled
def _chained(edges: Any, heights: Any, follows: Any, point: Any) -> Any:
    """Rings: bounds, edges at their corners, and which are holes. A ring that meets itself is two."""
    corner, stack = np.empty(follows.size, np.int64), np.empty(follows.size, np.int64)
    bounds, holes = np.zeros(follows.size + 1, np.int64), np.empty(follows.size, np.bool_)
    at, done = np.full(follows.size, -1), np.zeros(follows.size, np.bool_)
    n, rings = 0, 0
    for first in range(follows.size):
        depth, edge = 0, first
        while not done[edge]:
            done[edge] = True
            stack[depth], at[point[edge]] = edge, depth
            depth += 1
            edge = follows[edge]
            start = at[point[edge]]
            if start >= 0:
                n, holes[rings] = _corners(edges, heights, stack[start:depth], corner, n)
                rings += 1
                bounds[rings] = n
                for i in range(start, depth):
                    at[point[stack[i]]] = -1
                depth = start
    return bounds[: rings + 1], corner[:n], holes[:rings]


def rings_of(bounds: np.ndarray, ticks: np.ndarray, spans: np.ndarray) -> tuple[np.ndarray, ...]:
    """The rings around components: number of the component, hole or not, ring of each corner, and the corners."""
    edges, heights = _drawn(bounds, ticks, spans)
    begin = np.lexsort((heights[:, 0], edges[:, 1], edges[:, 0]))
    end = np.lexsort((heights[:, 1], edges[:, 2], edges[:, 0]))
    ends, corner, holes = _chained(edges, heights, *_paired(edges, heights, begin, end))
    ring = np.repeat(np.arange(holes.size), np.diff(ends))
    return edges[corner[ends[:-1]], 0], holes, ring, edges[corner, 1], heights[corner, 0]
