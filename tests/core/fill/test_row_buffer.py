"""The row buffer: only chunks that may hold rows of a frame are opened, and useless ones go.

Covers: streamframes.core.fill.row_buffer
"""

from __future__ import annotations

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import GroupIndex, fingerprints
from streamframes.core.batch.rows import Rows
from streamframes.core.fill.row_buffer import RowBuffer
from tests.core.operator.test_stream_bucket import DictStore

KEYS = pa.schema([("key", pa.string())])


def buffer_of(*groups: str) -> RowBuffer:
    index = GroupIndex(KEYS)
    keys = pa.RecordBatch.from_arrays([pa.array(groups)], schema=KEYS)
    index.numbers(*fingerprints(keys.columns, len(groups)), keys)
    return RowBuffer(DictStore(), index)


def rows_of(*runs: range) -> Rows:
    """Rows of the groups 0, 1, ... at these instants."""
    some = [group for group, run in enumerate(runs) if len(run)]
    ts = np.concatenate([np.array(run, np.int64) for run in runs])
    bounds = np.cumsum([0, *(len(runs[group]) for group in some)])
    return Rows(np.array(some), bounds, ts, [pa.array(ts.astype(np.float64))])


def looked(buffer: RowBuffer, low: list[int], high: list[int]) -> list[list[int]]:
    return [rows.ts.tolist() for rows in buffer.look(np.array(low), np.array(high))]


def test_a_chunk_is_opened_for_its_own_groups_and_instants_only() -> None:
    buffer = buffer_of("a", "b")
    buffer.put(rows_of(range(3), range(3)))
    buffer.put(rows_of(range(10, 12), range(0)))
    assert buffer.n_rows == 8
    assert looked(buffer, [5, 5], [20, 20]) == [[10, 11]]
    assert looked(buffer, [99, 2], [99, 9]) == [[0, 1, 2, 0, 1, 2]]
    assert looked(buffer, [3, 3], [9, 99]) == []


def test_useless_chunks_go_unopened_and_mostly_useless_ones_are_written_anew() -> None:
    buffer = buffer_of("a", "b")
    buffer.put(rows_of(range(3), range(0)))
    buffer.put(rows_of(range(8), range(2)))
    buffer.put(rows_of(range(2), range(8)))
    buffer.purge(np.array([9, 0]))
    assert looked(buffer, [0, 0], [99, 99]) == [[0, 1, *range(8)], [0, 1]]
    assert len(buffer.store.chunks) == 2
    assert buffer.busy_groups.tolist() == [0, 1, 1]
    buffer.purge(np.array([9, 9]))
    assert [buffer.n_rows, len(buffer.store.chunks)] == [0, 0]
