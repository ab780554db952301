"""What filling refuses before a job starts, in words that say what would have worked."""

from __future__ import annotations

from typing import Any

import pytest
from pyspark.sql import functions as F

import streamframes as sf
from tests.arguments import flat

pytestmark = pytest.mark.spark


@pytest.fixture(scope="module")
def reports(spark: Any) -> Any:
    return spark.sql("select 'a' router, 1 port, timestamp_seconds(id) at, id % 2 = 0 bad from range(10)")


@pytest.fixture(scope="module")
def commands(spark: Any) -> Any:
    return spark.sql(
        "select 'a' device, 7L number, timestamp_seconds(id) sent, date'2020-01-01' day, id, 1L frame_id from range(10)"
    )


@pytest.fixture(scope="module")
def frames(reports: Any) -> sf.Frames:
    return sf.frames(reports, sf.Threshold("bad"), ts="at", by=["router", "port"])


@pytest.fixture(scope="module")
def streams(spark: Any) -> tuple[Any, Any]:
    rate = spark.readStream.format("rate").load()
    reports = rate.selectExpr("'a' router", "timestamp at", "value % 2 = 0 bad")
    return reports, rate.selectExpr("'a' router", "timestamp sent", "value")


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"ts": "when"}, r"fill\(\) got ts='when', which is not a column; the columns are device"),
        (
            {"ts": "day", "by": ()},
            r"got 'frame_start' of type timestamp in the frames and 'day' of type date in the rows; cast one",
        ),
        ({"ts": "device", "by": ()}, r"got the rows with 'device' of type string; it must be a timestamp"),
        ({"ts": []}, r"got ts=\[\]; name the column"),
        ({"ts": "sent"}, r"got by='router', which is not a column of the rows; the columns are device.* write by="),
        (
            {"ts": "sent", "by": "device"},
            r"by='device', which is not a column of the frames; the columns are router, port",
        ),
        ({"ts": "sent", "by": {"router": "dev"}}, r"got by='dev', which is not a column of the rows"),
        (
            {"ts": "sent", "by": {"router": "number"}},
            r"got 'router' of type string in the frames and 'number' of type bigint in the rows",
        ),
        (
            {"ts": "sent", "by": {"port": "number"}},
            r"got 'port' of type int in the frames and 'number' of type bigint in the rows; cast one",
        ),
        ({"ts": "sent", "by": {"router": "device", "port": "device"}}, r"each column may be named once"),
        ({"ts": "sent", "by": 3}, r"got by=3; give a column name or a list"),
        ({"ts": "sent", "by": (), "n": "count(nothing)"}, r"got n='count\(nothing\)', which Spark cannot evaluate"),
        ({"ts": "sent", "by": (), "n": "id + 1"}, r"got n='id \+ 1', which is not an aggregate"),
        ({"ts": "sent", "by": (), "router": "count(*)"}, r"the measure 'router', which is a column of the frames"),
        ({"ts": "sent", "by": ()}, r"would add 'frame_id', but the rows have a column of that name"),
        ({"ts": "sent", "by": (), "keep_empty": "no"}, r"got keep_empty='no'; it is True or False"),
        ({"ts": "sent", "by": (), "wait": "count(*)"}, r"got wait='count\(\*\)'; it is True or False"),
        (
            {"ts": "sent", "by": (), "lateness": "count(*)", "n": "count(*)"},
            r"lateness='count\(\*\)' is not a duration",
        ),
        (
            {"ts": "sent", "by": (), "n": sf.Fold("id", (0.0,), lambda s, v: (s[0], v), max)},
            r"returns \(0.0, 1.0\); return a tuple",
        ),
    ],
)
def test_arguments_of_fill(frames: sf.Frames, commands: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(sf.InvalidArgument, match=message):
        frames.fill(commands, **arguments)


def test_what_is_no_table_is_not_filled_with(frames: sf.Frames) -> None:
    with pytest.raises(sf.InvalidArgument, match=r"fill\(\) got rows of type list; give a Spark DataFrame"):
        frames.fill([1, 2], ts="at")  # type: ignore[arg-type]


@pytest.mark.parametrize(
    ("move", "message"),
    [
        (lambda frames: frames.expand(), r"expand\(\) got nothing; write expand\(before='2 minutes'\)"),
        (lambda frames: frames.expand(before="-1 minute"), r"before='-1 minute' must be zero or more"),
        (lambda frames: frames.expand(after=5), r"after=5 is a plain number but ts is a timestamp"),
        (lambda frames: frames.split(every="0 seconds"), r"every='0 seconds' must be greater than zero"),
        (lambda frames: frames.split(every="1 hour").split(every="1 day"), r"got frames that are split"),
        (
            lambda frames: frames.move(start="min(frame_start)"),
            r"got start='min\(frame_start\)', which Spark cannot evaluate",
        ),
        (lambda frames: frames.move(start="explode(array(frame_start))"), r"which Spark cannot evaluate"),
        (lambda frames: frames.expand(before="99999999 days"), r"is longer than any frame"),
        (lambda frames: frames.move(), r"move\(\) got nothing"),
        (lambda frames: frames.move(start="frame_begin"), r"got start='frame_begin', which Spark cannot evaluate"),
        (
            lambda frames: frames.move(end="frame_rows + 1"),
            r"got end='frame_rows \+ 1' of type bigint, but .* timestamp",
        ),
        (
            lambda frames: frames.expand(before="1 second").tag(keep_outside=True),
            r"got keep_outside=True for frames that",
        ),
    ],
)
def test_arguments_of_moves(frames: sf.Frames, move: Any, message: str) -> None:
    with pytest.raises(sf.InvalidArgument, match=message):
        move(frames)


def test_a_table_of_frames_needs_edges(spark: Any, commands: Any) -> None:
    frames = spark.sql("select timestamp'2020-01-01' a_start, 1 a_end, 1 x")
    with pytest.raises(
        sf.InvalidArgument, match=r"got the frames without the column 'frame_start'; the columns are a_start, a_end, x"
    ):
        sf.fill(frames, commands, ts="sent")
    with pytest.raises(sf.InvalidArgument, match=r"'a_start' of type timestamp and 'a_end' of type int; cast one"):
        sf.fill(frames, commands, ts="sent", prefix="a_")
    good = frames.select("a_start", F.col("a_start").alias("a_end"))
    with pytest.raises(sf.InvalidArgument, match=r"tags rows with 'a_id', which the frames do not have"):
        sf.fill(good, commands, ts="sent", prefix="a_")


@pytest.mark.parametrize(
    ("fill", "message"),
    [
        (lambda f, other: f().fill(other, ts="sent"), r"fill\(\) got a stream without a watermark; .*wait=False"),
        (
            lambda f, other: f().fill(other.withWatermark("sent", "1 second"), ts="sent", wait=False),
            r"got wait=False, with which the frames' watermark rules alone, for rows with a watermark",
        ),
        (
            lambda f, other: f().fill(other.withWatermark("sent", "1 second"), ts="sent", lateness="1 second"),
            r"got lateness= for rows with a watermark on 'sent'; give one of the two",
        ),
        (
            lambda f, other: f().fill(other, ts="sent", lateness="1 second", m="percentile(value, 0.5)"),
            r"got m='percentile\(value, 0.5\)', which a stream cannot add up .*foreachBatch",
        ),
        (
            lambda f, other: f(punctuations=True).fill(other, ts="sent", lateness="1 second"),
            r"cannot pass on punctuations=True",
        ),
        (
            lambda f, other: f(fragments=True).split(every="1 minute").fill(other, ts="sent", lateness="1 second"),
            r"with fragments=True got split\(\), which could take back",
        ),
        (lambda f, other: f(fragments=True).move(end="frame_start"), r"move\(\) got frames with fragments=True"),
        (
            lambda f, other: (
                f().move(start="date_trunc('month', frame_start)").fill(other, ts="sent", lateness="1 second")
            ),
            r"which only Spark can evaluate",
        ),
        (
            lambda f, other: f().move(start=F.col("frame_start")).fill(other, ts="sent", lateness="1 second"),
            r"write it as SQL text there",
        ),
        (
            lambda f, other: f(lateness=None, punctuation="bad").fill(other, ts="sent", wait=False),
            r"got wait=False, but the frames have no watermark that could rule",
        ),
        (lambda f, other: sf.fill(f().toDF(), other, ts="sent", lateness="1 second"), r"got a stream of frames; write"),
        (lambda f, other: f().fill(other, ts="sent", wait="no"), r"got wait='no'; it is True or False"),
    ],
)
def test_arguments_of_streams(streams: tuple[Any, Any], fill: Any, message: str) -> None:
    reports, commands = streams

    def frames(**options: Any) -> sf.Frames:
        given = flat("frames", **{"lateness": "1 second", **options})
        return sf.frames(reports, sf.Threshold("bad"), ts="at", by="router", **given)

    with pytest.raises(sf.InvalidArgument, match=message):
        fill(frames, commands)


def test_the_slower_watermark_must_rule(spark: Any, streams: tuple[Any, Any]) -> None:
    reports, commands = streams
    frames = sf.frames(reports, sf.Threshold("bad"), ts="at", by="router", lateness="1 second")
    policy = "spark.sql.streaming.multipleWatermarkPolicy"
    spark.conf.set(policy, "max")
    try:
        with pytest.raises(sf.InvalidArgument, match=r"goes by the slower watermark, but .* is 'max'; set it to 'min'"):
            frames.fill(commands, ts="sent", lateness="1 second")
    finally:
        spark.conf.unset(policy)
