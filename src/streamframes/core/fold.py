"""Folding: the chunks of a bucket, sorted by their start, become its frames.

A chunk that starts at `s` proves that every row before `s` has been seen, so rows before it are released and
scanned; what is held is only what overlaps. Memory follows that overlap, not the number of rows of a group.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

import pyarrow as pa

from streamframes.core.chunks import decode
from streamframes.core.columns import Rows
from streamframes.core.framer import Framer
from streamframes.core.order import WaitingRoom
from streamframes.core.plan import FramePlan

RELEASE_ROWS = 200_000


class BucketFold:
    """The framing of one bucket."""

    def __init__(self, plan: FramePlan) -> None:
        self.framer = Framer(plan)
        self.room = WaitingRoom(plan.columns)
        self.wanted = RELEASE_ROWS

    def add(self, start: int, data: pa.Buffer) -> list[pa.RecordBatch]:
        """Take the next chunk, which starts no earlier than those before; returns what is settled."""
        found: list[pa.RecordBatch] = []
        if len(self.room) >= self.wanted:
            found = self.framer.feed(self.room.release(start))
            # Where little could be released, chunks overlap: wait for more before trying again.
            self.wanted = max(RELEASE_ROWS, 2 * len(self.room))
        chunk = decode(data)
        numbers = self.framer.groups.numbers(chunk.first, chunk.second, chunk.keys)
        self.room.add(Rows(numbers, chunk.rows.bounds, chunk.rows.ts, chunk.rows.columns))
        return found

    def finish(self) -> list[pa.RecordBatch]:
        """What the end of the bucket settles."""
        return self.framer.feed(self.room.release(None)) + self.framer.finish()


def fold(plan: FramePlan, chunks: Iterable[tuple[int, int, pa.Buffer]]) -> Iterator[pa.RecordBatch]:
    """The results of chunks (bucket, start, bytes) that are sorted by bucket and start."""
    current: int | None = None
    bucket_fold = BucketFold(plan)
    for bucket, start, data in chunks:
        if bucket != current and current is not None:
            yield from bucket_fold.finish()
            bucket_fold = BucketFold(plan)
        current = bucket
        yield from bucket_fold.add(start, data)
    yield from bucket_fold.finish()
