"""Machine: the open sessions of one bucket: the engine with its memory, and its state as a tree of arrays.

Nothing here depends on where events come from: a machine takes words and gives words.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator

import numpy as np

from streamframes.core.batch.tree import Tree, array_at
from streamframes.core.sessions.kernels import engine
from streamframes.core.sessions.kernels.arrays import COUNTER, RECORD, Arrays
from streamframes.core.sessions.kernels.fields import CLASS
from streamframes.core.sessions.vm.encoded_tree import EncodedTree
from streamframes.core.sessions.vm.memory import EngineResults, Events, Memory
from streamframes.errors import StreamFramesError


class Machine:
    """The open sessions of one bucket; `user` is the function of `user_functions.caller`."""

    def __init__(
        self, tree: EncodedTree, n_classes: int, n_columns: int, user: object, *, wants: tuple[bool, bool, bool]
    ) -> None:
        self.memory = Memory(tree, n_classes, n_columns, wants)
        self.user = user

    @property
    def n_open(self) -> int:
        """How many sessions are open."""
        return self.memory.n_open

    @property
    def nbytes(self) -> int:
        """The bytes of all arrays."""
        return self.memory.nbytes

    @property
    def null_keys(self) -> np.ndarray:
        """By class: how many events had no key for it."""
        return self.memory.per_class(1)

    @property
    def unmatched_closes(self) -> np.ndarray:
        """By class: how many events would have closed what was not open."""
        return self.memory.per_class(2)

    def flow(self, events: Events, n_groups: int) -> Iterator[EngineResults]:
        """Let events flow; yields results whenever there are many."""
        self.memory.grow_lanes(n_groups)
        counters = self.memory.counters
        counters[COUNTER.group], counters[COUNTER.row] = 0, 0
        yield from self._run(lambda arrays: engine.flow(arrays, events.groups, events.bounds, self.user), events)

    def pass_time(self, instants: np.ndarray) -> Iterator[EngineResults]:
        """Close what time alone closes: in each group all that had no event for too long before its instant."""
        if self.memory.tree.n_lanes:
            self.memory.grow_lanes(instants.size)
            self.memory.counters[COUNTER.group] = 0
            yield from self._run(lambda arrays: engine.pass_time(arrays, instants, self.user))

    def end(self) -> Iterator[EngineResults]:
        """The end of the data closes all that is open."""
        yield from self._run(lambda arrays: engine.end(arrays, self.user))

    def _run(self, loop: Callable[[Arrays], int], events: Events | None = None) -> Iterator[EngineResults]:
        """Run a loop of the engine until it is done; whenever it stops there is room to make."""
        while (status := loop(self.memory.arrays(events))) != engine.DONE:
            if status == engine.OVERFLOW:
                raise StreamFramesError(
                    "a sum of whole numbers in a session is too large for a long; cast it to double"
                )
            if not self.memory.grow(status):
                yield self.memory.taken()
                self.memory.widen(status)
        yield self.memory.taken()

    def busy(self, n_groups: int) -> np.ndarray:
        """The groups that have open sessions."""
        memory, groups = self.memory, np.zeros(n_groups, np.bool_)
        groups[memory.records[memory.open_sessions() + RECORD.group]] = True
        return groups

    def earliest(self, instants: np.ndarray) -> np.ndarray:
        """For each group the start of its earliest open session, or its instant; a root that lasts has no say."""
        memory, starts = self.memory, instants.copy()
        places = memory.open_sessions()
        places = places[memory.class_words(places, CLASS.lasting) == 0]
        np.minimum.at(starts, memory.records[places + RECORD.group], memory.records[places + RECORD.start])
        return starts

    def retain(self, numbers: np.ndarray, n_groups: int) -> None:
        """Forget all groups but these, which are numbered anew in this order."""
        memory = self.memory
        memory.grow_lanes(n_groups)
        renumbered = np.full(n_groups, 0)
        renumbered[numbers] = np.arange(numbers.size)
        groups = memory.open_sessions() + RECORD.group
        memory.records[groups] = renumbered[memory.records[groups]]
        width = 2 * memory.tree.n_lanes
        memory.lanes = memory.lanes[: n_groups * width].reshape(n_groups, width)[numbers].reshape(-1).copy()

    def move_to(self, tree: EncodedTree) -> None:
        """Go on with another tree of the same classes; nodes that are in both keep their values."""
        self.memory.move_to(tree)

    def snapshot(self) -> Tree:
        """The open sessions, side by side, and what is counted."""
        memory = self.memory
        memory.move_to(memory.tree)
        top = int(memory.counters[COUNTER.top])
        return {"records": memory.records[:top], "lanes": memory.lanes, "counts": memory.counters}

    def restore(self, saved: Tree) -> None:
        """Go on from what was saved."""
        self.memory.restore(array_at(saved, "records"), array_at(saved, "lanes"), array_at(saved, "counts"))
