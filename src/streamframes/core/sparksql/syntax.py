"""Syntax: expressions as the trees of sqlglot, and what is read differently there than in Spark."""

from __future__ import annotations

import sqlglot
from sqlglot import exp

from streamframes.core.sparksql.terms import Untranslatable

COMPARISONS: dict[type, str] = {
    exp.EQ: "=",
    exp.NEQ: "<>",
    exp.LT: "<",
    exp.LTE: "<=",
    exp.GT: ">",
    exp.GTE: ">=",
}
# sqlglot binds these differently from Spark where one stands in another without parentheses.
PREDICATES = (
    *COMPARISONS,
    exp.NullSafeEQ,
    exp.NullSafeNEQ,
    exp.Between,
    exp.In,
    exp.Is,
    exp.Like,
    exp.Not,
    exp.And,
    exp.Or,
)
BITS: dict[type, str] = {exp.BitwiseAnd: "&", exp.BitwiseOr: "|", exp.BitwiseXor: "^"}


def parsed(text: str) -> exp.Expression:
    """The tree of an expression."""
    if "\\" in text:
        raise Untranslatable(f"{text!r} has a backslash, which is left to Spark")
    try:
        tree = sqlglot.parse_one(text, read="spark")
    except sqlglot.errors.SqlglotError as error:
        raise Untranslatable(f"{text!r} is not understood as an expression") from error
    if not isinstance(tree, exp.Expression):
        raise Untranslatable(f"{text!r} is no expression")
    return tree


def shown(node: exp.Expression) -> str:
    """A node as text, for messages."""
    return node.sql(dialect="spark")


def as_written(node: exp.Expression) -> str:
    """A node as text, with functions in small letters, as most write them."""
    return node.sql(dialect="spark", normalize_functions="lower")
