"""Density regions: where points are dense in each unit of time, linked over successive units.

  points ──> counts a unit and cell ──> regions of a complete unit (growth) ──> linked over units

A unit is complete when all points before its end have come; with it ends whatever has no region in it.
"""

from __future__ import annotations

import math
from collections.abc import Iterator, Sequence
from itertools import groupby

import numpy as np

from streamframes.core.batch.tree import Tree, array_at, number_at, tree_at
from streamframes.core.regions.density.growth import CELLS, COUNT, POINTS, UNIT, A, B, counted, grow
from streamframes.core.regions.density.linking import Linked, Links, as_cells
from streamframes.core.regions.plan import DensitySettings, RegionSpec
from streamframes.core.regions.types import (
    CONDITION,
    END,
    ROUNDING,
    Emission,
    OpenRegions,
    RegionGroup,
    Regions,
    concat,
)
from streamframes.errors import InvalidArgument, StreamFramesError

MOST_CELLS = 1_000_000
# Of points that wait: their units, cells in two dimensions, and how many points each stands for.
_PENDING = ("unit", "a", "b", "weight")


class DensitySearch:
    """The search for density regions of one group.

    Parameters
    ----------
    unit
        How long a unit of time is, in ticks; unit k starts at k * unit.
    bin_sizes
        The size of a cell in each dimension, one or two.
    above
        The least mean density of a region, in points per square unit.
    min_area
        The least area of a region in each unit.
    min_duration
        How long it must last at least, in ticks.

    Examples
    --------
    >>> search = DensitySearch(unit=10, bin_sizes=(2.0,), above=1.0)
    >>> regions = search.feed(np.array([1, 2, 5, 12]), np.array([[3], [3], [4], [8]]), upto=20)
    >>> regions.start.tolist(), regions.end.tolist(), regions.low.tolist(), regions.high.tolist(), regions.rows.tolist()
    ([0], [10], [[6.0]], [[8.0]], [2])
    """

    def __init__(
        self, *, unit: int, bin_sizes: Sequence[float], above: float, min_area: float = 0.0, min_duration: int = 0
    ) -> None:  # fmt: skip
        if not above > 0:
            raise InvalidArgument(f"density got above={above!r}; it must be larger than 0")
        self.unit, self.above, self.min_duration = unit, float(above), min_duration
        self.bin_sizes = np.array(bin_sizes, np.float64)
        self.area = float(math.prod(bin_sizes))
        # 0.7 * 0.7 is less than 0.49: an area that falls short by so little is large enough.
        need = min_area / self.area * (1 - ROUNDING)
        if need > MOST_CELLS:
            raise StreamFramesError(
                f"density got min_area={min_area!r}, which is {need:.3g} cells of {self.area!r}; "
                f"take larger bins, so that it is {MOST_CELLS:,} at most"
            )
        self.need = max(1, math.ceil(need))
        self.links = Links(self.area)
        self.complete: int | None = None
        self.pending: tuple[np.ndarray, ...] = _nothing()

    def feed(self, ts: np.ndarray, cells: np.ndarray, upto: int | None = None) -> Regions:
        """Take points in the order of time; the regions that have ended once all points before `upto` have come."""
        units = ts // self.unit
        ends = [each for each in (self.complete, None if upto is None else upto // self.unit) if each is not None]
        if units.size:
            if self.complete is not None and units[0] < self.complete:
                raise StreamFramesError(f"a point at tick {ts[0]} came after all points of its unit should have come")
            ends.append(int(units[-1]))
        if not ends:
            return self._regions([])
        self.complete = max(ends)
        second = cells[:, 1] if cells.shape[1] == 2 else np.zeros(units.size, np.int64)
        fresh = (units, cells[:, 0], second, np.ones(units.size, np.int64))
        points = [np.concatenate(both) for both in zip(self.pending, fresh, strict=True)]
        cut = int(np.searchsorted(points[0], self.complete))
        self._keep_waiting([each[cut:] for each in points])
        ended = self._link([each[:cut] for each in points])
        if self.links.newest < self.complete - 1:
            ended += self.links.step(self.complete - 1, [])
        return self._regions(ended)

    def _keep_waiting(self, points: list[np.ndarray]) -> None:
        """Keep the points of units that are not complete, as counts a cell."""
        units, a, b, weight = points
        tables = [np.empty((0, 4), np.int64)]
        for unit in np.unique(units).tolist():
            mine = slice(*np.searchsorted(units, [unit, unit + 1]).tolist())
            table, _, n = counted(a[mine], b[mine], weight[mine])
            tables.append(np.column_stack([np.full(n, unit), table[:n, A], table[:n, B], table[:n, COUNT]]))
        self.pending = tuple(np.concatenate(tables).T.copy())

    def _link(self, points: list[np.ndarray]) -> list[Linked]:
        """Find and link the regions of complete units; what has ended."""
        units, a, b, weight = (np.ascontiguousarray(each, np.int64) for each in points)
        regions, taken = grow(units, a, b, weight, self.need, self.area, self.above, 2 * self.bin_sizes.size)
        bounds = [0, *np.cumsum(regions[:, CELLS]).tolist()]
        cells = as_cells(taken)
        ended: list[Linked] = []
        for unit, mine in groupby(range(regions.shape[0]), key=regions[:, UNIT].tolist().__getitem__):
            dense = [(cells[bounds[r] : bounds[r + 1]], int(regions[r, POINTS])) for r in mine]
            ended += self.links.step(unit, dense)
        return ended

    def finish(self, cause: int) -> Regions:
        """What is open, with the last unit as it stands; nothing is open afterwards."""
        units = self.pending[0]
        ended = self._link(list(self.pending))
        if units.size and self.links.newest < units[-1]:
            ended += self.links.step(int(units[-1]), [])
        before, still = self._regions(ended), self._regions(self.links.open())
        still.cause[:] = cause
        self.links, self.pending = Links(self.area), _nothing()
        return concat([before, still])

    def open_regions(self) -> OpenRegions:
        """What is open; points of a unit that is not complete may open more from its start on."""
        regions = self._regions(self.links.open(), min_duration=0)
        return OpenRegions(regions.start, regions.low, regions.high)

    def _regions(self, linked: list[Linked], min_duration: int | None = None) -> Regions:
        least = self.min_duration if min_duration is None else min_duration
        chosen = [each for each in linked if (each.last + 1 - each.first) * self.unit >= least]
        chosen.sort(key=lambda each: (each.last, each.first, each.name))
        n_dims = self.bin_sizes.size
        boxes = np.array([each.box() for each in chosen], np.float64).reshape(-1, 2, 2)[:, :, :n_dims]
        names = np.array([each.name for each in chosen], np.float64).reshape(-1, 2)[:, :n_dims]
        area = self.area
        more = {
            "area": np.array([max(each.sizes) * area for each in chosen], np.float64),
            "peak": np.array([each.peak for each in chosen], np.float64),
            "density": np.array([each.points / (sum(each.sizes) * area) for each in chosen], np.float64),
        }
        return Regions(
            start=np.array([each.first * self.unit for each in chosen], np.int64),
            end=np.array([(each.last + 1) * self.unit for each in chosen], np.int64),
            low=boxes[:, 0] * self.bin_sizes,
            high=(boxes[:, 1] + 1) * self.bin_sizes,
            rows=np.array([each.points for each in chosen], np.int64),
            places=np.array([len(each.cells) for each in chosen], np.int64),
            imputed=np.zeros(len(chosen), np.int64),
            cause=np.full(len(chosen), CONDITION, np.int64),
            identity=names * self.bin_sizes,
            more=more,
        )

    def snapshot(self) -> Tree:
        """Everything that must be known to go on later."""
        pending = dict(zip(_PENDING, self.pending, strict=True))
        return {"links": self.links.snapshot(), "complete": self.complete, "pending": pending}

    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot."""
        self.links = Links(self.area)
        self.links.restore(tree_at(tree, "links"))
        self.complete = None if tree["complete"] is None else number_at(tree, "complete")
        self.pending = tuple(array_at(tree_at(tree, "pending"), name) for name in _PENDING)


def _nothing() -> tuple[np.ndarray, ...]:
    """No points that wait."""
    return (np.empty(0, np.int64),) * 4


class DensityGroup(RegionGroup):
    """The dense regions of one group: its points, cell by cell and unit by unit."""

    def __init__(self, plan: RegionSpec, settings: DensitySettings) -> None:
        self.bin_sizes, self.unit = np.array(settings.bin_sizes), settings.unit
        self.search = DensitySearch(
            unit=settings.unit,
            bin_sizes=settings.bin_sizes,
            above=settings.above,
            min_area=settings.min_area,
            min_duration=plan.limits.duration,
        )

    def feed(self, ts: np.ndarray, place: np.ndarray, state: np.ndarray, watermark: int | None) -> Iterator[Emission]:
        """The regions that points in order decide; then all before the watermark have come, if one is given."""
        cells = np.floor(place / self.bin_sizes).astype(np.int64)
        yield _emission(self.search.feed(ts, cells, watermark))

    def finish(self) -> Iterator[Emission]:
        """The regions that the end of the data decides."""
        yield _emission(self.search.finish(END))

    @property
    def n_open(self) -> int:
        """How many regions are open."""
        return len(self.search.open_regions())

    @property
    def is_idle(self) -> bool:
        """Whether the group can be forgotten."""
        return not self.n_open and not self.search.pending[0].size

    @property
    def earliest(self) -> int | None:
        """The first instant of anything that is still to be emitted."""
        first_pending = (self.search.pending[0][:1] * self.unit).tolist()
        return min([*self.search.open_regions().start.tolist(), *first_pending], default=None)

    def snapshot(self) -> Tree:
        """Everything that must be known to go on later."""
        return self.search.snapshot()

    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot."""
        self.search.restore(tree)


def _emission(regions: Regions) -> Emission:
    return Emission(regions, np.zeros(len(regions), np.int64), True)
