"""A stream of sessions emits what the table emits: in any order within the lateness, in any cuts, over restarts.

Covers: streamframes.core.sessions.operator, streamframes.core.sessions.plan
"""

from __future__ import annotations

from typing import Any

import numpy as np
import pyarrow as pa
from hypothesis import given
from hypothesis import strategies as st

from streamframes.core.batch.packer import Packer
from streamframes.core.operator.stream_bucket import StreamPlan
from streamframes.core.operator.table_bucket import TableBucket
from streamframes.core.sessions.operator import SessionPlan
from streamframes.core.sessions.partitioning import BY_ROOT, TOGETHER
from streamframes.core.sessions.plan import MEASURES, SESSIONS
from streamframes.core.sparksql import translate
from tests.core.operator.test_stream_bucket import DictStore
from tests.core.sessions.test_commands_and_merge import COLUMNS, LOGS, TEXTS, log_of, plan_of, planner_of
from tests.thoroughness import examples

LATENESS = 8


def packed(plan: SessionPlan, ts: np.ndarray, batch: pa.RecordBatch) -> list[tuple[int, pa.Buffer]]:
    """Events as chunks of one bucket."""
    events = [translate(text, COLUMNS).evaluate(batch) for text in planner_of(TEXTS).events]
    keys = batch.select(["who"]) if len(plan.keys) else pa.RecordBatch.from_arrays([], schema=pa.schema([]))
    chunks = Packer(1).pack(pa.array(ts), keys, [*events, *batch.columns])
    return [(chunk.start, pa.py_buffer(chunk.data)) for chunk in chunks]


def emitted(batches: list[pa.RecordBatch]) -> list[str]:
    """Rows of results in an order of their own; what the end of the data closed is left out."""
    rows = [row for batch in batches for row in batch.to_pylist()]
    return sorted(repr(row) for row in rows if row.get("frame_closed_by") != "end of data")


@examples(60)
@given(
    LOGS,
    st.lists(st.integers(0, LATENESS - 1), min_size=40, max_size=40),
    st.integers(1, 6),
    st.sampled_from([(TOGETHER, SESSIONS), (TOGETHER, MEASURES), (BY_ROOT, SESSIONS)]),
)
def test_any_order_of_arrival(
    made: list[tuple[Any, ...]], delays: list[int], steps: int, kind: tuple[str, str]
) -> None:
    ts, batch = log_of(made)
    plan = plan_of(planner_of(TEXTS), *kind)
    end = int(ts.max(initial=0)) + 1
    table = TableBucket(plan)
    wanted: list[pa.RecordBatch] = []
    for start, data in sorted(packed(plan, ts, batch), key=lambda chunk: chunk[0]):
        wanted += table.add(start, data)

    list(table.add(end, pa.py_buffer(b"")))
    wanted += table.finish()
    stream, store = StreamPlan(plan, {"plan": "test"}), DictStore()
    order = np.argsort(ts + np.array(delays[: len(ts)], np.int64), kind="stable")
    found: list[pa.RecordBatch] = []
    unmatched = 0
    seen = 0
    for part in np.array_split(order, steps):
        watermark = max(0, seen - LATENESS)
        step = stream.bucket(store).step(packed(plan, ts[part], batch.take(pa.array(part))), watermark)
        found += step.results
        unmatched += step.counters["unmatched_closes"]
        assert step.counters["late"] == 0
        seen = max(seen, int(ts[part].max(initial=0)))
    step = stream.bucket(store).step([], end)
    assert emitted([*found, *step.results]) == emitted(wanted)
    assert unmatched + step.counters["unmatched_closes"] == int(table.operator.machine.unmatched_closes.sum())
