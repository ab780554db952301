"""Functions that a user wrote, for the engine: one compiled function that calls the one of a number.

The engine takes it as a pointer, so that it need not be compiled anew for every user. What Numba cannot compile is
called through Python.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

import numba
import numpy as np

from streamframes.core.jit import usercode
from streamframes.core.jit.compiled import cached_pointer
from streamframes.core.schemes.folds import Fold

_SIGNATURE = "float64(int64, CPointer(float64))"
# How many arguments a function may have; a fold has its scalars and the value.
MOST_ARGUMENTS = 15

Function = Callable[..., float] | Fold
# A function of an array of arguments.
Step = Callable[[np.ndarray], float]


def caller(functions: Sequence[Function]) -> object:
    """`call(number, arguments)`: the value of a function; a fold also leaves its new scalars in the arguments."""
    if not functions:
        return _nobody()
    key = "call " + " | ".join(map(_name, functions))
    return usercode.built_once(key, lambda: _built(functions))


def _nobody() -> object:
    """What is called where the user wrote no function: compiled once, for all processes."""
    return usercode.built_once("call nobody", lambda: cached_pointer(_SIGNATURE, _nothing))


def _nothing(which: int, arguments: object) -> float:
    return np.nan


def _built(functions: Sequence[Function]) -> object:
    chosen = numba.njit(_chain([_step(each) for each in functions]))

    def call(which: int, arguments: Any) -> Any:
        return chosen(which, numba.carray(arguments, (MOST_ARGUMENTS + 1,)))  # type: ignore[attr-defined]

    return numba.cfunc(_SIGNATURE)(call)


def _name(function: Function) -> str:
    return str(function) if isinstance(function, Fold) else usercode.code_of(function)


def _step(function: Function) -> Step:
    """One function of its arguments."""
    if isinstance(function, Fold):
        return _fold_step(function)
    n = function.__code__.co_argcount

    def probe(compiled: Callable[..., float]) -> None:
        float(compiled(*[1.0] * n))

    compiled = usercode.jitted([function], probe)
    if compiled is None:
        return _through_python(lambda x: function(*x.tolist()))
    inner = compiled[0]
    as_tuple = usercode.COMPILED.as_tuple
    return cast(Step, numba.njit(lambda x: float(inner(*as_tuple(x, n)))))


def _fold_step(fold: Fold) -> Step:
    size = len(fold.start)

    def probe(add: Callable[..., tuple[float, ...]], result: Callable[..., float]) -> None:
        state = add(tuple(map(float, fold.start)), 1.0)
        usercode.store(np.zeros(size), state)
        float(result(tuple(map(float, state))))

    compiled = usercode.jitted([fold.add, fold.result], probe)
    if compiled is None:

        def slow(x: np.ndarray) -> float:
            state = fold.add(tuple(x[:size].tolist()), float(x[size]))
            x[:size] = state
            return fold.result(tuple(x[:size].tolist()))

        return _through_python(slow)
    add, result = compiled
    store: Any = usercode.store
    as_tuple = usercode.COMPILED.as_tuple

    @numba.njit
    def fast(x: Any) -> float:
        store(x, add(as_tuple(x, size), x[size]))
        return float(result(as_tuple(x, size)))

    return cast(Step, fast)


def _through_python(function: Callable[[np.ndarray], float | None]) -> Step:
    def call(x: np.ndarray) -> float:
        value = function(x)
        return float("nan") if value is None else float(value)

    @numba.njit
    def through(x: Any) -> float:
        with numba.objmode(value="float64"):
            value = call(x)
        return value  # noqa: RET504  (objmode declares what it assigns)

    return cast(Step, through)


def _chain(steps: Sequence[Step]) -> Callable[..., float]:
    """Functions one behind the other: the first is called, or else one of the rest."""

    def none(which: int, x: np.ndarray) -> float:
        return np.nan

    chosen: Callable[..., float] = none
    for step in reversed(list(steps)):
        chosen = _link(step, numba.njit(chosen))
    return chosen


def _link(step: Step, rest: Callable[..., float]) -> Callable[..., float]:
    def chosen(which: int, x: np.ndarray) -> float:
        if which == 0:
            return step(x)
        return rest(which - 1, x)

    return chosen
