"""Density regions: what they are, by hand.

Covers: streamframes.core.regions.density.growth, streamframes.core.regions.density.linking,
streamframes.core.regions.density.search
"""

from __future__ import annotations

import numpy as np
import pytest

from streamframes.core.regions.density.search import DensitySearch
from streamframes.core.regions.types import CONDITION, END
from streamframes.errors import StreamFramesError

Point = tuple[int, tuple[int, ...]]


def arrays(points: list[Point], n_dims: int) -> tuple[np.ndarray, np.ndarray]:
    """Points for a feed."""
    cells = np.array([cell for _, cell in points], np.int64).reshape(-1, n_dims)
    return np.array([ts for ts, _ in points], np.int64), cells


def at(unit: int, counts: dict[int, int]) -> list[Point]:
    """Points on a line, so many in each cell, in a unit of 10 ticks."""
    return [(10 * unit, (cell,)) for cell, n in counts.items() for _ in range(n)]


def test_a_region_grows_while_its_mean_does_not_fall() -> None:
    search = DensitySearch(unit=10, bin_sizes=(2.0,), above=2.0)
    found = search.feed(*arrays(at(0, {1: 3, 2: 5, 3: 5, 4: 3}), 1), upto=20)
    assert (found.low.tolist(), found.high.tolist()) == ([[4.0]], [[8.0]])
    assert (found.rows.tolist(), found.places.tolist(), found.cause.tolist()) == ([10], [2], [CONDITION])
    assert {name: values.tolist() for name, values in found.more.items()} == {
        "area": [4.0],
        "peak": [2.5],
        "density": [2.5],
    }


def test_a_region_takes_empty_cells_until_it_is_large_enough() -> None:
    search = DensitySearch(unit=10, bin_sizes=(1.0,), above=2.0, min_area=3.0)
    found = search.feed(*arrays(at(0, {5: 7}), 1), upto=20)
    assert (found.low.tolist(), found.high.tolist(), found.rows.tolist()) == ([[3.0]], [[6.0]], [7])
    assert found.more["peak"].tolist() == [7 / 3]


def test_regions_of_two_units_that_share_a_cell_are_one_and_an_empty_unit_ends_it() -> None:
    search = DensitySearch(unit=10, bin_sizes=(1.0,), above=2.0)
    points = at(0, {0: 2}) + at(0, {4: 3}) + at(1, {0: 4, 1: 4, 2: 4, 3: 4, 4: 4}) + at(2, {2: 3})
    assert not len(search.feed(*arrays(points, 1)))
    assert (search.open_regions().start.tolist(), search.open_regions().low.tolist()) == ([0], [[0.0]])
    assert not len(search.feed(*arrays([], 1), upto=30))
    assert not len(search.feed(*arrays([], 1), upto=39))
    found = search.feed(*arrays([], 1), upto=40)
    assert (found.start.tolist(), found.end.tolist(), found.cause.tolist()) == ([0], [30], [CONDITION])
    assert (found.low.tolist(), found.high.tolist()) == ([[0.0]], [[5.0]])
    assert (found.rows.tolist(), found.places.tolist()) == ([28], [5])
    assert [found.more[name].tolist() for name in ("area", "peak", "density")] == [[5.0], [4.0], [28 / 8]]
    assert not len(search.open_regions())


def test_the_end_of_the_data_ends_what_is_open_and_only_that() -> None:
    search = DensitySearch(unit=10, bin_sizes=(1.0,), above=2.0)
    assert not len(search.feed(*arrays(at(0, {0: 2, 7: 2}) + at(1, {7: 3}), 1)))
    found = search.finish(END)
    assert (found.start.tolist(), found.end.tolist()) == ([0, 0], [10, 20])
    assert found.cause.tolist() == [CONDITION, END]
    assert not len(search.finish(END))


def test_a_seed_that_fails_is_set_aside_and_the_next_is_tried() -> None:
    search = DensitySearch(unit=10, bin_sizes=(1.0,), above=3.0, min_area=2.0)
    found = search.feed(*arrays(at(0, {0: 5, 10: 4, 11: 4}), 1), upto=20)
    assert (found.low.tolist(), found.high.tolist(), found.rows.tolist()) == ([[10.0]], [[12.0]], [8])


def test_a_seed_set_aside_may_still_be_grown_into() -> None:
    search = DensitySearch(unit=10, bin_sizes=(1.0,), above=4.0, min_area=3.0)
    # From 0 it grows to -1, 1 and 2, which is 14 / 4; from 2 to 1 and 0, which is 12 / 3.
    found = search.feed(*arrays(at(0, {-1: 2, 0: 6, 1: 1, 2: 5}), 1), upto=20)
    assert (found.low.tolist(), found.high.tolist(), found.rows.tolist()) == ([[0.0]], [[3.0]], [12])


def test_an_area_that_rounding_makes_smaller_is_large_enough() -> None:
    assert 0.7 * 0.7 < 0.49
    search = DensitySearch(unit=10, bin_sizes=(0.7, 0.7), above=1.0, min_area=0.49)
    assert search.feed(np.array([5, 5]), np.array([[0, 0], [0, 0]]), upto=20).places.tolist() == [1]


def test_what_cannot_be_searched_is_refused() -> None:
    with pytest.raises(StreamFramesError, match=r"min_area=1000.0, which is 1e\+07 cells of 0.0001"):
        DensitySearch(unit=10, bin_sizes=(0.01, 0.01), above=1.0, min_area=1000.0)
    with pytest.raises(StreamFramesError, match=r"above=0\.0"):
        DensitySearch(unit=10, bin_sizes=(1.0,), above=0.0)
    search = DensitySearch(unit=10, bin_sizes=(1.0,), above=1.0)
    search.feed(np.array([25]), np.array([[0]]))
    with pytest.raises(StreamFramesError, match="a point at tick 19 came after"):
        search.feed(np.array([19]), np.array([[0]]))
