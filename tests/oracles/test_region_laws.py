"""Laws of the reference of regions: grids by another algorithm, and what holds in any world."""

from __future__ import annotations

from dataclasses import replace

import pytest
from hypothesis import given
from hypothesis import strategies as st

from tests.core.regions.worlds import World, grids, planes, stations, swarms, worlds
from tests.oracles.region_density import density
from tests.oracles.region_reports import Options, resolve, stretches
from tests.oracles.region_shapes import components
from tests.oracles.regions import CONDITION, END, GAP, boxes, is_new, preferred, rectangles
from tests.thoroughness import examples


def enlarged(world: World) -> set[tuple[int, int, float, float]]:
    """The maximal rectangles of a complete grid: those to which no row or column can be added."""
    true = {(report.ts, report.place[0]) for report in world.raw[0] if report.state}
    times, places = sorted({ts for ts, _ in true}), sorted({place for _, place in true})
    spans = [(t, u, p, q) for t in times for u in times if t <= u for p in places for q in places if p <= q]
    full = {
        s for s in spans if all((t, p) in true for t in range(s[0], s[1] + 1) for p in range(int(s[2]), int(s[3]) + 1))
    }
    return {
        (t, u, p, q)
        for t, u, p, q in full
        if not full & {(t - 1, u, p, q), (t, u + 1, p, q), (t, u, p - 1, q), (t, u, p, q + 1)}
    }


def any_size(world: World) -> Options:
    """What the world asks for, without minimums."""
    return replace(world.options, min_duration=None, min_extent=None, min_times=None, min_places=None)


def any_times(world: World) -> Options:
    """What the world asks for, but for how often places must report."""
    return replace(world.options, min_times=None)


@given(grids(complete=True, limits=False))
def test_on_a_complete_grid_maximal_are_those_that_cannot_be_enlarged_by_one(world):
    regions = rectangles(world.resolved[0], world.options)
    assert {(r.start, r.end, r.low[0], r.high[0]) for r in regions} == enlarged(world)
    assert all(r.rows == r.places * (r.end - r.start + 1) for r in regions)


@given(worlds())
def test_each_satisfied_report_lies_in_a_rectangle_and_in_one_connected_region(world):
    for resolved in world.resolved:
        true = [(report.ts, report.place) for report in resolved.reports if report.true]
        within = [r.box for r in rectangles(resolved, any_size(world))]
        assert all(any(box.start <= ts <= box.end and box.covers(place) for box in within) for ts, place in true)
        cells = [cell for r in components(resolved, any_size(world)) for cell in r.cells]
        assert sorted(cells) == sorted(true)


@given(worlds())
def test_minimums_leave_out_rectangles_and_change_none(world):
    for resolved in world.resolved:
        every = rectangles(resolved, any_size(world))
        assert set(rectangles(resolved, any_times(world))) <= set(every)
        kept = rectangles(resolved, world.options)
        for how in ("largest", "longest", "widest"):
            best = preferred(kept, how)
            assert not any(a != b and a.box.overlaps(b.box) for a in best for b in best)
            assert all(any(a.box.overlaps(b.box) for b in best) for a in kept)


@given(stations())
def test_nothing_depends_on_the_future(world):
    for raw, resolved in zip(world.raw, world.resolved, strict=True):
        for now in resolved.times:
            before = resolve([report for report in raw if report.ts <= now], world.options)
            assert before.reports == [report for report in resolved.reports if report.ts <= now]


SEARCHES = {"rectangles": rectangles, "boxes": boxes, "components": components}


@pytest.mark.parametrize("name", SEARCHES)
@examples(40)
@given(world=st.one_of(worlds(), planes()))
def test_a_closed_region_stays_whatever_comes_later(name, world):
    search = SEARCHES[name] if world.n_dims == 1 or name == "components" else boxes
    for raw, resolved in zip(world.raw, world.resolved, strict=True):
        final = search(resolved, world.options)
        for now in resolved.times:
            before = resolve([report for report in raw if report.ts <= now], world.options)
            closed = [region for region in search(before, world.options) if region.closed_by != END]
            assert set(closed) <= set(final)


@given(worlds())
def test_the_first_later_column_with_a_report_in_its_places_ends_a_rectangle(world):
    for part in (part for resolved in world.resolved for part in stretches(resolved, world.options)):
        for region in rectangles(part, any_times(world)):
            later = [r for r in part.reports if r.ts > region.end and region.box.covers(r.place)]
            first = [r for r in later if r.ts == later[0].ts]
            goes_on = all(r.true and not is_new(r, part, world.options) for r in first)
            expected = END if not later else GAP if goes_on else CONDITION
            assert region.closed_by == expected


@given(worlds())
def test_a_rectangle_with_a_place_that_reports_too_seldom_gives_way_to_what_is_inside(world):
    least = world.options.min_times or 1
    for resolved in world.resolved:
        kept = {region.box for region in rectangles(resolved, world.options)}
        for region in rectangles(resolved, any_times(world)):
            inside = [r for r in resolved.reports if region.start <= r.ts <= region.end and region.box.covers(r.place)]
            where = [report.place for report in inside]
            assert (region.box in kept) == all(where.count(place) >= least for place in where)
        every = [region.box for region in rectangles(resolved, any_times(world))]
        assert all(any(box.contains(smaller) for box in every) for smaller in kept)


@given(stations())
def test_where_each_known_place_reports_the_boxes_on_a_line_are_the_rectangles(world):
    for resolved in world.resolved:
        all_from_the_first = (
            all(since <= resolved.times[0] for since in resolved.since.values()) if resolved.times else True
        )
        if world.options.missing != "holds" and all_from_the_first:
            assert boxes(resolved, world.options) == rectangles(resolved, world.options)


@given(swarms())
def test_dense_regions_are_dense_and_no_point_counts_twice(swarm):
    for points in swarm.raw:
        regions = density(points, **swarm.settings)
        assert sum(region.rows for region in regions) <= len(points)
        for region in regions:
            assert region.peak >= region.density >= swarm.settings["above"]
            assert region.area >= (swarm.settings["min_area"] or 0)
