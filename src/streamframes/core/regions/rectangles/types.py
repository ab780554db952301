"""Rectangles as rows of numbers, the way the kernels of both methods tell of them."""

from __future__ import annotations

import numpy as np

from streamframes.core.regions.types import Regions

START_TS, END_TS, LOW, HIGH, ROWS, PLACES, IMPUTED_ROWS, WHY = range(8)
FIELDS = 8


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
        named=np.stack([low, high], axis=1),
    )
