"""Commands: measures come and go while a stream of sessions runs.

A command may name any column that travels. What the tree was planned with is computed before, by the engine of rows;
what a command adds is computed here, from the columns as they are.
"""

from __future__ import annotations

from collections.abc import Iterable
from dataclasses import dataclass

import pyarrow as pa

from streamframes.core.batch.packer import Layout
from streamframes.core.batch.tree import Tree, number_at, tree_at
from streamframes.core.operator.protocol import Command
from streamframes.core.sessions.language.resolve import Planner
from streamframes.core.sessions.partitioning import BY_PARTS, partitioning_of
from streamframes.core.sparksql import Expression, Untranslatable, translate
from streamframes.errors import InvalidArgument

ADD, DROP = "add", "drop"
COMMAND_LAYOUT = Layout(pa.schema([]), pa.int64(), (pa.string(), pa.string(), pa.string()))


@dataclass
class ActiveMeasures:
    """The measures of a stream at one time: those of the plan that are left, and those that commands have added.

    `texts` are name -> expression, None for a measure of the plan; `births` say after how many commands each began.
    `events` are the columns that commands have asked for, also those of measures that are gone: a column keeps its
    number, because what a session knows is found again by it.
    """

    texts: dict[str, str | None]
    births: dict[str, int]
    n_commands: int = 0
    events: tuple[str, ...] = ()

    def snapshot(self) -> Tree:
        """For the state."""
        return {
            "texts": self.texts,
            "births": self.births,
            "n_commands": self.n_commands,
            "events": list(self.events),
        }

    @staticmethod
    def restored(saved: Tree) -> ActiveMeasures:
        """From the state."""
        texts = {name: None if text is None else str(text) for name, text in tree_at(saved, "texts").items()}
        births = tree_at(saved, "births")
        events = saved.get("events")
        columns = tuple(map(str, events)) if isinstance(events, list | tuple) else ()
        return ActiveMeasures(
            texts, {name: number_at(births, name) for name in births}, number_at(saved, "n_commands"), columns
        )


class MeasureCommands:
    """Plans measures that are added; `columns` are those that travel as they are, with their types."""

    def __init__(self, planner: Planner, columns: pa.Schema, partitioning: str) -> None:
        self.planner = planner
        self.columns = columns
        self.partitioning = partitioning

    def replanned(self, active: ActiveMeasures) -> tuple[Planner, list[Expression]]:
        """The plan with these measures, and the expressions of events that it needs beyond the first."""
        planner = self.planner.copied(self._type_of)
        for column in active.events:
            planner.event(column, "a command")
        planner.measures = [each for each in planner.measures if active.texts.get(each.name, "") is None]
        for name, text in active.texts.items():
            if text is not None:
                planner.add_measure(name, text)
        more = [translate(str(each), self.columns) for each in planner.events[len(self.planner.events) :]]
        return planner, more

    def _type_of(self, expression: object, what: str) -> pa.DataType:
        try:
            return translate(str(expression), self.columns).type
        except Untranslatable as error:
            raise InvalidArgument(f"{what}: {error}") from error

    def apply(self, active: ActiveMeasures, commands: Iterable[Command]) -> tuple[ActiveMeasures, int]:
        """The measures after commands, first those that go, then those that come; and how many commands mean nothing.

        Such a command must not stop a stream, which would meet it again after each restart.
        """
        given = sorted(commands, key=lambda command: (command[0] != DROP, *map(str, command)))
        texts, births, events = dict(active.texts), dict(active.births), active.events
        n_commands, refused = active.n_commands + len(given), 0
        for action, name, text in given:
            if action == DROP and name in texts:
                del texts[str(name)]
                births.pop(str(name), None)
                continue
            added = None
            if action == ADD and isinstance(text, str) and isinstance(name, str) and name not in texts:
                added = self._added(ActiveMeasures({**texts, name: text}, {}, 0, events))
            if added is None:
                refused += 1
            else:
                texts[str(name)], births[str(name)], events = str(text), n_commands, added
        return ActiveMeasures(texts, births, n_commands, events), refused

    def _added(self, active: ActiveMeasures) -> tuple[str, ...] | None:
        """The columns that the measures need then, or None if that cannot be."""
        try:
            planner, _ = self.replanned(active)
        except (InvalidArgument, Untranslatable):
            return None
        # What would need all events in one place cannot be had while they are partitioned.
        if self.partitioning == BY_PARTS and partitioning_of(planner).kind != BY_PARTS:
            return None
        return tuple(map(str, planner.events[len(self.planner.events) :]))
