"""Functions that a user wrote: compiled where Numba can, plain Python elsewhere, never compiled twice."""

from __future__ import annotations

import hashlib
import inspect
from collections import namedtuple
from collections.abc import Callable, Sequence
from typing import Any

import numba
import numpy as np
from numba import literal_unroll
from numba.np.unsafe.ndarray import to_fixed_tuple

_BUILT: dict[str, Any] = {}
# What Numba raises for code it cannot compile, and what the code itself may raise on made-up numbers.
_CANNOT = (
    numba.core.errors.NumbaError,
    numba.core.errors.UnsupportedBytecodeError,
    TypeError,
    ValueError,
    ArithmeticError,
)


def code_of(function: Callable[..., Any]) -> str:
    """A spelling of a function that is the same in every process: what it does, not where it lives."""
    code = getattr(inspect.unwrap(function), "__code__", None)
    if code is None:
        return f"{getattr(function, '__module__', '')}.{getattr(function, '__qualname__', repr(function))}"
    constants = [str(constant) for constant in code.co_consts if not inspect.iscode(constant)]
    cells = [str(cell.cell_contents) for cell in function.__closure__ or ()]
    return f"{code.co_code.hex()}:{constants}:{code.co_names}:{cells}"


def built_once(key: str, build: Callable[[], Any]) -> Any:
    """What `build` returns, remembered: a worker gets the same function anew with every task."""
    if key not in _BUILT:
        _BUILT[key] = build()
    return _BUILT[key]


def rule_type(key: str, *fields: str) -> type:
    """A NamedTuple type for a rule; its name is its own, because Numba tells compiled code apart by it."""
    return namedtuple(f"Rule_{hashlib.blake2b(key.encode(), digest_size=8).hexdigest()}", fields)


def jitted(functions: Sequence[Callable[..., Any]], probe: Callable[..., Any]) -> list[Any] | None:
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


def store_python(s: np.ndarray, state: Sequence[float]) -> None:
    """The same for plain Python."""
    s[: len(state)] = state


def tuple_python(array: np.ndarray, size: int) -> tuple[Any, ...]:
    """The first scalars of a record as a tuple; stands in for Numba's `to_fixed_tuple`."""
    return tuple(array[:size].tolist())


__all__ = [
    "built_once",
    "code_of",
    "jitted",
    "rule_type",
    "store",
    "store_python",
    "to_fixed_tuple",
    "tuple_python",
]
