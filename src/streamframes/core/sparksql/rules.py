"""Rules: what each node of a tree means. They say how it is written; the kernels say what is computed."""

from __future__ import annotations

from collections.abc import Callable
from decimal import Decimal

import pyarrow as pa
from sqlglot import exp

from streamframes.core.sparksql.functions import FUNCTIONS, between
from streamframes.core.sparksql.kernels import arithmetic, comparison, logic, texts, times
from streamframes.core.sparksql.syntax import BITS, COMPARISONS, as_written
from streamframes.core.sparksql.terms import Term, Untranslatable, constant
from streamframes.core.sparksql.translate import Reader, Rule, Rules
from streamframes.core.sparksql.types import literals
from streamframes.core.sparksql.types.casts import cast
from streamframes.core.sparksql.types.types import NUMBERS

_DATA_TYPE = exp.DataType.Type
_TYPES = {
    _DATA_TYPE.BOOLEAN: pa.bool_(),
    _DATA_TYPE.TINYINT: pa.int8(),
    _DATA_TYPE.SMALLINT: pa.int16(),
    _DATA_TYPE.INT: pa.int32(),
    _DATA_TYPE.BIGINT: pa.int64(),
    _DATA_TYPE.FLOAT: pa.float32(),
    _DATA_TYPE.DOUBLE: pa.float64(),
}
_READ_FROM_TEXT = {
    _DATA_TYPE.DATE: pa.date32(),
    _DATA_TYPE.TIMESTAMP: literals.INSTANT,
    _DATA_TYPE.TIMESTAMPTZ: literals.INSTANT,
    _DATA_TYPE.TIMESTAMPLTZ: literals.INSTANT,
    _DATA_TYPE.TIMESTAMPNTZ: literals.LOCAL,
}


def _literal(reader: Reader, node: exp.Expression) -> Term:
    if node.args.get("is_string"):
        return constant(node.name, pa.string())
    return literals.number(node.name)


def _cast(reader: Reader, node: exp.Expression) -> Term:
    wanted, inner = node.args["to"], node.this
    # TRY_CAST, which yields null; a plain cast is the same node without `safe`.
    if not node.args.get("safe"):
        if isinstance(inner, exp.Literal) and inner.is_string and wanted.this in _READ_FROM_TEXT:
            return literals.temporal(inner.name, _READ_FROM_TEXT[wanted.this])
        if isinstance(inner, exp.Literal) and wanted.this == _DATA_TYPE.DECIMAL:
            return literals.decimal(inner.name, [each.name for each in wanted.expressions])
        if wanted.this in _TYPES and not wanted.expressions:
            kind = _TYPES[wanted.this]
            exact = isinstance(inner, exp.Literal) and not inner.is_string and kind in NUMBERS
            if exact and literals.is_number(inner.name, exact=True):
                return literals.exact_as(Decimal(inner.name), kind)
            return cast(reader.term(inner), kind)
    raise Untranslatable(f"{as_written(node)} is left to Spark")


def _sum(reader: Reader, node: exp.Expression) -> Term:
    """`+` and `-`: of numbers, of instants and intervals, of dates and days."""
    constant_interval = times.interval_of(node)
    if constant_interval is not None:
        return times.duration(constant_interval)
    minus = isinstance(node, exp.Sub)
    interval = times.interval_of(node.expression)
    if interval is not None:
        micros = -interval.micros if minus else interval.micros
        return times.moved(reader.operand(node.this), times.Interval(micros, interval.whole_days))
    interval = None if minus else times.interval_of(node.this)
    if interval is not None:
        return times.moved(reader.operand(node.expression), interval)
    return _sum_of_terms(reader.operand(node.this), reader.operand(node.expression), minus)


def _sum_of_terms(left: Term, right: Term, minus: bool) -> Term:
    if pa.types.is_date(left.type) and not pa.types.is_date(right.type):
        return times.days_later(left, right, -1 if minus else 1)
    if pa.types.is_date(right.type) and not minus:
        return times.days_later(right, left)
    if pa.types.is_temporal(left.type) and minus:
        return times.between(left, right)
    return arithmetic.subtracted(left, right) if minus else arithmetic.added(left, right)


def _negative(reader: Reader, node: exp.Expression) -> Term:
    interval = times.interval_of(node)
    if interval is not None:
        return times.duration(interval)
    if isinstance(node.this, exp.Literal) and literals.is_number(node.this.name):
        # A literal of its own: without its sign the smallest long would be too large.
        return literals.number("-" + node.this.name)
    return arithmetic.negated(reader.operand(node.this))


def _interval(reader: Reader, node: exp.Expression) -> Term:
    interval = times.interval_of(node)
    if interval is None:
        raise Untranslatable(f"{as_written(node)} is no interval")
    return times.duration(interval)


def _is(reader: Reader, node: exp.Expression) -> Term:
    operand = reader.operand(node.this)
    if isinstance(node.expression, exp.Null):
        return logic.is_null(operand)
    if isinstance(node.expression, exp.Boolean):
        return comparison.same(logic.condition(operand), reader.term(node.expression))
    raise Untranslatable(f"{as_written(node)} is left to Spark")


def _between(reader: Reader, node: exp.Expression) -> Term:
    value = reader.operand(node.this)
    low, high = reader.operand(node.args["low"]), reader.operand(node.args["high"])
    return between(value, low, high)


def _among(reader: Reader, node: exp.Expression) -> Term:
    return comparison.among(reader.operand(node.this), [reader.term(each) for each in node.expressions])


def _case(reader: Reader, node: exp.Expression) -> Term:
    subject = None if node.this is None else reader.term(node.this)
    branches = []
    for branch in node.args["ifs"]:
        when = reader.term(branch.this)
        when = when if subject is None else comparison.compared("=", subject, when)
        branches.append((when, reader.term(branch.args["true"])))
    default = node.args.get("default")
    return logic.chosen(branches, constant(None, pa.null()) if default is None else reader.term(default))


def _binary(make: Callable[[Term, Term], Term]) -> Rule:
    return lambda reader, node: make(reader.operand(node.this), reader.operand(node.expression))


def _comparison(operator: str) -> Rule:
    return _binary(lambda left, right: comparison.compared(operator, left, right))


def _bits(operator: str) -> Rule:
    """Operators of bits; sqlglot reads them from left to right, Spark & before ^ before |."""

    def read(reader: Reader, node: exp.Expression) -> Term:
        for operand in (node.this, node.expression):
            if type(operand) in BITS and type(operand) is not type(node):
                raise Untranslatable(f"{as_written(operand)} needs parentheses")
        return arithmetic.bits(operator, reader.operand(node.this), reader.operand(node.expression))

    return read


def _like(reader: Reader, node: exp.Expression) -> Term:
    found = texts.like(reader.operand(node.this), reader.operand(node.expression))
    return logic.negation(found) if node.args.get("negate") else found


def _distinct(left: Term, right: Term) -> Term:
    return logic.negation(comparison.same(left, right))


RULES: Rules = {
    exp.Column: (lambda reader, node: reader.column(node.name), "this"),
    exp.Paren: (lambda reader, node: reader.term(node.this), "this"),
    exp.Literal: (_literal, "this is_string"),
    exp.Boolean: (lambda reader, node: constant(bool(node.this), pa.bool_()), "this"),
    exp.Null: (lambda reader, node: constant(None, pa.null()), ""),
    exp.Cast: (_cast, "this to"),
    exp.TryCast: (_cast, "this to"),
    exp.Interval: (_interval, "this unit"),
    exp.Add: (_sum, "this expression"),
    exp.Sub: (_sum, "this expression"),
    exp.Mul: (_binary(arithmetic.multiplied), "this expression"),
    exp.Div: (_binary(arithmetic.divided), "this expression"),
    exp.IntDiv: (_binary(arithmetic.whole_quotient), "this expression"),
    exp.Mod: (_binary(arithmetic.remainder), "this expression"),
    exp.Neg: (_negative, "this"),
    exp.BitwiseNot: (lambda reader, node: arithmetic.inverted_bits(reader.operand(node.this)), "this"),
    exp.And: (lambda reader, node: logic.both(reader.term(node.this), reader.term(node.expression)), "this expression"),
    exp.Or: (
        lambda reader, node: logic.either(reader.term(node.this), reader.term(node.expression)),
        "this expression",
    ),
    exp.Not: (lambda reader, node: logic.negation(reader.term(node.this)), "this"),
    exp.NullSafeEQ: (_binary(comparison.same), "this expression"),
    exp.NullSafeNEQ: (_binary(_distinct), "this expression"),
    exp.Is: (_is, "this expression"),
    exp.Between: (_between, "this low high"),
    exp.In: (_among, "this expressions"),
    exp.Like: (_like, "this expression negate"),
    exp.Case: (_case, "this ifs default"),
    **{node: (_comparison(operator), "this expression") for node, operator in COMPARISONS.items()},
    exp.BitwiseLeftShift: (_binary(arithmetic.shifted), "this expression"),
    **{node: (_bits(operator), "this expression") for node, operator in BITS.items()},
    **FUNCTIONS,
}
