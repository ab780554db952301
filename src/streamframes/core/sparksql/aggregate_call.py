"""Aggregate calls as text: which function, and of what."""

from __future__ import annotations

from collections.abc import Sequence

import sqlglot
from sqlglot import exp

from streamframes.errors import InvalidArgument

_NAMES: dict[type, str] = {
    exp.Sum: "sum",
    exp.Count: "count",
    exp.Avg: "avg",
    exp.Min: "min",
    exp.Max: "max",
    exp.Stddev: "stddev",
    exp.StddevSamp: "stddev",
    exp.First: "first",
    exp.Last: "last",
}


def simple_call(text: str) -> tuple[str, str] | None:
    """Function and argument of `function(argument)`; None for any other expression.

    >>> simple_call("avg(total_pkts / 2)"), simple_call("sum(a) / 2"), simple_call("count(distinct a)")
    (('avg', 'total_pkts / 2'), None, None)
    """
    try:
        tree = sqlglot.parse_one(text, read="spark")
    except sqlglot.errors.SqlglotError:
        return None
    name = _NAMES.get(type(tree))
    plain = [key for key, value in tree.args.items() if value and key not in ("this", "big_int")]
    if name is None or plain or isinstance(tree.this, exp.Distinct):
        return None
    return name, text[text.index("(") + 1 : text.rindex(")")].strip()


def call(text: object, argument: str, functions: Sequence[str]) -> tuple[str, str]:
    """Function and argument of a call that must be one of `functions`."""
    known = ", ".join(f"{name}(...)" for name in functions)
    if not isinstance(text, str):
        raise InvalidArgument(f"{argument}={text!r} is not text; write one of {known}")
    found = simple_call(text)
    if found is None or found[0] not in functions:
        raise InvalidArgument(f"{argument}={text!r} is not a known aggregate; write one of {known}")
    return found
