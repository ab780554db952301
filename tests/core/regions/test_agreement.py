"""Every search finds what the reference finds: rectangles by both methods, boxes, components and dense regions.

Covers: streamframes.core.regions.group_search, streamframes.core.regions.non_overlapping,
streamframes.core.regions.operator, streamframes.core.regions.plan, streamframes.core.regions.reports,
streamframes.core.regions.results, streamframes.core.regions.types
"""

from __future__ import annotations

import pytest
from hypothesis import given

from tests.core.operator.test_stream_bucket import table
from tests.core.regions.at_work import density_plan, emitted, plan_of, points_of, reference, rows_of
from tests.core.regions.worlds import grids, planes, stations, swarms, worlds
from tests.oracles.region_density import density
from tests.oracles.region_shapes import components
from tests.oracles.regions import boxes, preferred, rectangles
from tests.thoroughness import examples


@examples(80)
@given(world=worlds())
def test_rectangles_are_those_of_the_definition(world):
    expected = reference([rectangles(resolved, world.options) for resolved in world.resolved])
    assert emitted(table(plan_of(world), rows_of(world)), 1) == expected


@examples(60)
@given(world=grids(complete=True))
def test_both_methods_find_the_same_on_grids(world):
    expected = reference([rectangles(resolved, world.options) for resolved in world.resolved])
    for method in ("durations", "spans"):
        assert emitted(table(plan_of(world, method=method), rows_of(world)), 1) == expected


@pytest.mark.parametrize("prefer", ["largest", "longest", "widest"])
@examples(40)
@given(world=worlds())
def test_a_preference_chooses_as_the_definition_does(prefer, world):
    expected = reference([preferred(rectangles(resolved, world.options), prefer) for resolved in world.resolved])
    assert emitted(table(plan_of(world, prefer=prefer), rows_of(world)), 1) == expected


@examples(80)
@given(world=worlds() | planes())
def test_connected_regions_are_those_of_the_definition(world):
    expected = reference([components(resolved, world.options) for resolved in world.resolved])
    assert emitted(table(plan_of(world, shape="connected"), rows_of(world)), world.n_dims) == expected


@examples(60)
@given(world=planes())
def test_boxes_are_those_of_the_definition(world):
    expected = reference([boxes(resolved, world.options) for resolved in world.resolved])
    assert emitted(table(plan_of(world), rows_of(world)), 2) == expected


@examples(60)
@given(swarm=swarms())
def test_dense_regions_are_those_of_the_definition(swarm):
    expected = reference([density(points, **swarm.settings) for points in swarm.raw])
    assert emitted(table(density_plan(swarm), points_of(swarm)), swarm.n_dims) == expected


@examples(40)
@given(world=stations())
def test_a_method_that_is_named_finds_what_the_one_that_is_chosen_finds(world):
    assert emitted(table(plan_of(world, method="spans"), rows_of(world)), 1) == emitted(
        table(plan_of(world), rows_of(world)), 1
    )


@examples(40)
@given(world=stations())
def test_ids_tell_regions_apart_and_depend_on_nothing_else(world):
    found = table(plan_of(world), rows_of(world))
    assert len({row["frame_id"] for row in found}) == len(found)
    again = table(plan_of(world), rows_of(world)[::-1])
    assert {row["frame_id"] for row in again} == {row["frame_id"] for row in found}
