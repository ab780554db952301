"""Bursts of streams without an engine: any arrival order, any cut into steps, any watermark: the table's alarms.

Covers: streamframes.core.bursts.operator, streamframes.core.bursts.plan, streamframes.core.bursts.commands,
streamframes.core.operator.commands
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
import pytest
from hypothesis import given
from hypothesis import strategies as st

from streamframes.core.batch.clock import MIN_INSTANT
from streamframes.core.batch.packer import Packer
from streamframes.core.bursts.commands import COMMAND_LAYOUT
from streamframes.core.bursts.learning import Learn
from streamframes.core.operator.commands import COMMANDS, CommandedPlan
from streamframes.core.operator.stream_bucket import StreamBucket, StreamPlan
from tests.core.bursts.worlds import plan_of
from tests.core.operator.test_stream_bucket import LATENESS, DictStore, chunks_of, cut, delayed, dicts, table
from tests.thoroughness import examples

THRESHOLDS = {1: 2.0, 2: 4.0, 3: 5.0, 7: 9.0}
PLANS = {
    "exact": plan_of(THRESHOLDS),
    "exact, runs": plan_of(THRESHOLDS, output="runs"),
    "variance": plan_of({2: 0.2, 4: 0.5}, "variance"),
    "all": plan_of(THRESHOLDS, search="all", error=0.1),
    "monotonic": plan_of(THRESHOLDS, search="monotonic"),
    "units": plan_of(THRESHOLDS, unit=3),
    "units, runs of histograms": plan_of(THRESHOLDS, unit=2, search="all", output="runs"),
    "learnt": plan_of(Learn(sigmas=0.5, rows=4), windows=(1, 2, 4)),
    "learnt in units": plan_of(Learn(sigmas=0.5, rows=4), windows=(1, 2, 4), unit=2, output="latest"),
    "any": plan_of(THRESHOLDS, output="any"),
}


@st.composite
def streams(draw: Any) -> list[tuple[list[dict[str, Any]], int]]:
    """Rows that arrive in any order that the lateness allows, cut anywhere."""
    size = draw(st.integers(0, 40))
    rows = [
        {
            "key": draw(st.sampled_from(["a", "a", "b", None])),
            "ts": draw(st.integers(-5, 40)),
            "x": [draw(st.one_of(st.integers(0, 4).map(float), st.none()))],
        }
        for _ in range(size)
    ]
    return cut(draw, delayed(rows, [draw(st.integers(0, LATENESS)) for _ in rows]))


def run(plan: Any, batches: list[tuple[list[dict[str, Any]], int]]) -> tuple[list[dict[str, Any]], int]:
    """Everything that is reported, with the state written and read at each step, and the number of late rows."""
    stream, store, reported, late = StreamPlan(plan, {"plan": "test"}), DictStore(), [], 0
    for rows, watermark in batches:
        chunks = [(chunk.start, pa.py_buffer(chunk.data)) for chunk in chunks_of(plan, rows)] if rows else []
        step = StreamBucket(stream, store).step(chunks, watermark)
        reported += dicts(step.results)
        late += step.counters["late"]
    return reported, late


def spelled(rows: list[dict[str, Any]]) -> list[str]:
    return sorted(repr(sorted(row.items())) for row in rows)


@pytest.mark.parametrize("name", PLANS)
@examples(40)
@given(batches=streams())
def test_a_stream_reports_what_the_table_reports(name, batches):
    plan = PLANS[name]
    rows = [row for batch, _ in batches for row in batch]
    reported, late = run(plan, [*batches, ([], 1_000)])
    expected = [row for row in table(plan, rows) if row.get("frame_closed_by") != "end of data"]
    assert late == 0
    assert spelled(reported) == spelled(expected)


def commands(*given: tuple[str | None, int | None, float | None]) -> list[tuple[int, pa.Buffer]]:
    by_column = zip(zip(*given, strict=True), COMMAND_LAYOUT.columns, strict=True)
    columns = [pa.array(list(values), kind) for values, kind in by_column]
    at = pa.array(np.zeros(len(given), np.int64))
    packed = Packer(1, COMMANDS).pack(at, pa.RecordBatch.from_arrays([], schema=COMMAND_LAYOUT.keys), columns)
    return [(chunk.start, pa.py_buffer(chunk.data)) for chunk in packed]


def test_commands_count_from_the_next_row_that_is_released_and_bad_ones_are_counted():
    plan = plan_of({2: 10.0}, output="runs")
    controlled, store = CommandedPlan(StreamPlan(plan, {"plan": "test"})), DictStore()

    def step(first, last, watermark, *given):
        rows = [{"key": "a", "ts": t, "x": [6.0]} for t in range(first, last)]
        chunks = [(chunk.start, pa.py_buffer(chunk.data)) for chunk in chunks_of(plan, rows)] if rows else []
        return controlled.bucket(store).step([*chunks, *(commands(*given) if given else [])], watermark)

    assert dicts(step(0, 6, 4).results) == []
    changed = step(6, 10, 4, ("remove", 2, None), ("add", 3, 18.0), ("add", 5, None), ("grow", 4, 1.0), (None, 4, 1.0))
    assert [(row["window"], row["frame_start"], row["frame_end"]) for row in dicts(changed.results)] == [(2, 1, 3)]
    assert changed.counters["refused"] == 3
    reported = dicts(step(10, 10, 10, ("remove", 3, None)).results)
    assert reported == []
    reported = dicts(step(10, 12, 12, ("add", 1, 6.0)).results)
    assert step(12, 12, MIN_INSTANT).counters["open"] == 1
