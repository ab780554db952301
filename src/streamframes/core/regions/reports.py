"""The field: a group's places, and what each of its reports means.

  rows ──> one a place and instant ──> columns ──> missing and bad ones: ended, held or imputed ──> resolved reports

A place is known from its first report on, or at once where it was listed; so nothing depends on what comes later.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.regions.types import BREAK, FALSE, HELD, IMPUTED, NEW, Columns

BAD = 2
ENDS, HOLDS, IMPUTES = range(3)
NO_LIMIT = 2**64 - 1
# What is known of a slot: whether it was listed or has reported, when it last did, whether that satisfied the
# condition, and how many reports in a row have been missing since.
KNOWN, REPORTED, LAST, SATISFIED, MISSED = range(5)
FIELDS = 5


@dataclass(frozen=True)
class Reading:
    """How reports are read: `stations` all report at every column, and what stands for a report that is missing."""

    stations: bool = False
    missing: int = ENDS
    max_missing: int = -1
    open_on_any: bool = False
    max_gap: int = NO_LIMIT


@compiled
def _before(a: Any, b: Any) -> bool:
    """Whether one place stands before another."""
    for d in range(a.size):
        if a[d] != b[d]:
            return bool(a[d] < b[d])
    return False


@compiled
def _same(a: Any, b: Any) -> bool:
    """Whether two places are one; a loop, since comparing whole arrays would allocate one for every row."""
    same = True
    for d in range(a.size):
        same &= a[d] == b[d]
    return bool(same)


@compiled
def _is_ordered(ts: Any, place: Any) -> bool:
    """Whether rows are sorted by instant and place, with no two alike."""
    ordered = True
    for i in range(1, ts.size):
        ordered &= ts[i] != ts[i - 1] or _before(place[i - 1], place[i])
    return ordered


@compiled
def _find_slots(ts: Any, place: Any, places: Any, out: Any) -> int:
    """The slot of each row, or -1; returns how many have none. Rows are sorted by instant and place."""
    unknown, guess = 0, 0
    for i in range(place.shape[0]):
        guess = 0 if i and ts[i] != ts[i - 1] else guess
        if guess >= places.shape[0] or not _same(place[i], places[guess]):
            low, high = 0, places.shape[0]
            while low < high:
                middle = (low + high) // 2
                if _before(places[middle], place[i]):
                    low = middle + 1
                else:
                    high = middle
            guess = low
        if guess < places.shape[0] and _same(place[i], places[guess]):
            out[i] = guess
            guess += 1
        else:
            out[i] = -1
            unknown += 1
    return unknown


@compiled
def _meaning(record: Any, ts: int, state: int, reading: Any) -> int:
    """What a report says of its place, real or not; the place's record moves on."""
    missing, max_missing, open_on_any, max_gap = reading
    code = state
    apart = record[REPORTED] != 0 and np.uint64(ts - record[LAST]) > max_gap
    if state == BAD:
        record[MISSED] += 1
        if max_missing >= 0 and record[MISSED] > max_missing:
            code = FALSE
        elif missing == HOLDS:
            return HELD
        else:
            code = IMPUTED if missing == IMPUTES and (open_on_any or (record[SATISFIED] and not apart)) else FALSE
    else:
        record[MISSED] = 0
    record[REPORTED], record[LAST], record[SATISFIED] = 1, ts, code != FALSE
    return code | BREAK if apart else code


@compiled
def _resolve(ts: Any, slot: Any, state: Any, stations: bool, reading: Any, known: Any, columns: Any) -> Any:
    """The reports of each column; returns how many columns and reports there are."""
    times, bounds, slots, codes = columns
    n_columns, n_reports, i = 0, 0, 0
    while i < ts.size:
        at = ts[i]
        times[n_columns], bounds[n_columns] = at, n_reports
        n_columns += 1
        s = 0
        while i < ts.size and ts[i] == at:
            if stations:
                n_reports = _absent(s, slot[i], at, reading, known, slots, codes, n_reports)
            is_new = stations and not known[slot[i], KNOWN] and reading[0] != HOLDS
            known[slot[i], KNOWN] = 1
            slots[n_reports], codes[n_reports] = slot[i], _meaning(known[slot[i]], at, state[i], reading)
            codes[n_reports] |= NEW if is_new else 0
            n_reports += 1
            s = slot[i] + 1
            i += 1
        if stations:
            n_reports = _absent(s, known.shape[0], at, reading, known, slots, codes, n_reports)
    bounds[n_columns] = n_reports
    return n_columns, n_reports


@compiled
def _absent(
    first: int, stop: int, ts: int, reading: Any, known: Any, slots: Any, codes: Any, n_reports: int
) -> int:  # fmt: skip
    """The known places from `first` on have sent nothing."""
    for s in range(first, stop):
        if known[s, KNOWN]:
            slots[n_reports], codes[n_reports] = s, _meaning(known[s], ts, BAD, reading)
            n_reports += 1
    return n_reports


class Field:
    """The places of one group."""

    def __init__(self, reading: Reading, listed: np.ndarray) -> None:
        self.reading = reading
        self.places = listed
        self.listed = np.ones(listed.shape[0], np.bool_)
        self.known = np.zeros((listed.shape[0], FIELDS), np.int64)
        self.known[:, KNOWN] = 1
        self.duplicates = 0

    def feed(self, ts: np.ndarray, place: np.ndarray, state: np.ndarray) -> tuple[np.ndarray | None, Columns]:
        """Resolve rows that come in order; also where the slots have moved to, if there are new ones."""
        if not _is_ordered(ts, place):
            keep = _last_of_each(ts, place)
            self.duplicates += ts.size - keep.size
            ts, place, state = ts[keep], place[keep], state[keep]
        slot = np.empty(ts.size, np.int64)
        moved = None
        if _find_slots(ts, place, self.places, slot):
            moved = self._add(np.unique(place[slot < 0], axis=0))
            _find_slots(ts, place, self.places, slot)
        return moved, self._resolved(ts, slot, state)

    def _resolved(self, ts: np.ndarray, slot: np.ndarray, state: np.ndarray) -> Columns:
        reading = self.reading
        n_columns = int((ts[1:] != ts[:-1]).sum()) + (ts.size > 0)
        room = n_columns * self.places.shape[0] if reading.stations else ts.size
        columns = (
            np.empty(n_columns, np.int64),
            np.empty(n_columns + 1, np.int64),
            np.empty(room, np.int64),
            np.empty(room, np.uint8),
        )
        plan = (reading.missing, reading.max_missing, reading.open_on_any, np.uint64(reading.max_gap))
        _, n_reports = _resolve(ts, slot, state, reading.stations, plan, self.known, columns)
        times, bounds, slots, codes = columns
        return Columns(times, bounds, slots[:n_reports], codes[:n_reports])

    def _add(self, fresh: np.ndarray) -> np.ndarray:
        """Take new places; where the slots that there were have moved to."""
        both = np.concatenate([self.places, fresh])
        order = np.lexsort(both.T[::-1])
        n_old = self.places.shape[0]
        place = np.empty(order.size, np.int64)
        place[order] = np.arange(order.size)
        self.places = both[order]
        self.listed = np.append(self.listed, np.zeros(len(fresh), np.bool_))[order]
        known = np.zeros((order.size, FIELDS), np.int64)
        known[place[:n_old]] = self.known
        self.known = known
        return place[:n_old]

    def retain(self, slots: np.ndarray) -> None:
        """Forget all places but these."""
        self.places, self.listed, self.known = self.places[slots], self.listed[slots], self.known[slots]

    def snapshot(self) -> dict[str, Any]:
        """Everything that must be known to go on later."""
        return {"places": self.places, "listed": self.listed, "known": self.known}

    def restore(self, saved: dict[str, Any]) -> None:
        """Go on from what was saved."""
        self.places, self.listed, self.known = saved["places"], saved["listed"], saved["known"]


def _last_of_each(ts: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The rows that count, sorted by instant and place: of several alike the last."""
    order = np.lexsort((*place.T[::-1], ts))
    alike = (ts[order[1:]] == ts[order[:-1]]) & (place[order[1:]] == place[order[:-1]]).all(axis=1)
    return np.asarray(order[~np.append(alike, False)])
