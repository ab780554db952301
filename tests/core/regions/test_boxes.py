"""Boxes: what they are, and that they are the same however the columns come."""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from streamframes.core import state
from streamframes.core.regions.boxes import Boxes
from streamframes.core.regions.found import BREAK, END, FALSE, HELD, IMPUTED, TRUE, Columns, Found, Limits
from streamframes.errors import StreamFramesError
from tests.core.regions.literal_boxes import Box, Place, World, boxes, open_boxes

CODES = {"F": FALSE, "T": TRUE, "I": IMPUTED, "H": HELD, "T!": TRUE | BREAK, "I!": IMPUTED | BREAK}


def as_boxes(found: Found) -> list[Box]:
    """Regions as tuples."""
    corners = [list(map(tuple, edge.tolist())) for edge in (found.low, found.high)]
    counts = (found.rows, found.places, found.imputed, found.cause)
    ends = (found.start.tolist(), found.end.tolist())
    return list(zip(*ends, *corners, *(each.tolist() for each in counts), strict=True))


class Fed:
    """A search that is fed column by column, or many at once, with its state written and read between."""

    def __init__(self, world: World, limits: Limits, *, early: bool = False) -> None:
        self.world, self.limits = world, limits
        self.search = Boxes(limits)
        self.places: list[Place] = []
        self.found: list[Box] = []
        self.fed = 0
        self.early = early

    def feed(self, stop: int) -> None:
        """Feed the columns up to `stop`, after the places of them (or of all columns) have come."""
        columns = self.world.reports[self.fed : stop]
        places = self.world.listed.union(self.places, *(self.world.reports if self.early else columns))
        fresh = sorted(places)
        moved = np.array([fresh.index(place) for place in self.places], np.int64)
        listed = np.array([place in self.world.listed for place in fresh], np.bool_)
        if fresh != self.places:
            self.search.widen(moved, np.array(fresh).reshape(-1, 2), listed)
        self.places = fresh
        slots = [[(fresh.index(place), CODES[said]) for place, said in sorted(column.items())] for column in columns]
        flat = [report for column in slots for report in column]
        given = Columns(
            np.array(self.world.times[self.fed : stop], np.int64),
            np.cumsum([0, *map(len, slots)]),
            np.array([slot for slot, _ in flat], np.int64),
            np.array([code for _, code in flat], np.uint8),
        )
        self.found += as_boxes(self.search.feed(given))
        self.fed = stop

    def reload(self) -> None:
        """Go on in a search that has read what this one wrote."""
        saved = state.decode(state.encode(self.search.save()))
        self.search = Boxes(self.limits)
        self.search.load(saved)

    def result(self) -> list[Box]:
        """All boxes."""
        return sorted(self.found + as_boxes(self.search.finish(END)))


def drawn(pictures: list[list[str]], listed: set[Place] = frozenset()) -> World:  # type: ignore[assignment]
    """Columns at 0, 10, 20, ...; each a picture, the line of the highest y first; `.` no report, `t` after a gap."""
    marks = {"t": "T!", "i": "I!"}
    reports = [
        {
            (float(x), float(len(picture) - 1 - y)): marks.get(mark, mark)
            for y, line in enumerate(picture)
            for x, mark in enumerate(line)
            if mark != "."
        }
        for picture in pictures
    ]
    return World([10 * k for k in range(len(pictures))], reports, set(listed))


def found(world: World, **limits: Any) -> list[Box]:
    """The boxes of a world that is fed at once."""
    fed = Fed(world, Limits(**{"extent": (0.0, 0.0), **limits}))
    fed.feed(len(world.times))
    return fed.result()


def test_a_box_ends_when_one_of_its_places_fails_and_the_others_go_on() -> None:
    world = drawn([["TT", "TT"], ["TT", "TT"], ["TF", "TT"]])
    assert found(world) == [
        (0, 10, (0.0, 0.0), (1.0, 1.0), 8, 4, 0, 1),
        (0, 20, (0.0, 0.0), (0.0, 1.0), 6, 2, 0, 4),
        (0, 20, (0.0, 0.0), (1.0, 0.0), 6, 2, 0, 4),
    ]


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
    assert found(drawn([["T."], ["TT"]], listed={(1.0, 0.0)})) == [
        (0, 10, (0.0, 0.0), (0.0, 0.0), 2, 1, 0, 4),
        (10, 10, (0.0, 0.0), (1.0, 0.0), 2, 2, 0, 4),
    ]


def test_a_gap_ends_a_box_and_what_fails_at_the_same_column_is_told_first() -> None:
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
    search = Boxes(Limits(extent=(0.0, 0.0)))
    search.widen(np.arange(0), np.array([[0.0, 0.0], [1.0, 0.0]]), np.zeros(2, np.bool_))
    n = 1000
    code = np.tile(np.array([TRUE, IMPUTED, IMPUTED, TRUE], np.uint8), n // 2)
    search.feed(Columns(np.arange(n), np.arange(0, 2 * n + 1, 2), np.tile([0, 1], n), code))
    assert search.entries[0].shape[1] <= 32
    assert as_boxes(search.finish(END)) == [(0, n - 1, (0.0, 0.0), (1.0, 0.0), 2 * n, 2, n, END)]


def test_imputed_reports_are_counted_exactly_after_entries_were_merged() -> None:
    n, rng = 400, np.random.default_rng(7)
    said = rng.choice(np.array([TRUE, IMPUTED, FALSE], np.uint8), (n, 2, 3), p=[0.5, 0.49, 0.01])
    search = Boxes(Limits(extent=(0.0, 0.0)))
    places = np.array([(x, y) for x in range(2) for y in range(3)], np.float64)
    search.widen(np.arange(0), places, np.zeros(6, np.bool_))
    ended = search.feed(Columns(np.arange(n), np.arange(0, 6 * n + 1, 6), np.tile(np.arange(6), n), said.ravel()))
    for start, end, low, high, rows, _, imputed, _ in as_boxes(ended) + as_boxes(search.finish(END)):
        inside = said[start : end + 1, int(low[0]) : int(high[0]) + 1, int(low[1]) : int(high[1]) + 1]
        assert (rows, imputed) == (inside.size, (inside == IMPUTED).sum())
    assert search.entries[0].shape[1] == 16


def test_places_all_over_the_plane_are_refused() -> None:
    places = np.stack([np.arange(3000.0)] * 2, axis=1)
    with pytest.raises(StreamFramesError, match="3000 places have 3000 different values of the first coordinate"):
        Boxes(Limits(extent=(0.0, 0.0))).widen(np.arange(0), places, np.zeros(3000, np.bool_))


@st.composite
def worlds(draw: st.DrawFn) -> World:
    """Few places on a small lattice, some of them late, and mostly true."""
    shape = (draw(st.integers(1, 4)), draw(st.integers(1, 3)))
    points = [(float(x * x), float(y)) for x in range(shape[0]) for y in range(shape[1])]
    since = {point: draw(st.sampled_from([0, 0, 0, 0, 1, 2, 9])) for point in points}
    marks = st.sampled_from(draw(st.sampled_from(["TTTTTTTF", "TTTTTTIIF.", "TTTTTTTtFHi", "TTTI"])))
    names = {"t": "T!", "i": "I!"}
    reports: list[dict[Place, str]] = []
    for k in range(draw(st.integers(1, 5))):
        said = {point: draw(marks) for point in points if since[point] <= k}
        seen = set().union(*reports)
        column = {
            point: names.get(mark, mark) if point in seen else mark.upper()
            for point, mark in said.items()
            if mark != "."
        }
        if column:
            reports.append(column)
    listed = set(draw(st.lists(st.sampled_from(points), max_size=2))) if draw(st.booleans()) else set()
    step = draw(st.sampled_from([float("inf"), float("inf"), 3.0]))
    return World([3 * k for k in range(len(reports))], reports, listed, step)


@settings(max_examples=400)
@given(worlds(), st.data())
def test_boxes_are_those_of_the_definition_however_the_columns_come(world: World, data: st.DataObject) -> None:
    duration, times, places = (data.draw(st.sampled_from(choice)) for choice in ([0, 3], [1, 2], [1, 3]))
    extent = data.draw(st.sampled_from([(0.0, 0.0), (1.0, 0.0), (0.0, 1.0)]))
    limits = Limits(duration, extent, times, places, world.step)
    fed = Fed(world, limits, early=data.draw(st.booleans()))
    n = len(world.times)
    for stop in [*sorted(data.draw(st.lists(st.integers(0, n), max_size=3))), n]:
        fed.feed(stop)
        if data.draw(st.booleans()):
            fed.reload()
    live = fed.search.live()
    corners = [list(map(tuple, edge.tolist())) for edge in (live.low, live.high)]
    assert sorted(zip(live.start.tolist(), *corners, strict=True)) == open_boxes(world)
    assert fed.result() == boxes(world, duration=duration, extent=extent, times=times, places=places)
    assert not len(fed.search.live())
