"""Packing: every row is in one chunk, that of its group's bucket, whatever comes back out of its bytes.

Covers: streamframes.core.batch.packer, streamframes.core.batch.chunk, streamframes.core.batch.rows
"""

from __future__ import annotations

import itertools

import hypothesis.strategies as st
import numpy as np
import pyarrow as pa
from hypothesis import given

from streamframes.core.batch.chunk import Chunk, decode, encode, summary_of
from streamframes.core.batch.clock import MIN_INSTANT
from streamframes.core.batch.packer import ALL_GROUPS, DATA, ONE_GROUP, TIME_BUCKETS, Packed, Packer, split_by_time
from streamframes.core.batch.rows import Rows, gather
from tests.thoroughness import examples

KEYS = pa.schema([("key", pa.string())])
ROWS = st.lists(
    st.tuples(st.sampled_from(["a", "b", "c", None]), st.one_of(st.integers(-9, 99), st.none()), st.integers(0, 5)),
    min_size=1,
    max_size=40,
)


def packed(
    rows: list[tuple[object, object, object]], buckets: int, kinds: list[int] | None = None, *, encoded: bool = False
) -> list[Packed]:
    texts = pa.array([key for key, _, _ in rows], pa.string())
    keys = pa.RecordBatch.from_arrays([texts.dictionary_encode() if encoded else texts], KEYS.names)
    columns = [pa.array([value for _, _, value in rows], pa.int64())]
    ts = pa.array([ts for _, ts, _ in rows], pa.int64())
    return list(Packer(buckets, 1).pack(ts, keys, columns, None if kinds is None else pa.array(kinds, pa.int8())))


def opened(chunk: Packed) -> Chunk:
    return decode(pa.py_buffer(chunk.data))


def rows_in(chunk: Chunk) -> list[tuple[object, ...]]:
    keys = chunk.keys.column(0).take(pa.array(chunk.rows.group_of_row)).to_pylist()
    return list(zip(keys, chunk.rows.ts.tolist(), chunk.rows.columns[0].to_pylist(), strict=True))


@examples(50)
@given(rows=ROWS, buckets=st.integers(1, 4))
def test_keys_that_are_a_dictionary_make_the_same_chunks(
    rows: list[tuple[object, object, object]], buckets: int
) -> None:
    assert packed(rows, buckets, encoded=True) == packed(rows, buckets)


@examples(100)
@given(rows=ROWS, buckets=st.integers(1, 4))
def test_every_row_with_an_instant_is_in_the_bucket_of_its_group(
    rows: list[tuple[object, object, object]], buckets: int
) -> None:
    chunks = packed(rows, buckets)
    found = [row for chunk in chunks for row in rows_in(opened(chunk))]
    assert sorted(map(repr, found)) == sorted(repr(row) for row in rows if row[1] is not None)
    for chunk in chunks:
        inside = opened(chunk)
        assert set((inside.first % np.uint64(buckets)).tolist()) == {chunk.bucket}
        assert chunk.start == inside.rows.ts.min()
        assert [summary_of(pa.py_buffer(chunk.data)).rows, inside.input_number] == [len(inside.rows), 1]
        assert encode(inside) == chunk.data
        for low, high in zip(inside.rows.bounds[:-1], inside.rows.bounds[1:], strict=True):
            assert (np.diff(inside.rows.ts[low:high]) >= 0).all()


def test_punctuation_is_no_row_and_that_of_all_groups_goes_to_every_bucket() -> None:
    rows: list[tuple[object, object, object]] = [("a", 1, 0), ("a", 7, 0), ("b", 9, 0)]
    chunks = packed(rows, 2, [DATA, ONE_GROUP, ALL_GROUPS])
    assert sorted(chunk.bucket for chunk in chunks if not chunk.data) == [0, 1]
    assert {chunk.start for chunk in chunks if not chunk.data} == {9}
    (of_a,) = [opened(chunk) for chunk in chunks if chunk.data]
    assert rows_in(of_a) == [("a", 1, 0)]
    assert of_a.upto.tolist() == [7]


def test_rows_in_no_order_are_cut_into_time_buckets() -> None:
    rows: list[tuple[object, object, object]] = [("a", ts, 0) for ts in [500, *range(1000), 3]]
    chunks = packed(rows, 1)
    assert 1 < len(chunks) <= TIME_BUCKETS + 1
    spans = sorted((int(opened(chunk).rows.ts.min()), int(opened(chunk).rows.ts.max())) for chunk in chunks)
    assert all(before[1] < after[0] for before, after in itertools.pairwise(spans))
    whole = next(split_by_time(opened(chunks[0]), least=1 << 40))
    assert len(whole.rows) == len(opened(chunks[0]).rows)


@examples(100)
@given(rows=ROWS, cuts=st.integers(1, 5))
def test_parts_of_rows_are_gathered_by_group_in_the_order_of_the_parts(
    rows: list[tuple[object, object, object]], cuts: int
) -> None:
    parts = [
        Rows(np.array([number % 3]), np.array([0, len(part)]), np.arange(len(part)), [pa.array([r[2] for r in part])])
        for number, part in enumerate(rows[at : at + cuts] for at in range(0, len(rows), cuts))
    ]
    whole = gather(parts)
    expected = {group: [p for p in parts if p.groups[0] == group] for group in {int(p.groups[0]) for p in parts}}
    for group, low, high in zip(whole.groups.tolist(), whole.bounds[:-1], whole.bounds[1:], strict=True):
        values = [value for part in expected[group] for value in part.columns[0].to_pylist()]
        assert whole.columns[0].slice(low, high - low).to_pylist() == values
    assert sorted(whole.groups.tolist()) == sorted(expected)


def test_a_filtered_chunk_keeps_what_is_known_of_its_groups() -> None:
    (chunk,) = [opened(each) for each in packed([("a", 1, 0), ("b", 2, 1)], 1)]
    left = chunk.filter(chunk.rows.ts == 2)
    assert rows_in(left) == [("b", 2, 1)]
    assert left.upto.tolist() == [MIN_INSTANT]
    assert left.input_number == 1
