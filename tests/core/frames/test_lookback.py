"""How far before the start of a frame an expression of its edges can lie, in the ticks of a type."""

from __future__ import annotations

import pyarrow as pa
import pytest

from streamframes.core.frames.lookback import least_offset

MINUTE, HOUR, DAY = 60_000_000, 3_600_000_000, 86_400_000_000


def edges(kind: pa.DataType) -> pa.Schema:
    return pa.schema({"frame_start": kind, "frame_end": kind, "other": kind, "b": pa.bool_()})


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("frame_start", 0),
        ("FRAME_END", 0),
        ("frame_start - interval 5 minutes", -5 * MINUTE),
        ("interval 1 minute + frame_end", MINUTE),
        ("(frame_start + interval 1 hour) - interval 1 day 2 hours", -DAY - HOUR),
        ("least(frame_start - interval 1 minute, frame_end - interval 1 hour)", -HOUR),
        ("greatest(frame_start - interval 1 hour, frame_end - interval 1 minute)", -MINUTE),
        ("greatest(other, frame_start)", 0),
        ("greatest(nullif(frame_start, frame_end), frame_start - interval 1 hour)", -HOUR),
        ("greatest(nullif(frame_start, frame_end), if(b, frame_end, frame_start - interval 1 hour))", -HOUR),
        ("if(b, frame_start - interval 1 minute, frame_end)", -MINUTE),
        ("case when b then frame_end when not b then null else frame_start - interval 1 hour end", -HOUR),
        ("coalesce(frame_start, frame_end - interval 1 hour)", -HOUR),
        ("date_trunc('hour', frame_start)", -HOUR + 1),
        ("date_trunc('minute', frame_end - interval 1 hour)", -HOUR - MINUTE + 1),
        ("other", None),
        ("least(frame_start, other)", None),
        ("frame_end - frame_start", None),
        ("frame_start - interval 1 month", None),
        ("frame_start + b", None),
        ("to_timestamp('x')", None),
        ("frame_start -", None),
    ],
)
def test_the_lookback_of_instants(text: str, expected: int | None) -> None:
    assert least_offset(text, edges(pa.timestamp("us")), "frame_start", "frame_end") == expected


@pytest.mark.parametrize(
    ("kind", "text", "expected"),
    [
        (pa.int64(), "frame_start - 5", -5),
        (pa.int64(), "frame_end + -5", -5),
        (pa.int64(), "3 + frame_start", 3),
        (pa.int64(), "frame_start - 0.5", None),
        (pa.int64(), "frame_start / 2", None),
        (pa.int64(), "frame_start - interval 1 day", None),
        (pa.date32(), "frame_start - 5", -5),
        (pa.date32(), "date_sub(frame_start, 5)", -5),
        (pa.date32(), "date_add(frame_end, 5)", 5),
        (pa.date32(), "frame_start - interval 1 week", -7),
        (pa.date32(), "frame_start - interval 24 hours", None),
        (pa.timestamp("us", tz="UTC"), "frame_start - interval 5 minutes", -5 * MINUTE),
        (pa.timestamp("us", tz="UTC"), "frame_start - interval 1 day", -DAY - 36 * HOUR),
        (pa.timestamp("us", tz="UTC"), "date_trunc('minute', frame_start)", -MINUTE + 1),
        (pa.timestamp("us", tz="UTC"), "date_trunc('day', frame_start)", -DAY + 1 - 36 * HOUR),
        (pa.timestamp("us", tz="UTC"), "frame_start - 5", None),
    ],
)
def test_the_lookback_in_the_ticks_of_a_type(kind: pa.DataType, text: str, expected: int | None) -> None:
    assert least_offset(text, edges(kind), "frame_start", "frame_end") == expected
