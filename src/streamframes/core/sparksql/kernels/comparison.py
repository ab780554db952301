"""Comparison as Spark does it: NaN equals NaN and is larger than every number; -0.0 equals 0.0."""

from __future__ import annotations

import operator as op
from collections.abc import Callable, Sequence
from decimal import Decimal
from functools import reduce
from typing import TypeAlias

import numpy as np
import numpy.typing as npt
import pyarrow as pa
import pyarrow.compute as pc

from streamframes.core.jit.buffers import is_fixed, nulled, numbers, packed, truths
from streamframes.core.sparksql.kernels.choice import picked
from streamframes.core.sparksql.terms import Kernel, Term, Untranslatable, Values, eager, strict
from streamframes.core.sparksql.types import decimals, literals
from streamframes.core.sparksql.types.coercion import coerced, common_type
from streamframes.core.sparksql.types.types import FLOATS, is_decimal, is_exact

Numbers: TypeAlias = npt.NDArray[np.number] | np.number
Mask: TypeAlias = npt.NDArray[np.bool_]
MIRRORED = {"=": "=", "<>": "<>", "<": ">", "<=": ">=", ">": "<", ">=": "<="}
_TEXTS: dict[str, Kernel] = {
    "=": pc.equal,
    "<>": pc.not_equal,
    "<": pc.less,
    "<=": pc.less_equal,
    ">": pc.greater,
    ">=": pc.greater_equal,
}
_FIXED: dict[str, Callable[[Numbers, Numbers], Mask]] = {
    "=": op.eq,
    "<>": op.ne,
    "<": op.lt,
    "<=": op.le,
    ">": op.gt,
    ">=": op.ge,
}
# A NaN is larger than any number that is no NaN, so that what is not below it is above it.
_AGAINST_NUMBER: dict[str, Callable[[Numbers, Numbers], Mask]] = {
    **_FIXED,
    ">": lambda one, number: ~(one <= number),
    ">=": lambda one, number: ~(one < number),
}
_FEW = 12


def _less(one: Numbers, other: Numbers) -> Mask:
    mask: Mask = ~(one >= other) & (one == one)
    return mask


def _equal(one: Numbers, other: Numbers) -> Mask:
    mask: Mask = (one == other) | ((one != one) & (other != other))
    return mask


_OF_FLOATS: dict[str, Callable[[Numbers, Numbers], Mask]] = {
    "=": _equal,
    "<>": lambda one, other: ~_equal(one, other),
    "<": _less,
    "<=": lambda one, other: ~_less(other, one),
    ">": lambda one, other: _less(other, one),
    ">=": lambda one, other: ~_less(one, other),
}


def _kernel(operator: str, left: Term, right: Term) -> Kernel:
    """How values of one type are compared, of which the left are no constant."""
    if left.type in FLOATS:
        is_number = right.scalar is not None and right.scalar.as_py() == right.scalar.as_py()
        compare = _AGAINST_NUMBER[operator] if is_number else _OF_FLOATS[operator]
    elif is_fixed(left.type):
        compare = _FIXED[operator]
    else:
        return _TEXTS[operator]
    return lambda one, other: packed(compare(numbers(one), numbers(other)), one, other)


def _together(terms: Sequence[Term]) -> list[Term]:
    """Terms of one type, and texts among them read as what they are compared with."""
    if len({term.type for term in terms}) == 1 and not pa.types.is_null(terms[0].type):
        return list(terms)
    read = literals.read_texts(terms)
    kind = common_type([term.type for term in read])
    if pa.types.is_null(kind):
        raise Untranslatable("nothing but nulls are compared")
    return [coerced(term, kind) for term in read]


def _exact_value(term: Term) -> int | Decimal | None:
    """The value of a constant that is compared digit by digit; None for any other term."""
    if term.scalar is None or not is_exact(term.type):
        return None
    value: int | Decimal | None = term.scalar.as_py()
    return value


def compared(operator: str, left: Term, right: Term) -> Term:
    """A comparison; null where an operand is null."""
    if left.scalar is not None and right.scalar is None:
        return compared(MIRRORED[operator], right, left)
    exact = None if left.type == right.type else _exact_value(right)
    if exact is not None and is_exact(left.type) and left.scalar is None:
        _check_width(left, right)
        return _against(operator, left, decimals.bounds(exact, left.type))
    one, other = _together([left, right])
    return strict(pa.bool_(), _kernel(operator, one, other), one, other)


def _check_width(left: Term, right: Term) -> None:
    """Spark compares in decimals that may have too many digits; of a literal it counts those it has."""
    if is_decimal(left.type) or is_decimal(right.type):
        literal = right.number is not None and not is_decimal(right.type)
        decimals.wider(left.type, decimals.operand_type(right) if literal else right.type)


def _against(operator: str, term: Term, bounds: tuple[int, int]) -> Term:
    """A comparison with a constant that lies between two neighbours of the term's type, or is both of them."""
    (below, above), (least, most) = bounds, decimals.limits(term.type)
    unit = above if operator in ("<", ">=") else below
    if operator in ("=", "<>") and below != above:
        return _always(operator == "<>", term)
    if not least <= unit <= most:
        always = {"=": False, "<>": True, "<": unit > most, "<=": unit > most, ">": unit < least, ">=": unit < least}
        return _always(always[operator], term)
    scalar = decimals.from_units(unit, term.type)
    compare = _kernel(operator, term, term)
    return strict(pa.bool_(), lambda array: compare(array, scalar), term)


def _always(answer: bool, term: Term) -> Term:
    return strict(pa.bool_(), lambda array: packed(np.full(len(array), answer), array), term)


def same(left: Term, right: Term) -> Term:
    """`left <=> right`, never null."""
    one, other = _together([left, right])
    equal = _kernel("=", *((other, one) if other.scalar is None else (one, other)))

    def kernel(one: Values, other: Values) -> pa.Array:
        if any(isinstance(each, pa.Scalar) and not each.is_valid for each in (one, other)):
            return pc.is_null(other if isinstance(one, pa.Scalar) else one)
        found = truths(equal(one, other))
        both = all(isinstance(each, pa.Array) and each.null_count for each in (one, other))
        return pc.or_(found, pc.and_(one.is_null(), other.is_null())) if both else found

    return eager(pa.bool_(), kernel, one, other)


def among(term: Term, choices: Sequence[Term]) -> Term:
    """`term in (choices)`; null where it is not among them but one of them is null."""
    if any(choice.fails for choice in choices):
        raise Untranslatable("a choice of IN may fail")
    first, *others = _together([term, *choices])
    if any(other.scalar is None for other in others):
        return reduce(_or, (compared("=", first, other) for other in others))
    known = [other.scalar for other in others if other.scalar is not None and other.scalar.is_valid]
    has_null = len(known) < len(others)
    if is_exact(term.type) and is_exact(first.type):
        # In the term's own type: a choice that it cannot hold is never met.
        known = _on_grid([scalar.as_py() for scalar in known], term.type)
        first = term

    def kernel(array: pa.Array) -> pa.Array:
        found = _found(array, known)
        return pc.or_kleene(found, pa.scalar(None, pa.bool_())) if has_null else found

    return strict(pa.bool_(), kernel, first)


def _or(one: Term, other: Term) -> Term:
    return eager(pa.bool_(), pc.or_kleene, one, other)


def _on_grid(values: Sequence[int | Decimal], kind: pa.DataType) -> list[pa.Scalar]:
    least, most = decimals.limits(kind)
    bounds = [decimals.bounds(value, kind) for value in values]
    return [decimals.from_units(low, kind) for low, high in bounds if low == high and least <= low <= most]


def _found(array: pa.Array, known: Sequence[pa.Scalar]) -> pa.Array:
    """Whether values are among scalars; null where they are null."""
    if not known:
        return packed(np.zeros(len(array), np.bool_), array)
    if not is_fixed(array.type):
        if len(known) < _FEW // 3:
            return reduce(pc.or_, (pc.equal(array, each) for each in known))
        return nulled(pc.is_in(array, value_set=pa.array([each.as_py() for each in known], array.type)), array)
    values, wanted = numbers(array), [numbers(each) for each in known]
    if len(wanted) < _FEW:
        compare = _OF_FLOATS["="] if any(each != each for each in wanted) else op.eq
        return packed(reduce(op.or_, (compare(values, each) for each in wanted)), array)
    mask = np.isin(values, np.array(wanted, values.dtype))
    if any(each != each for each in wanted):
        mask |= values != values
    return packed(mask, array)


def extreme(terms: Sequence[Term], *, largest: bool) -> Term:
    """`greatest` and `least`: nulls are passed over, and of equals the first is taken."""
    if len(terms) < 2:
        raise Untranslatable("greatest and least need two arguments")
    kind = common_type([term.type for term in terms])
    if pa.types.is_null(kind):
        raise Untranslatable("nothing but nulls are compared")
    beats = _beats(">" if largest else "<", kind)
    operands = [coerced(term, kind) for term in terms]

    def better(best: Values, other: Values) -> Values:
        if isinstance(other, pa.Scalar) and not other.is_valid:
            return best
        if isinstance(best, pa.Scalar) and not best.is_valid:
            return other
        if isinstance(best, pa.Scalar) and isinstance(other, pa.Scalar):
            return better(pa.repeat(best, 1), other)[0]
        wins = pc.or_(truths(beats(other, best)), pc.is_null(best))
        return picked(pc.and_(wins, pc.is_valid(other)), other, best)

    return eager(kind, lambda *data: reduce(better, data), *operands)


def _beats(operator: str, kind: pa.DataType) -> Kernel:
    if not is_fixed(kind):
        return _TEXTS[operator]
    compare = _OF_FLOATS[operator] if kind in FLOATS else _FIXED[operator]
    return lambda one, other: packed(compare(numbers(one), numbers(other)), one, other)
