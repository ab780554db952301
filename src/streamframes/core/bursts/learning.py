"""Learning: thresholds from the first rows of a group, which raise no alarms.

  rows of a group   x x x x x x x x | x x x x ...        `Learn(rows=8)`
                    `Training` keeps  searched with T(w)

T(w) = mean + sigmas * std of the aggregate over all full windows of w training rows (population).
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np

from streamframes.core.bursts.batch import Batch
from streamframes.core.bursts.exact.measured import ENDS, EXTREMES, HIGHEST, LOWEST, measure, value_of, work_for
from streamframes.core.bursts.exact.sums import MAX, MIN, SUM
from streamframes.core.bursts.ragged import Ragged
from streamframes.core.jit.compiled import compiled
from streamframes.errors import InvalidArgument


@dataclass(frozen=True)
class Learn:
    """Thresholds that are learnt from the first rows of each group: mean + sigmas x std of the moving aggregate.

    Parameters
    ----------
    sigmas
        How many standard deviations above the mean a threshold lies.
    rows
        How many rows, or units of time, are learnt from; they raise no alarms.

    Examples
    --------
    >>> Learn(sigmas=7, rows=10_000)
    Learn(sigmas=7, rows=10000)
    """

    sigmas: float = 7
    rows: int = 10_000

    def __post_init__(self) -> None:
        if isinstance(self.sigmas, bool) or not isinstance(self.sigmas, int | float) or not np.isfinite(self.sigmas):
            raise InvalidArgument(f"Learn() got sigmas={self.sigmas!r}; give a number like 7")
        if isinstance(self.rows, bool) or not isinstance(self.rows, int) or self.rows < 1:
            raise InvalidArgument(f"Learn() got rows={self.rows!r}; give a whole number of rows like 10_000")


@compiled
def _moments(aggregate: int, bounding: int, x: Any, lengths: Any, out: Any) -> None:
    """Mean and standard deviation of the moving aggregate of each length."""
    measured = measure(aggregate, bounding, x, x.size, work_for(aggregate, bounding, x.size))
    ledger, _, sums, squares, tables = measured
    for i in range(lengths.size):
        w = lengths[i]
        size = x.size + 1 - w
        moving = np.empty(size)
        for j in range(size):
            if aggregate == SUM:
                moving[j] = ledger[j + w] - ledger[j]
            else:
                moving[j] = value_of(aggregate, sums, squares, tables, j + w, j)
        mean = moving.sum() / size
        spread = 0.0
        for j in range(size):
            spread += (moving[j] - mean) * (moving[j] - mean)
        out[i, 0], out[i, 1] = mean, np.sqrt(spread / size)


def learnt_thresholds(aggregate: int, values: np.ndarray, lengths: np.ndarray, sigmas: float) -> np.ndarray:
    """The threshold of each window length: mean + sigmas * std of its aggregate over the training values."""
    found = np.empty((lengths.size, 2))
    bounding = {MIN: LOWEST, MAX: HIGHEST}.get(aggregate, ENDS if aggregate != SUM else EXTREMES)
    _moments(aggregate, bounding, values, lengths, found)
    return np.asarray(found[:, 0] + sigmas * found[:, 1])


class Training:
    """The training rows of groups that have no thresholds yet."""

    def __init__(self, settings: Learn, aggregate: int) -> None:
        self.settings = settings
        self.aggregate = aggregate
        self.values = Ragged(1)

    def take(
        self, fed: Batch, set_of_group: np.ndarray, lengths: np.ndarray
    ) -> tuple[np.ndarray, np.ndarray, np.ndarray]:
        """Which rows are for training; groups that have all of theirs now, and the thresholds of these."""
        learning = set_of_group[fed.groups] < 0
        wanted = np.where(learning, self.settings.rows - self.values.sizes[fed.groups], 0)
        place = np.arange(fed.values.size) - np.repeat(fed.bounds[:-1], np.diff(fed.bounds))
        trains = place < np.repeat(wanted, np.diff(fed.bounds))
        if not trains.any():
            return trains, np.empty(0, np.int64), np.empty((0, lengths.size))
        part = fed.chosen(trains)
        rows = [np.concatenate([self.values.of(g).ravel(), part.values[a:b]]) for g, a, b in _segments(part)]
        ready = np.array([row.size == self.settings.rows for row in rows], np.bool_)
        found = [
            learnt_thresholds(self.aggregate, row, lengths, self.settings.sigmas)
            for row, is_ready in zip(rows, ready, strict=True)
            if is_ready
        ]
        rest = [row[:0] if is_ready else row for row, is_ready in zip(rows, ready, strict=True)]
        self.values.replace(part.groups, np.concatenate(rest), np.cumsum([0, *map(len, rest)]))
        return trains, part.groups[ready], np.array(found).reshape(-1, lengths.size)


def _segments(fed: Batch) -> list[tuple[int, int, int]]:
    return list(zip(fed.groups.tolist(), fed.bounds[:-1].tolist(), fed.bounds[1:].tolist(), strict=True))
