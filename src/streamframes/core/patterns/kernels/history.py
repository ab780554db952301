"""History: what a path of a match remembers of its rows, in registers, and the conditions that ask for it.

A register holds a row, the number of a variable, a count, or a sum, a minimum or a maximum as a word; doubles are their
bits. Registers come in groups, one for each thing that is remembered of a set of variables. A condition is a program of
three words an instruction, as the conditions of sessions are.
"""

from __future__ import annotations

from typing import Any, NamedTuple

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.patterns.kernels.stack import below, change, combine
from streamframes.core.sessions.kernels.operations import (
    COALESCE,
    CONST,
    DOUBLE_NEG,
    END,
    EVENT,
    IS_NULL,
    LONG_NEG,
    NODE_VALUE,
    NOT,
    SECONDS,
    TO_DOUBLE,
)

# Groups of registers: kind, mask of variables, input (-1: none), first register, how many, offset, whether double.
FIRST_ROW, FIRST_VARIABLE, LAST_ROW, LAST_VARIABLE, COUNT, SUM, MIN, MAX = range(8)
# Leaves: kind, register, input, shift, whether double.
AT_ROW, AT_VARIABLE, COUNTED, ACCUMULATED, AVERAGE, NUMBER = range(6)


class History(NamedTuple):
    """What all conditions of a pattern remember, and their programs; `live[q, r]`: step q may yet read register r."""

    code: np.ndarray
    program: np.ndarray
    groups: np.ndarray
    leaves: np.ndarray
    live: np.ndarray
    begin: np.ndarray


class Inputs(NamedTuple):
    """The values that conditions read, a row for each input: as words, the same as doubles, and which are there."""

    words: np.ndarray
    doubles: np.ndarray
    valid: np.ndarray
    names: np.ndarray


class Scratch(NamedTuple):
    """Room for the registers of a path and a stack; each also seen as doubles."""

    registers: np.ndarray
    registers_d: np.ndarray
    stack: np.ndarray
    stack_d: np.ndarray
    nulls: np.ndarray


@compiled
def remember(h: Any, x: Any, s: Any, v: Any, i: Any) -> None:
    """Row i is of variable v: bring the registers up to date."""
    r, d = s.registers, s.registers_d
    for g in range(h.groups.shape[0]):
        kind, mask, at = h.groups[g, 0], h.groups[g, 1], h.groups[g, 3]
        if (mask >> v) & 1 == 0:
            continue
        if kind <= FIRST_VARIABLE:
            if r[at] == h.groups[g, 5]:
                r[at + 1] = i if kind == FIRST_ROW else v
            r[at] = min(r[at], h.groups[g, 5]) + 1
        elif kind <= LAST_VARIABLE:
            for j in range(at + h.groups[g, 4] - 1, at, -1):
                r[j] = r[j - 1]
            r[at] = i if kind == LAST_ROW else v
        elif h.groups[g, 2] < 0:
            r[at] += 1
        elif x.valid[h.groups[g, 2], i]:
            _accumulate(h, x, r, d, g, i)


@compiled
def _accumulate(h: Any, x: Any, r: Any, d: Any, g: Any, i: Any) -> None:
    kind, n, at = h.groups[g, 0], h.groups[g, 2], h.groups[g, 3]
    if kind == COUNT:
        r[at] += 1
        return
    first = r[at + 1] == 0
    r[at + 1] += 1
    if h.groups[g, 6]:
        value = x.doubles[n, i]
        if kind == SUM:
            d[at] = value if first else d[at] + value
        elif first or (kind == MIN) == below(value, d[at]):
            d[at] = value
    else:
        word = x.words[n, i]
        if kind == SUM:
            r[at] = word if first else r[at] + word
        elif first or (word < r[at] if kind == MIN else word > r[at]):
            r[at] = word


@compiled
def holds(h: Any, x: Any, s: Any, v: Any, i: Any, low: Any, high: Any, number: Any) -> Any:
    """Whether the condition of variable v over the match so far holds at row i of a group that is [low, high)."""
    at, top = h.program[v], -1
    if at < 0:
        return True
    while True:
        op, a, b = h.code[at], h.code[at + 1], h.code[at + 2]
        at += 3
        if op == END:
            return s.nulls[0] == 0 and s.stack[0] != 0
        if op == CONST:
            top += 1
            s.stack[top], s.nulls[top] = a, b
        elif op == EVENT:
            top += 1
            s.stack[top], s.nulls[top] = x.words[a, i], not x.valid[a, i]
        elif op == NODE_VALUE:
            top += 1
            _push(h, x, s, a, top, low, high, number)
        elif op in (NOT, IS_NULL, TO_DOUBLE, SECONDS, LONG_NEG, DOUBLE_NEG):
            change(s, op, top, b)
        elif op == COALESCE:
            top -= a - 1
            for j in range(1, a):
                if s.nulls[top] == 0:
                    break
                s.stack[top], s.nulls[top] = s.stack[top + j], s.nulls[top + j]
        else:
            top -= 1
            combine(s, op, top)


@compiled
def _push(h: Any, x: Any, s: Any, leaf: Any, top: Any, low: Any, high: Any, number: Any) -> None:
    """The value of a leaf on the stack."""
    kind, at, n = h.leaves[leaf, 0], h.leaves[leaf, 1], h.leaves[leaf, 2]
    s.nulls[top] = 0
    if kind == AT_ROW:
        row = s.registers[at]
        there = row >= 0
        row += h.leaves[leaf, 3]
        if there and low <= row < high and x.valid[n, row]:
            s.stack[top] = x.words[n, row]
        else:
            s.nulls[top] = 1
    elif kind == AT_VARIABLE:
        v = s.registers[at]
        s.nulls[top] = v < 0
        s.stack[top] = x.names[max(v, 0)]
    elif kind == COUNTED:
        s.stack[top] = s.registers[at]
    elif kind == NUMBER:
        s.stack[top] = number
    elif s.registers[at + 1] == 0:
        s.nulls[top] = 1
    elif kind == AVERAGE:
        total = s.registers_d[at] if h.leaves[leaf, 4] else np.float64(s.registers[at])
        s.stack_d[top] = total / s.registers[at + 1]
    else:
        s.stack[top] = s.registers[at]
