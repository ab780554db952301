"""The search for crowds of one group: its points, cell by cell and unit by unit."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import numpy as np

from streamframes.core.regions.density.cells import Density
from streamframes.core.regions.plan import Crowding, RegionSpec
from streamframes.core.regions.types import END, Found, Live


class CrowdSearch:
    """The dense regions of one group."""

    def __init__(self, plan: RegionSpec, crowding: Crowding) -> None:
        self.sides, self.unit = np.array(crowding.sides), crowding.unit
        self.search = Density(
            unit=crowding.unit,
            sides=crowding.sides,
            above=crowding.above,
            min_area=crowding.min_area,
            min_duration=plan.limits.duration,
        )

    def feed(
        self, ts: np.ndarray, place: np.ndarray, state: np.ndarray, point: int | None
    ) -> Iterator[tuple[Found, np.ndarray, bool]]:
        """What points in order settle; then all before the instant `point` have come, if that is known."""
        cells = np.floor(place / self.sides).astype(np.int64)
        yield from _told(self.search.feed(ts, cells, point))

    def finish(self) -> Iterator[tuple[Found, np.ndarray, bool]]:
        """What the end of the data settles."""
        yield from _told(self.search.finish(END))

    @property
    def live(self) -> Live:
        """What is open."""
        return self.search.live()

    @property
    def n_open(self) -> int:
        """How many regions are open."""
        return len(self.live)

    @property
    def is_idle(self) -> bool:
        """Whether nothing need be known of the group."""
        return not len(self.live) and not self.search.pending[0].size

    @property
    def earliest(self) -> int | None:
        """The first instant of anything that is still to be told."""
        starts = [*self.live.start.tolist(), *(self.search.pending[0][:1] * self.unit).tolist()]
        return min(starts, default=None)

    def snapshot(self) -> dict[str, Any]:
        """Everything that must be known to go on later."""
        return self.search.snapshot()

    def restore(self, saved: dict[str, Any]) -> None:
        """Go on from what was saved."""
        self.search.restore(saved)


def _told(found: Found) -> Iterator[tuple[Found, np.ndarray, bool]]:
    yield found, np.zeros(len(found), np.int64), True
