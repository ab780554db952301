"""Control: windows come and go while a stream is searched.

  rows ────┐
           ├──> bucket ──> alarms
  orders ──┘

Every bucket hears of every order. An order has no instant: it counts from the next row that is released, and holds
nothing back.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from streamframes.core.bursts.burster import Burster
from streamframes.core.bursts.thresholds import ADD, REMOVE
from streamframes.core.chunks import NO_WORD, decode, summary_of
from streamframes.core.packing import Layout
from streamframes.core.steps import Step
from streamframes.core.stores import Store
from streamframes.core.stream import BucketStream, StreamPlan

# Which rows a chunk holds: those that are searched, or orders.
SEARCHED, ORDERS = range(2)
ORDER_LAYOUT = Layout(pa.schema([]), pa.int64(), (pa.string(), pa.int64(), pa.float64()))


@dataclass(frozen=True)
class ControlledPlan:
    """A search in a stream that takes orders."""

    searching: StreamPlan

    @property
    def figures(self) -> tuple[str, ...]:
        """The names of what is counted."""
        return (*BucketStream.FIGURES, "refused")

    @property
    def result_schema(self) -> pa.Schema:
        """The columns of the results."""
        return self.searching.result_schema

    def bucket(self, store: Store, given: Iterable[tuple[int, pa.Buffer]] = ()) -> ControlledBucket:
        """A bucket of this plan, with its state."""
        return ControlledBucket(BucketStream(self.searching, store))


class ControlledBucket:
    """The search of one bucket, and the orders it is given."""

    def __init__(self, stream: BucketStream) -> None:
        self.stream = stream

    def step(self, chunks: Iterable[tuple[int, pa.Buffer]], watermark: int = NO_WORD) -> Step:
        """Take chunks of both kinds; orders go first."""
        orders: list[tuple[int, pa.Buffer]] = []
        rows: list[tuple[int, pa.Buffer]] = []
        for start, data in chunks:
            (orders if len(data) and summary_of(data).side == ORDERS else rows).append((start, data))
        told, refused = obey(self.stream.framer, _orders(orders))
        step = self.stream.step(rows, watermark)
        return Step([*told, *step.results], {**step.figures, "refused": refused}, step.due)


def _orders(chunks: Iterable[tuple[int, pa.Buffer]]) -> Iterator[tuple[Any, Any, Any]]:
    for _, data in chunks:
        columns = [column.to_pylist() for column in decode(data).rows.columns]
        yield from zip(*columns, strict=True)


def obey(burster: Any, orders: Iterable[tuple[Any, Any, Any]]) -> tuple[list[pa.RecordBatch], int]:
    """Change the windows as ordered: first those that go, then those that come. Returns what ends, and the refused.

    An order that means nothing must not stop a stream, which would meet it again after each restart.
    """
    if not isinstance(burster, Burster):
        return [], 0
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
    told = [batch for window in sorted(goes) for batch in burster.remove(window)]
    for window, threshold in sorted(comes.items()):
        burster.thresholds.add(window, threshold)
    return told, refused
