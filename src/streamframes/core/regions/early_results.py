"""Fragments: what is certain of a region before it ends.

A span that meets the minimums will be a region: nothing can take from it what it holds. Its start, and where places are
fixed its extent, are final; only its end moves. It is told of whenever it has grown, and once more when it ends.
"""

from __future__ import annotations

from typing import Any

import numpy as np

from streamframes.core.regions.types import Found


class Told:
    """The open regions of one group that have been told of: how often, and up to which instant."""

    def __init__(self) -> None:
        self.known: dict[tuple[float, ...], tuple[int, int]] = {}

    def grown(self, certain: Found) -> tuple[Found, np.ndarray]:
        """Those that are new or have grown, with the number of their fragment."""
        chosen, numbers = [], []
        for i, (name, end) in enumerate(zip(_names(certain), certain.end.tolist(), strict=True)):
            number, before = self.known.get(name, (0, None))
            if before is None or end > before:
                self.known[name] = (number + 1, end)
                chosen.append(i)
                numbers.append(number)
        return certain.take(np.array(chosen, np.int64)), np.array(numbers, np.int64)

    def ended(self, found: Found) -> np.ndarray:
        """The number of the last fragment of each region that has ended."""
        return np.array([self.known.pop(name, (0, 0))[0] for name in _names(found)], np.int64)

    def snapshot(self) -> dict[str, Any]:
        """Everything that must be known to go on later."""
        starts = [int(start) for start, *_ in self.known]
        return {"starts": starts, "names": [name for _, *name in self.known], "told": list(self.known.values())}

    def restore(self, saved: dict[str, Any]) -> None:
        """Go on from what was saved."""
        rows = zip(saved["starts"], saved["names"], saved["told"], strict=True)
        self.known = {(start, *name): (count, end) for start, name, (count, end) in rows}


def _names(found: Found) -> list[tuple[float, ...]]:
    return [(start, *name) for start, name in zip(found.start.tolist(), found.named.tolist(), strict=True)]
