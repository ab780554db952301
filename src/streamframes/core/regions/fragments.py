"""Fragments: what is certain of a region before it ends.

A span that meets the minimums will be a region: nothing can take from it what it holds. Its start, and where places are
fixed its extent, are final; only its end moves. It is emitted whenever it has grown, and once more when it ends.
"""

from __future__ import annotations

import numpy as np

from streamframes.core.batch.tree import Tree, array_at
from streamframes.core.regions.types import Emission, Regions


class RegionFragments:
    """The open regions of one group that have been emitted: how often, and up to which instant."""

    def __init__(self) -> None:
        self.emitted: dict[tuple[float, ...], tuple[int, int]] = {}

    def grown(self, certain: Regions) -> Emission:
        """Those that are new or have grown, with the number of their fragment."""
        chosen, numbers = [], []
        for i, (name, end) in enumerate(zip(_names(certain), certain.end.tolist(), strict=True)):
            number, before = self.emitted.get(name, (0, None))
            if before is None or end > before:
                self.emitted[name] = (number + 1, end)
                chosen.append(i)
                numbers.append(number)
        return Emission(certain.take(np.array(chosen, np.int64)), np.array(numbers, np.int64), False)

    def ended(self, regions: Regions) -> np.ndarray:
        """The number of the last fragment of each region that has ended."""
        return np.array([self.emitted.pop(name, (0, 0))[0] for name in _names(regions)], np.int64)

    def snapshot(self) -> Tree:
        """Everything that must be known to go on later."""
        return {
            "starts": np.array([start for start, *_ in self.emitted], np.int64),
            "names": np.array([name for _, *name in self.emitted], np.float64),
            "emitted": np.array(list(self.emitted.values()), np.int64).reshape(-1, 2),
        }

    def restore(self, tree: Tree) -> None:
        """Go on from a snapshot."""
        starts, names, emitted = (array_at(tree, name).tolist() for name in ("starts", "names", "emitted"))
        rows = zip(starts, names, emitted, strict=True)
        self.emitted = {(start, *name): (count, end) for start, name, (count, end) in rows}


def _names(regions: Regions) -> list[tuple[float, ...]]:
    return [(start, *name) for start, name in zip(regions.start.tolist(), regions.identity.tolist(), strict=True)]
