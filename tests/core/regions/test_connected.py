"""Connected regions: their shapes in any world, and what they are, by hand.

Covers: streamframes.core.regions.connected.cells, streamframes.core.regions.connected.components,
streamframes.core.regions.connected.neighbours, streamframes.core.regions.connected.outline,
streamframes.core.regions.connected.search, streamframes.core.regions.connected.shapes,
streamframes.core.regions.connected.union_find
"""

from __future__ import annotations

from dataclasses import dataclass, replace
from typing import Any

import numpy as np
import pytest
import shapely
from hypothesis import given

from streamframes.core.operator.state_codec import encode
from streamframes.core.regions.connected.search import ConnectedSearch
from streamframes.core.regions.types import END, FALSE, TRUE, Columns, Regions
from tests.core.operator.test_stream_bucket import table
from tests.core.regions.at_work import plan_of, rows_of
from tests.core.regions.worlds import World, planes, worlds
from tests.oracles.region_reports import Place, Resolved
from tests.oracles.region_shapes import Component, components
from tests.thoroughness import examples

CONDITION, END_OF_DATA = 1, 4


@dataclass(frozen=True)
class Cells:
    """The cells of reports: half way to the known neighbours, and on a line half way to the columns around."""

    resolved: Resolved
    max_step: float

    def around(self, place: Place, axis: int, ts: int) -> tuple[float, float]:
        """From where to where a cell goes along an axis; without a neighbour as far as in the opposite direction."""
        known = [p for p, since in self.resolved.since.items() if since <= ts]
        line = [p[axis] for p in known if (*p[:axis], *p[axis + 1 :]) == (*place[:axis], *place[axis + 1 :])]
        x = place[axis]
        return halves(
            max((y for y in line if y < x and x - y <= self.max_step), default=None),
            x,
            min((y for y in line if y > x and y - x <= self.max_step), default=None),
            min(0.5, self.max_step / 2),
        )

    def at(self, ts: int, place: Place) -> Any:
        """The cell of a report."""
        first = self.around(place, 0, ts)
        if len(place) == 2:
            second = self.around(place, 1, ts)
            return shapely.box(first[0], second[0], first[1], second[1])
        times, k = self.resolved.times, list(self.resolved.times).index(ts)
        before, after = times[k - 1] if k else None, times[k + 1] if k + 1 < len(times) else None
        low, high = halves(before, ts, after, 0.5)
        return shapely.box(low, first[0], high, first[1])


def halves(before: float | None, x: float, after: float | None, alone: float) -> tuple[float, float]:
    """Half way to both neighbours, if there are any."""
    below = None if before is None else (x - before) / 2
    above = None if after is None else (after - x) / 2
    given = [half for half in (below, above) if half is not None] or [alone]
    return x - (given[0] if below is None else below), x + (given[-1] if above is None else above)


def extents_of(region: Component) -> list[tuple[float, ...]]:
    """At each instant, from where to where."""
    at: dict[int, list[Place]] = {}
    for ts, place in region.cells:
        at.setdefault(ts, []).append(place)
    return [(ts, *(edge(axis) for axis in zip(*at[ts], strict=True) for edge in (min, max))) for ts in sorted(at)]


@examples(60)
@given(world=worlds() | planes())
def test_outlines_are_the_union_of_cells(world: World) -> None:
    world = replace(world, options=replace(world.options, max_gap=None))
    expected = []
    for group, resolved in enumerate(world.resolved):
        cells = Cells(resolved, world.options.max_step or float("inf"))
        for region in components(resolved, world.options):
            footprint = shapely.union_all([cells.at(*cell) for cell in region.cells])
            expected.append((str(group), extents_of(region), region.rows, footprint))
    emitted = [
        (row["key"], [tuple(each.values()) for each in row["frame_extents"]], row["frame_rows"], row)
        for row in table(plan_of(world, shape="connected"), rows_of(world))
    ]
    emitted, expected = (sorted(each, key=lambda region: region[:3]) for each in (emitted, expected))
    assert [region[:3] for region in emitted] == [region[:3] for region in expected]
    for (*_, row), (*_, footprint) in zip(emitted, expected, strict=True):
        outline, hull = shapely.from_wkt(row["frame_outline"]), shapely.from_wkt(row["frame_hull"])
        assert shapely.is_valid(outline)
        assert shapely.equals(outline, footprint)
        assert shapely.equals(hull, shapely.convex_hull(footprint))
        assert row["frame_area"] == pytest.approx(shapely.area(footprint))


def regions_of(found: Regions):
    return [
        {
            "low": tuple(found.low[i]),
            "rows": int(found.rows[i]),
            "places": int(found.places[i]),
            "cause": int(found.cause[i]),
            "extents": [tuple(column.values()) for column in found.more["extents"][i].as_py()],
            "area": float(found.more["area"][i]),
            "hull": found.more["hull"][i].as_py(),
            "outline": found.more["outline"][i].as_py(),
        }
        for i in range(len(found))
    ]


def emitted(columns, listed=(), early=(), **settings):
    """The regions of columns (instant, {place: code}); places in `early` are added before they report."""
    places = sorted({*listed, *early, *(place for _, codes in columns for place in codes)})
    search = ConnectedSearch(len(places[0]), **settings)
    search.add_places(np.empty(0, np.int64), np.array(places), np.array([place in listed for place in places]))
    reports = [sorted((places.index(place), code) for place, code in codes.items()) for _, codes in columns]
    given_columns = Columns(
        np.array([t for t, _ in columns], np.int64),
        np.append(0, np.cumsum([len(column) for column in reports])).astype(np.int64),
        np.array([place_id for column in reports for place_id, _ in column], np.int64),
        np.array([code for column in reports for _, code in column], np.uint8),
    )
    ended = regions_of(search.feed(given_columns))
    return ended + regions_of(search.finish(END))


def drawn(picture, *, t0=0, step=1):
    """Columns of a picture: `#` is satisfied, `.` is not, a blank is no report; the lowest line is place 0."""
    lines = picture.strip("\n").split("\n")[::-1]
    codes = [
        {(float(y),): TRUE if line[x] == "#" else FALSE for y, line in enumerate(lines) if line[x] != " "}
        for x in range(len(lines[0]))
    ]
    return [(t0 + step * x, column) for x, column in enumerate(codes)]


def test_a_jam_that_grows_upstream_and_dissolves_is_one_triangle():
    jam = drawn("""
.....
..#..
.##..
###..
""")
    (row,) = emitted(jam)
    assert row["outline"] == (
        "POLYGON ((-0.5 -0.5, -0.5 0.5, 0.5 0.5, 0.5 1.5, 1.5 1.5, 1.5 2.5, 2.5 2.5, 2.5 -0.5, -0.5 -0.5))"
    )
    assert row["hull"] == "POLYGON ((-0.5 -0.5, -0.5 0.5, 1.5 2.5, 2.5 2.5, 2.5 -0.5, -0.5 -0.5))"
    assert row["area"] == 6.0
    assert row["extents"] == [(0, 0.0, 0.0), (1, 0.0, 1.0), (2, 0.0, 2.0)]
    assert (row["rows"], row["places"], row["cause"]) == (6, 3, CONDITION)


def test_a_hole_is_a_ring_of_its_own_even_where_it_touches_the_outside():
    (whole,) = emitted(drawn("###.\n#.#.\n###."))
    assert whole["outline"] == (
        "POLYGON ((-0.5 -0.5, -0.5 2.5, 2.5 2.5, 2.5 -0.5, -0.5 -0.5), (0.5 0.5, 1.5 0.5, 1.5 1.5, 0.5 1.5, 0.5 0.5))"
    )
    (open_at_a_corner,) = emitted(drawn("##..\n#.#.\n###."))
    shape = shapely.from_wkt(open_at_a_corner["outline"])
    assert shapely.is_valid(shape)
    assert (shape.geom_type, shapely.get_num_interior_rings(shape), shape.area) == ("Polygon", 1, 7.0)


def test_pieces_that_touch_at_two_corners_enclose_no_hole():
    (row,) = emitted(drawn(".##.\n# #.\n# #.\n.##."))
    shape = shapely.from_wkt(row["outline"])
    assert shapely.is_valid(shape)
    assert (shape.geom_type, shapely.get_num_geometries(shape), shape.area) == ("MultiPolygon", 2, 8.0)


def test_a_piece_may_lie_in_the_hole_of_another():
    (row,) = emitted(drawn("#####.\n#   #.\n# # #.\n#   #.\n#####."))
    shape = shapely.from_wkt(row["outline"])
    assert shapely.is_valid(shape)
    assert (shape.geom_type, shape.area) == ("MultiPolygon", 17.0)


def test_outlines_count_time_in_units():
    minute = 60_000_000
    (row,) = emitted(drawn("##.", t0=1_000_000_000_000_000, step=minute), per_unit=1e6)
    assert row["outline"] == (
        "POLYGON ((999999970 -0.5, 999999970 0.5, 1000000090 0.5, 1000000090 -0.5, 999999970 -0.5))"
    )
    assert row["area"] == 120.0


def test_a_known_place_without_a_report_separates_but_holds_on():
    apart = emitted(drawn("###\n# #\n###"))
    assert [(row["rows"], row["cause"]) for row in apart] == [(8, END_OF_DATA)]
    never = emitted(drawn("##\n  \n##"), listed=[(1.0,)])
    assert [row["low"] for row in never] == [(0.0,), (2.0,)]
    unknown = emitted(drawn("##\n  \n##"), early=[(1.0,)])
    assert [row["low"] for row in unknown] == [(0.0,)]


def test_memory_is_bounded_by_what_is_open():
    rng = np.random.default_rng(5)
    search, n = ConnectedSearch(min_places=1000), 200
    search.add_places(np.empty(0, np.int64), np.arange(n, dtype=float)[:, None])
    for feed in range(40):
        code = (rng.random((500, n)) < 0.4).astype(np.uint8)
        times = np.arange(500, dtype=np.int64) + 500 * feed
        place_id = np.tile(np.arange(n, dtype=np.int64), 500)
        search.feed(Columns(times, np.arange(501, dtype=np.int64) * n, place_id, code.ravel()))
    assert len(encode(search.snapshot())) < 50_000
    live = search.open_regions()
    assert 0 < len(live) < n
    assert (np.diff(live.start) >= 0).all()
    assert (live.low <= live.high).all()
