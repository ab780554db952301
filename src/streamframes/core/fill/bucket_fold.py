"""The bucket of a table that is filled: frames and rows meet, each in the order of its start."""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from streamframes.core.batch.chunk import decode
from streamframes.core.batch.reorder_buffer import ReorderBuffer
from streamframes.core.batch.rows import Rows
from streamframes.core.fill.pending_frames import NEVER, Filler
from streamframes.core.fill.plan import FRAMES, FillPlan
from streamframes.core.operator.table_bucket import RELEASE_ROWS


class FillFold:
    """The filling of one bucket of a table."""

    def __init__(self, plan: FillPlan) -> None:
        self.filler = Filler(plan)
        self.buffer = ReorderBuffer(plan.columns)
        self.fresh: list[tuple[pa.RecordBatch, np.ndarray]] = []
        self.n_fresh = 0
        self.wanted = RELEASE_ROWS

    def add(self, start: int, data: pa.Buffer) -> list[pa.RecordBatch]:
        """Take the next chunk, which starts no earlier than those before; returns what is complete."""
        found: list[pa.RecordBatch] = []
        if start < NEVER and len(self.buffer) + self.n_fresh >= self.wanted:
            found = self._release(start)
            self.wanted = max(RELEASE_ROWS, 2 * len(self.buffer))
        chunk = decode(data)
        numbers = self.filler.groups.numbers(chunk.first, chunk.second, chunk.keys)
        if chunk.input_number == FRAMES:
            frames = pa.RecordBatch.from_arrays(chunk.rows.columns, schema=self.filler.plan.frames)
            self.fresh.append((frames, np.repeat(numbers, np.diff(chunk.rows.bounds))))
            self.n_fresh += frames.num_rows
        else:
            self.buffer.add(Rows(numbers, chunk.rows.bounds, chunk.rows.ts, chunk.rows.columns))
        return found

    def finish(self) -> list[pa.RecordBatch]:
        """What the end of the bucket completes."""
        return self._release(None)

    def _release(self, bound: int | None) -> list[pa.RecordBatch]:
        if self.fresh:
            frames, groups = zip(*self.fresh, strict=True)
            self.filler.add(pa.concat_batches(frames), np.concatenate(groups))
            self.fresh, self.n_fresh = [], 0
        return self.filler.fill(self.buffer.release(bound, self.filler.holds), NEVER if bound is None else bound)
