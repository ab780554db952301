"""Functions that a user wrote: compiled where Numba can, plain Python elsewhere, never compiled twice."""

from __future__ import annotations

import hashlib
import inspect
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any, NamedTuple, TypeVar, cast

import numba
import numpy as np
from numba import literal_unroll
from numba.np.unsafe.ndarray import to_fixed_tuple

Built = TypeVar("Built")

_BUILT: dict[str, object] = {}
# What Numba raises for code it cannot compile, and what the code itself may raise on made-up numbers.
_CANNOT = (
    numba.core.errors.NumbaError,
    numba.core.errors.UnsupportedBytecodeError,
    TypeError,
    ValueError,
    ArithmeticError,
)


def code_of(function: Callable[..., object]) -> str:
    """A spelling of a function that is the same in every process: what it does, not where it lives."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None:
        return f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', repr(function))}"
    constants = [str(constant) for constant in code.co_consts if not inspect.iscode(constant)]
    cells = [str(cell.cell_contents) for cell in getattr(function, "__closure__", None) or ()]
    return f"{code.co_code.hex()}:{constants}:{code.co_names}:{cells}"


def built_once(key: str, build: Callable[[], Built]) -> Built:
    """What `build` returns, remembered: a worker gets the same function anew with every task."""
    if key not in _BUILT:
        _BUILT[key] = build()
    return cast(Built, _BUILT[key])


def rule_type(key: str, *fields: str) -> type:
    """A NamedTuple type for a rule; its name is its own, because Numba distinguishes compiled code by it."""
    return namedtuple(f"Rule_{hashlib.blake2b(key.encode(), digest_size=8).hexdigest()}", fields)


def jitted(functions: Sequence[Callable[..., object]], probe: Callable[..., object]) -> list[Callable[..., Any]] | None:
    """The functions under Numba if `probe`, called with them, runs; None where they need plain Python."""
    candidates = [numba.njit(inspect.unwrap(function)) for function in functions]
    try:
        probe(*candidates)
    except _CANNOT:
        return None
    return candidates


@numba.njit
def store(s: Any, state: Any) -> None:
    """Write a tuple of numbers of any types into a record of scalars."""
    j = 0
    for value in literal_unroll(state):
        s[j] = value
        j += 1  # noqa: SIM113  (Numba unrolls the tuple itself, not enumerate of it)


def _store_python(s: np.ndarray, state: Sequence[float]) -> None:
    s[: len(state)] = state


def _tuple_python(array: np.ndarray, size: int) -> tuple[float, ...]:
    return tuple(array[:size].tolist())


class RecordAccess(NamedTuple):
    """How a function reads a record of scalars as a tuple of so many numbers, and writes one."""

    as_tuple: Callable[..., tuple[float, ...]]
    store: Callable[..., None]


COMPILED = RecordAccess(to_fixed_tuple, store)
PLAIN = RecordAccess(_tuple_python, _store_python)
