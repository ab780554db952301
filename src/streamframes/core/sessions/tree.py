"""Trees: classes of sessions as the user writes them."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass, field, fields
from typing import TypeAlias

from streamframes.core.batch.clock import Duration, check_duration
from streamframes.core.jit.usercode import code_of
from streamframes.errors import InvalidArgument

# Words that mean something in conditions, and so cannot name a class or an attribute.
RESERVED = ("opening", "rows", "duration", "start", "end")

# Spark SQL as text, or an expression of the engine of rows, like a Column of Spark.
Expression: TypeAlias = object


@dataclass(frozen=True)
class Session:
    """A class of sessions: how they are found, when they open and close, what they know, what is inside them.

    Parameters
    ----------
    name
        The name of the class.
    key
        The column, or list of columns, of which each value has a session of its own within the parent. Without, a
        parent has one session of this class at a time.
    matches
        Instead of a key: a condition over the event and the attributes of a session. An event flows to every open
        session for which it holds; where there is none, one may open.
    opens
        The condition under which an event opens a session where none takes it; without, every event does.
    closes
        The condition under which a session ends with the event, tested after the event has passed through all that is
        inside. Without, it ends with its parent, or by `timeout`.
    timeout
        Without an event for longer than this, the session ends with its last one.
    attributes
        Name -> rule: an aggregate of the session's events like `"sum(bytes)"`, `"first(caller)"`, `"last(step)"`, or a
        `Fold`.
    on_open, on_close
        Name -> expression, or Python function of what its parameters name: attributes that are set when the session
        opens, and when it closes.
    source
        Where there are several tables or streams: the name of the one whose events flow through this tree.
    parts
        The classes of the sessions inside.

    Conditions are Spark SQL over the event's columns. They may also name the state of the session or of one it is in:
    an attribute, `rows`, `duration`, `opening.column` and aggregates like `Call.count(ATT)`. A name that is both a
    column and an attribute is the column; `Call.bytes` is the attribute.

    Examples
    --------
    >>> att = Session("ATT", opens="event_type = 500 and expression = 'ATT'", closes="step_num = 342")
    >>> call = Session("Call", key="channel", opens="event_type = 102", closes="event_type = 104", parts=[att])
    >>> [each.name for each in call.walk()]
    ['Call', 'ATT']
    """

    name: str
    key: str | Sequence[str] | None = None
    matches: Expression | None = None
    opens: Expression | None = None
    closes: Expression | None = None
    timeout: Duration | None = None
    attributes: Mapping[str, object] = field(default_factory=dict)
    on_open: Mapping[str, object] | None = None
    on_close: Mapping[str, object] | None = None
    source: str | None = None
    parts: Sequence[Session] = ()

    def __post_init__(self) -> None:
        if not isinstance(self.name, str) or not self.name.isidentifier() or self.name.lower() in RESERVED:
            raise InvalidArgument(
                f"Session got name={self.name!r}; give a name like 'Call' (not {', '.join(RESERVED)})"
            )
        if isinstance(self.parts, Session):
            object.__setattr__(self, "parts", (self.parts,))
        if not isinstance(self.parts, Sequence) or not all(isinstance(part, Session) for part in self.parts):
            raise InvalidArgument(f"Session {self.name!r} got parts={self.parts!r}; give a list of Session")
        object.__setattr__(self, "parts", tuple(self.parts))
        if self.timeout is not None:
            check_duration(self.timeout, "timeout")
        if self.key is not None and self.matches is not None:
            raise InvalidArgument(f"Session {self.name!r} got key= and matches=; sessions are found by one of them")
        self._check_names()

    def _check_names(self) -> None:
        names = self.keys
        if self.key is not None and (not names or not all(isinstance(name, str) for name in names)):
            raise InvalidArgument(f"Session {self.name!r} got key={self.key!r}; give a column name or a list of them")
        seen: set[str] = set()
        for argument in ("attributes", "on_open", "on_close"):
            rules = getattr(self, argument)
            if rules is not None and not isinstance(rules, Mapping):
                raise InvalidArgument(
                    f"Session {self.name!r} got {argument}={rules!r}; give a dict from names to rules"
                )
            for name in rules or ():
                if not isinstance(name, str) or not name.isidentifier() or name.lower() in RESERVED:
                    raise InvalidArgument(
                        f"Session {self.name!r} got the attribute {name!r}; give a name like 'caller' "
                        f"(not {', '.join(RESERVED)})"
                    )
                if name.lower() in seen:
                    raise InvalidArgument(f"Session {self.name!r} got two attributes called {name!r}; rename one")
                seen.add(name.lower())

    @property
    def keys(self) -> tuple[str, ...]:
        """The columns of the key."""
        if self.key is None:
            return ()
        return (self.key,) if isinstance(self.key, str) else tuple(self.key)

    def spelling(self) -> str:
        """What the tree is, the same in every process: functions by what they do, not by where they live."""
        return _spelled({each.name: getattr(self, each.name) for each in fields(self)})

    def walk(self) -> Iterator[Session]:
        """This class and all inside it, parents first."""
        yield self
        for part in self.parts:
            yield from part.walk()


def _spelled(value: object) -> str:
    if isinstance(value, Session):
        return value.spelling()
    if isinstance(value, Mapping):
        return "{" + ", ".join(f"{name}: {_spelled(each)}" for name, each in value.items()) + "}"
    if isinstance(value, list | tuple):
        return "[" + ", ".join(map(_spelled, value)) + "]"
    return code_of(value) if callable(value) and hasattr(value, "__code__") else str(value)


def checked_forest(tree: object) -> tuple[Session, ...]:
    """One tree or several, with names that are used once."""
    roots = (tree,) if isinstance(tree, Session) else tree
    if not isinstance(roots, Sequence) or not roots or not all(isinstance(root, Session) for root in roots):
        raise InvalidArgument(f"sessions() got tree={tree!r}; give a Session, or a list of them")
    seen: dict[str, str] = {}

    def visit(each: Session, path: tuple[Session, ...]) -> None:
        if any(each is above for above in path):
            raise InvalidArgument(
                f"sessions() got a tree in which {each.name!r} is a part of itself; leave it out there"
            )
        if any(each.name.lower() == above.name.lower() for above in path):
            raise InvalidArgument(
                f"sessions() got a tree with a cycle: {each.name!r} appears inside {each.name!r}; rename one of them"
            )
        if each.name.lower() in seen:
            raise InvalidArgument(f"sessions() got two classes called {each.name!r}; rename one of them")
        seen[each.name.lower()] = each.name
        if path and each.source is not None and each.source != path[0].source:
            raise InvalidArgument(
                f"sessions() got source={each.source!r} for {each.name!r}, which is inside {path[0].name!r}; events "
                f"come from above, so give the source of the root"
            )
        for part in each.parts:
            visit(part, (*path, each))

    for root in roots:
        visit(root, ())
    return tuple(roots)
