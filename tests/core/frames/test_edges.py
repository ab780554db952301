"""Edges: frames that are expanded, split and shifted before they are filled."""

from __future__ import annotations

import numpy as np
import pyarrow as pa
import pytest

import streamframes as sf
from streamframes.core.frames.edges import Expand, Move, Shift, Split, edges, lookback_of, moved
from tests.oracles.fill import moved_schema

FIRST, LAST = -(2**63), 2**63 - 1


def frames(*edges: tuple[int | None, int | None]) -> pa.RecordBatch:
    """Frames with nothing but their edges."""
    start, end = zip(*edges, strict=True)
    return pa.RecordBatch.from_pydict(
        {"frame_start": pa.array(start, pa.int64()), "frame_end": pa.array(end, pa.int64())}
    )


def after(batch: pa.RecordBatch, *moves: Move) -> list[tuple[int | None, ...]]:
    """The columns of each frame after moves."""
    result = moved(batch, moves, "frame_")
    assert result.schema.equals(moved_schema(batch.schema, moves, "frame_"))
    return [tuple(row.values()) for row in result.to_pylist()]


def test_expand_stops_at_the_first_and_last_instant_there_is() -> None:
    batch = frames((10, 20), (FIRST + 1, LAST - 1))
    assert after(batch, Expand(before=3, after=5)) == [(7, 25), (FIRST, LAST)]


def test_split_cuts_at_multiples_and_numbers_the_pieces() -> None:
    assert after(frames((-3, 12)), Split(10)) == [(-3, -1, 0), (0, 9, 1), (10, 12, 2)]


def test_both_edges_of_a_shift_are_computed_from_the_frame_as_it_was() -> None:
    assert after(frames((10, 20)), Shift("frame_end", "frame_start + 30")) == [(20, 40)]


def test_an_end_that_is_not_final_stays() -> None:
    batch = moved(frames((10, 20), (10, 20)), [Expand(after=5)], "frame_", np.array([True, False]))
    assert batch.column("frame_end").to_pylist() == [25, 20]


def test_a_frame_without_an_instant_stays_as_it_is() -> None:
    batch = frames((None, 3), (5, 4))
    assert after(batch, Expand(1, 1)) == [(None, 3), (5, 4)]
    assert after(batch, Split(10)) == [(None, 3, 0), (5, 4, 0)]
    assert edges(batch, "frame_")[2].tolist() == [False, False]


def test_a_shift_beyond_its_lookback_is_refused() -> None:
    assert lookback_of([Expand(before=2), Shift("frame_start - 9", None, 9), Split(4)]) == 11
    assert after(frames((10, 20)), Shift("frame_start - 9", None, 9)) == [(1, 20)]
    with pytest.raises(sf.StreamFramesError, match=r"further back than its lookback says; give a larger lookback="):
        after(frames((10, 20)), Shift("frame_start - 9", None, 8))
