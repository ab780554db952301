"""JSON values: one object each, whose members have the types of a schema, or a reason why not.

Spark's parser reads the object as the only element of a list, so that nothing may come after it, and says of a value
that it does not fit. Instants are read as text and turned into instants here: Spark would take a number for seconds,
and a text without a zone for the time of the session.

  {"ts": "2026-01-05T10:00:20.5", "id": 7}     good: without a zone it is UTC
  {"ts": 1767607220500, "id": 7}               ts is no instant
  {"ts": "2026-01-05T10:00:20Z", "id": "7"}    not one JSON object with these types
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from pyspark.errors import PySparkException
from pyspark.sql import Column, DataFrame
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.errors import InvalidArgument
from streamframes.spark.failures import reason as reason_of

_CORRUPT, _LIST = "sf_corrupt", "v"
_OPTIONS = {
    "mode": "PERMISSIVE",
    "columnNameOfCorruptRecord": _CORRUPT,
    "timeZone": "UTC",
    "allowSingleQuotes": "false",
}
_INSTANT = (
    r"^\s*[0-9]{4}-[0-9]{1,2}-[0-9]{1,2}[T ][0-9]{1,2}:[0-9]{1,2}(:[0-9]{1,2}([.][0-9]*)?)?"
    r"(\s*(Z|UTC|[+-][0-9]{2}(:?[0-9]{2})?))?\s*$"
)
_ZONE = r"(Z|UTC|[+-][0-9]{2}(:?[0-9]{2})?)\s*$"
_TIME = r"[T ][0-9:.]+\s*"


@dataclass(frozen=True)
class JsonValues:
    """The columns of a schema, read from JSON objects."""

    schema: T.StructType

    @classmethod
    def of(cls, schema: object) -> JsonValues:
        """The values of a schema that is a StructType or its DDL."""
        if isinstance(schema, str):
            try:
                schema = T.StructType.fromDDL(schema)
            except PySparkException as error:
                raise InvalidArgument(f"decode() got schema={schema!r}: {reason_of(error)}") from None
        if not isinstance(schema, T.StructType) or not len(schema):
            raise InvalidArgument(
                f"decode() got schema={schema!r}; give DDL like 'router string, ts timestamp not null'"
            )
        return cls(schema)

    @property
    def names(self) -> Sequence[str]:
        """The columns."""
        return list(self.schema.names)

    def check(self, rows: DataFrame) -> None:
        """Refuse a session that cannot read the values; every one can."""

    def parsed(self, value: Column) -> Column:
        """What Spark's parser makes of a value; instants are texts still."""
        fields = [
            T.StructField(each.name, T.StringType() if _is_instant(each) else each.dataType) for each in self.schema
        ]
        whole = T.StructType(
            [T.StructField(_LIST, T.ArrayType(T.StructType(fields))), T.StructField(_CORRUPT, T.StringType())]
        )
        return F.from_json(F.concat(F.lit('{"v":['), value.cast("string"), F.lit("]}")), whole, _OPTIONS)

    def column(self, parsed: Column, name: str) -> Column:
        """A column of the schema."""
        field, found = self.schema[name], parsed[_LIST][0][name]
        return _instant(found, field.dataType) if _is_instant(field) else found

    def reason(self, value: Column, parsed: Column) -> Column:
        """What is wrong with a value; null where nothing is."""
        fits = parsed[_CORRUPT].isNull() & (F.size(parsed[_LIST]) == 1) & parsed[_LIST][0].isNotNull()
        found = F.when(value.isNull(), "no value").when(
            ~F.coalesce(fits, F.lit(False)), "not one JSON object with these types"
        )
        for field in self.schema:
            there = parsed[_LIST][0][field.name]
            if _is_instant(field):
                found = found.when(
                    there.isNotNull() & self.column(parsed, field.name).isNull(), f"{field.name} is no instant"
                )
            if not field.nullable:
                found = found.when(there.isNull(), f"{field.name} is missing")
        return found


def _is_instant(field: T.StructField) -> bool:
    return isinstance(field.dataType, T.TimestampType | T.TimestampNTZType)


def _instant(text: Column, kind: T.DataType) -> Column:
    """An instant of ISO text with at most microseconds; without a zone it is UTC, whatever the session's."""
    zoned = text.rlike(_TIME + _ZONE)
    if isinstance(kind, T.TimestampType):
        text = F.when(zoned, text).otherwise(F.concat(F.rtrim(text), F.lit("Z")))
        return F.when(text.rlike(_INSTANT), text.try_cast(kind))
    return F.when(text.rlike(_INSTANT) & ~zoned, text.try_cast(kind))
