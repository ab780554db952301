"""Orders: windows come and go while a stream is searched."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import Any

import pyarrow as pa

from streamframes.core.batch.packer import Layout
from streamframes.core.bursts.thresholds import ADD, REMOVE

ORDER_LAYOUT = Layout(pa.schema([]), pa.int64(), (pa.string(), pa.int64(), pa.float64()))


def understood(orders: Iterable[tuple[Any, ...]]) -> tuple[set[int], dict[int, float], int]:
    """The windows that go, those that come with their thresholds, and how many orders mean nothing.

    Such an order must not stop a stream, which would meet it again after each restart.
    """
    goes: set[int] = set()
    comes: dict[int, float] = {}
    refused = 0
    for action, window, threshold in orders:
        if action == REMOVE and window is not None:
            goes.add(window)
        elif action == ADD and window is not None and window > 0 and threshold is not None and math.isfinite(threshold):
            comes[window] = min(threshold, comes.get(window, math.inf))
        else:
            refused += 1
    return goes, comes, refused
