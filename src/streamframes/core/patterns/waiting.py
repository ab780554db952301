"""Waiting: which parts of a pattern could keep the rows of a stream for ever, where no duration ends what has begun."""

from __future__ import annotations

from streamframes.core.patterns.language.columns import Definition
from streamframes.core.patterns.language.pattern import Anchor, Pattern, Repeat, Variable, subpatterns, variables
from streamframes.core.patterns.resolve import Resolved


def endless(found: Resolved) -> str | None:
    """Why no match of this pattern is ever certain in a stream, if so."""
    for part in subpatterns(found.pattern):
        if isinstance(part, Anchor) and part.sign == "$":
            return "$ is the last row of a group, which a stream does not have; leave it out"
        if isinstance(part, Repeat) and part.most is None and part.greedy:
            free = [name for name in variables(part.part) if _takes_any_row(found, name)]
            if free:
                return (
                    f"{shown(part)} takes as many rows as there are, and {free[0]} takes any row: no match is ever "
                    f"certain; define {free[0]}, write {shown(part)}?, or give within="
                )
    return None


def may_wait(found: Resolved) -> str | None:
    """The part of a pattern for which rows may wait as long as the data goes on, if there is one."""
    for part in subpatterns(found.pattern):
        if isinstance(part, Repeat) and part.most is None:
            return shown(part)
    return None


def _takes_any_row(found: Resolved, name: str) -> bool:
    return found.definitions[found.names.index(name)] == Definition()


def shown(part: Pattern) -> str:
    """A repeated part as it might have been written."""
    if isinstance(part, Variable):
        return part.name
    if not isinstance(part, Repeat):
        return f"({' '.join(variables(part))})"
    sign = {0: "*", 1: "+"}.get(part.least, f"{{{part.least},}}")
    return f"{shown(part.part)}{sign}{'' if part.greedy else '?'}"
