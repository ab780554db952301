"""Lookup tables without Spark: thresholds that every bucket gets before its rows, and keeps over restarts.

Covers: streamframes.core.operator.lookup, streamframes.core.bursts.threshold_table
"""

from __future__ import annotations

from dataclasses import replace
from typing import Any

import pyarrow as pa
import pytest

import streamframes as sf
from streamframes.core.batch.clock import Clock
from streamframes.core.batch.packer import Packer
from streamframes.core.bursts.operator import BurstPlan
from streamframes.core.bursts.plan import UnreadThresholds
from streamframes.core.operator.lookup import LOOKUP, LookupStreamPlan, bucket_of
from streamframes.core.operator.stream_bucket import StreamPlan
from streamframes.core.operator.table_bucket import bucket_results
from streamframes.core.regions.plan import UnreadPlaces
from tests.core.operator.test_stream_bucket import DictStore

FIRST = -(2**63)
PLAN = BurstPlan(
    clock=Clock("integer"),
    keys=pa.schema([("link", pa.string())]),
    ts_type=pa.int64(),
    columns=(pa.float64(),),
    ts="ts",
    agg="sum",
    windows=(),
    thresholds=(),
    unread=UnreadThresholds((pa.string(),), None),
)
LIMITS = [("a", 2, 5.0), ("a", 3, 9.0), ("b", 2, 4.0), ("b", 3, 99.0)]
VALUES = [("a", FIRST, 3.0), ("a", 1, 3.0), ("a", 2, 3.0), ("b", 1, 1.0), ("b", 2, 3.0), ("nobody", 1, 99.0)]
ALARMS = [("a", 1, 2, 6.0), ("a", 2, 2, 6.0), ("a", 2, 3, 9.0), ("b", 2, 2, 4.0)]


def table(limits: list[tuple[Any, ...]]) -> list[tuple[int, pa.Buffer]]:
    """A lookup table, one row in each chunk."""
    kinds = (pa.string(), pa.int64(), pa.float64())
    return [
        (FIRST, pa.py_buffer(chunk.data))
        for row in limits
        for chunk in Packer(1, LOOKUP).pack(
            pa.array([FIRST]),
            pa.RecordBatch.from_arrays([], schema=pa.schema([])).slice(0, 0),
            [pa.array([value], kind) for value, kind in zip(row, kinds, strict=True)],
        )
    ]


def rows(values: list[tuple[Any, ...]]) -> list[tuple[int, pa.Buffer]]:
    link, ts, value = (list(column) for column in zip(*values, strict=True))
    keys = pa.RecordBatch.from_arrays([pa.array(link, pa.string())], schema=PLAN.keys)
    return [(chunk.start, pa.py_buffer(chunk.data)) for chunk in Packer(1).pack(pa.array(ts), keys, [pa.array(value)])]


def in_table(limits: list[tuple[Any, ...]], plan: BurstPlan = PLAN) -> list[tuple[Any, ...]]:
    chunks = [(0, start, data) for start, data in (*table(limits), *rows(VALUES))]
    found = [row for batch in bucket_results(plan, chunks, bucket_of) for row in batch.to_pylist()]
    return sorted((row["link"], row["ts"], row["window"], row["value"]) for row in found)


def test_a_bucket_of_a_table_completes_its_plan() -> None:
    assert in_table(LIMITS) == ALARMS
    assert in_table(LIMITS[::-1], replace(PLAN, windows=(2,))) == [row for row in ALARMS if row[2] == 2]


@pytest.mark.parametrize(
    ("limits", "message"),
    [
        (LIMITS[:3], "without one for the window 3 of b"),
        ([*LIMITS, LIMITS[0]], "with two for one window of one group"),
        ([("a", None, 1.0)], "a window or a threshold is null"),
        ([("a", 2, None)], "a window or a threshold is null"),
        ([("a", 0, 1.0)], "got the window 0; a window has 1 row or more"),
        ([("a", 2, float("nan"))], "got the threshold nan for the window 2"),
        ([], "which holds none"),
    ],
)
def test_a_table_that_lacks_something_is_refused(limits: list[tuple[Any, ...]], message: str) -> None:
    with pytest.raises(sf.InvalidArgument, match=message):
        in_table(limits)


def test_a_stream_keeps_its_table() -> None:
    stream = LookupStreamPlan(StreamPlan(PLAN, {"agg": "sum"}), PLAN.lookup)
    store = DictStore()
    found = []
    late = [row for row in VALUES if row[1] > 1]
    soon = [row for row in VALUES if 0 < row[1] <= 1]
    for step, (arriving, watermark) in enumerate([(soon, 2), (late, 3)]):
        # Spark gives the table once, and makes every bucket anew for every step.
        bucket = replace(stream, completed={}).bucket(store, table(LIMITS) if step == 0 else ())
        for batch in bucket.step(rows(arriving), watermark).results:
            found += [(row["link"], row["ts"], row["window"], row["value"]) for row in batch.to_pylist()]
    assert sorted(found) == [("a", 2, 2, 6.0), ("b", 2, 2, 4.0)]


def test_places_are_read_by_group_or_for_all() -> None:
    places = pa.array([2.0, 1.0, 2.0])
    listed = UnreadPlaces((), ("x",)).listed([places])
    assert listed.of(0, 0).tolist() == [[1.0], [2.0]]
    by_name = UnreadPlaces((pa.string(),), ("x",)).listed([pa.array(["a", "a", "b"]), places])
    assert by_name.first is not None
    assert by_name.second is not None
    assert by_name.of(int(by_name.first[2]), int(by_name.second[2])).tolist() == [[2.0]]
    for column, message in ((pa.array([], pa.float64()), "without rows"), (pa.array([None, 1.0]), "'x' is null")):
        with pytest.raises(sf.InvalidArgument, match=message):
            UnreadPlaces((), ("x",)).listed([column])
