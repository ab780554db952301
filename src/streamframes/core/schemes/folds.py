"""Folds: running aggregates that the user wrote, and the rule that compares one with a bound."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from typing import Any, TypeAlias

import numpy as np

from streamframes.core.jit import usercode
from streamframes.core.jit.compiled import AFTER, BEFORE, GOES_ON, NO, OPENS, OPENS_AND_CLOSES, register
from streamframes.core.schemes.base import Compiled, Expression, KernelKind
from streamframes.core.schemes.columns import double_matrix
from streamframes.core.schemes.comparison import exceeds
from streamframes.errors import InvalidArgument

Numbers: TypeAlias = "tuple[float, ...]"


@dataclass(frozen=True)
class Fold:
    """A user's own running aggregate: declared scalar state, a way to add a value, and the result.

    The functions are compiled with Numba where that is possible and run as plain Python elsewhere.

    Parameters
    ----------
    value
        A numeric expression.
    start
        The state of an empty frame: a tuple of numbers.
    add
        `add(state, value) -> state`, tuples of the same length.
    result
        `result(state) -> number`.

    Examples
    --------
    The root mean square of the rows so far:

    >>> rms = Fold(
    ...     "v",
    ...     start=(0.0, 0.0),
    ...     add=lambda state, v: (state[0] + 1, state[1] + v * v),
    ...     result=lambda state: (state[1] / state[0]) ** 0.5,
    ... )
    """

    value: Expression
    start: tuple[float, ...]
    add: Callable[..., Numbers]
    result: Callable[..., float]

    def __post_init__(self) -> None:
        if not isinstance(self.start, tuple) or not self.start:
            raise InvalidArgument(f"start={self.start!r} must be a tuple of numbers, like (0.0,)")
        for name in ("add", "result"):
            if not callable(getattr(self, name)):
                raise InvalidArgument(f"{name}={getattr(self, name)!r} must be a function")

    def detached(self) -> Fold:
        """The same fold with its expression as text, so that it can travel."""
        return replace(self, value=str(self.value))

    def __str__(self) -> str:
        """What stands for the fold in `frame_id`: its expression, its state and its code."""
        return f"Fold({self.value}, {self.start}, {usercode.code_of(self.add)}, {usercode.code_of(self.result)})"


def compile_fold(fold: Fold, bound: float, grows: bool) -> Compiled:
    """Runs whose fold is compared with a bound; the state of the fold is the state of the frame."""
    key = f"fold {fold}"
    rule_type, kernel = usercode.built_once(key, lambda: _build(fold, key))
    return Compiled(
        rule=rule_type(bound, grows),
        prepare=double_matrix,
        width=len(fold.start),
        state=np.float64,
        kernel=kernel,
        certain_when_closed=not grows,
    )


def probe_of(fold: Fold) -> Callable[..., None]:
    """A trial run of the functions of a fold, which fails where they cannot be compiled."""
    first = tuple(map(float, fold.start))

    def probe(add: Callable[..., Numbers], result: Callable[..., float]) -> None:
        state = add(first, 1.0)
        usercode.store(np.zeros(len(first)), state)
        float(result(tuple(map(float, state))))

    return probe


def _build(fold: Fold, key: str) -> tuple[type, KernelKind]:
    first = tuple(map(float, fold.start))

    functions = usercode.jitted([fold.add, fold.result], probe_of(fold))
    if functions is None:
        return _rule(key, fold.add, fold.result, first, usercode.PLAIN), "python"
    add, result = functions
    return _rule(key, add, result, first, usercode.COMPILED), "fresh"


def _rule(
    key: str,
    add: Callable[..., Numbers],
    result: Callable[..., float],
    first: Numbers,
    access: usercode.RecordAccess,
) -> type:
    as_tuple, store = access
    size = len(first)
    rule_type = usercode.rule_type(key, "bound", "grows")

    def judge(rule: Any, x: Any, i: int, t: int, s: Any, start: int, rows: int) -> int:
        store(s, add(as_tuple(s, size), x[0, i]))
        if not exceeds(result(as_tuple(s, size)), rule.bound, rule.grows):
            return GOES_ON
        return BEFORE if rule.grows else AFTER

    def begin(rule: Any, x: Any, i: int, t: int, s: Any, lane: int, free: bool, judged: bool) -> int:
        store(s, add(first, x[0, i]))
        if not exceeds(result(as_tuple(s, size)), rule.bound, rule.grows):
            return OPENS
        return NO if rule.grows else OPENS_AND_CLOSES

    register(rule_type, judge=judge, begin=begin)
    return rule_type
