"""Cuts: every row is in one segment, no segment is much larger than the others, and files in no order are refused."""

from __future__ import annotations

from typing import Any

import hypothesis.strategies as st
import pytest
from hypothesis import given

from streamframes.core.files.parquet import RowGroup
from streamframes.core.files.segments import split as cuts
from streamframes.core.files.segments.split import NoOrder, split_by_time


def group(number: int, low: int | None, high: int | None, rows: int = 1_000_000) -> RowGroup:
    return RowGroup(0, number, rows, low, high)


def in_a_row(count: int) -> list[RowGroup]:
    return [group(number, 10 * number, 10 * number + 9) for number in range(count)]


def test_row_groups_in_order_are_dealt_out_evenly() -> None:
    found = split_by_time([in_a_row(8)], 2)
    assert [(segment.number, segment.first, segment.low, segment.high, segment.rows) for segment in found] == [
        (0, True, None, 40, 4_000_000),
        (1, False, 40, None, 4_000_000),
    ]


def test_files_may_be_named_in_any_order() -> None:
    assert split_by_time([in_a_row(8)[::-1]], 2) == split_by_time([in_a_row(8)], 2)


def test_a_cut_goes_where_no_row_group_reaches_across() -> None:
    groups = in_a_row(8)
    groups[3] = group(3, 30, 45)
    assert [segment.high for segment in split_by_time([groups], 2)] == [30, None]


def test_a_row_group_that_reaches_across_is_read_by_both() -> None:
    groups = [group(0, 0, 10), group(1, 10, 20), group(2, 20, 30), group(3, 30, 40)]
    first, second = split_by_time([groups], 2)
    assert [each.number for each in first.chains[0]] == [0, 1]
    assert [each.number for each in second.chains[0]] == [1, 2, 3]


def test_few_rows_are_one_segment() -> None:
    found = split_by_time([[group(0, 0, 9, 100), group(1, 10, 19, 100)]], 8)
    assert [(segment.first, segment.low, segment.high) for segment in found] == [(True, None, None)]


def test_whole_chains_share_a_segment() -> None:
    found = split_by_time([in_a_row(1) for _ in range(10)], 2)
    assert [(segment.first, len(segment.chains)) for segment in found] == [(True, 5), (True, 5)]


@pytest.mark.parametrize(
    ("groups", "why"),
    [
        ([group(0, None, None), group(1, 0, 9)], "no statistics"),
        ([group(number, 0, 100, 4_000_000) for number in range(4)], "overlap in time"),
    ],
)
def test_without_an_order_there_are_no_segments(groups: Any, why: str) -> None:
    with pytest.raises(NoOrder, match=why):
        split_by_time([groups], 2)


ranges = st.lists(st.tuples(st.integers(0, 60), st.integers(0, 30), st.integers(1, 50)), min_size=1, max_size=12)


@given(ranges=ranges, wanted=st.integers(1, 5))
def test_every_instant_of_every_row_group_is_in_one_leg(ranges: Any, wanted: int) -> None:
    groups = [group(i, low, low + length, rows) for i, (low, length, rows) in enumerate(ranges)]
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(cuts, "LEAST_ROWS", 1)
        patch.setattr(cuts, "MOST_READ", 100)
        found = split_by_time([groups], wanted)
    for each in groups:
        for instant in range(each.low or 0, (each.high or 0) + 1):
            holding = [
                segment
                for segment in found
                if (segment.low is None or segment.low <= instant) and (segment.high is None or instant < segment.high)
            ]
            assert [each in segment.chains[0] for segment in holding] == [True]
