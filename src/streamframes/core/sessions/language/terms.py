"""Terms: conditions and values over one event and the sessions it flows through, with their types.

What depends on the event alone is one column, computed before. A term combines columns with the state of sessions: of
its own session and of those that session is in.
"""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

# What a value is. Durations are ticks of the clock until they are compared with numbers or reported.
LONG, DOUBLE, BOOLEAN, TEXT, INSTANT, DURATION = TYPES = ("long", "double", "boolean", "text", "instant", "duration")

# Operators by name, with the types of their arguments in front: "long +", "double <"; the others take any.
COMPARISONS = ("=", "<", "<=")


@dataclass(frozen=True)
class Const:
    """A literal; None is null."""

    value: int | float | str | None
    type: str


@dataclass(frozen=True)
class Event:
    """A column of the event."""

    column: int
    type: str


@dataclass(frozen=True)
class Value:
    """The value of a node, in the session itself or in one that it is in."""

    node: int
    type: str


@dataclass(frozen=True)
class BuiltIn:
    """What every session knows of itself: "rows", "duration", "start" or "end"."""

    cls: int
    what: str
    type: str


@dataclass(frozen=True)
class Op:
    """An operator: and, or, not, is null, coalesce, to double, seconds, or a typed one."""

    name: str
    args: tuple[Term, ...]
    type: str


@dataclass(frozen=True)
class Call:
    """A function that the user wrote: numbers in, a number out; a null argument makes a null."""

    function: int
    args: tuple[Term, ...]
    type: str = DOUBLE


Term = Const | Event | Value | BuiltIn | Op | Call


def a(kind: str) -> str:
    """A type with its article."""
    return f"an {kind}" if kind[0] in "aeiou" else f"a {kind}"


def subterms(term: Term) -> Iterator[Term]:
    """The term and all within it."""
    yield term
    for arg in getattr(term, "args", ()):
        yield from subterms(arg)


def is_stateless(term: Term) -> bool:
    """Whether a term depends on the event alone."""
    return not any(isinstance(part, Value | BuiltIn | Call) for part in subterms(term))
