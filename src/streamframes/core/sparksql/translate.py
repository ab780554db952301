"""Reader: turns the nodes of a tree into terms, by rules; a node without a rule is left to Spark."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from dataclasses import dataclass, field

import pyarrow as pa
from sqlglot import exp

from streamframes.core.sparksql.syntax import PREDICATES, as_written
from streamframes.core.sparksql.terms import Term, Untranslatable
from streamframes.core.sparksql.types.types import NUMBERS, is_instant, spark_name

# For each node: who reads it, and which of its parts are known.
Rule = Callable[["Reader", exp.Expression], Term]
Rules = Mapping[type, tuple[Rule, str]]
_WITHOUT_MEANING = {"typed", "safe", "ignore_nulls", "is_nvl", "quoted"}
_TEXTS = (pa.string(), pa.large_string(), pa.string_view())
_PLAIN = (*NUMBERS, pa.bool_(), pa.date32(), pa.timestamp("us"))


class _Located(Untranslatable):
    """A reason that names the part of the expression that it is about."""


@dataclass
class Reader:
    """Turns nodes into terms and remembers which columns they use, in the order of the text."""

    schema: pa.Schema
    rules: Rules
    used: dict[str, None] = field(default_factory=dict)

    def term(self, node: exp.Expression) -> Term:
        """What a node stands for."""
        rule = self.rules.get(type(node))
        if rule is None:
            raise _Located(f"{as_written(node)} is left to Spark")
        read, known = rule
        if not _has_only(node, known):
            raise _Located(f"{as_written(node)} is written in a way that is left to Spark")
        try:
            return read(self, node)
        except Untranslatable as why:
            if isinstance(why, _Located):
                raise
            text = as_written(node)
            raise _Located(str(why) if text in str(why) else f"{text}: {why}") from None

    def terms(self, node: exp.Expression) -> list[Term]:
        """All arguments of a function."""
        return [self.term(each) for each in (node.this, *node.expressions)]

    def operand(self, node: exp.Expression) -> Term:
        """An operand of an operator."""
        if isinstance(node, PREDICATES):
            raise _Located(f"{as_written(node)} needs parentheses")
        return self.term(node)

    def column(self, name: str) -> Term:
        """A column by its name, in any spelling, as long as there is only one."""
        alike = [each for each in self.schema.names if each.lower() == name.lower()]
        if len(alike) != 1:
            raise Untranslatable(f"{name} is {'the name of several columns' if alike else 'no column'}")
        kind = self.schema.field(alike[0]).type
        used_as = _used_as(kind)
        if used_as is None:
            raise Untranslatable(f"{name} is of type {spark_name(kind)}, which is left to Spark")
        self.used[alike[0]] = None
        return Term(used_as, _stored(alike[0], used_as), column=alike[0])


def _used_as(kind: pa.DataType) -> pa.DataType | None:
    """The type in which a column of a type is used; None if it cannot be used."""
    if kind in _PLAIN:
        return kind
    if pa.types.is_dictionary(kind):
        return _used_as(kind.value_type)
    if kind in _TEXTS:
        return pa.string()
    if pa.types.is_decimal128(kind):
        return kind if 0 <= kind.scale <= kind.precision else None
    return kind if is_instant(kind) else None


def _stored(name: str, kind: pa.DataType) -> Callable[[pa.RecordBatch], pa.Array]:
    """The values of a column, which may be stored in another way, like a dictionary of texts."""

    def values(batch: pa.RecordBatch) -> pa.Array:
        array = batch.column(name)
        return array if array.type == kind else array.cast(kind)

    return values


def _has_only(node: exp.Expression, parts: str) -> bool:
    """Whether a node has no parts but these, apart from those that say nothing."""
    given = {name for name, value in node.args.items() if value not in (None, False, [])}
    return given <= _WITHOUT_MEANING | set(parts.split())
