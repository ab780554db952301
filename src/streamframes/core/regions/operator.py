"""The operator: one bucket's rows in order in, regions out."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass
from typing import Any

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import GroupIndex
from streamframes.core.batch.rows import Rows
from streamframes.core.operator.protocol import NO_WATERMARKS, Operator, OperatorPlan
from streamframes.core.regions.density.search import CrowdSearch
from streamframes.core.regions.group_search import GroupSearch, Telling
from streamframes.core.regions.plan import DENSITY, RegionSpec
from streamframes.core.regions.reports import BAD
from streamframes.core.regions.results import Results
from streamframes.core.regions.types import FALSE, TRUE

_STATES = np.array([BAD, FALSE, TRUE], np.uint8)


@dataclass(frozen=True)
class RegionPlan(RegionSpec, OperatorPlan):
    """The plan of a search for regions."""

    def operator(self, *, live: bool = False) -> RegionOperator:
        """The plan at work on the groups of one bucket; only a live one reports fragments before the end."""
        return RegionOperator(self, live=live)

    @property
    def counters(self) -> tuple[str, ...]:
        """Reports that share place and instant with another."""
        return ("duplicates",)


class RegionOperator(Operator):
    """A plan at work on the groups of one bucket."""

    def __init__(self, plan: RegionSpec, *, live: bool) -> None:
        self.plan = plan
        self.is_live = live
        self.groups = GroupIndex(plan.keys)
        self.searches: list[GroupSearch | CrowdSearch] = []
        self.results = Results(plan)

    def feed(self, rows: Rows, watermarks: np.ndarray = NO_WATERMARKS) -> Iterator[pa.RecordBatch]:
        """The results that these rows settle; rows of a group must come in order."""
        self._grow()
        rows, place, state = self._read(rows)
        spoke = dict(zip(rows.groups.tolist(), zip(rows.bounds[:-1], rows.bounds[1:], strict=True), strict=True))
        # Where time goes on, all groups hear of it; else only those with rows.
        for group in range(len(self.groups)) if watermarks.size else spoke:
            low, high = spoke.get(group, (0, 0))
            point = int(watermarks[group]) if watermarks.size else None
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

    def figures(self) -> dict[str, int]:
        """Open regions; and reports that another of the same place and instant stood in for, since the last call."""
        n_duplicates = 0
        for search in self.searches:
            if isinstance(search, GroupSearch):
                n_duplicates += search.field.duplicates
                search.field.duplicates = 0
        n_open = sum(search.n_open for search in self.searches)
        return {"open": n_open, "held": 0, "duplicates": n_duplicates}

    def idle_groups(self) -> np.ndarray:
        """For each group whether it can be forgotten."""
        idle = [search.is_idle for search in self.searches]
        return np.array(idle + [True] * (len(self.groups) - len(idle)), np.bool_)

    def min_unreported_start(self, watermarks: np.ndarray) -> np.ndarray:
        """For each group the instant before which no further region starts."""
        self._grow()
        unit = self.plan.crowding.unit if self.plan.crowding is not None else 1
        starts = watermarks // unit * unit
        for group, search in enumerate(self.searches):
            if search.earliest is not None:
                starts[group] = min(starts[group], search.earliest)
        return starts

    def retain(self, numbers: np.ndarray) -> None:
        """Forget all groups but these."""
        self._grow()
        self.searches = [self.searches[number] for number in numbers.tolist()]
        self.groups.retain(numbers)

    def snapshot(self) -> dict[str, Any]:
        """Everything that must be known to go on later."""
        self._grow()
        return {"groups": self.groups.snapshot(), "searches": [search.snapshot() for search in self.searches]}

    def restore(self, saved: dict[str, Any]) -> None:
        """Go on from what was saved."""
        self.groups.restore(saved["groups"])
        self._grow()
        for search, mine in zip(self.searches, saved["searches"], strict=True):
            search.restore(mine)
