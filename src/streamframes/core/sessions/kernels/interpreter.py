"""Interpreter: runs the programs of a tree on an event and a session, on a stack of words."""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.jit.pointers import doubles, shifted
from streamframes.core.sessions.kernels.accumulators import add, is_read, overflows, read_double
from streamframes.core.sessions.kernels.arrays import (
    ACCUMULATOR,
    ARGUMENTS,
    LONG_OVERFLOW,
    N_EVENTS,
    PROGRAM,
    RECORD,
    VALUE,
)
from streamframes.core.sessions.kernels.fields import NAN, NODE, NULL, TREE, is_nan, is_null, node_row
from streamframes.core.sessions.kernels.operations import (
    AND,
    CALL,
    COALESCE,
    CONST,
    DOUBLE_ADD,
    DOUBLE_DIV,
    DOUBLE_EQ,
    DOUBLE_LT,
    DOUBLE_MUL,
    DOUBLE_NEG,
    DOUBLE_SUB,
    DURATION,
    END,
    EVENT,
    IS_NULL,
    LAST,
    LONG_ADD,
    LONG_EQ,
    LONG_LE,
    LONG_LT,
    LONG_MUL,
    LONG_NEG,
    LONG_SUB,
    NODE_VALUE,
    NOT,
    OR,
    ROWS,
    SECONDS,
    START,
    TO_DOUBLE,
)


@compiled
def evaluated(a: Any, user: Any, ref: Any, is_double: Any, i: Any, p: Any, now: Any) -> Any:
    """The word of a reference: a column of the event, or a program."""
    if ref <= -2:
        if i >= 0:
            return a.columns[(-2 - ref) * a.scratch[N_EVENTS] + i]
        return NAN if is_double else NULL
    return _run(a, user, ref, i, p, now)


@compiled
def value_of_node(a: Any, p: Any, n: Any, now: Any) -> Any:
    """The value of a node (`n` is its row) of the session `p`."""
    code, at = a.tree[n + NODE.code], p + a.tree[n + NODE.place]
    if a.tree[n + NODE.last] >= 0 or a.tree[n + NODE.span] >= 0:
        return _value_of_window(a, at, n, now)
    if is_read(code):
        doubles(a.scratch)[VALUE] = read_double(a.records, doubles(a.records), at, code, a.tree[n + NODE.scale])
        return a.scratch[VALUE]
    return a.records[at]


@compiled
def _value_of_window(a: Any, at: Any, n: Any, now: Any) -> Any:
    """The value of a node of which only the latest values count: they are added up anew, so that nothing is lost."""
    code = a.tree[n + NODE.code]
    scratch_doubles = doubles(a.scratch)
    for j in range(5):
        a.scratch[ACCUMULATOR + j] = a.tree[a.tree[n + NODE.size] + j]
    entry, span = a.records[at], a.tree[n + NODE.span]
    while entry != 0:
        if span < 0 or a.records[entry + 1] > now - span:
            add(a.scratch, scratch_doubles, ACCUMULATOR, code, a.records[entry], doubles(a.records)[entry])
        entry = a.records[entry + 2]
    if is_read(code):
        scratch_doubles[VALUE] = read_double(a.scratch, scratch_doubles, ACCUMULATOR, code, a.tree[n + NODE.scale])
        return a.scratch[VALUE]
    return a.scratch[ACCUMULATOR]


@compiled
def _run(a: Any, user: Any, at: Any, i: Any, p: Any, now: Any) -> Any:  # noqa: PLR0915  (a call for each would cost more)
    """Run the program at `at` on event `i` (-1: none) and the session `p`; returns a word."""
    stack, stack_doubles = a.scratch, doubles(a.scratch)
    top = PROGRAM - 1
    while True:
        op, x, y = a.tree[at], a.tree[at + 1], a.tree[at + 2]
        at += 3
        if op == END:
            if x and is_nan(stack[top]):
                return NAN
            return stack[top]
        if op == CONST:
            top += 1
            stack[top] = x
        elif op == EVENT:
            top += 1
            stack[top] = a.columns[x * a.scratch[N_EVENTS] + i] if i >= 0 else (NAN if y else NULL)
        elif op <= LAST:
            q = p
            for _ in range(x):
                q = a.records[q + RECORD.parent]
            top += 1
            if op == NODE_VALUE:
                stack[top] = value_of_node(a, q, node_row(a.tree, y), now)
            else:
                stack[top] = _built_in(a.records, op, q)
        elif op <= OR:
            top -= 1
            stack[top] = _and(stack[top], stack[top + 1]) if op == AND else _or(stack[top], stack[top + 1])
        elif op == COALESCE:
            top -= x - 1
            for j in range(1, x):
                if not is_null(stack[top], y):
                    break
                stack[top] = stack[top + j]
        elif op == CALL:
            top -= y - 1
            stack_doubles[top] = _called(user, stack, stack_doubles, x, top, y)
        elif op <= SECONDS or op in (LONG_NEG, DOUBLE_NEG):
            _change(stack, stack_doubles, op, top, y, a.tree[TREE.ticks_per_second])
        elif op <= LONG_LE:
            top -= 1
            if stack[top] == NULL or stack[top + 1] == NULL:
                stack[top] = NULL
            else:
                stack[top] = _of_longs(a.scratch, op, stack[top], stack[top + 1])
        else:
            top -= 1
            if is_nan(stack[top]) or is_nan(stack[top + 1]):
                stack[top] = NAN if op < DOUBLE_EQ else NULL
            elif op >= DOUBLE_EQ:
                left, right = stack_doubles[top], stack_doubles[top + 1]
                stack[top] = np.int64(
                    left == right if op == DOUBLE_EQ else (left < right if op == DOUBLE_LT else left <= right)
                )
            else:
                stack_doubles[top] = _of_doubles(op, stack_doubles[top], stack_doubles[top + 1])


@compiled
def _built_in(records: Any, op: Any, p: Any) -> Any:
    """What every session knows of itself."""
    if op == ROWS:
        return records[p + RECORD.rows]
    if op == DURATION:
        return records[p + RECORD.end] - records[p + RECORD.start]
    return records[p + RECORD.start] if op == START else records[p + RECORD.end]


@compiled
def _change(stack: Any, stack_doubles: Any, op: Any, top: Any, is_double: Any, second: Any) -> None:
    """An operator of one value."""
    if op == IS_NULL:
        stack[top] = np.int64(is_null(stack[top], is_double))
    elif op == DOUBLE_NEG:
        stack_doubles[top] = -stack_doubles[top]
    elif op == TO_DOUBLE:
        stack_doubles[top] = np.float64(stack[top]) if stack[top] != NULL else np.nan
    elif op == SECONDS:
        stack_doubles[top] = stack[top] / second if stack[top] != NULL else np.nan
    elif stack[top] != NULL:
        stack[top] = 1 - stack[top] if op == NOT else -stack[top]


@compiled
def _and(x: Any, y: Any) -> Any:
    if x == 0 or y == 0:
        return np.int64(0)
    return NULL if x == NULL or y == NULL else np.int64(1)


@compiled
def _or(x: Any, y: Any) -> Any:
    if x == 1 or y == 1:
        return np.int64(1)
    return NULL if x == NULL or y == NULL else np.int64(0)


@compiled
def _called(user: Any, stack: Any, stack_doubles: Any, function: Any, at: Any, n: Any) -> Any:
    for j in range(n):
        if is_nan(stack[at + j]):
            return np.nan
        stack_doubles[ARGUMENTS + j] = stack_doubles[at + j]
    return user(function, shifted(stack_doubles, ARGUMENTS))


@compiled
def _of_longs(scratch: Any, op: Any, x: Any, y: Any) -> Any:
    """An operator of longs; an overflow is noted."""
    if op == LONG_EQ:
        return np.int64(x == y)
    if op == LONG_LT:
        return np.int64(x < y)
    if op == LONG_LE:
        return np.int64(x <= y)
    if op == LONG_ADD:
        scratch[LONG_OVERFLOW] |= np.int64(overflows(x, y))
        return x + y
    if op == LONG_SUB:
        scratch[LONG_OVERFLOW] |= np.int64(((x ^ y) & (x ^ (x - y))) < 0)
        return x - y
    if op == LONG_MUL:
        scratch[LONG_OVERFLOW] |= np.int64(abs(np.float64(x) * np.float64(y)) > 9.2e18)
        return x * y
    if y == 0:
        return NULL
    rest = np.int64(abs(x) % abs(y))
    return -rest if x < 0 else rest


@compiled
def _of_doubles(op: Any, x: Any, y: Any) -> Any:
    if op == DOUBLE_ADD:
        return x + y
    if op == DOUBLE_SUB:
        return x - y
    if op == DOUBLE_MUL:
        return x * y
    if y == 0.0:
        return np.nan
    return x / y if op == DOUBLE_DIV else np.fmod(x, y)
