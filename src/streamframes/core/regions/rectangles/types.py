"""Rectangles as rows of numbers, as the kernels of both methods write them."""

from __future__ import annotations

from typing import TypeAlias

import numpy as np

from streamframes.core.regions.types import Regions

START_TS, END_TS, LOW, HIGH, ROWS, PLACES, IMPUTED_ROWS, WHY = range(8)
FIELDS = 8

# What the kernels of Method II read: places (records, stretches, walls, positions), instants, limits, and max_step.
Context: TypeAlias = tuple[
    tuple[np.ndarray, np.ndarray, np.ndarray, np.ndarray], np.ndarray, tuple[int, float, int, int], float
]


def regions_of(rows: np.ndarray, position: np.ndarray) -> Regions:
    """Rows of numbers as regions."""
    low, high = position[rows[:, LOW]], position[rows[:, HIGH]]
    return Regions(
        start=rows[:, START_TS],
        end=rows[:, END_TS],
        low=low[:, None],
        high=high[:, None],
        rows=rows[:, ROWS],
        places=rows[:, PLACES],
        imputed=rows[:, IMPUTED_ROWS],
        cause=rows[:, WHY],
        identity=np.stack([low, high], axis=1),
    )
