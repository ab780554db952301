"""Arguments: the checks that the generators share; each error says what would have worked."""

from __future__ import annotations

import math
import operator
from collections.abc import Iterable
from datetime import UTC, datetime, timedelta

from streamframes.errors import InvalidArgument


def whole(function: str, name: str, value: object, at_least: int = 1, at_most: int | None = None) -> int:
    """Return the value as an int, if it is a whole number, large enough and not too large.

    Parameters
    ----------
    function, name
        Where the value came from, for the message.
    value
        What the user passed.
    at_least
        The smallest number that is accepted.
    at_most
        The largest, if there is one.

    Examples
    --------
    >>> whole("routers", "rows", 12)
    12
    >>> whole("routers", "rows", 0)
    Traceback (most recent call last):
    ...
    streamframes.errors.InvalidArgument: routers() got rows=0; it must be a whole number of at least 1
    """
    try:
        number = -1 if isinstance(value, bool) else operator.index(value)  # type: ignore[arg-type]
    except TypeError:
        number = -1
    if number < at_least or (at_most is not None and number > at_most):
        limits = f"of at least {at_least}" if at_most is None else f"from {at_least} to {at_most}"
        raise InvalidArgument(f"{function}() got {name}={value!r}; it must be a whole number {limits}")
    return int(number)


def share(function: str, name: str, value: object, *, all_too: bool = False) -> float:
    """Return the value as a float, if it is a share of a whole: in [0, 1), or in [0, 1] if it may be all of it.

    Parameters
    ----------
    function, name, value
        As in `whole`.
    all_too
        Whether 1 is accepted.

    Examples
    --------
    >>> share("freeway", "missing", 0.05)
    0.05
    """
    number = -1.0 if isinstance(value, bool) or not isinstance(value, (int, float)) else float(value)
    if not (0 <= number < 1 or (all_too and number == 1)):
        limits = "from 0 to 1" if all_too else "from 0 up to, not including, 1"
        raise InvalidArgument(f"{function}() got {name}={value!r}; it must be a number {limits}")
    return number


def more_than(function: str, name: str, value: object, bound: float) -> float:
    """Return the value as a float, if it is finite and above a bound.

    Parameters
    ----------
    function, name, value
        As in `whole`.
    bound
        What the value must exceed.

    Examples
    --------
    >>> more_than("packets", "shape", 1.5, 1)
    1.5
    """
    if isinstance(value, bool) or not isinstance(value, (int, float)) or not bound < value < math.inf:
        raise InvalidArgument(f"{function}() got {name}={value!r}; it must be a number greater than {bound}")
    return float(value)


def instant(function: str, name: str, value: object) -> int:
    """Return the value as microseconds since 1970, if it is an instant in whole seconds; UTC unless it says otherwise.

    Parameters
    ----------
    function, name, value
        As in `whole`.

    Examples
    --------
    >>> instant("calls", "start", "1970-01-02")
    86400000000
    """
    try:
        when = value if isinstance(value, datetime) else datetime.fromisoformat(value)  # type: ignore[arg-type]
    except (TypeError, ValueError):
        when = datetime.max
    if when.microsecond:
        expected = "a datetime or ISO text in whole seconds, such as '2026-01-05T08:00:00'"
        raise InvalidArgument(f"{function}() got {name}={value!r}; it must be {expected}")
    when = when if when.tzinfo else when.replace(tzinfo=UTC)
    return (when - datetime(1970, 1, 1, tzinfo=UTC)) // timedelta(microseconds=1)


def one_of(function: str, name: str, value: object, choices: Iterable[str]) -> str:
    """Return the value, if it is one of the choices.

    Parameters
    ----------
    function, name, value
        As in `whole`.
    choices
        What is accepted.

    Examples
    --------
    >>> one_of("write", "format", "csv", ["csv", "parquet"])
    'csv'
    """
    choices = sorted(choices)
    if not isinstance(value, str) or value not in choices:
        raise InvalidArgument(f"{function}() got {name}={value!r}; it must be one of {', '.join(map(repr, choices))}")
    return value
