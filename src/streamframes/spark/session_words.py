"""Words: what happens to a tree of sessions, for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING

from streamframes.core.sessions.nodes import COMPUTED
from streamframes.core.sessions.plan import SPANNING, TOGETHER
from streamframes.core.sessions.terms import Const, Told
from streamframes.spark.streams import explain_stream
from streamframes.spark.tables import SHUFFLED

if TYPE_CHECKING:
    from streamframes.spark.nesting import Nesting


def explained(nesting: Nesting) -> str:
    """Which way the events go, and where they are dealt with."""
    planner = nesting.planner
    places = {
        SPANNING: f"  {nesting.root.name} spans all buckets: what it receives is merged in one place, not its events",
        TOGETHER: "  all events go through one bucket",
    }
    by = f"by {', '.join(nesting.by)}" if nesting.by else "to one bucket"
    lines = [
        f"sessions of {nesting.describe()}",
        f"  1 select  {len(planner.events)} columns: conditions and values of events, computed by Spark",
        f"  2 pack    chunks of rows, {by}: {nesting.why}",
    ]
    if nesting.is_stream:
        lines += explain_stream(nesting.options)
    else:
        lines += [SHUFFLED, "  4 flow    one compiled engine a bucket; a record for each open session"]
    if nesting.spread in places:
        lines.append(places[nesting.spread])
    lines += [f"  {measure.name}: {_told(nesting, measure.node)}" for measure in planner.measures]
    return "\n".join(lines)


def _told(nesting: Nesting, number: int) -> str:
    """An aggregate with its tags spelled out."""
    node = nesting.planner.nodes[number]
    cls = nesting.planner.names[node.cls]
    if isinstance(node.argument, Told):
        return f"{cls}.{node.argument.what}"
    if isinstance(node.argument, Const):
        return cls if node.function == COMPUTED else f"{cls}.{node.function}(events)"
    name = f"{cls}.{node.function}"
    if node.source is None:
        return f"{name}(events)"
    kept = f", last {node.last or node.span}" if node.is_windowed else ""
    where = " where ..." if node.where is not None else ""
    return f"{name}({_told(nesting, node.source)} {node.when}{where}{kept})"
