"""Places that report too seldom: rectangles give way to what is left around their reports, and each is emitted once.

Covers: streamframes.core.regions.rectangles.min_times, streamframes.core.regions.rectangles.pending
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pytest

from streamframes.core.regions.rectangles.scattered import ScatteredSearch
from streamframes.core.regions.types import Columns, Limits
from tests.core.operator.test_stream_bucket import table
from tests.core.regions.at_work import emitted, plan_of, reference, rows_of
from tests.core.regions.test_stream import ENDS, run
from tests.core.regions.worlds import World, drawn
from tests.oracles.region_reports import Options
from tests.oracles.regions import rectangles


def edges(rows: list[dict[str, Any]]) -> list[tuple[Any, ...]]:
    """Start, end, low, high and cause of each region."""
    return [(*row[1:3], *row[3], *row[4], row[8]) for row in emitted(rows, 1)]


def one_column_at_a_time(world: World, **more: Any) -> list[dict[str, Any]]:
    """What a stream emits that is fed one column at a time."""
    rows = rows_of(world)
    times = sorted({row["ts"] for row in rows})
    return run(plan_of(world, **more), [([row for row in rows if row["ts"] == ts], ts + 1) for ts in times])[0]


@pytest.mark.parametrize(
    "options", [Options(min_times=2), Options(min_times=2, stations=True, missing="holds")], ids=str
)
def test_what_lies_before_after_below_and_above_a_seldom_report_is_a_region(options):
    world = World([drawn({3.0: "xxxxx.", 2.0: "  x  .", 1.0: "xxxxx."})], options, 1)
    expected = [
        (0, 1, 1.0, 3.0, "condition"),
        (0, 4, 1.0, 1.0, "condition"),
        (0, 4, 3.0, 3.0, "condition"),
        (3, 4, 1.0, 3.0, "condition"),
    ]
    assert edges(table(plan_of(world), rows_of(world))) == expected
    assert edges(one_column_at_a_time(world)) == expected


def test_a_part_gives_way_in_turn():
    # Without place 3 the first three columns are left, and in these place 1 has two reports only.
    world = World([drawn({4.0: "xxxxx", 3.0: "   x ", 2.0: "xxxxx", 1.0: "xx xx"})], Options(min_times=3), 1)
    found = table(plan_of(world), rows_of(world))
    assert emitted(found, 1) == reference([rectangles(world.resolved[0], world.options)])
    assert (0, 2, 2.0, 4.0, "end of data") in edges(found)


def test_a_part_that_lies_in_a_region_emitted_long_before_is_none():
    # Places 1, 3 and 4 are a region up to 1. Then 2 spoils what 1 and 3 go on with, and nothing else is left of that.
    world = World([drawn({4.0: "xx.", 3.0: "xx   .", 2.0: "   x .", 1.0: "xx  ."})], Options(min_times=2), 1)
    assert edges(one_column_at_a_time(world)) == [(0, 1, 1.0, 4.0, "condition")]
    assert edges(table(plan_of(world), rows_of(world))) == [(0, 1, 1.0, 4.0, "condition")]


def test_a_fragment_is_kept_though_a_place_inside_spoils_what_comes_after():
    world = World([drawn({3.0: ".xxxxx.", 2.0: ".   x .", 1.0: ".xxxxx."})], Options(min_times=2), 1)
    mine = [row for row in one_column_at_a_time(world, fragments=True) if row["frame_high"] - row["frame_low"] == 2.0]
    assert [(row["frame_start"], row["frame_end"], row["frame_final"]) for row in mine] == [
        (1, 2, False),
        (1, 3, False),
        (1, 3, True),
    ]


def test_what_is_remembered_of_emitted_regions_does_not_grow_beside_a_place_that_never_fails():
    search, random = ScatteredSearch(Limits(times=2)), np.random.default_rng(0)
    search.add_places(np.empty(0, np.int64), np.arange(5.0)[:, None], np.zeros(5, np.bool_))
    sizes, n_emitted = [], 0
    for column in range(400):
        place_id = np.flatnonzero(random.random(5) < 0.7)
        code = (random.random(place_id.size) < 0.8).astype(np.uint8)
        code[place_id == 0] = 1
        n_emitted += len(search.feed(Columns(np.array([column]), np.array([0, place_id.size]), place_id, code)))
        sizes.append(len(search.pending.emitted) + len(search.pending.waiting))
    assert n_emitted > 100
    assert max(sizes) < 30


def test_time_alone_ends_what_waits():
    world = World([drawn({3.0: "xx x", 2.0: "  x ", 1.0: "xx x"})], Options(min_times=2, max_gap=3), 1)
    rows = rows_of(world)
    found, _ = run(plan_of(world), [(rows, 4), ([], ENDS)])
    assert edges(found) == [
        (0, 1, 1.0, 3.0, "gap"),
        (0, 3, 1.0, 1.0, "gap"),
        (0, 3, 3.0, 3.0, "gap"),
    ]
