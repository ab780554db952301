"""Refused rows: those that a topic or a table of Spark cannot hold, as an error or as rows to keep aside.

The same as `sinks.refusals` does for databases, said with columns of Spark.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.errors import SinkError
from streamframes.sinks.refusals import refusal
from streamframes.spark.columns import column
from streamframes.spark.sinks.row_json import row_json


class Refusal(NamedTuple):
    """What cannot be held: of which rows, and why."""

    what: str
    rows: Column
    reason: str
    remedy: str


def without_key(key: Sequence[str]) -> list[Refusal]:
    """Rows that cannot be found again."""
    return [Refusal(name, column(name).isNull(), "is null", "filter such rows out") for name in key]


def reasons(refusals: Sequence[Refusal]) -> Column:
    """Why a row cannot be held; null where it can."""
    said = [F.when(each.rows, F.lit(f"{each.what} {each.reason}")) for each in refusals]
    return F.nullif(F.concat_ws("; ", *said), F.lit(""))


def aside(schema: T.StructType, key: Sequence[str], number: int | None, reason: Column) -> list[Column]:
    """The columns of rows aside; the digest of row and reason makes one the same when its batch is repeated."""
    row = row_json(schema, key)
    digest = F.sha2(F.concat(reason, F.lit("\n"), row), 256)
    batch = F.lit(number).cast("bigint")
    return [digest.alias("digest"), batch.alias("batch"), reason.alias("reason"), row.alias("row")]


def first_refused(
    rows: DataFrame, refusals: Sequence[Refusal], key: Sequence[str], count: int, where: str
) -> SinkError:
    """The error that names one of the refused rows, the reason, and what mends it."""
    which = F.coalesce(*(F.when(each.rows, F.lit(i)) for i, each in enumerate(refusals)))
    named = [column(name).cast("string") for name in key]
    found = rows.select(which, row_json(rows.schema, key), *named).head()
    if found is None:
        raise SinkError(f"{where} has rows that change while they are read; make the query deterministic")
    fault = refusals[found[0]]
    names = ", ".join(f"{name}={value}" for name, value in zip(key, found[2:], strict=True))
    return refusal(where, names, f"{fault.what} {fault.reason}", fault.remedy, count - 1, found[1])
