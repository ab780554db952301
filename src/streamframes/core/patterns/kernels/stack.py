"""The stack: operators of conditions on the values on top of a stack, as long as nothing is null."""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.sessions.kernels.operations import (
    AND,
    DOUBLE_ADD,
    DOUBLE_DIV,
    DOUBLE_EQ,
    DOUBLE_LT,
    DOUBLE_MUL,
    DOUBLE_NEG,
    DOUBLE_SUB,
    IS_NULL,
    LONG_ADD,
    LONG_EQ,
    LONG_LE,
    LONG_LT,
    LONG_MUL,
    LONG_NEG,
    LONG_SUB,
    NOT,
    OR,
    TO_DOUBLE,
)

TICKS_PER_SECOND = 1_000_000


@compiled
def below(a: Any, b: Any) -> Any:
    """Whether a double is below another; NaN is above all others."""
    return a < b or (np.isnan(b) and not np.isnan(a))


@compiled
def change(s: Any, op: Any, top: Any, is_double: Any) -> None:
    """An operator of one value."""
    if op == IS_NULL:
        s.stack[top], s.nulls[top] = np.int64(s.nulls[top] != 0), 0
    elif op == NOT:
        s.stack[top] = 1 - s.stack[top]
    elif op == LONG_NEG:
        s.stack[top] = -s.stack[top]
    elif op == DOUBLE_NEG:
        s.stack_d[top] = -s.stack_d[top]
    elif op == TO_DOUBLE:
        s.stack_d[top] = np.float64(s.stack[top])
    else:
        s.stack_d[top] = s.stack[top] / TICKS_PER_SECOND


@compiled
def combine(s: Any, op: Any, top: Any) -> None:
    """An operator of two values, the second above the first."""
    left, right = s.stack[top], s.stack[top + 1]
    no_left, no_right = s.nulls[top] != 0, s.nulls[top + 1] != 0
    if op in (AND, OR):
        decides = np.int64(op == OR)
        if (not no_left and left == decides) or (not no_right and right == decides):
            s.stack[top], s.nulls[top] = decides, 0
        else:
            s.stack[top], s.nulls[top] = 1 - decides, no_left or no_right
        return
    s.nulls[top] = no_left or no_right
    if s.nulls[top]:
        return
    if op <= LONG_LE:
        s.nulls[top] = _of_longs(s, op, top, left, right)
    else:
        s.nulls[top] = _of_doubles(s, op, top, s.stack_d[top], s.stack_d[top + 1])


@compiled
def _of_longs(s: Any, op: Any, top: Any, left: Any, right: Any) -> Any:
    """The result goes on the stack; returns whether it is null."""
    if op == LONG_EQ:
        s.stack[top] = np.int64(left == right)
    elif op == LONG_LT:
        s.stack[top] = np.int64(left < right)
    elif op == LONG_LE:
        s.stack[top] = np.int64(left <= right)
    elif op == LONG_ADD:
        s.stack[top] = left + right
    elif op == LONG_SUB:
        s.stack[top] = left - right
    elif op == LONG_MUL:
        s.stack[top] = left * right
    elif right == 0:
        return True
    else:
        rest = np.int64(abs(left) % abs(right))
        s.stack[top] = -rest if left < 0 else rest
    return False


@compiled
def _of_doubles(s: Any, op: Any, top: Any, left: Any, right: Any) -> Any:
    """The result goes on the stack; returns whether it is null."""
    if op == DOUBLE_EQ:
        s.stack[top] = np.int64(left == right or (np.isnan(left) and np.isnan(right)))
    elif op == DOUBLE_LT:
        s.stack[top] = np.int64(below(left, right))
    elif op > DOUBLE_LT:
        s.stack[top] = np.int64(not below(right, left))
    elif op == DOUBLE_ADD:
        s.stack_d[top] = left + right
    elif op == DOUBLE_SUB:
        s.stack_d[top] = left - right
    elif op == DOUBLE_MUL:
        s.stack_d[top] = left * right
    elif right == 0.0:
        return True
    else:
        s.stack_d[top] = left / right if op == DOUBLE_DIV else np.fmod(left, right)
    return False
