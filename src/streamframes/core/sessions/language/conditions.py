"""Conditions and expressions of sessions as terms.

  event_type = 104 or Call.count(ATT) > 4
  ────────┬───────    ───────┬───────
   a column, left to     state, for the
   the engine of rows    engine of sessions

The largest parts that name no state are columns. What is left must be something the engine of sessions can do: see
`operators`.
"""

from __future__ import annotations

from sqlglot import exp

from streamframes.core.sessions.language.aggregates import Aggregate, Parser
from streamframes.core.sessions.language.operators import NUMBERS, OPERATORS
from streamframes.core.sessions.language.symbols import Symbols
from streamframes.core.sessions.language.terms import BOOLEAN, DOUBLE, DURATION, LONG, TEXT, Const, Term, a
from streamframes.core.sparksql.kernels.times import interval_of
from streamframes.core.sparksql.syntax import parsed, shown
from streamframes.core.sparksql.terms import Untranslatable
from streamframes.core.sparksql.types.literals import is_number
from streamframes.errors import InvalidArgument

_HIDDEN = "__sf_aggregate_"
_WITHOUT_NAMES = (exp.Literal, exp.Boolean, exp.Null, exp.Interval)


class Reader:
    """Reads texts that belong to a class; `own` says whether they may name the state of its own sessions."""

    def __init__(self, symbols: Symbols, cls: int, what: str, *, own: bool = True) -> None:
        self.symbols = symbols
        self.cls = cls
        self.what = what
        self.own = own
        self.aggregates: dict[str, Aggregate] = {}

    def read(self, text: object) -> Term:
        """The term of a text; what is no text is an expression of the engine of rows."""
        if not isinstance(text, str):
            return self.symbols.event(text, self.what)
        hidden = self._hide_aggregates(text)
        try:
            tree = parsed(hidden)
        except Untranslatable as error:
            if self.aggregates:
                raise self.wrong(f"{text!r} is not understood") from error
            return self.symbols.event(text, self.what)
        if not self.has_state(tree):
            return self.symbols.event(text, self.what)
        return self.term(tree)

    def condition(self, text: object) -> Term:
        """A term that is true, false or null."""
        term = self.read(text)
        if term.type != BOOLEAN:
            raise self.wrong(f"{text!r} is {a(term.type)}; write a condition like 'event_type = 104'")
        return term

    def wrong(self, reason: str) -> InvalidArgument:
        """The error for this text."""
        return InvalidArgument(f"{self.what}: {reason}")

    def _hide_aggregates(self, text: str) -> str:
        """The text with a name in the place of each aggregate or attribute, so that the rest is ordinary SQL."""
        parser = Parser(text, self.symbols.names)
        pieces, done, at = [], 0, 0
        end = len(parser.tokens)
        while at < end:
            if parser.begins(at, end):
                aggregate, after = parser.aggregate(at, end)
                name = f"{_HIDDEN}{len(self.aggregates)}"
                self.aggregates[name] = aggregate
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
        if column.name in self.aggregates:
            return True
        if table:
            return table == "opening"
        if self.symbols.has_column(column.name):
            return False
        known = self.symbols.has_state(self.cls, column.name)
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
            return self.symbols.event(shown(node), self.what)
        if isinstance(node, exp.Column):
            return self.state(node)
        operator = OPERATORS.get(type(node))
        if operator is None:
            raise self.wrong(
                f"{shown(node)!r} is more than can be done with the state of a session; use comparisons, + - * / %, "
                f"and, or, not, is null, between, in, coalesce, or keep a part of it as an attribute"
            )
        return operator.made(node, [self.term(part) for part in operator.parts(node, self.wrong)], self.wrong)

    def state(self, column: exp.Column) -> Term:
        """The state that a name stands for."""
        if column.name in self.aggregates:
            aggregate = self.aggregates[column.name]
            return self.seen(self.symbols.aggregate(aggregate), aggregate.text)
        if column.table.lower() == "opening":
            if not self.own:
                raise self.wrong(f"{shown(column)!r} is not known before the session is open; name the column itself")
            return self.symbols.value(self.symbols.opening(self.cls, column.name, self.what))
        term = self.symbols.state(self.cls, column.name)
        if term is None:
            raise self.wrong(f"{shown(column)!r} is nothing that {self.symbols.names[self.cls]} knows")
        return term

    def seen(self, node: int, text: str) -> Term:
        """The value of a node, if it is in sight."""
        self.check_seen(self.symbols.nodes[node].cls, text)
        return self.symbols.value(node)

    def check_seen(self, cls: int, text: str) -> None:
        """Refuse the state of sessions that are not known here."""
        path = self.symbols.path(self.cls)
        if not self.own:
            path = path[1:]
        if cls not in path:
            names = [self.symbols.names[each] for each in path]
            known = f"the classes that can be seen from there are {', '.join(names)}" if names else "no session is open"
            raise self.wrong(f"{text!r} is the state of {self.symbols.names[cls]}; {known}")

    def literal(self, node: exp.Expression) -> Const:
        """A number, a text, a truth value, null, or an interval."""
        if isinstance(node, exp.Neg):
            inner = self.literal(node.this)
            if isinstance(inner.value, str) or inner.value is None or inner.type not in NUMBERS:
                raise self.wrong(f"{shown(node)!r} is no number")
            return Const(-inner.value, inner.type)
        interval = interval_of(node) if isinstance(node, exp.Interval) else None
        if interval is not None:
            return Const(self.symbols.ticks(interval.micros, shown(node)), DURATION)
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
