"""Pieces: chunks cut into small rows come out as they went in, wherever batches end."""

from __future__ import annotations

import itertools

import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from streamframes.core.batch.chunk import ALIGNED
from streamframes.core.batch.packer import Packed
from streamframes.core.batch.pieces import PIECE, joined, split

payloads = st.integers(1, 3 * PIECE // ALIGNED).map(lambda n: bytes(i % 251 for i in range(n * ALIGNED)))
chunks = st.lists(st.builds(Packed, st.integers(0, 7), st.integers(-5, 5), payloads), min_size=1, max_size=8)


@given(chunks, st.lists(st.integers(0, 24), max_size=6))
def test_chunks_survive_any_batches(packed: list[Packed], cuts: list[int]) -> None:
    whole = split(packed, 100)
    edges = sorted({0, whole.num_rows, *(cut for cut in cuts if cut < whole.num_rows)})
    batches = [whole.slice(low, high - low) for low, high in itertools.pairwise(edges)]
    found = [(bucket, start, bytes(data)) for bucket, start, data in joined(batches)]
    assert found == [(each.bucket, each.start, each.data) for each in packed]


def test_a_piece_is_small_and_numbered() -> None:
    batch = split([Packed(1, 2, bytes(PIECE + ALIGNED)), Packed(3, 4, bytes(ALIGNED))], 7)
    assert batch.drop_columns(["data"]).to_pylist() == [
        {"bucket": 1, "start": 2, "chunk": 7, "piece": 0},
        {"bucket": 1, "start": 2, "chunk": 7, "piece": 1},
        {"bucket": 3, "start": 4, "chunk": 8, "piece": 0},
    ]
    assert [len(each) for each in batch.column("data").to_pylist()] == [PIECE, ALIGNED, ALIGNED]


def test_no_batches_no_chunks() -> None:
    assert list(joined(iter([]))) == []
    assert list(joined([split([Packed(0, 0, bytes(ALIGNED))], 0).slice(0, 0)])) == []
    assert pa.binary() == split([Packed(0, 0, bytes(ALIGNED))], 0).schema.field("data").type
