"""Conditions: whether one may hold on any row whose columns lie between bounds.

For each place, a condition may be true, false or null on some row. A comparison is made on the bounds themselves, by
the kernels that compare rows:

  v < 7  may be true   where the lowest v  < 7       may be null   where v may be
         may be false  where the highest v >= 7

`and`, `or` and `not` follow from that. Whatever is not understood may be anything.
"""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass
from functools import reduce
from typing import NamedTuple

import numpy as np
import pyarrow as pa
from sqlglot import exp

from streamframes.core.files.parquet.bounds import Bounds, Mask, unknown
from streamframes.core.sparksql.kernels.comparison import compared
from streamframes.core.sparksql.rules import RULES
from streamframes.core.sparksql.syntax import COMPARISONS, parsed
from streamframes.core.sparksql.terms import Term, Untranslatable
from streamframes.core.sparksql.translate import Reader
from streamframes.core.sparksql.types.types import NUMBERS, is_decimal

OPPOSITE = {"<": ">=", "<=": ">", ">": "<=", ">=": "<", "=": "<>", "<>": "="}
_BETWEEN = "is_between"


@dataclass(frozen=True)
class Condition:
    """Parts that must all hold, as SQL that has been analysed, over the columns of a schema."""

    parts: tuple[str, ...]
    schema: pa.Schema

    def may_hold(self, n: int, bounds: Callable[[str], Bounds | None]) -> Mask:
        """In which of `n` places some row may satisfy all parts; `bounds` knows, or does not know, a column's."""
        found = np.ones(n, np.bool_)
        for part in self.parts:
            found &= _Places(n, self.schema, bounds).outcomes(parsed(part)).true
        return found


class Outcomes(NamedTuple):
    """In which places a condition may be true, false and null on some row."""

    true: Mask
    false: Mask
    null: Mask


class _Operand(NamedTuple):
    """One side of a comparison, which never falls as its column, if it has one, rises."""

    term: Term
    column: str | None


@dataclass(frozen=True)
class _Places:
    n: int
    schema: pa.Schema
    known: Callable[[str], Bounds | None]

    def outcomes(self, node: exp.Expression) -> Outcomes:
        """What a condition may be in each place."""
        try:
            return self._outcomes(node)
        except (Untranslatable, pa.ArrowException):
            return self._anything()

    def _outcomes(self, node: exp.Expression) -> Outcomes:
        if isinstance(node, exp.Paren):
            return self.outcomes(node.this)
        if isinstance(node, exp.Not):
            inner = self.outcomes(node.this)
            return Outcomes(inner.false, inner.true, inner.null)
        if isinstance(node, exp.And):
            return _both(self.outcomes(node.this), self.outcomes(node.expression))
        if isinstance(node, exp.Or):
            return _either(self.outcomes(node.this), self.outcomes(node.expression))
        if isinstance(node, exp.Is) and isinstance(node.expression, exp.Null):
            return self._is_null(node.this)
        if isinstance(node, exp.In) and node.expressions and not node.args.get("query"):
            return reduce(_either, (self._compared("=", node.this, each) for each in node.expressions))
        if isinstance(node, exp.Between):
            return self._between(node.this, node.args["low"], node.args["high"])
        if isinstance(node, exp.Anonymous) and node.name.lower() == _BETWEEN and len(node.expressions) == 3:
            return self._between(*node.expressions)
        if isinstance(node, exp.NullSafeEQ):
            return self._same(node.this, node.expression)
        if type(node) in COMPARISONS:
            return self._compared(COMPARISONS[type(node)], node.this, node.expression)
        if isinstance(node, exp.Column):
            return self._compared("=", node, exp.true())
        return self._anything()

    def _anything(self) -> Outcomes:
        return Outcomes(*(np.ones(self.n, np.bool_) for _ in range(3)))

    def _between(self, value: exp.Expression, low: exp.Expression, high: exp.Expression) -> Outcomes:
        return _both(self._compared(">=", value, low), self._compared("<=", value, high))

    def _is_null(self, node: exp.Expression) -> Outcomes:
        bounds = self._bounds(self._operand(node))
        return Outcomes(bounds.nulls, bounds.values, np.zeros(self.n, np.bool_))

    def _same(self, left: exp.Expression, right: exp.Expression) -> Outcomes:
        """`<=>`: two nulls are the same, and a null is not the same as a value."""
        one, other = (self._bounds(self._operand(each)) for each in (left, right))
        equal = self._compared("=", left, right)
        differ = (one.nulls & other.values) | (one.values & other.nulls)
        return Outcomes(equal.true | (one.nulls & other.nulls), equal.false | differ, np.zeros(self.n, np.bool_))

    def _compared(self, operator: str, left: exp.Expression, right: exp.Expression) -> Outcomes:
        sides = self._operand(left), self._operand(right)
        one, other = (self._bounds(each) for each in sides)
        if sides[0].column == sides[1].column:
            return self._anything()
        values = one.values & other.values
        may = {each: values & self._may(each, sides, one, other) for each in (operator, OPPOSITE[operator])}
        return Outcomes(may[operator], may[OPPOSITE[operator]], one.nulls | other.nulls)

    def _may(self, operator: str, sides: tuple[_Operand, _Operand], one: Bounds, other: Bounds) -> Mask:
        """Where values within the bounds may compare so; where a bound is not known they may."""

        def at(operator: str, left: pa.Array, right: pa.Array) -> pa.Array:
            ends = {side.column: end for side, end in zip(sides, (left, right), strict=True) if side.column is not None}
            batch = pa.RecordBatch.from_arrays(list(ends.values()), [str(name) for name in ends])
            return compared(operator, sides[0].term, sides[1].term).values(batch)

        if operator in ("<", "<="):
            return _mask(at(operator, one.low, other.high), unknown=True)
        if operator in (">", ">="):
            return _mask(at(operator, one.high, other.low), unknown=True)
        if operator == "=":
            return self._may("<=", sides, one, other) & self._may(">=", sides, one, other)
        ends = (at("=", one.low, other.high), at("=", one.high, other.low))
        return ~(_mask(ends[0], unknown=False) & _mask(ends[1], unknown=False))

    def _operand(self, node: exp.Expression) -> _Operand:
        """A constant, a column, or a number of a column in another type."""
        reader = Reader(self.schema, RULES)
        term = reader.term(node)
        if term.scalar is not None:
            return _Operand(term, None)
        inner, is_number = node, True
        while isinstance(inner, exp.Paren | exp.Cast):
            is_number &= _is_number(reader.term(inner).type)
            inner = inner.this
        if not isinstance(inner, exp.Column) or term.fails:
            raise Untranslatable("only columns have bounds")
        (name,) = reader.used
        if not (term.column or (is_number and _is_number(self.schema.field(name).type))):
            raise Untranslatable("only numbers keep their order in another type")
        return _Operand(term, name)

    def _bounds(self, operand: _Operand) -> Bounds:
        if operand.column is None:
            is_value = np.full(self.n, operand.term.scalar is not None and operand.term.scalar.is_valid)
            nothing = pa.nulls(self.n, operand.term.type)
            return Bounds(nothing, nothing, ~is_value, is_value)
        found = self.known(operand.column)
        return unknown(self.n, self.schema.field(operand.column).type) if found is None else found


def _is_number(kind: pa.DataType) -> bool:
    return kind in NUMBERS or is_decimal(kind)


def _both(one: Outcomes, other: Outcomes) -> Outcomes:
    return Outcomes(one.true & other.true, one.false | other.false, one.null | other.null)


def _either(one: Outcomes, other: Outcomes) -> Outcomes:
    return Outcomes(one.true | other.true, one.false & other.false, one.null | other.null)


def _mask(answers: pa.Array, *, unknown: bool) -> Mask:
    return np.asarray(answers.fill_null(unknown).to_numpy(zero_copy_only=False), np.bool_)
