"""Objects of the reference of sessions: sessions that are open, sessions that are closed, values that are emitted."""

from __future__ import annotations

from collections import defaultdict
from collections.abc import Iterator
from dataclasses import dataclass, field
from typing import Any, NamedTuple


@dataclass
class Ended:
    """A session that is closed."""

    cls: int
    id: Any
    parent: Any
    key: tuple[Any, ...]
    start: int
    end: int
    rows: int
    closed_by: str
    values: dict[int, Any]


class Reading(NamedTuple):
    """A value of a measure that is emitted."""

    ts: int
    cls: int
    id: Any
    name: str
    value: Any


@dataclass(eq=False)
class Session:
    """A session that is open; `came` are the instants and values that its nodes were given."""

    cls: int
    parent: Session | None
    id: Any
    key: tuple[Any, ...]
    start: int
    end: int
    number: int
    rows: int = 0
    last_update: int = 0
    children: list[Session] = field(default_factory=list)
    came: dict[int, list[tuple[int, Any]]] = field(default_factory=lambda: defaultdict(list))
    reported: set[int] = field(default_factory=set)
    emitted: dict[int, Any] = field(default_factory=dict)

    def within(self, cls: int) -> Session:
        """The session of a class that this one is, or is in."""
        if self.cls == cls:
            return self
        if self.parent is None:
            raise LookupError(f"no session of class {cls} is above")
        return self.parent.within(cls)

    def tree(self) -> Iterator[Session]:
        """All sessions in it."""
        for child in self.children:
            yield child
            yield from child.tree()
