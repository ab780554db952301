"""Commands: what an operator is asked for changes while its stream runs.

  rows ──────┐
             ├──> bucket ──> results
  commands ──┘

Every bucket gets every command. A command has no instant: it counts from the next row that is released, and holds
nothing back.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass, replace

import pyarrow as pa

from streamframes.core.batch.chunk import decode, summary_of
from streamframes.core.batch.clock import MIN_INSTANT
from streamframes.core.operator.protocol import Command
from streamframes.core.operator.step import Step
from streamframes.core.operator.store import Store
from streamframes.core.operator.stream_bucket import StreamBucket, StreamPlan

# What a chunk holds.
DATA_ROWS, COMMANDS = range(2)


@dataclass(frozen=True)
class CommandedPlan:
    """A plan on a stream that takes commands."""

    stream: StreamPlan

    @property
    def counters(self) -> tuple[str, ...]:
        """The names of what is counted."""
        return (*self.stream.counters, "refused")

    @property
    def result_schema(self) -> pa.Schema:
        """The columns of the results."""
        return self.stream.result_schema

    def with_lookup(self, columns: Sequence[pa.Array]) -> CommandedPlan:
        """The plan, completed by a lookup table."""
        return replace(self, stream=self.stream.with_lookup(columns))

    def bucket(self, store: Store, given: Iterable[tuple[int, pa.Buffer]] = ()) -> CommandedBucket:
        """A bucket of this plan, with its state."""
        return CommandedBucket(StreamBucket(self.stream, store))


class CommandedBucket:
    """One bucket of a stream, and the commands for its operator."""

    def __init__(self, stream: StreamBucket) -> None:
        self.stream = stream

    def step(self, chunks: Iterable[tuple[int, pa.Buffer]], watermark: int = MIN_INSTANT) -> Step:
        """Take chunks of both kinds; commands go first."""
        commands: list[tuple[int, pa.Buffer]] = []
        rows: list[tuple[int, pa.Buffer]] = []
        for start, data in chunks:
            (commands if len(data) and summary_of(data).input_number == COMMANDS else rows).append((start, data))
        settled, refused = self.stream.operator.apply(_decoded(commands))
        step = self.stream.step(rows, watermark)
        return Step([*settled, *step.results], {**step.counters, "refused": refused}, step.due)


def _decoded(chunks: Iterable[tuple[int, pa.Buffer]]) -> Iterator[Command]:
    for _, data in chunks:
        columns = [column.to_pylist() for column in decode(data).rows.columns]
        yield from zip(*columns, strict=True)
