"""Spark SQL without Spark: what is translated, what it comes to, and what is refused.

Covers: streamframes.core.sparksql.functions, streamframes.core.sparksql.rules, streamframes.core.sparksql.syntax,
streamframes.core.sparksql.terms, streamframes.core.sparksql.translate,
streamframes.core.sparksql.kernels.arithmetic, streamframes.core.sparksql.kernels.choice,
streamframes.core.sparksql.kernels.comparison, streamframes.core.sparksql.kernels.logic,
streamframes.core.sparksql.kernels.rounding, streamframes.core.sparksql.kernels.texts,
streamframes.core.sparksql.kernels.times, streamframes.core.sparksql.types.casts,
streamframes.core.sparksql.types.coercion, streamframes.core.sparksql.types.decimals,
streamframes.core.sparksql.types.literals, streamframes.core.sparksql.types.types
"""

from __future__ import annotations

import pickle
from datetime import date, datetime
from decimal import ROUND_HALF_UP, Context, Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
import pytest

from streamframes.core.sparksql import Untranslatable, translate
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
        "wide": pa.decimal128(38, 20),
        "f": pa.float32(),
        "tiny": pa.uint8(),
        "twice": pa.int32(),
        "TWICE": pa.int32(),
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
        ("day >= date'2026-01-05'", {"day": date(2026, 1, 5)}, True),
        ("day < '2026-01-05'", {"day": date(2026, 1, 5)}, False),
        ("day between '2026-01-01' and '2026-01-31'", {"day": date(2026, 1, 5)}, True),
        ("local = '2026-01-05 08:00:00.5'", {"local": datetime(2026, 1, 5, 8, 0, 0, 500_000)}, True),
        ("local > timestamp_ntz'2026-01-05'", {"local": datetime(2026, 1, 5)}, False),
        ("at = timestamp'2026-01-05 08:00:00Z'", {"at": datetime(2026, 1, 5, 8)}, True),
        ("at = '2026-01-05 09:30:00+01:30'", {"at": datetime(2026, 1, 5, 8)}, True),
        ("money > 1.499", {"money": Decimal("1.50")}, True),
        ("money >= 1.501", {"money": Decimal("1.50")}, False),
        ("money = 1.5", {"money": Decimal("1.50")}, True),
        ("money = 1.505", {"money": Decimal("1.50")}, False),
        ("money <> 1.505", {}, None),
        ("money < 1000000000", {"money": Decimal("99999999.99")}, True),
        ("money in (1.505, 1.50, 7)", {"money": Decimal("1.50")}, True),
        ("money in (1.505, null)", {"money": Decimal("1.50")}, None),
        ("money > n", {"money": Decimal("1.50"), "n": 1}, True),
        ("wide > 1", {"wide": Decimal("1.00000000000000000001")}, True),
        ("wide = cast(1 as double)", {"wide": Decimal("1.00000000000000000001")}, True),
        ("cast(money as double)", {"money": Decimal("0.30")}, 0.3),
        ("cast(wide as double)", {"wide": Decimal("0.30000000000000004441")}, 0.30000000000000004),
        ("cast(money as int)", {"money": Decimal("-2.99")}, -2),
        ("money * 2 + 0.005", {"money": Decimal("1.50")}, Decimal("3.005")),
        ("n + 0.5", {"n": 1}, Decimal("1.5")),
        ("-money", {"money": Decimal("1.50")}, Decimal("-1.50")),
        ("coalesce(money, 0)", {}, Decimal("0.00")),
        ("n > 0.5 and big <= 9223372036854775807.5", {"n": 1, "big": 2**63 - 1}, True),
        ("n = 3000000000", {"n": 1}, False),
        ("n < 3000000000", {"n": 1}, True),
        ("0.5 < v", {"v": NAN}, True),
        ("v >= 1e308 * 10 - 1e308 * 10", {"v": NAN}, True),
        ("v in (1, 1e308 * 10 - 1e308 * 10)", {"v": NAN}, True),
        ("v in (0, 1)", {"v": -0.0}, True),
        ("word in ('a', 'b', 'c', 'd', 'e')", {"word": "d"}, True),
        ("word like 'ab%'", {"word": "abc"}, True),
        ("word not like '%b%'", {"word": "abc"}, False),
        ("word like '%c' and word like 'abc'", {"word": "abc"}, True),
        ("startswith(word, 'b')", {"word": "abc"}, False),
        ("length(word)", {"word": "z\u0308\U0001f600"}, 3),
        ("b < true", {"b": False}, True),
        ("mod(n, -3)", {"n": -7}, -1),
        ("big % 9223372036854775807", {"big": -(2**63)}, -1),
        ("big % -9223372036854775808", {"big": -(2**63)}, 0),
        ("n div 2", {"n": -7}, -3),
        ("(n & 6) | 1", {"n": 12}, 5),
        ("~n", {"n": 0}, -1),
        ("sqrt(n)", {"n": 2}, 2**0.5),
        ("sign(v)", {"v": -3.5}, -1.0),
        ("nanvl(v, n)", {"v": NAN, "n": 4}, 4.0),
        ("nvl2(n, 'here', 'gone')", {}, "gone"),
        ("n is distinct from null", {"n": 1}, True),
        ("round(f, 1)", {"f": 0.25}, 0.30000001192092896),
        ("round(v, 2)", {"v": -0.001}, 0.0),
        ("round(v, 3)", {"v": 123456789012.0005}, 123456789012.001),
        ("round(v, 2)", {"v": 4503599627370495.5}, 4503599627370495.5),
        ("round(v, 25)", {"v": 0.1}, 0.1),
        ("round(v)", {"v": 1e300}, 1e300),
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
        ("n div 2", pa.int64()),
        ("money + n", pa.decimal128(13, 2)),
        ("money * 1.5", pa.decimal128(13, 3)),
        ("n - 0.5", pa.decimal128(12, 1)),
        ("greatest(money, n)", pa.decimal128(12, 2)),
        ("if(b, money, v)", pa.float64()),
        ("0.5", pa.decimal128(1, 1)),
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
        ("big div -1", {"big": -(2**63)}),
        ("n div 0", {"n": 1}),
        ("big * 2", {"big": 2**62}),
        ("cast(money as tinyint)", {"money": Decimal("128.00")}),
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
        ("twice > 1", r"^twice is the name of several columns$"),
        ("tiny > 1", r"^tiny is of type uint8, which is left to Spark$"),
        ("n / 0.5", r"^n / 0.5: the result would be a decimal, which only \+ - \* of few digits are here$"),
        ("money % 2", r"the result would be a decimal"),
        ("round(money, 1)", r"^round\(money, 1\): the result would be a decimal"),
        ("wide * wide", r"^wide \* wide: the result would be a decimal of more than 38 digits$"),
        ("wide > 1e10BD", r"'1e10' as decimal is left to Spark"),
        ("wide = money / 2", r"the result would be a decimal"),
        ("wide > big", r"^wide > big: decimal\(38,20\) and decimal\(20,0\) together need more than 38 digits$"),
        ("money + 2L", r"a bigint constant with a decimal is left to Spark"),
        ("cast(wide as int)", r"a cast from decimal\(38,20\) to int is left to Spark"),
        ("null", r"^'null' is always null, without a type$"),
        ("null = null", r"^null = null: nothing but nulls are compared$|nothing but nulls"),
        ("word > 1", r"^word > 1: string and int are only brought together by Spark$"),
        ("b + 1", r"^b \+ 1: boolean and int are only brought together by Spark$"),
        ("n and b", r"^n AND b: int is no condition$"),
        ("word like 'a%b'", r"LIKE 'a%b' is left to Spark; here % may stand at the ends of a pattern, and no _$"),
        ("word like 'a_'", r"here % may stand at the ends"),
        ("word like word", r"LIKE with a pattern that is no constant is left to Spark"),
        ("regexp_like(word, 'a')", r"^word RLIKE 'a' is left to Spark$"),
        ("contains(word, word)", r"contains of anything but a constant is left to Spark"),
        ("length(n)", r"^length\(n\): int is no string$"),
        ("upper(word) = 'A'", r"^upper\(word\) is left to Spark$"),
        ("power(v, 2)", r"^power\(v, 2\) is left to Spark$"),
        ("n | n & 1", r"n \| n needs parentheses"),
        ("v & 1", r"& is for whole numbers"),
        ("~v", r"~ is for whole numbers"),
        ("v div 2", r"div of numbers that are not whole is left to Spark"),
        ("nanvl(n, 0)", r"^nanvl\(n, 0\): nanvl\(\) of int and int is left to Spark$"),
        ("sum(n)", r"^sum\(n\) is left to Spark$"),
        ("try_cast(n as tinyint)", r"is left to Spark"),
        ("cast(word as double)", r"a cast from string to double is left to Spark"),
        ("cast(v as string)", r"is left to Spark"),
        ("cast(n as decimal(3, 1))", r"is left to Spark"),
        ("n = 1 = b", r"needs parentheses"),
        ("n = n < v", r"needs parentheses"),
        ("b = n in (1)", r"needs parentheses"),
        ("n between symmetric 1 and 2", r"written in a way"),
        ("n in (select 1)", r"written in a way"),
        ("word = '\\n'", r"has a backslash, which is left to Spark"),
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
        ("at > local", r"^at > local: timestamp and timestamp_ntz are only brought together by Spark$"),
        ("at > day", r"timestamp and date are only brought together by Spark"),
        ("day > word", r"^day > word: a string and a date are only brought together by Spark$"),
        ("day > '2026-1-5'", r"'2026-1-5' as date is left to Spark"),
        ("day > '2026-02-30'", r"'2026-02-30' as date is left to Spark"),
        ("day in ('2026-01-05', at)", r"a text and a date among other types are left to Spark"),
        (
            "at > timestamp'2026-01-05 08:00:00'",
            r"depends on the session's time zone; write it with one, like '2026-01-05 08:00:00Z'$",
        ),
        ("at > '2026-01-05'", r"write it with one, like '2026-01-05 00:00:00Z'$"),
        ("local > '2026-01-05 08:00:00Z'", r"'2026-01-05 08:00:00Z' has a zone, which a timestamp_ntz has not"),
        ("date_trunc('hour', at)", r"depends on the session's time zone"),
        ("date_trunc('second', local)", r"depends on the session's time zone"),
        ("date_add(at, 1)", r"only a date is moved by whole days"),
    ],
)
def test_what_is_not_exact_is_refused(text: str, why: str) -> None:
    with pytest.raises(Untranslatable, match=why):
        translate(text, SCHEMA)


N = 1_000
MANY = [
    "v > 0.5", "v > 40 and v <= 60", "v < f", "n + n > 3", "n % 7", "n div 3", "v / 4", "floor(v)", "cast(v as int)",
    "round(v, 1)", "coalesce(n, 0)", "if(v > 50, n, null)", "case when v > 50 then 1 else 0 end", "greatest(v, 50)",
    "least(n, 5, null)", "word = 'w3'", "word in ('w1', 'w2', null)", "word is null", "word like '%1'", "length(word)",
    "if(v > 50, word, 'none')", "n <> 0 and 10 / n > 1", "if(n = 0, null, 10 / n)",
    "coalesce(v, 0) > 90 and n > 0 and 10 % n > 1", "money > 300.5", "cast(money as double)",
    "money * 2", "b or v > 50", "not b", "b is true", "n in (1, 2, 3)",
    "n <=> 5", "v <=> null", "nullif(n, 5)", "nanvl(v, 0)", "sqrt(v)", "sign(v)", "day > '2026-01-05'", "day + 1",
    "n + 1", "abs(n) * 2", "cast(n as double) = v", "coalesce(word, 'none')", "isnan(v)",
]  # fmt: skip


def many_rows(*, nulls: bool) -> pa.RecordBatch:
    rng = np.random.default_rng(5)
    columns = {
        "b": pa.array(rng.random(N) < 0.5),
        "n": pa.array(rng.integers(-5, 20, N), pa.int32()),
        "v": pa.array(rng.random(N) * 100),
        "f": pa.array(rng.random(N) * 100, pa.float32()),
        "word": pa.array([f"w{i}" for i in rng.integers(0, 20, N)]),
        "day": pa.array(rng.integers(20_000, 21_000, N), pa.int32()).cast(pa.date32()),
        "money": pa.array([Decimal(int(i)).scaleb(-2) for i in rng.integers(0, 10**5, N)], pa.decimal128(10, 2)),
    }
    if nulls:
        columns = {name: pc.if_else(pa.array(rng.random(N) < 0.8), each, None) for name, each in columns.items()}
    return pa.record_batch(columns)


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("text", MANY)
def test_a_row_has_the_same_value_in_any_batch(text: str, nulls: bool) -> None:
    batch = many_rows(nulls=nulls)
    expression = translate(text, batch.schema)
    whole = expression.evaluate(batch).to_pylist()
    word = batch.schema.get_field_index("word")
    coded = batch.set_column(word, "word", batch.column(word).dictionary_encode())
    assert expression.evaluate(coded).to_pylist() == whole
    assert expression.evaluate(coded.slice(13, 100)).to_pylist() == whole[13:113]
    for start, length in ((0, 0), (3, 900), (16, 64), (N - 1, 1)):
        part = expression.evaluate(batch.slice(start, length))
        assert part.to_pylist() == whole[start : start + length]
        part.validate(full=True)


@pytest.mark.parametrize("nulls", [False, True])
@pytest.mark.parametrize("text", MANY)
def test_there_may_be_no_rows_or_nothing_but_nulls(text: str, nulls: bool) -> None:
    schema = many_rows(nulls=False).schema
    n = 3 if nulls else 0
    batch = pa.record_batch([pa.array([None] * n, field.type) for field in schema], schema=schema)
    expression = translate(text, schema)
    values = expression.evaluate(batch)
    assert (values.type, len(values)) == (expression.type, n)
    ended = many_rows(nulls=nulls)
    assert len(expression.evaluate(ended.slice(N, 0))) == 0


@pytest.mark.parametrize("text", ["floor(v)", "cast(v as int)", "n + n", "1 / n", "n % n", "round(v, 2)", "n div n"])
def test_what_lies_under_a_null_does_not_matter(text: str) -> None:
    nothing = pa.py_buffer(bytes(1))
    n = pa.Array.from_buffers(pa.int32(), 2, [nothing, pa.py_buffer(np.array([2**31 - 1, 0], np.int32))])
    v = pa.Array.from_buffers(pa.float64(), 2, [nothing, pa.py_buffer(np.array([np.inf, np.nan]))])
    assert translate(text, SCHEMA).evaluate(pa.record_batch({"n": n, "v": v})).to_pylist() == [None, None]


@pytest.mark.parametrize("scale", [0, 1, 2, 5, 9, 14, 21])
def test_round_is_half_up_in_the_digits_that_are_printed(scale: int) -> None:
    rng = np.random.default_rng(scale)
    halves = (rng.integers(-(10**6), 10**6, 500) * 10 + 5) / 10.0 ** (scale + 1)
    sizes = 10.0 ** rng.integers(-6, 17, 500)
    numbers = [*halves, *np.nextafter(halves, 1e9), *np.nextafter(halves, -1e9), *(rng.standard_normal(500) * sizes)]
    unit = Decimal(1).scaleb(-scale)
    exact = Context(prec=100, rounding=ROUND_HALF_UP)
    expected = [float(exact.quantize(Decimal(repr(float(each))), unit)) + 0.0 for each in numbers]
    batch = pa.record_batch({"v": pa.array(numbers, pa.float64())})
    assert translate(f"round(v, {scale})", batch.schema).evaluate(batch).to_pylist() == expected


def test_doubles_of_decimals_are_the_nearest() -> None:
    rng = np.random.default_rng(3)
    parts = zip(rng.integers(-(10**17), 10**17, 2_000), rng.integers(0, 20, 2_000), strict=True)
    digits = [int(size) * 10 ** int(zeros) // 7 for size, zeros in parts]
    for scale in (0, 3, 18, 30):
        kind = pa.decimal128(38, scale)
        values = [Decimal(each).scaleb(-scale, Context(prec=60)) for each in digits]
        batch = pa.record_batch({"x": pa.array(values, kind)})
        doubles = translate("cast(x as double)", batch.schema).evaluate(batch).to_pylist()
        assert doubles == [float(each) for each in values]


def test_a_dictionary_in_the_schema_is_a_string() -> None:
    batch = pa.record_batch({"word": pa.array(["a", "b", None, "a"]).dictionary_encode()})
    expression = translate("word", batch.schema)
    assert expression.type == pa.string()
    assert expression.evaluate(batch).to_pylist() == ["a", "b", None, "a"]
    assert translate("word <> 'b'", batch.schema).evaluate(batch).to_pylist() == [True, False, None, True]
    large = pa.record_batch({"word": pa.array(["a", "b"], pa.large_string())})
    assert translate("coalesce(word, 'c')", large.schema).evaluate(large) == pa.array(["a", "b"])


def test_a_guard_that_was_needed_once_is_kept() -> None:
    expression = translate("n <> 0 and 6 / n > 2", SCHEMA)
    for numbers, expected in (([1, 2], [True, True]), ([0, 2], [False, True]), ([0, 0, 0, 3], [False] * 4)):
        batch = pa.record_batch({"n": pa.array(numbers, pa.int32())})
        assert expression.evaluate(batch).to_pylist() == expected
    with pytest.raises(StreamFramesError, match=r"division by zero"):
        translate("n = 0 and 6 / n > 2", SCHEMA).evaluate(batch)
