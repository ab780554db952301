"""Folding: the chunks of a bucket, sorted by their start, become its frames, or fill them.

A chunk that starts at `s` proves that every row before `s` has been seen, so rows before it are released and
scanned; what is held is only what overlaps. Memory follows that overlap, not the number of rows of a group.
"""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import Protocol

import numpy as np
import pyarrow as pa

from streamframes.core.batch.chunk import decode
from streamframes.core.batch.reorder_buffer import WaitingRoom
from streamframes.core.batch.rows import Rows
from streamframes.core.fill.pending_frames import NEVER, Filler
from streamframes.core.fill.plan import FRAMES, FillPlan
from streamframes.core.operator.protocol import Plan
from streamframes.core.sessions.operator import Sessioner

RELEASE_ROWS = 200_000


class BucketFold:
    """The framing of one bucket."""

    def __init__(self, plan: Plan) -> None:
        self.framer = plan.framer()
        self.room = WaitingRoom(plan.columns)
        self.wanted = RELEASE_ROWS

    def add(self, start: int, data: pa.Buffer) -> Iterator[pa.RecordBatch]:
        """Take the next chunk, which starts no earlier than those before; yields what is settled.

        A chunk without bytes says that the data goes on to its start, here or elsewhere.
        """
        if not len(data):
            if isinstance(self.framer, Sessioner):
                self.framer.reach(start)
            return
        if len(self.room) >= self.wanted:
            yield from self.framer.feed(self.room.release(start))
            # Where little could be released, chunks overlap: wait for more before trying again.
            self.wanted = max(RELEASE_ROWS, 2 * len(self.room))
        chunk = decode(data)
        numbers = self.framer.groups.numbers(chunk.first, chunk.second, chunk.keys)
        self.room.add(Rows(numbers, chunk.rows.bounds, chunk.rows.ts, chunk.rows.columns))

    def finish(self) -> Iterator[pa.RecordBatch]:
        """What the end of the bucket settles."""
        yield from self.framer.feed(self.room.release(None))
        yield from self.framer.finish()


class BucketFill:
    """The filling of one bucket: frames and rows meet, each side in the order of its start."""

    def __init__(self, plan: FillPlan) -> None:
        self.filler = Filler(plan)
        self.room = WaitingRoom(plan.columns)
        self.fresh: list[tuple[pa.RecordBatch, np.ndarray]] = []
        self.n_fresh = 0
        self.wanted = RELEASE_ROWS

    def add(self, start: int, data: pa.Buffer) -> list[pa.RecordBatch]:
        """Take the next chunk, which starts no earlier than those before; returns what is complete."""
        found: list[pa.RecordBatch] = []
        if start < NEVER and len(self.room) + self.n_fresh >= self.wanted:
            found = self._release(start)
            self.wanted = max(RELEASE_ROWS, 2 * len(self.room))
        chunk = decode(data)
        numbers = self.filler.groups.numbers(chunk.first, chunk.second, chunk.keys)
        if chunk.side == FRAMES:
            frames = pa.RecordBatch.from_arrays(chunk.rows.columns, schema=self.filler.plan.frames)
            self.fresh.append((frames, np.repeat(numbers, np.diff(chunk.rows.bounds))))
            self.n_fresh += frames.num_rows
        else:
            self.room.add(Rows(numbers, chunk.rows.bounds, chunk.rows.ts, chunk.rows.columns))
        return found

    def finish(self) -> list[pa.RecordBatch]:
        """What the end of the bucket completes."""
        return self._release(None)

    def _release(self, bound: int | None) -> list[pa.RecordBatch]:
        if self.fresh:
            frames, groups = zip(*self.fresh, strict=True)
            self.filler.add(pa.concat_batches(frames), np.concatenate(groups))
            self.fresh, self.n_fresh = [], 0
        return self.filler.fill(self.room.release(bound, self.filler.holds), NEVER if bound is None else bound)


class Bucket(Protocol):
    """What is made of the chunks of one bucket."""

    def add(self, start: int, data: pa.Buffer) -> Iterable[pa.RecordBatch]:
        """Take the next chunk."""

    def finish(self) -> Iterable[pa.RecordBatch]:
        """There is no other chunk."""


def fold(make: Callable[[], Bucket], chunks: Iterable[tuple[int, int, pa.Buffer]]) -> Iterator[pa.RecordBatch]:
    """The results of chunks (bucket, start, bytes) that are sorted by bucket and start."""
    current: int | None = None
    bucket_fold = make()
    for bucket, start, data in chunks:
        if bucket != current and current is not None:
            yield from bucket_fold.finish()
            bucket_fold = make()
        current = bucket
        yield from bucket_fold.add(start, data)
    yield from bucket_fold.finish()
