"""Values of topics are decoded exactly, or kept aside with a reason; none is lost, and none stops a query."""

from __future__ import annotations

import json
import math
from pathlib import Path
from typing import Any

import pytest
from pyspark.sql import types as T

import streamframes as sf

pytestmark = pytest.mark.spark

SCHEMA = "id bigint not null, ts timestamp, plain timestamp_ntz, n int, x double, s string, ok boolean, a array<int>"
NO_FIT = "not one JSON object with these types"


def rows_of(spark: Any, values: list[str | bytes | None]) -> Any:
    kind = T.BinaryType()
    numbered = [(i, None if v is None else v.encode() if isinstance(v, str) else v) for i, v in enumerate(values)]
    schema = T.StructType([T.StructField("offset", T.LongType()), T.StructField("value", kind)])
    return spark.createDataFrame(numbered, schema)


BAD: list[tuple[str | bytes | None, str]] = [
    (None, "no value"),
    ("", NO_FIT),
    ("null", NO_FIT),
    ("7", NO_FIT),
    ("{", NO_FIT),
    ("{'id': 1}", NO_FIT),
    ('{"id": 1,}', NO_FIT),
    ('{"id": 1} x', NO_FIT),
    ('{"id": 1}{"id": 2}', NO_FIT),
    ('{"id": 1},{"id": 2}', NO_FIT),
    ('[{"id": 1}]', NO_FIT),
    ('{"id": "1"}', NO_FIT),
    ('{"id": 1.0}', NO_FIT),
    ('{"id": 9223372036854775808}', NO_FIT),
    ('{"id": 1, "n": 2147483648}', NO_FIT),
    ('{"id": 1, "x": "1.5"}', NO_FIT),
    ('{"id": 1, "ok": "true"}', NO_FIT),
    ('{"id": 1, "a": [1, "x"]}', NO_FIT),
    (b'\xff{"id": 1}', NO_FIT),
    ("{}", "id is missing"),
    ('{"id": null}', "id is missing"),
    ('{"ID": 1}', "id is missing"),
    ('{"id": 1, "ts": 1767607220500}', "ts is no instant"),
    ('{"id": 1, "ts": "2026"}', "ts is no instant"),
    ('{"id": 1, "ts": "2026-02-30T00:00:00Z"}', "ts is no instant"),
    ('{"id": 1, "ts": "yesterday"}', "ts is no instant"),
    ('{"id": 1, "plain": "2026-02-03T00:00:00Z"}', "plain is no instant"),
]


def test_what_does_not_fit_is_kept_aside_with_the_reason(spark: Any) -> None:
    decoded = sf.decode(rows_of(spark, [value for value, _ in BAD]), SCHEMA)
    found = {row.offset: (row.value, row.reason) for row in decoded.bad.collect()}
    for offset, (value, reason) in enumerate(BAD):
        raw = value.encode() if isinstance(value, str) else value
        assert found[offset] == (raw if raw is None else bytearray(raw), reason), value
    assert decoded.good.count() == 0


@pytest.mark.parametrize("zone", ["UTC", "America/New_York"])
def test_what_fits_keeps_each_digit_whatever_the_zone_of_the_session(spark: Any, zone: str) -> None:
    before = spark.conf.get("spark.sql.session.timeZone")
    spark.conf.set("spark.sql.session.timeZone", zone)
    try:
        values = [
            {
                "id": 2**63 - 1,
                "ts": "2026-01-05T10:00:20.123456Z",
                "x": 0.1 + 0.2,
                "s": "é",
                "ok": True,
                "a": [1, None],
            },
            {"id": -(2**63), "ts": "2026-01-05 11:00:20.123456+01:00", "x": "NaN", "other": {}},
            {"id": 3, "ts": "2026-01-05T10:00:20.123456", "plain": "2026-01-05T10:00:20.5", "x": 5e-324, "s": 5},
        ]
        decoded = sf.decode(rows_of(spark, [json.dumps(value) for value in values]), SCHEMA, keep=["offset"])
        rows = sorted(
            decoded.good.selectExpr("*", "unix_micros(ts) micros", "cast(plain as string) text").collect(),
            key=lambda row: row.offset,
        )
    finally:
        spark.conf.set("spark.sql.session.timeZone", before)
    assert [row.id for row in rows] == [2**63 - 1, -(2**63), 3]
    assert {row.micros for row in rows} == {1767607220123456}
    assert (rows[0].x, rows[0].s, rows[0].ok, rows[0].a) == (0.1 + 0.2, "é", True, [1, None])
    assert math.isnan(rows[1].x)
    assert (rows[2].x, rows[2].s, rows[2].text) == (5e-324, "5", "2026-01-05 10:00:20.5")
    assert decoded.good.columns == [*T.StructType.fromDDL(SCHEMA).names, "offset"]


def test_a_stream_counts_what_is_bad_and_goes_on(spark: Any, tmp_path: Path) -> None:
    (tmp_path / "in").mkdir()
    (tmp_path / "in" / "a.txt").write_text('{"id": 1}\nnonsense\n{"id": 2}\n{"id": "3"}\n')
    rows = spark.readStream.text(str(tmp_path / "in"))
    decoded = sf.decode(rows, "id long", name="reports")
    found = {}
    for name in ("good", "bad"):
        writer = getattr(decoded, name).writeStream.format("memory").queryName(f"decoded_{name}")
        query = writer.trigger(availableNow=True).start()
        query.awaitTermination()
        found[name] = query.lastProgress
    assert sorted(row.id for row in spark.table("decoded_good").collect()) == [1, 2]
    assert sorted(row.value for row in spark.table("decoded_bad").collect()) == ["nonsense", '{"id": "3"}']
    metrics = found["good"]["observedMetrics"]["reports"]
    assert (metrics["rows"], metrics["bad"]) == (4, 2)


@pytest.mark.parametrize(
    ("arguments", "message"),
    [
        ({"schema": "id wrong"}, "schema='id wrong'"),
        ({"schema": ""}, "give DDL like"),
        ({"schema": "id int", "format": "xml"}, "format='xml'; give 'json' or 'avro'"),
        ({"schema": "id int", "value": "offset"}, "value='offset' of type bigint; it must be binary or string"),
        ({"schema": "offset int", "keep": ["offset"]}, "keep='offset', but the schema has a column of this name"),
        ({"schema": "id int", "ids": 3}, "only Avro values have ids"),
        ({"schema": "{}", "format": "avro"}, "give the JSON of an Avro record"),
        ({"schema": "id int", "name": ""}, "name=''"),
    ],
)
def test_what_makes_no_sense_is_refused(spark: Any, arguments: dict[str, Any], message: str) -> None:
    with pytest.raises(sf.InvalidArgument, match=message):
        sf.decode(rows_of(spark, []), **arguments)


def test_avro_without_its_package_says_what_to_install(spark: Any) -> None:
    schema = json.dumps({"type": "record", "name": "r", "fields": [{"name": "id", "type": "long"}]})
    with pytest.raises(sf.MissingExtra, match=r"spark.jars.packages=org.apache.spark:spark-avro_2.13:"):
        sf.decode(rows_of(spark, []), schema, format="avro").good.count()
