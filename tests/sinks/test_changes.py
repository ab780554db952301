"""Which of several rows of one key is newest, against a loop over rows."""

from __future__ import annotations

from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamframes.errors import InvalidArgument, SinkError
from streamframes.sinks.changes import Changes, changes_of, newest
from tests.sinks.batches import TableBatch, state_after
from tests.thoroughness import examples

ROW = st.tuples(st.integers(-3, 3), st.sampled_from("abc"), st.integers(0, 4), st.booleans(), st.integers())


@examples(60)
@given(rows=st.lists(ROW, max_size=30), keys=st.integers(1, 2))
def test_the_newest_row_of_each_key_stays(rows: list[Any], keys: int) -> None:
    table = pa.table(dict(zip("iktfv", zip(*rows, strict=True), strict=True)) if rows else {n: [] for n in "iktfv"})
    changes = Changes(("i", "k")[:keys], ("t", "f"))
    expected = state_after([TableBatch(table, changes)])
    assert newest(table, changes).to_pylist() == expected


def test_equal_rows_are_one_and_different_rows_of_one_key_are_refused() -> None:
    table = pa.table({"frame_id": [2, 1, 1], "x": [None, float("nan"), float("nan")]})
    assert newest(table, Changes(("frame_id",)))["frame_id"].to_pylist() == [1, 2]
    with pytest.raises(SinkError, match="frame_id=1, but different x; name all columns that tell rows apart"):
        newest(pa.table({"frame_id": [1, 1], "x": [1, 2]}), Changes(("frame_id",)))


def test_rows_that_only_say_how_far_a_stream_is_are_left_out() -> None:
    table = pa.table({"frame_id": pa.array([None, 7]), "frame_rows": pa.array([None, 3])})
    changes = changes_of(table.column_names, ("frame_id",), None, "delete")
    assert newest(table, changes)["frame_id"].to_pylist() == [7]


@pytest.mark.parametrize(
    ("names", "retracted", "expected"),
    [
        ("id rows", "delete", Changes(("frame_id",), (), None, "frame_rows")),
        ("id final fragment", "delete", Changes(("frame_id",), ("frame_fragment", "frame_final"))),
        ("id final version retracted", "delete", Changes(("frame_id",), ("frame_version",), "frame_retracted")),
        ("id version retracted", "mark", Changes(("frame_id",), ("frame_version",))),
    ],
)
def test_fragments_and_versions_say_what_is_newer(names: str, retracted: str, expected: Changes) -> None:
    columns = [f"frame_{name}" for name in names.split()]
    assert changes_of(columns, ("frame_id",), None, retracted) == expected


def test_a_prefix_of_the_key_is_that_of_the_other_columns() -> None:
    found = changes_of(["loss_id", "loss_fragment", "frame_fragment"], ("loss_id",), None, "delete")
    assert found.order == ("loss_fragment",)


def test_a_key_that_is_no_column_is_refused() -> None:
    with pytest.raises(InvalidArgument, match="key='id', which is not a column; the columns are frame_id, x"):
        changes_of(["frame_id", "x"], ("id",), None, "delete")
