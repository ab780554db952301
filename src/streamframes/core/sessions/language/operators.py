"""Operators over the state of sessions: comparisons, arithmetic, logic, null tests, between, in, coalesce.

Each says which parts of its expression are terms, and what it makes of them; types are checked here.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import NamedTuple

from sqlglot import exp

from streamframes.core.sessions.language.terms import BOOLEAN, DOUBLE, DURATION, INSTANT, LONG, TEXT, Const, Op, Term, a
from streamframes.core.sparksql.syntax import COMPARISONS, shown
from streamframes.errors import InvalidArgument

NUMBERS = (LONG, DOUBLE, DURATION)

# The error for a text, with where it stands in front.
Wrong = Callable[[str], InvalidArgument]
Parts = Callable[[exp.Expression, Wrong], list[exp.Expression]]
Made = Callable[[exp.Expression, Sequence[Term], Wrong], Term]


class Operator(NamedTuple):
    """The parts of an expression that are terms, and the term that is made of these."""

    parts: Parts
    made: Made


def as_double(term: Term) -> Term:
    """A number as a double, durations in seconds."""
    if term.type == DOUBLE:
        return term
    if isinstance(term, Const) and term.type == LONG:
        return Const(None if term.value is None else float(term.value), DOUBLE)
    return Op("seconds" if term.type == DURATION else "to double", (term,), DOUBLE)


def alike(left: Term, right: Term, text: str, wrong: Wrong) -> tuple[Term, Term]:
    """Two terms as one type: doubles where one is, and where a duration meets a number."""
    if left.type == right.type:
        return left, right
    if isinstance(left, Const) and left.value is None:
        return Const(None, right.type), right
    if isinstance(right, Const) and right.value is None:
        return left, Const(None, left.type)
    if left.type in NUMBERS and right.type in NUMBERS:
        return as_double(left), as_double(right)
    raise wrong(f"{text!r} brings together {a(left.type)} and {a(right.type)}; cast one of them")


def _one(node: exp.Expression, wrong: Wrong) -> list[exp.Expression]:
    return [node.this]


def _two(node: exp.Expression, wrong: Wrong) -> list[exp.Expression]:
    return [node.this, node.expression]


def _compared(name: str, swapped: bool, negated: bool) -> Operator:
    def made(node: exp.Expression, terms: Sequence[Term], wrong: Wrong) -> Term:
        left, right = alike(terms[0], terms[1], shown(node), wrong)
        if left.type in (TEXT, BOOLEAN) and name != "=":
            raise wrong(f"{shown(node)!r} orders values of type {left.type}; they can only be = or <>")
        if swapped:
            left, right = right, left
        kind = "double" if left.type == DOUBLE else "long"
        term = Op(f"{kind} {name}", (left, right), BOOLEAN)
        return Op("not", (term,), BOOLEAN) if negated else term

    return Operator(_two, made)


def _arithmetic(name: str) -> Operator:
    def made(node: exp.Expression, terms: Sequence[Term], wrong: Wrong) -> Term:
        left, right = alike(terms[0], terms[1], shown(node), wrong)
        if name == "-" and left.type == INSTANT:
            return Op("long -", (left, right), DURATION)
        if left.type not in NUMBERS:
            raise wrong(f"{shown(node)!r} calculates with {a(left.type)}; it needs numbers")
        plain = left.type == LONG or (left.type == DURATION and name in "+-")
        if name == "/" or not plain:
            left, right = as_double(left), as_double(right)
        kind = "double" if left.type == DOUBLE else "long"
        return Op(f"{kind} {name}", (left, right), left.type)

    return Operator(_two, made)


def _logic(name: str) -> Operator:
    parts = _one if name == "not" else _two

    def made(node: exp.Expression, terms: Sequence[Term], wrong: Wrong) -> Term:
        for term, part in zip(terms, parts(node, wrong), strict=True):
            if term.type != BOOLEAN:
                raise wrong(f"{shown(part)!r} is {a(term.type)}, and no condition")
        return Op(name, tuple(terms), BOOLEAN)

    return Operator(parts, made)


def _tested(node: exp.Expression, wrong: Wrong) -> list[exp.Expression]:
    if isinstance(node.expression, exp.Null):
        return [node.this]
    raise wrong(f"{shown(node)!r} is not understood; write 'is null' or 'is not null'")


def _is_null(node: exp.Expression, terms: Sequence[Term], wrong: Wrong) -> Term:
    return Op("is null", tuple(terms), BOOLEAN)


def _bounds(node: exp.Expression, wrong: Wrong) -> list[exp.Expression]:
    low = exp.GTE(this=node.this.copy(), expression=node.args["low"].copy())
    high = exp.LTE(this=node.this.copy(), expression=node.args["high"].copy())
    return [low, high]


def _between(node: exp.Expression, terms: Sequence[Term], wrong: Wrong) -> Term:
    return Op("and", tuple(terms), BOOLEAN)


def _choices(node: exp.Expression, wrong: Wrong) -> list[exp.Expression]:
    if not node.expressions:
        raise wrong(f"{shown(node)!r} is not understood; write a list of values")
    return [exp.EQ(this=node.this.copy(), expression=each.copy()) for each in node.expressions]


def _among(node: exp.Expression, terms: Sequence[Term], wrong: Wrong) -> Term:
    either = terms[0]
    for each in terms[1:]:
        either = Op("or", (either, each), BOOLEAN)
    return either


def _all(node: exp.Expression, wrong: Wrong) -> list[exp.Expression]:
    return [node.this, *node.expressions]


def _coalesce(node: exp.Expression, terms: Sequence[Term], wrong: Wrong) -> Term:
    first, *rest = terms
    for i, each in enumerate(rest):
        first, rest[i] = alike(first, each, shown(node), wrong)
    kind = first.type
    values = [as_double(term) if kind == DOUBLE else term for term in (first, *rest)]
    return Op("coalesce", tuple(values), kind)


def _negative(node: exp.Expression, terms: Sequence[Term], wrong: Wrong) -> Term:
    (term,) = terms
    if term.type not in NUMBERS:
        raise wrong(f"{shown(node)!r} is no number")
    return Op("double neg" if term.type == DOUBLE else "long neg", (term,), term.type)


# By their signs: the name of the operation, whether the operands change places, and whether the result is negated.
_SIGNS: Mapping[str, tuple[str, bool, bool]] = {
    "=": ("=", False, False),
    "<>": ("=", False, True),
    "<": ("<", False, False),
    "<=": ("<=", False, False),
    ">": ("<", True, False),
    ">=": ("<=", True, False),
}
OPERATORS: Mapping[type, Operator] = {
    exp.And: _logic("and"),
    exp.Or: _logic("or"),
    exp.Not: _logic("not"),
    exp.Is: Operator(_tested, _is_null),
    exp.Between: Operator(_bounds, _between),
    exp.In: Operator(_choices, _among),
    exp.Coalesce: Operator(_all, _coalesce),
    exp.Neg: Operator(_one, _negative),
    exp.Add: _arithmetic("+"),
    exp.Sub: _arithmetic("-"),
    exp.Mul: _arithmetic("*"),
    exp.Div: _arithmetic("/"),
    exp.Mod: _arithmetic("%"),
    **{node: _compared(*_SIGNS[sign]) for node, sign in COMPARISONS.items()},
}
