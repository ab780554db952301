"""Spark SQL without Spark: what is translated, what is refused, and how far an edge can reach."""

from __future__ import annotations

import pickle
from datetime import date, datetime
from typing import Any

import pyarrow as pa
import pytest

from streamframes.core.sql import Untranslatable, reach, translate
from streamframes.errors import StreamFramesError

NAN = float("nan")
SCHEMA = pa.schema(
    {
        "b": pa.bool_(),
        "n": pa.int32(),
        "big": pa.int64(),
        "v": pa.float64(),
        "word": pa.string(),
        "at": pa.timestamp("us", tz="UTC"),
        "local": pa.timestamp("us"),
        "day": pa.date32(),
        "Two words": pa.int32(),
        "money": pa.decimal128(10, 2),
    }
)


def value(text: str, **row: Any) -> Any:
    """The value of an expression on one row; columns that are not given are null."""
    batch = pa.RecordBatch.from_pylist([row], schema=SCHEMA)
    return translate(text, SCHEMA).evaluate(batch).to_pylist()[0]


@pytest.mark.parametrize(
    ("text", "row", "expected"),
    [
        ("v < 40", {"v": 39.5}, True),
        ("V < 40", {"v": 41.0}, False),
        ("v < 40", {}, None),
        ("`Two words` = 3", {"Two words": 3}, True),
        ("v > 1e300", {"v": NAN}, True),
        ("v = v", {"v": NAN}, True),
        ("v <=> null", {}, True),
        ("n > 0.5", {"n": 1}, True),
        ("n between 1 and 2.5 and not b", {"n": 2, "b": False}, True),
        ("n in (1, 2, null)", {"n": 3}, None),
        ("b and n > 1", {"b": False}, False),
        ("n / 4", {"n": 2}, 0.5),
        ("n % 3", {"n": -7}, -1),
        ("round(v, 2)", {"v": 2.675}, 2.68),
        ("floor(v)", {"v": -0.5}, -1),
        ("ceil(v)", {"v": NAN}, 0),
        ("cast(v as int)", {"v": -2.9}, -2),
        ("cast(word as bigint)", {"word": " +12 "}, 12),
        ("coalesce(n, 0)", {}, 0),
        ("nullif(n, 3)", {"n": 3}, None),
        ("case when b then 'yes' else 'no' end", {}, "no"),
        ("case n when 1 then 2 end", {"n": 2}, None),
        ("greatest(n, null, 5)", {"n": 2}, 5),
        ("least(v, 1)", {"v": NAN}, 1.0),
        ("isnan(v)", {}, False),
        ("-9223372036854775808 = big", {"big": -(2**63)}, True),
        ("local + interval 1 day 2 hours", {"local": datetime(2026, 1, 5)}, datetime(2026, 1, 6, 2)),
        ("local - interval '90' second", {"local": datetime(2026, 1, 5)}, datetime(2026, 1, 4, 23, 58, 30)),
        ("local - local < interval 1 minute", {"local": datetime(2026, 1, 5)}, True),
        ("day + 1", {"day": date(2026, 1, 5)}, date(2026, 1, 6)),
        ("date_sub(day, n)", {"day": date(2026, 1, 5), "n": 5}, date(2025, 12, 31)),
        ("date_sub(day, n + 1)", {"day": date(2026, 1, 5), "n": 4}, date(2025, 12, 31)),
        ("date_add(day, n * -2)", {"day": date(2026, 1, 5), "n": 2}, date(2026, 1, 1)),
        ("day - interval 1 week", {"day": date(2026, 1, 8)}, date(2026, 1, 1)),
    ],
)
def test_values_are_those_of_spark(text: str, row: dict[str, Any], expected: Any) -> None:
    assert value(text, **row) == expected


def test_a_timestamp_is_cut_to_the_minute() -> None:
    batch = pa.record_batch([pa.array([1_767_571_259_999_999, None], SCHEMA.field("at").type)], names=["at"])
    cut = translate("date_trunc('MINUTE', at)", SCHEMA).evaluate(batch)
    assert cut.cast(pa.int64()).to_pylist() == [1_767_571_200_000_000, None]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("n + 1", pa.int32()),
        ("n + 1L", pa.int64()),
        ("n * 2.5D", pa.float64()),
        ("v + 0.1", pa.float64()),
        ("if(b, n, big)", pa.int64()),
        ("ceil(v)", pa.int64()),
        ("local - local", pa.duration("us")),
        ("at + interval 1 hour", pa.timestamp("us", tz="UTC")),
    ],
)
def test_types_are_those_of_spark(text: str, kind: pa.DataType) -> None:
    assert translate(text, SCHEMA).type == kind


def test_a_unit_that_could_be_a_column_is_refused() -> None:
    schema = pa.schema({"at": pa.timestamp("us", tz="UTC"), "second": pa.string()})
    with pytest.raises(Untranslatable, match=r"may take its unit from a column"):
        translate("date_trunc(second, at)", schema)


def test_columns_are_named_once_as_in_the_schema_in_the_order_of_the_text() -> None:
    assert translate("V > N and v < `two words`", SCHEMA).columns == ("v", "n", "Two words")


def test_an_expression_survives_pickling() -> None:
    batch = pa.RecordBatch.from_pylist([{"n": 3}], schema=SCHEMA)
    copied = pickle.loads(pickle.dumps(translate("n + 1", SCHEMA)))  # noqa: S301
    assert copied == translate("n + 1", SCHEMA)
    assert copied.evaluate(batch).to_pylist() == [4]


@pytest.mark.parametrize(
    ("text", "row"),
    [
        ("n + 1", {"n": 2**31 - 1}),
        ("-n", {"n": -(2**31)}),
        ("1 / n", {"n": 0}),
        ("v % 0", {"v": NAN}),
        ("cast(v as int)", {"v": NAN}),
        ("cast(word as int)", {"word": "1.5"}),
        ("floor(v)", {"v": float("inf")}),
        ("date_trunc('minute', at)", {"at": datetime(1960, 1, 1)}),
    ],
)
def test_what_is_an_error_in_spark_is_an_error_here(text: str, row: dict[str, Any]) -> None:
    with pytest.raises(StreamFramesError, match=r"cannot be evaluated: "):
        value(text, **row)


@pytest.mark.parametrize(
    "text",
    [
        "n <> 0 and 1 / n > 0",
        "n = 0 or 1 / n > 0",
        "if(n = 0, null, 1 / n) is not null",
        "case when n <> 0 then 1 / n end is not null",
        "coalesce(n, 1 / n) > 0",
        "n between 1 and 1 / n",
        "(big + 1 / n) is not null",
    ],
)
def test_what_spark_does_not_look_at_cannot_fail(text: str) -> None:
    assert value(text, n=0) in (True, False)


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("nothing > 1", r"nothing is no column"),
        ("money > 1", r"money is a decimal128\(10, 2\)"),
        ("n + 0.5", r"the result would be a decimal"),
        ("0.5", r"is a decimal128"),
        ("null", r"is a null"),
        ("word > 1", r"string and int32 are not brought together"),
        ("b + 1", r"are not brought together|is no number"),
        ("n and b", r"int32 is no condition"),
        ("word like 'a%'", r"is left to Spark"),
        ("sum(n)", r"is left to Spark"),
        ("try_cast(n as tinyint)", r"is left to Spark"),
        ("cast(word as double)", r"a cast from string to double is left to Spark"),
        ("cast(v as string)", r"is left to Spark"),
        ("cast(n as decimal(3, 1))", r"is left to Spark"),
        ("n = 1 = b", r"needs parentheses"),
        ("n = n < v", r"needs parentheses"),
        ("b = n in (1)", r"needs parentheses"),
        ("n between symmetric 1 and 2", r"written in a way"),
        ("n in (select 1)", r"written in a way"),
        ("word = '\\n'", r"escape sequence"),
        ("n >", r"is not understood"),
        ("n; b", r"is left to Spark"),
        ("n b", r"is left to Spark"),
        ("t.n", r"written in a way"),
        ("n in (1 / n)", r"a choice of IN may fail"),
        ("round(v, -1)", r"is left to Spark"),
        ("at + interval 1 day", r"depends on the session's time zone"),
        ("at + interval 24 hours", r"depends on the session's time zone"),
        ("at - at > interval 1 hour", r"depends on the session's time zone"),
        ("local + interval 1 month", r"has no fixed length"),
        ("day + interval 24 hours", r"a date and hours make a timestamp"),
        ("day + big", r"only a date is moved by whole days"),
        ("at > local", r"are not brought together"),
        ("at > day", r"are not brought together"),
        ("date_trunc('hour', at)", r"depends on the session's time zone"),
        ("date_trunc('second', local)", r"depends on the session's time zone"),
        ("date_add(at, 1)", r"only a date is moved by whole days"),
    ],
)
def test_what_is_not_exact_is_refused(text: str, why: str) -> None:
    with pytest.raises(Untranslatable, match=why):
        translate(text, SCHEMA)


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
def test_reach_of_instants(text: str, expected: int | None) -> None:
    assert reach(text, edges(pa.timestamp("us")), "frame_start", "frame_end") == expected


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
def test_reach_in_the_ticks_of_a_type(kind: pa.DataType, text: str, expected: int | None) -> None:
    assert reach(text, edges(kind), "frame_start", "frame_end") == expected
