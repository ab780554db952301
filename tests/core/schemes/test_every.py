"""Windows near the ends of longs, and those longer than any.

Covers: streamframes.core.schemes.every
"""

from __future__ import annotations

import pytest
from hypothesis import example, given
from hypothesis import strategies as st

import streamframes as sf
from tests.thoroughness import examples

FIRST, LAST = -(2**63), 2**63 - 1
NEAR = st.integers(FIRST, FIRST + 40) | st.integers(LAST - 40, LAST) | st.integers(-20, 20)


def windows(ts: list[int], size: int, slide: int) -> list[tuple[int, int, int]]:
    """First and last row, and the number of rows, of each window that holds any."""
    held: dict[int, list[int]] = {}
    for t in sorted(ts):
        for window in range((t - size) // slide + 1, t // slide + 1):
            held.setdefault(window, []).append(t)
    return sorted((rows[0], rows[-1], len(rows)) for rows in held.values())


@examples(60)
@given(st.lists(NEAR, min_size=1, max_size=20), st.integers(1, 30), st.none() | st.integers(1, 30))
@example([LAST - 1, LAST], 10, None)
@example([FIRST, FIRST + 1, FIRST + 9], 10, 3)
@example([FIRST, LAST], 13, 1)
def test_windows_near_the_ends_of_longs_are_like_others(ts: list[int], size: int, slide: int | None) -> None:
    frames = sf.frames_of(sf.Every(size, slide=slide), ts=ts)
    assert sorted((frame.start, frame.end, frame.rows) for frame in frames) == windows(ts, size, slide or size)


def test_a_window_may_be_half_of_all_longs() -> None:
    found = sf.frames_of(sf.Every(2**62), ts=[FIRST, -(2**62) - 1, -(2**62), -1, 2**62 - 1, 2**62, LAST])
    assert [(frame.start, frame.end) for frame in found] == [
        (FIRST, -(2**62) - 1),
        (-(2**62), -1),
        (2**62 - 1, 2**62 - 1),
        (2**62, LAST),
    ]


@pytest.mark.parametrize("options", [{"size": 2**62 + 1}, {"size": 5, "slide": 2**64}])
def test_a_window_longer_than_that_is_refused(options: dict[str, int]) -> None:
    with pytest.raises(sf.InvalidArgument, match=r"Every\(\) got (size|slide)=\d+, longer than 2\^62"):
        sf.frames_of(sf.Every(**options), ts=[1])
