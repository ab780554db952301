"""Stretches: the rows of one group within a stretch of time, as conditions of Spark SQL."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import TYPE_CHECKING

from sqlglot import exp

from streamframes.cli.io.outputs import quoted

if TYPE_CHECKING:
    import pyarrow as pa

    from streamframes.spark import DataFrame

_TICKS = {
    "timestamp": "unix_micros({})",
    "timestamp_ntz": "unix_micros(cast({} as timestamp))",
    "date": "unix_date({})",
}


def tick_of(rows: DataFrame, ts: str) -> str:
    """A column of instants as whole numbers."""
    return _TICKS.get(dict(rows.dtypes)[ts], "cast({} as bigint)").format(quoted(ts))


def ticks(instants: pa.ChunkedArray) -> list[int]:
    """Instants as the numbers that `tick_of` gives, without those that are null."""
    import pyarrow as pa

    if pa.types.is_timestamp(instants.type):
        instants = instants.cast(pa.timestamp("us", instants.type.tz)).cast(pa.int64())
    elif pa.types.is_date(instants.type):
        instants = instants.cast(pa.date32()).cast(pa.int32())
    return [int(tick) for tick in instants.drop_null().to_pylist()]


def in_group(group: Mapping[str, str | None]) -> str:
    """Whether columns have these values, given as text."""
    tests = [f"cast({quoted(name)} as string) <=> {exp.convert(value).sql('spark')}" for name, value in group.items()]
    return " AND ".join(tests) or "true"


def fullest(found: DataFrame, rows: DataFrame, by: Sequence[str]) -> list[str | None]:
    """The group of which most was found, else that of any row; its values as text."""
    texts = [f"cast({quoted(name)} as string) AS g{place}" for place, name in enumerate(by)]
    places = [f"g{place}" for place in range(len(by))]
    counts = found.selectExpr(*texts).groupBy(*places).count()
    first = counts.selectExpr(*places, "-count AS n").orderBy("n", *places).first() if places else None
    first = first or rows.selectExpr(*texts, "0 AS n").first()
    return [None] * len(by) if first is None else list(first)[:-1]
