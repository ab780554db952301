"""Control: what is watched changes while a stream runs.

  rows ────┐
           ├──> bucket ──> results
  orders ──┘

Every bucket hears of every order. An order has no instant: it counts from the next row that is released, and holds
nothing back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from streamframes.core.batch.chunk import NO_WORD, decode, summary_of
from streamframes.core.bursts.operator import Burster
from streamframes.core.operator.bucket_stream import BucketStream, StreamPlan
from streamframes.core.operator.steps import Step
from streamframes.core.operator.store import Store
from streamframes.core.sessions.operator import Sessioner

# Which rows a chunk holds: those that are watched, or orders.
WATCHED, ORDERS = range(2)


@dataclass(frozen=True)
class ControlledPlan:
    """A plan of a stream that takes orders."""

    watching: StreamPlan

    @property
    def figures(self) -> tuple[str, ...]:
        """The names of what is counted."""
        return (*self.watching.figures, "refused")

    @property
    def result_schema(self) -> pa.Schema:
        """The columns of the results."""
        return self.watching.result_schema

    def bucket(self, store: Store, given: Iterable[tuple[int, pa.Buffer]] = ()) -> ControlledBucket:
        """A bucket of this plan, with its state."""
        return ControlledBucket(BucketStream(self.watching, store))


class ControlledBucket:
    """One bucket, and the orders it is given."""

    def __init__(self, stream: BucketStream) -> None:
        self.stream = stream

    def step(self, chunks: Iterable[tuple[int, pa.Buffer]], watermark: int = NO_WORD) -> Step:
        """Take chunks of both kinds; orders go first."""
        orders: list[tuple[int, pa.Buffer]] = []
        rows: list[tuple[int, pa.Buffer]] = []
        for start, data in chunks:
            (orders if len(data) and summary_of(data).side == ORDERS else rows).append((start, data))
        framer = self.stream.framer
        told: list[pa.RecordBatch] = []
        refused = 0
        if isinstance(framer, Burster | Sessioner):
            told, refused = framer.obey(_orders(orders))
        step = self.stream.step(rows, watermark)
        return Step([*told, *step.results], {**step.figures, "refused": refused}, step.due)


def _orders(chunks: Iterable[tuple[int, pa.Buffer]]) -> Iterator[tuple[Any, ...]]:
    for _, data in chunks:
        columns = [column.to_pylist() for column in decode(data).rows.columns]
        yield from zip(*columns, strict=True)
