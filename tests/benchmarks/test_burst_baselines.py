"""Every baseline finds the alarms of a loop that is too simple to be wrong."""

from __future__ import annotations

from functools import partial
from typing import Any

import numpy as np
import pytest
from hypothesis import example, given
from hypothesis import strategies as st

from streamframes.study.baselines.bursts import BASELINES, stardust
from tests.thoroughness import examples

WAYS: dict[str, Any] = {
    **BASELINES,
    "stardust, base 4": partial(stardust, base=4),
    "stardust, base 3, capacity 5": partial(stardust, base=3, capacity=5),
    "stardust, capacity 1": partial(stardust, capacity=1),
}


def loop(values: list[int], thresholds: dict[int, float]) -> set[tuple[int, int, float]]:
    return {
        (row, window, float(sum(values[row + 1 - window : row + 1])))
        for row in range(len(values))
        for window, threshold in thresholds.items()
        if row + 1 >= window and sum(values[row + 1 - window : row + 1]) >= threshold
    }


def found(way: Any, values: list[int], thresholds: dict[int, float]) -> list[tuple[int, int, float]]:
    windows = sorted(thresholds)
    alarms, total = way(
        np.array(values, np.float64),
        np.array(windows, np.int64),
        np.array([thresholds[window] for window in windows], np.float64),
    )
    assert [column.dtype for column in alarms] == [np.int64, np.int64, np.float64]
    assert total == alarms[0].size
    return list(zip(*(column.tolist() for column in alarms), strict=True))


VALUES = st.one_of(
    st.lists(st.integers(0, 9), max_size=90),
    st.lists(st.sampled_from([0, 0, 0, 0, 0, 1, 1_000_000]), max_size=90),
    st.tuples(st.integers(0, 5), st.integers(0, 90)).map(lambda both: [both[0]] * both[1]),
)
THRESHOLDS = st.one_of(
    st.dictionaries(st.integers(1, 100), st.integers(-5, 300), min_size=1, max_size=20),
    st.dictionaries(st.integers(1, 40), st.floats(0, 2e6), min_size=1, max_size=20),
    st.tuples(st.integers(1, 30), st.integers(1, 6), st.integers(0, 40)).map(
        lambda three: {three[1] * k: 5.0 * three[1] * k + three[2] for k in range(1, three[0] + 1)}
    ),
)


@pytest.mark.parametrize("way", WAYS)
@examples(50)
@given(values=VALUES, thresholds=THRESHOLDS)
@example(values=[], thresholds={1: 0})
@example(values=[3], thresholds={1: 3, 2: 3})
@example(values=[0, 0, 0], thresholds={1: 0, 2: 0, 3: 0, 4: 0})
@example(values=[1] * 17, thresholds={5: 5, 9: 9, 17: 17, 18: 1})
def test_a_baseline_finds_what_the_loop_finds_and_nothing_twice(
    way: str, values: list[int], thresholds: dict[int, float]
) -> None:
    alarms = found(WAYS[way], values, thresholds)
    assert len(set(alarms)) == len(alarms)
    assert set(alarms) == loop(values, thresholds)


@pytest.mark.parametrize("way", WAYS)
def test_buffers_grow_and_stretches_of_rows_meet(way: str) -> None:
    values = np.random.default_rng(0).integers(0, 9, 3_000).tolist()
    thresholds: dict[int, float] = {window: 4.0 * window for window in range(1, 60, 7)}
    alarms = found(WAYS[way], values, thresholds)
    assert len(alarms) > 4_000
    assert sorted(alarms) == sorted(loop(values, thresholds))
