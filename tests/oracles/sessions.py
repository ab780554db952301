"""Nested sessions by their definition, slowly: the reference of the compiled engine.

  event ──> flow downward: update, find or open the parts, recurse, close
                 │
                 └─ touched nodes ──> back-propagation: report upwards, as each tag says

The algorithms 3.1 and 3.2 of the paper as they are meant: an opening condition is tested where there is no session
yet, back-propagation ends at the first class of the aggregate, and Close reports what the tag says. Sessions are
objects, a node keeps every value that it was given, and None is null.

References
----------
Chatziantoniou, Anagnostopoulos: NESTREAM: Querying Nested Streams, 2004, section 3.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterable, Iterator, Sequence
from typing import Any

from streamframes.core.sessions.language import terms
from streamframes.core.sessions.language.nodes import (
    CLOSED,
    COMPUTED,
    CONTINUOUS,
    FOLD,
    ON_CLOSE,
    ON_OPEN,
    OPENED,
    Class,
    Measure,
    Node,
    parts_of,
)
from streamframes.core.sessions.language.terms import Term
from tests.oracles.session_objects import Ended, Reading, Session
from tests.oracles.session_terms import aggregate, is_stateless, known, operate

Columns = Sequence[Any]


class Reference:
    """A tree of sessions: events in, closed sessions and readings out.

    Within a step, readings of sessions that stay open come in the order in which they were first touched.
    """

    def __init__(
        self,
        classes: Sequence[Class],
        nodes: Sequence[Node],
        measures: Sequence[Measure],
        ticks_per_second: float = 1e6,
        functions: Sequence[Any] = (),
    ) -> None:
        self.classes, self.nodes, self.measures = classes, nodes, measures
        self.ticks_per_second, self.functions = ticks_per_second, functions
        self.closed: list[Ended] = []
        self.emitted: list[Reading] = []
        self.belongs: list[tuple[int, int, Any]] = []
        self.null_keys: Counter[int] = Counter()
        self.unmatched_closes: Counter[int] = Counter()
        self._system = Session(-1, None, None, (), 0, 0, 0)
        self._now = self._event = self._updates = 0
        self._opened: Counter[Any] = Counter()
        self._touched: dict[tuple[Session, int], None] = {}

    def feed(self, events: Iterable[tuple[int, Columns]]) -> None:
        """Take events in their order."""
        for ts, event in events:
            self.pass_time(ts)
            self._now = ts
            self._flow_down(self._system, event)
            self._end_step()
            self._event += 1

    def pass_time(self, point: int) -> None:
        """All events before the point have been seen: what is silent for too long closes."""
        while expired := list(self._expired(point)):
            self._now, *_, session = min(expired)
            self._close(session, None, "timeout")
            self._end_step()

    def finish(self) -> None:
        """No more events."""
        for session in self._children(self._system):
            self._close(session, None, "end of data")

    def _expired(self, point: int) -> Iterator[tuple[Any, ...]]:
        for s in self._system.tree():
            cls = self.classes[s.cls]
            if cls.timeout is not None and s.end + cls.timeout < point:
                yield s.end + cls.timeout, -cls.level, s.cls, s.last_update, s

    def _flow(self, s: Session, event: Columns) -> None:
        """Algorithm 3.1."""
        self._update(s, event)
        self._flow_down(s, event)
        if self._holds(self.classes[s.cls].closes, s, event):
            self._close(s, event, "condition")

    def _flow_down(self, s: Session, event: Columns) -> None:
        for part in parts_of(self.classes, s.cls):
            cls = self.classes[part]
            key = tuple(known(event[column]) for column in cls.keys)
            if None in key:
                self.null_keys[part] += 1
                continue
            found = [child for child in s.children if child.cls == part and child.key == key]
            if cls.matches is not None:
                found = [child for child in found if self._holds(cls.matches, child, event)]
            if not found and (cls.opens is None or self._holds(cls.opens, s, event)):
                found = [self._construct(s, part, key, event)]
            elif not found and is_stateless(cls.closes) and self._holds(cls.closes, s, event):
                self.unmatched_closes[part] += 1
            for child in found:
                self._flow(child, event)

    def _construct(self, parent: Session, cls: int, key: tuple[Any, ...], event: Columns) -> Session:
        alike = parent.id, cls, key, None if self.classes[cls].is_lasting else self._now
        number = self._opened.total()
        s = Session(cls, parent, (*alike, self._opened[alike]), key, self._now, self._now, number)
        self._opened[alike] += 1
        parent.children.append(s)
        for n in self._nodes_of(s, OPENED):
            self._add(s, n, self._term(self.nodes[n].argument, s, event))
        return s

    def _update(self, s: Session, event: Columns) -> None:
        self._updates += 1
        s.rows, s.end, s.last_update = s.rows + 1, self._now, self._updates
        self.belongs.append((self._event, s.cls, s.id))
        touched = self._nodes_of(s, COMPUTED) + (self._nodes_of(s, OPENED) if s.rows == 1 else [])
        for n in self._nodes_of(s):
            node = self.nodes[n]
            if node.argument is not None and node.function not in (OPENED, CLOSED, COMPUTED):
                value = self._term(node.argument, s, event)
                self._add(s, n, value)
                touched += [n] if value is not None else []
        for n in sorted(touched):
            self._fire(s, n)

    def _close(self, s: Session, event: Columns | None, why: str) -> None:
        at_end = why == "end of data"
        for child in self._children(s):
            self._close(child, event, why if at_end else "parent")
        self._now = s.end if at_end else self._now
        self._destruct(s, event, at_end)
        values = {n: self._value(s, n) for n in self._nodes_of(s)}
        if s.parent is not None:
            s.parent.children.remove(s)
            self.closed.append(Ended(s.cls, s.id, s.parent.id, s.key, s.start, s.end, s.rows, why, values))

    def _destruct(self, s: Session, event: Columns | None, at_end: bool) -> None:
        for n in self._nodes_of(s, CLOSED):
            self._add(s, n, self._term(self.nodes[n].argument, s, event))
        if at_end:
            return
        for n in self._nodes_of(s, CLOSED):
            self._fire(s, n)
        for n in self._nodes_of(s):
            self._report(s, n, (ON_CLOSE,))
        for m, measure in enumerate(self.measures):
            if self.nodes[measure.node].cls == s.cls and (measure.when == ON_CLOSE or (s, m) in self._touched):
                self._emit(s, m)
                self._touched.pop((s, m), None)

    def _fire(self, s: Session, n: int) -> None:
        """Algorithm 3.2, from a node that was touched."""
        for m, measure in enumerate(self.measures):
            if measure.node == n and measure.when != ON_CLOSE:
                self._touched[s, m] = None
        self._report(s, n, (CONTINUOUS, ON_OPEN))

    def _report(self, s: Session, n: int, tags: tuple[str, ...]) -> None:
        """Give the value of a node to those above that take it at this time."""
        for c, receiver in enumerate(self.nodes):
            if receiver.source != n or receiver.when not in tags:
                continue
            value = self._value(s, n)
            counts = receiver.where is None or self._holds(receiver.where, s, None)
            if value is None or not counts or (receiver.when == ON_OPEN and c in s.reported):
                continue
            s.reported.add(c)
            above = s.within(receiver.cls)
            self._add(above, c, value)
            self._fire(above, c)

    def _end_step(self) -> None:
        for s, m in self._touched:
            self._emit(s, m)
        self._touched.clear()

    def _emit(self, s: Session, m: int) -> None:
        measure = self.measures[m]
        value = self._value(s, measure.node)
        again = m in s.emitted and (measure.when != CONTINUOUS or s.emitted[m] == value)
        if value is not None and not again:
            s.emitted[m] = value
            self.emitted.append(Reading(self._now, s.cls, s.id, measure.name, value))

    def _children(self, s: Session) -> list[Session]:
        return sorted(s.children, key=lambda child: (child.cls, child.number))

    def _nodes_of(self, s: Session, function: str | None = None) -> list[int]:
        return [n for n, node in enumerate(self.nodes) if node.cls == s.cls and function in (None, node.function)]

    def _add(self, s: Session, n: int, value: Any) -> None:
        if value is not None:
            s.came[n].append((self._now, value))

    def _value(self, s: Session, n: int) -> Any:
        node = self.nodes[n]
        if node.function == COMPUTED:
            return self._term(node.argument, s, None)
        came = s.came[n] if node.last is None else s.came[n][-node.last :]
        values = [value for ts, value in came if node.span is None or ts > self._now - node.span]
        if node.function == FOLD and node.user is not None:
            return self._folded(self.functions[node.user], values)
        kind = node.argument.type if node.source is None and node.argument else self.nodes[node.source or 0].type
        return aggregate(node.function, values, kind, self.ticks_per_second)

    def _folded(self, fold: Any, values: Sequence[Any]) -> Any:
        state = fold.start
        for value in values:
            state = fold.add(state, float(value))
        return known(fold.result(state)) if values else None

    def _holds(self, term: Term | None, s: Session, event: Columns | None) -> bool:
        return term is not None and self._term(term, s, event) is True

    def _term(self, term: Term | None, s: Session, event: Columns | None) -> Any:
        """The value of a term in a session, at an event or without one."""
        match term:
            case terms.Const(value):
                return known(value)
            case terms.Event(column):
                return None if event is None else known(event[column])
            case terms.Value(node):
                return self._value(s.within(self.nodes[node].cls), node)
            case terms.BuiltIn(cls, what):
                owner = s.within(cls)
                return owner.end - owner.start if what == "duration" else getattr(owner, what)
            case terms.Call(function, args):
                given = [self._term(arg, s, event) for arg in args]
                return None if None in given else known(self.functions[function](*map(float, given)))
            case terms.Op(name, args):
                return operate(name, [self._term(arg, s, event) for arg in args], self.ticks_per_second)
        raise TypeError(f"{term!r} is not a term")
