"""Walls: between neighbouring places that are further apart than `max_step`; no rectangle lies across one."""

from __future__ import annotations

from typing import Any

from streamframes.core.jit.compiled import compiled

# The first column of a place that is not known yet.
NOT_YET = 2**62


@compiled
def build_walls(first: Any, position: Any, step: float, walls: Any) -> None:
    """Which known places have a wall before them: the known place before is further away than a step."""
    before = -1
    for s in range(position.size):
        walls[s] = False
        if first[s] != NOT_YET:
            walls[s] = before >= 0 and position[s] - position[before] > step
            before = s
