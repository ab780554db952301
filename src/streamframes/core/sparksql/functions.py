"""Functions: what each of those that are called by name means."""

from __future__ import annotations

from collections.abc import Callable

import numpy as np
import pyarrow as pa
import pyarrow.compute as pc
from sqlglot import exp

from streamframes.core.jit.buffers import truths
from streamframes.core.sparksql.kernels import arithmetic, comparison, logic, rounding, texts, times
from streamframes.core.sparksql.syntax import as_written
from streamframes.core.sparksql.terms import Term, Untranslatable, constant, eager
from streamframes.core.sparksql.translate import Reader, Rule, Rules
from streamframes.core.sparksql.types.casts import cast
from streamframes.core.sparksql.types.coercion import common_type
from streamframes.core.sparksql.types.types import FLOATS, NUMBERS, spark_name


def _if(reader: Reader, node: exp.Expression) -> Term:
    if node.args.get("false") is None:
        raise Untranslatable("if() needs three arguments")
    when, then = reader.term(node.this), reader.term(node.args["true"])
    return logic.chosen([(when, then)], reader.term(node.args["false"]))


def _null_if(reader: Reader, node: exp.Expression) -> Term:
    value = reader.term(node.this)
    equal = comparison.compared("=", value, reader.term(node.expression))
    return logic.chosen([(equal, constant(None, pa.null()))], value)


def _if_present(reader: Reader, node: exp.Expression) -> Term:
    """`nvl2(a, b, c)`."""
    value, then, otherwise = (reader.term(node.args[each]) for each in ("this", "true", "false"))
    return logic.chosen([(logic.is_present(value), then)], otherwise)


def _is_nan(reader: Reader, node: exp.Expression) -> Term:
    return _nan(reader.term(node.this))


def _nan(term: Term) -> Term:
    if term.type not in FLOATS:
        raise Untranslatable(f"isnan() of {spark_name(term.type)} is left to Spark")
    return eager(pa.bool_(), lambda array: truths(pc.not_equal(array, array)), term)


def _unless_nan(value: Term, other: Term) -> Term:
    """`nanvl(value, other)`."""
    kind = common_type([value.type, other.type])
    if value.type not in FLOATS or other.type not in NUMBERS or (value.type != kind and other.type not in FLOATS):
        raise Untranslatable(f"nanvl() of {spark_name(value.type)} and {spark_name(other.type)} is left to Spark")
    first = cast(value, kind)
    return logic.chosen([(_nan(first), cast(other, kind))], first)


def _rounded(reader: Reader, node: exp.Expression) -> Term:
    decimals = node.args.get("decimals") or exp.Literal.number(0)
    if not isinstance(decimals, exp.Literal) or not decimals.name.isdigit():
        raise Untranslatable(f"{as_written(node)} is left to Spark")
    return rounding.rounded(reader.term(node.this), int(decimals.name))


def _days(reader: Reader, node: exp.Expression) -> Term:
    """`date_add` and `date_sub`; the second is written by sqlglot as `days * -1`."""
    if node.args["unit"].name.upper() != "DAY":
        raise Untranslatable(f"{as_written(node)} is not in days")
    days, sign = node.expression, 1
    if isinstance(days, exp.Mul) and days.expression == exp.Literal.number(-1):
        days, sign = days.this, -1
    return times.days_later(reader.term(node.this), reader.term(days), sign)


def _truncated(reader: Reader, node: exp.Expression) -> Term:
    unit = node.args["unit"].name.lower()
    # sqlglot drops the quotes of a unit, so that it may have been a column.
    if unit in (name.lower() for name in reader.schema.names):
        raise Untranslatable(f"{as_written(node)} may take its unit from a column")
    return times.truncated(reader.term(node.this), unit)


def _of_one(make: Callable[[Term], Term]) -> Rule:
    return lambda reader, node: make(reader.term(node.this))


def _of_two(make: Callable[[Term, Term], Term]) -> Rule:
    return lambda reader, node: make(reader.term(node.this), reader.term(node.expression))


def _found(how: str) -> Callable[[Term, Term], Term]:
    return lambda term, part: texts.found(how, term, part)


_OF_TWO = {
    "nanvl": _unless_nan,
    "startswith": _found("startswith"),
    "endswith": _found("endswith"),
    "contains": _found("contains"),
    "equal_null": comparison.same,
}
_OF_ONE = {"isnull": logic.is_null, "isnotnull": logic.is_present}


def between(value: Term, low: Term, high: Term) -> Term:
    """`value between low and high`."""
    return logic.both(comparison.compared(">=", value, low), comparison.compared("<=", value, high))


def _named(reader: Reader, node: exp.Expression) -> Term:
    """Functions that sqlglot has no node for; which these are depends on its version."""
    name, arguments = node.name.lower(), node.expressions
    if name in _OF_ONE and len(arguments) == 1:
        return _OF_ONE[name](reader.term(arguments[0]))
    if name in _OF_TWO and len(arguments) == 2:
        return _OF_TWO[name](*(reader.term(each) for each in arguments))
    # What Spark has analysed says between(...), which sqlglot takes for the keyword: it comes under another name.
    if name == "is_between" and len(arguments) == 3:
        return between(*(reader.term(each) for each in arguments))
    raise Untranslatable(f"{as_written(node)} is left to Spark")


FUNCTIONS: Rules = {
    exp.Abs: (_of_one(arithmetic.absolute), "this"),
    exp.Floor: (_of_one(lambda term: arithmetic.to_long(term, np.floor)), "this"),
    exp.Ceil: (_of_one(lambda term: arithmetic.to_long(term, np.ceil)), "this"),
    exp.Round: (_rounded, "this decimals"),
    exp.Sqrt: (_of_one(arithmetic.root), "this"),
    exp.Sign: (_of_one(arithmetic.sign), "this"),
    exp.IsNan: (_is_nan, "this"),
    exp.Length: (_of_one(texts.length), "this"),
    exp.If: (_if, "this true false"),
    exp.Coalesce: (lambda reader, node: logic.first_present(reader.terms(node)), "this expressions"),
    exp.Nullif: (_null_if, "this expression"),
    exp.Nvl2: (_if_present, "this true false"),
    exp.Greatest: (lambda reader, node: comparison.extreme(reader.terms(node), largest=True), "this expressions"),
    exp.Least: (lambda reader, node: comparison.extreme(reader.terms(node), largest=False), "this expressions"),
    exp.TsOrDsAdd: (_days, "this expression unit"),
    exp.TimestampTrunc: (_truncated, "this unit"),
    exp.Anonymous: (_named, "this expressions"),
    **{
        getattr(exp, node): (_of_two(_OF_TWO[name]), "this expression")
        for node, name in (
            ("Nanvl", "nanvl"),
            ("StartsWith", "startswith"),
            ("EndsWith", "endswith"),
            ("Contains", "contains"),
            ("EqualNull", "equal_null"),
        )
        if hasattr(exp, node)
    },
}
