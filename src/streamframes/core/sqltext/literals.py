"""Literals: numbers and intervals as Python has them, and values of parameters as literals of Spark."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from decimal import Decimal

from streamframes.errors import InvalidArgument

_NUMBER = re.compile(r"([+-]?(?:\d+\.?\d*|\.\d+)(?:[eE][+-]?\d+)?)(?:BD|[LSYDF])?", re.IGNORECASE)
_UNITS = ("DAY", "HOUR", "MINUTE", "SECOND")
_CLOCK = re.compile(r"(?P<sign>[+-]?)(?P<parts>\d+(?:[ :]\d+)*(?:\.\d+)?)")
# What may stand between quotes as it is, whatever a setting of Spark says of backslashes.
_HARMLESS = re.compile(r"[A-Za-z0-9 _.,:;/+*()=<>@#-]*")
_FAR = timedelta(microseconds=1)


def number_in(text: str) -> int | float | None:
    """A number as SQL writes it; None where it is none.

    >>> number_in("2L"), number_in("- 0.3"), number_in("1e3"), number_in("two")
    (2, -0.3, 1000.0, None)
    """
    found = _NUMBER.fullmatch(re.sub(r"^([+-])\s+", r"\1", text))
    if found is None:
        return None
    try:
        return int(found[1])
    except ValueError:
        return float(found[1])


def interval_in(text: str) -> str | None:
    """What stands behind INTERVAL as a duration; None where it is none.

    >>> interval_in("2 MINUTES"), interval_in("'1' hour"), interval_in("'1:30' HOUR TO MINUTE")
    ('2 minutes', '1 hour', '1 hour 30 minutes')
    >>> interval_in("1 HOUR 30 MINUTES"), interval_in("'90 seconds'"), interval_in("'0 00:01:02.5' DAY TO SECOND")
    ('1 hour 30 minutes', '90 seconds', '0 days 0 hours 1 minute 2.5 seconds')
    """
    quoted = re.fullmatch(r"(?s)(['\"])(?P<inside>[^'\"]*)\1(?P<behind>.*)", text.strip())
    inside, behind = (quoted["inside"], quoted["behind"].split()) if quoted else ("", [])
    if quoted and not behind:
        return " ".join(inside.split()) or None
    if len(behind) == 3 and behind[1].upper() == "TO":
        return _of_clock(inside, behind[0].upper(), behind[2].upper())
    words = re.sub(r"(['\"])([^'\"]*)\1", r"\2", text).split()
    if not words or len(words) % 2:
        return None
    parts = [_part(number, unit) for number, unit in zip(words[::2], words[1::2], strict=True)]
    return " ".join(parts) if all(re.fullmatch(r"[+-]?[\d.]+ [a-z]+", part) for part in parts) else None


def _part(number: str, unit: str) -> str:
    """A number with its unit, in the plural unless it is one."""
    single = unit.lower().removesuffix("s")
    return f"{number} {single if number in ('1', '+1', '-1') else single + 's'}"


def _of_clock(text: str, first: str, last: str) -> str | None:
    found = _CLOCK.fullmatch(text.strip())
    if found is None or first not in _UNITS or last not in _UNITS:
        return None
    units = _UNITS[_UNITS.index(first) : _UNITS.index(last) + 1]
    numbers = re.split("[ :]", found["parts"])
    if len(numbers) != len(units):
        return None
    plain = [re.sub(r"^0+(?=\d)", "", number) for number in numbers]
    return " ".join(_part(found["sign"] + n, unit) for n, unit in zip(plain, units, strict=True))


def as_literal(value: object, name: str) -> str:
    """The value of a parameter as a literal that means it, and can mean nothing else.

    >>> as_literal("r7", "x"), as_literal("' OR 1=1 --", "x"), as_literal(0.3, "x"), as_literal(None, "x")
    ("'r7'", "CAST(X'27204f5220313d31202d2d' AS STRING)", '0.3D', 'NULL')
    """
    if value is None:
        return "NULL"
    if isinstance(value, bool):
        return str(value).upper()
    if isinstance(value, str):
        return f"'{value}'" if _HARMLESS.fullmatch(value) else f"CAST(X'{_hex(value, name)}' AS STRING)"
    if isinstance(value, bytes | bytearray):
        return f"X'{value.hex()}'"
    if isinstance(value, int | float | Decimal):
        text = _number(value, name)
        # Behind a minus, another would begin a comment.
        return f"({text})" if text.startswith("-") else text
    if isinstance(value, date | timedelta):
        return _instant(value)
    if isinstance(value, list | tuple):
        return f"array({', '.join(as_literal(each, name) for each in value)})"
    if isinstance(value, Mapping):
        inside = [as_literal(each, name) for pair in value.items() for each in pair]
        return f"map({', '.join(inside)})"
    raise InvalidArgument(
        f"the parameter :{name} is a {type(value).__name__}, which cannot stand in an expression; give a number, a "
        "text, an instant, or a list of them"
    )


def _hex(value: str, name: str) -> str:
    try:
        return value.encode().hex()
    except UnicodeEncodeError:
        raise InvalidArgument(f"the parameter :{name} is no text of Unicode") from None


def _number(value: int | float | Decimal, name: str) -> str:
    if isinstance(value, float):
        return f"{value!r}D" if math.isfinite(value) else f"CAST('{value}' AS DOUBLE)"
    if isinstance(value, Decimal):
        if not value.is_finite():
            raise InvalidArgument(f"the parameter :{name} is {value}, which is no number of Spark")
        return f"{value:f}BD"
    if not -(2**63) <= value < 2**63:
        raise InvalidArgument(f"the parameter :{name} is {value}, which is no whole number of 64 bits")
    return str(value) if -(2**31) <= value < 2**31 else f"{value}L"


def _instant(value: date | timedelta) -> str:
    if isinstance(value, timedelta):
        ticks = value // _FAR
        sign, rest = ("-" if ticks < 0 else ""), abs(ticks)
        return f"INTERVAL '{sign}{rest // 10**6}.{rest % 10**6:06d}' SECOND"
    if isinstance(value, datetime):
        at = value.astimezone(UTC).replace(tzinfo=None)
        return f"TIMESTAMP_LTZ'{at.isoformat(sep=' ', timespec='microseconds')}Z'"
    return f"DATE'{value.isoformat()}'"
