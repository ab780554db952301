"""The machine: the engine with its arrays, which grow as they must, and its state as bytes.

Nothing here depends on where events come from: it takes words and gives words.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.sessions.vm import engine
from streamframes.core.sessions.vm import records as rec
from streamframes.core.sessions.vm.arrays import Arrays
from streamframes.core.sessions.vm.bytecode import (
    HEADER,
    LINE,
    P_CLASSES,
    P_LANES,
    P_MATCHES,
    P_MEASURES,
    R_GROUP,
    R_HASH,
    R_START,
)  # fmt: skip
from streamframes.core.sessions.vm.compact import count_entries, kept_words, move, walk
from streamframes.core.sessions.vm.fetching import RING, WARM_ROOM
from streamframes.core.sessions.vm.layout import (
    C_KEY,
    C_LASTING,
    C_N_TELLS,
    CLASS_FIELDS,
    O_HEAD,
    Tables,
)  # fmt: skip
from streamframes.errors import StreamFramesError

_FIRST_RECORD = -(-(HEADER + 2) // LINE) * LINE
# Rows of results: at first, and when there are more.
_LEAST, _MANY = 1 << 10, 1 << 14
# So many rows for each open session are too many.
_SPARE = 64


@dataclass
class Events:
    """Events as the engine takes them: words of their columns, and two words of the key of each keyed class."""

    groups: np.ndarray
    bounds: np.ndarray
    ts: np.ndarray
    columns: np.ndarray
    keys: np.ndarray


@dataclass
class Found:
    """What the engine has found: words of closed sessions, measures, what a root receives, and who belongs where."""

    closed: np.ndarray
    told: np.ndarray
    received: np.ndarray
    belongs: np.ndarray


class Machine:
    """The open sessions of one bucket."""

    def __init__(
        self, tables: Tables, n_classes: int, n_columns: int, user: Any, *, wants: tuple[bool, bool, bool]
    ) -> None:
        self.tables = tables
        self.n_classes = n_classes
        self.user = user
        self.W = _words(_LEAST)
        self.T = np.zeros(_LEAST, np.int64)
        self.L = np.zeros(0, np.int64)
        self.Q = np.zeros(rec.Q_FREE + 3 * n_classes, np.int64)
        self.Q[rec.Q_TOP] = _FIRST_RECORD
        self.Q[rec.Q_WANTS_OUT : rec.Q_WANTS_BELONGS + 1] = wants
        self.O = np.zeros((_LEAST, O_HEAD + n_columns), np.int64)
        self.M = np.zeros((_LEAST, 5), np.int64)
        self.G = np.zeros((_LEAST, 3), np.int64)
        self.B = np.zeros((_LEAST, 2), np.int64)
        self.N = np.zeros((_LEAST, 3), np.int64)
        self.R = np.zeros((_LEAST, 3), np.int64)
        self.V = np.zeros(_LEAST, np.int64)
        self._work()

    def _work(self) -> None:
        """Room to work in, which nothing is kept in."""
        n_nodes = len(self.tables.slots)
        self.X = np.zeros(256 + 3 * self.n_classes, np.int64)
        self.S = np.zeros(WARM_ROOM, np.int64)
        self.F = np.zeros(RING * (self.tables.ahead + 1), np.int64)
        self.A = np.zeros(n_nodes + 1, np.int64)
        self.Z = np.zeros((self.n_classes + 2, 4), np.int64)

    @property
    def n_open(self) -> int:
        """How many sessions are open."""
        return int(self.Q[rec.Q_OPEN])

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays."""
        names = ("W", "T", "L", "Q", "O", "M", "G", "B", "N", "R", "V", "X", "A", "Z", "S", "F")
        return sum(int(getattr(self, name).nbytes) for name in names)

    @property
    def null_keys(self) -> np.ndarray:
        """By class: how many events had no key for it."""
        return self.Q[rec.Q_FREE + self.n_classes :][: self.n_classes]

    @property
    def strays(self) -> np.ndarray:
        """By class: how many events would have closed what was not open."""
        return self.Q[rec.Q_FREE + 2 * self.n_classes :][: self.n_classes]

    def flow(self, events: Events, n_groups: int) -> Iterator[Found]:
        """Let events flow; yields what is found whenever there is much of it."""
        self.grow_lanes(n_groups)
        self.Q[rec.Q_GROUP], self.Q[rec.Q_ROW] = 0, 0
        self.X[2] = events.ts.size
        while True:
            self._measure_arrays()
            status = engine.flow(self._arrays(events), events.groups, events.bounds, self.user)
            if status == engine.DONE:
                break
            yield from self._more(status)
        yield self._taken()

    def pass_time(self, points: np.ndarray) -> Iterator[Found]:
        """Close what time alone closes, in each group all that has been silent for too long before its point."""
        if self.tables.lanes:
            self.grow_lanes(points.size)
            self.Q[rec.Q_GROUP] = 0
            yield from self._run(engine.pass_time, points)

    def end(self) -> Iterator[Found]:
        """The end of the data closes all that is open."""
        yield from self._run(engine.end)

    def _run(self, step: Any, *more: Any) -> Iterator[Found]:
        while True:
            self._measure_arrays()
            status = step(self._arrays(), *more, self.user)
            if status == engine.DONE:
                break
            yield from self._more(status)
        yield self._taken()

    def _arrays(self, events: Events | None = None) -> Arrays:
        """All arrays as the engine takes them."""
        columns, keys, ts = (self.Z, self.Z, self.X) if events is None else (events.columns, events.keys, events.ts)
        others = (
            self.L, keys, ts, self.A, self.Z, self.V, self.O, self.M, self.G, self.B, self.N, self.R, self.S, self.F,
        )  # fmt: skip
        addresses = np.array([array.ctypes.data for array in others])
        return Arrays(self.tables.words, self.W, self.T, columns, self.X, self.Q, addresses)

    def _measure_arrays(self) -> None:
        """Tell the engine how large its arrays are."""
        arrays = (self.W, self.T, self.R, self.O, self.M, self.G, self.N, self.B, self.V)
        self.Q[rec.Q_WORDS : rec.Q_MATCHES + 1] = [array.shape[0] for array in arrays]

    def _more(self, status: int) -> Iterator[Found]:
        """Make room for what the engine has no room for."""
        if status == engine.OVERFLOW:
            raise StreamFramesError("a sum of whole numbers in a session is too large for a long; cast it to double")
        if status == engine.MORE_RECORDS:
            self.W = _longer(self.W, _words(2 * self.W.size))
        elif status == engine.MORE_TABLE:
            self.T = np.zeros(2 * self.T.size, np.int64)
            self._fill_table()
        elif status == engine.MORE_RECENT:
            old, self.R = self.R, np.zeros((2 * self.R.shape[0], 3), np.int64)
            self._measure_arrays()
            _recent_again(old, self.R.reshape(-1), self.Q)
        elif status == engine.MORE_MATCHES:
            self.V = _longer(self.V, np.zeros(2 * self.V.size, np.int64))
        else:
            yield self._taken()
            self._widen(status)

    def _widen(self, status: int) -> None:
        """Arrays of results that are empty and still too small for what one step may find."""
        n_open, tree = self.n_open, self.tables.words
        opened = (n_open + 1 if tree[P_MATCHES] else 1) * self.n_classes
        told = int(self.Q[rec.Q_TELLERS] + tree[P_MEASURES] * opened)
        for which, name, most in (
            (engine.MORE_OUT, "O", n_open + opened),
            (engine.MORE_TOLD, "M", told),
            (engine.MORE_TOLD, "B", told),
            (engine.MORE_LOG, "G", 2 * len(self.tables.slots) * (n_open + opened)),
            (engine.MORE_BELONGS, "N", n_open + opened),
        ):
            array = getattr(self, name)
            wanted = max(_MANY, 2 * most)
            if status == which and array.shape[0] < wanted:
                setattr(self, name, np.zeros((wanted, array.shape[1]), np.int64))

    def _taken(self) -> Found:
        """All results, which are forgotten here."""
        counts = self.Q[[rec.Q_OUT, rec.Q_TOLD, rec.Q_LOG, rec.Q_BELONGS]].tolist()
        self.Q[[rec.Q_OUT, rec.Q_TOLD, rec.Q_LOG, rec.Q_BELONGS]] = 0
        arrays = (self.O, self.M, self.G, self.N)
        return Found(*(array[:count].copy() for array, count in zip(arrays, counts, strict=True)))

    def grow_lanes(self, n_groups: int) -> None:
        """Room for the lanes of more groups."""
        size = 2 * n_groups * int(self.tables.words[P_LANES])
        if self.L.size < size:
            bigger = np.zeros(max(size, 2 * self.L.size), np.int64)
            bigger[: self.L.size] = self.L
            self.L = bigger

    def open_records(self) -> np.ndarray:
        """Where the records of all open sessions are, parents before their children."""
        found = np.zeros(self.n_open, np.int64)
        walk(self.tables.words, self.W, found)
        return found

    def busy(self, n_groups: int) -> np.ndarray:
        """The groups that have open sessions."""
        groups = np.zeros(n_groups, np.bool_)
        groups[self.W[self.open_records() + R_GROUP]] = True
        return groups

    def earliest(self, points: np.ndarray) -> np.ndarray:
        """For each group the start of its earliest open session, or its point; a root that lasts has no say."""
        starts = points.copy()
        records = self.open_records()
        lasting = self.tables.words[self.tables.words[P_CLASSES] + self.W[records] * CLASS_FIELDS + C_LASTING] == 1
        records = records[~lasting]
        np.minimum.at(starts, self.W[records + R_GROUP], self.W[records + R_START])
        return starts

    def retain(self, numbers: np.ndarray, n_groups: int) -> None:
        """Forget all groups but these, which are numbered anew in this order."""
        self.grow_lanes(n_groups)
        place = np.full(n_groups, 0)
        place[numbers] = np.arange(numbers.size)
        records = self.open_records()
        self.W[records + R_GROUP] = place[self.W[records + R_GROUP]]
        width = 2 * self.tables.lanes
        self.L = self.L[: n_groups * width].reshape(n_groups, width)[numbers].reshape(-1).copy()

    def snapshot(self) -> dict[str, Any]:
        """The open sessions, side by side, and what is counted."""
        self.move_to(self.tables)
        return {
            "records": self.W[: int(self.Q[rec.Q_TOP])],
            "lanes": self.L,
            "counts": self.Q,
        }

    def restore(self, saved: dict[str, Any]) -> None:
        """Go on from what was saved."""
        wants = self.Q[rec.Q_WANTS_OUT : rec.Q_WANTS_BELONGS + 1].copy()
        self.L, self.Q = saved["lanes"], saved["counts"]
        self.Q[rec.Q_WANTS_OUT : rec.Q_WANTS_BELONGS + 1] = wants
        self.W = _words(max(_LEAST, 2 * saved["records"].size))
        self.W[: saved["records"].size] = saved["records"]
        self._fill_table()

    def move_to(self, tables: Tables) -> None:
        """Lay the open sessions side by side, as records of these tables; nodes that are in both keep their values."""
        records = self.open_records()
        classes = self.W[records]
        widths = np.array(tables.widths)[classes]
        place = _FIRST_RECORD + np.cumsum(widths) - widths
        top = _FIRST_RECORD + int(widths.sum())
        n_entries = count_entries(self.tables.words, self.W, records)
        moved = _words(max(_LEAST, top + 3 * n_entries))
        where = np.zeros(int(self.Q[rec.Q_TOP]) + 1, np.int64)
        where[records] = place
        top = move(
            self.tables.words, tables.words, kept_words(self.tables, tables), self.W, moved, where, records, top
        )  # fmt: skip
        self.W, self.L = moved, where[self.L]
        self.Q[rec.Q_TOP], self.Q[rec.Q_ENTRIES] = top, 0
        self.Q[rec.Q_FREE : rec.Q_FREE + self.n_classes] = 0
        self.tables, self.T = tables, np.zeros(_LEAST, np.int64)
        self._work()
        self._give_back()
        self._fill_table()

    def _give_back(self) -> None:
        """Arrays that are much larger than what is open now needs are small again; between steps they are empty."""
        for name in ("O", "M", "G", "B", "N", "R", "V"):
            array = getattr(self, name)
            if array.shape[0] > max(_MANY, _SPARE * (self.n_open + self.n_classes)):
                setattr(self, name, np.zeros((_LEAST, *array.shape[1:]), np.int64))

    def _fill_table(self) -> None:
        while self.T.size < 4 * self.n_open:
            self.T = np.zeros(2 * self.T.size, np.int64)
        self.T[:] = 0
        self._measure_arrays()
        records, tree = self.open_records(), self.tables.words
        self.Q[rec.Q_TELLERS] = tree[tree[P_CLASSES] + self.W[records] * CLASS_FIELDS + C_N_TELLS].sum()
        _insert_all(tree, self.W, self.T, self.Q, records)


def _words(size: int) -> np.ndarray:
    """Words that begin where a line of the cache does."""
    array = np.zeros(size + LINE, np.int64)
    first = -(array.ctypes.data // array.itemsize) % LINE
    return array[first : first + size]


def _longer(array: np.ndarray, bigger: np.ndarray) -> np.ndarray:
    bigger[: array.size] = array
    return bigger


@compiled
def _insert_all(P: Any, W: Any, T: Any, Q: Any, found: Any) -> None:
    for k in range(found.size):
        p = found[k]
        if P[P[P_CLASSES] + W[p] * CLASS_FIELDS + C_KEY] >= 0:
            rec.insert(T, Q, W[p + R_HASH], p)


@compiled
def _recent_again(old: Any, new: Any, Q: Any) -> None:
    Q[rec.Q_RECENT] = 0
    for k in range(old.shape[0]):
        if old[k, 1] == Q[rec.Q_INSTANT]:
            for _ in range(old[k, 2]):
                rec.remember(new, Q, np.uint64(old[k, 0]))
