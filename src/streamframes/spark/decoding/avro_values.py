"""Avro values: one record each, bare or behind the five bytes that say which schema of a registry wrote it.

0 | id, four bytes | record        `ids` are those whose schema the given one is; others are bad
"""

from __future__ import annotations

import json
from collections.abc import Sequence
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

    @classmethod
    def of(cls, schema: Any, ids: int | Sequence[int] | None) -> AvroValues:
        """The values of a schema in Avro's JSON."""
        try:
            record = json.loads(schema)
            names = tuple(field["name"] for field in record["fields"])
        except (TypeError, ValueError, KeyError):
            raise InvalidArgument(f"decode() got schema={schema!r}; give the JSON of an Avro record") from None
        known = (ids,) if isinstance(ids, int) else None if ids is None else tuple(ids)
        if known is not None and not all(isinstance(each, int) and 0 <= each < 2**32 for each in known):
            raise InvalidArgument(f"decode() got ids={ids!r}; give the numbers that a registry has given to the schema")
        return cls(schema, names, known)

    def parsed(self, value: Column) -> Column:
        """What Spark's reader makes of a value; null where it cannot read it."""
        record = (
            value if self.ids is None else F.when(self._is_known(value), F.substring(value, _HEADER + 1, 2**31 - 1))
        )
        return from_avro(record, self.schema, {"mode": "PERMISSIVE"})

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
        return found.when(parsed.isNull(), "not one Avro record of this schema")

    def _is_known(self, value: Column) -> Column:
        heads = [F.lit(bytes(1) + each.to_bytes(_HEADER - 1, "big")) for each in self.ids or ()]
        return F.substring(value, 1, _HEADER).isin(heads)
