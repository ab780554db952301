"""Reports from a topic of Kafka: decoded, framed, and what is no report kept aside."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest

import streamframes as sf
from streamframes.data import routers
from tests.servers.kafka import read, send

pytestmark = [pytest.mark.spark, pytest.mark.servers]

SCHEMA = "router string not null, rpt_time timestamp not null, drop_pct double"


def test_frames_of_a_topic_are_those_of_its_rows(spark: Any, kafka: str, tmp_path: Path) -> None:
    reports = spark.createDataFrame(routers(400, routers=3, seed=2).table).select("router", "rpt_time", "drop_pct")
    send(reports.selectExpr("router key", "to_json(struct(*)) value"), kafka, "reports")
    send(spark.createDataFrame([("x", "no report")], "key string, value string"), kafka, "reports")
    rows = read(spark.readStream, kafka, "reports", maxOffsetsPerTrigger="150").load()
    decoded = sf.decode(rows, SCHEMA, keep=["partition", "offset"])
    scheme = sf.Threshold("drop_pct > 0.02", min_rows=2)
    found = sf.frames(decoded.good, scheme, ts="rpt_time", by="router", lateness="10 days").toDF()
    counts: list[tuple[int, int]] = []
    for number, rows in enumerate((found, decoded.bad)):
        writer = rows.writeStream.format("memory").queryName(f"topic_{number}").trigger(availableNow=True)
        query = writer.option("checkpointLocation", str(tmp_path / str(number))).start()
        query.awaitTermination()
        seen = [progress["observedMetrics"].get("decode") for progress in query.recentProgress]
        counts += [(each["rows"], each["bad"]) for each in seen if each is not None]
    (bad,) = spark.table("topic_1").collect()
    assert (bytes(bad.value), bad.reason) == (b"no report", "not one JSON object with these types")
    assert (sum(rows for rows, _ in counts), sum(bad for _, bad in counts)) == (401, 1)
    # Frames that are open at the end are not known yet.
    expected = {str(row) for row in sf.frames(reports, scheme, ts="rpt_time", by="router").toDF().collect()}
    assert {str(row) for row in spark.table("topic_0").collect()} <= expected
