"""The reference of regions: connected ones, boxes and dense ones on cases worked out by hand."""

from __future__ import annotations

from collections.abc import Mapping

from tests.core.regions.worlds import drawn
from tests.oracles.region_density import dense_cells, density
from tests.oracles.region_reports import Options, Raw, resolve
from tests.oracles.region_shapes import components
from tests.oracles.regions import boxes


def connected(picture: Mapping[float, str], **options: object) -> list[tuple[object, ...]]:
    settings = Options(**options)  # type: ignore[arg-type]
    regions = components(resolve(drawn(picture), settings), settings)
    return [(r.start, r.end, r.low[0], r.high[0], r.rows, r.places, r.closed_by) for r in regions]


def test_connected_regions_share_sides_not_corners():
    assert connected({1: "xx..", 2: "..xx", 3: "..x."}) == [
        (0, 1, 1, 1, 2, 1, "condition"),
        (2, 3, 2, 3, 3, 2, "end of data"),
    ]


def test_a_connected_region_may_bend_and_join():
    assert connected({1: "xxx.", 2: "..x.", 3: "xxx."}) == [(0, 2, 1, 3, 7, 3, "condition")]


def test_a_known_place_that_says_nothing_lies_between_its_neighbours():
    assert connected({1: "xx", 3: "xx"}) == [(0, 1, 1, 3, 4, 2, "end of data")]
    two = [(0, 1, 1, 1, 2, 1, "end of data"), (0, 1, 3, 3, 2, 1, "end of data")]
    assert connected({1: "xx", 2: ".", 3: "xx"}) == two
    assert connected({1: "xx", 3: "xx"}, stations=True, places=((2.0,),), missing="holds") == two
    assert connected({1: "xx", 3: "xx"}, max_step=1) == two
    assert [each[4] for each in connected({1: "xx", 2: " .", 3: "xx"})] == [4]


def test_a_connected_region_is_closed_by_what_ends_its_last_place():
    assert connected({1: "x   x", 2: "x.   "}, max_gap=2) == [
        (0, 0, 1, 2, 2, 2, "gap"),
        (4, 4, 1, 1, 1, 1, "end of data"),
    ]
    assert connected({1: "x   x", 2: "xxxx."}, max_gap=2)[0] == (0, 3, 1, 2, 5, 2, "condition")
    assert connected({1: "x   x", 2: "xxxxx"}, max_gap=2) == [(0, 4, 1, 2, 7, 2, "end of data")]


def test_in_the_plane_neighbours_lie_along_a_line_of_known_places():
    raw = [Raw(0, place, True) for place in [(0.0, 0.0), (0.0, 2.0), (1.0, 1.0), (2.0, 2.0)]]
    regions = components(resolve(raw, Options()), Options())
    assert [(r.low, r.high, r.rows) for r in regions] == [((0.0, 0.0), (2.0, 2.0), 3), ((1.0, 1.0), (1.0, 1.0), 1)]


SQUARE = [(x, y) for x in (0.0, 1.0) for y in (0.0, 1.0)]


def test_a_box_has_no_lattice_point_that_is_no_place():
    raw = [Raw(t, place, True) for t in range(2) for place in SQUARE[:3]]
    regions = boxes(resolve(raw, Options()), Options())
    assert [(r.start, r.end, r.low, r.high) for r in regions] == [
        (0, 1, (0.0, 0.0), (0.0, 1.0)),
        (0, 1, (0.0, 0.0), (1.0, 0.0)),
    ]


def test_a_place_of_a_box_counts_since_it_is_known():
    raw = [Raw(t, place, True) for t in range(3) for place in SQUARE if t or place[0] == 0.0]
    regions = boxes(resolve(raw, Options()), Options())
    assert [(r.start, r.end, r.low, r.high, r.rows) for r in regions] == [(0, 2, (0.0, 0.0), (1.0, 1.0), 10)]


def test_a_crossing_of_known_lines_blocks_until_it_is_a_place():
    raw = [Raw(t, place, True) for t in range(3) for place in SQUARE if t or place != (1.0, 1.0)]
    regions = boxes(resolve(raw, Options()), Options())
    assert [(r.start, r.end, r.low, r.high) for r in regions] == [
        (0, 2, (0.0, 0.0), (0.0, 1.0)),
        (0, 2, (0.0, 0.0), (1.0, 0.0)),
        (1, 2, (0.0, 0.0), (1.0, 1.0)),
    ]


def test_a_known_place_that_is_silent_blocks():
    raw = [Raw(t, place, True) for t in range(3) for place in SQUARE if (t, place) != (2, (0.0, 0.0))]
    regions = boxes(resolve(raw, Options()), Options(min_places=4))
    assert [(r.start, r.end, r.rows, r.closed_by) for r in regions] == [(0, 1, 8, "condition")]


def test_a_box_ends_at_a_gap():
    raw = [Raw(t, place, True) for t in (0, 1, 9) for place in SQUARE]
    regions = boxes(resolve(raw, Options(max_gap=3)), Options(max_gap=3))
    assert [(r.start, r.end, r.rows, r.closed_by) for r in regions] == [(0, 1, 8, "gap"), (9, 9, 4, "end of data")]


def test_a_dense_region_grows_to_its_area_and_on_while_that_thins_nothing():
    assert dense_cells({(0,): 4, (1,): 4, (2,): 3}, 1, 3.0, 1.0) == [{(0,), (1,)}]
    assert dense_cells({(0,): 4, (1,): 4, (2,): 3}, 1, 3.0, 3.0) == [{(0,), (1,), (2,)}]
    assert dense_cells({(0,): 4, (1,): 1}, 1, 3.0, 2.0) == []
    assert dense_cells({(0, 0): 5, (1, 1): 5}, 1, 3.0, 3.0) == [{(0, 0), (0, 1), (1, 1)}]


def test_dense_regions_of_successive_units_that_share_a_cell_are_one():
    points = [(ts, (x,)) for ts in (0, 10, 30) for x in (0.5, 0.5)]
    regions = density(points, bin=1.0, unit=10, above=2.0)
    assert [(r.start, r.end, r.rows, r.closed_by) for r in regions] == [
        (0, 20, 4, "condition"),
        (30, 40, 2, "end of data"),
    ]
    assert [r.start for r in density(points, bin=1.0, unit=10, above=2.0, min_duration=20)] == [0]
