"""Provisional results and late rows that amend: applied in order, changes give what holds, after every batch.

Covers: streamframes.core.operator.changes.ahead, streamframes.core.operator.changes.arrivals,
streamframes.core.operator.changes.bucket, streamframes.core.operator.changes.reported,
streamframes.core.operator.changes.rerun
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import hypothesis.strategies as st
import pyarrow as pa
import pytest
from hypothesis import assume, given

from streamframes.core.batch.clock import MIN_INSTANT
from streamframes.core.bursts.learning import Learn
from streamframes.core.operator.changes import ahead
from streamframes.core.operator.changes.bucket import ChangeBucket, ChangePlan
from streamframes.core.operator.stream_bucket import StreamBucket, StreamPlan
from tests.core.bursts.test_stream import streams as burst_streams
from tests.core.bursts.worlds import plan_of as burst_plan
from tests.core.frames.test_agreement import KINDS
from tests.core.operator.test_stream_bucket import (
    LATENESS,
    SCHEDULED,
    DictStore,
    chunks_of,
    cut,
    delayed,
    dicts,
    measures,
    plan_for,
    reports,
    streams,
    table,
    values,
)
from tests.core.regions.at_work import density_plan, plan_of, points_of, rows_of
from tests.core.regions.worlds import swarms, worlds
from tests.oracles.changes import Consumer, check_live, check_no_overlap, taken
from tests.thoroughness import examples

AMEND_WITHIN = 9


@pytest.fixture(autouse=True, scope="module")
def always_ahead() -> Iterator[None]:
    """So few rows that going ahead of the watermark would not be worthwhile: wherever any wait, groups do here."""
    with pytest.MonkeyPatch.context() as patch:
        patch.setattr(ahead, "_WORTHWHILE", 0)
        yield


def run_exactly(plan: Any, batches: list[tuple[list[dict[str, Any]], int]]) -> list[dict[str, Any]]:
    """What a stream of these batches reports without changes."""
    store = DictStore()
    found = []
    for rows, watermark in batches:
        found += StreamBucket(StreamPlan(plan, {}), store).step(packed(plan, rows), watermark).results
    return dicts(found)


def packed(plan: Any, rows: list[dict[str, Any]]) -> list[tuple[int, pa.Buffer]]:
    return [(chunk.start, pa.py_buffer(chunk.data)) for chunk in chunks_of(plan, rows)] if rows else []


class Changes:
    """A bucket of changes that is written to its store and read again at each step, and its consumer."""

    def __init__(self, plan: Any, *, early: bool = True, amend_within: int | None = None) -> None:
        self.plan = ChangePlan(StreamPlan(plan, {"plan": "test"}), early, amend_within)
        self.frames = plan
        self.store = DictStore()
        self.consumer = Consumer(amends=amend_within is not None)
        self.rows: list[dict[str, Any]] = []
        self.watermark = MIN_INSTANT

    def step(self, rows: list[dict[str, Any]], watermark: int = MIN_INSTANT) -> list[dict[str, Any]]:
        self.made = ChangeBucket(self.plan, self.store).step(packed(self.frames, rows), watermark)
        assert set(self.made.counters) == set(self.plan.counters)
        assert all(batch.schema == self.plan.result_schema for batch in self.made.results)
        changes = dicts(self.made.results)
        self.consumer.take(changes)
        return changes

    def check(self, rows: list[dict[str, Any]], watermark: int) -> None:
        """What lives is what the rows so far give."""
        self.rows, self.watermark = self.rows + rows, max(self.watermark, watermark)
        certain = run_exactly(self.frames, [(self.rows, MIN_INSTANT), ([], self.watermark)])
        check_live(self.consumer, table(self.frames, self.rows), certain, early=self.plan.early)


def check(scheme: Any, plan: Any, batches: list[tuple[list[dict[str, Any]], int]], **settings: Any) -> Changes:
    changes = Changes(plan, **settings)
    for (rows, watermark), kept in zip(batches, taken(batches, settings.get("amend_within") or 0), strict=True):
        changes.step(rows, watermark)
        changes.check(kept, watermark)
        if scheme is not None and plan.compiled.lanes == 1:
            check_no_overlap(changes.consumer, lambda row: row["key"])
    return changes


@st.composite
def disordered(draw: Any, scheme: Any, most_late: int) -> list[tuple[list[dict[str, Any]], int]]:
    """Rows of which some come behind the watermark, by up to `most_late` and more."""
    kinds = [needed.kind for needed in scheme.inputs()]
    size = draw(st.integers(0, 20))
    ts = draw(st.lists(st.integers(-5, 30), min_size=size, max_size=size))
    rows = [
        {"key": draw(st.sampled_from(["a", "b", None])), "ts": t, "x": [draw(values[kind]) for kind in kinds]}
        for t in ts
    ]
    return cut(draw, delayed(rows, [draw(st.sampled_from([0, 0, 1, 4, 8, most_late + 6])) for _ in rows]))


def drawn(kind: str, data: Any) -> Any:
    """A scheme with random options; but a null after a gap ends a table's frame for another reason than time does."""
    scheme = KINDS[kind](data.draw)
    assume(scheme.max_gap is None or scheme.nulls != "break")
    return scheme


@pytest.mark.parametrize("kind", sorted(KINDS))
def test_after_each_batch_the_live_frames_are_those_of_the_rows_so_far(kind: str) -> None:
    @examples(30)
    @given(data=st.data())
    def agree(data: Any) -> None:
        scheme = drawn(kind, data)
        plan = plan_for(scheme, measures=measures(scheme))
        check(scheme, plan, data.draw(streams(scheme)))

    agree()


@pytest.mark.parametrize(("scheme", "schedule"), SCHEDULED, ids=repr)
@examples(25)
@given(data=st.data())
def test_on_a_schedule_too(scheme: Any, schedule: Any, data: Any) -> None:
    check(scheme, plan_for(scheme, schedule=schedule), data.draw(reports(scheme, schedule)))


@pytest.mark.parametrize("early", [True, False])
@pytest.mark.parametrize("kind", sorted(KINDS))
def test_late_rows_amend(kind: str, early: bool) -> None:
    @examples(30)
    @given(data=st.data())
    def agree(data: Any) -> None:
        scheme = drawn(kind, data)
        plan = plan_for(scheme, measures=measures(scheme))
        batches = data.draw(disordered(scheme, AMEND_WITHIN))
        check(scheme, plan, batches, early=early, amend_within=data.draw(st.sampled_from([0, 2, AMEND_WITHIN, 100])))

    agree()


@pytest.mark.parametrize("options", [{}, {"prefer": "largest"}, {"shape": "connected"}], ids=str)
@examples(8)
@given(data=st.data())
def test_regions_may_be_provisional_and_amended(options: dict[str, Any], data: Any) -> None:
    world = data.draw(worlds())
    rows = rows_of(world)
    amend_within = data.draw(st.sampled_from([None, 3]))
    check(None, plan_of(world, **options), late_by(data.draw, rows, amend_within), amend_within=amend_within)


@examples(8)
@given(data=st.data())
def test_so_may_dense_regions(data: Any) -> None:
    swarm = data.draw(swarms())
    amend_within = data.draw(st.sampled_from([None, 3]))
    check(None, density_plan(swarm), late_by(data.draw, points_of(swarm), amend_within), amend_within=amend_within)


BURSTS = {
    "exact": burst_plan({1: 2.0, 2: 4.0, 3: 5.0, 7: 9.0}, output="runs"),
    "units": burst_plan({1: 2.0, 2: 4.0, 3: 5.0, 7: 9.0}, unit=3, output="runs"),
    "histograms": burst_plan({1: 2.0, 2: 4.0}, unit=2, search="all", output="runs"),
    "learnt": burst_plan(Learn(sigmas=0.5, rows=4), windows=(1, 2, 4), output="runs"),
}


@pytest.mark.parametrize("name", BURSTS)
@examples(8)
@given(batches=burst_streams())
def test_runs_of_bursts_may_be_provisional(name: str, batches: Any) -> None:
    check(None, BURSTS[name], batches)


def late_by(draw: Any, rows: list[dict[str, Any]], more: int | None) -> list[tuple[list[dict[str, Any]], int]]:
    """The rows, each as late as the watermark allows, or by some more."""
    return cut(draw, delayed(rows, [draw(st.integers(0, LATENESS + 2 * (more or 0))) for _ in rows]))
