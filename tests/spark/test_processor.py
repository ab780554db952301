"""The stateful processor without a JVM: pieces in, results and figures out, woken by timers."""

from __future__ import annotations

from typing import Any

import numpy as np
import pandas as pd
import pyarrow as pa
import pytest
from pyspark.sql.streaming.tws_tester import TwsTester

import streamframes as sf
from streamframes.core.batch.clock import Clock
from streamframes.core.batch.packer import Packer
from streamframes.core.batch.pieces import split
from streamframes.core.frames.operator import FramePlan
from streamframes.core.operator.stream_bucket import StreamPlan
from streamframes.errors import StreamFramesError
from streamframes.spark.hashing import bucket_names
from streamframes.spark.streaming.events import own_clock
from streamframes.spark.streaming.processor import FrameProcessor

KEYS = pa.schema([("key", pa.string())])
PLAN = FramePlan(
    scheme=sf.Threshold("w", max_gap=10), clock=Clock("integer"), keys=KEYS, ts_type=pa.int64(), columns=(pa.bool_(),)
)
CLOCK = own_clock(PLAN.clock, 0)


def lone_bucket(**settings: Any) -> TwsTester:
    """The processor by itself; like a null event time, no piece is ever late to Spark."""
    processor = FrameProcessor(StreamPlan(PLAN, {"scheme": repr(PLAN.scheme)}, **settings), CLOCK)
    return TwsTester(processor, timeMode="EventTime", eventTimeExtractor=lambda row: 2**62)


def pieces(ts: list[int], w: list[bool]) -> pd.DataFrame:
    keys = pa.RecordBatch.from_arrays([pa.array(["a"] * len(ts))], schema=KEYS)
    packed = list(Packer(1).pack(pa.array(ts, pa.int64()), keys, [pa.array(w)]))
    frame = split(packed, 0).to_pandas()
    return frame.sample(frac=1, random_state=1)


def frames(result: pd.DataFrame) -> list[tuple[Any, ...]]:
    found = [row for data in result["data"] for batch in pa.ipc.open_stream(data) for row in batch.to_pylist()]
    return [(row["frame_start"], row["frame_end"], row["frame_closed_by"]) for row in found]


def watermark(point: int) -> int:
    return CLOCK.wake(point)


def test_rows_wait_for_the_watermark_and_a_timer_lets_them_go() -> None:
    bucket = lone_bucket()
    result = bucket.testInPandas((0,), pieces([1, 2, 5], [True, True, False]))
    assert frames(result) == []
    assert result[["late", "open", "waiting"]].to_numpy().tolist() == [[0, 0, 3]]
    assert frames(bucket.setWatermark(watermark(6))) == [(1, 2, "condition")]
    result = bucket.testInPandas((0,), pieces([4, 7], [True, True]))
    assert result[["late", "open", "waiting"]].to_numpy().tolist() == [[1, 0, 1]]
    assert frames(bucket.setWatermark(watermark(9))) == []
    assert frames(bucket.setWatermark(watermark(18))) == [(7, 7, "gap")]
    assert bucket.setWatermark(watermark(30)).empty


def test_state_is_bytes_of_a_version() -> None:
    bucket = lone_bucket()
    bucket.testInPandas((0,), pieces([1, 2], [True, True]))
    record = bucket.peekValueState("record", (0,))
    assert record is not None
    assert bytes(record[0])[:8] == b"SFRM\x03\x00\x00\x00"
    bucket.updateValueState("record", (0,), (b"SFRM\x07\x00\x00\x00" + bytes(record[0])[8:], None))
    with pytest.raises(StreamFramesError, match="holds version 7 of the state"):
        bucket.testInPandas((0,), pieces([3], [True]))


def test_a_late_row_stops_the_query_if_it_should() -> None:
    bucket = lone_bucket(late="fail")
    bucket.testInPandas((0,), pieces([8], [True]))
    bucket.setWatermark(watermark(9))
    with pytest.raises(
        StreamFramesError, match=r"a row is late: {'key': 'a'} at 3, but all rows before 9 had been seen"
    ):
        bucket.testInPandas((0,), pieces([3], [True]))


@pytest.mark.parametrize(("kind", "lateness"), [("timestamp", 0), ("date", 3), ("integer", 0), ("integer", 10**12)])
def test_event_time_and_back(kind: Any, lateness: int) -> None:
    clock = own_clock(Clock(kind), lateness)
    assert clock.watermark(0) < -(2**61)
    for point in (-5_000_000, -1, 0, 1, 63_071_999_999_001, 63_072_000_000_000, 1_700_000_000_000_001):
        if kind == "date" and abs(point) > 10_000:
            continue
        woken = clock.watermark(clock.wake(point))
        assert woken >= point
        assert clock.watermark(clock.wake(point) - 1) < point


def test_buckets_are_spread_evenly() -> None:
    for partitions in (1, 2, 7, 200):
        names = bucket_names(partitions, partitions)
        assert len(set(names)) == partitions
    assert np.unique(bucket_names(12, 4)).size == 12
