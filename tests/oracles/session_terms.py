"""Operators and functions of sessions on plain values: None is null, and NaN is null too."""

from __future__ import annotations

import math
import operator
import statistics
from collections.abc import Callable, Sequence
from typing import Any

from streamframes.core.sessions.language.nodes import AVG, COUNT, FIRST, MAX, MIN, STDDEV, SUM
from streamframes.core.sessions.language.terms import DOUBLE, DURATION, Const, Event, Op, Term, subterms

OPERATORS: dict[str, Callable[..., Any]] = {
    "not": operator.not_,
    "to double": float,
    "neg": operator.neg,
    "+": operator.add,
    "-": operator.sub,
    "*": operator.mul,
    "/": lambda dividend, divisor: None if divisor == 0 else dividend / divisor,
    "%": lambda dividend, divisor: None if divisor == 0 else remainder(dividend, divisor),
    "=": operator.eq,
    "<": operator.lt,
    "<=": operator.le,
}


def known(value: Any) -> Any:
    """The value, or None for NaN."""
    return None if isinstance(value, float) and math.isnan(value) else value


def is_stateless(term: Term | None) -> bool:
    """Whether there is a term, of the event alone."""
    return term is not None and all(isinstance(part, Const | Event | Op) for part in subterms(term))


def operate(name: str, args: Sequence[Any], ticks_per_second: float) -> Any:
    """An operator, with the logic of three values.

    >>> operate("or", [None, True], 1), operate("and", [None, True], 1), operate("long %", [-7, 4], 1)
    (True, None, -3)
    """
    if name in ("and", "or"):
        decisive = name == "or"
        return decisive if decisive in args else None if None in args else not decisive
    if name == "is null":
        return args[0] is None
    if name == "coalesce":
        return next((arg for arg in args if arg is not None), None)
    if None in args:
        return None
    if name == "seconds":
        return args[0] / ticks_per_second
    return known(OPERATORS[name.removeprefix("long ").removeprefix("double ")](*args))


def remainder(dividend: Any, divisor: Any) -> Any:
    """What is left, with the sign of the dividend."""
    size = abs(dividend) % abs(divisor)
    return -size if dividend < 0 else size


def aggregate(function: str, values: Sequence[Any], kind: str, ticks_per_second: float) -> Any:
    """A function of values of one type; an average or a deviation of durations is in seconds.

    >>> [aggregate(function, [1, 2, 6], "long", 1) for function in ("sum", "avg", "count", "first", "last")]
    [9, 3.0, 3, 1, 6]
    >>> aggregate("stddev", [4], "long", 1), aggregate("stddev", [4, 8, 6], "duration", 2)
    (None, 1.0)
    """
    unit = ticks_per_second if kind == DURATION else 1
    if function == COUNT:
        return len(values)
    if not values or (function == STDDEV and len(values) < 2):
        return None
    if function in (SUM, AVG):
        total = math.fsum(values) if kind == DOUBLE else sum(values)
        return total if function == SUM else total / len(values) / unit
    if function == STDDEV:
        return statistics.stdev(values) / unit
    if function in (MIN, MAX):
        return min(values) if function == MIN else max(values)
    return values[0] if function == FIRST else values[-1]
