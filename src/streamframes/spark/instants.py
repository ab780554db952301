"""Instants in a program: datetimes, dates, numbers and ISO text as ticks, read as Spark would read them."""

from __future__ import annotations

import operator
from datetime import date, datetime, time, tzinfo
from typing import SupportsIndex, cast
from zoneinfo import ZoneInfo, ZoneInfoNotFoundError

import pyarrow as pa
from pyspark.sql import types as T

from streamframes.errors import InvalidArgument
from streamframes.spark.types import arrow_type

_EXAMPLES = {
    "timestamp": "a datetime or text like '2026-01-05T10:00:00Z'",
    "timestamp_ntz": "a datetime without a zone or text like '2026-01-05T10:00:00'",
    "date": "a date or text like '2026-01-05'",
}


def tick(value: object, kind: T.DataType, zone: str, argument: str, verb: str) -> int:
    """The tick of an instant of this type; `zone` is the session's, for text that names none."""
    try:
        if isinstance(kind, T.TimestampType):
            return _zoned(value, zone)
        if isinstance(kind, T.TimestampNTZType):
            return T.TimestampNTZType().toInternal(_without_zone(_moment(value)))
        if isinstance(kind, T.DateType):
            return T.DateType().toInternal(_day(value))
        return _whole(value, kind)
    except (TypeError, ValueError, OverflowError):
        name = kind.simpleString()
        wanted = _EXAMPLES.get(name, f"a whole number that is a {name}")
        raise InvalidArgument(
            f"{verb}() got {argument}={value!r} where the frames have instants of type {name}; give {wanted}"
        ) from None


def _zoned(value: object, zone: str) -> int:
    moment = _moment(value)
    if isinstance(value, str) and moment.tzinfo is None:
        moment = moment.replace(tzinfo=_zone(zone))
    # As everywhere in PySpark, a datetime without a zone is in that of Python.
    return T.TimestampType().toInternal(moment)


def _moment(value: object) -> datetime:
    """A datetime; a day is its midnight."""
    if isinstance(value, str):
        return datetime.fromisoformat(value)
    if isinstance(value, datetime):
        return value
    if isinstance(value, date):
        return datetime.combine(value, time())
    raise TypeError


def _without_zone(moment: datetime) -> datetime:
    if moment.tzinfo is not None:
        raise ValueError
    return moment


def _day(value: object) -> date:
    if isinstance(value, str):
        return date.fromisoformat(value)
    if isinstance(value, date) and not isinstance(value, datetime):
        return value
    raise TypeError


def _whole(value: object, kind: T.DataType) -> int:
    if isinstance(value, bool):
        raise TypeError
    return int(pa.scalar(operator.index(cast(SupportsIndex, value)), arrow_type(kind)).as_py())


def _zone(name: str) -> tzinfo | None:
    try:
        return ZoneInfo(name)
    except (ZoneInfoNotFoundError, ValueError):
        return datetime.fromisoformat(f"2000-01-01T00:00:00{name.removeprefix('UTC').removeprefix('GMT')}").tzinfo
