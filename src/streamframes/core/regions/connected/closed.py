"""Closed components, in the order in which they are told, with their runs column after column."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

import numpy as np

from streamframes.core.regions.connected.components import AT, Parts
from streamframes.core.regions.connected.union_find import COLUMN, FACTS, FROM, NEXT, gathered


@dataclass
class Closed:
    """Components that are over.

    facts     int64[n, FACTS]    their numbers
    box       float64[n, 2 ndim] lowest and highest places
    cause     int64[n]
    bounds    int64[n + 1]       runs bounds[i] up to bounds[i + 1] are those of component i
    columns   int64[r, 3]        the column of each run: its instant, those of the columns before and after
    spans     int64[r, 2]        first and last slot of each run
    """

    facts: np.ndarray
    box: np.ndarray
    cause: np.ndarray
    bounds: np.ndarray
    columns: np.ndarray
    spans: np.ndarray

    def __len__(self) -> int:
        return int(self.facts.shape[0])

    @property
    def part_of_run(self) -> np.ndarray:
        """The number of each run's component."""
        return np.repeat(np.arange(len(self)), np.diff(self.bounds))

    def only(self, which: np.ndarray) -> Closed:
        """Some of them, by a mask."""
        runs = np.repeat(which, np.diff(self.bounds))
        bounds = np.append(0, np.cumsum(np.diff(self.bounds)[which]))
        return Closed(
            self.facts[which], self.box[which], self.cause[which], bounds, self.columns[runs], self.spans[runs]
        )


def none_closed(ndim: int) -> Closed:
    """No components."""
    empty = np.empty(0, np.int64)
    runs = np.empty((0, NEXT), np.int64)
    return Closed(
        np.empty((0, FACTS), np.int64), np.empty((0, 2 * ndim)), empty, np.zeros(1, np.int64), runs, runs[:, :2]
    )


def taken(parts: Parts, roots: np.ndarray, cause: np.ndarray) -> Closed:
    """Components as they stand."""
    bounds, found = gathered(parts.facts, parts.runs, roots)
    columns, part = parts.columns[found[:, COLUMN]], np.repeat(np.arange(roots.size), np.diff(bounds))
    order = np.lexsort((found[:, FROM], columns[:, AT], part))
    return Closed(parts.facts[roots], parts.box[roots], cause, bounds, columns[order], found[order, FROM:NEXT])


def joined(pieces: Sequence[Closed]) -> Closed:
    """All of them, one after the other."""
    if len(pieces) == 1:
        return pieces[0]
    sizes = np.concatenate([np.diff(piece.bounds) for piece in pieces])
    return Closed(
        np.concatenate([piece.facts for piece in pieces]),
        np.concatenate([piece.box for piece in pieces]),
        np.concatenate([piece.cause for piece in pieces]),
        np.append(0, np.cumsum(sizes)),
        np.concatenate([piece.columns for piece in pieces]),
        np.concatenate([piece.spans for piece in pieces]),
    )
