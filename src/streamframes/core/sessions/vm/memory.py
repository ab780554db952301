"""Memory: the arrays of a machine, which grow as they must."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.sessions.kernels import engine, records
from streamframes.core.sessions.kernels.arrays import COUNTER, LINE, N_EVENTS, PER_CLASS, RECORD, RESULT, Arrays
from streamframes.core.sessions.kernels.compact import count_entries, move, walk
from streamframes.core.sessions.kernels.fetching import RING, WARM_ROOM
from streamframes.core.sessions.kernels.fields import CLASS, TREE, class_row
from streamframes.core.sessions.vm.encoded_tree import EncodedTree
from streamframes.core.sessions.vm.layout import kept_words

FIRST_RECORD = -(-(len(RECORD) + 2) // LINE) * LINE
# Rows of results: at first, and when there are more.
_LEAST, _MANY = 1 << 10, 1 << 14
# So many rows for each open session are too many.
_SPARE = 64
# Arrays that are empty between steps, with the words of a row; results of closed sessions have their own width.
_OF_A_STEP = {"emitted": 5, "received": 3, "touched": 2, "memberships": 3, "recent": 3}
_RESULTS = ("closed", "emitted", "received", "memberships")


@dataclass
class Events:
    """Events as the engine takes them: words of their columns, and two words of the key of each keyed class."""

    groups: np.ndarray
    bounds: np.ndarray
    ts: np.ndarray
    columns: np.ndarray
    keys: np.ndarray


@dataclass
class EngineResults:
    """Words of closed sessions, of measures, of what a merged root receives, and of the sessions of each event."""

    closed: np.ndarray
    emitted: np.ndarray
    received: np.ndarray
    memberships: np.ndarray


class Memory:
    """All arrays for a tree; `n_columns` is how many columns results have, `wants` which results are written."""

    def __init__(self, tree: EncodedTree, n_classes: int, n_columns: int, wants: tuple[bool, bool, bool]) -> None:
        self.tree = tree
        self.n_classes = n_classes
        self.records = _words(_LEAST)
        self.table = np.zeros(_LEAST, np.int64)
        self.lanes = np.zeros(0, np.int64)
        self.counters = np.zeros(PER_CLASS + 3 * n_classes, np.int64)
        self.counters[COUNTER.top] = FIRST_RECORD
        self.counters[COUNTER.wants_closed : COUNTER.wants_memberships + 1] = wants
        self.closed = np.zeros((_LEAST, len(RESULT) + n_columns), np.int64)
        self.emitted, self.received, self.touched, self.memberships, self.recent = (
            np.zeros((_LEAST, width), np.int64) for width in _OF_A_STEP.values()
        )
        self.matches = np.zeros(_LEAST, np.int64)
        self._make_scratch()

    def _make_scratch(self) -> None:
        """Room to work in, which nothing is kept in."""
        self.scratch = np.zeros(256 + 3 * self.n_classes, np.int64)
        self.lists = np.zeros(WARM_ROOM, np.int64)
        self.hashes = np.zeros(RING * (self.tree.n_ahead + 1), np.int64)
        self.changed = np.zeros(len(self.tree.node_places) + 1, np.int64)
        self.stack = np.zeros((self.n_classes + 2, 4), np.int64)

    @property
    def n_open(self) -> int:
        """How many sessions are open."""
        return int(self.counters[COUNTER.open])

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays."""
        return sum(each.nbytes for each in vars(self).values() if isinstance(each, np.ndarray))

    def per_class(self, which: int) -> np.ndarray:
        """The counts of each class: 0 the lists of free records, 1 null keys, 2 unmatched closes."""
        return self.counters[PER_CLASS + which * self.n_classes :][: self.n_classes]

    def arrays(self, events: Events | None = None) -> Arrays:
        """All arrays as the engine takes them."""
        columns, keys, ts = self.stack, self.stack, self.scratch
        if events is not None:
            columns, keys, ts = events.columns, events.keys, events.ts
            self.scratch[N_EVENTS] = ts.size
        self._note_sizes()
        others = (
            self.lanes, keys, ts, self.changed, self.stack, self.matches, self.closed, self.emitted, self.received,
            self.touched, self.memberships, self.recent, self.lists, self.hashes,
        )  # fmt: skip
        addresses = np.array([array.ctypes.data for array in others])
        return Arrays(self.tree.words, self.records, self.table, columns, self.scratch, self.counters, addresses)

    def _note_sizes(self) -> None:
        """The engine must know how large its arrays are."""
        arrays = (
            self.records, self.table, self.recent, self.closed, self.emitted, self.received, self.memberships,
            self.touched, self.matches,
        )  # fmt: skip
        self.counters[COUNTER.size_of_records : COUNTER.size_of_matches + 1] = [array.shape[0] for array in arrays]

    def grow(self, status: int) -> bool:
        """Make room for what the engine has no room for; returns false for results, which must be taken first."""
        if status == engine.MORE_RECORDS:
            self.records = _longer(self.records, _words(2 * self.records.size))
        elif status == engine.MORE_TABLE:
            self.table = np.zeros(2 * self.table.size, np.int64)
            self.fill_table()
        elif status == engine.MORE_RECENT:
            old, self.recent = self.recent, np.zeros((2 * self.recent.shape[0], 3), np.int64)
            self._note_sizes()
            _remember_all(old, self.recent.reshape(-1), self.counters)
        elif status == engine.MORE_MATCHES:
            self.matches = _longer(self.matches, np.zeros(2 * self.matches.size, np.int64))
        else:
            return False
        return True

    def widen(self, status: int) -> None:
        """Arrays of results that are empty and still too small for what one step may find."""
        n_open, tree = self.n_open, self.tree.words
        opened = (n_open + 1 if tree[TREE.has_matches] else 1) * self.n_classes
        emitted = int(self.counters[COUNTER.open_measures] + tree[TREE.n_measures] * opened)
        for which, name, most in (
            (engine.MORE_CLOSED, "closed", n_open + opened),
            (engine.MORE_EMITTED, "emitted", emitted),
            (engine.MORE_EMITTED, "touched", emitted),
            (engine.MORE_RECEIVED, "received", 2 * len(self.tree.node_places) * (n_open + opened)),
            (engine.MORE_MEMBERSHIPS, "memberships", n_open + opened),
        ):
            array = getattr(self, name)
            wanted = max(_MANY, 2 * most)
            if status == which and array.shape[0] < wanted:
                setattr(self, name, np.zeros((wanted, array.shape[1]), np.int64))

    def taken(self) -> EngineResults:
        """All results, which are forgotten here."""
        counts = [getattr(COUNTER, name) for name in _RESULTS]
        sizes = self.counters[counts].tolist()
        self.counters[counts] = 0
        return EngineResults(*(getattr(self, name)[:size].copy() for name, size in zip(_RESULTS, sizes, strict=True)))

    def grow_lanes(self, n_groups: int) -> None:
        """Room for the lanes of more groups."""
        size = 2 * n_groups * self.tree.n_lanes
        if self.lanes.size < size:
            self.lanes = _longer(self.lanes, np.zeros(max(size, 2 * self.lanes.size), np.int64))

    def open_sessions(self) -> np.ndarray:
        """The places of the records of all open sessions, parents before their children."""
        places = np.zeros(self.n_open, np.int64)
        walk(self.tree.words, self.records, places)
        return places

    def class_words(self, places: np.ndarray, field: int) -> np.ndarray:
        """A field of the classes of the sessions at these places."""
        words = self.tree.words
        return np.asarray(words[words[TREE.classes] + self.records[places] * len(CLASS) + field])

    def move_to(self, tree: EncodedTree) -> None:
        """Lay the open sessions side by side, as records of this tree; nodes that are in both keep their values."""
        places = self.open_sessions()
        widths = np.array(tree.widths)[self.records[places]]
        top = FIRST_RECORD + int(widths.sum())
        moved = _words(max(_LEAST, top + 3 * count_entries(self.tree.words, self.records, places)))
        where = np.zeros(int(self.counters[COUNTER.top]) + 1, np.int64)
        where[places] = FIRST_RECORD + np.cumsum(widths) - widths
        kept = kept_words(self.tree.places, tree.places)
        top = move(self.tree.words, tree.words, kept, self.records, moved, where, places, top)
        self.records, self.lanes = moved, where[self.lanes]
        self.counters[COUNTER.top], self.counters[COUNTER.entries] = top, 0
        self.per_class(0)[:] = 0
        self.tree, self.table = tree, np.zeros(_LEAST, np.int64)
        self._make_scratch()
        self._shrink()
        self.fill_table()

    def restore(self, records: np.ndarray, lanes: np.ndarray, counters: np.ndarray) -> None:
        """Go on with these records; which results are written stays."""
        wants = self.counters[COUNTER.wants_closed : COUNTER.wants_memberships + 1].copy()
        self.lanes, self.counters = lanes, counters
        self.counters[COUNTER.wants_closed : COUNTER.wants_memberships + 1] = wants
        self.records = _longer(records, _words(max(_LEAST, 2 * records.size)))
        self.fill_table()

    def _shrink(self) -> None:
        """Arrays that are much larger than what is open now needs are small again; between steps they are empty."""
        for name in (*_OF_A_STEP, "closed", "matches"):
            array = getattr(self, name)
            if array.shape[0] > max(_MANY, _SPARE * (self.n_open + self.n_classes)):
                setattr(self, name, np.zeros((_LEAST, *array.shape[1:]), np.int64))

    def fill_table(self) -> None:
        """Put all open sessions into the table."""
        while self.table.size < 4 * self.n_open:
            self.table = np.zeros(2 * self.table.size, np.int64)
        self.table[:] = 0
        self._note_sizes()
        places = self.open_sessions()
        self.counters[COUNTER.open_measures] = self.class_words(places, CLASS.n_measures).sum()
        _insert_all(self.tree.words, self.records, self.table, self.counters, places)


def _words(size: int) -> np.ndarray:
    """Words that begin where a line of the cache does."""
    array = np.zeros(size + LINE, np.int64)
    first = -(array.ctypes.data // array.itemsize) % LINE
    return array[first : first + size]


def _longer(array: np.ndarray, bigger: np.ndarray) -> np.ndarray:
    bigger[: array.size] = array
    return bigger


@compiled
def _insert_all(tree: Any, words: Any, table: Any, counters: Any, places: Any) -> None:
    for k in range(places.size):
        p = places[k]
        if tree[class_row(tree, words[p]) + CLASS.key] >= 0:
            records.insert(table, counters, words[p + RECORD.hash], p)


@compiled
def _remember_all(old: Any, recent: Any, counters: Any) -> None:
    """Put what closed at this instant into a larger table."""
    counters[COUNTER.recent] = 0
    for k in range(old.shape[0]):
        if old[k, 1] == counters[COUNTER.instant]:
            for _ in range(old[k, 2]):
                records.remember(recent, counters, np.uint64(old[k, 0]))
