"""Values: the small languages of option values, such as `sum(volume) >= 25` or `y=0,10,25`.

Expressions are Spark SQL and stay as the user wrote them; they are read with sqlglot, never cut by hand.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Sequence
from dataclasses import dataclass
from typing import TypeVar, overload

import sqlglot
from sqlglot import Token, TokenType, exp
from sqlglot.errors import SqlglotError

from streamframes.errors import InvalidArgument

Value = TypeVar("Value")

OPERATORS = {TokenType.LT: "<", TokenType.LTE: "<=", TokenType.GT: ">", TokenType.GTE: ">="}
_COMPARISONS = (exp.LT, exp.LTE, exp.GT, exp.GTE)
_OPENING = (TokenType.L_PAREN, TokenType.L_BRACKET, TokenType.CASE)
_CLOSING = (TokenType.R_PAREN, TokenType.R_BRACKET, TokenType.END)


@dataclass(frozen=True)
class Comparison:
    """An expression, an operator and the number it is compared with."""

    left: str
    op: str
    x: int | float


def comparison(text: str, option: str, example: str) -> Comparison:
    """Split `expression op number` at its outermost comparison.

    >>> comparison("sum(volume) >= 25", "--aggregate", "")
    Comparison(left='sum(volume)', op='>=', x=25)
    """
    tree, tokens = _tree(text), _tokens(text)
    place = _last(tokens, OPERATORS)
    if place is not None and isinstance(tree, _COMPARISONS):
        x = number(text[place.end + 1 :])
        if x is not None:
            return Comparison(text[: place.start].strip(), OPERATORS[place.token_type], x)
    raise InvalidArgument(
        f"{option} {text!r} is not a comparison of an expression with a number; write it like {example!r}"
    )


def grid_lines(text: str) -> tuple[str, int | float | list[int | float]]:
    """Split `expression=step` or `expression=line,line,...`; a comma makes breakpoints.

    >>> grid_lines("x=4.25"), grid_lines("abs(y)=0,10,25")
    (('x', 4.25), ('abs(y)', [0, 10, 25]))
    """
    place = _last(_tokens(text), (TokenType.EQ,))
    pieces = [] if place is None else text[place.end + 1 :].rstrip(" ,").split(",")
    found = [x for x in map(number, pieces) if x is not None]
    if place is None or not found or len(found) < len(pieces):
        raise InvalidArgument(
            f"--boundary {text!r} names no lines; write a step like 'x=4.25' or rising lines like 'y=0,10,25'"
        )
    several = "," in text[place.end + 1 :]
    return text[: place.start].strip(), found if several else found[0]


def named(texts: Iterable[str], option: str, example: str) -> dict[str, str]:
    """Read `name=expression` pairs.

    >>> named(["worst=max(drop_pct)"], "--agg", "")
    {'worst': 'max(drop_pct)'}
    """
    pairs: dict[str, str] = {}
    for text in texts:
        name, found, expression = (part.strip() for part in text.partition("="))
        if not found or not name.isidentifier() or not expression:
            raise InvalidArgument(f"{option} {text!r} is not name=expression; write it like {example!r}")
        if name in pairs:
            raise InvalidArgument(f"{option} names {name!r} twice; each name may be used once")
        pairs[name] = expression
    return pairs


def number(text: str) -> int | float | None:
    """A whole number if it is one, else a decimal number, else nothing."""
    for kind in (int, float):
        try:
            return kind(text.strip())
        except ValueError:
            continue
    return None


def one_or_all(values: Sequence[Value]) -> Value | list[Value]:
    """What stands for every dimension, or one for each.

    >>> one_or_all([2.0]), one_or_all(["x", "y"])
    (2.0, ['x', 'y'])
    """
    return list(values) if len(values) > 1 else values[0]


@overload
def duration(text: str) -> str | int | float: ...
@overload
def duration(text: None) -> None: ...
@overload
def duration(text: str | None) -> str | int | float | None: ...
def duration(text: str | None) -> str | int | float | None:
    """A plain number is a duration in the unit of an integer ts; anything else has units."""
    if text is None:
        return None
    plain = number(text)
    return text if plain is None else plain


def columns_in(text: str) -> list[str]:
    """The columns that an expression names, in the order in which they are written.

    >>> columns_in("drop_pct > 0.3 AND abs(load) > 2")
    ['drop_pct', 'load']
    """
    tree = _tree(text)
    found = () if tree is None else tree.find_all(exp.Column, bfs=False)
    return list(dict.fromkeys(column.name for column in found))


def levels_in(text: str, column: str) -> list[float]:
    """The numbers that a condition compares a column with.

    >>> levels_in("drop_pct > 0.3 AND load < 9", "drop_pct"), levels_in("2 <= abs(v)", "abs(v)")
    ([0.3], [2.0])
    """
    tree, wanted = _tree(text), _tree(column)
    if tree is None or wanted is None:
        return []
    levels = [number(other.sql()) for one, other in _compared(tree) if one == wanted]
    return [float(level) for level in levels if level is not None]


def worst_in(text: str, column: str) -> str:
    """Whether a condition is about low values of a column, or about high ones.

    >>> worst_in("speed < 20 AND lane = 1", "speed"), worst_in("3 <= loss", "loss"), worst_in("a", "b")
    ('low', 'high', 'low')
    """
    tree, wanted = _tree(text), _tree(column)
    for each in () if tree is None else _comparisons(tree):
        if wanted in (each.left, each.right):
            return "high" if isinstance(each, exp.GT | exp.GTE) == (each.left == wanted) else "low"
    return "low"


def _compared(tree: exp.Expr) -> Iterator[tuple[exp.Expr, exp.Expr]]:
    for each in tree.find_all(*_COMPARISONS, exp.EQ, exp.Between, bfs=False):
        if isinstance(each, exp.Between):
            yield each.this, each.args["low"]
            yield each.this, each.args["high"]
        elif isinstance(each, exp.Binary):
            yield each.left, each.right
            yield each.right, each.left


def _comparisons(tree: exp.Expr) -> Iterator[exp.Binary]:
    for each in tree.find_all(*_COMPARISONS, bfs=False):
        if isinstance(each, exp.Binary):
            yield each


def _tree(text: str) -> exp.Expr | None:
    try:
        return sqlglot.parse_one(text, read="spark")
    except SqlglotError:
        return None


def _tokens(text: str) -> Sequence[Token]:
    try:
        return sqlglot.tokenize(text, read="spark")
    except SqlglotError:
        return ()


def _last(tokens: Sequence[Token], kinds: Iterable[TokenType]) -> Token | None:
    depth, found, wanted = 0, None, set(kinds)
    for token in tokens:
        depth += (token.token_type in _OPENING) - (token.token_type in _CLOSING)
        if depth == 0 and token.token_type in wanted:
            found = token
    return found
