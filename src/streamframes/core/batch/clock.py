"""Clocks: how instants and durations become whole ticks.

A progressing attribute is held as int64 everywhere in the core. What one tick means depends on its type:

  timestamp, timestamp_ntz   1 microsecond since 1970      durations are "2 minutes" or timedelta
  date                       1 day since 1970              durations are "2 days" or timedelta
  integer                    1                             durations are plain whole numbers
"""

from __future__ import annotations

import re
from dataclasses import dataclass
from datetime import timedelta
from typing import Literal

from streamframes.errors import InvalidArgument

# Before and after all instants that differ from "never".
MIN_INSTANT = -(2**62)
MAX_INSTANT = 2**62

Duration = str | int | float | timedelta
ClockKind = Literal["timestamp", "date", "integer"]

MICROSECONDS = {
    "microsecond": 1,
    "millisecond": 1_000,
    "second": 1_000_000,
    "minute": 60_000_000,
    "hour": 3_600_000_000,
    "day": 86_400_000_000,
    "week": 604_800_000_000,
}
SHORT_UNITS = {
    "us": "microsecond",
    "ms": "millisecond",
    "s": "second",
    "sec": "second",
    "m": "minute",
    "min": "minute",
    "h": "hour",
    "d": "day",
}
_PART = re.compile(r"\s*(?P<number>[+-]?\d+(?:\.\d+)?)\s*(?P<unit>[a-z]+)\s*", re.IGNORECASE)
_EXAMPLES = "write it like '2 minutes', '90 seconds' or '1 hour 30 minutes'"


def microseconds(text: str, argument: str) -> int:
    """The whole microseconds that an interval string stands for.

    >>> microseconds("1 hour 30 minutes", "min_duration")
    5400000000
    """
    total, position = 0, 0
    cleaned = re.sub(r"^\s*interval\s+", "", text, flags=re.IGNORECASE)
    while position < len(cleaned):
        part = _PART.match(cleaned, position)
        if part is None:
            raise InvalidArgument(f"{argument}={text!r} is not a duration; {_EXAMPLES}")
        total += _microseconds_of_part(part["number"], part["unit"].lower(), text, argument)
        position = part.end()
    if not cleaned.strip():
        raise InvalidArgument(f"{argument}={text!r} is not a duration; {_EXAMPLES}")
    return total


def _microseconds_of_part(number: str, unit: str, text: str, argument: str) -> int:
    name = SHORT_UNITS.get(unit, unit.removesuffix("s"))
    if name in ("month", "year", "quarter"):
        raise InvalidArgument(f"{argument}={text!r} has no fixed length; use days or weeks")
    if name not in MICROSECONDS:
        units = ", ".join(f"{name}s" for name in MICROSECONDS)
        raise InvalidArgument(f"{argument}={text!r} has the unknown unit {unit!r}; the units are {units}")
    whole, _, decimals = number.partition(".")
    scaled = int(whole + decimals) * MICROSECONDS[name]
    ticks, rest = divmod(scaled, 10 ** len(decimals))
    if rest:
        raise InvalidArgument(f"{argument}={text!r} is finer than one microsecond; use whole microseconds")
    return int(ticks)


def check_duration(value: object, argument: str, *, zero: bool = False) -> None:
    """Refuse what can be a duration under no clock, and what is not positive (or zero, if that is allowed)."""
    length: float
    if isinstance(value, str):
        length = microseconds(value, argument)
    elif isinstance(value, timedelta):
        length = value.total_seconds()
    elif isinstance(value, int | float) and not isinstance(value, bool):
        length = value
    else:
        raise InvalidArgument(
            f"{argument}={value!r} is not a duration; {_EXAMPLES}, a timedelta, or a number when ts is an integer"
        )
    if not (length >= 0 if zero else length > 0):
        raise InvalidArgument(f"{argument}={value!r} must be {'zero or more' if zero else 'greater than zero'}")


@dataclass(frozen=True)
class Clock:
    """How long one tick of the progressing attribute is, and so what a duration means."""

    kind: ClockKind

    def ticks(self, duration: Duration, argument: str) -> int:
        """The whole number of ticks in a duration of this clock.

        >>> Clock("timestamp").ticks("2 minutes", "max_gap"), Clock("integer").ticks(20, "max_gap")
        (120000000, 20)
        """
        if self.kind == "integer":
            return _whole_number(duration, argument)
        if isinstance(duration, str):
            micros = microseconds(duration, argument)
        elif isinstance(duration, timedelta):
            micros = int(duration // timedelta(microseconds=1))
        else:
            raise InvalidArgument(
                f"{argument}={duration!r} is a plain number but ts is a {self.kind}; "
                f"give it a unit, for example '{duration} seconds'"
            )
        if self.kind == "timestamp":
            return micros
        days, rest = divmod(micros, MICROSECONDS["day"])
        if rest:
            raise InvalidArgument(f"{argument}={duration!r} is no whole number of days but ts is a date")
        return days


def _whole_number(duration: Duration, argument: str) -> int:
    if isinstance(duration, str | timedelta):
        raise InvalidArgument(
            f"{argument}={duration!r} has a unit but ts is an integer; give a plain number in the unit of ts"
        )
    if duration != int(duration):
        raise InvalidArgument(f"{argument}={duration!r} must be a whole number because ts is an integer")
    return int(duration)
