"""Aggregate frames: a frame is full when an aggregate over its rows says so.

volume   3 9 8 6 | 1 0 2 25 | 7 ...        Aggregate("sum(volume)", ">=", 25): after every 25 cars
"""

from __future__ import annotations

from collections import namedtuple
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.batch.clock import Clock
from streamframes.core.jit.compiled import AFTER, BEFORE, GOES_ON, NO, OPENS, OPENS_AND_CLOSES, register
from streamframes.core.schemes.base import Compiled, Input, Scheme
from streamframes.core.schemes.columns import double_matrix, number_matrix
from streamframes.core.schemes.comparison import OPERATORS, exceeds, upper_bound
from streamframes.core.schemes.folds import Fold, compile_fold
from streamframes.core.schemes.running_aggregates import FUNCTIONS, STEPS
from streamframes.core.sparksql.aggregate_call import call
from streamframes.core.validation import check_choice
from streamframes.errors import InvalidArgument

# A rule for each function, with its bound and what exceeding it does: the kernel is compiled for a type.
SumRule = namedtuple("SumRule", ("bound", "grows"))
CountRule = namedtuple("CountRule", ("bound", "grows"))
AvgRule = namedtuple("AvgRule", ("bound", "grows"))
MinRule = namedtuple("MinRule", ("bound", "grows"))
MaxRule = namedtuple("MaxRule", ("bound", "grows"))
StddevRule = namedtuple("StddevRule", ("bound", "grows"))
_RULES: dict[str, type] = {
    "sum": SumRule,
    "count": CountRule,
    "avg": AvgRule,
    "min": MinRule,
    "max": MaxRule,
    "stddev": StddevRule,
}


def _plug(rule_type: type, first: Callable[..., float], following: Callable[..., float]) -> None:
    def judge(rule: Any, x: Any, i: int, t: int, s: Any, start: int, rows: int) -> int:
        if not exceeds(following(x[0, i], rows, s), rule.bound, rule.grows):
            return GOES_ON
        return BEFORE if rule.grows else AFTER

    def begin(rule: Any, x: Any, i: int, t: int, s: Any, lane: int, free: bool, judged: bool) -> int:
        if not exceeds(first(x[0, i], s), rule.bound, rule.grows):
            return OPENS
        return NO if rule.grows else OPENS_AND_CLOSES

    register(rule_type, judge=judge, begin=begin)


for _function, _steps in STEPS.items():
    _plug(_RULES[_function], *_steps)


@dataclass(frozen=True, eq=False, repr=False)
class Aggregate(Scheme):
    """Frames that end when a running aggregate over their rows passes a bound.

    Parameters
    ----------
    aggregate
        `"sum(volume)"`, `"avg(x)"`, `"min(x)"`, `"max(x)"`, `"stddev(x)"` (of the sample, 0 for one row),
        `"count(*)"`, or a `Fold` of your own.
    op
        `>` and `>=`: the row at which the aggregate holds closes its frame and belongs to it. `<` and `<=`: the
        first row that breaks it ends the frame, whatever later rows would do; a row that alone breaks it is in
        no frame.
    x
        The bound.

    Examples
    --------
    >>> from streamframes.core.theory.trial import frames_of
    >>> frames_of(Aggregate("sum(cars)", ">=", 25), ts=[1, 2, 3, 4], cars=[20, 6, 30, 1])
    [Frame(start=1, end=2, rows=2, closed_by='condition'), Frame(start=3, end=3, rows=1, closed_by='condition'), \
Frame(start=4, end=4, rows=1, closed_by='end of data')]

    References
    ----------
    Grossniklaus et al., Frames: data-driven windows, DEBS 2016, sections 2.4 and 3.2.
    """

    aggregate: str | Fold
    op: str
    x: float

    def __post_init__(self) -> None:
        super().__post_init__()
        check_choice(self.op, "op", OPERATORS)
        if not isinstance(self.x, int | float) or isinstance(self.x, bool) or not np.isfinite(self.x):
            raise InvalidArgument(f"x={self.x!r} must be a finite number")
        if not isinstance(self.aggregate, Fold):
            self.call()

    def call(self) -> tuple[str, str]:
        """The function and its argument."""
        function, argument = call(self.aggregate, "aggregate", FUNCTIONS)
        if argument == "*" and function != "count":
            raise InvalidArgument(f"aggregate={self.aggregate!r} needs an expression; only count takes *")
        return function, argument

    def inputs(self) -> tuple[Input, ...]:
        """The number that is aggregated; none for count(*)."""
        if isinstance(self.aggregate, Fold):
            return (Input("aggregate", self.aggregate.value, "number"),)
        function, argument = self.call()
        if argument == "*":
            return ()
        return (Input("aggregate", argument, "any" if function == "count" else "number"),)

    def compile(self, clock: Clock) -> Compiled:
        """One scalar, the running value; stddev has the first value, and two sums with their errors."""
        bound, grows = upper_bound(self.op, self.x), self.op in ("<", "<=")
        if isinstance(self.aggregate, Fold):
            return compile_fold(self.aggregate, bound, grows)
        function, _ = self.call()
        rule = _RULES[function](bound, grows)
        if function == "count":
            return Compiled(rule=rule, prepare=_ones, width=2, certain_when_closed=not grows)
        exact = function in ("sum", "min", "max")
        prepare = number_matrix if exact else double_matrix
        width = 5 if function == "stddev" else 2
        return Compiled(rule=rule, prepare=prepare, width=width, state=None, certain_when_closed=not grows)


def _ones(columns: Sequence[pa.Array]) -> np.ndarray:
    return np.broadcast_to(np.int64(1), (1, 2**58))
