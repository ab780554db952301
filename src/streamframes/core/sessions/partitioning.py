"""Spread: whether the events of a tree can be dealt with in many places at once, and why if not."""

from __future__ import annotations

from collections.abc import Iterator

from streamframes.core.sessions.language.nodes import CONTINUOUS, ON_CLOSE
from streamframes.core.sessions.language.resolve import Planner
from streamframes.core.sessions.language.terms import BuiltIn, Term, Value, parts
from streamframes.core.sessions.merge import is_mergeable
from streamframes.core.sessions.plan import BY_ROOT, SPANNING, TOGETHER


def spread_of(planner: Planner) -> tuple[str, tuple[str, ...], str]:
    """How events are spread, by which columns, and why."""
    root = planner.sessions[0]
    if root.keys:
        return BY_ROOT, root.keys, f"each {root.name} is on its own"
    reason = next(_reasons(planner), None)
    if reason is not None:
        return TOGETHER, (), reason
    keys = root.parts[0].keys
    names = ", ".join(part.name for part in root.parts)
    return SPANNING, keys, f"{root.name} never ends and each {names} is on its own; its aggregates are put together"


def _reasons(planner: Planner) -> Iterator[str]:
    """What needs the order of all events at the root."""
    root = planner.sessions[0]
    if not planner.classes[0].is_lasting:
        yield f"{root.name} has no key, and opens or closes by what all events say"
    if root.attributes or root.on_open or root.on_close:
        yield f"{root.name} has attributes, which all events change"
    keys = {tuple(name.lower() for name in part.keys) for part in root.parts}
    if keys in (set(), {()}):
        yield f"{root.name} has no part with a key"
    if len(keys) > 1:
        yield f"the parts of {root.name} have different keys"
    for each, term in _terms(planner):
        if any(_is_of_root(planner, part) for part in parts(term)):
            yield f"{each} names the state of {root.name}"
    for measure in planner.measures:
        node = planner.nodes[measure.node]
        if node.cls == 0 and (not is_mergeable(node) or node.type in ("boolean", "instant", "text")):
            yield f"{measure.name} depends on the order of events in {root.name}"
        if node.cls == 0 and (measure.when not in (CONTINUOUS, ON_CLOSE) or node.function == "computed"):
            yield f"{measure.name} is told by what all events say"


def _terms(planner: Planner) -> Iterator[tuple[str, Term]]:
    """All terms of the tree, and what they are."""
    for each in planner.classes:
        for name in ("matches", "opens", "closes"):
            term = getattr(each, name)
            if term is not None:
                yield f"{name} of {each.name}", term
    for node in planner.nodes:
        for term in (node.argument, node.where):
            if term is not None and node.function != "computed":
                yield f"a value of {planner.names[node.cls]}", term


def _is_of_root(planner: Planner, part: Term) -> bool:
    if isinstance(part, Value):
        return planner.nodes[part.node].cls == 0
    return isinstance(part, BuiltIn) and part.cls == 0
