"""Tables that grow: rows of whole numbers that kernels fill, with room for the next one."""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled


@compiled
def roomy(table: Any, n: int) -> Any:
    """The table, with room for row n."""
    if n < table.shape[0]:
        return table
    bigger = np.empty((max(64, 2 * n), table.shape[1]), np.int64)
    bigger[:n] = table[:n]
    return bigger
