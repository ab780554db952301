"""Values of Avro are decoded by Spark's package, bare or behind the id of a registry; what is none is kept aside."""

from __future__ import annotations

import json
from typing import Any

import pytest

import streamframes as sf

pytestmark = [pytest.mark.spark, pytest.mark.servers]

TEXT = {"name": "text", "type": ["null", "string"]}
NUMBER = {"name": "id", "type": "long"}


def schema(*fields: dict[str, Any]) -> str:
    return json.dumps({"type": "record", "name": "r", "fields": list(fields)})


def number(value: int) -> bytes:
    """A long as Avro writes it."""
    left, found = (value << 1) ^ (value >> 63), bytearray()
    while left > 127:
        found.append(left & 127 | 128)
        left >>= 7
    return bytes([*found, left])


def rows_of(spark: Any, values: list[bytes | None]) -> Any:
    return spark.createDataFrame(list(enumerate(values)), "offset long, value binary")


def test_records_are_decoded_and_others_kept_aside(spark: Any) -> None:
    values = [number(1) + b"\x02" + number(1) + b"a", number(-(2**62)) + b"\x00", b"\x02", b"", b"\xff\xff", None]
    decoded = sf.decode(rows_of(spark, values), schema(NUMBER, TEXT), format="avro", keep=["offset"])
    assert [tuple(row) for row in decoded.good.orderBy("offset").collect()] == [(1, "a", 0), (-(2**62), None, 1)]
    bad = {row.offset: row.reason for row in decoded.bad.collect()}
    none = "no Avro record of this schema"
    assert bad == {2: none, 3: none, 4: none, 5: "no value"}


def test_a_record_of_nulls_is_one(spark: Any) -> None:
    decoded = sf.decode(rows_of(spark, [b"\x00", b"\x08", b""]), schema(TEXT), format="avro", keep=["offset"])
    assert [tuple(row) for row in decoded.good.collect()] == [(None, 0)]
    assert decoded.bad.count() == 2


def test_records_behind_the_id_of_a_registry(spark: Any) -> None:
    values: list[bytes | None] = [head + number(5) for head in (b"\0\0\0\0\7", b"\0\0\0\0\x08", b"\1\0\0\0\7", b"")]
    decoded = sf.decode(rows_of(spark, values), schema(NUMBER), format="avro", ids=[7, 9], keep=["offset"])
    assert [tuple(row) for row in decoded.good.collect()] == [(5, 0)]
    assert {row.reason for row in decoded.bad.collect()} == {"not behind the id 7 or 9"}
