"""Delta frames: a new frame whenever a value has moved by a given amount.

density |            x x x
        |      x x x           ]  less than x apart: one frame
        | x x                  ]
        +[frame]-[frame][frame]---->
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass
from typing import Any, NamedTuple, cast

import numpy as np

from streamframes.core.batch.clock import Clock
from streamframes.core.jit.compiled import AFTER, BEFORE, GOES_ON, OPENS, compiled, register
from streamframes.core.schemes.base import Compiled, Expression, Input, Rule, Scheme
from streamframes.core.schemes.columns import number_matrix
from streamframes.core.schemes.comparison import OPERATORS, exceeds, upper_bound
from streamframes.core.validation import check_choice, check_expression, check_positive
from streamframes.errors import InvalidArgument

BASES = ("range", "first", "previous")


class RangeRule(NamedTuple):
    """One attribute, max - min over the frame. A type for each base: the kernel is compiled for a type."""

    bound: float
    grows: bool


class FirstRule(NamedTuple):
    """One attribute, the distance from the frame's first row."""

    bound: float
    grows: bool


class PreviousRule(NamedTuple):
    """One attribute, the distance from the row before."""

    bound: float
    grows: bool


class SeveralRule(NamedTuple):
    """Several attributes with a bound each, and the number of the base."""

    bounds: np.ndarray
    grows: bool
    base: int


@compiled
def _range(value: Any, s: Any, a: int) -> Any:
    low, high = min(s[2 * a], value), max(s[2 * a + 1], value)
    s[2 * a], s[2 * a + 1] = low, high
    return high - low


@compiled
def _from_first(value: Any, s: Any, a: int) -> Any:
    return abs(value - s[2 * a])


@compiled
def _from_previous(value: Any, s: Any, a: int) -> Any:
    distance = abs(value - s[2 * a])
    s[2 * a] = value
    return distance


def _plug(rule_type: type, measure: Callable[..., float]) -> None:
    def judge(rule: Any, x: Any, i: int, t: int, s: Any, start: int, rows: int) -> int:
        if not exceeds(measure(x[0, i], s, 0), rule.bound, rule.grows):
            return GOES_ON
        return BEFORE if rule.grows else AFTER

    register(rule_type, judge=judge, begin=_begin)


def _judge_several(rule: Any, x: Any, i: int, t: int, s: Any, start: int, rows: int) -> int:
    moved = False
    for a in range(rule.bounds.size):
        if rule.base == 0:
            measure = _range(x[a, i], s, a)
        elif rule.base == 1:
            measure = _from_first(x[a, i], s, a)
        else:
            measure = _from_previous(x[a, i], s, a)
        moved |= exceeds(measure, rule.bounds[a], rule.grows)
    if not moved:
        return GOES_ON
    return BEFORE if rule.grows else AFTER


def _begin(rule: Any, x: Any, i: int, t: int, s: Any, lane: int, free: bool, judged: bool) -> int:
    for a in range(x.shape[0]):
        s[2 * a] = x[a, i]
        s[2 * a + 1] = x[a, i]
    return OPENS


_plug(RangeRule, _range)
_plug(FirstRule, _from_first)
_plug(PreviousRule, _from_previous)
register(SeveralRule, judge=_judge_several, begin=_begin)
_RULES = {"range": RangeRule, "first": FirstRule, "previous": PreviousRule}


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
    >>> from streamframes.core.theory.trial import frames_of
    >>> frames_of(Delta("v", "<", 3), ts=[1, 2, 3, 4], v=[0.0, 2.0, 3.0, 9.0])
    [Frame(start=1, end=2, rows=2, closed_by='condition'), Frame(start=3, end=3, rows=1, closed_by='condition'), \
Frame(start=4, end=4, rows=1, closed_by='end of data')]

    References
    ----------
    Grossniklaus et al., Frames: data-driven windows, DEBS 2016, sections 2.2, 3.2 and table 3.
    """

    value: Expression | Mapping[str, float]
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

    def amounts(self) -> list[tuple[Expression, float]]:
        """Each attribute with its amount."""
        if isinstance(self.value, Mapping):
            return list(self.value.items())
        return [(self.value, cast(float, self.x))]

    def inputs(self) -> tuple[Input, ...]:
        """One number for each attribute."""
        return tuple(Input("value", expression, "number") for expression, _ in self.amounts())

    def compile(self, clock: Clock) -> Compiled:
        """Two scalars an attribute: least and greatest, or the value that is the base."""
        bounds, grows = [upper_bound(self.op, amount) for _, amount in self.amounts()], self.op in ("<", "<=")
        rule: Rule = SeveralRule(np.array(bounds), grows, BASES.index(self.base))
        if len(bounds) == 1:
            rule = _RULES[self.base](bounds[0], grows)
        width = 2 * len(bounds)
        return Compiled(rule=rule, prepare=number_matrix, width=width, state=None, certain_when_closed=not grows)
