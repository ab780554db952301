"""Rectangles as rows of numbers, the way the kernels of both methods tell of them."""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.regions.types import Found

START_TS, END_TS, LOW, HIGH, ROWS, PLACES, IMPUTED_ROWS, WHY = range(8)
FIELDS = 8


@compiled
def roomy(table: Any, n: int) -> Any:
    """The table, with room for row n."""
    if n < table.shape[0]:
        return table
    bigger = np.empty((max(64, 2 * n), table.shape[1]), np.int64)
    bigger[:n] = table[:n]
    return bigger


def as_found(told: np.ndarray, place: np.ndarray) -> Found:
    """Rows of numbers as regions."""
    low, high = place[told[:, LOW]], place[told[:, HIGH]]
    return Found(
        start=told[:, START_TS],
        end=told[:, END_TS],
        low=low[:, None],
        high=high[:, None],
        rows=told[:, ROWS],
        places=told[:, PLACES],
        imputed=told[:, IMPUTED_ROWS],
        cause=told[:, WHY],
        named=np.stack([low, high], axis=1),
    )
