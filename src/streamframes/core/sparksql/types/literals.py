"""Literals: numbers as Spark reads them, and dates and instants written as text.

What the session's time zone would decide is refused: an instant is read only if its text names a zone.
"""

from __future__ import annotations

import re
from collections.abc import Sequence
from datetime import UTC, date, datetime, timedelta, timezone
from decimal import Decimal, InvalidOperation

import numpy as np
import pyarrow as pa

from streamframes.core.sparksql.terms import Term, Untranslatable, constant
from streamframes.core.sparksql.types import decimals
from streamframes.core.sparksql.types.types import FLOATS, MOST_DIGITS, is_decimal, is_instant, spark_name

LOCAL = pa.timestamp("us")
INSTANT = pa.timestamp("us", tz="UTC")
_DATE = re.compile(r"\d{4}-\d{2}-\d{2}")
_TIME = re.compile(r"(\d{4}-\d{2}-\d{2})(?:[ T](\d{2}:\d{2}:\d{2}(?:\.\d{1,6})?)(Z|[+-]\d{2}:\d{2})?)?")
_EXACT = r"-?(\d+\.?\d*|\.\d+)"
_EXPONENT = r"(e[+-]?\d+)?"
_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def is_number(text: str, *, exact: bool = False) -> bool:
    """Whether it is written as a plain number; as an exact one, without an exponent.

    >>> is_number("0.3"), is_number("1e3"), is_number("0x1F"), is_number("1e3", exact=True)
    (True, True, False, False)
    """
    return re.fullmatch(_EXACT if exact else _EXACT + _EXPONENT, text, re.IGNORECASE) is not None


def number(text: str) -> Term:
    """A number as Spark reads it: int, long, double where it has an exponent, else a decimal."""
    if not is_number(text):
        raise Untranslatable(f"{text} is no plain number")
    if "e" in text.lower():
        return constant(float(text), pa.float64(), text)
    if "." not in text:
        kind = next((kind for kind in (pa.int32(), pa.int64()) if _fits(int(text), kind)), None)
        if kind is None:
            raise Untranslatable(f"{text} is larger than a bigint")
        return constant(int(text), kind, text)
    value = Decimal(text)
    return constant(value, decimals.type_of_literal(value), text)


def decimal(text: str, parameters: Sequence[str]) -> Term:
    """A decimal that is written as text of at most as many digits as its type has, like `1.5BD`."""
    try:
        precision, scale = (int(each) for each in parameters)
        own = decimals.type_of_literal(Decimal(text))
        fits = own.scale <= scale and own.precision - own.scale <= precision - scale <= precision <= MOST_DIGITS
        if fits and is_number(text, exact=True):
            return constant(Decimal(text), pa.decimal128(precision, scale))
    except (ValueError, InvalidOperation):
        pass
    raise Untranslatable(f"'{text}' as decimal is left to Spark")


def exact_as(value: int | Decimal, kind: pa.DataType) -> Term:
    """An exact number in another type: `1Y`, `7S` and `CAST(0.5 AS DOUBLE)`, which are all read as casts.

    What does not fit is left to Spark, as sqlglot cannot tell `-128Y` from `-(cast(128 as tinyint))`.
    """
    try:
        if kind == pa.float32():
            # Parsed in the type itself: by way of a double it could be rounded twice.
            return constant(pa.scalar(str(value)).cast(kind), kind)
        if kind in FLOATS:
            return constant(float(value), kind)
        return constant(Decimal(value) if is_decimal(kind) else int(str(value)), kind)
    except (ValueError, pa.ArrowInvalid):
        raise Untranslatable(f"{value} as {spark_name(kind)} is left to Spark") from None


def _fits(value: int, kind: pa.DataType) -> bool:
    limits = np.iinfo(kind.to_pandas_dtype())
    return bool(limits.min <= value <= limits.max)


def read_texts(terms: Sequence[Term]) -> list[Term]:
    """Terms that are compared: a constant text beside dates or instants is read as one."""
    kinds = [term.type for term in terms if pa.types.is_temporal(term.type)]
    is_text = [term.type == pa.string() for term in terms]
    if not kinds or not any(is_text):
        return list(terms)
    if not all(text or term.type in (kinds[0], pa.null()) for text, term in zip(is_text, terms, strict=True)):
        raise Untranslatable(f"a text and a {spark_name(kinds[0])} among other types are left to Spark")
    return [_read(term, kinds[0]) if text else term for text, term in zip(is_text, terms, strict=True)]


def _read(term: Term, kind: pa.DataType) -> Term:
    if term.scalar is None:
        raise Untranslatable(f"a string and a {spark_name(kind)} are only brought together by Spark")
    return temporal(term.scalar.as_py(), kind)


def temporal(text: str | None, kind: pa.DataType) -> Term:
    """A date or an instant that is written as text, for example `timestamp'2026-01-05 08:00:00Z'`.

    >>> str(temporal("2026-01-05", pa.date32()).scalar)
    '2026-01-05'
    """
    if text is None:
        return constant(None, kind)
    try:
        if kind == pa.date32() and _DATE.fullmatch(text):
            return constant(date.fromisoformat(text), kind)
        match = _TIME.fullmatch(text)
        if match and (kind == LOCAL or is_instant(kind)):
            return constant(_micros(match, kind, text), kind)
    except ValueError:
        pass
    raise Untranslatable(f"'{text}' as {spark_name(kind)} is left to Spark")


def _micros(match: re.Match[str], kind: pa.DataType, text: str) -> int:
    day, time, zone = match.groups()
    if (zone is None) != (kind == LOCAL):
        if zone is not None:
            raise Untranslatable(f"'{text}' has a zone, which a timestamp_ntz has not")
        raise Untranslatable(
            f"'{text}' depends on the session's time zone; write it with one, like '{day} {time or '00:00:00'}Z'"
        )
    moment = datetime.fromisoformat(f"{day} {time or '00:00:00'}").replace(tzinfo=_zone(zone))
    return (moment - _EPOCH) // timedelta(microseconds=1)


def _zone(text: str | None) -> timezone:
    if text is None or text == "Z":
        return UTC
    offset = timedelta(hours=int(text[1:3]), minutes=int(text[4:6]))
    if offset > timedelta(hours=18) or int(text[4:6]) > 59:
        raise ValueError(text)
    return timezone(-offset if text[0] == "-" else offset)
