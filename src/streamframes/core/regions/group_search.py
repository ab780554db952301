"""The search of one group: its reports resolved, the search that its plan asks for, and what is certain of it.

rows ──> reports ──> columns of resolved reports ──> search ──> ended ──┬──> clusters, where regions must not overlap
                                                        └──> open ──────┴──> fragments
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise

import numpy as np

from streamframes.core.batch.tree import Tree, number_at, tree_at
from streamframes.core.regions.boxes.search import BoxSearch
from streamframes.core.regions.fragments import RegionFragments
from streamframes.core.regions.non_overlapping import Clusters
from streamframes.core.regions.plan import CONNECTED, DURATIONS, RegionSpec
from streamframes.core.regions.rectangles.grid import GridSearch
from streamframes.core.regions.rectangles.scattered import ScatteredSearch
from streamframes.core.regions.reports import HOLDS, NO_LIMIT, ReportResolver
from streamframes.core.regions.types import END, GAP, Emission, RegionGroup, Regions, Search

FEW_ROWS = 4096
_NO_PLACES = np.empty(0, np.int64)


def search_for(plan: RegionSpec) -> Search:
    """The search that a plan asks for."""
    if plan.shape == CONNECTED:
        # Shapely is only needed here.
        from streamframes.core.regions.connected.search import ConnectedSearch

        limits = plan.limits
        return ConnectedSearch(
            plan.n_dims,
            max_step=limits.step,
            min_duration=limits.duration,
            min_extent=limits.extent,
            min_places=limits.places,
            min_times=limits.times,
            per_unit=plan.per_unit,
            names=plan.space,
        )
    if plan.n_dims > 1:
        return BoxSearch(plan.limits)
    if plan.method == DURATIONS:
        return GridSearch(plan.limits)
    return ScatteredSearch(plan.limits, absent=not plan.reading.stations or plan.reading.missing == HOLDS)


class GroupSearch(RegionGroup):
    """The regions of one group."""

    def __init__(self, plan: RegionSpec, listed: np.ndarray, *, live: bool) -> None:
        self.plan = plan
        self.reports = ReportResolver(plan.reading, listed)
        self.search = search_for(plan)
        self.search.add_places(_NO_PLACES, self.reports.places, self.reports.listed)
        self.clusters = Clusters(plan.prefer) if plan.prefer is not None else None
        self.fragments = RegionFragments() if plan.fragments and live else None
        self.latest: int | None = None
        self.open = self.search.open_regions()

    def feed(self, ts: np.ndarray, place: np.ndarray, state: np.ndarray, watermark: int | None) -> Iterator[Emission]:
        """The regions that rows in order decide; then all rows before the watermark have come, if one is given."""
        for low, high in pairwise([0, *self._long_gaps(ts), ts.size]):
            if low < high:
                if self._is_long_gap(int(ts[low])):
                    yield from self.finish(GAP)
                yield from self._take(ts[low:high], place[low:high], state[low:high])
        if watermark is not None and self._is_long_gap(watermark):
            yield from self.finish(GAP)
        certain = self.search.certain() if self.fragments is not None else None
        if self.fragments is not None and certain is not None:
            yield self.fragments.grown(certain)

    def _take(self, ts: np.ndarray, place: np.ndarray, state: np.ndarray) -> Iterator[Emission]:
        self.latest = int(ts[-1])
        at, size = 0, FEW_ROWS
        while at < ts.size:
            # Places that have not reported yet slow down the search: few rows are taken at once where most are new.
            end = ts.size if at + size >= ts.size else int(np.searchsorted(ts, ts[at + size], side="right"))
            before = len(self.reports.places)
            moved, columns = self.reports.feed(ts[at:end], place[at:end], state[at:end])
            if moved is not None:
                self.search.add_places(moved, self.reports.places, self.reports.listed)
            yield from self._ended(self.search.feed(columns))
            size = 4 * size if 8 * (len(self.reports.places) - before) < end - at else FEW_ROWS
            at = end
            self._forget()

    def _forget(self) -> None:
        """Forget places of which nothing matters; those that may be missing always do."""
        left = None if self.plan.may_miss else self.search.forget()
        if left is not None:
            self.reports.retain(left)

    def finish(self, cause: int = END) -> Iterator[Emission]:
        """The regions that the end decides, of the data or by a gap."""
        yield from self._ended(self.search.finish(cause))

    def _ended(self, regions: Regions) -> Iterator[Emission]:
        self.open = self.search.open_regions()
        if self.clusters is not None:
            regions = self.clusters.feed(regions, self.open)
        numbers = self.fragments.ended(regions) if self.fragments is not None else np.zeros(len(regions), np.int64)
        yield Emission(regions, numbers, True)

    def _long_gaps(self, ts: np.ndarray) -> list[int]:
        """The rows before which the whole group has not reported for too long."""
        max_gap = self.plan.reading.max_gap
        if max_gap == NO_LIMIT:
            return []
        return [int(row) for row in np.flatnonzero(np.diff(ts).view(np.uint64) > np.uint64(max_gap)) + 1]

    def _is_long_gap(self, until: int) -> bool:
        """Whether a report at this instant, or later, is too far from the last to share a region with any before."""
        return self.latest is not None and until - self.latest > self.plan.reading.max_gap and len(self.open) > 0

    @property
    def is_idle(self) -> bool:
        """Whether the group can be forgotten."""
        plan = self.plan
        # A place that does not report still stands between others, or is missed.
        remembers = plan.may_miss or plan.limits.step < np.inf or plan.n_dims > 1 or plan.shape == CONNECTED
        return not remembers and not len(self.open) and self.earliest is None

    @property
    def earliest(self) -> int | None:
        """The first instant of anything that is still to be emitted."""
        starts = [int(self.open.start.min())] if len(self.open) else []
        waiting = self.clusters.earliest if self.clusters is not None else None
        return min([*starts, waiting] if waiting is not None else starts, default=None)

    @property
    def n_open(self) -> int:
        """How many regions are open."""
        return self.search.count_open(self.open)

    def take_duplicates(self) -> int:
        """How many reports another of the same place and instant stood in for, since the last call."""
        n_duplicates, self.reports.duplicates = self.reports.duplicates, 0
        return n_duplicates

    def snapshot(self) -> Tree:
        """Everything that must be known to go on later."""
        return {
            "reports": self.reports.snapshot(),
            "search": self.search.snapshot(),
            "clusters": self.clusters.snapshot() if self.clusters is not None else {},
            "early": self.fragments.snapshot() if self.fragments is not None else {},
            "latest": self.latest,
        }

    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot."""
        self.reports.restore(tree_at(tree, "reports"))
        self.search = search_for(self.plan)
        self.search.add_places(_NO_PLACES, self.reports.places, self.reports.listed)
        self.search.restore(tree_at(tree, "search"))
        self.latest = None if tree["latest"] is None else number_at(tree, "latest")
        if self.clusters is not None:
            self.clusters.restore(tree_at(tree, "clusters"))
        if self.fragments is not None:
            self.fragments.restore(tree_at(tree, "early"))
        self.open = self.search.open_regions()
