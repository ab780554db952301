"""Regions of streams without an engine: any arrival order, any cut into steps, any watermark: the table's regions.

Covers: streamframes.core.regions.fragments
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamframes.core.operator.stream_bucket import StreamBucket, StreamPlan
from streamframes.core.regions.plan import SATISFIED
from tests.core.operator.test_stream_bucket import LATENESS, DictStore, chunks_of, cut, delayed, dicts, table
from tests.core.regions.at_work import density_plan, plan_of, points_of, rows_of
from tests.core.regions.worlds import World, familiar, planes, stations, swarms, worlds
from tests.oracles.region_reports import Options, Raw
from tests.thoroughness import examples

ENDS = 10_000


def run(plan: Any, batches: list[tuple[list[dict[str, Any]], int]]) -> tuple[list[dict[str, Any]], dict[str, int]]:
    """Everything that is emitted, with the state written and read at each step, and what was counted."""
    stream, store, emitted = StreamPlan(plan, {"plan": "test"}), DictStore(), []
    counted = {"late": 0, "duplicates": 0}
    for rows, watermark in batches:
        chunks = [(chunk.start, pa.py_buffer(chunk.data)) for chunk in chunks_of(plan, rows)] if rows else []
        step = StreamBucket(stream, store).step(chunks, watermark)
        emitted += dicts(step.results)
        counted = {name: counted[name] + step.counters[name] for name in counted}
    return emitted, counted


def spelled(rows: list[dict[str, Any]], *, left_out: tuple[str, ...] = ()) -> list[str]:
    return sorted(repr(sorted((k, v) for k, v in row.items() if k not in left_out)) for row in rows)


def arrivals(draw: Any, rows: list[dict[str, Any]]) -> list[tuple[list[dict[str, Any]], int]]:
    return [*cut(draw, delayed(rows, [draw(st.integers(0, LATENESS)) for _ in rows])), ([], ENDS)]


def check(plan: Any, rows: list[dict[str, Any]], batches: Any) -> None:
    emitted, counted = run(plan, batches)
    expected = table(plan, rows)
    assert counted["late"] == 0
    assert counted["duplicates"] == len(rows) - len({(row["key"], row["ts"], *row["x"][1:-1]) for row in rows})
    # Time alone may end what a table leaves open; a preference waits for all that overlaps.
    open_ones = [row for row in expected if row["frame_closed_by"] == "end of data"]
    ids = {row["frame_id"] for row in open_ones}
    left_out = ("frame_closed_by",)
    ended_by_time = [row for row in emitted if row["frame_id"] in ids]
    ended = spelled([row for row in emitted if row["frame_id"] not in ids])
    assert set(spelled(ended_by_time, left_out=left_out)) <= set(spelled(open_ones, left_out=left_out))
    closed = spelled([row for row in expected if row["frame_id"] not in ids])
    if plan.prefer is None:
        assert ended == closed
    else:
        assert set(ended) <= set(closed)
        assert ended == closed or goes_on(plan, rows)


def goes_on(plan: Any, rows: list[dict[str, Any]]) -> bool:
    """Whether a table leaves any rectangle open, or a place that satisfied the condition when it last reported."""
    last = {(row["key"], *row["x"][1:-1]): row["x"][-1] for row in sorted(rows, key=lambda row: row["ts"])}
    without_preference = table(replace(plan, prefer=None), rows)
    return SATISFIED in last.values() or any(row["frame_closed_by"] == "end of data" for row in without_preference)


@pytest.mark.parametrize("options", [{}, {"prefer": "largest"}, {"prefer": "longest"}, {"shape": "connected"}], ids=str)
@examples(40)
@given(data=st.data())
def test_a_stream_emits_the_regions_of_the_table(options, data):
    world = data.draw(worlds())
    rows = rows_of(world)
    check(plan_of(world, **options), rows, arrivals(data.draw, rows))


@pytest.mark.parametrize("shape", ["rectangle", "connected"])
@examples(30)
@given(data=st.data())
def test_so_does_one_in_the_plane(shape, data):
    world = data.draw(planes())
    rows = rows_of(world)
    check(plan_of(world, shape=shape), rows, arrivals(data.draw, rows))


@examples(40)
@given(data=st.data())
def test_so_does_one_of_dense_regions(data):
    swarm = data.draw(swarms())
    plan, rows = density_plan(swarm), points_of(swarm)
    batches = arrivals(data.draw, rows)
    emitted, _ = run(plan, batches)
    expected = table(plan, rows)
    ended = [row for row in expected if row["frame_closed_by"] != "end of data"]
    left_out = ("frame_closed_by",)
    assert set(spelled(ended, left_out=left_out)) <= set(spelled(emitted, left_out=left_out))
    # A dense region that the data leaves open is ended by time.
    assert spelled(emitted, left_out=left_out) == spelled(expected, left_out=left_out)


@examples(50)
@given(data=st.data())
def test_fragments_only_grow_and_the_last_is_the_region(data):
    world = data.draw(worlds() | stations(all_listed=True) | familiar())
    rows = rows_of(world)
    plan = plan_of(world, fragments=True)
    batches = arrivals(data.draw, rows)
    emitted, _ = run(plan, batches)
    regions = {row["frame_id"]: row for row in run(replace(plan, fragments=False), batches)[0]}
    finals = {row["frame_id"]: row for row in emitted if row["frame_final"]}
    fragments = ("frame_fragment", "frame_final")
    assert spelled(list(finals.values()), left_out=fragments) == spelled(list(regions.values()))
    before: dict[int, dict[str, Any]] = {}
    for row in emitted:
        last = before.get(row["frame_id"])
        assert row["frame_fragment"] == (0 if last is None else last["frame_fragment"] + 1)
        if last is not None:
            assert not last["frame_final"]
            same = ("frame_start", "frame_low", "frame_high", "frame_places")
            assert [row[name] for name in same[:3]] == [last[name] for name in same[:3]]
            assert row["frame_end"] > last["frame_end"] or row["frame_final"]
            assert row["frame_rows"] >= last["frame_rows"]
        before[row["frame_id"]] = row
    if has_no_surprise(world):
        # Where no place can come as a surprise, nothing is taken back.
        assert set(before) <= {row["frame_id"] for row in table(plan, rows)}


def has_no_surprise(world: World) -> bool:
    """Whether each group knows its places beforehand, or from its first instant on."""
    return all(
        {report.place for report in reports}
        <= {*world.options.places, *(report.place for report in reports if report.ts == reports[0].ts)}
        for reports in world.raw
    )


def test_a_silent_place_stands_between_others_though_nothing_is_open():
    early = [Raw(0, (place,), False) for place in (1.0, 2.0, 3.0)]
    late = [Raw(ts, (place,), ts == 5) for ts in (5, 6) for place in (1.0, 3.0)]
    world = World([early + late], Options(), 1)
    plan, rows = plan_of(world, shape="connected"), rows_of(world)
    emitted, _ = run(plan, [(rows[:3], 2), ([], 3), (rows[3:], ENDS)])
    assert sorted((row["frame_low"], row["frame_high"]) for row in emitted) == [(1.0, 1.0), (3.0, 3.0)]
    assert spelled(emitted) == spelled(table(plan, rows))


def test_reports_that_came_twice_are_counted_though_their_group_is_forgotten():
    world = World([[Raw(0, (1.0,), True), Raw(0, (1.0,), False)]], Options(), 1)
    emitted, counted = run(plan_of(world), [(rows_of(world), ENDS)])
    assert (emitted, counted["duplicates"]) == ([], 1)
