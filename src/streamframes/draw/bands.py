"""Bands: frames as intervals on the axis, and which of them overlap or touch."""

from __future__ import annotations

from dataclasses import dataclass

import numpy as np
import pyarrow as pa

from streamframes.draw.signal import column_of, instants

MAX_BANDS = 120
MAX_LANES = 8
# Frames that leave (nearly) no row out touch each other.
_TILES = 0.9


@dataclass(frozen=True)
class Bands:
    """Frames by start; `gap` marks the periods between episodes."""

    start: np.ndarray
    end: np.ndarray
    gap: np.ndarray

    def __len__(self) -> int:
        return int(self.start.size)

    def first(self, number: int) -> Bands:
        """Only the first of them."""
        return Bands(self.start[:number], self.end[:number], self.gap[:number])

    def covers(self, at: np.ndarray) -> np.ndarray:
        """Which points are in an episode."""
        inside = np.zeros(at.size, np.bool_)
        for start, end in zip(self.start[~self.gap], self.end[~self.gap], strict=True):
            inside[slice(*np.searchsorted(at, [start, np.nextafter(end, np.inf)]))] = True
        return inside

    def tile(self, at: np.ndarray) -> bool:
        """Whether frames follow each other without a pause, so that neighbours need two colours."""
        covered = self.covers(at)
        return len(self) > 1 and not self.gap.any() and covered.size > 0 and bool(covered.mean() >= _TILES)

    @property
    def n_lanes(self) -> int:
        """How many frames overlap at the most, up to a limit."""
        return 1 + int(self.lanes().max(initial=0))

    def lanes(self) -> np.ndarray:
        """The lane of each frame, so that frames of one lane do not overlap; the last takes the rest.

        >>> Bands(np.array([0, 2, 5]), np.array([4, 6, 9]), np.zeros(3, bool)).lanes()
        array([0, 1, 0])
        """
        free = np.full(MAX_LANES, -np.inf)
        lane = np.zeros(len(self), np.int64)
        for place, (start, end) in enumerate(zip(self.start, self.end, strict=True)):
            fits = np.flatnonzero(free < start)
            lane[place] = fits[0] if fits.size else MAX_LANES - 1
            free[lane[place]] = end
        return lane


def bands_of(frames: pa.Table, prefix: str) -> Bands:
    """The frames of a table, by start."""
    start = instants(column_of(frames, f"{prefix}start", "frames")).at
    end = instants(column_of(frames, f"{prefix}end", "frames")).at
    kind = f"{prefix}kind"
    gap = (
        np.array([each == "gap" for each in frames[kind].to_pylist()], np.bool_)
        if kind in frames.column_names
        else np.zeros(start.size, np.bool_)
    )
    order = np.lexsort((end, start))
    return Bands(start[order], end[order], gap[order])
