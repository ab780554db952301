"""Boxes by their definition: every span of columns and every range of coordinates, then those that none contains."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import combinations_with_replacement, pairwise

Place = tuple[float, float]
# Start, end, (low x, low y), (high x, high y), rows, places, imputed, cause.
Box = tuple[int, int, Place, Place, int, int, int, int]


@dataclass
class World:
    """Reports by column: place -> "T" true, "I" imputed, "F" false, "H" held, "!" after T or I: after a gap."""

    times: list[int]
    reports: list[dict[Place, str]]
    listed: set[Place] = field(default_factory=set)
    step: float = float("inf")

    def known(self, column: int) -> set[Place]:
        """The places known at a column."""
        return self.listed.union(*self.reports[: column + 1])

    def lattice(self, column: int, low: Place, high: Place) -> set[Place]:
        """The points of known x and known y in a range."""
        xs, ys = ({place[axis] for place in self.known(column)} for axis in (0, 1))
        return {(x, y) for x in xs for y in ys if low[0] <= x <= high[0] and low[1] <= y <= high[1]}

    def blocked(self, column: int, low: Place, high: Place) -> bool:
        """Whether a point in a range does not satisfy the condition at a column, or is no place."""
        said = self.reports[column]
        return any(said.get(point, "F")[0] not in "TI" for point in self.lattice(column, low, high))

    def inside(self, start: int, end: int, low: Place, high: Place) -> list[tuple[int, Place, str]]:
        """The reports in a box."""
        return [
            (c, place, said)
            for c in range(start, end + 1)
            for place, said in self.reports[c].items()
            if low[0] <= place[0] <= high[0] and low[1] <= place[1] <= high[1]
        ]

    def valid(self, start: int, end: int, low: Place, high: Place) -> bool:
        """Whether this is a box, maximal or not."""
        if any(self.blocked(c, low, high) for c in range(start, end + 1)):
            return False
        inside = self.inside(start, end, low, high)
        earlier: set[Place] = set()
        for _, place, said in inside:
            if "!" in said and place in earlier:
                return False
            earlier.add(place)
        touched = {c for c, _, _ in inside} >= {start, end}
        for axis in (0, 1):
            at = sorted({place[axis] for _, place, _ in inside})
            touched = touched and bool(at) and (at[0], at[-1]) == (low[axis], high[axis])
            touched = touched and all(b - a <= self.step for a, b in pairwise(at))
        return touched


def _boxes(world: World, last: int) -> list[tuple[int, int, Place, Place]]:
    places = world.known(last)
    ranges = [list(combinations_with_replacement(sorted({p[axis] for p in places}), 2)) for axis in (0, 1)]
    return [
        (start, end, (x[0], y[0]), (x[1], y[1]))
        for start, end in combinations_with_replacement(range(last + 1), 2)
        for x in ranges[0]
        for y in ranges[1]
        if world.valid(start, end, (x[0], y[0]), (x[1], y[1]))
    ]


def _contains(a: tuple[int, int, Place, Place], b: tuple[int, int, Place, Place]) -> bool:
    in_time = a[0] <= b[0] and a[1] >= b[1]
    return a != b and in_time and all(a[2][k] <= b[2][k] and a[3][k] >= b[3][k] for k in (0, 1))


def boxes(
    world: World,
    *,
    duration: int = 0,
    extent: Place = (0.0, 0.0),
    times: int = 1,
    places: int = 1,
) -> list[Box]:  # fmt: skip
    """All maximal boxes that are large enough, in order."""
    n = len(world.times)
    valid = _boxes(world, n - 1)
    out = []
    for box in valid:
        start, end, low, high = box
        if any(_contains(other, box) for other in valid):
            continue
        inside = world.inside(*box)
        n_places = len({place for _, place, _ in inside})
        from_ts, to_ts = world.times[start], world.times[end]
        small = to_ts - from_ts < duration or any(high[k] - low[k] < extent[k] for k in (0, 1))
        if small or n_places < places or end - start + 1 < times:
            continue
        cause = 4 if end == n - 1 else 1 if world.blocked(end + 1, low, high) else 2
        imputed = sum(said[0] == "I" for _, _, said in inside)
        out.append((from_ts, to_ts, low, high, len(inside), n_places, imputed, cause))
    return sorted(out)


def open_boxes(world: World) -> list[tuple[int, Place, Place]]:
    """The maximal boxes that last up to the last column."""
    return sorted((start, low, high) for start, _, low, high, *_, cause in boxes(world) if cause == 4)
