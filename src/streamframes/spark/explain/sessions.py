"""What happens to a tree of sessions, in words."""

from __future__ import annotations

from streamframes.core.sessions.language.nodes import CONTINUOUS, ON_CLOSE, ON_OPEN
from streamframes.core.sessions.language.resolve import Planner
from streamframes.core.sessions.partitioning import BY_PARTS, TOGETHER
from streamframes.core.sessions.tree import Session

WHEN = {ON_OPEN: "as soon as it has one", CONTINUOUS: "at each change", ON_CLOSE: "when it closes"}


def tree_steps(root: Session, planner: Planner, partitioning: str) -> list[str]:
    """Where events of the tree meet, and its measures with the time at which values flow up."""
    places = {
        BY_PARTS: f"  {root.name} spans all buckets: what it receives is merged in one place, not its events",
        TOGETHER: "  all events go through one bucket",
    }
    measures = [f"  {name} = {text}{_tags(planner, name)}" for name, text in planner.texts.items()]
    return [*([places[partitioning]] if partitioning in places else []), *measures]


def _tags(planner: Planner, name: str) -> str:
    """When the values of a measure reach the class above, from its root down."""
    found = []
    measure = next(each for each in planner.measures if each.name == name)
    node = planner.nodes[measure.node]
    while node.source is not None:
        below = planner.nodes[node.source]
        found.append(f"{planner.names[below.cls]} passes its value on {WHEN[node.when]}")
        node = below
    return f"   ({', '.join(found)})" if found else ""


def shown(session: Session) -> str:
    """A tree in one line: `System > Call > (ATT > FAQ, News)`."""
    inner = [shown(part) for part in session.parts]
    if not inner:
        return session.name
    return f"{session.name} > {inner[0] if len(inner) == 1 else '(' + ', '.join(inner) + ')'}"
