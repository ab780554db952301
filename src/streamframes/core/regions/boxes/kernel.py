"""The walk of boxes: since when each point of a lattice has held, column after column.

  y |  2  2  -      Numbers say at which column a point last failed, `-` that it fails now. For each range of rows
    |  0  2  7      the latest failure is taken along the lines; a stack then finds the widest stretch for each
    |  0  0  7      start, and those that no neighbour row can join without failing are the maximal boxes.
    +----------> x

A box ends when one of its points fails or begins anew: only then, and only where it lies, is anything looked for. With
X rows and Y lines a column costs O(X Y) where nothing ends and O(X^2 Y) at most, apart from the boxes it ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.regions.boxes.imputations import count_since, note
from streamframes.core.regions.tables import roomy
from streamframes.core.regions.types import BREAK, CONDITION, FALSE, GAP, HELD, IMPUTED, MEANING

# Of a point: the last column at which it failed, the instant after that one, its first column and the instant of it.
FAILED, SINCE_TS, FIRST, FIRST_TS = range(4)
NOT_YET = 2**62
# Of a box: instants, first and last row, first and last line, what was counted, and why it ended.
START_TS, END_TS, ROW, LAST_ROW, LINE, LAST_LINE, ROWS, PLACES, IMPUTED_ROWS, WHY = range(10)
FIELDS = 10
_BY_GAP = 1 << 32


@compiled
def sweep(
    columns: Any, point_of: Any, now: int, now_ts: int, lattice: Any, edges: Any, limits: Any, entries: Any
) -> Any:  # fmt: skip
    """Walk the columns; the boxes that ended, how many, and where the walk stands."""
    times, bounds, place_id, code = columns
    points, rows, lines = lattice
    codes = np.empty(points.shape[0], np.uint8)
    ended = np.zeros((rows.size + 1, lines.size + 1), np.int64)
    boxes, n_boxes = np.empty((0, FIELDS), np.int64), 0
    for k in range(times.size):
        codes[:] = FALSE
        for i in range(bounds[k], bounds[k + 1]):
            p = point_of[place_id[i]]
            if code[i] & MEANING != HELD:
                codes[p] = code[i]
            points[p, FIRST] = min(points[p, FIRST], now + 1)
            rows[p // lines.size] = min(rows[p // lines.size], now + 1)
            lines[p % lines.size] = min(lines[p % lines.size], now + 1)
        if _count_ended(now, codes, lattice, ended):
            boxes, n_boxes = boxes_at(now, now_ts, lattice, ended, edges, limits, entries, boxes, n_boxes)
        now, now_ts = now + 1, times[k]
        entries = _update_points(now, now_ts, codes, lattice, entries)
    return boxes, n_boxes, now, now_ts, entries


@compiled
def _count_ended(now: int, codes: Any, lattice: Any, ended: Any) -> bool:
    """Sum up from the origin the points that held up to now and no longer do: 1 by the condition, 2^32 by a gap."""
    points, rows, lines = lattice
    for i in range(rows.size):
        along = 0
        for j in range(lines.size):
            p = i * lines.size + j
            if points[p, FAILED] < now and rows[i] <= now + 1 and lines[j] <= now + 1:
                if codes[p] & MEANING == FALSE:
                    along += 1
                elif codes[p] & BREAK and points[p, FIRST] <= now:
                    along += _BY_GAP
            ended[i + 1, j + 1] = ended[i, j + 1] + along
    return bool(ended[-1, -1] > 0)


@compiled
def _update_points(now: int, ts: int, codes: Any, lattice: Any, entries: Any) -> Any:
    """Take the reports of this column; a point that is no place fails. Returns the entries, with room."""
    points, rows, lines = lattice
    starts = np.empty(0, np.int64)
    for p in range(points.shape[0]):
        if rows[p // lines.size] > now or lines[p % lines.size] > now:
            continue
        record = points[p]
        if record[FIRST] == now:
            record[FIRST_TS] = ts
        if codes[p] & MEANING == FALSE:
            record[FAILED] = now
            entries[2][p] = 0
            continue
        if codes[p] & BREAK and record[FIRST] < now and record[FAILED] < now - 1:
            record[FAILED] = now - 1
            entries[2][p] = 0
        if record[FAILED] == now - 1:
            record[SINCE_TS] = ts
        if codes[p] & MEANING == IMPUTED:
            if entries[2][p] == entries[0].shape[1] and not starts.size:
                starts = np.unique(np.concatenate((points[:, FAILED] + 1, points[:, FIRST], np.full(1, now))))
            entries = note(entries, p, now, starts)
    return entries


@compiled
def _lines_at(since: Any, at: Any, step: float, now: int) -> Any:
    """The rows (or lines) known at this column, and which have a wall before them: the one before is too far."""
    lines = np.nonzero(since <= now)[0]
    walls = np.zeros(lines.size + 1, np.bool_)
    for k in range(1, lines.size):
        walls[k] = at[lines[k]] - at[lines[k - 1]] > step
    walls[0] = walls[-1] = True
    return lines, walls


@compiled
def boxes_at(
    now: int, now_ts: int, lattice: Any, ended: Any, edges: Any, limits: Any, entries: Any, boxes: Any, n_boxes: int
) -> Any:  # fmt: skip
    """The maximal boxes that last up to column `now` and end after it; all of them if nothing ends."""
    points, rows, lines = lattice
    row, row_walls = _lines_at(rows, edges[0], edges[2], now)
    line, line_walls = _lines_at(lines, edges[1], edges[2], now)
    failed, first = np.empty((row.size, line.size), np.int64), np.empty((row.size, line.size), np.int64)
    for i in range(row.size):
        for j in range(line.size):
            record = points[row[i] * lines.size + line[j]]
            failed[i, j], first[i, j] = record[FAILED], record[FIRST]
    grid = (row, line, row_walls, line_walls, failed, first)
    level = np.empty(line.size, np.int64)
    room = (np.empty(line.size + 1, np.int64), np.empty(line.size + 1, np.int64))
    for i in range(row.size):
        level[:] = -1
        for j in range(i, row.size):
            if j > i and row_walls[j]:
                break
            alive = False
            for y in range(line.size):
                level[y] = max(level[y], failed[j, y])
                alive |= level[y] < now
            if not alive:
                break
            wide = edges[0][row[j]] - edges[0][row[i]] >= limits[1]
            if wide and (not ended[-1, -1] or ended[row[j] + 1, -1] - ended[row[i], -1]):
                boxes, n_boxes = _stretches(
                    i, j, level, room, grid, now, now_ts, points, ended, edges, limits, entries, boxes, n_boxes
                )  # fmt: skip
    return boxes, n_boxes


@compiled
def _stretches(
    i: int, j: int, level: Any, room: Any, grid: Any, now: int, now_ts: int, points: Any, ended: Any, edges: Any,
    limits: Any, entries: Any, boxes: Any, n_boxes: int,
) -> Any:  # fmt: skip
    """The boxes of rows i to j: for each start the widest stretch of lines, if no row beside them can join."""
    row, line, row_walls, walls, failed, first = grid
    levels, lefts = room
    depth = 0
    for y in range(line.size + 1):
        here = NOT_YET if walls[y] else level[y]
        left = y
        while depth and levels[depth - 1] < here:
            depth -= 1
            left = lefts[depth]
            ending = _within(ended, row[i], row[j], line[left], line[y - 1])
            if now - levels[depth] < limits[3] or (ended[-1, -1] and not ending):
                continue
            start = _start(levels[depth], i, j, left, y - 1, first)
            extends = (not walls[left] and level[left - 1] < start) or (not walls[y] and level[y] < start)
            if extends or _joins(i - 1, row_walls[i], left, y, start, failed):
                continue
            if _joins(j + 1, row_walls[j + 1], left, y, start, failed):
                continue
            boxes = roomy(boxes, n_boxes)
            box = boxes[n_boxes]
            box[ROW], box[LAST_ROW], box[LINE], box[LAST_LINE] = row[i], row[j], line[left], line[y - 1]
            box[WHY] = CONDITION if ending % _BY_GAP else GAP
            n_boxes += _describe(box, start, (row, line), now, now_ts, points, edges, limits, entries, i, j, left, y)
        if y < line.size:
            left, here = (y, level[y]) if walls[y] else (left, here)
            if not depth or levels[depth - 1] != here:
                levels[depth], lefts[depth] = here, left
                depth += 1
    return boxes, n_boxes


@compiled
def _within(ended: Any, row: int, last_row: int, line: int, last_line: int) -> int:
    """How many points of a box end after this column: by the condition, and 2^32 for each by a gap."""
    below, above = ended[row], ended[last_row + 1]
    return int(above[last_line + 1] - above[line] - below[last_line + 1] + below[line])


@compiled
def _start(level: int, i: int, j: int, left: int, right: int, first: Any) -> int:
    """The column at which a box starts: none of its points has failed since, and one of them is known."""
    earliest = NOT_YET
    for x in range(i, j + 1):
        for y in range(left, right + 1):
            earliest = min(earliest, first[x, y])
            if earliest <= level + 1:
                return level + 1
    return earliest


@compiled
def _joins(x: int, wall: bool, left: int, stop: int, start: int, failed: Any) -> bool:
    """Whether a row can join a box."""
    if wall:
        return False
    y = left
    while y < stop and failed[x, y] < start:
        y += 1
    return y == stop


@compiled
def _describe(
    box: Any, start: int, lattice: Any, now: int, now_ts: int, points: Any, edges: Any, limits: Any, entries: Any,
    i: int, j: int, left: int, stop: int,
) -> bool:  # fmt: skip
    """Count what is in a box; whether it is large enough."""
    row, line = lattice
    duration, _, extent, times, places = limits
    box[PLACES] = (j - i + 1) * (stop - left)
    if edges[1][line[stop - 1]] - edges[1][line[left]] < extent or box[PLACES] < places or now + 1 - start < times:
        return False
    box[END_TS] = now_ts
    box[ROWS] = box[IMPUTED_ROWS] = 0
    for x in range(i, j + 1):
        for y in range(left, stop):
            p = row[x] * edges[1].size + line[y]
            record = points[p]
            if record[FIRST] == start:
                box[START_TS] = record[FIRST_TS]
            elif record[FIRST] < start and record[FAILED] + 1 == start:
                box[START_TS] = record[SINCE_TS]
            box[ROWS] += now + 1 - max(start, record[FIRST])
            box[IMPUTED_ROWS] += count_since(entries, p, start)
    return bool(now_ts - box[START_TS] >= duration)
