"""Forgetting places that report seldom changes no result, and bounds the state.

Covers: streamframes.core.regions.rectangles.forgetting, streamframes.core.regions.rectangles.place_history
"""

from __future__ import annotations

from dataclasses import replace

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import HealthCheck, given

from streamframes.core.batch.clock import Clock
from streamframes.core.operator.state_codec import encode
from streamframes.core.regions import group_search
from streamframes.core.regions.group_search import GroupSearch
from streamframes.core.regions.operator import RegionPlan
from streamframes.core.regions.rectangles import scattered
from streamframes.core.regions.types import Limits
from tests.core.operator.test_stream_bucket import table
from tests.core.regions.at_work import emitted, plan_of, reference, rows_of
from tests.core.regions.worlds import points
from tests.oracles.regions import rectangles
from tests.thoroughness import examples

ROAD = 1000.0


@pytest.fixture
def forgetful(monkeypatch):
    monkeypatch.setattr(scattered, "FEW_PLACES", 0)
    monkeypatch.setattr(
        scattered.ScatteredSearch, "kept", property(lambda self: 0, lambda self, value: None), raising=False
    )
    monkeypatch.setattr(group_search, "FEW_ROWS", 1)


@examples(60, HealthCheck.function_scoped_fixture)
@given(world=points())
def test_forgetting_at_every_column_changes_nothing(forgetful, world):
    expected = reference([rectangles(resolved, world.options) for resolved in world.resolved])
    plan = plan_of(world)
    assert emitted(table(plan_with_no_bad_reports(plan), rows_of(world)), 1) == without_imputed(expected)


def plan_with_no_bad_reports(plan):
    """Points: nothing is missing, so places may be forgotten."""
    return replace(plan, may_miss=False)


def without_imputed(regions):
    return [(*region[:7], 0, region[8]) for region in regions]


def test_what_is_known_of_a_road_does_not_grow_with_the_reports():
    kinds = (pa.float64(), pa.int8())
    limits = Limits(extent=(20.0,), step=50.0)
    plan = RegionPlan(Clock("integer"), pa.schema([]), pa.int64(), kinds, ("at",), kinds[:1], limits=limits)
    search, random = GroupSearch(plan, np.empty((0, 1)), live=False), np.random.default_rng(0)
    sizes = []
    for first in range(0, 60_000, 2_000):
        ts = np.arange(first, first + 2_000)
        at = random.random((2_000, 1)) * ROAD
        slow = ((at[:, 0] // 100 + ts // 500) % 3 == 0).astype(np.uint8)
        list(search.feed(ts, at, slow, None))
        sizes.append(len(encode(search.snapshot())))
    assert max(sizes[15:]) < 1.3 * max(sizes[5:15])
