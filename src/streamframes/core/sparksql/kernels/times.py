"""Times: instants and dates moved by a fixed length. What the session's time zone decides is left to Spark."""

from __future__ import annotations

import re
from dataclasses import dataclass

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from streamframes.core.batch.clock import MICROSECONDS
from streamframes.core.sparksql.syntax import shown
from streamframes.core.sparksql.terms import Term, Untranslatable, constant, strict
from streamframes.core.sparksql.types.coercion import coerced
from streamframes.core.sparksql.types.types import DURATION, WHOLE, spark_name

DAY = MICROSECONDS["day"]
_NUMBER = re.compile(r"[+-]?\d+(?:\.\d{1,6})?")
# Until then some zones were off by seconds, and a minute began at another instant there.
_WHOLE_MINUTES = 94_694_400 * MICROSECONDS["second"]


@dataclass(frozen=True)
class Interval:
    """A constant length; `whole_days` where it is written in days and weeks only."""

    micros: int
    whole_days: bool


def interval_of(node: exp.Expression) -> Interval | None:
    """The length that a tree of interval literals stands for; None where it is something else."""
    if isinstance(node, exp.Paren):
        return interval_of(node.this)
    if isinstance(node, exp.Interval):
        return _literal(node)
    if isinstance(node, exp.Neg):
        inner = interval_of(node.this)
        return None if inner is None else Interval(-inner.micros, inner.whole_days)
    if not isinstance(node, exp.Add | exp.Sub):
        return None
    left, right = interval_of(node.this), interval_of(node.expression)
    if left is None or right is None:
        return None
    micros = left.micros + right.micros if isinstance(node, exp.Add) else left.micros - right.micros
    return Interval(micros, left.whole_days and right.whole_days)


def _literal(node: exp.Interval) -> Interval:
    text = shown(node)
    amount, unit = node.this, node.args.get("unit")
    if not isinstance(amount, exp.Literal) or not isinstance(unit, exp.Var) or not _NUMBER.fullmatch(amount.this):
        raise Untranslatable(f"{text} is no interval of a number and a unit")
    name = unit.name.lower().removesuffix("s")
    if name not in MICROSECONDS:
        raise Untranslatable(f"{text} has no fixed length")
    whole, _, decimals = amount.this.partition(".")
    if decimals and name != "second":
        raise Untranslatable(f"{text} is no whole number of {name}s")
    micros = int(whole + decimals) * MICROSECONDS[name] // 10 ** len(decimals)
    if abs(micros) >= 2**63:
        raise Untranslatable(f"{text} is too long")
    return Interval(micros, name in ("day", "week"))


def duration(interval: Interval) -> Term:
    """An interval as a value, to be compared."""
    return constant(interval.micros, DURATION)


def moved(term: Term, interval: Interval) -> Term:
    """An instant or a date plus an interval."""
    if pa.types.is_date(term.type):
        if not interval.whole_days:
            raise Untranslatable("a date and hours make a timestamp of the session's time zone")
        return days_later(term, constant(interval.micros // DAY, pa.int32()))
    if not pa.types.is_timestamp(term.type):
        raise Untranslatable(f"{spark_name(term.type)} cannot be moved by an interval")
    if term.type.tz is not None and abs(interval.micros) >= DAY:
        raise Untranslatable("a day of a timestamp depends on the session's time zone; timestamp_ntz has no zone")
    micros = pa.scalar(interval.micros)
    return strict(term.type, lambda a: pc.add_checked(a.cast(pa.int64()), micros).cast(a.type), term, fails=True)


def days_later(date: Term, days: Term, sign: int = 1) -> Term:
    """`date + days`, or `date - days`."""
    if not pa.types.is_date(date.type) or days.type not in WHOLE[:3]:
        raise Untranslatable(
            f"only a date is moved by whole days, not {spark_name(date.type)} by {spark_name(days.type)}"
        )
    kernel = pc.add if sign > 0 else pc.subtract

    def later(dates: pa.Array, days: pa.Array) -> pa.Array:
        return kernel(dates.cast(pa.int32()), days).cast(pa.date32())

    return strict(pa.date32(), later, date, coerced(days, pa.int32()))


def between(later: Term, earlier: Term) -> Term:
    """`later - earlier` as an interval, of instants without a zone."""
    if later.type != pa.timestamp("us") or earlier.type != later.type:
        raise Untranslatable("the time between two instants depends on the session's time zone, or is in days")

    def kernel(later: pa.Array, earlier: pa.Array) -> pa.Array:
        return pc.subtract_checked(later.cast(pa.int64()), earlier.cast(pa.int64())).cast(DURATION)

    return strict(DURATION, kernel, later, earlier, fails=True)


def truncated(term: Term, unit: str) -> Term:
    """`date_trunc(unit, term)` for the units that no time zone moves."""
    if not pa.types.is_timestamp(term.type) or term.type.tz is None or unit not in ("second", "minute"):
        raise Untranslatable(f"date_trunc('{unit}', ...) of {spark_name(term.type)} depends on the session's time zone")
    step = MICROSECONDS[unit]

    def kernel(array: pa.Array) -> pa.Array:
        micros = array.cast(pa.int64()).fill_null(_WHOLE_MINUTES).to_numpy()
        if unit == "minute" and (micros < _WHOLE_MINUTES).any():
            raise pa.ArrowInvalid("before 1973 a minute depends on the session's time zone")
        absent = array.is_null().to_numpy(zero_copy_only=False)
        return pa.array(micros - np.mod(micros, step), pa.int64(), mask=absent).cast(array.type)

    return strict(term.type, kernel, term, fails=unit == "minute")
