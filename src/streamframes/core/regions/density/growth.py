"""Growth: the dense regions of one unit of time, from counts of points in the cells of a grid.

   . 1 2 .        From the densest cell (9) the densest free neighbour is added (8, then 7), empty ones too while
   . 3 9 8        the region is too small; then only as long as the mean does not fall: the 3 would lower it.
   . . 7 .

The cells of a unit lie in a table with a hash index of open addressing; a heap holds the neighbours of what has grown.
One dimension is two with a second coordinate that is always 0.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.regions.tables import roomy

# Of a cell: where it is, its points, whether a region has it, and the seed that saw it last.
A, B, COUNT, TAKEN, SEEN = range(5)
_CELL_FIELDS = 5
# Of a region: its unit, cells and points.
UNIT, CELLS, POINTS = range(3)
REGION_FIELDS = 3
_DIRECTIONS = ((1, 0), (-1, 0), (0, 1), (0, -1))


@compiled
def _hash(a: int, b: int, size: int) -> Any:
    mixed = np.uint64(a) * np.uint64(0x9E3779B97F4A7C15) ^ np.uint64(b) * np.uint64(0xC2B2AE3D27D4EB4F)
    mixed = (mixed ^ (mixed >> np.uint64(29))) * np.uint64(0xBF58476D1CE4E5B9)
    return np.int64((mixed >> np.uint64(32)) & np.uint64(size - 1))


@compiled
def _find(cells: Any, index: Any, n: int, a: int, b: int, add: bool) -> int:
    """The number of a cell; n if it is new (and then written, if it is to be added)."""
    at = _hash(a, b, index.size)
    while index[at]:
        k = index[at] - 1
        if cells[k, A] == a and cells[k, B] == b:
            return int(k)
        at = (at + 1) & (index.size - 1)
    if add:
        index[at] = n + 1
        cells[n, A], cells[n, B], cells[n, COUNT], cells[n, TAKEN], cells[n, SEEN] = a, b, 0, 0, -1
    return n


@compiled
def _room_for(cells: Any, n: int, room: int) -> Any:
    """A table with room for so many cells, and its index."""
    bigger = np.empty((room, _CELL_FIELDS), np.int64)
    bigger[:n] = cells[:n]
    size = 16
    while size < 2 * room:
        size *= 2
    index = np.zeros(size, np.int64)
    for k in range(n):
        at = _hash(bigger[k, A], bigger[k, B], size)
        while index[at]:
            at = (at + 1) & (size - 1)
        index[at] = k + 1
    return bigger, index


@compiled
def counted(a: Any, b: Any, weight: Any) -> Any:
    """The cells of points, each once, with how many points it holds; their index, and how many cells there are."""
    cells, index = _room_for(np.empty((0, _CELL_FIELDS), np.int64), 0, 16)
    n = 0
    for i in range(a.size):
        if n == cells.shape[0]:
            cells, index = _room_for(cells, n, 4 * n)
        k = _find(cells, index, n, a[i], b[i], True)
        n = max(n, k + 1)
        cells[k, COUNT] += weight[i]
    return cells, index, n


@compiled
def _denser(cells: Any, j: int, k: int) -> bool:
    """Whether cell j comes before cell k: it has more points, or as many and a smaller place."""
    if cells[j, COUNT] != cells[k, COUNT]:
        return bool(cells[j, COUNT] > cells[k, COUNT])
    if cells[j, A] != cells[k, A]:
        return bool(cells[j, A] < cells[k, A])
    return bool(cells[j, B] < cells[k, B])


@compiled
def _push(heap: Any, size: int, cells: Any, k: int) -> None:
    at = size
    while at and _denser(cells, k, heap[(at - 1) // 2]):
        heap[at] = heap[(at - 1) // 2]
        at = (at - 1) // 2
    heap[at] = k


@compiled
def _pop(heap: Any, size: int, cells: Any) -> int:
    """The densest cell; the heap then holds one less."""
    first, last = heap[0], heap[size - 1]
    at, size = 0, size - 1
    while 2 * at + 1 < size:
        child = 2 * at + 1
        if child + 1 < size and _denser(cells, heap[child + 1], heap[child]):
            child += 1
        if not _denser(cells, heap[child], last):
            break
        heap[at] = heap[child]
        at = child
    heap[at] = last
    return int(first)


@compiled
def _grow(seed: int, need: int, n_directions: int, cells: Any, index: Any, n: int, heap: Any, members: Any) -> Any:
    """Grow from a seed; the table and the heap, with room, the number of cells in them, and what has grown."""
    size, in_heap, points = 0, 0, 0
    k = seed
    while True:
        cells[k, SEEN] = seed
        members[size] = k
        size += 1
        points += cells[k, COUNT]
        if n + 4 > cells.shape[0]:
            cells, index = _room_for(cells, n, 2 * n + 4)
            heap, members = _longer(heap, cells.shape[0]), _longer(members, cells.shape[0])
        for direction in range(n_directions):
            a, b = cells[k, A] + _DIRECTIONS[direction][0], cells[k, B] + _DIRECTIONS[direction][1]
            beside = _find(cells, index, n, a, b, size < need)
            if beside == n and size >= need:
                continue
            n = max(n, beside + 1)
            if not cells[beside, TAKEN] and cells[beside, SEEN] != seed:
                cells[beside, SEEN] = seed
                _push(heap, in_heap, cells, beside)
                in_heap += 1
        if not in_heap or (size >= need and cells[heap[0], COUNT] * size < points):
            return cells, index, n, heap, members, size, points
        k = _pop(heap, in_heap, cells)
        in_heap -= 1


@compiled
def _is_beside_denser(members: Any, points: int, n_directions: int, cells: Any, index: Any, n: int) -> bool:
    """Whether a cell of another region, added, would not lower the mean: then this is but the edge of that one."""
    for k in members:
        for direction in range(n_directions):
            beside = _find(
                cells, index, n, cells[k, A] + _DIRECTIONS[direction][0], cells[k, B] + _DIRECTIONS[direction][1], False
            )
            if beside < n and cells[beside, TAKEN] and cells[beside, COUNT] * members.size >= points:
                return True
    return False


@compiled
def _longer(numbers: Any, size: int) -> Any:
    longer = np.empty(size, np.int64)
    longer[: numbers.size] = numbers
    return longer


@compiled
def _grow_unit(unit: int, table: Any, grid: Any, regions: Any, n_regions: int, taken: Any, n_taken: int) -> Any:
    """The regions of one unit, added to those there are, and the cells that they take."""
    cells, index, n = table
    need, area, above, n_directions = grid
    seeds, heap, members = np.empty(n, np.int64), np.empty(cells.shape[0], np.int64), np.empty(cells.shape[0], np.int64)
    n_seeds = 0
    for k in range(n):
        if cells[k, COUNT] / area >= above:
            _push(seeds, n_seeds, cells, k)
            n_seeds += 1
    while n_seeds:
        seed = _pop(seeds, n_seeds, cells)
        n_seeds -= 1
        if cells[seed, TAKEN]:
            continue
        cells, index, n, heap, members, size, points = _grow(seed, need, n_directions, cells, index, n, heap, members)
        if size < need or points / (size * area) < above:
            continue
        if _is_beside_denser(members[:size], points, n_directions, cells, index, n):
            continue
        regions = roomy(regions, n_regions)
        regions[n_regions, UNIT], regions[n_regions, CELLS], regions[n_regions, POINTS] = unit, size, points
        n_regions += 1
        for m in range(size):
            taken = roomy(taken, n_taken)
            cells[members[m], TAKEN] = 1
            taken[n_taken, 0], taken[n_taken, 1] = cells[members[m], A], cells[members[m], B]
            n_taken += 1
    return regions, n_regions, taken, n_taken


@compiled
def grow(units: Any, a: Any, b: Any, weight: Any, need: int, area: float, above: float, n_directions: int) -> Any:
    """The regions of all units, and the cells of each, one after the other."""
    regions, n_regions = np.empty((0, REGION_FIELDS), np.int64), 0
    taken, n_taken = np.empty((0, 2), np.int64), 0
    grid = (need, area, above, n_directions)
    i = 0
    while i < units.size:
        stop = i + 1
        while stop < units.size and units[stop] == units[i]:
            stop += 1
        table = counted(a[i:stop], b[i:stop], weight[i:stop])
        regions, n_regions, taken, n_taken = _grow_unit(units[i], table, grid, regions, n_regions, taken, n_taken)
        i = stop
    return regions[:n_regions], taken[:n_taken]
