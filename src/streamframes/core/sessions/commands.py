"""Orders: measures come and go while a stream of sessions runs.

An order may name any column that travels. What the tree was planned with is computed before, by the engine of rows;
what an order adds is computed here, from the columns as they are.
"""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

import pyarrow as pa

from streamframes.core.batch.packer import Layout
from streamframes.core.sessions.language.resolve import Planner
from streamframes.core.sessions.partitioning import spread_of
from streamframes.core.sessions.plan import SPANNING
from streamframes.core.sparksql import Expression, Untranslatable, translate
from streamframes.errors import InvalidArgument

ADD, DROP = "add", "drop"
ORDER_LAYOUT = Layout(pa.schema([]), pa.int64(), (pa.string(), pa.string(), pa.string()))


@dataclass
class Watched:
    """The measures of a stream at one time: those of the plan that are left, and what orders have added.

    `texts` are name -> expression, None for a measure of the plan; `births` say after how many orders each began.
    `events` are the columns that orders have asked for, also those of measures that are gone: a column keeps its
    number, because what a session knows is found again by it.
    """

    texts: dict[str, str | None]
    births: dict[str, int]
    n_orders: int = 0
    events: tuple[str, ...] = ()

    def snapshot(self) -> dict[str, Any]:
        """For the state."""
        return {"texts": self.texts, "births": self.births, "n_orders": self.n_orders, "events": self.events}

    @staticmethod
    def loaded(saved: Mapping[str, Any]) -> Watched:
        """From the state."""
        return Watched(saved["texts"], saved["births"], saved["n_orders"], tuple(saved["events"]))


class Orders:
    """Plans measures that are added; `columns` are those that travel as they are, with their types."""

    def __init__(self, planner: Planner, columns: pa.Schema, spread: str) -> None:
        self.planner = planner
        self.columns = columns
        self.spread = spread

    def replanned(self, watched: Watched) -> tuple[Planner, list[Expression]]:
        """The plan with the measures that are watched, and the expressions of events that it needs beyond the first."""
        planner = self.planner.copied(self._type_of)
        for column in watched.events:
            planner.event(column, "an order")
        planner.measures = [each for each in planner.measures if watched.texts.get(each.name, "") is None]
        for name, text in watched.texts.items():
            if text is not None:
                planner.add_measure(name, text)
        more = [translate(each, self.columns) for each in planner.events[len(self.planner.events) :]]
        return planner, more

    def _type_of(self, expression: Any, what: str) -> pa.DataType:
        try:
            return translate(str(expression), self.columns).type
        except Untranslatable as error:
            raise InvalidArgument(f"{what}: {error}") from error

    def apply(self, watched: Watched, orders: Iterable[tuple[Any, ...]]) -> tuple[Watched, int]:
        """The measures after orders, first those that go, then those that come; and how many orders mean nothing.

        Such an order must not stop a stream, which would meet it again after each restart.
        """
        given = sorted(orders, key=lambda order: (order[0] != DROP, *map(str, order)))
        texts, births, events = dict(watched.texts), dict(watched.births), watched.events
        n_orders, refused = watched.n_orders + len(given), 0
        for action, name, text in given:
            if action == DROP and name in texts:
                del texts[name]
                births.pop(name, None)
                continue
            added = None
            if action == ADD and isinstance(text, str) and name not in texts:
                added = self._added(Watched({**texts, name: text}, {}, 0, events))
            if added is None:
                refused += 1
            else:
                texts[name], births[name], events = text, n_orders, added
        return Watched(texts, births, n_orders, events), refused

    def _added(self, watched: Watched) -> tuple[str, ...] | None:
        """The columns that the measures need then, or None if that cannot be."""
        try:
            planner, _ = self.replanned(watched)
        except (InvalidArgument, Untranslatable):
            return None
        # What would need all events in one place cannot be had while they are spread.
        if self.spread == SPANNING and spread_of(planner)[0] != SPANNING:
            return None
        return tuple(planner.events[len(self.planner.events) :])
