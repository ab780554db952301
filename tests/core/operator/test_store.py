"""Stores: chunks wait until the watermark has passed their start, and parts of a shared store do not meet.

Covers: streamframes.core.operator.store
"""

from __future__ import annotations

import pyarrow as pa

from streamframes.core.batch.packer import Packer
from streamframes.core.operator import state_codec
from streamframes.core.operator.store import SharedStore, WaitingChunks
from tests.core.operator.test_stream_bucket import DictStore


def chunk_of(*ts: int) -> tuple[int, pa.Buffer]:
    keys = pa.RecordBatch.from_arrays([], schema=pa.schema([]))
    (packed,) = Packer(1).pack(pa.array(ts, pa.int64()), keys, [])
    return packed.start, pa.py_buffer(packed.data)


def test_chunks_leave_when_the_watermark_has_passed_their_start() -> None:
    waiting = WaitingChunks(DictStore())
    for chunk in (chunk_of(1, 9), chunk_of(5), chunk_of(7, 8)):
        waiting.put(*chunk)
    assert [waiting.n_rows, len(waiting)] == [5, 3]
    assert [chunk.rows.ts.tolist() for chunk in waiting.take_before(6)] == [[1, 9], [5]]
    assert waiting.n_rows == 2
    assert [chunk.rows.ts.tolist() for chunk in waiting.take_before(None)] == [[7, 8]]
    assert waiting.store.chunks == {}


def test_the_index_of_waiting_chunks_is_state() -> None:
    store = DictStore()
    waiting = WaitingChunks(store)
    waiting.put(*chunk_of(3, 4))
    again = WaitingChunks(store)
    again.restore(state_codec.decode(state_codec.encode(waiting.snapshot())))
    again.put(*chunk_of(8))
    assert [chunk.rows.ts.tolist() for chunk in again.take_before(100)] == [[3, 4], [8]]


def test_parts_of_a_store_share_its_record_and_its_numbers() -> None:
    store = DictStore()
    shared = SharedStore(store, 3)
    assert [part.read() for part in shared.parts] == [None, None, None]
    for number, part in enumerate(shared.parts):
        part.put(7, b"chunk %d" % number)
    shared.parts[0].write(b"first")
    shared.parts[2].write(b"third")
    shared.write()
    again = SharedStore(store, 3)
    assert [part.read() for part in again.parts] == [b"first", None, b"third"]
    assert [part.get(7) for part in again.parts] == [b"chunk 0", b"chunk 1", b"chunk 2"]
    again.parts[1].remove(7)
    assert len(store.chunks) == 2
