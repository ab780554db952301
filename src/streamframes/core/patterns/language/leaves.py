"""Leaves: what conditions and measures ask of a match, beside the row itself.

PREV(FIRST(A.price, 1), 2)  ->  Navigation(rows of A, first, offset 1, shift -2, "price")
"""

from __future__ import annotations

from dataclasses import dataclass

# A set of variables is a mask, bit n for variable n; all rows of the match, whatever their variable.
EVERY = -1

# What stands in place of a row expression.
CLASSIFIER = "classifier()"
MATCH_NUMBER = "match_number()"
ROWS = "*"


@dataclass(frozen=True)
class Navigation:
    """A value at one row: the first or last of some variables, `offset` rows further in, then `shift` rows away.

    `what` is an expression over that row, or CLASSIFIER; `final` counts from the end of the match, not from the row.
    """

    mask: int
    is_first: bool
    offset: int
    shift: int
    what: str
    final: bool = False


@dataclass(frozen=True)
class MatchNumber:
    """The number of the match among those of its group."""


@dataclass(frozen=True)
class Aggregate:
    """An aggregate over the rows of some variables; `by` is the second argument of max_by and min_by."""

    function: str
    mask: int
    what: str
    by: str | None = None
    final: bool = False


Leaf = Navigation | MatchNumber | Aggregate
