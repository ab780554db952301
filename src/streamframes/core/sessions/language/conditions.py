"""Reading: conditions and expressions as terms.

  event_type = 104 or Call.count(ATT) > 4
  ────────┬───────    ───────┬───────
   a column, left to     state, for the
   the engine of rows    engine of sessions

The largest parts that name no state are columns. What is left must be something the engine of sessions can do:
comparisons, arithmetic, and, or, not, null tests, between, in, coalesce.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import TYPE_CHECKING, Any

from sqlglot import exp

from streamframes.core.sessions.language.aggregates import Aggregate, Parser
from streamframes.core.sessions.language.terms import BOOLEAN, DOUBLE, DURATION, INSTANT, LONG, TEXT, Const, Op, Term, a
from streamframes.core.sparksql.kernels.times import interval_of
from streamframes.core.sparksql.syntax import COMPARISONS, is_number, parsed, shown
from streamframes.core.sparksql.terms import Untranslatable
from streamframes.errors import InvalidArgument

if TYPE_CHECKING:
    from streamframes.core.sessions.language.resolve import Planner

_HIDDEN = "__sf_aggregate_"
_WITHOUT_NAMES = (exp.Literal, exp.Boolean, exp.Null, exp.Interval)
NUMBERS = (LONG, DOUBLE, DURATION)


class Reader:
    """Reads texts that belong to a class; `own` says whether they may name the state of its own sessions."""

    def __init__(self, planner: Planner, cls: int, what: str, *, own: bool = True) -> None:
        self.planner = planner
        self.cls = cls
        self.what = what
        self.own = own
        self.found: dict[str, Aggregate] = {}

    def read(self, text: Any) -> Term:
        """The term of a text; what is no text is an expression of the engine of rows."""
        if not isinstance(text, str):
            return self.planner.event(text, self.what)
        hidden = self._hide_aggregates(text)
        try:
            tree = parsed(hidden)
        except Untranslatable as error:
            if self.found:
                raise self.wrong(f"{text!r} is not understood") from error
            return self.planner.event(text, self.what)
        if not self.has_state(tree):
            return self.planner.event(text, self.what)
        return self.term(tree)

    def condition(self, text: Any) -> Term:
        """A term that is true, false or null."""
        term = self.read(text)
        if term.type != BOOLEAN:
            raise self.wrong(f"{text!r} is {a(term.type)}; write a condition like 'event_type = 104'")
        return term

    def wrong(self, told: str) -> InvalidArgument:
        """The error for this text."""
        return InvalidArgument(f"{self.what}: {told}")

    def _hide_aggregates(self, text: str) -> str:
        """The text with a name in the place of each aggregate or attribute, so that the rest is ordinary SQL."""
        parser = Parser(text, self.planner.names)
        pieces, done, at = [], 0, 0
        end = len(parser.tokens)
        while at < end:
            if parser.begins(at, end):
                aggregate, after = parser.aggregate(at, end)
                name = f"{_HIDDEN}{len(self.found)}"
                self.found[name] = aggregate
                pieces += [text[done : parser.tokens[at].start], name]
                done, at = parser.tokens[after - 1].end + 1, after
            else:
                at += 1
        return "".join([*pieces, text[done:]])

    def has_state(self, node: exp.Expression) -> bool:
        """Whether anything in it is the state of a session."""
        return any(self.is_state(column) for column in node.find_all(exp.Column))

    def is_state(self, column: exp.Column) -> bool:
        """Whether a name stands for the state of a session: `opening` before it, or no column of that name."""
        table = column.table.lower()
        if column.name in self.found:
            return True
        if table:
            return table == "opening"
        if self.planner.has_column(column.name):
            return False
        known = self.planner.knows(self.cls, column.name)
        if known and not self.own:
            raise self.wrong(f"{column.name!r} is not known before the session is open; name columns of the event")
        return known

    def term(self, node: exp.Expression) -> Term:
        """What a node stands for."""
        if isinstance(node, exp.Paren):
            return self.term(node.this)
        if isinstance(node, _WITHOUT_NAMES) or (isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal)):
            return self.literal(node)
        if not self.has_state(node):
            return self.planner.event(shown(node), self.what)
        if isinstance(node, exp.Column):
            return self.state(node)
        rule = _RULES.get(type(node))
        if rule is None:
            raise self.wrong(
                f"{shown(node)!r} is more than can be done with the state of a session; use comparisons, + - * / %, "
                f"and, or, not, is null, between, in, coalesce, or keep a part of it as an attribute"
            )
        return rule(self, node)

    def state(self, column: exp.Column) -> Term:
        """The state that a name stands for."""
        if column.name in self.found:
            aggregate = self.found[column.name]
            return self.seen(self.planner.aggregate(aggregate), aggregate.text)
        if column.table.lower() == "opening":
            if not self.own:
                raise self.wrong(f"{shown(column)!r} is not known before the session is open; name the column itself")
            return self.planner.value(self.planner.opening(self.cls, column.name, self.what))
        term = self.planner.told(self.cls, column.name)
        if term is None:
            raise self.wrong(f"{shown(column)!r} is nothing that {self.planner.names[self.cls]} knows")
        return term

    def seen(self, node: int, text: str) -> Term:
        """The value of a node, if it is in sight."""
        self.check_seen(self.planner.nodes[node].cls, text)
        return self.planner.value(node)

    def check_seen(self, cls: int, text: str) -> None:
        """Refuse the state of sessions that are not known here."""
        path = self.planner.path(self.cls)
        if not self.own:
            path = path[1:]
        if cls not in path:
            names = [self.planner.names[each] for each in path]
            known = f"the classes that can be seen from there are {', '.join(names)}" if names else "no session is open"
            raise self.wrong(f"{text!r} is the state of {self.planner.names[cls]}; {known}")

    def literal(self, node: exp.Expression) -> Term:
        """A number, a text, a truth value, null, or an interval."""
        if isinstance(node, exp.Neg):
            inner = self.literal(node.this)
            if not isinstance(inner, Const) or inner.type not in NUMBERS:
                raise self.wrong(f"{shown(node)!r} is no number")
            return Const(-inner.value, inner.type)
        interval = interval_of(node) if isinstance(node, exp.Interval) else None
        if interval is not None:
            return Const(self.planner.ticks(interval.micros, shown(node)), DURATION)
        if isinstance(node, exp.Boolean):
            return Const(int(bool(node.this)), BOOLEAN)
        if isinstance(node, exp.Null):
            return Const(None, BOOLEAN)
        if node.args.get("is_string"):
            return Const(node.name, TEXT)
        if not is_number(node.name):
            raise self.wrong(f"{shown(node)!r} is no plain number")
        whole = node.name.isdigit()
        return Const(int(node.name), LONG) if whole else Const(float(node.name), DOUBLE)

    def both(self, node: exp.Expression) -> tuple[Term, Term]:
        """Both sides of an operator, of one type: doubles where one is, and where a duration meets a number."""
        left, right = self.term(node.this), self.term(node.expression)
        return self.alike(left, right, shown(node))

    def alike(self, left: Term, right: Term, text: str) -> tuple[Term, Term]:
        """Two terms as one type."""
        if left.type == right.type:
            return left, right
        if isinstance(left, Const) and left.value is None:
            return Const(None, right.type), right
        if isinstance(right, Const) and right.value is None:
            return left, Const(None, left.type)
        if left.type in NUMBERS and right.type in NUMBERS:
            return as_double(left), as_double(right)
        raise self.wrong(f"{text!r} brings together {a(left.type)} and {a(right.type)}; cast one of them")


def as_double(term: Term) -> Term:
    """A number as a double, durations in seconds."""
    if term.type == DOUBLE:
        return term
    if isinstance(term, Const) and term.type == LONG:
        return Const(float(term.value), DOUBLE)
    return Op("seconds" if term.type == DURATION else "to double", (term,), DOUBLE)


def _compared(name: str, swapped: bool, negated: bool) -> Callable[[Reader, Any], Term]:
    def read(reader: Reader, node: Any) -> Term:
        left, right = reader.both(node)
        if left.type in (TEXT, BOOLEAN) and name != "=":
            raise reader.wrong(f"{shown(node)!r} orders values of type {left.type}; they can only be = or <>")
        if swapped:
            left, right = right, left
        kind = "double" if left.type == DOUBLE else "long"
        term = Op(f"{kind} {name}", (left, right), BOOLEAN)
        return Op("not", (term,), BOOLEAN) if negated else term

    return read


def _arithmetic(name: str) -> Callable[[Reader, Any], Term]:
    def read(reader: Reader, node: Any) -> Term:
        left, right = reader.both(node)
        if name == "-" and left.type == INSTANT:
            return Op("long -", (left, right), DURATION)
        if left.type not in NUMBERS:
            raise reader.wrong(f"{shown(node)!r} calculates with {a(left.type)}; it needs numbers")
        plain = left.type == LONG or (left.type == DURATION and name in "+-")
        if name == "/" or not plain:
            left, right = as_double(left), as_double(right)
        kind = "double" if left.type == DOUBLE else "long"
        return Op(f"{kind} {name}", (left, right), left.type)

    return read


def _logic(name: str) -> Callable[[Reader, Any], Term]:
    def read(reader: Reader, node: Any) -> Term:
        sides = [node.this] if name == "not" else [node.this, node.expression]
        terms = tuple(reader.term(side) for side in sides)
        for term, side in zip(terms, sides, strict=True):
            if term.type != BOOLEAN:
                raise reader.wrong(f"{shown(side)!r} is {a(term.type)}, and no condition")
        return Op(name, terms, BOOLEAN)

    return read


def _is(reader: Reader, node: Any) -> Term:
    if isinstance(node.expression, exp.Null):
        return Op("is null", (reader.term(node.this),), BOOLEAN)
    raise reader.wrong(f"{shown(node)!r} is not understood; write 'is null' or 'is not null'")


def _between(reader: Reader, node: Any) -> Term:
    low = exp.GTE(this=node.this.copy(), expression=node.args["low"].copy())
    high = exp.LTE(this=node.this.copy(), expression=node.args["high"].copy())
    return Op("and", (reader.term(low), reader.term(high)), BOOLEAN)


def _among(reader: Reader, node: Any) -> Term:
    if not node.expressions:
        raise reader.wrong(f"{shown(node)!r} is not understood; write a list of values")
    found: Term | None = None
    for each in node.expressions:
        one = reader.term(exp.EQ(this=node.this.copy(), expression=each.copy()))
        found = one if found is None else Op("or", (found, one), BOOLEAN)
    return found or Const(None, BOOLEAN)


def _coalesce(reader: Reader, node: Any) -> Term:
    terms = [reader.term(each) for each in (node.this, *node.expressions)]
    for i in range(1, len(terms)):
        terms[0], terms[i] = reader.alike(terms[0], terms[i], shown(node))
    kind = terms[0].type
    terms = [as_double(term) if kind == DOUBLE else term for term in terms]
    return Op("coalesce", tuple(terms), kind)


def _negative(reader: Reader, node: Any) -> Term:
    term = reader.term(node.this)
    if term.type not in NUMBERS:
        raise reader.wrong(f"{shown(node)!r} is no number")
    return Op("double neg" if term.type == DOUBLE else "long neg", (term,), term.type)


_ORDERS: Mapping[str, tuple[str, bool, bool]] = {
    "=": ("=", False, False),
    "<>": ("=", False, True),
    "<": ("<", False, False),
    "<=": ("<=", False, False),
    ">": ("<", True, False),
    ">=": ("<=", True, False),
}
_RULES: dict[type, Callable[[Reader, Any], Term]] = {
    exp.And: _logic("and"),
    exp.Or: _logic("or"),
    exp.Not: _logic("not"),
    exp.Is: _is,
    exp.Between: _between,
    exp.In: _among,
    exp.Coalesce: _coalesce,
    exp.Neg: _negative,
    exp.Add: _arithmetic("+"),
    exp.Sub: _arithmetic("-"),
    exp.Mul: _arithmetic("*"),
    exp.Div: _arithmetic("/"),
    exp.Mod: _arithmetic("%"),
    **{node: _compared(*_ORDERS[operator]) for node, operator in COMPARISONS.items()},
}
