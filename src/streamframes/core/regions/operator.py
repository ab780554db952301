"""The regioner: one bucket's rows in order in, regions out.

It has the doors that the framer has, so that tables, streams and fillings carry rows to either.
"""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, ClassVar

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import GroupIndex
from streamframes.core.batch.rows import Rows
from streamframes.core.regions.density.search import CrowdSearch
from streamframes.core.regions.group_search import GroupSearch, Telling
from streamframes.core.regions.plan import DENSITY, RegionPlan
from streamframes.core.regions.reports import BAD
from streamframes.core.regions.results import Results
from streamframes.core.regions.types import FALSE, TRUE

NOT_KNOWN = np.empty(0, np.int64)
_STATES = np.array([BAD, FALSE, TRUE], np.uint8)


class Regioner:
    """A plan at work on the groups of one bucket."""

    FIGURES: ClassVar = ("duplicates",)
    schedule = None

    def __init__(self, plan: RegionPlan, *, live: bool) -> None:
        self.plan = plan
        self.is_live = live
        self.groups = GroupIndex(plan.keys)
        self.searches: list[GroupSearch | CrowdSearch] = []
        self.results = Results(plan)

    def feed(self, rows: Rows, points: np.ndarray = NOT_KNOWN) -> Iterator[pa.RecordBatch]:
        """The results that these rows settle; rows of a group must come in order."""
        self._grow()
        rows, place, state = self._read(rows)
        spoke = dict(zip(rows.groups.tolist(), zip(rows.bounds[:-1], rows.bounds[1:], strict=True), strict=True))
        # Where time goes on, all groups hear of it; else only those with rows.
        for group in range(len(self.groups)) if points.size else spoke:
            low, high = spoke.get(group, (0, 0))
            point = int(points[group]) if points.size else None
            tellings = self.searches[group].feed(rows.ts[low:high], place[low:high], state[low:high], point)
            yield from self._told(group, tellings)

    def _read(self, rows: Rows) -> tuple[Rows, np.ndarray, np.ndarray]:
        """The rows that have a place, the places, and what each row says of its own."""
        first = self.plan.n_ties
        columns = rows.columns[first : first + self.plan.n_dims]
        place = np.stack([np.asarray(column.to_numpy(zero_copy_only=False), np.float64) for column in columns], axis=1)
        there = np.asarray(np.isfinite(place).all(axis=1))
        if not there.all():
            rows, place = rows.filter(there), place[there]
        if self.plan.shape == DENSITY:
            return rows, place, np.empty(len(rows), np.uint8)
        said = rows.columns[first + self.plan.n_dims].to_numpy(zero_copy_only=False)
        return rows, place + 0.0, _STATES[said]

    def _told(self, group: int, tellings: Iterator[Telling]) -> Iterator[pa.RecordBatch]:
        for found, fragments, final in tellings:
            if len(found):
                yield self.results.batch(self.groups, group, found, fragments, final=final)

    def _grow(self) -> None:
        for group in range(len(self.searches), len(self.groups)):
            if self.plan.crowding is not None:
                self.searches.append(CrowdSearch(self.plan, self.plan.crowding))
                continue
            listed = np.empty((0, self.plan.n_dims))
            if self.plan.listed is not None:
                listed = self.plan.listed.of(self.groups.first[group], self.groups.second[group])
            self.searches.append(GroupSearch(self.plan, listed, live=self.is_live))

    def finish(self) -> Iterator[pa.RecordBatch]:
        """The results that the end of the data settles."""
        for group, search in enumerate(self.searches):
            yield from self._told(group, search.finish())

    def counted(self) -> dict[str, int]:
        """Reports that another of the same place and instant stood in for, since this was asked last."""
        n_duplicates = 0
        for search in self.searches:
            if isinstance(search, GroupSearch):
                n_duplicates += search.field.duplicates
                search.field.duplicates = 0
        return {"duplicates": n_duplicates}

    @property
    def is_idle(self) -> np.ndarray:
        """Which groups can be forgotten."""
        idle = [search.is_idle for search in self.searches]
        return np.array(idle + [True] * (len(self.groups) - len(idle)), np.bool_)

    @property
    def n_open(self) -> int:
        """How many regions are open."""
        return sum(search.n_open for search in self.searches)

    @property
    def n_held(self) -> int:
        """Rows are taken at once."""
        return 0

    def untold(self, points: np.ndarray) -> np.ndarray:
        """For each group the instant before which no further region starts."""
        self._grow()
        unit = self.plan.crowding.unit if self.plan.crowding is not None else 1
        starts = points // unit * unit
        for group, search in enumerate(self.searches):
            if search.earliest is not None:
                starts[group] = min(starts[group], search.earliest)
        return starts

    def horizon(self, points: np.ndarray) -> tuple[np.ndarray, np.ndarray]:
        """For each group: the instant before which no further region starts, and up to which all ends are known."""
        starts = self.untold(points)
        return starts, starts - 1

    def keep(self, numbers: np.ndarray) -> None:
        """Forget all groups but these."""
        self._grow()
        self.searches = [self.searches[number] for number in numbers.tolist()]
        self.groups.keep(numbers)

    def save(self) -> dict[str, Any]:
        """Everything that must be known to go on later."""
        self._grow()
        return {"groups": self.groups.save(), "searches": [search.save() for search in self.searches]}

    def load(self, saved: dict[str, Any]) -> None:
        """Go on from what was saved."""
        self.groups.load(saved["groups"])
        self._grow()
        for search, mine in zip(self.searches, saved["searches"], strict=True):
            search.load(mine)
