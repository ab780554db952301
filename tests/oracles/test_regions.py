"""The reference of regions: rectangles on cases worked out by hand."""

from __future__ import annotations

import pytest

from tests.core.regions.worlds import drawn
from tests.oracles.region_reports import Options, Raw, Resolved, resolve
from tests.oracles.regions import preferred, rectangles


def spelled(resolved: Resolved, place: float) -> str:
    """The reports of a place at each column: x satisfied, i imputed, . not satisfied, blank none."""
    letters = {r.ts: "i" if r.imputed else "x" if r.true else "." for r in resolved.reports if r.place == (place,)}
    return "".join(letters.get(ts, " ") for ts in resolved.times)


def found(raw: list[Raw], **options: object) -> list[tuple[object, ...]]:
    """Start, end, low, high, rows and what closed each rectangle."""
    settings = Options(**options)  # type: ignore[arg-type]
    regions = rectangles(resolve(raw, settings), settings)
    return [(r.start, r.end, r.low[0], r.high[0], r.rows, r.closed_by) for r in regions]


FIGURE = {
    3: "............",
    4: "....xxxx....",
    5: "....xxxxxxx.",
    6: "....xxxxxxx.",
    7: "....xxxxxxx.",
    8: "....xxxxxxx.",
    9: ".....xxxxxx.",
}


def test_the_figure_of_the_paper_has_two_regions_of_four_places_and_five_times():
    assert found(drawn(FIGURE), min_places=4, min_times=5) == [
        (4, 10, 5, 8, 28, "condition"),
        (5, 10, 5, 9, 30, "condition"),
    ]
    assert found(drawn(FIGURE), min_places=4) == [
        (4, 7, 4, 8, 20, "condition"),
        (4, 10, 5, 8, 28, "condition"),
        (5, 7, 4, 9, 18, "condition"),
        (5, 10, 5, 9, 30, "condition"),
    ]


def test_of_overlapping_regions_the_preferred_stays():
    options = Options(min_places=4)
    regions = rectangles(resolve(drawn(FIGURE), options), options)

    def kept(how: str) -> list[tuple[int, int, float, float]]:
        return [(r.start, r.end, r.low[0], r.high[0]) for r in preferred(regions, how)]

    assert kept("largest") == [(5, 10, 5, 9)]
    assert kept("longest") == [(4, 10, 5, 8)]
    assert kept("widest") == [(5, 7, 4, 9)]


def test_what_overlaps_only_a_region_that_went_stays():
    raw = drawn({1: "xxx..", 2: "..xx.", 3: "...xx"})
    regions = rectangles(resolve(raw, Options()), Options())
    assert [(r.start, r.end, r.low[0], r.high[0]) for r in regions] == [
        (0, 2, 1, 1), (2, 2, 1, 2), (2, 3, 2, 2), (3, 3, 2, 3), (3, 4, 3, 3),
    ]  # fmt: skip
    assert [r.box[:2] for r in preferred(regions, "longest")] == [(0, 2), (2, 3), (3, 4)]
    assert [r.box[:2] for r in preferred(regions, "widest")] == [(2, 2), (3, 3)]


def test_a_hole_lies_in_no_region():
    assert found(drawn({1: "xxx", 2: "x.x", 3: "xxx"})) == [
        (0, 0, 1, 3, 3, "condition"),
        (0, 2, 1, 1, 3, "end of data"),
        (0, 2, 3, 3, 3, "end of data"),
        (2, 2, 1, 3, 3, "end of data"),
    ]


def test_two_points_with_nothing_else_make_one_rectangle():
    assert found([Raw(0, (5.0,), True), Raw(3, (9.0,), True)]) == [(0, 3, 5, 9, 2, "end of data")]


def test_a_rectangle_ends_at_reports_not_at_the_point_in_its_way():
    raw = [Raw(0, (1.0,), True), Raw(2, (2.0,), False), Raw(4, (3.0,), True)]
    assert found(raw) == [(0, 0, 1, 1, 1, "end of data"), (4, 4, 3, 3, 1, "end of data")]


def test_a_gap_cuts_a_place_and_all_rectangles_over_it():
    raw = drawn({1: "xx   xx", 2: "xxxxxxx"})
    assert found(raw, max_gap=2) == [
        (0, 4, 1, 2, 7, "gap"),
        (0, 6, 2, 2, 7, "end of data"),
        (2, 6, 1, 2, 7, "end of data"),
    ]


def test_a_failing_report_comes_before_a_gap_at_the_same_instant():
    raw = drawn({1: "xx   x", 2: "xxxxx."})
    assert found(raw, max_gap=2, min_places=2) == [(0, 4, 1, 2, 7, "condition")]


def test_neighbours_too_far_apart_share_a_region_once_a_place_between_them_is_known():
    assert found(drawn({1: "xx", 5: "xx"}), max_step=2) == [
        (0, 1, 1, 1, 2, "end of data"),
        (0, 1, 5, 5, 2, "end of data"),
    ]
    raw = drawn({1: "xxx", 3: "  x", 5: "xxx"})
    assert found(raw, max_step=2) == [(0, 2, 1, 5, 7, "end of data")]


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"missing": None}, "x..x...x."),
        ({"missing": "ends"}, "x..x...x."),
        ({"missing": "false"}, "x..x...x."),
        ({"missing": "holds"}, "x  x.  x "),
        ({"missing": "holds", "max_missing": 1}, "x .x. .x "),
        ({"missing": "true"}, "xiix...xi"),
        ({"missing": "true", "open_on": "any"}, "xiix.iixi"),
        ({"missing": "true", "max_missing": 1}, "xi.x...xi"),
        ({"missing": "true", "max_missing": 1, "open_on": "any"}, "xi.x.i.xi"),
        ({"missing": "true", "max_missing": 0}, "x..x...x."),
    ],
)
def test_a_silent_station_in_each_mode(options, expected):
    raw = drawn({1: "xxxxxxxxx", 2: "x  x.? x "})
    assert spelled(resolve(raw, Options(stations=True, **options)), 2) == expected


@pytest.mark.parametrize(
    ("options", "expected"),
    [
        ({"missing": "ends"}, "..x"),
        ({"missing": "holds"}, "  x"),
        ({"missing": "holds", "max_missing": 1}, " .x"),
        ({"missing": "true"}, "..x"),
        ({"missing": "true", "open_on": "any"}, "iix"),
    ],
)
def test_a_listed_place_is_expected_from_the_first_column_and_others_from_their_first_report(options, expected):
    raw = drawn({1: "xxx", 2: "  x"})
    assert spelled(resolve(raw, Options(stations=True, places=((2.0,),), **options)), 2) == expected
    assert spelled(resolve(raw, Options(stations=True, **options)), 2) == "  x"


def test_only_what_was_reported_exists_among_points_and_a_bad_report_is_not_satisfied():
    assert spelled(resolve(drawn({1: "xxxxx", 2: "x ?x "}), Options()), 2) == "x .x "


def test_of_two_reports_of_a_place_and_instant_the_last_counts():
    raw = [
        Raw(0, (1.0,), True),
        Raw(1, (1.0,), False),
        Raw(1, (1.0,), True),
        Raw(2, (1.0,), True),
        Raw(2, (1.0,), None),
    ]
    assert spelled(resolve(raw, Options()), 1) == "xx."


def test_regions_go_on_over_held_reports_but_end_on_others():
    raw = drawn({1: "xx?x?", 2: "xxxxx"})
    assert found(raw, stations=True, missing="holds") == [(0, 4, 1, 2, 8, "end of data")]
    raw = drawn({1: "xx?x?"})
    assert found(raw, stations=True, missing="holds") == [(0, 3, 1, 1, 3, "end of data")]


def test_no_time_that_was_held_counts_against_a_gap_twice():
    resolved = resolve(drawn({1: "x??x", 2: "xxxx"}), Options(stations=True, missing="holds", max_gap=2))
    assert [report.broken for report in resolved.reports if report.place == (1.0,)] == [False, True]
    resolved = resolve(drawn({1: "x??x", 2: "xxxx"}), Options(stations=True, missing="true", max_gap=2))
    assert not any(report.broken for report in resolved.reports)
