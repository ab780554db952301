"""Translated SQL = Spark: hundreds of random expressions over awkward values, compared to the bit."""

from __future__ import annotations

import random
from collections.abc import Iterator
from decimal import Context, Decimal
from typing import Any

import numpy as np
import pyarrow as pa
import pytest

from streamframes.core.sparksql import Expression, Untranslatable, translate
from streamframes.errors import StreamFramesError

pytestmark = pytest.mark.spark

NAN, INF = float("nan"), float("inf")
FLOATS = [0.0, -0.0, 0.1, 0.3, 0.5, 1.5, -2.5, 2.675, 3.0, 1e10, 1e38, 5e-324, NAN, INF, -INF, None]
MICROS = [0, -1, 1, 59_999_999, 1_767_571_200_123_456, 1_767_571_259_999_999, -62_135_596_800_000_000, None]


def decimals(text: str) -> list[Any]:
    """Decimals and a null."""
    return [*map(Decimal, text.split()), None]


COLUMNS: dict[str, tuple[str, pa.DataType, list[Any]]] = {
    "b": ("boolean", pa.bool_(), [True, False, None]),
    "c": ("boolean", pa.bool_(), [True, False, None]),
    "y": ("tinyint", pa.int8(), [0, 1, -3, 127, -128, None]),
    "s": ("smallint", pa.int16(), [0, 2, -7, 32_767, -32_768, None]),
    "i": ("int", pa.int32(), [0, 1, 2, -5, 40, 2**31 - 1, -(2**31), None]),
    "l": ("bigint", pa.int64(), [0, 3, -4, 2**53 + 1, 2**63 - 1, -(2**63), None]),
    "f": ("float", pa.float32(), FLOATS),
    "g": ("float", pa.float32(), FLOATS),
    "d": ("double", pa.float64(), [*FLOATS, 1e308, -1e308, 0.30000000000000004, 9.3e18]),
    "e": ("double", pa.float64(), [*FLOATS, 2.0**63, -(2.0**63)]),
    "k": ("decimal(5,0)", pa.decimal128(5, 0), decimals("0 1 -1 3 40 99999 -99999")),
    "m": ("decimal(10,2)", pa.decimal128(10, 2), decimals("0 0.01 0.3 -2.5 1.5 3 40 12345678.91 -99999999.99")),
    "x": ("decimal(22,6)", pa.decimal128(22, 6), decimals("0 0.3 1.5 9007199254740993.000001 -0.000001 40 1e15")),
    "w": ("decimal(38,18)", pa.decimal128(38, 18), decimals("0 0.3 1e-18 0.1234567890123456789e1 -1e19 9.3e18 3")),
    "t": ("string", pa.string(), ["", "a", "B", "ä", "ab", "Ba", "b%", "\u0130x", "z\u0308", "\U0001f600", None]),
    "at": ("timestamp", pa.timestamp("us", tz="UTC"), MICROS),
    "nz": ("timestamp_ntz", pa.timestamp("us"), MICROS),
    "day": ("date", pa.date32(), [0, -1, 20_000, -100_000, None]),
}
SCHEMA = pa.schema({name: kind for name, (_, kind, _) in COLUMNS.items()})
NUMBER_TYPES = ["tinyint", "smallint", "int", "bigint", "float", "double"]


def awkward_rows(n: int = 300) -> pa.RecordBatch:
    """Every value of every column, in random company."""
    rng = random.Random(1)
    arrays = []
    for _, kind, values in COLUMNS.values():
        column = (values * n)[:n]
        rng.shuffle(column)
        arrays.append(pa.array(column, kind))
    return pa.record_batch(arrays, schema=SCHEMA)


class Author:
    """Writes random expressions that Spark understands."""

    def __init__(self, seed: int) -> None:
        self.rng = random.Random(seed)

    def of(self, kind: str, depth: int) -> str:
        return str(getattr(self, kind)(depth - 1))

    def pick(self, *choices: str) -> str:
        return self.rng.choice(choices)

    def number(self, depth: int) -> str:
        if depth <= 0:
            plain = "0 1 -1 3 40 2147483648 -2147483648 -9223372036854775808 0.3 -2.5 0.5D 1e3 1.5F 2L 1Y 7S"
            return self.pick(*"ysilfgde", *"ysilfgde", "m", "k", *plain.split())
        a, b, flag = self.of("number", depth), self.of("number", depth), self.of("condition", depth)
        floating, kind = self.pick(*"fgde"), self.pick(*NUMBER_TYPES)
        return self.pick(
            f"({a} {self.pick(*'+-*/%')} {b})",
            f"{floating} {self.pick(*'+-*')} {self.pick(*'fgdeysi')}",
            f"({floating} {self.pick(*'+-*')} d {self.pick(*'+-*')} -e {self.pick(*'+-*')} g % 2.5D)",
            f"(-{floating} % 2.5D - s % 7 * y)",
            f"abs({a})",
            f"(-{self.pick(*'ysilfgde')})",
            f"{self.pick('floor', 'ceil')}({a})",
            f"round({floating}, {self.rng.randint(0, 4)})",
            f"round({a})",
            f"{self.pick('sqrt', 'sign')}({a})",
            f"mod({a}, {b})",
            f"({self.pick(*'ysil')} div {self.pick(*'ysil', '3', '-7', '2L')})",
            f"({self.pick(*'ysil')} {self.pick(*'&|^')} {self.pick(*'ysil', '6')})",
            f"(~{self.pick(*'ysil')} + 0)",
            f"nanvl({floating}, {self.pick(*'fgde')})",
            f"nvl2({a}, {b}, {self.of('number', 0)})",
            f"length({self.of('text', depth)})",
            f"cast({self.of('money', depth)} as {self.pick('double', 'float', 'bigint', 'int')})",
            f"cast({a} as {kind})",
            f"cast({flag} as {kind})",
            f"{self.pick('greatest', 'least')}({a}, {b}, {self.of('number', 0)})",
            *self.choice("number", depth),
        )

    def money(self, depth: int) -> str:
        if depth <= 0:
            return self.pick(*"kkmmxxw", "0.3", "-2.5", "1.5", "3", "0.005", "12345678.9", "40BD", "k", "m")
        a, b = self.of("money", depth), self.of("money", depth)
        sums = [f"({a} {self.pick(*'+-*')} {b})", f"(m {self.pick(*'+-*')} {self.pick(*'kmysi')})"]
        same = [f"abs({a})", f"(-{self.pick(*'kmxw')})", f"{self.pick('greatest', 'least')}({a}, {b})"]
        return self.pick(*sums, *same, *self.choice("money", depth))

    def choice(self, kind: str, depth: int) -> list[str]:
        """The value of one or another expression of the same kind."""
        a, b, c = (self.of(kind, depth) for _ in range(3))
        when, then = self.of("condition", depth), self.of("condition", depth)
        return [
            f"if({when}, {a}, {b})",
            f"case when {when} then {a} when {then} then {b} else {c} end",
            f"case {a} when {b} then {c} end",
            f"{self.pick('coalesce', 'nvl', 'ifnull')}({a}, {b})",
            f"nullif({a}, {b})",
        ]

    def condition(self, depth: int) -> str:
        if depth <= 0:
            return self.pick("b", "c", "b", "c", "true", "(c and null)")
        kind = self.pick(
            "number", "number", "number", "money", "money", "text", "instant", "local", "date", "condition"
        )
        if kind == "condition":
            return f"({self.of(kind, depth)}) {self.pick('=', '<>', '<', '<=', '<=>')} ({self.of(kind, depth)})"
        a, b, low = (self.of(kind, depth) for _ in range(3))
        left, right = self.of("condition", depth), self.of("condition", depth)
        x, y, maybe = self.of(kind, 0), self.of(kind, 0), self.pick("", "not ")
        return self.pick(
            f"{a} {self.pick('=', '<>', '!=', '<', '<=', '>', '>=', '<=>')} {b}",
            f"({left} {self.pick('and', 'or')} {right})",
            f"not ({left})",
            f"not b = c {self.pick('and', 'or')} {left}",
            f"{a} {maybe}between {low} and {b}",
            f"{a} {maybe}in ({x}, {y}, null)",
            f"{a} is {maybe}null",
            f"({left}) is {self.pick('true', 'not false')}",
            f"isnan({self.pick(*'fgde')})",
            f"({a} is {maybe}distinct from {b})",
            f"{self.of('money', depth)} {self.pick('=', '<', '<=', '>', '>=', '<>')} {self.of('number', 0)}",
            f"{self.of('text', depth)} {maybe}like {self.of('pattern', 0)}",
            f"{self.pick('startswith', 'endswith', 'contains')}(t, {self.of('pattern', 0)})",
            *self.against_constants(maybe),
            f"{self.pick('isnull', 'isnotnull')}({a})",
            f"cast({self.pick(*'ysilfgde')} as boolean)",
            f"b {self.pick('and', 'or')} not c {self.pick('and', 'or')} {left}",
        )

    def pattern(self, depth: int) -> str:
        return self.pick("'a%'", "'%a'", "'%a%'", "'a'", "'%'", "''", "'%ä%'", "'%%x'")

    def against_constants(self, maybe: str) -> list[str]:
        """Comparisons of columns with constants of their own type, or of one that is close."""
        sign = self.pick("=", "<>", "<", "<=", ">", ">=", "<=>")
        number = self.pick("0.3", "-2.5", "3", "0", "1e0", "99999.5", "2147483648", "-9223372036854775808", "1.5BD")
        one, other = self.pick(*"ysilkmxwfgde"), self.pick("1", "3", "40", "0.3", "1.50", "99999")
        day = self.pick("date'1970-01-01'", "'1969-12-31'", "date'2024-10-04'")
        local = self.pick("timestamp_ntz'1970-01-01 00:00:00'", "'2026-01-05 00:00:00.123456'", "'2026-01-05'")
        at = self.pick("timestamp'1970-01-01 00:00:00Z'", "'2026-01-05 01:00:00.123456+01:00'")
        return [
            f"{self.pick(*'ysilkmxwfgde')} {sign} {number}",
            f"{number} {sign} {self.pick(*'ysilkmxwfgde')}",
            f"{one} {maybe}in ({other}, {number})",
            f"{one} {maybe}between {other} and {number}",
            f"day {sign} {day}",
            f"day {maybe}in ({day}, date'1970-01-02')",
            f"nz {sign} {local}",
            f"at {sign} {at}",
            f"t {maybe}in ('a', 'ä', 'B', 'ab', 'nothing', 'z')",
            f"i in ({', '.join(map(str, range(20)))})",
            f"d in ({', '.join(f'{k}e-1' for k in range(-25, 20))})",
            f"b {self.pick('=', '<', '<>', '<=')} {self.pick('c', 'true', 'false')}",
        ]

    def text(self, depth: int) -> str:
        return self.pick("t", "t", "'a'", "'B'") if depth <= 0 else self.pick(*self.choice("text", depth))

    def interval(self) -> str:
        return self.pick(
            "interval 2 minutes", "interval '1' hour", "interval 90 seconds", "interval '1.5' second",
            "interval 1 hours 30 minutes", "interval -1 hours", "interval 250 milliseconds",
        )  # fmt: skip

    def days(self) -> str:
        return self.pick("interval 1 day", "interval '-2' day", "interval 1 week")

    def instant(self, depth: int) -> str:
        if depth <= 0:
            return "at"
        a = self.of("instant", depth)
        moved = [f"({a} {self.pick(*'+-')} {self.interval()})", f"({self.interval()} + {a})"]
        return self.pick(*moved, f"date_trunc('second', {a})", f"least({a}, at)", *self.choice("instant", depth))

    def local(self, depth: int) -> str:
        if depth <= 0:
            return "nz"
        a = self.of("local", depth)
        length = self.pick(self.interval(), self.days(), "interval 1 day 2 hours")
        moved = [f"({a} {self.pick(*'+-')} {length})", f"({length} + {a})"]
        spans = f"if(nz - {a} > {self.interval()}, nz, {a})"
        return self.pick(*moved, *moved, spans, f"greatest({a}, nz)", *self.choice("local", depth))

    def date(self, depth: int) -> str:
        if depth <= 0:
            return "day"
        a, n = self.of("date", depth), self.pick("1", "i", "s", "y", "-30")
        moved = [f"({a} {self.pick(*'+-')} {n})", f"({n} + {a})", f"{self.pick('date_add', 'date_sub')}({a}, {n})"]
        return self.pick(*moved, f"({a} {self.pick(*'+-')} {self.days()})", *self.choice("date", depth))


def written(n: int, seed: int) -> list[str]:
    author = Author(seed)
    kinds = ["number", "condition", "condition", "number", "money", "text", "instant", "local", "date"]
    return sorted({author.of(author.pick(*kinds), author.rng.randint(1, 4)) for _ in range(n)})


def translated(texts: list[str]) -> dict[str, Expression]:
    found = {}
    for text in texts:
        try:
            found[text] = translate(text, SCHEMA)
        except Untranslatable:
            continue
    return found


def bits(array: Any) -> list[Any]:
    """Values such that equal means equal to the bit; all NaN are one, and instants are ticks."""
    array = array.combine_chunks() if isinstance(array, pa.ChunkedArray) else array
    if pa.types.is_floating(array.type):
        numbers = array.fill_null(0).to_numpy(zero_copy_only=False).copy()
        numbers[np.isnan(numbers)] = np.nan
        integers = numbers.view(np.uint32 if array.type == pa.float32() else np.uint64)
        array = pa.array(integers, mask=array.is_null().to_numpy(zero_copy_only=False))
    elif pa.types.is_temporal(array.type):
        array = array.cast(pa.int32() if pa.types.is_date(array.type) else pa.int64())
    return list(array.to_pylist())


@pytest.fixture(scope="module")
def batch() -> pa.RecordBatch:
    return awkward_rows()


@pytest.fixture(scope="module")
def table(spark: Any, batch: pa.RecordBatch) -> Iterator[Any]:
    # One expression must not be computed from another that only multiplies the same numbers in another order.
    spark.conf.set("spark.sql.subexpressionElimination.enabled", "false")
    # Cached, so that Spark compiles the expressions instead of folding them into the data.
    rows = spark.createDataFrame(pa.Table.from_batches([batch])).coalesce(1)
    yield rows.selectExpr(*(f"cast({name} as {kind}) as {name}" for name, (kind, _, _) in COLUMNS.items())).cache()
    spark.conf.unset("spark.sql.subexpressionElimination.enabled")


def test_values_and_types_are_those_of_spark(table: Any, batch: pa.RecordBatch) -> None:
    texts = written(1_400, seed=7)
    expressions = translated(texts)
    found = {text: values for text, each in expressions.items() if (values := attempt(each, batch)) is not None}
    assert len(expressions) > 0.9 * len(texts)
    assert len(found) > 800
    names = list(found)
    for start in range(0, len(names), 200):
        part = names[start : start + 200]
        result = table.selectExpr(*(f"{text} as x{i}" for i, text in enumerate(part))).toArrow()
        for text, values in zip(part, result.columns, strict=True):
            assert values.type == expressions[text].type == found[text].type, text
            assert bits(values) == bits(found[text]), text


def attempt(expression: Expression, batch: pa.RecordBatch) -> pa.Array | None:
    """The values, or None where the expression fails."""
    try:
        return expression.evaluate(batch)
    except StreamFramesError:
        return None


def test_many_numbers_are_rounded_and_made_doubles_as_spark_does(spark: Any) -> None:
    rng = np.random.default_rng(2)
    n = 10_000
    halves = rng.integers(-(10**7), 10**7, n) * 10 + 5
    sizes = rng.standard_normal(n) * 10.0 ** rng.integers(-8, 18, n)
    digits = [int(each) * 10 ** int(zeros) // 7 for each, zeros in zip(halves, rng.integers(0, 29, n), strict=True)]
    wide = pa.array([Decimal(each).scaleb(-18, Context(prec=60)) for each in digits], pa.decimal128(38, 18))
    batch = pa.record_batch({"d": halves / 1_000, "e": sizes, "f": (halves / 1_000).astype(np.float32), "w": wide})
    texts = [f"round({name}, {scale})" for name in "def" for scale in (0, 1, 2, 3, 6)]
    texts += ["cast(w as double)", "cast(w as float)", "w > 0.5", "d > 0.1", "floor(d)", "sqrt(d)", "d % 0.7", "e % 3"]
    rows = spark.createDataFrame(pa.Table.from_batches([batch])).selectExpr("d", "e", "cast(f as float) as f", "w")
    result = rows.cache().selectExpr(*(f"{text} as x{i}" for i, text in enumerate(texts))).toArrow()
    for text, values in zip(texts, result.columns, strict=True):
        assert bits(values) == bits(translate(text, batch.schema).evaluate(batch)), text


RISKY = [
    "y + y", "i * s", "l - l", "-l", "abs(y)", "d / e", "i % s", "f % g", "floor(d)", "ceil(e)",
    "cast(l as int)", "cast(d as bigint)", "cast(f as tinyint)", "cast(t as int)", "nz + interval 100000000 days",
    "l + l > 0 and b", "b and l + l > 0", "if(l > 5, 0, l + 1)", "coalesce(1 / y, 0)", "greatest(1 / y, 0)",
    "y = 0 or 1 / y > 0", "y <> 0 and 1 / y > 0", "case when y = 0 then 0 else 1 / y end", "if(y = 0, null, 5 % y)",
    "nullif(y, 0) / nullif(s, 0)", "i between 0 and 1 / nullif(y, 0)", "if(isnan(d) or abs(d) > 9e18, 0, floor(d))",
    "if(l between -5 and 5, cast(l as tinyint), 0Y)", "l div -1", "i div y", "l div 3", "cast(m as tinyint)",
    "cast(k as smallint)", "if(abs(k) < 100, cast(k as tinyint), 0Y)", "i + 1", "s * 2S", "y % 0", "1 / y + null",
    "(1 / y = null) is null", "y in (1, 2) and 1 / y > 0", "y > 0 and i % y = 1 and s % y = 0",
    "if(y > 0, if(s > 0, i % y + i % s, 1 / y), 0)", "m in (1 + 1, 3) and 1 / (y * 0 + 1) > 0",
]  # fmt: skip


@pytest.mark.parametrize("text", RISKY)
def test_it_fails_where_spark_fails_and_only_there(table: Any, batch: pa.RecordBatch, text: str) -> None:
    values = attempt(translate(text, SCHEMA), batch)
    chosen = table.selectExpr(f"{text} as x")
    if values is None:
        with pytest.raises(Exception, match=r"OVERFLOW|BY_ZERO|CAST_INVALID_INPUT|long overflow"):
            chosen.collect()
    else:
        assert bits(chosen.toArrow().column(0)) == bits(values)
