"""Reports: the places of a group, and what each of its reports means.

  rows ──> one a place and instant ──> columns ──> missing and bad ones: ended, held or imputed ──> resolved reports

A place is known from its first report on, or at once where it was listed; so nothing depends on what comes later.
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from streamframes.core.batch.tree import Tree, array_at
from streamframes.core.jit.compiled import compiled
from streamframes.core.regions.types import BREAK, FALSE, HELD, IMPUTED, NEW, Columns

BAD = 2
ENDS, HOLDS, IMPUTES = range(3)
NO_LIMIT = 2**64 - 1
# The record of a place: whether it is known (listed, or has reported), whether and when it last reported, whether that
# satisfied the condition, and how many reports in a row have been missing since.
KNOWN, REPORTED, LAST, SATISFIED, MISSED = range(5)
RECORD_FIELDS = 5


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
def _find_places(ts: Any, place: Any, places: Any, out: Any) -> int:
    """The place of each row, or -1; returns how many have none. Rows are sorted by instant and place."""
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
def _resolve(ts: Any, place_id: Any, state: Any, stations: bool, reading: Any, records: Any, columns: Any) -> Any:
    """The reports of each column; returns how many columns and reports there are."""
    times, bounds, place_ids, codes = columns
    n_columns, n_reports, i = 0, 0, 0
    while i < ts.size:
        at = ts[i]
        times[n_columns], bounds[n_columns] = at, n_reports
        n_columns += 1
        s = 0
        while i < ts.size and ts[i] == at:
            if stations:
                n_reports = _absent(s, place_id[i], at, reading, records, place_ids, codes, n_reports)
            is_new = stations and not records[place_id[i], KNOWN] and reading[0] != HOLDS
            records[place_id[i], KNOWN] = 1
            place_ids[n_reports], codes[n_reports] = place_id[i], _meaning(records[place_id[i]], at, state[i], reading)
            codes[n_reports] |= NEW if is_new else 0
            n_reports += 1
            s = place_id[i] + 1
            i += 1
        if stations:
            n_reports = _absent(s, records.shape[0], at, reading, records, place_ids, codes, n_reports)
    bounds[n_columns] = n_reports
    return n_columns, n_reports


@compiled
def _absent(
    first: int, stop: int, ts: int, reading: Any, records: Any, place_ids: Any, codes: Any, n_reports: int
) -> int:  # fmt: skip
    """The known places from `first` on have sent nothing."""
    for s in range(first, stop):
        if records[s, KNOWN]:
            place_ids[n_reports], codes[n_reports] = s, _meaning(records[s], ts, BAD, reading)
            n_reports += 1
    return n_reports


class ReportResolver:
    """The places of one group, and what is known of the reports of each."""

    def __init__(self, reading: Reading, listed: np.ndarray) -> None:
        self.reading = reading
        self.places = listed
        self.listed = np.ones(listed.shape[0], np.bool_)
        self.records = np.zeros((listed.shape[0], RECORD_FIELDS), np.int64)
        self.records[:, KNOWN] = 1
        self.duplicates = 0

    def feed(self, ts: np.ndarray, place: np.ndarray, state: np.ndarray) -> tuple[np.ndarray | None, Columns]:
        """Resolve rows that come in order; also where the old places have moved to, if there are new ones."""
        if not _is_ordered(ts, place):
            keep = _last_of_each(ts, place)
            self.duplicates += ts.size - keep.size
            ts, place, state = ts[keep], place[keep], state[keep]
        place_id = np.empty(ts.size, np.int64)
        moved = None
        if _find_places(ts, place, self.places, place_id):
            moved = self._add(np.unique(place[place_id < 0], axis=0))
            _find_places(ts, place, self.places, place_id)
        return moved, self._resolved(ts, place_id, state)

    def _resolved(self, ts: np.ndarray, place_id: np.ndarray, state: np.ndarray) -> Columns:
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
        _, n_reports = _resolve(ts, place_id, state, reading.stations, plan, self.records, columns)
        times, bounds, place_ids, codes = columns
        return Columns(times, bounds, place_ids[:n_reports], codes[:n_reports])

    def _add(self, fresh: np.ndarray) -> np.ndarray:
        """Take new places; returns where the old ones have moved to."""
        both = np.concatenate([self.places, fresh])
        order = np.lexsort(both.T[::-1])
        n_old = self.places.shape[0]
        moved_to = np.empty(order.size, np.int64)
        moved_to[order] = np.arange(order.size)
        self.places = both[order]
        self.listed = np.append(self.listed, np.zeros(len(fresh), np.bool_))[order]
        records = np.zeros((order.size, RECORD_FIELDS), np.int64)
        records[moved_to[:n_old]] = self.records
        self.records = records
        return moved_to[:n_old]

    def retain(self, place_ids: np.ndarray) -> None:
        """Forget all places but these."""
        self.places, self.listed, self.records = self.places[place_ids], self.listed[place_ids], self.records[place_ids]

    def snapshot(self) -> Tree:
        """Everything that must be known to go on later."""
        return {"places": self.places, "listed": self.listed, "records": self.records}

    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot."""
        self.places, self.listed, self.records = (array_at(tree, name) for name in ("places", "listed", "records"))


def _last_of_each(ts: np.ndarray, place: np.ndarray) -> np.ndarray:
    """The rows that count, sorted by instant and place: of several alike the last."""
    order = np.lexsort((*place.T[::-1], ts))
    alike = (ts[order[1:]] == ts[order[:-1]]) & (place[order[1:]] == place[order[:-1]]).all(axis=1)
    return np.asarray(order[~np.append(alike, False)])
