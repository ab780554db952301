"""Programs: terms as words that a small machine runs, so that one compiled engine serves every tree.

An instruction is three words: the operation and two operands. A reference to a program is its place in the table;
as most conditions are a single column of the event, such a reference is that column instead: -2 - column.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np

from streamframes.core.jit.compiled import compiled
from streamframes.core.jit.pointers import shifted
from streamframes.core.sessions.language.nodes import COMPUTED, Class, Node, path_of
from streamframes.core.sessions.language.terms import DOUBLE, TEXT, BuiltIn, Call, Const, Event, Op, Term, Value
from streamframes.core.sessions.vm.accumulators import add, is_read, overflows, read_double
from streamframes.core.sessions.vm.bits import NAN, NULL, is_nan, is_null, null_of

NO_PROGRAM = -1
OPERATIONS = (
    "end", "const", "event", "node", "rows", "duration", "start", "end of session", "and", "or", "not", "is null",
    "coalesce", "to double", "seconds", "call", "long +", "long -", "long *", "long %", "long neg", "long =",
    "long <", "long <=", "double +", "double -", "double *", "double /", "double %", "double neg", "double =",
    "double <", "double <=",
)  # fmt: skip
(
    END, CONST, EVENT, NODE, ROWS, DURATION, START, LAST, AND, OR, NOT, IS_NULL, COALESCE, TO_DOUBLE, SECONDS, CALL,
    LONG_ADD, LONG_SUB, LONG_MUL, LONG_MOD, LONG_NEG, LONG_EQ, LONG_LT, LONG_LE, DOUBLE_ADD, DOUBLE_SUB, DOUBLE_MUL,
    DOUBLE_DIV, DOUBLE_MOD, DOUBLE_NEG, DOUBLE_EQ, DOUBLE_LT, DOUBLE_LE,
) = range(33)  # fmt: skip
_TOLD = {"rows": ROWS, "duration": DURATION, "start": START, "end": LAST}
# How many values a program may hold at once.
STACK = 64

# The header of a record; behind it stand the lists of its children, then the words of its nodes.
(
    R_CLASS, R_PARENT, R_KEY, R_KEY2, R_NEXT, R_PREV, R_START, R_END, R_ROWS, R_GROUP, R_ID, R_HASH,
) = range(12)  # fmt: skip
HEADER = 12
# Records begin at multiples of so many words, the lines of the cache.
LINE = 8

# The fields of a node in the table.
(
    N_CLASS, N_CODE, N_SLOT, N_ARGUMENT, N_DOUBLE, N_SOURCE, N_WHEN, N_WHERE, N_FLAG, N_UPS, N_CONVERT, N_LAST, N_SPAN,
    N_USER, N_SIZE, N_SCALE, N_EDGES, N_EDGE_COUNT, N_ENDS, N_END_COUNT, N_TELLS, N_TELL_COUNT, N_INPUT_DOUBLE,
    N_COMPUTED,
) = range(24)  # fmt: skip
NODE_FIELDS = 24
# The head of the table: where classes and nodes begin, how many there are, and ticks in a second.
(
    P_CLASSES, P_NODES, P_N_CLASSES, P_N_NODES, P_SECOND, P_SPANS, P_MATCHES, P_WINDOWS, P_WIDTH, P_LANES, P_MEASURES,
    P_TIMED, P_OUT_WIDTH, P_AHEAD, P_N_AHEAD,
) = range(15)  # fmt: skip
P_HEAD = 16


class Programs:
    """Writes programs behind the words that are there."""

    def __init__(self, words: list[int], classes: Sequence[Class], nodes: Sequence[Node], texts: Any) -> None:
        self.classes = classes
        self.nodes = nodes
        self.texts = texts
        self.words = words
        self.deepest = 0

    def reference(self, term: Term | None, cls: int) -> int:
        """A term, seen from a session of a class (-1: from none), as a reference."""
        if term is None:
            return NO_PROGRAM
        if isinstance(term, Event):
            return -2 - term.column
        start = len(self.words)
        self._write(term, cls, 1)
        self.words += [END, int(term.type == DOUBLE), 0]
        return start

    def _write(self, term: Term, cls: int, depth: int) -> None:
        self.deepest = max(self.deepest, depth)
        if isinstance(term, Const):
            self.words += [CONST, self._word(term), 0]
        elif isinstance(term, Event):
            self.words += [EVENT, term.column, int(term.type == DOUBLE)]
        elif isinstance(term, Value):
            node = self.nodes[term.node]
            if node.function == COMPUTED and node.argument is not None:
                self._write(node.argument, cls, depth)
            else:
                self.words += [NODE, self._ups(cls, node.cls), term.node]
        elif isinstance(term, BuiltIn):
            self.words += [_TOLD[term.what], self._ups(cls, term.cls), 0]
        else:
            for i, arg in enumerate(term.args):
                self._write(arg, cls, depth + i)
            self.words += self._operation(term)

    def _operation(self, term: Op | Call) -> list[int]:
        if isinstance(term, Call):
            return [CALL, term.function, len(term.args)]
        kind = int(term.args[0].type == DOUBLE)
        return [OPERATIONS.index(term.name), len(term.args), kind]

    def _word(self, term: Const) -> int:
        if term.value is None:
            return null_of(term.type)
        if term.type == TEXT:
            return int(self.texts.number(term.value))
        if term.type == DOUBLE:
            return int(np.float64(term.value).view(np.int64))
        return int(term.value)

    def _ups(self, cls: int, wanted: int) -> int:
        return path_of(self.classes, cls).index(wanted)


@compiled
def node_word(P: Any, W: Any, D: Any, X: Any, Y: Any, p: Any, n: Any, now: Any) -> Any:
    """The value of a node (at `n` in the table) of the session `p`."""
    code, at = P[n + N_CODE], p + P[n + N_SLOT]
    if P[n + N_LAST] >= 0 or P[n + N_SPAN] >= 0:
        return _window_word(P, W, D, X, Y, at, n, now)
    if is_read(code):
        Y[0] = read_double(W, D, at, code, P[n + N_SCALE])
        return X[0]
    return W[at]


@compiled
def _window_word(P: Any, W: Any, D: Any, X: Any, Y: Any, at: Any, n: Any, now: Any) -> Any:
    """The value of a node of which only the latest values count: they are added up anew, so that nothing is lost."""
    code = P[n + N_CODE]
    for j in range(5):
        X[8 + j] = P[P[n + N_SIZE] + j]
    entry, span = W[at], P[n + N_SPAN]
    while entry != 0:
        if span < 0 or W[entry + 1] > now - span:
            add(X, Y, 8, code, W[entry], D[entry])
        entry = W[entry + 2]
    if is_read(code):
        Y[0] = read_double(X, Y, 8, code, P[n + N_SCALE])
        return X[0]
    return X[8]


@compiled
def run(  # noqa: PLR0915  (one loop over instructions: a call for each would cost more than its work)
    P: Any, W: Any, D: Any, E: Any, X: Any, Y: Any, user: Any, at: Any, i: Any, p: Any, now: Any
) -> Any:
    """Run the program at `at` on event `i` (-1: none) and the session `p`; returns a word.

    X, seen as doubles Y, is room to work in: 0 one word, 1 whether a long overflowed, 2 the number of events, 8 a
    record, 16 the arguments of a call, 32 the stack. All arrays are pointers.
    """
    top = 31
    while True:
        op, a, b = P[at], P[at + 1], P[at + 2]
        at += 3
        if op == END:
            if a and is_nan(X[top]):
                return NAN
            return X[top]
        if op == CONST:
            top += 1
            X[top] = a
        elif op == EVENT:
            top += 1
            X[top] = E[a * X[2] + i] if i >= 0 else (NAN if b else NULL)
        elif op <= LAST:
            q = p
            for _ in range(a):
                q = W[q + R_PARENT]
            top += 1
            if op == NODE:
                X[top] = node_word(P, W, D, X, Y, q, P[P_NODES] + b * NODE_FIELDS, now)
            else:
                X[top] = _told_word(W, op, q)
        elif op <= OR:
            top -= 1
            X[top] = _and(X[top], X[top + 1]) if op == AND else _or(X[top], X[top + 1])
        elif op == COALESCE:
            top -= a - 1
            for j in range(1, a):
                if not is_null(X[top], b):
                    break
                X[top] = X[top + j]
        elif op == CALL:
            top -= b - 1
            Y[top] = _called(user, X, Y, a, top, b)
        elif op <= SECONDS or op in (LONG_NEG, DOUBLE_NEG):
            _change(X, Y, op, top, b, P[P_SECOND])
        elif op <= LONG_LE:
            top -= 1
            if X[top] == NULL or X[top + 1] == NULL:
                X[top] = NULL
            else:
                X[top] = _of_longs(X, op, X[top], X[top + 1])
        else:
            top -= 1
            if is_nan(X[top]) or is_nan(X[top + 1]):
                X[top] = NAN if op < DOUBLE_EQ else NULL
            elif op >= DOUBLE_EQ:
                x, y = Y[top], Y[top + 1]
                X[top] = np.int64(x == y if op == DOUBLE_EQ else (x < y if op == DOUBLE_LT else x <= y))
            else:
                Y[top] = _of_doubles(op, Y[top], Y[top + 1])


@compiled
def _told_word(W: Any, op: Any, p: Any) -> Any:
    """What every session knows of itself."""
    if op == ROWS:
        return W[p + R_ROWS]
    if op == DURATION:
        return W[p + R_END] - W[p + R_START]
    return W[p + R_START] if op == START else W[p + R_END]


@compiled
def _change(X: Any, Y: Any, op: Any, top: Any, is_double: Any, second: Any) -> None:
    """An operator of one value."""
    if op == IS_NULL:
        X[top] = np.int64(is_null(X[top], is_double))
    elif op == DOUBLE_NEG:
        Y[top] = -Y[top]
    elif op == TO_DOUBLE:
        Y[top] = np.float64(X[top]) if X[top] != NULL else np.nan
    elif op == SECONDS:
        Y[top] = X[top] / second if X[top] != NULL else np.nan
    elif X[top] != NULL:
        X[top] = 1 - X[top] if op == NOT else -X[top]


@compiled
def _and(a: Any, b: Any) -> Any:
    if a == 0 or b == 0:
        return np.int64(0)
    return NULL if a == NULL or b == NULL else np.int64(1)


@compiled
def _or(a: Any, b: Any) -> Any:
    if a == 1 or b == 1:
        return np.int64(1)
    return NULL if a == NULL or b == NULL else np.int64(0)


@compiled
def _called(user: Any, X: Any, Y: Any, function: Any, at: Any, n: Any) -> Any:
    for j in range(n):
        if is_nan(X[at + j]):
            return np.nan
        Y[16 + j] = Y[at + j]
    return user(function, shifted(Y, 16))


@compiled
def _of_longs(X: Any, op: Any, a: Any, b: Any) -> Any:
    """An operator of longs; an overflow is noted in X[1]."""
    if op == LONG_EQ:
        return np.int64(a == b)
    if op == LONG_LT:
        return np.int64(a < b)
    if op == LONG_LE:
        return np.int64(a <= b)
    if op == LONG_ADD:
        X[1] |= np.int64(overflows(a, b))
        return a + b
    if op == LONG_SUB:
        X[1] |= np.int64(((a ^ b) & (a ^ (a - b))) < 0)
        return a - b
    if op == LONG_MUL:
        X[1] |= np.int64(abs(np.float64(a) * np.float64(b)) > 9.2e18)
        return a * b
    if b == 0:
        return NULL
    rest = np.int64(abs(a) % abs(b))
    return -rest if a < 0 else rest


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
