"""Delta frames: a new frame whenever a value has moved by a given amount.

density |            x x x
        |      x x x           ]  less than x apart: one frame
        | x x                  ]
        +[frame]-[frame][frame]---->
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple

import numpy as np

from streamframes.core.clock import Clock
from streamframes.core.compiled import AFTER, BEFORE, GOES_ON, OPENS, register
from streamframes.core.schemes.base import (
    OPERATORS,
    Compiled,
    Input,
    Scheme,
    check_choice,
    check_expression,
    check_positive,
    compare,
    number_matrix,
)
from streamframes.errors import InvalidArgument

BASES = ("range", "first", "previous")


class DeltaRule(NamedTuple):
    """The amounts per attribute, and the numbers of base and operator."""

    x: Any
    base: int
    op: int


def _judge(rule: Any, x: Any, i: int, t: int, s: Any, start: int, rows: int) -> int:
    grows = rule.op < 2
    hit = False
    for a in range(rule.x.size):
        value = x[a, i]
        low, high = s[2 * a], s[2 * a + 1]
        if rule.base == 0:
            low, high = min(low, value), max(high, value)
            measure = high - low
            s[2 * a], s[2 * a + 1] = low, high
        else:
            measure = abs(value - low)
            if rule.base == 2:
                s[2 * a] = value
        if compare(measure, rule.op, rule.x[a]) != grows:
            hit = True
    if not hit:
        return GOES_ON
    return BEFORE if grows else AFTER


def _begin(rule: Any, x: Any, i: int, t: int, s: Any, lane: int, free: bool, judged: bool) -> int:
    for a in range(rule.x.size):
        s[2 * a] = x[a, i]
        s[2 * a + 1] = x[a, i]
    return OPENS


register(DeltaRule, judge=_judge, begin=_begin)


@dataclass(frozen=True, eq=False, repr=False)
class Delta(Scheme):
    """Frames that end when a value has moved by an amount.

    Parameters
    ----------
    value
        A numeric expression, or several with an amount each: `Delta({"density": 0.1, "mass": 0.2}, "<")`; then
        a break on any of them counts.
    op
        `<` and `<=`: the frame goes on while the measure holds, and the row that breaks it opens the next.
        `>` and `>=`: the row at which the measure holds closes its frame and belongs to it.
    x
        The amount, greater than zero.
    base
        What is measured: `"range"` max - min over the frame, `"first"` the distance from the frame's first row,
        `"previous"` the distance from the row before.

    Examples
    --------
    >>> from streamframes.core.trial import frames_of
    >>> frames_of(Delta("v", "<", 3), ts=[1, 2, 3, 4], v=[0.0, 2.0, 3.0, 9.0])
    [Frame(start=1, end=2, rows=2, closed_by='condition'), Frame(start=3, end=3, rows=1, closed_by='condition'), \
Frame(start=4, end=4, rows=1, closed_by='end of data')]

    References
    ----------
    Grossniklaus et al., Frames: data-driven windows, DEBS 2016, sections 2.2, 3.2 and table 3.
    """

    value: Any
    op: str
    x: float | None = None
    base: str = "range"

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.op, "op", OPERATORS)
        check_choice(self.base, "base", BASES)
        if isinstance(self.value, Mapping):
            object.__setattr__(self, "value", dict(self.value))
            if not self.value:
                raise InvalidArgument("value={} names no attribute; write Delta({'density': 0.1}, '<')")
            if self.x is not None:
                raise InvalidArgument(f"x={self.x!r} cannot be given beside amounts per attribute; leave x out")
        for name, amount in self.amounts():
            check_expression(name, "value", "density")
            check_positive(amount, f"value[{name!r}]" if isinstance(self.value, dict) else "x")

    def amounts(self) -> list[tuple[Any, Any]]:
        """Each attribute with its amount."""
        return list(self.value.items()) if isinstance(self.value, dict) else [(self.value, self.x)]

    def inputs(self) -> tuple[Input, ...]:
        """One number for each attribute."""
        return tuple(Input("value", expression, "number") for expression, _ in self.amounts())

    def compile(self, clock: Clock) -> Compiled:
        """Two scalars an attribute: least and greatest, or the value that is the base."""
        amounts = np.array([amount for _, amount in self.amounts()], np.float64)
        rule = DeltaRule(amounts, BASES.index(self.base), OPERATORS.index(self.op))
        return Compiled(rule=rule, prepare=number_matrix, width=2 * amounts.size, state=None)
