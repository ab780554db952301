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


def test_a_row_without_a_key_stops_the_batch(spark: Any) -> None:
    rows = spark.createDataFrame([(None, 1)], "frame_id long, frame_rows long")
    with pytest.raises(Exception, match="a row for topic 'episodes' has no frame_id; filter such rows out"):
        messages(rows)
    with pytest.raises(sf.InvalidArgument, match="bad='aside'"):
        messages(rows, bad="aside")


def test_a_broker_that_is_not_there_is_said_without_passwords(spark: Any) -> None:
    rows = row(spark, frame_id=F.lit(1), at=F.lit(datetime.date(2026, 1, 5)))
    target = sf.sink.Kafka("nowhere:9092", "episodes", options={"kafka.sasl.jaas.config": "very secret"})
    assert "secret" not in repr(target)
    with pytest.raises(sf.SinkError, match="topic 'episodes' of Kafka at nowhere:9092 cannot be written to") as caught:
        sf.sink.upsert(target)(rows)
    assert "secret" not in str(caught.value)
