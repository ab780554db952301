"""Rules: what each node of a tree means. They say how it is written; the kernels say what is computed."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from streamframes.core.sql import arithmetic, logic, order, times
from streamframes.core.sql.coercion import FLOATS, cast
from streamframes.core.sql.reader import Reader, Rule, Rules
from streamframes.core.sql.syntax import COMPARISONS, is_number, shown
from streamframes.core.sql.terms import Term, Untranslatable, constant, eager

_TYPES = {
    exp.DataType.Type.BOOLEAN: pa.bool_(),
    exp.DataType.Type.TINYINT: pa.int8(),
    exp.DataType.Type.SMALLINT: pa.int16(),
    exp.DataType.Type.INT: pa.int32(),
    exp.DataType.Type.BIGINT: pa.int64(),
    exp.DataType.Type.FLOAT: pa.float32(),
    exp.DataType.Type.DOUBLE: pa.float64(),
}


def _literal(reader: Reader, node: exp.Expression) -> Term:
    if node.args.get("is_string"):
        return constant(node.name, pa.string())
    if not is_number(node.name):
        raise Untranslatable(f"{node.name} is no plain number")
    return arithmetic.literal(node.name)


def _cast(reader: Reader, node: exp.Expression) -> Term:
    kind = _TYPES.get(node.args["to"].this)
    # TRY_CAST, which yields null; a plain cast is the same node without `safe`.
    if kind is None or node.args.get("safe") or node.args["to"].expressions:
        raise Untranslatable(f"{shown(node)} is left to Spark")
    return cast(reader.term(node.this), kind)


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
    if isinstance(node.this, exp.Literal) and is_number(node.this.name):
        # A literal of its own: without its sign the smallest long would be too large.
        return arithmetic.literal("-" + node.this.name)
    return arithmetic.negated(reader.operand(node.this))


def _interval(reader: Reader, node: exp.Expression) -> Term:
    interval = times.interval_of(node)
    if interval is None:
        raise Untranslatable(f"{shown(node)} is no interval")
    return times.duration(interval)


def _days(reader: Reader, node: exp.Expression) -> Term:
    """`date_add` and `date_sub`; the second is written by sqlglot as `days * -1`."""
    if node.args["unit"].name.upper() != "DAY":
        raise Untranslatable(f"{shown(node)} is not in days")
    days, sign = node.expression, 1
    if isinstance(days, exp.Mul) and days.expression == exp.Literal.number(-1):
        days, sign = days.this, -1
    return times.days_later(reader.term(node.this), reader.term(days), sign)


def _truncated(reader: Reader, node: exp.Expression) -> Term:
    unit = node.args["unit"].name.lower()
    # sqlglot drops the quotes of a unit, so that it may have been a column.
    if unit in (name.lower() for name in reader.schema.names):
        raise Untranslatable(f"{shown(node)} may take its unit from a column")
    return times.truncated(reader.term(node.this), unit)


def _is(reader: Reader, node: exp.Expression) -> Term:
    operand = reader.operand(node.this)
    if isinstance(node.expression, exp.Null):
        return eager(pa.bool_(), pc.is_null, operand)
    if isinstance(node.expression, exp.Boolean):
        return order.same(logic.condition(operand), reader.term(node.expression))
    raise Untranslatable(f"{shown(node)} is left to Spark")


def _between(reader: Reader, node: exp.Expression) -> Term:
    value = reader.operand(node.this)
    low, high = reader.operand(node.args["low"]), reader.operand(node.args["high"])
    return logic.both(order.compared(">=", value, low), order.compared("<=", value, high))


def _among(reader: Reader, node: exp.Expression) -> Term:
    return order.among(reader.operand(node.this), [reader.term(each) for each in node.expressions])


def _case(reader: Reader, node: exp.Expression) -> Term:
    subject = None if node.this is None else reader.term(node.this)
    branches = []
    for branch in node.args["ifs"]:
        when = reader.term(branch.this)
        when = when if subject is None else order.compared("=", subject, when)
        branches.append((when, reader.term(branch.args["true"])))
    default = node.args.get("default")
    return logic.chosen(branches, constant(None, pa.null()) if default is None else reader.term(default))


def _if(reader: Reader, node: exp.Expression) -> Term:
    if node.args.get("false") is None:
        raise Untranslatable("if() needs three arguments")
    when, then = reader.term(node.this), reader.term(node.args["true"])
    return logic.chosen([(when, then)], reader.term(node.args["false"]))


def _null_if(reader: Reader, node: exp.Expression) -> Term:
    value = reader.term(node.this)
    return logic.chosen([(order.compared("=", value, reader.term(node.expression)), constant(None, pa.null()))], value)


def _is_nan(reader: Reader, node: exp.Expression) -> Term:
    term = reader.term(node.this)
    if term.type not in FLOATS:
        raise Untranslatable(f"isnan() of {term.type} is left to Spark")
    return eager(pa.bool_(), lambda array: pc.is_nan(array).fill_null(False), term)


def _rounded(reader: Reader, node: exp.Expression) -> Term:
    decimals = node.args.get("decimals") or exp.Literal.number(0)
    if not isinstance(decimals, exp.Literal) or not decimals.name.isdigit():
        raise Untranslatable(f"{shown(node)} is left to Spark")
    return arithmetic.rounded(reader.term(node.this), int(decimals.name))


def _named(reader: Reader, node: exp.Expression) -> Term:
    """Functions that sqlglot has no node for."""
    name = node.name.lower()
    if name not in ("isnull", "isnotnull") or len(node.expressions) != 1:
        raise Untranslatable(f"{shown(node)} is left to Spark")
    return eager(pa.bool_(), pc.is_null if name == "isnull" else pc.is_valid, reader.term(node.expressions[0]))


def _binary(make: Callable[[Term, Term], Term]) -> Rule:
    return lambda reader, node: make(reader.operand(node.this), reader.operand(node.expression))


def _comparison(operator: str) -> Rule:
    return _binary(lambda left, right: order.compared(operator, left, right))


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
    exp.Mod: (_binary(arithmetic.remainder), "this expression"),
    exp.Neg: (_negative, "this"),
    exp.Abs: (lambda reader, node: arithmetic.absolute(reader.term(node.this)), "this"),
    exp.Floor: (lambda reader, node: arithmetic.to_long(reader.term(node.this), np.floor), "this"),
    exp.Ceil: (lambda reader, node: arithmetic.to_long(reader.term(node.this), np.ceil), "this"),
    exp.Round: (_rounded, "this decimals"),
    exp.IsNan: (_is_nan, "this"),
    exp.And: (lambda reader, node: logic.both(reader.term(node.this), reader.term(node.expression)), "this expression"),
    exp.Or: (
        lambda reader, node: logic.either(reader.term(node.this), reader.term(node.expression)),
        "this expression",
    ),
    exp.Not: (lambda reader, node: logic.negation(reader.term(node.this)), "this"),
    exp.NullSafeEQ: (_binary(order.same), "this expression"),
    exp.Is: (_is, "this expression"),
    exp.Between: (_between, "this low high"),
    exp.In: (_among, "this expressions"),
    exp.Case: (_case, "this ifs default"),
    exp.If: (_if, "this true false"),
    exp.Coalesce: (lambda reader, node: logic.first_present(reader.terms(node)), "this expressions"),
    exp.Nullif: (_null_if, "this expression"),
    exp.Greatest: (lambda reader, node: order.extreme(reader.terms(node), largest=True), "this expressions"),
    exp.Least: (lambda reader, node: order.extreme(reader.terms(node), largest=False), "this expressions"),
    exp.TsOrDsAdd: (_days, "this expression unit"),
    exp.TimestampTrunc: (_truncated, "this unit"),
    exp.Anonymous: (_named, "this expressions"),
    **{node: (_comparison(operator), "this expression") for node, operator in COMPARISONS.items()},
}
