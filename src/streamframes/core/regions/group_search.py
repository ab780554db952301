"""The search of one group: its field of places, the search that its plan asks for, and what has been told of it.

rows ──> field ──> columns of resolved reports ──> search ──> ended ──┬──> clusters, where regions must not overlap
                                                      └──> open ──────┴──> fragments
"""

from __future__ import annotations

from collections.abc import Iterator
from itertools import pairwise
from typing import Any

import numpy as np

from streamframes.core.regions.boxes.search import Boxes
from streamframes.core.regions.connected.search import Connected
from streamframes.core.regions.early_results import Told
from streamframes.core.regions.non_overlapping import Clusters
from streamframes.core.regions.plan import CONNECTED, DURATIONS, RegionSpec
from streamframes.core.regions.rectangles.grid import Durations
from streamframes.core.regions.rectangles.scattered import Spans
from streamframes.core.regions.reports import HOLDS, NO_LIMIT, Field
from streamframes.core.regions.types import END, GAP, Found, Search

FEW_ROWS = 4096
Telling = tuple[Found, np.ndarray, bool]
_NOBODY = np.empty(0, np.int64)


def search_for(plan: RegionSpec) -> Search:
    """The search that a plan asks for."""
    if plan.shape == CONNECTED:
        limits = plan.limits
        return Connected(
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
        return Boxes(plan.limits)
    if plan.method == DURATIONS:
        return Durations(plan.limits)
    return Spans(plan.limits, absent=not plan.reading.stations or plan.reading.missing == HOLDS)


class GroupSearch:
    """The regions of one group."""

    def __init__(self, plan: RegionSpec, listed: np.ndarray, *, live: bool) -> None:
        self.plan = plan
        self.field = Field(plan.reading, listed)
        self.search = search_for(plan)
        self.search.widen(_NOBODY, self.field.places, self.field.listed)
        self.clusters = Clusters(plan.prefer) if plan.prefer is not None else None
        self.told = Told() if plan.fragments and live else None
        self.latest: int | None = None
        self.open = self.search.live()

    def feed(self, ts: np.ndarray, place: np.ndarray, state: np.ndarray, point: int | None) -> Iterator[Telling]:
        """What rows in order settle; then all rows before the point have come, if that is known."""
        for low, high in pairwise([0, *self._silences(ts), ts.size]):
            if low < high:
                if self._is_silent(int(ts[low])):
                    yield from self.finish(GAP)
                yield from self._take(ts[low:high], place[low:high], state[low:high])
        if point is not None and self._is_silent(point):
            yield from self.finish(GAP)
        if self.told is not None and isinstance(self.search, Durations | Spans):
            grown, numbers = self.told.grown(self.search.certain())
            yield grown, numbers, False

    def _take(self, ts: np.ndarray, place: np.ndarray, state: np.ndarray) -> Iterator[Telling]:
        self.latest = int(ts[-1])
        at, size = 0, FEW_ROWS
        while at < ts.size:
            # Places that are still to report are in the way of those that do: few are taken at once where most are new.
            end = ts.size if at + size >= ts.size else int(np.searchsorted(ts, ts[at + size], side="right"))
            before = len(self.field.places)
            moved, columns = self.field.feed(ts[at:end], place[at:end], state[at:end])
            if moved is not None:
                self.search.widen(moved, self.field.places, self.field.listed)
            yield from self._ended(self.search.feed(columns))
            size = 4 * size if 8 * (len(self.field.places) - before) < end - at else FEW_ROWS
            at = end
            self._forget()

    def _forget(self) -> None:
        """Forget places of which nothing matters; those that may be missing always do."""
        if isinstance(self.search, Spans) and not self.plan.may_miss:
            left = self.search.forget()
            if left is not None:
                self.field.retain(left)

    def finish(self, cause: int = END) -> Iterator[Telling]:
        """What the end settles, of the data or by a gap."""
        yield from self._ended(self.search.finish(cause))

    def _ended(self, found: Found) -> Iterator[Telling]:
        self.open = self.search.live()
        if self.clusters is not None:
            found = self.clusters.feed(found, self.open)
        numbers = self.told.ended(found) if self.told is not None else np.zeros(len(found), np.int64)
        yield found, numbers, True

    def _silences(self, ts: np.ndarray) -> list[int]:
        """The rows before which the whole group has been silent for too long."""
        max_gap = self.plan.reading.max_gap
        if max_gap == NO_LIMIT:
            return []
        return [int(row) for row in np.flatnonzero(np.diff(ts).view(np.uint64) > np.uint64(max_gap)) + 1]

    def _is_silent(self, until: int) -> bool:
        """Whether a report at this instant, or later, is too far from the last to share a region with any before."""
        return self.latest is not None and until - self.latest > self.plan.reading.max_gap and len(self.open) > 0

    @property
    def is_idle(self) -> bool:
        """Whether nothing need be known of the group."""
        plan = self.plan
        # A place that is silent still stands between others, or is missed.
        remembers = plan.may_miss or plan.limits.step < np.inf or plan.n_dims > 1 or plan.shape == CONNECTED
        return not remembers and not len(self.open) and self.earliest is None

    @property
    def earliest(self) -> int | None:
        """The first instant of anything that is still to be told."""
        starts = [int(self.open.start.min())] if len(self.open) else []
        waiting = self.clusters.earliest if self.clusters is not None else None
        return min([*starts, waiting] if waiting is not None else starts, default=None)

    @property
    def n_open(self) -> int:
        """How many regions are open."""
        return len(self.search.spans) if isinstance(self.search, Spans) else len(self.open)

    def snapshot(self) -> dict[str, Any]:
        """Everything that must be known to go on later."""
        return {
            "field": self.field.snapshot(),
            "search": self.search.snapshot(),
            "clusters": self.clusters.snapshot() if self.clusters is not None else {},
            "told": self.told.snapshot() if self.told is not None else {},
            "latest": self.latest,
        }

    def restore(self, saved: dict[str, Any]) -> None:
        """Go on from what was saved."""
        self.field.restore(saved["field"])
        self.search = search_for(self.plan)
        self.search.widen(_NOBODY, self.field.places, self.field.listed)
        self.search.restore(saved["search"])
        self.latest = saved["latest"]
        if self.clusters is not None:
            self.clusters.restore(saved["clusters"])
        if self.told is not None:
            self.told.restore(saved["told"])
        self.open = self.search.live()
