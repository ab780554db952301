"""Density regions: what they are, and that they are the same however the points come."""

from __future__ import annotations

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamframes.core import state
from streamframes.core.regions.density import Density
from streamframes.core.regions.found import CONDITION, END, Found
from streamframes.errors import StreamFramesError
from tests.core.regions.literal_density import Cell, Dense, Grid, dense

Point = tuple[int, Cell]


def as_dense(found: Found, sides: tuple[int, ...]) -> list[Dense]:
    """Regions as tuples; edges by the numbers of cells."""
    corners = (
        [tuple(int(v) for v in corner) for corner in (edge / sides).tolist()]
        for edge in (found.low, found.high, found.named)
    )
    low, high, name = corners
    counts = (found.rows.tolist(), found.places.tolist())
    more = (found.more[each].tolist() for each in ("area", "peak", "density"))
    return list(zip(found.start.tolist(), found.end.tolist(), low, high, *counts, *more, name, strict=True))


def arrays(points: list[Point], n_dims: int) -> tuple[np.ndarray, np.ndarray]:
    """Points for a feed."""
    cells = np.array([cell for _, cell in points], np.int64).reshape(-1, n_dims)
    return np.array([ts for ts, _ in points], np.int64), cells


def at(unit: int, counts: dict[int, int]) -> list[Point]:
    """Points on a line, so many in each cell, in a unit of 10 ticks."""
    return [(10 * unit, (cell,)) for cell, n in counts.items() for _ in range(n)]


def test_a_region_grows_while_its_mean_does_not_fall() -> None:
    search = Density(unit=10, sides=(2.0,), above=2.0)
    found = search.feed(*arrays(at(0, {1: 3, 2: 5, 3: 5, 4: 3}), 1), upto=20)
    assert (found.low.tolist(), found.high.tolist()) == ([[4.0]], [[8.0]])
    assert (found.rows.tolist(), found.places.tolist(), found.cause.tolist()) == ([10], [2], [CONDITION])
    assert {name: values.tolist() for name, values in found.more.items()} == {
        "area": [4.0],
        "peak": [2.5],
        "density": [2.5],
    }


def test_a_region_takes_empty_cells_until_it_is_large_enough() -> None:
    search = Density(unit=10, sides=(1.0,), above=2.0, min_area=3.0)
    found = search.feed(*arrays(at(0, {5: 7}), 1), upto=20)
    assert (found.low.tolist(), found.high.tolist(), found.rows.tolist()) == ([[3.0]], [[6.0]], [7])
    assert found.more["peak"].tolist() == [7 / 3]


def test_regions_of_two_units_that_share_a_cell_are_one_and_an_empty_unit_ends_it() -> None:
    search = Density(unit=10, sides=(1.0,), above=2.0)
    points = at(0, {0: 2}) + at(0, {4: 3}) + at(1, {0: 4, 1: 4, 2: 4, 3: 4, 4: 4}) + at(2, {2: 3})
    assert not len(search.feed(*arrays(points, 1)))
    assert (search.live().start.tolist(), search.live().low.tolist()) == ([0], [[0.0]])
    assert not len(search.feed(*arrays([], 1), upto=30))
    assert not len(search.feed(*arrays([], 1), upto=39))
    found = search.feed(*arrays([], 1), upto=40)
    assert as_dense(found, (1,)) == [(0, 30, (0,), (5,), 28, 5, 5.0, 4.0, 28 / 8, (0,))]
    assert found.cause.tolist() == [CONDITION]
    assert not len(search.live())


def test_the_end_of_the_data_ends_what_is_open_and_only_that() -> None:
    search = Density(unit=10, sides=(1.0,), above=2.0)
    assert not len(search.feed(*arrays(at(0, {0: 2, 7: 2}) + at(1, {7: 3}), 1)))
    found = search.finish(END)
    assert (found.start.tolist(), found.end.tolist()) == ([0, 0], [10, 20])
    assert found.cause.tolist() == [CONDITION, END]
    assert not len(search.finish(END))


def test_a_seed_that_fails_is_set_aside_and_the_next_is_tried() -> None:
    search = Density(unit=10, sides=(1.0,), above=3.0, min_area=2.0)
    found = search.feed(*arrays(at(0, {0: 5, 10: 4, 11: 4}), 1), upto=20)
    assert (found.low.tolist(), found.high.tolist(), found.rows.tolist()) == ([[10.0]], [[12.0]], [8])


def test_a_seed_set_aside_may_still_be_grown_into() -> None:
    search = Density(unit=10, sides=(1.0,), above=4.0, min_area=3.0)
    # From 0 it grows to -1, 1 and 2, which is 14 / 4; from 2 to 1 and 0, which is 12 / 3.
    found = search.feed(*arrays(at(0, {-1: 2, 0: 6, 1: 1, 2: 5}), 1), upto=20)
    assert (found.low.tolist(), found.high.tolist(), found.rows.tolist()) == ([[0.0]], [[3.0]], [12])


def test_an_area_that_rounding_makes_smaller_is_large_enough() -> None:
    assert 0.7 * 0.7 < 0.49
    search = Density(unit=10, sides=(0.7, 0.7), above=1.0, min_area=0.49)
    assert search.feed(np.array([5, 5]), np.array([[0, 0], [0, 0]]), upto=20).places.tolist() == [1]


def test_what_cannot_be_searched_is_refused() -> None:
    with pytest.raises(StreamFramesError, match=r"min_area=1000.0, which is 1e\+07 cells of 0.0001"):
        Density(unit=10, sides=(0.01, 0.01), above=1.0, min_area=1000.0)
    with pytest.raises(StreamFramesError, match=r"above=0\.0"):
        Density(unit=10, sides=(1.0,), above=0.0)
    search = Density(unit=10, sides=(1.0,), above=1.0)
    search.feed(np.array([25]), np.array([[0]]))
    with pytest.raises(StreamFramesError, match="a point at tick 19 came after"):
        search.feed(np.array([19]), np.array([[0]]))


@st.composite
def crowds(draw: st.DrawFn) -> tuple[list[Point], Grid]:
    """Points in few cells and units, and what is dense there."""
    sides = draw(st.sampled_from([(1,), (2,), (1, 1), (2, 1)]))
    reach = 4 if len(sides) == 1 else 2
    cell = st.tuples(*[st.integers(-reach, reach)] * len(sides))
    ts = st.integers(-12, draw(st.sampled_from([5, 20])))
    point = st.tuples(ts, cell, st.sampled_from([1, 1, 2, 5]))
    points = [(t, c) for t, c, n in draw(st.lists(point, max_size=40)) for _ in range(n)]
    above, min_area = draw(st.sampled_from([0.5, 1.0, 2.0, 3.0])), draw(st.sampled_from([0.0, 1.0, 2.0, 3.0, 7.0]))
    return sorted(points, key=lambda p: p[0]), Grid(draw(st.sampled_from([5, 10])), sides, above, min_area)


@settings(max_examples=400)
@given(crowds(), st.data())
def test_regions_are_those_of_the_definition_however_the_points_come(
    crowd: tuple[list[Point], Grid], data: st.DataObject
) -> None:
    points, grid = crowd
    min_duration = data.draw(st.sampled_from([0, 0, 10]))

    def fresh() -> Density:
        return Density(
            unit=grid.unit, sides=grid.sides, above=grid.above, min_area=grid.min_area, min_duration=min_duration
        )  # fmt: skip

    search = fresh()
    found: list[Dense] = []
    cuts = sorted(data.draw(st.lists(st.integers(0, len(points)), max_size=4)))
    for start, stop in zip([0, *cuts], [*cuts, len(points)], strict=True):
        # All points before the next one have come; at the end, all there are.
        latest = points[stop][0] if stop < len(points) else 50
        upto = data.draw(st.sampled_from([None, latest, latest - 3]))
        found += as_dense(search.feed(*arrays(points[start:stop], len(grid.sides)), upto), grid.sides)
        if data.draw(st.booleans()):
            saved = state.decode(state.encode(search.save()))
            search = fresh()
            search.load(saved)
    found += as_dense(search.finish(END), grid.sides)
    assert sorted(found) == dense(points, grid, min_duration)
    assert not len(search.live())
