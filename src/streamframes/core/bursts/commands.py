"""Commands: windows that are added and removed while a stream is searched."""

from __future__ import annotations

import math
from collections.abc import Iterable
from typing import NamedTuple, TypeGuard

import pyarrow as pa

from streamframes.core.batch.packer import Layout
from streamframes.core.bursts.thresholds import ADD, REMOVE
from streamframes.core.operator.protocol import Command

COMMAND_LAYOUT = Layout(pa.schema([]), pa.int64(), (pa.string(), pa.int64(), pa.float64()))


class WindowChanges(NamedTuple):
    """The windows that are removed, those that are added with their thresholds, and how many commands mean nothing."""

    removed: set[int]
    added: dict[int, float]
    refused: int


def read_commands(commands: Iterable[Command]) -> WindowChanges:
    """What commands change; of two thresholds for one window the lower one counts.

    A command that means nothing is counted. It must not stop a stream, which would meet it again after each restart.
    """
    removed: set[int] = set()
    added: dict[int, float] = {}
    refused = 0
    for action, window, threshold in commands:
        if action == REMOVE and isinstance(window, int):
            removed.add(window)
        elif action == ADD and isinstance(window, int) and window > 0 and _is_finite(threshold):
            added[window] = min(threshold, added.get(window, math.inf))
        else:
            refused += 1
    return WindowChanges(removed, added, refused)


def _is_finite(threshold: object) -> TypeGuard[float]:
    return isinstance(threshold, float) and math.isfinite(threshold)
