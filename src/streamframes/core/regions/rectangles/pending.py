"""Rectangles that are regions unless one that contains them turns up.

A span that has ended and meets the minimums is a region. A part of one, in which some place reports too seldom, may lie
in another region as well, which goes on. But all that contain it have ended when one of its own places fails or begins
anew: so it waits until then. Regions that were emitted are remembered as long as parts of others may lie in them.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.batch.tree import Tree, array_at
from streamframes.core.jit.compiled import compiled
from streamframes.core.regions.rectangles.min_times import parts_of
from streamframes.core.regions.rectangles.place_history import LATEST
from streamframes.core.regions.rectangles.types import FIELDS, WHY, Context
from streamframes.core.regions.rectangles.widest import FAR, FROM, SINCE, TO, UPTO
from streamframes.core.regions.tables import roomy
from streamframes.core.regions.types import BREAK, CONDITION, FALSE, GAP, HELD, MEANING, NEW

# Of an ending: its column and place, when the rectangles that it ends have begun at the latest, and why they end.
COLUMN, PLACE, SINCE_THEN, CAUSE = range(4)
ENDING_FIELDS = 4


@compiled
def endings_of(columns: Any, now: int, last: Any) -> Any:
    """The reports that end rectangles; the first column is number `now`, `last` the last of each place before."""
    bounds, place_id, code = columns
    endings, n = np.empty((0, ENDING_FIELDS), np.int64), 0
    for k in range(bounds.size - 1):
        for i in range(bounds[k], bounds[k + 1]):
            meaning = code[i] & MEANING
            if meaning == HELD:
                continue
            if meaning == FALSE or code[i] & (BREAK | NEW):
                endings = roomy(endings, n)
                ending = endings[n]
                by_condition = meaning == FALSE or code[i] & NEW
                ending[COLUMN], ending[PLACE] = now + k, place_id[i]
                ending[SINCE_THEN], ending[CAUSE] = (FAR, CONDITION) if by_condition else (last[place_id[i]], GAP)
                n += 1
            last[place_id[i]] = now + k
    return endings[:n]


@compiled
def _apply_endings(rows: Any, endings: Any) -> None:
    """Why each rectangle has ended: by its first ending, and by the condition before a gap."""
    columns = endings[:, COLUMN].copy()
    for row in rows:
        at = FAR
        for ending in endings[np.searchsorted(columns, row[UPTO], side="right") :]:
            if ending[COLUMN] > at:
                break
            is_ended = row[FROM] <= ending[PLACE] <= row[TO] and row[SINCE] <= ending[SINCE_THEN]
            if is_ended and row[WHY] != CONDITION:
                at, row[WHY] = ending[COLUMN], ending[CAUSE]


@compiled
def _mark_alone(edges: Any, order: Any, n_emitted: int, out: Any) -> None:
    """Which rectangles, the first `n_emitted` apart, lie in no other; `order` is by edges, larger ones first.

    They have a first and a last column and place, or place and column: most should be far apart by the first two.
    """
    active = np.empty(order.size, np.int64)
    n_active = 0
    for i in order:
        left, alone = 0, True
        for a in active[:n_active]:
            if edges[a, 1] >= edges[i, 0]:
                active[left] = a
                left += 1
                alone &= edges[a, 1] < edges[i, 1] or edges[a, 2] > edges[i, 2] or edges[a, 3] < edges[i, 3]
        n_active = left
        out[i] = alone or i < n_emitted
        if out[i]:
            active[n_active] = i
            n_active += 1


def _alone(rows: np.ndarray, emitted: np.ndarray) -> np.ndarray:
    """The rectangles that lie neither in each other nor in what was emitted."""
    if not len(rows):
        return rows
    every = np.concatenate([emitted, rows])
    edges = every[:, [SINCE, UPTO, FROM, TO]]
    if np.unique(edges[:, 2]).size > np.unique(edges[:, 0]).size:
        edges = edges[:, [2, 3, 0, 1]]
    order = np.lexsort([-edges[:, 3], edges[:, 2], -edges[:, 1], edges[:, 0]])
    kept = np.empty(len(every), np.bool_)
    _mark_alone(np.ascontiguousarray(edges), order, len(emitted), kept)
    return np.asarray(rows[kept[len(emitted) :]])


@compiled
def parts_of_all(rows: Any, context: Any) -> Any:
    """What has not ended of each rectangle."""
    parts, n_parts = np.empty((0, FIELDS), np.int64), 0
    for row in rows:
        box = (row[SINCE], row[UPTO], row[FROM], row[TO])
        parts, n_parts = parts_of(box, context, parts, n_parts)
    return parts[:n_parts]


@compiled
def _lasts(rows: Any, now: int, context: Any) -> Any:
    """Which rectangles, none of them ended, have not become longer; what is longer is found when it ends."""
    records = context[0][0]
    parts, out = np.empty((0, FIELDS), np.int64), np.empty(rows.shape[0], np.bool_)
    for i in range(rows.shape[0]):
        row = rows[i]
        out[i] = (records[row[FROM] : row[TO] + 1, LATEST] <= row[UPTO]).all()
        if not out[i]:
            box = (row[SINCE], np.int64(now - 1), row[FROM], row[TO])
            parts, n_parts = parts_of(box, context, parts, 0)
            for part in parts[:n_parts]:
                out[i] |= (part[: TO + 1] == row[: TO + 1]).all()
    return out


class PendingRectangles:
    """The rectangles of one group that wait, and those emitted in which smaller ones may still lie."""

    def __init__(self) -> None:
        self.waiting = np.empty((0, FIELDS), np.int64)
        self.emitted = np.empty((0, FIELDS), np.int64)

    def feed(self, emitted: np.ndarray, parts: np.ndarray, endings: np.ndarray) -> np.ndarray:
        """Take regions that are emitted, parts of others, and endings; returns the parts that are regions."""
        self.emitted = np.concatenate([self.emitted, emitted])
        waiting = _alone(np.concatenate([self.waiting, parts]), self.emitted)
        _apply_endings(waiting, endings)
        over = waiting[:, WHY] != 0
        self.waiting = waiting[~over]
        self.emitted = np.concatenate([self.emitted, waiting[over]])
        return np.asarray(waiting[over])

    def tidy(self, now: int, context: Context) -> None:
        """Forget what is longer by now, and what nothing smaller can lie in any more."""
        emitted = np.unique(parts_of_all(self.emitted, context), axis=0)
        self.emitted = emitted[_lasts(emitted, now, context)]
        self.waiting = self.waiting[_lasts(self.waiting, now, context)]

    def finish(self, emitted: np.ndarray, parts: np.ndarray) -> np.ndarray:
        """All that wait; nothing does afterwards."""
        self.feed(emitted, parts, np.empty((0, ENDING_FIELDS), np.int64))
        ended = self.waiting
        self.waiting, self.emitted = ended[:0].copy(), ended[:0].copy()
        return ended

    def renumber(self, moved_to: np.ndarray) -> None:
        """Place i is now moved_to[i]."""
        for rows in (self.waiting, self.emitted):
            rows[:, [FROM, TO]] = moved_to[rows[:, [FROM, TO]]]

    def snapshot(self) -> Tree:
        """Everything that must be known to go on later."""
        return {"waiting": self.waiting, "emitted": self.emitted}

    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot."""
        self.waiting, self.emitted = array_at(tree, "waiting"), array_at(tree, "emitted")
