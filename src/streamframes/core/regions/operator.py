"""The operator of regions: one bucket's rows in order in, regions out."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from typing import cast

import numpy as np
import pyarrow as pa

from streamframes.core.batch.groups import GroupIndex
from streamframes.core.batch.rows import Rows
from streamframes.core.batch.tree import Tree, tree_at, trees_at
from streamframes.core.operator import state_codec
from streamframes.core.operator.protocol import NO_WATERMARKS, Operator, OperatorPlan
from streamframes.core.regions.density.search import DensityGroup
from streamframes.core.regions.group_search import GroupSearch
from streamframes.core.regions.plan import DENSITY, RegionSpec
from streamframes.core.regions.reports import BAD
from streamframes.core.regions.results import RegionBatches
from streamframes.core.regions.types import FALSE, TRUE, Emission, RegionGroup

_STATES = np.array([BAD, FALSE, TRUE], np.uint8)


@dataclass(frozen=True)
class RegionPlan(RegionSpec, OperatorPlan):
    """The plan of a search for regions."""

    def operator(self, *, live: bool = False) -> RegionOperator:
        """The plan at work on the groups of one bucket; only a live one reports fragments before the end."""
        return RegionOperator(self, live=live)

    @property
    def lookup(self) -> tuple[pa.DataType, ...]:
        """The columns of a table of places: groups, if it has them, and coordinates."""
        return () if self.unread is None else (*self.unread.keys, *[pa.float64()] * self.n_dims)

    def with_lookup(self, columns: Sequence[pa.Array]) -> RegionPlan:
        """The plan with the places of a table."""
        return self if self.unread is None else replace(self, listed=self.unread.listed(columns), unread=None)

    @property
    def is_early(self) -> bool:
        """Whether results can be reported before they are certain."""
        return True

    @property
    def amends(self) -> bool:
        """Whether late rows can amend results."""
        return True

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
        self.searches: list[RegionGroup] = []
        self.results = RegionBatches(plan)

    def feed(self, rows: Rows, watermarks: np.ndarray = NO_WATERMARKS) -> Iterator[pa.RecordBatch]:
        """The results that these rows decide; rows of a group must come in order."""
        self.grow()
        rows, place, state = self._read(rows)
        bounds = dict(zip(rows.groups.tolist(), zip(rows.bounds[:-1], rows.bounds[1:], strict=True), strict=True))
        # Where time goes on, every group gets its watermark; else only those with rows are looked at.
        for group in range(len(self.groups)) if watermarks.size else bounds:
            low, high = bounds.get(group, (0, 0))
            watermark = int(watermarks[group]) if watermarks.size else None
            emissions = self.searches[group].feed(rows.ts[low:high], place[low:high], state[low:high], watermark)
            yield from self._batches(group, emissions)

    def _read(self, rows: Rows) -> tuple[Rows, np.ndarray, np.ndarray]:
        """The rows that have a place, the places, and the state that each row reports."""
        first = self.plan.n_ties
        columns = rows.columns[first : first + self.plan.n_dims]
        place = np.stack([np.asarray(column.to_numpy(zero_copy_only=False), np.float64) for column in columns], axis=1)
        is_placed = np.asarray(np.isfinite(place).all(axis=1))
        if not is_placed.all():
            rows, place = rows.filter(is_placed), place[is_placed]
        if self.plan.shape == DENSITY:
            return rows, place, np.empty(len(rows), np.uint8)
        states = rows.columns[first + self.plan.n_dims].to_numpy(zero_copy_only=False)
        return rows, place + 0.0, _STATES[states]

    def _batches(self, group: int, emissions: Iterator[Emission]) -> Iterator[pa.RecordBatch]:
        for emission in emissions:
            if len(emission.regions):
                yield self.results.batch(self.groups, group, emission)

    def grow(self) -> None:
        """Make room for groups that are new."""
        for group in range(len(self.searches), len(self.groups)):
            if self.plan.density is not None:
                self.searches.append(DensityGroup(self.plan, self.plan.density))
                continue
            listed = np.empty((0, self.plan.n_dims))
            if self.plan.listed is not None:
                listed = self.plan.listed.of(self.groups.first[group], self.groups.second[group])
            self.searches.append(GroupSearch(self.plan, listed, live=self.is_live))

    def finish(self) -> Iterator[pa.RecordBatch]:
        """The results that the end of the data decides."""
        for group, search in enumerate(self.searches):
            yield from self._batches(group, search.finish())

    def figures(self) -> dict[str, int]:
        """Open regions; and reports that another of the same place and instant stood in for, since the last call."""
        n_duplicates = sum(search.take_duplicates() for search in self.searches)
        n_open = sum(search.n_open for search in self.searches)
        return {"open": n_open, "held": 0, "duplicates": n_duplicates}

    def idle_groups(self) -> np.ndarray:
        """For each group whether it can be forgotten."""
        idle = [search.is_idle for search in self.searches]
        return np.array(idle + [True] * (len(self.groups) - len(idle)), np.bool_)

    def min_unreported_start(self, watermarks: np.ndarray) -> np.ndarray:
        """For each group the instant before which no further region starts."""
        self.grow()
        unit = self.plan.density.unit if self.plan.density is not None else 1
        starts = watermarks // unit * unit
        for group, search in enumerate(self.searches):
            if search.earliest is not None:
                starts[group] = min(starts[group], search.earliest)
        return starts

    def retain(self, numbers: np.ndarray) -> None:
        """Forget all groups but these."""
        self.grow()
        self.searches = [self.searches[number] for number in numbers.tolist()]
        self.groups.retain(numbers)

    def copy(self, numbers: np.ndarray) -> RegionOperator:
        """An operator that goes on from here with these groups alone, numbered anew; nothing changes here."""
        self.grow()
        made = RegionOperator(self.plan, live=self.is_live)
        keys = pa.RecordBatch.from_arrays(self.groups.values(numbers), schema=self.plan.keys)
        made.groups.numbers(self.groups.first[numbers], self.groups.second[numbers], keys)
        made.grow()
        for search, number in zip(made.searches, numbers.tolist(), strict=True):
            search.restore(state_codec.copied(self.searches[number].snapshot()))
        return made

    def adopt(self, numbers: np.ndarray, other: Operator, theirs: np.ndarray) -> None:
        """Take what another operator of the plan knows of `theirs` as what is known of `numbers`."""
        others = cast(RegionOperator, other)
        self.grow()
        others.grow()
        for number, their in zip(numbers.tolist(), theirs.tolist(), strict=True):
            self.searches[number] = others.searches[their]

    def snapshot(self) -> Tree:
        """Everything that must be known to go on later."""
        self.grow()
        return {"groups": self.groups.snapshot(), "searches": [search.snapshot() for search in self.searches]}

    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot."""
        self.groups.restore(tree_at(tree, "groups"))
        self.grow()
        for search, mine in zip(self.searches, trees_at(tree, "searches"), strict=True):
            search.restore(mine)
