"""Operations: what an instruction of a program does. An instruction is three words: the operation and two operands."""

from __future__ import annotations

OPERATIONS = (
    "end", "const", "event", "node", "rows", "duration", "start", "end of session", "and", "or", "not", "is null",
    "coalesce", "to double", "seconds", "call", "long +", "long -", "long *", "long %", "long neg", "long =",
    "long <", "long <=", "double +", "double -", "double *", "double /", "double %", "double neg", "double =",
    "double <", "double <=",
)  # fmt: skip
(
    END, CONST, EVENT, NODE_VALUE, ROWS, DURATION, START, LAST, AND, OR, NOT, IS_NULL, COALESCE, TO_DOUBLE, SECONDS,
    CALL, LONG_ADD, LONG_SUB, LONG_MUL, LONG_MOD, LONG_NEG, LONG_EQ, LONG_LT, LONG_LE, DOUBLE_ADD, DOUBLE_SUB,
    DOUBLE_MUL, DOUBLE_DIV, DOUBLE_MOD, DOUBLE_NEG, DOUBLE_EQ, DOUBLE_LT, DOUBLE_LE,
) = range(33)  # fmt: skip
