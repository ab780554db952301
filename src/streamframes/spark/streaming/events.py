"""Event time: how instants of any type become the timestamps that Spark's watermark knows, and back.

Spark's watermark takes timestamps only, counts in milliseconds and begins at 1970. The library watches a column of its
own, so that `ts` may be of every type and before 1970. From 1972 on it is the instant itself, so that Spark shows the
watermark as it is; the milliseconds between 1970 and 1972 stand for the seconds from the year 1 to 1972. Integers are
moved so far that the smallest one lies after 1970. Where the user has set a watermark on `ts`, it is that one.
"""

from __future__ import annotations

from dataclasses import dataclass

from pyspark.sql import Column
from pyspark.sql import functions as F
from pyspark.sql import types as T

from streamframes.core.batch.clock import MIN_INSTANT, Clock

# In milliseconds: the year 1 and 1972, a second and a day.
_YEAR_ONE = -62_135_596_800_000
_ORDINARY = 63_072_000_000
_SECOND, _DAY = 1000, 86_400_000
# Integers are taken as milliseconds, between these bounds, after division by a unit.
_WIDEST = 4_500_000_000_000_000


@dataclass(frozen=True)
class EventClock:
    """One millisecond of event time is `ticks` ticks of `ts`, or `is_day` says that a tick is a day.

    `is_folded` says that instants before 1972 are counted in seconds.
    """

    shift: int
    ticks: int
    is_day: bool = False
    is_folded: bool = False

    def watermark(self, millis: int) -> int:
        """Before which instant all rows have been seen."""
        if millis <= 0:
            return MIN_INSTANT
        since = millis - self.shift
        if self.is_folded and millis < _ORDINARY:
            since = min(_YEAR_ONE + (millis - 1) * _SECOND, _ORDINARY - 1)
        return since // _DAY if self.is_day else since * self.ticks

    def wake(self, instant: int) -> int:
        """The first watermark that reaches an instant."""
        since = instant * _DAY if self.is_day else -(-instant // self.ticks)
        if self.is_folded and since < _ORDINARY:
            since = 1 - (_YEAR_ONE - since) // _SECOND
        return max(1, since + self.shift)

    def delay(self, lateness: int) -> int:
        """A lateness in milliseconds of event time."""
        return lateness * _DAY if self.is_day else -(-lateness // self.ticks)


def own_clock(clock: Clock, lateness: int) -> EventClock:
    """The event time of the library; integers are counted in units that suit the lateness."""
    if clock.kind == "integer":
        return EventClock(_WIDEST, max(1, lateness // 1000))
    return EventClock(0, 1000, is_day=clock.kind == "date", is_folded=True)


USERS_CLOCK = EventClock(0, 1000)


def event_time(instant: Column, kind: T.DataType, clock: EventClock, delay: int = 0) -> Column:
    """The event time of an instant, as a timestamp; what Spark takes off it again by a `delay` is the watermark."""
    if isinstance(kind, T.TimestampType):
        millis = F.unix_millis(instant)
    elif isinstance(kind, T.TimestampNTZType):
        # Differences of zone-less instants know no zone; from the earliest one they are never rounded up.
        earliest = F.lit("0001-01-01 00:00:00").cast("timestamp_ntz")
        millis = F.timestamp_diff("MILLISECOND", earliest, instant) + F.lit(_YEAR_ONE)
    elif isinstance(kind, T.DateType):
        millis = F.unix_date(instant).cast("long") * F.lit(_DAY)
    else:
        units = F.floor(instant.cast("decimal(20,0)") / F.lit(clock.ticks)).cast("long")
        millis = F.greatest(F.least(units, F.lit(_WIDEST)), F.lit(-_WIDEST))
    millis = millis.cast("long") + F.lit(clock.shift)
    if clock.is_folded:
        # The border is that of the watermark, which is the delay earlier.
        seconds = F.floor((millis - F.lit(delay + _YEAR_ONE)) / F.lit(_SECOND)).cast("long")
        early = F.greatest(seconds + F.lit(1), F.lit(0)) + F.lit(delay)
        millis = F.when(millis < F.lit(_ORDINARY + delay), early).otherwise(millis)
    # Of nulls and numbers, least() and greatest() would make an instant.
    return F.when(instant.isNotNull(), F.timestamp_micros(millis * F.lit(1000)))


def instant_of(ticks: Column, kind: T.DataType) -> Column:
    """Ticks as an instant of a type."""
    if isinstance(kind, T.TimestampType):
        return F.timestamp_micros(ticks)
    if isinstance(kind, T.TimestampNTZType):
        return F.timestamp_add("MICROSECOND", ticks, F.lit("1970-01-01 00:00:00").cast("timestamp_ntz"))
    return F.date_from_unix_date(ticks.cast("int")) if isinstance(kind, T.DateType) else ticks
