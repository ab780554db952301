"""Columns: what travels with a row so that definitions can be checked, and what a definition is once it is read."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, field

import pyarrow as pa

from streamframes.core.sessions.language.terms import Event, Term, Value, subterms
from streamframes.core.sparksql import Expression


@dataclass
class RowColumns:
    """The expressions over single rows that travel, each once, with their types."""

    type_of: Callable[[str, str], pa.DataType]
    types: dict[str, pa.DataType] = field(default_factory=dict)

    def number(self, text: str, what: str) -> int:
        """The number of the column of an expression; `what` is named where it is refused."""
        if text not in self.types:
            self.types[text] = self.type_of(text, what)
        return list(self.types).index(text)

    def type(self, number: int) -> pa.DataType:
        """The type of a column."""
        return list(self.types.values())[number]


@dataclass(frozen=True)
class Shifted:
    """A column as it is some rows further on in its group."""

    column: int
    shift: int

    @property
    def name(self) -> str:
        """Its name in expressions that are computed in order."""
        return f"c{self.column}_{'next' if self.shift > 0 else 'prev'}{abs(self.shift)}"


@dataclass(frozen=True)
class Definition:
    """What a row must satisfy: a column of the row, expressions over shifted columns, a term over the match so far."""

    row: int | None = None
    ordered: tuple[Expression, ...] = ()
    history: Term | None = None


def reads(term: Term, what: type[Event] | type[Value]) -> set[int]:
    """The inputs or the leaves of a term."""
    return {
        part.column if isinstance(part, Event) else part.node
        for part in subterms(term)
        if isinstance(part, what) and isinstance(part, Event | Value)
    }
