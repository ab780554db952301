"""Decoded rows: those whose value says what the schema wants, and beside them those whose value does not."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.errors import InvalidArgument
from streamframes.spark.columns import column, names, require_dataframe
from streamframes.spark.decoding.avro_values import AvroValues
from streamframes.spark.decoding.json_values import JsonValues

_PARSED, _REASON, _VALUE = "sf_parsed", "sf_reason", "sf_value"


@dataclass(frozen=True, eq=False)
class Decoded:
    """Rows of a topic in two parts, each a DataFrame, of a table or a stream like the rows.

    `good` has the columns of the schema, then those that are kept; `bad` has the rows as they came and `reason`. Who
    uses `good` sees in the query's progress how many rows there were and how many were bad.
    """

    good: DataFrame
    bad: DataFrame


def decode(
    rows: object,
    schema: object,
    format: str,
    value: str,
    keep: Sequence[str],
    ids: int | Sequence[int] | None,
    name: str,
) -> Decoded:
    """The rows with their values decoded; arguments are checked, nothing runs."""
    frame = require_dataframe(rows, "decode")
    (value,), keep = names(value, "value", frame, "decode"), names(list(keep), "keep", frame, "decode")
    kind = frame.schema[value].dataType
    if not isinstance(kind, T.BinaryType | T.StringType):
        raise InvalidArgument(
            f"decode() got value={value!r} of type {kind.simpleString()}; it must be binary or string"
        )
    if not isinstance(name, str) or not name:
        raise InvalidArgument(f"decode() got name={name!r}; say under which name the progress shows what was bad")
    values = _values(schema, format, ids)
    values.check(frame)
    twice = sorted(set(values.names) & set(keep))
    if twice:
        raise InvalidArgument(f"decode() got keep={twice[0]!r}, but the schema has a column of this name; rename one")
    marked = frame.withColumn(_VALUE, column(value).cast("binary"))
    marked = marked.withColumn(_PARSED, values.parsed(F.col(_VALUE)))
    marked = marked.withColumn(_REASON, values.reason(F.col(_VALUE), F.col(_PARSED)))
    return Decoded(_good(marked, values, keep, name), _bad(marked))


def _values(schema: object, format: str, ids: int | Sequence[int] | None) -> JsonValues | AvroValues:
    if format == "avro":
        return AvroValues.of(schema, ids)
    if format != "json":
        raise InvalidArgument(f"decode() got format={format!r}; give 'json' or 'avro'")
    if ids is not None:
        raise InvalidArgument(f"decode() got ids={ids!r} and format='json'; only Avro values have ids before them")
    return JsonValues.of(schema)


def _good(marked: DataFrame, values: JsonValues | AvroValues, keep: Sequence[str], name: str) -> DataFrame:
    bad = F.count(F.when(F.col(_REASON).isNotNull(), 1))
    seen = marked.observe(name, F.count(F.lit(1)).alias("rows"), bad.alias("bad"))
    columns: list[Column] = [values.column(F.col(_PARSED), each).alias(each) for each in values.names]
    return seen.where(F.col(_REASON).isNull()).select(*columns, *(column(each) for each in keep))


def _bad(marked: DataFrame) -> DataFrame:
    bad = marked.where(F.col(_REASON).isNotNull())
    if "reason" in bad.columns:
        raise InvalidArgument("decode() got rows with a column 'reason', which bad rows get; rename it")
    return bad.withColumn("reason", F.col(_REASON)).drop(_VALUE, _PARSED, _REASON)
