"""Classes and nodes: a tree of sessions and all that is kept in them, with every name resolved.

  class   where a session lives in the tree, how it is found, opened and closed
  node    a value of a session: an attribute, an aggregate, or a part of one

  System.avg(Call.sum(ATT.duration(ts)))

  node 2 of System  avg  <── on_close ──  node 1 of Call  sum  <── on_close ──  node 0 of ATT  duration

Attributes and aggregates are both nodes: one that reads events has an `argument`, one that receives the values of
another has a `source`.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass

from streamframes.core.sessions.language.terms import Term

ON_OPEN, CONTINUOUS, ON_CLOSE = TAGS = ("on_open", "continuous", "on_close")

# Functions of events or values. `any` and `last` are the value that came last.
SUM, AVG, MIN, MAX, COUNT, FIRST, LAST, STDDEV = FUNCTIONS = (
    "sum", "avg", "min", "max", "count", "first", "last", "stddev",
)  # fmt: skip
# What else a node may be: a term that is computed when it is asked for, a term that is kept at opening or closing, and
# a fold that the user wrote.
COMPUTED, OPENED, CLOSED, FOLD = ("computed", "opened", "closed", "fold")


@dataclass(frozen=True)
class Node:
    """A value of the sessions of one class.

    argument   what is read: at every event of the session, when it opens (`opened`), when it closes (`closed`), or
               when the value is asked for (`computed`)
    source     the node, of a class below, whose values are received instead
    when       at which time the source passes its value on
    where      on the session of the source: only then its value counts
    last       only so many of the latest values count
    span       only values of so many ticks up to now count
    user       for a fold: the number of the user's function, and `start`, its scalars
    """

    cls: int
    function: str
    type: str
    argument: Term | None = None
    source: int | None = None
    when: str = ON_CLOSE
    where: Term | None = None
    last: int | None = None
    span: int | None = None
    user: int | None = None
    start: tuple[float, ...] = ()

    @property
    def is_windowed(self) -> bool:
        """Whether only the latest values count."""
        return self.last is not None or self.span is not None


@dataclass(frozen=True)
class Class:
    """A class of sessions; `parent` is -1 for a root, `keys` are columns of the event.

    A root that is `lasting` has neither key nor conditions: it is open from the first event on and never ends.
    """

    name: str
    parent: int
    level: int
    keys: tuple[int, ...] = ()
    matches: Term | None = None
    opens: Term | None = None
    closes: Term | None = None
    timeout: int | None = None

    @property
    def is_lasting(self) -> bool:
        """Whether there is one session that never ends."""
        conditions = (self.matches, self.opens, self.closes, self.timeout)
        return self.parent < 0 and not self.keys and all(each is None for each in conditions)


@dataclass(frozen=True)
class Measure:
    """An aggregate that is reported: whenever it changes, or as its tag says."""

    name: str
    node: int
    when: str = CONTINUOUS


def parts_of(classes: Sequence[Class], cls: int) -> list[int]:
    """The classes within a class, in their order."""
    return [i for i, each in enumerate(classes) if each.parent == cls]


def path_of(classes: Sequence[Class], cls: int) -> list[int]:
    """A class and those it is in, upwards."""
    path = [cls]
    while classes[path[-1]].parent >= 0:
        path.append(classes[path[-1]].parent)
    return path
