"""Connected regions by their definition: reports are joined one pair after the other."""

from __future__ import annotations

from collections.abc import Hashable, Iterable, Iterator, Sequence
from itertools import pairwise
from typing import NamedTuple, TypeVar

from tests.oracles.region_reports import Options, Place, Report, Resolved, stretches
from tests.oracles.regions import CONDITION, END, GAP

Node = TypeVar("Node", bound=Hashable)


class Component(NamedTuple):
    """A connected region: its box and its cells, each an instant and a place."""

    start: int
    end: int
    low: Place
    high: Place
    rows: int
    places: int
    imputed: int
    closed_by: str
    cells: tuple[tuple[int, Place], ...]


def components(resolved: Resolved, options: Options) -> list[Component]:
    """The connected regions of satisfied reports, at places on a line or in the plane.

    Examples
    --------
    Place 1 goes on after place 2 has ended; place 3 is too far from them.

    >>> from tests.oracles.region_reports import Raw, resolve
    >>> raw = [Raw(0, (1.0,), True), Raw(0, (2.0,), True), Raw(1, (1.0,), True), Raw(1, (2.0,), False)]
    >>> raw += [Raw(1, (3.5,), True)]
    >>> for region in components(resolve(raw, Options()), Options(max_step=1.0)):
    ...     print(region.start, region.end, region.low, region.high, region.closed_by, region.cells)
    0 1 (1.0,) (2.0,) end of data ((0, (1.0,)), (0, (2.0,)), (1, (1.0,)))
    1 1 (3.5,) (3.5,) end of data ((1, (3.5,)),)
    """
    *before, last = stretches(resolved, options)
    ended = [
        each._replace(closed_by=GAP) if each.closed_by == END else each
        for part in before
        for each in _of(part, options)
    ]
    return sorted([*ended, *_of(last, options)])


def _of(resolved: Resolved, options: Options) -> list[Component]:
    true = [report for report in resolved.reports if report.true]
    pairs = [*_successive(resolved), *_neighbouring(resolved, options)]
    found = [_component(resolved, sorted(each)) for each in joined_sets(true, pairs)]
    return [each for each in found if _is_large(each, options)]


def _successive(resolved: Resolved) -> Iterator[tuple[Report, Report]]:
    """Successive reports of a place that go together."""
    for place in resolved.since:
        for before, after in pairwise(report for report in resolved.reports if report.place == place):
            if before.true and after.true and not after.broken:
                yield before, after


def _neighbouring(resolved: Resolved, options: Options) -> Iterator[tuple[Report, Report]]:
    """Reports of one instant of two places with no known place between them, along any axis."""
    true = {(report.ts, report.place): report for report in resolved.reports if report.true}
    for (ts, place), report in true.items():
        known = [other for other, since in resolved.since.items() if since <= ts]
        for axis, x in enumerate(place):
            line = [other for other in known if _without(other, axis) == _without(place, axis) and other[axis] > x]
            after = min(line, default=None)
            if after is None or (ts, after) not in true:
                continue
            if options.max_step is None or after[axis] - x <= options.max_step:
                yield report, true[ts, after]


def _without(place: Place, axis: int) -> Place:
    return place[:axis] + place[axis + 1 :]


def joined_sets(nodes: Iterable[Node], pairs: Iterable[tuple[Node, Node]]) -> list[set[Node]]:
    """The connected sets."""
    sets = [{node} for node in nodes]
    for a, b in pairs:
        touched = [each for each in sets if a in each or b in each]
        sets = [each for each in sets if each not in touched] + [set().union(*touched)]
    return sets


def _component(resolved: Resolved, reports: Sequence[Report]) -> Component:
    times = [report.ts for report in reports]
    places = [report.place for report in reports]
    axes = list(zip(*places, strict=True))
    low, high = tuple(map(min, axes)), tuple(map(max, axes))
    imputed = sum(report.imputed for report in reports)
    cells = tuple(zip(times, places, strict=True))
    closed_by = _end_of_component(resolved, reports)
    return Component(min(times), max(times), low, high, len(cells), len(set(places)), imputed, closed_by, cells)


def _end_of_component(resolved: Resolved, reports: Sequence[Report]) -> str:
    """Why its last place left it; a report that does not satisfy comes before a gap at the same instant."""
    left = []
    for place in {report.place for report in reports}:
        last = max(report.ts for report in reports if report.place == place)
        later = [report for report in resolved.reports if report.place == place and report.ts > last]
        if not later:
            return END
        left.append((later[0].ts, GAP if later[0].true else CONDITION))
    last = max(left)[0]
    return min(why for ts, why in left if ts == last)


def _is_large(region: Component, options: Options) -> bool:
    columns = len({ts for ts, _ in region.cells})
    return (
        region.end - region.start >= (options.min_duration or 0)
        and all(b - a >= (options.min_extent or 0) for a, b in zip(region.low, region.high, strict=True))
        and region.places >= (options.min_places or 1)
        and columns >= (options.min_times or 1)
    )
