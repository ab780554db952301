"""What is sent to Kafka keeps every digit, and says which of two messages is newer; no broker is needed for that."""

from __future__ import annotations

import datetime
import json
import math
from decimal import Decimal
from typing import Any

import pytest
from pyspark.sql import functions as F

import streamframes as sf

pytestmark = pytest.mark.spark

HIGH = 2**63 - 1


def messages(rows: Any, **arguments: Any) -> list[Any]:
    from streamframes.sinks.changes import changes_of
    from streamframes.spark.sinks.batch import SparkBatch, schema_of

    changes = changes_of(rows.columns, arguments.get("key", ("frame_id",)), None, "delete")
    batch = SparkBatch(rows, schema_of(rows), changes, 0, arguments.get("bad", "fail"))
    target: Any = sf.sink.Kafka("nowhere:9092", "episodes")
    return list(target.messages(batch).collect())


def row(spark: Any, **columns: Any) -> Any:
    return spark.range(1).select(*(value.alias(name) for name, value in columns.items()))


def test_values_keep_every_digit_and_are_decoded_to_what_they_were(spark: Any) -> None:
    at = F.lit("2026-01-05T10:00:20.123456Z").cast("timestamp")
    rows = row(
        spark,
        frame_id=F.lit(HIGH),
        frame_start=at,
        plain=at.cast("timestamp_ntz"),
        rows=F.lit(HIGH - 1),
        x=F.lit(0.1 + 0.2),
        nan=F.lit(math.nan),
        exact=F.lit(Decimal("12345678901234567890.10")),
        none=F.lit(None).cast("string"),
        text=F.lit('é "'),
    )
    (message,) = messages(rows)
    value = json.loads(message.value)
    assert message.key == str(HIGH) == value["frame_id"]
    assert value["frame_start"] == "2026-01-05T10:00:20.123456Z"
    assert value["exact"] == "12345678901234567890.10"
    assert (value["rows"], value["x"], value["nan"], value["none"]) == (HIGH - 1, 0.1 + 0.2, "NaN", None)
    assert message.headers is None
    schema = "frame_start timestamp, plain timestamp_ntz, rows bigint, x double, nan double, none string, text string"
    good = sf.decode(spark.createDataFrame([(message.value,)], "value string"), schema).good
    assert [repr(each) for each in good.collect()] == [repr(each) for each in rows.select(good.columns).collect()]


def test_fragments_of_a_key_come_in_order_with_headers_and_retracted_ones_are_tombstones(spark: Any) -> None:
    rows = spark.createDataFrame(
        [(1, 2, True, False), (1, 0, False, False), (1, 1, False, False), (2, 0, True, True), (None, None, None, None)],
        "frame_id long, frame_fragment int, frame_final boolean, frame_retracted boolean",
    ).withColumn("frame_rows", F.when(F.col("frame_id").isNotNull(), 1))
    found = messages(rows)
    headers = [{each.key: bytes(each.value).decode() for each in message.headers} for message in found]
    said = [(message.key, header["fragment"], header["final"]) for message, header in zip(found, headers, strict=True)]
    assert [each for each in said if each[0] == "1"] == [("1", "0", "false"), ("1", "1", "false"), ("1", "2", "true")]
    assert [message.value is None for message in found if message.key == "2"] == [True]
    assert len(found) == 4


def test_a_row_that_is_no_message_stops_the_batch(spark: Any) -> None:
    rows = spark.createDataFrame([(None, 1)], "frame_id long, frame_rows long")
    said = r"topic 'episodes' of Kafka at nowhere:9092 cannot hold the row frame_id=None: frame_id is null; filter such"
    with pytest.raises(Exception, match=said):
        messages(rows)
    long = spark.range(1).selectExpr("id frame_id", "repeat('x', 2000000) text")
    with pytest.raises(Exception, match=r"the row frame_id=0: the row is longer than the 1,048,064 bytes of a message"):
        messages(long)


def test_rows_that_are_no_messages_are_sent_aside_with_the_reason_and_all_of_the_row(spark: Any) -> None:
    rows = spark.sql(
        """select if(id = 1, null, id) frame_id, int(0) frame_fragment, true frame_final,
        if(id = 2, repeat('"\U0001f600', 300000), 'short') text, 1 frame_rows from range(4)"""
    )
    found = messages(rows, bad="aside")
    assert sorted((each.topic, each.key) for each in found if each.topic == "episodes") == [
        ("episodes", "0"),
        ("episodes", "3"),
    ]
    beside: dict[str, list[dict[str, Any]]] = {}
    for each in found:
        if each.topic == "episodes_aside":
            assert len(each.value.encode()) < 1_048_000
            assert each.headers is None
            beside.setdefault(each.key, []).append(json.loads(each.value))
    short, long = sorted(beside.values(), key=len)
    assert [(each["batch"], each["reason"], each["part"], each["parts"]) for each in short] == [
        (0, "frame_id is null", 1, 1)
    ]
    assert json.loads(short[0]["row"])["text"] == "short"
    assert [each["part"] for each in long] == list(range(1, long[0]["parts"] + 1))
    whole = json.loads("".join(each["row"] for each in long))
    assert (whole["frame_id"], whole["text"]) == ("2", '"\U0001f600' * 300_000)
    assert sorted(map(str, messages(rows, bad="aside"))) == sorted(map(str, found))


def test_a_broker_that_is_not_there_is_said_without_passwords(spark: Any) -> None:
    rows = row(spark, frame_id=F.lit(1), at=F.lit(datetime.date(2026, 1, 5)))
    target = sf.sink.Kafka("nowhere:9092", "episodes", options={"kafka.sasl.jaas.config": "very secret"})
    assert "secret" not in repr(target)
    with pytest.raises(sf.SinkError, match="topic 'episodes' of Kafka at nowhere:9092 cannot be written to") as caught:
        sf.sink.upsert(target)(rows)
    assert "secret" not in str(caught.value)
