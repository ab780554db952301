"""Method I: how long the condition has held at each place; stretches of long durations are regions.

  place                                    At column 8 places 5 to 8 have lasted 5 columns or longer:
    9  . . . . . T T T T     4             a region of 4 places and 5 columns is there. It ends when
    8  . . . . T T T T T     5             one of its places reports that the condition no longer holds;
    5  . . . . T T T T T     5             then the durations say since when the others have held.
    4  . . . . T T T T .     0
       0 1 2 3 4 5 6 7 8  durations

Fixed reporting times: every known place reports at every column, real or resolved, and holds no longer than it is
known. Of a column only the places that fail are of interest: one pass with a stack over the durations finds every
widest stretch for each of them, so a column costs at most O(places), and all columns O(reports + regions). The state is
one record a place.

References
----------
Whiteneck et al., Framing the Question: detecting and filling spatial-temporal windows, IWGS 2010, section 3.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.batch.tree import Tree, array_at, number_at
from streamframes.core.jit.compiled import compiled
from streamframes.core.regions.rectangles.types import (
    END_TS,
    FIELDS,
    HIGH,
    IMPUTED_ROWS,
    LOW,
    PLACES,
    ROWS,
    START_TS,
    WHY,
    regions_of,
)
from streamframes.core.regions.rectangles.walls import NOT_YET, build_walls
from streamframes.core.regions.tables import roomy
from streamframes.core.regions.types import (
    BREAK,
    CONDITION,
    FALSE,
    GAP,
    MEANING,
    NEW,
    Columns,
    Limits,
    OpenRegions,
    Regions,
    Search,
)

# Of a place: the last column at which it failed, the instant since which it has held, and its first column.
FAILED, SINCE, FIRST = range(3)
RECORD_FIELDS = 3
NEVER = -1


@compiled
def _describe(
    low: int, high: int, level: int, last: int, at: Any, records: Any, position: Any, limits: Any, row: Any
) -> bool:
    """Whether the widest stretch that has held since column `level` is a region; describes it in `row`.

    `last` is the place that failed at `level`, and so has held for just as long as the stretch.
    """
    now, now_ts, all_known = at
    duration, extent, times, places = limits
    while low <= high and records[low, FIRST] > now:
        low += 1
    while high >= low and records[high, FIRST] > now:
        high -= 1
    if low > high or now - level < times or position[high] - position[low] < extent:
        return False
    n_places = high + 1 - low
    for s in range(low, low if all_known else high + 1):
        n_places -= records[s, FIRST] > now
    since = records[last if level > NEVER else low, SINCE]
    if now_ts - since < duration or n_places < places:
        return False
    row[START_TS], row[END_TS], row[LOW], row[HIGH] = since, now_ts, low, high
    row[ROWS], row[PLACES], row[IMPUTED_ROWS] = n_places * (now - level), n_places, 0
    return True


@compiled
def _stretches(
    records: Any, walls: Any, position: Any, failing: Any, at: Any, limits: Any, regions: Any, n_regions: int
) -> Any:  # fmt: skip
    """The widest stretches of places for each duration that end at this column, or are open if nothing fails.

    `failing[s + 1] - failing[s]` says whether place s fails at the column after: 1 by the condition, 2^32 by a gap.
    """
    n, depth = records.shape[0], 0
    stack = np.empty((n + 1, 3), np.int64)
    for s in range(n + 1):
        wall = s == n or walls[s]
        level: Any = np.int64(NOT_YET) if wall else records[s, FAILED]
        left = s
        while depth and stack[depth - 1, 0] < level:
            depth -= 1
            left = stack[depth, 1]
            if failing[n] and failing[s] == failing[left]:
                continue
            regions = roomy(regions, n_regions)
            row = regions[n_regions]
            if _describe(left, s - 1, stack[depth, 0], stack[depth, 2], at, records, position, limits, row):
                fails = failing[row[HIGH] + 1] - failing[row[LOW]]
                row[WHY] = CONDITION if fails & 0xFFFFFFFF else GAP
                n_regions += 1 if fails or not failing[n] else 0
        if wall:
            depth, left = 0, s
            level = records[s, FAILED] if s < n else level
        if not depth or stack[depth - 1, 0] != level:
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = level, left, s
            depth += 1
    return regions, n_regions


@compiled
def _sweep(
    columns: Any, now: int, now_ts: int, records: Any, walled: Any, position: Any, limits: Any, regions: Any
) -> Any:
    """Walk the columns; returns the regions that ended."""
    times, bounds, place_id, code = columns
    walls, step = walled
    failing = np.zeros(records.shape[0] + 1, np.int64)
    n_regions, all_known = 0, (records[:, FIRST] != NOT_YET).all()
    for k in range(times.size):
        ends, fresh, at = False, False, 0
        failing[0] = 0
        for i in range(bounds[k], bounds[k + 1]):
            s = place_id[i]
            while at < s:
                failing[at + 1] = failing[at]
                at += 1
            holds = code[i] & MEANING != FALSE
            fresh |= records[s, FIRST] == NOT_YET
            failing[s + 1] = failing[s]
            if records[s, FAILED] < now and (not holds or code[i] & (BREAK | NEW)):
                failing[s + 1] += 1 if not holds or code[i] & NEW else 1 << 32
                ends = True
            at = s + 1
        while at < records.shape[0]:
            failing[at + 1] = failing[at]
            at += 1
        if ends:
            when = (now, now_ts, all_known)
            regions, n_regions = _stretches(records, walls, position, failing, when, limits, regions, n_regions)
        now, now_ts = now + 1, times[k]
        for i in range(bounds[k], bounds[k + 1]):
            _report(records[place_id[i]], code[i], now, now_ts)
        if fresh:
            build_walls(records[:, FIRST], position, step, walls)
            all_known = (records[:, FIRST] != NOT_YET).all()
    return regions, n_regions, now, now_ts


@compiled
def _report(record: Any, code: int, now: int, ts: int) -> None:
    record[FIRST] = min(record[FIRST], now)
    if code & MEANING == FALSE:
        record[FAILED] = now
        return
    if code & (BREAK | NEW):
        record[FAILED] = max(record[FAILED], now - 1)
    if record[FAILED] == now - 1:
        record[SINCE] = ts


class GridSearch(Search):
    """The search for rectangles by Method I; no report may be held or imputed."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.position = np.empty(0, np.float64)
        self.records = np.empty((0, RECORD_FIELDS), np.int64)
        self.now, self.now_ts = -1, 0

    def add_places(self, moved_to: np.ndarray, places: np.ndarray, listed: np.ndarray) -> None:
        """More places have come."""
        records = np.full((places.shape[0], RECORD_FIELDS), NEVER, np.int64)
        records[:, FIRST] = NOT_YET
        records[moved_to] = self.records
        self.records, self.position = records, np.ascontiguousarray(places[:, 0])

    def feed(self, columns: Columns) -> Regions:
        """The regions that these columns end."""
        given = (columns.times, columns.bounds, columns.place_id, columns.code)
        rows, n_rows, self.now, self.now_ts = _sweep(
            given, self.now, self.now_ts, self.records, self._walled, self.position, self._limits, _no_room()
        )
        return regions_of(rows[:n_rows], self.position)

    def finish(self, cause: int) -> Regions:
        """The regions that are open."""
        regions = self.certain()
        regions.cause[:] = cause
        self.records[:, FAILED] = self.now
        return regions

    def certain(self) -> Regions:
        """The open regions of which start and extent are certain."""
        return self._open(self._limits)

    def open_regions(self) -> OpenRegions:
        """The stretches that are open, of any size: a place that is not known yet may widen them."""
        regions = self._open((0, 0.0, 1, 1))
        return OpenRegions(regions.start, regions.low, regions.high)

    def _open(self, limits: tuple[int, float, int, int]) -> Regions:
        failing = np.zeros(self.position.size + 1, np.int64)
        at = (self.now, self.now_ts, bool((self.records[:, FIRST] != NOT_YET).all()))
        rows, n_rows = _stretches(self.records, self._walled[0], self.position, failing, at, limits, _no_room(), 0)
        return regions_of(rows[:n_rows], self.position)

    @property
    def _limits(self) -> tuple[int, float, int, int]:
        return self.limits.duration, self.limits.extent[0], self.limits.times, self.limits.places

    @property
    def _walled(self) -> tuple[np.ndarray, float]:
        walls = np.zeros(self.position.size, np.bool_)
        build_walls(self.records[:, FIRST], self.position, self.limits.widest_step, walls)
        return walls, self.limits.widest_step

    def snapshot(self) -> Tree:
        """Everything that must be known to go on later."""
        return {"records": self.records, "now": self.now, "now_ts": self.now_ts}

    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot."""
        self.records = array_at(tree, "records")
        self.now, self.now_ts = number_at(tree, "now"), number_at(tree, "now_ts")


def _no_room() -> np.ndarray:
    return np.empty((0, FIELDS), np.int64)
