"""Method I: how long the condition has held at each place; stretches of long durations are regions.

  place                                    At column 8 places 5 to 8 have lasted 5 columns or longer:
    9  . . . . . T T T T     4             a region of 4 places and 5 columns is there. It ends when
    8  . . . . T T T T T     5             one of its places reports that the condition no longer holds;
    5  . . . . T T T T T     5             then the durations say how far back the others reach.
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

from streamframes.core.jit.compiled import compiled
from streamframes.core.regions.rectangles.rectangles import (
    END_TS,
    FIELDS,
    HIGH,
    IMPUTED_ROWS,
    LOW,
    PLACES,
    ROWS,
    START_TS,
    WHY,
    as_found,
    roomy,
)
from streamframes.core.regions.types import (
    BREAK,
    CONDITION,
    FALSE,
    GAP,
    MEANING,
    NEW,
    Columns,
    Found,
    Limits,
    Live,
)

# Of a slot: the last column at which it failed, the instant since which it has held, and its first column.
FAILED, SINCE, FIRST = range(3)
SLOT_FIELDS = 3
NEVER = -1
NOT_YET = 2**62


@compiled
def _tell(low: int, high: int, level: int, last: int, at: Any, slots: Any, place: Any, limits: Any, told: Any) -> bool:
    """Whether the widest stretch that has held since column `level` is a region; describes it in `told`.

    `last` is the slot that failed at `level`, and so has held for just as long as the stretch.
    """
    now, now_ts, all_known = at
    duration, extent, times, places = limits
    while low <= high and slots[low, FIRST] > now:
        low += 1
    while high >= low and slots[high, FIRST] > now:
        high -= 1
    if low > high or now - level < times or place[high] - place[low] < extent:
        return False
    n_places = high + 1 - low
    for s in range(low, low if all_known else high + 1):
        n_places -= slots[s, FIRST] > now
    since = slots[last if level > NEVER else low, SINCE]
    if now_ts - since < duration or n_places < places:
        return False
    told[START_TS], told[END_TS], told[LOW], told[HIGH] = since, now_ts, low, high
    told[ROWS], told[PLACES], told[IMPUTED_ROWS] = n_places * (now - level), n_places, 0
    return True


@compiled
def _stretches(
    slots: Any, walls: Any, place: Any, failing: Any, at: Any, limits: Any, found: Any, n_found: int
) -> Any:  # fmt: skip
    """The widest stretches of places for each duration that end at this column, or are open if nothing fails.

    `failing[s + 1] - failing[s]` says whether slot s fails at the column after: 1 by the condition, 2^32 by a gap.
    """
    n, depth = slots.shape[0], 0
    stack = np.empty((n + 1, 3), np.int64)
    for s in range(n + 1):
        wall = s == n or walls[s]
        level: Any = np.int64(NOT_YET) if wall else slots[s, FAILED]
        left = s
        while depth and stack[depth - 1, 0] < level:
            depth -= 1
            left = stack[depth, 1]
            if failing[n] and failing[s] == failing[left]:
                continue
            found = roomy(found, n_found)
            told = found[n_found]
            if _tell(left, s - 1, stack[depth, 0], stack[depth, 2], at, slots, place, limits, told):
                fails = failing[told[HIGH] + 1] - failing[told[LOW]]
                told[WHY] = CONDITION if fails & 0xFFFFFFFF else GAP
                n_found += 1 if fails or not failing[n] else 0
        if wall:
            depth, left = 0, s
            level = slots[s, FAILED] if s < n else level
        if not depth or stack[depth - 1, 0] != level:
            stack[depth, 0], stack[depth, 1], stack[depth, 2] = level, left, s
            depth += 1
    return found, n_found


@compiled
def _sweep(columns: Any, now: int, now_ts: int, slots: Any, walled: Any, place: Any, limits: Any, found: Any) -> Any:
    """Walk the columns; returns the regions that ended."""
    times, bounds, slot, code = columns
    walls, step = walled
    failing = np.zeros(slots.shape[0] + 1, np.int64)
    n_found, all_known = 0, (slots[:, FIRST] != NOT_YET).all()
    for k in range(times.size):
        ends, fresh, at = False, False, 0
        failing[0] = 0
        for i in range(bounds[k], bounds[k + 1]):
            s = slot[i]
            while at < s:
                failing[at + 1] = failing[at]
                at += 1
            holds = code[i] & MEANING != FALSE
            fresh |= slots[s, FIRST] == NOT_YET
            failing[s + 1] = failing[s]
            if slots[s, FAILED] < now and (not holds or code[i] & (BREAK | NEW)):
                failing[s + 1] += 1 if not holds or code[i] & NEW else 1 << 32
                ends = True
            at = s + 1
        while at < slots.shape[0]:
            failing[at + 1] = failing[at]
            at += 1
        if ends:
            when = (now, now_ts, all_known)
            found, n_found = _stretches(slots, walls, place, failing, when, limits, found, n_found)
        now, now_ts = now + 1, times[k]
        for i in range(bounds[k], bounds[k + 1]):
            _report(slots[slot[i]], code[i], now, now_ts)
        if fresh:
            build_walls(slots[:, FIRST], place, step, walls)
            all_known = (slots[:, FIRST] != NOT_YET).all()
    return found, n_found, now, now_ts


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


@compiled
def build_walls(first: Any, place: Any, step: float, walls: Any) -> None:
    """Which known slots have a wall before them: the known place before is further away than a step."""
    before = -1
    for s in range(place.size):
        walls[s] = False
        if first[s] != NOT_YET:
            walls[s] = before >= 0 and place[s] - place[before] > step
            before = s


class Durations:
    """The search for rectangles by Method I; no report may be held or imputed."""

    def __init__(self, limits: Limits) -> None:
        self.limits = limits
        self.place = np.empty(0, np.float64)
        self.slots = np.empty((0, SLOT_FIELDS), np.int64)
        self.now, self.now_ts = -1, 0

    def widen(self, place: np.ndarray, places: np.ndarray, listed: np.ndarray) -> None:
        """More places have come."""
        slots = np.full((places.shape[0], SLOT_FIELDS), NEVER, np.int64)
        slots[:, FIRST] = NOT_YET
        slots[place] = self.slots
        self.slots, self.place = slots, np.ascontiguousarray(places[:, 0])

    def feed(self, columns: Columns) -> Found:
        """The regions that these columns end."""
        given = (columns.times, columns.bounds, columns.slot, columns.code)
        found, n_found, self.now, self.now_ts = _sweep(
            given, self.now, self.now_ts, self.slots, self._walled, self.place, self._limits, _no_room()
        )
        return as_found(found[:n_found], self.place)

    def finish(self, cause: int) -> Found:
        """The regions that are open."""
        found = self.certain()
        found.cause[:] = cause
        self.slots[:, FAILED] = self.now
        return found

    def certain(self) -> Found:
        """The open regions of which start and extent are certain."""
        return self._open(self._limits)

    def live(self) -> Live:
        """The stretches that are open, of any size: a place that is not known yet may widen them."""
        found = self._open((0, 0.0, 1, 1))
        return Live(found.start, found.low, found.high)

    def _open(self, limits: tuple[int, float, int, int]) -> Found:
        failing = np.zeros(self.place.size + 1, np.int64)
        at = (self.now, self.now_ts, bool((self.slots[:, FIRST] != NOT_YET).all()))
        found, n_found = _stretches(self.slots, self._walled[0], self.place, failing, at, limits, _no_room(), 0)
        return as_found(found[:n_found], self.place)

    @property
    def _limits(self) -> tuple[int, float, int, int]:
        return self.limits.duration, self.limits.extent[0], self.limits.times, self.limits.places

    @property
    def _walled(self) -> tuple[np.ndarray, float]:
        walls = np.zeros(self.place.size, np.bool_)
        build_walls(self.slots[:, FIRST], self.place, self.limits.step, walls)
        return walls, self.limits.step

    def snapshot(self) -> dict[str, Any]:
        """Everything that must be known to go on later."""
        return {"slots": self.slots, "now": self.now, "now_ts": self.now_ts}

    def restore(self, saved: dict[str, Any]) -> None:
        """Go on from what was saved."""
        self.slots, self.now, self.now_ts = saved["slots"], saved["now"], saved["now_ts"]


def _no_room() -> np.ndarray:
    return np.empty((0, FIELDS), np.int64)
