"""The tasks, and what a frame is called in every contender's answer."""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import streamframes as sf

MIN_ROWS = 6
AMOUNT = 0.5
BOUND = 100

FRAME_COLUMNS = ("key", "frame_start", "frame_end", "frame_rows")


@dataclass(frozen=True)
class Task:
    """A scheme, the expression over the rows that it needs besides key and ts, and measures over a frame's rows."""

    name: str
    scheme: sf.Scheme
    sent: str
    measures: Mapping[str, str] = field(default_factory=dict)

    @property
    def is_threshold(self) -> bool:
        """Whether frames are runs of rows that satisfy a condition, and short ones are none."""
        return isinstance(self.scheme, sf.Threshold)

    @property
    def is_sequential(self) -> bool:
        """Where a frame starts depends on all frames before: no formula over neighbouring rows finds it."""
        return self.name in ("delta", "aggregate")


THRESHOLD = Task("threshold", sf.Threshold("value > 0.5", min_rows=MIN_ROWS), "value > 0.5")
DELTA = Task("delta", sf.Delta("value", "<", AMOUNT, base="first"), "value")
AGGREGATE = Task("aggregate", sf.Aggregate("sum(volume)", ">=", BOUND), "volume")
BOUNDARY = Task("boundary", sf.Boundary({"value": 0.25}), "value")

FILL = Task("fill", THRESHOLD.scheme, "value", {"mean": "avg(value)", "top": "max(value)"})

TASKS = (THRESHOLD, DELTA, AGGREGATE, BOUNDARY)
PEER_TASKS = (*TASKS, FILL)
