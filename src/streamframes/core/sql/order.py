"""Order: comparisons as Spark makes them. NaN equals NaN and is larger than every number; -0.0 equals 0.0."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from functools import reduce

import pyarrow as pa
import pyarrow.compute as pc

from streamframes.core.sql.coercion import FLOATS, coerced, common_type
from streamframes.core.sql.terms import Kernel, Term, Untranslatable, eager, strict


def less(left: pa.Array, right: pa.Array) -> pa.BooleanArray:
    """`left < right`."""
    found = pc.less(left, right)
    if left.type not in FLOATS:
        return found
    return pc.or_(found, pc.and_(pc.invert(pc.is_nan(left)), pc.is_nan(right)))


def equal(left: pa.Array, right: pa.Array) -> pa.BooleanArray:
    """`left = right`."""
    found = pc.equal(left, right)
    return found if left.type not in FLOATS else pc.or_(found, pc.and_(pc.is_nan(left), pc.is_nan(right)))


def _same(left: pa.Array, right: pa.Array) -> pa.BooleanArray:
    both_null = pc.and_(left.is_null(), right.is_null())
    return pc.or_(both_null, equal(left, right).fill_null(False))


OPERATORS: dict[str, Kernel] = {
    "=": equal,
    "<>": lambda left, right: pc.invert(equal(left, right)),
    "<": less,
    ">": lambda left, right: less(right, left),
    "<=": lambda left, right: pc.invert(less(right, left)),
    ">=": lambda left, right: pc.invert(less(left, right)),
}


def _together(terms: Sequence[Term], *, compared: bool) -> list[Term]:
    kind = common_type([term.type for term in terms], compared=compared)
    if pa.types.is_null(kind):
        raise Untranslatable("there is nothing but nulls")
    return [coerced(term, kind) for term in terms]


def compared(operator: str, left: Term, right: Term) -> Term:
    """A comparison; null where an operand is null."""
    return strict(pa.bool_(), OPERATORS[operator], *_together([left, right], compared=True))


def same(left: Term, right: Term) -> Term:
    """`left <=> right`, never null."""
    return eager(pa.bool_(), _same, *_together([left, right], compared=True))


def among(term: Term, choices: Sequence[Term]) -> Term:
    """`term in (choices)`; null where it is not among them but one of them is null."""
    if any(choice.fails for choice in choices):
        raise Untranslatable("a choice of IN may fail")
    first, *others = _together([term, *choices], compared=True)

    def kernel(array: pa.Array, *others: pa.Array) -> pa.Array:
        return reduce(pc.or_kleene, (equal(array, other) for other in others))

    return eager(pa.bool_(), kernel, first, *others)


def extreme(terms: Sequence[Term], *, largest: bool) -> Term:
    """`greatest` and `least`: nulls are passed over, and of equals the first is taken."""
    if len(terms) < 2:
        raise Untranslatable("greatest and least need two arguments")
    operands = _together(terms, compared=False)
    beats: Callable[..., pa.Array] = OPERATORS[">" if largest else "<"]

    def better(best: pa.Array, other: pa.Array) -> pa.Array:
        wins = pc.and_(other.is_valid(), beats(other, best).fill_null(True))
        return pc.if_else(wins, other, best)

    return eager(operands[0].type, lambda *arrays: reduce(better, arrays), *operands)
