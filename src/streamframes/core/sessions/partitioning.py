"""Partitioning: whether the events of a tree can be dealt with in many places at once, and why if not."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from streamframes.core.sessions.language.nodes import COMPUTED, CONTINUOUS, ON_CLOSE
from streamframes.core.sessions.language.resolve import Planner
from streamframes.core.sessions.language.terms import BOOLEAN, INSTANT, TEXT, BuiltIn, Term, Value, subterms
from streamframes.core.sessions.partials import is_mergeable

# Where events go: by the key of the root; by the key of its parts, where the root is merged; all to one place.
BY_ROOT, BY_PARTS, TOGETHER = "by the key of the root", "by the key of its parts", "in one place"


class Partitioning(NamedTuple):
    """How events are partitioned, by which columns, and why."""

    kind: str
    keys: tuple[str, ...]
    reason: str


def partitioning_of(planner: Planner) -> Partitioning:
    """The partitioning of a tree and its measures."""
    root = planner.sessions[0]
    if root.keys:
        return Partitioning(BY_ROOT, root.keys, f"each {root.name} is on its own")
    reason = next(_reasons(planner), None)
    if reason is not None:
        return Partitioning(TOGETHER, (), reason)
    names = ", ".join(part.name for part in root.parts)
    why = f"{root.name} never ends and each {names} is on its own; its aggregates are put together"
    return Partitioning(BY_PARTS, root.parts[0].keys, why)


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
        if any(_is_of_root(planner, part) for part in subterms(term)):
            yield f"{each} names the state of {root.name}"
    for measure in planner.measures:
        node = planner.nodes[measure.node]
        if node.cls == 0 and (not is_mergeable(node) or node.type in (BOOLEAN, INSTANT, TEXT)):
            yield f"{measure.name} depends on the order of events in {root.name}"
        if node.cls == 0 and (measure.when not in (CONTINUOUS, ON_CLOSE) or node.function == COMPUTED):
            yield f"{measure.name} is emitted by what all events say"


def _terms(planner: Planner) -> Iterator[tuple[str, Term]]:
    """All terms of the tree, and what they are."""
    for each in planner.classes:
        for name, term in (("matches", each.matches), ("opens", each.opens), ("closes", each.closes)):
            if term is not None:
                yield f"{name} of {each.name}", term
    for node in planner.nodes:
        for term in (node.argument, node.where):
            if term is not None and node.function != COMPUTED:
                yield f"a value of {planner.names[node.cls]}", term


def _is_of_root(planner: Planner, part: Term) -> bool:
    if isinstance(part, Value):
        return planner.nodes[part.node].cls == 0
    return isinstance(part, BuiltIn) and part.cls == 0
