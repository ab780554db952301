"""Words: what happens to a tree of sessions, for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamframes.core.sessions.plan import SPANNING, TOGETHER
from streamframes.core.sessions.tree import Session
from streamframes.spark.planning.run import SHUFFLED
from streamframes.spark.explain.scan import read_step
from streamframes.spark.streaming.run import explain_stream

if TYPE_CHECKING:
    from streamframes.spark.planning.sessions import SessionQuery


def explained(nesting: SessionQuery) -> str:
    """Which way the events go, and where they are dealt with."""
    planner = nesting.planner
    places = {
        SPANNING: f"  {nesting.root.name} spans all buckets: what it receives is merged in one place, not its events",
        TOGETHER: "  all events go through one bucket",
    }
    by = f"by {', '.join(nesting.by)}" if nesting.by else "to one bucket"
    lines = [
        f"sessions of {nesting.describe()}",
        read_step(nesting)
        or f"  1 select  {len(planner.events)} columns: conditions and values of events, computed by Spark",
        f"  2 pack    chunks of rows, {by}: {nesting.why}",
    ]
    if nesting.is_stream:
        lines += explain_stream(nesting.options)
    else:
        lines += [SHUFFLED, "  4 flow    one compiled engine a bucket; a record for each open session"]
    if nesting.spread in places:
        lines.append(places[nesting.spread])
    lines += [f"  {name} = {text}{_tags(nesting, name)}" for name, text in planner.texts.items()]
    return "\n".join(lines)


def _tags(nesting: SessionQuery, name: str) -> str:
    """When the values of a measure are told to the class above, from its root down."""
    planner, found = nesting.planner, []
    measure = next(each for each in planner.measures if each.name == name)
    node = planner.nodes[measure.node]
    while node.source is not None:
        below = planner.nodes[node.source]
        found.append(f"{planner.names[below.cls]} tells {node.when}")
        node = below
    return f"   ({', '.join(found)})" if found else ""


def shown(session: Session) -> str:
    """A tree in one line: `System > Call > (ATT > FAQ, News)`."""
    inner = [shown(part) for part in session.parts]
    if not inner:
        return session.name
    return f"{session.name} > {inner[0] if len(inner) == 1 else '(' + ', '.join(inner) + ')'}"
