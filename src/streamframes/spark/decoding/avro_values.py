"""Avro values: one record each, bare or behind the five bytes that say which schema of a registry wrote it.

0 | id, four bytes | record        `ids` are those whose schema the given one is; others are bad
"""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import Any

from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql.avro.functions import from_avro

from streamframes.errors import InvalidArgument, MissingExtra
from streamframes.spark.failures import reason as reason_of

_HEADER = 5


@dataclass(frozen=True)
class AvroValues:
    """The fields of a record, read from Avro's binary encoding."""

    schema: str
    names: tuple[str, ...]
    ids: tuple[int, ...] | None
    # How a record is written whose fields are all null; none where some field cannot be.
    of_nulls: bytes | None

    @classmethod
    def of(cls, schema: object, ids: int | Sequence[int] | None) -> AvroValues:
        """The values of a schema in Avro's JSON."""
        try:
            record = json.loads(str(schema))
            names = tuple(field["name"] for field in record["fields"])
        except (TypeError, ValueError, KeyError):
            raise InvalidArgument(f"decode() got schema={schema!r}; give the JSON of an Avro record") from None
        known = (ids,) if isinstance(ids, int) else None if ids is None else tuple(ids)
        if known is not None and not all(isinstance(each, int) and 0 <= each < 2**32 for each in known):
            raise InvalidArgument(f"decode() got ids={ids!r}; give the numbers that a registry has given to the schema")
        return cls(str(schema), names, known, _of_nulls(record["fields"]))

    def parsed(self, value: Column) -> Column:
        """What Spark's reader makes of a value; null where it cannot read it."""
        return from_avro(self._record(value), self.schema, {"mode": "PERMISSIVE"})

    def check(self, rows: DataFrame) -> None:
        """Refuse a session whose Spark has no package for Avro."""
        try:
            _ = rows.select(self.parsed(F.lit(b""))).schema
        except (TypeError, PySparkException) as error:
            if isinstance(error, PySparkException) and "AVRO_NOT_LOADED" not in str(error):
                raise InvalidArgument(f"decode() got schema={self.schema!r}: {reason_of(error)}") from None
            raise MissingExtra(
                "decode() got format='avro', but Spark has no package for Avro; start the session with "
                f"spark.jars.packages=org.apache.spark:spark-avro_2.13:{rows.sparkSession.version}"
            ) from None

    def column(self, parsed: Column, name: str) -> Column:
        """A field of the record."""
        return parsed[name]

    def reason(self, value: Column, parsed: Column) -> Column:
        """What is wrong with a value; null where nothing is."""
        found = F.when(value.isNull(), "no value")
        if self.ids is not None:
            found = found.when(~self._is_known(value), f"not behind the id {' or '.join(map(str, self.ids))}")
        # Of what it cannot read Spark makes a record of nulls.
        nothing = F.lit(True)
        for name in self.names:
            nothing = nothing & parsed[name].isNull()
        if self.of_nulls is not None:
            nothing = nothing & (self._record(value) != F.lit(self.of_nulls))
        return found.when(parsed.isNull() | nothing, "no Avro record of this schema")

    def _record(self, value: Column) -> Column:
        """A value without the bytes before it."""
        if self.ids is None:
            return value
        return F.when(self._is_known(value), F.substring(value, _HEADER + 1, 2**31 - 1))

    def _is_known(self, value: Column) -> Column:
        heads = [F.lit(bytes(1) + each.to_bytes(_HEADER - 1, "big")) for each in self.ids or ()]
        return F.substring(value, 1, _HEADER).isin(heads)


def _of_nulls(fields: Sequence[Mapping[str, Any]]) -> bytes | None:
    """Each field is written as the number of its branch that is null, twice as large; a bare null takes no byte."""
    kinds = [field["type"] for field in fields]
    if not all(kind == "null" or (isinstance(kind, list) and "null" in kind) for kind in kinds):
        return None
    return b"".join(bytes([2 * kind.index("null")]) for kind in kinds if kind != "null")
