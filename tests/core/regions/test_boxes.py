"""Boxes: what they are, by hand; and that they need no room without end.

Covers: streamframes.core.regions.boxes.imputations, streamframes.core.regions.boxes.kernel,
streamframes.core.regions.boxes.search, streamframes.core.regions.tables
"""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

import numpy as np
import pytest

from streamframes.core.regions.boxes.search import BoxSearch
from streamframes.core.regions.types import BREAK, END, FALSE, HELD, IMPUTED, TRUE, Columns, Limits, Regions
from streamframes.errors import StreamFramesError

Place = tuple[float, float]
# Start, end, (low x, low y), (high x, high y), rows, places, imputed, cause.
Box = tuple[int, int, Place, Place, int, int, int, int]
CODES = {"F": FALSE, "T": TRUE, "I": IMPUTED, "H": HELD, "t": TRUE | BREAK}


@dataclass
class World:
    """Reports by column: place -> what it means."""

    times: list[int]
    reports: list[dict[Place, int]]
    listed: frozenset[Place]


def as_boxes(found: Regions) -> list[Box]:
    """Regions as tuples."""
    corners = [list(map(tuple, edge.tolist())) for edge in (found.low, found.high)]
    counts = (found.rows, found.places, found.imputed, found.cause)
    ends = (found.start.tolist(), found.end.tolist())
    return list(zip(*ends, *corners, *(each.tolist() for each in counts), strict=True))


def drawn(pictures: list[list[str]], listed: frozenset[Place] = frozenset()) -> World:
    """Columns at 0, 10, 20, ...; each a picture, the line of the highest y first; `.` no report, `t` after a gap."""
    reports = [
        {
            (float(x), float(len(picture) - 1 - y)): CODES[mark]
            for y, line in enumerate(picture)
            for x, mark in enumerate(line)
            if mark != "."
        }
        for picture in pictures
    ]
    return World([10 * k for k in range(len(pictures))], reports, listed)


def searched(world: World, **limits: Any) -> tuple[BoxSearch, list[Box]]:
    """The search after all columns of a world, and the boxes that have ended."""
    search = BoxSearch(Limits(**{"extent": (0.0, 0.0), **limits}))
    places = sorted(world.listed.union(*world.reports))
    search.add_places(np.arange(0), np.array(places), np.array([place in world.listed for place in places], np.bool_))
    flat = [(places.index(place), code) for column in world.reports for place, code in sorted(column.items())]
    given = Columns(
        np.array(world.times, np.int64),
        np.cumsum([0, *map(len, world.reports)]),
        np.array([place_id for place_id, _ in flat], np.int64),
        np.array([code for _, code in flat], np.uint8),
    )
    return search, as_boxes(search.feed(given))


def found(world: World, **limits: Any) -> list[Box]:
    """All boxes of a world."""
    search, ended = searched(world, **limits)
    return sorted(ended + as_boxes(search.finish(END)))


def test_a_box_ends_when_one_of_its_places_fails_and_the_others_go_on() -> None:
    world = drawn([["TT", "TT"], ["TT", "TT"], ["TF", "TT"]])
    assert found(world) == [
        (0, 10, (0.0, 0.0), (1.0, 1.0), 8, 4, 0, 1),
        (0, 20, (0.0, 0.0), (0.0, 1.0), 6, 2, 0, 4),
        (0, 20, (0.0, 0.0), (1.0, 0.0), 6, 2, 0, 4),
    ]
    still_open = searched(world)[0].open_regions()
    assert still_open.start.tolist() == [0, 0]
    assert sorted(map(tuple, still_open.high.tolist())) == [(0.0, 1.0), (1.0, 0.0)]


def test_a_place_that_does_not_report_or_is_held_ends_a_box() -> None:
    for mark in ".H":
        world = drawn([["TT"], ["T" + mark], ["TT"]])
        assert found(world) == [
            (0, 0, (0.0, 0.0), (1.0, 0.0), 2, 2, 0, 1),
            (0, 20, (0.0, 0.0), (0.0, 0.0), 3, 1, 0, 4),
            (20, 20, (0.0, 0.0), (1.0, 0.0), 2, 2, 0, 4),
        ]


def test_a_point_without_a_place_keeps_boxes_apart() -> None:
    assert found(drawn([["TT", "T."]])) == [
        (0, 0, (0.0, 0.0), (0.0, 1.0), 2, 2, 0, 4),
        (0, 0, (0.0, 1.0), (1.0, 1.0), 2, 2, 0, 4),
    ]


def test_a_line_that_becomes_known_ends_boxes_across_it_where_it_has_no_place() -> None:
    world = drawn([["T.T", "T.T"], ["T.T", "TTT"]])
    assert found(world) == [
        (0, 0, (0.0, 0.0), (2.0, 1.0), 4, 4, 0, 1),
        (0, 10, (0.0, 0.0), (0.0, 1.0), 4, 2, 0, 4),
        (0, 10, (0.0, 0.0), (2.0, 0.0), 5, 3, 0, 4),
        (0, 10, (2.0, 0.0), (2.0, 1.0), 4, 2, 0, 4),
    ]


def test_a_place_on_a_new_line_is_no_hindrance_to_what_began_before_it() -> None:
    assert found(drawn([["T.T"], ["TTT"], ["TTF"]])) == [
        (0, 10, (0.0, 0.0), (2.0, 0.0), 5, 3, 0, 1),
        (0, 20, (0.0, 0.0), (1.0, 0.0), 5, 2, 0, 4),
    ]


def test_a_listed_place_is_expected_from_the_first_column_on() -> None:
    assert found(drawn([["T."], ["TT"]], listed=frozenset({(1.0, 0.0)}))) == [
        (0, 10, (0.0, 0.0), (0.0, 0.0), 2, 1, 0, 4),
        (10, 10, (0.0, 0.0), (1.0, 0.0), 2, 2, 0, 4),
    ]


def test_a_gap_ends_a_box_and_what_fails_at_the_same_column_comes_first() -> None:
    assert found(drawn([["TT"], ["Tt"]])) == [
        (0, 0, (0.0, 0.0), (1.0, 0.0), 2, 2, 0, 2),
        (0, 10, (0.0, 0.0), (0.0, 0.0), 2, 1, 0, 4),
        (10, 10, (0.0, 0.0), (1.0, 0.0), 2, 2, 0, 4),
    ]
    assert found(drawn([["TT"], ["Ft"]])) == [
        (0, 0, (0.0, 0.0), (1.0, 0.0), 2, 2, 0, 1),
        (10, 10, (1.0, 0.0), (1.0, 0.0), 1, 1, 0, 4),
    ]


def test_imputed_reports_are_counted_in_the_box_that_holds_them() -> None:
    assert found(drawn([["IF"], ["IT"], ["TI"], ["FT"]])) == [
        (0, 20, (0.0, 0.0), (0.0, 0.0), 3, 1, 2, 1),
        (10, 20, (0.0, 0.0), (1.0, 0.0), 4, 2, 2, 1),
        (10, 30, (1.0, 0.0), (1.0, 0.0), 3, 1, 1, 4),
    ]


def test_minimums_leave_small_boxes_out() -> None:
    world = drawn([["TT", "TT"], ["TT", "TT"], ["TF", "TT"]])
    assert [box[:2] for box in found(world, duration=20)] == [(0, 20), (0, 20)]
    assert [box[:2] for box in found(world, places=3)] == [(0, 10)]
    assert [box[2:4] for box in found(world, extent=(1.0, 0.0), times=3)] == [((0.0, 0.0), (1.0, 0.0))]
    assert [box[2:4] for box in found(world, extent=(0.0, 1.0), times=3)] == [((0.0, 0.0), (0.0, 1.0))]


def test_rows_of_imputed_reports_without_end_need_no_room_without_end() -> None:
    search = BoxSearch(Limits(extent=(0.0, 0.0)))
    search.add_places(np.arange(0), np.array([[0.0, 0.0], [1.0, 0.0]]), np.zeros(2, np.bool_))
    n = 1000
    code = np.tile(np.array([TRUE, IMPUTED, IMPUTED, TRUE], np.uint8), n // 2)
    search.feed(Columns(np.arange(n), np.arange(0, 2 * n + 1, 2), np.tile([0, 1], n), code))
    assert search.entries[0].shape[1] <= 32
    assert as_boxes(search.finish(END)) == [(0, n - 1, (0.0, 0.0), (1.0, 0.0), 2 * n, 2, n, END)]


def test_imputed_reports_are_counted_exactly_after_entries_were_merged() -> None:
    n, rng = 400, np.random.default_rng(7)
    codes = rng.choice(np.array([TRUE, IMPUTED, FALSE], np.uint8), (n, 2, 3), p=[0.5, 0.49, 0.01])
    search = BoxSearch(Limits(extent=(0.0, 0.0)))
    places = np.array([(x, y) for x in range(2) for y in range(3)], np.float64)
    search.add_places(np.arange(0), places, np.zeros(6, np.bool_))
    ended = search.feed(Columns(np.arange(n), np.arange(0, 6 * n + 1, 6), np.tile(np.arange(6), n), codes.ravel()))
    for start, end, low, high, rows, _, imputed, _ in as_boxes(ended) + as_boxes(search.finish(END)):
        inside = codes[start : end + 1, int(low[0]) : int(high[0]) + 1, int(low[1]) : int(high[1]) + 1]
        assert (rows, imputed) == (inside.size, (inside == IMPUTED).sum())
    assert search.entries[0].shape[1] == 16


def test_places_all_over_the_plane_are_refused() -> None:
    places = np.stack([np.arange(3000.0)] * 2, axis=1)
    with pytest.raises(StreamFramesError, match="3000 places have 3000 different values of the first coordinate"):
        BoxSearch(Limits(extent=(0.0, 0.0))).add_places(np.arange(0), places, np.zeros(3000, np.bool_))
