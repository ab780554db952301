"""Definitions: what a row must satisfy to be a variable, in three parts that all must hold.

  price > 10 and price < PREV(price) and price < avg(A.price)
  ────┬─────     ─────────┬─────────     ─────────┬──────────
   a condition of      computed in order,      asked of each path
   the row: a column   for all rows at once    while it is matched

Parts are the operands of `and`. The largest parts that look at the row alone become columns that the engine of rows
computes; what is left over must be something that can be done with them here.
"""

from __future__ import annotations

from collections.abc import Mapping
from dataclasses import dataclass, field

import pyarrow as pa
from sqlglot import exp

from streamframes.core.patterns.language.columns import Definition, RowColumns, Shifted
from streamframes.core.patterns.language.leaves import CLASSIFIER, Aggregate, Leaf, Navigation
from streamframes.core.patterns.language.reader import LEAF, Reader
from streamframes.core.patterns.language.trees import conjuncts, rewritten
from streamframes.core.sessions.language.operators import NUMBERS, OPERATORS
from streamframes.core.sessions.language.terms import (
    BOOLEAN,
    DOUBLE,
    DURATION,
    INSTANT,
    LONG,
    TEXT,
    Const,
    Event,
    Term,
    Value,
)
from streamframes.core.sparksql import Expression, Untranslatable, translate
from streamframes.core.sparksql.kernels.times import interval_of
from streamframes.core.sparksql.syntax import as_written, parsed, shown
from streamframes.core.sparksql.types.literals import is_number
from streamframes.errors import InvalidArgument

_PLAIN = (exp.Literal, exp.Boolean, exp.Null, exp.Interval)


@dataclass
class Definitions:
    """Reads definitions; gathers the columns, the shifted columns and the leaves that they need.

    In terms, `Event(n)` is the shifted column `inputs[n]`, and `Value(n)` the leaf `leaves[n]`.
    """

    columns: RowColumns
    inputs: dict[Shifted, None] = field(default_factory=dict)
    leaves: dict[Leaf, None] = field(default_factory=dict)
    ticks_per_second: int = 1_000_000

    def read(self, text: str, reader: Reader) -> Definition:
        """The definition that a text says."""
        self.what = reader.what
        found = reader.read(text)
        self.known: Mapping[str, Leaf] = found.leaves
        if not found.leaves:
            return Definition(row=self._condition(found.text))
        try:
            tree = parsed(found.text)
        except Untranslatable as why:
            raise self.wrong(f"{text!r} is not understood: {why}") from why
        row, ordered, history = [], [], None
        for part in conjuncts(tree):
            kinds = {reader.is_current(leaf) and _is_value(leaf) for leaf in self._leaves_in(part)}
            if not kinds:
                row.append(part)
            elif kinds == {True} and (expression := self._ordered(part)) is not None:
                ordered.append(expression)
            else:
                term = self._condition_term(part, reader)
                history = term if history is None else OPERATORS[exp.And].made(exp.And(), (history, term), self._no)
        condition = " AND ".join(f"({shown(part)})" for part in row)
        return Definition(self._condition(condition) if row else None, tuple(ordered), history)

    def wrong(self, why: str) -> InvalidArgument:
        """The error for the definition that is read."""
        return InvalidArgument(f"{self.what}: {why}")

    def _no(self, why: str) -> InvalidArgument:
        return self.wrong(why)

    def _condition(self, text: str) -> int:
        number = self.columns.number(text, self.what)
        if self.columns.type(number) != pa.bool_():
            raise self.wrong(f"{text!r} is no condition; write a comparison like 'price < PREV(price)'")
        return number

    def _leaves_in(self, node: exp.Expression) -> list[Leaf]:
        return [self.known[column.name] for column in node.find_all(exp.Column) if column.name in self.known]

    def _ordered(self, part: exp.Expression) -> Expression | None:
        """A condition over shifted columns for all rows at once, if it can be computed exactly."""
        schema: dict[str, pa.DataType] = {}

        def replaced(node: exp.Expression) -> exp.Expression:
            leaf = self.known.get(node.name) if isinstance(node, exp.Column) else None
            if leaf is None and (self._leaves_in(node) or not node.find(exp.Column)):
                return node
            what, shift = (leaf.what, leaf.shift) if isinstance(leaf, Navigation) else (shown(node), 0)
            shifted = Shifted(self.columns.number(what, self.what), shift)
            schema[shifted.name] = self.columns.type(shifted.column)
            return exp.column(shifted.name)

        tree = rewritten(part.copy(), replaced)
        try:
            expression = translate(shown(tree), pa.schema(list(schema.items())))
        except Untranslatable:
            return None
        if expression.type != pa.bool_():
            raise self.wrong(f"{as_written(part)!r} is no condition")
        return expression

    def _condition_term(self, part: exp.Expression, reader: Reader) -> Term:
        term = self._term(part, reader)
        if term.type != BOOLEAN:
            raise self.wrong(f"{self._spelled(part)!r} is no condition")
        return term

    def _term(self, node: exp.Expression, reader: Reader) -> Term:
        """What a node stands for while a match is sought."""
        if isinstance(node, exp.Paren):
            return self._term(node.this, reader)
        if isinstance(node, _PLAIN) or (isinstance(node, exp.Neg) and isinstance(node.this, exp.Literal)):
            return self._literal(node)
        if isinstance(node, exp.Column) and node.name in self.known:
            return self._leaf(self.known[node.name], reader)
        if not self._leaves_in(node):
            return self._input(shown(node), 0)
        operator = OPERATORS.get(type(node))
        if operator is None:
            raise self.wrong(
                f"{self._spelled(node)!r} is more than can be done with the rows of a match; use comparisons, "
                "+ - * / %, and, or, not, is null, between, in, coalesce"
            )
        return operator.made(node, [self._term(part, reader) for part in operator.parts(node, self._no)], self._no)

    def _leaf(self, leaf: Leaf, reader: Reader) -> Term:
        if isinstance(leaf, Navigation) and leaf.what != CLASSIFIER:
            if reader.is_current(leaf):
                return self._input(leaf.what, leaf.shift)
            kind = self._input(leaf.what, 0).type
        elif isinstance(leaf, Navigation):
            if leaf.shift and (leaf.mask != -1 or leaf.is_first or leaf.shift > 0):
                raise self.wrong("CLASSIFIER in PREV or NEXT of a variable is not known; use LAST(CLASSIFIER(), n)")
            leaf = Navigation(leaf.mask, leaf.is_first, leaf.offset - leaf.shift, 0, CLASSIFIER)
            kind = TEXT
        elif isinstance(leaf, Aggregate):
            kind = self._aggregate(leaf)
        else:
            kind = LONG
        self.leaves[leaf] = None
        return Value(list(self.leaves).index(leaf), kind)

    def _aggregate(self, leaf: Aggregate) -> str:
        """The type of an aggregate that is asked of a path."""
        if leaf.function not in ("count", "sum", "avg", "min", "max") or leaf.what.endswith("()"):
            raise self.wrong(f"{leaf.function}() of {leaf.what} is not known in a definition; use it in measures")
        if leaf.what == "*" or leaf.function == "count":
            if leaf.what != "*":
                self._input(leaf.what, 0)
            return LONG
        kind = self._input(leaf.what, 0).type
        if kind not in (LONG, DOUBLE, INSTANT) or (kind == INSTANT and leaf.function in ("sum", "avg")):
            raise self.wrong(f"{leaf.function}() of {leaf.what!r} needs numbers; cast it to double")
        return DOUBLE if leaf.function == "avg" else kind

    def input_of(self, leaf: Navigation | Aggregate) -> int:
        """The input that a leaf reads, or -1."""
        if leaf.what in ("*", CLASSIFIER):
            return -1
        shifted = Shifted(self.columns.number(leaf.what, self.what), 0)
        return list(self.inputs).index(shifted)

    def _input(self, text: str, shift: int) -> Event:
        shifted = Shifted(self.columns.number(text, self.what), shift)
        self.inputs[shifted] = None
        kind = _kind_of(self.columns.type(shifted.column))
        if kind is None:
            spelled = f"{text!r} of type {self.columns.type(shifted.column)}"
            raise self.wrong(f"{spelled} cannot be compared with other rows of a match; cast it to double or string")
        return Event(list(self.inputs).index(shifted), kind)

    def _literal(self, node: exp.Expression) -> Const:
        if isinstance(node, exp.Neg):
            inner = self._literal(node.this)
            if isinstance(inner.value, str) or inner.value is None or inner.type not in NUMBERS:
                raise self.wrong(f"{shown(node)!r} is no number")
            return Const(-inner.value, inner.type)
        interval = interval_of(node) if isinstance(node, exp.Interval) else None
        if interval is not None:
            return Const(interval.micros, DURATION)
        if isinstance(node, exp.Boolean):
            return Const(int(bool(node.this)), BOOLEAN)
        if isinstance(node, exp.Null):
            return Const(None, BOOLEAN)
        if node.args.get("is_string"):
            return Const(node.name, TEXT)
        if not is_number(node.name):
            raise self.wrong(f"{shown(node)!r} is no plain number")
        return Const(int(node.name), LONG) if node.name.isdigit() else Const(float(node.name), DOUBLE)

    def _spelled(self, node: exp.Expression) -> str:
        """A part as text, with what its leaves are of."""
        text = as_written(node)
        return text if LEAF not in text else f"{text} (where {LEAF}n are the parts over other rows)"


def _is_value(leaf: Leaf) -> bool:
    return isinstance(leaf, Navigation) and leaf.what != CLASSIFIER


def _kind_of(kind: pa.DataType) -> str | None:
    """What values of a column are to terms; None if they cannot be used."""
    if pa.types.is_boolean(kind):
        return BOOLEAN
    if pa.types.is_integer(kind) or pa.types.is_date32(kind):
        return LONG
    if pa.types.is_floating(kind):
        return DOUBLE
    if pa.types.is_timestamp(kind):
        return INSTANT
    return TEXT if pa.types.is_string(kind) else None
