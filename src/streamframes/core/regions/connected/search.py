"""Connected regions: satisfied reports that touch each other in time or in space, whatever their shape.

  place |    # # .        reports of one place touch if no report lies between them, those of one instant if
        |  # # . .        no known place lies between theirs; a jam that moves is one component
        |  # . . #
        +-----------> time

A component is closed when no place's latest report belongs to it. What is open is all that is kept.
"""

from __future__ import annotations

from collections.abc import Iterator, Sequence

import numpy as np
from numpy.typing import ArrayLike

from streamframes.core.batch.tree import Tree, array_at, tree_at
from streamframes.core.regions.connected.cells import times_and_places
from streamframes.core.regions.connected.components import (
    ClosedComponents,
    Components,
    concat,
    extracted,
    no_components,
)
from streamframes.core.regions.connected.neighbours import ALWAYS, NEVER, place_table
from streamframes.core.regions.connected.shapes import described
from streamframes.core.regions.connected.union_find import END, FIRST, IMPUTATIONS, LIVE, ROWS, START, take
from streamframes.core.regions.types import Columns, OpenRegions, Regions, Search

# So many reports are taken at once, which bounds what closed components take up.
_REPORTS_AT_ONCE = 1 << 14


class ConnectedSearch(Search):
    """The connected components of one group.

    Parameters
    ----------
    ndim
        1 for places along a line, 2 for places in a plane.
    max_step
        Neighbouring places further apart than this do not touch; one number, or one for each axis.
    min_duration, min_extent, min_places, min_times
        Components that are shorter (ticks), narrower (one number, or one for each axis), or have fewer places or
        columns are left out.
    per_unit
        How many ticks make a unit of time in areas and outlines.
    names
        One name for each axis of space.
    """

    def __init__(
        self,
        ndim: int = 1,
        *,
        max_step: ArrayLike = np.inf,
        min_duration: int = 0,
        min_extent: ArrayLike = 0.0,
        min_places: int = 1,
        min_times: int = 1,
        per_unit: float = 1.0,
        names: Sequence[str] = ("x", "y"),
    ) -> None:
        self.ndim = ndim
        self.step = np.array(np.broadcast_to(np.asarray(max_step, np.float64), ndim))
        self.min_extent = np.array(np.broadcast_to(np.asarray(min_extent, np.float64), ndim))
        self.min_duration, self.min_places, self.min_times = min_duration, min_places, min_times
        self.per_unit, self.names = per_unit, tuple(names)[:ndim]
        self.components = Components(ndim)
        self.table = place_table(np.empty((0, ndim)), np.empty(0, np.int64), np.empty(0, np.int64))

    def add_places(self, moved_to: np.ndarray, places: np.ndarray, listed: np.ndarray | None = None) -> None:
        """Place i is moved_to[i] from now on. Those listed are known at once, the others when they report."""
        since, label = np.full(places.shape[0], NEVER), np.full(places.shape[0], -1)
        since[moved_to], label[moved_to] = self.table.since, self.table.label
        if listed is not None:
            now = ALWAYS if self.components.latest is None else self.components.latest + 1
            since[listed & (since == NEVER)] = now
        self.components.renumber(moved_to)
        self.table = place_table(np.ascontiguousarray(places, np.float64), since, label)

    def feed(self, columns: Columns) -> Regions:
        """Take columns; returns what they close, by the column that does, start, and first place."""
        pieces = [piece for block in _blocks(columns) if (piece := self._take_block(block)) is not None]
        self.components.trim(self.table.label)
        return self._regions(pieces)

    def _take_block(self, columns: Columns) -> ClosedComponents | None:
        reports, times = int(columns.bounds[-1] - columns.bounds[0]), columns.times
        components, label = self.components, self.table.label
        components.reserve(reports, times.size, label)
        number = components.add_columns(times)
        closed = take(
            self.table, self.step, components.facts, components.box, components.runs, components.count, times,
            columns.bounds, columns.place_id, columns.code, number,
        )  # fmt: skip
        closed = closed[self._may_be_large(closed[:, 0])]
        closed = closed[components.by_start(closed[:, 0], closed[:, 1])]
        return extracted(components, closed[:, 0], closed[:, 2].copy()) if closed.size else None

    def _may_be_large(self, roots: np.ndarray) -> np.ndarray:
        """Which are large enough, as far as is known without a look at their runs."""
        facts, box = self.components.facts[roots], self.components.box[roots]
        enough = facts[:, ROWS] >= max(self.min_places, self.min_times)
        enough &= facts[:, END] - facts[:, START] >= self.min_duration
        wide: np.ndarray = box[:, self.ndim :] - box[:, : self.ndim] >= self.min_extent
        return np.asarray(enough & wide.all(axis=1))

    def finish(self, cause: int) -> Regions:
        """Everything that is open, closed by this."""
        roots = self.components.open()
        large = roots[self._may_be_large(roots)]
        closed = extracted(self.components, large, np.full(large.size, cause))
        self.table.label[:] = -1
        self.components.facts[roots, LIVE] = 0
        self.components.compact(self.table.label)
        return self._regions([closed])

    def _regions(self, pieces: Sequence[ClosedComponents]) -> Regions:
        closed = concat(pieces) if pieces else no_components(self.ndim)
        times, places = times_and_places(self.table.since, closed.bounds, closed.columns, closed.spans)
        enough = (times >= self.min_times) & (places >= self.min_places)
        if not enough.all():
            closed, places = closed.only(enough), places[enough]
        return Regions(
            start=closed.facts[:, START],
            end=closed.facts[:, END],
            low=closed.box[:, : self.ndim],
            high=closed.box[:, self.ndim :],
            rows=closed.facts[:, ROWS],
            places=places,
            imputed=closed.facts[:, IMPUTATIONS],
            cause=closed.cause,
            identity=self.table.places[closed.facts[:, FIRST]],
            more=described(self.table, self.step, closed, per_unit=self.per_unit, names=self.names),
        )

    def open_regions(self) -> OpenRegions:
        """What is open, by start and first place."""
        roots = self.components.open()
        box = self.components.box[roots]
        return OpenRegions(self.components.facts[roots, START], box[:, : self.ndim], box[:, self.ndim :])

    def snapshot(self) -> Tree:
        """Everything that must be known to go on later."""
        self.components.compact(self.table.label)
        table = {"places": self.table.places.copy(), "since": self.table.since.copy(), "label": self.table.label.copy()}
        return {"table": table, "components": self.components.snapshot()}

    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot."""
        table = tree_at(tree, "table")
        self.table = place_table(*(array_at(table, name).copy() for name in ("places", "since", "label")))
        self.components.restore(tree_at(tree, "components"))


def _blocks(columns: Columns) -> Iterator[Columns]:
    """Columns in blocks of at most so many reports, or of one column."""
    first, times, bounds = 0, columns.times, columns.bounds
    while first < times.size:
        last = int(np.searchsorted(bounds, bounds[first] + _REPORTS_AT_ONCE, side="right")) - 1
        last = min(max(last, first + 1), times.size)
        yield Columns(times[first:last], bounds[first : last + 1], columns.place_id, columns.code)
        first = last
