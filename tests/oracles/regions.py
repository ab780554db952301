"""Rectangles and boxes by their definition: each that there could be is looked at, and compared with all others.

Nothing here shares a line with the fast searches that are proved equal to it.

References
----------
Whiteneck et al., Framing the question: detecting and filling spatial-temporal windows, 2010, sections 3 and 4.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Sequence
from itertools import combinations_with_replacement, pairwise, product
from math import prod
from typing import NamedTuple

from tests.oracles.region_reports import Options, Place, Report, Resolved, stretches

CONDITION, GAP, END = "condition", "gap", "end of data"


class Box(NamedTuple):
    """A stretch of time and of each axis of space, edges included."""

    start: int
    end: int
    low: Place
    high: Place

    def covers(self, place: Place) -> bool:
        """Whether the place lies in it."""
        return all(a <= x <= b for a, x, b in zip(self.low, place, self.high, strict=True))

    def contains(self, other: Box) -> bool:
        """Whether all of the other lies in it."""
        within = self.start <= other.start and other.end <= self.end
        return within and self.covers(other.low) and self.covers(other.high)

    def overlaps(self, other: Box) -> bool:
        """Whether they share an instant and a place."""
        axes = zip(self.low, self.high, other.low, other.high, strict=True)
        return self.start <= other.end and other.start <= self.end and all(a <= d and c <= b for a, b, c, d in axes)


class Region(NamedTuple):
    """A region of reports that all satisfy the condition."""

    start: int
    end: int
    low: Place
    high: Place
    rows: int
    places: int
    imputed: int
    closed_by: str

    @property
    def box(self) -> Box:
        """Where it lies."""
        return Box(*self[:4])


def rectangles(resolved: Resolved, options: Options) -> list[Region]:
    """The maximal rectangles of reports at places on a line.

    Examples
    --------
    The condition holds at places 5 to 8 from 4 to 10, at 9 from 5 on, at 4 up to 7.

    >>> from tests.oracles.region_reports import Raw, resolve
    >>> first = {3: 99, 4: 4, 5: 4, 6: 4, 7: 4, 8: 4, 9: 5, 10: 99}
    >>> raw = [Raw(t, (float(p),), first[p] <= t <= (7 if p == 4 else 10)) for t in range(12) for p in first]
    >>> options = Options(min_places=4, min_times=5)
    >>> for region in rectangles(resolve(raw, options), options):
    ...     print(region)
    Region(start=4, end=10, low=(5.0,), high=(8.0,), rows=28, places=4, imputed=0, closed_by='condition')
    Region(start=5, end=10, low=(5.0,), high=(9.0,), rows=30, places=5, imputed=0, closed_by='condition')
    """

    def of(part: Resolved) -> list[Region]:
        def may_be(box: Box) -> bool:
            has_new = any(is_new(report, resolved, options) and report.ts > box.start for report in _inside(part, box))
            return _may_be(part, box, options) and _report_often(part, box, options) and not has_new

        return _maximal(part, may_be, lambda box: _end_of_rectangle(part, box, options))

    return _of_stretches(resolved, options, of)


def boxes(resolved: Resolved, options: Options) -> list[Region]:
    """The maximal boxes of reports at places in the plane.

    At each column all places inside that are known by then report, and they are all crossings of their lines. How many
    columns a box has is what counts: a place that becomes known inside may have fewer reports.

    Examples
    --------
    Of a square of four places one fails at 2 and one is silent at 3.

    >>> from tests.oracles.region_reports import Raw, resolve
    >>> corners = [(0.0, 0.0), (0.0, 1.0), (1.0, 0.0), (1.0, 1.0)]
    >>> reports = [(t, place) for t in range(4) for place in corners if (t, place) != (3, (0.0, 0.0))]
    >>> raw = [Raw(t, place, (t, place) != (2, (1.0, 1.0))) for t, place in reports]
    >>> for region in boxes(resolve(raw, Options()), Options(min_places=2, min_duration=1)):
    ...     print(region)
    Region(start=0, end=1, low=(0.0, 0.0), high=(1.0, 1.0), rows=8, places=4, imputed=0, closed_by='condition')
    Region(start=0, end=2, low=(0.0, 0.0), high=(0.0, 1.0), rows=6, places=2, imputed=0, closed_by='condition')
    Region(start=0, end=2, low=(0.0, 0.0), high=(1.0, 0.0), rows=6, places=2, imputed=0, closed_by='condition')
    """

    def of(part: Resolved) -> list[Region]:
        def may_be(box: Box) -> bool:
            n_columns = sum(box.start <= ts <= box.end for ts in part.times)
            return _may_be(part, box, options) and n_columns >= (options.min_times or 1) and _is_full(part, box)

        return _maximal(part, may_be, lambda box: _end_of_box(part, box))

    return _of_stretches(resolved, options, of)


def preferred(regions: Sequence[Region], how: str) -> list[Region]:
    """The best of those that overlap, again and again: `largest`, `longest` or `widest` first.

    Overlapping ones never meet another cluster, so one pass over all is one pass over each.

    Examples
    --------
    >>> long = Region(4, 10, (5.0,), (8.0,), 28, 4, 0, "condition")
    >>> wide = Region(5, 10, (5.0,), (9.0,), 30, 5, 0, "condition")
    >>> [preferred([long, wide], how) == [long] for how in ("largest", "longest", "widest")]
    [False, True, False]
    """

    def rank(region: Region) -> tuple[object, ...]:
        rows, duration = -region.rows, region.start - region.end
        extent = -prod(b - a for a, b in zip(region.low, region.high, strict=True))
        first = {
            "largest": (rows, duration, extent),
            "longest": (duration, extent, rows),
            "widest": (extent, duration, rows),
        }
        return (*first[how], region.start, region.low, region.high, region.end)

    kept: list[Region] = []
    for region in sorted(regions, key=rank):
        if not any(region.box.overlaps(other.box) for other in kept):
            kept.append(region)
    return sorted(kept)


def _of_stretches(resolved: Resolved, options: Options, find: Callable[[Resolved], list[Region]]) -> list[Region]:
    """What is found between long gaps of the whole group; what is open when one begins is ended by the gap."""
    *before, last = stretches(resolved, options)
    ended = [
        region._replace(closed_by=GAP) if region.closed_by == END else region
        for part in before
        for region in find(part)
    ]
    return sorted([*ended, *find(last)])


def _maximal(resolved: Resolved, may_be: Callable[[Box], bool], closed_by: Callable[[Box], str]) -> list[Region]:
    valid = [box for box in _candidates(resolved) if may_be(box)]
    most = [box for box in valid if not any(other != box and other.contains(box) for other in valid)]
    found = []
    for box in most:
        reports = _inside(resolved, box)
        places = {report.place for report in reports}
        imputed = sum(report.imputed for report in reports)
        found.append(Region(*box, len(reports), len(places), imputed, closed_by(box)))
    return sorted(found)


def _candidates(resolved: Resolved) -> Iterator[Box]:
    """All boxes whose edges are those of satisfied reports."""
    true = [report for report in resolved.reports if report.true]
    axes = [sorted(set(values)) for values in zip(*(report.place for report in true), strict=True)]
    times = sorted({report.ts for report in true})
    for stretch in combinations_with_replacement(times, 2):
        for edges in product(*(combinations_with_replacement(axis, 2) for axis in axes)):
            low, high = zip(*edges, strict=True)
            yield Box(*stretch, low, high)


def _inside(resolved: Resolved, box: Box) -> list[Report]:
    return [report for report in resolved.reports if box.start <= report.ts <= box.end and box.covers(report.place)]


def _may_be(resolved: Resolved, box: Box, options: Options) -> bool:
    """Whether it is a region, though perhaps part of a larger one."""
    inside = _inside(resolved, box)
    if not inside or not all(report.true for report in inside):
        return False
    axes = list(zip(*(report.place for report in inside), strict=True))
    places = {report.place for report in inside}
    is_touched = box == Box(inside[0].ts, inside[-1].ts, tuple(map(min, axes)), tuple(map(max, axes)))
    is_large = box.end - box.start >= (options.min_duration or 0) and len(places) >= (options.min_places or 1)
    is_wide = all(b - a >= (options.min_extent or 0) for a, b in zip(box.low, box.high, strict=True))
    steps = (b - a for axis in _known_inside(resolved, box) for a, b in pairwise(axis))
    is_near = options.max_step is None or all(step <= options.max_step for step in steps)
    is_one = not any(_is_cut(report, inside) for report in inside)
    return is_touched and is_large and is_wide and is_near and is_one


def _report_often(resolved: Resolved, box: Box, options: Options) -> bool:
    """Whether each place that reports in it does so often enough."""
    where = [report.place for report in _inside(resolved, box)]
    return all(where.count(place) >= (options.min_times or 1) for place in where)


def is_new(report: Report, resolved: Resolved, options: Options) -> bool:
    """Whether it is the first of a station that is expected from now on, and was missing before."""
    return options.stations and options.missing != "holds" and resolved.since[report.place] == report.ts


def _is_cut(report: Report, inside: Sequence[Report]) -> bool:
    """Whether a break lies between the report and an earlier one of its place."""
    return report.broken and any(other.place == report.place and other.ts < report.ts for other in inside)


def _known_inside(resolved: Resolved, box: Box) -> list[list[float]]:
    """By axis: the values between the edges that places have which are known at the end."""
    known = [place for place, since in resolved.since.items() if since <= box.end]
    return [
        sorted({place[axis] for place in known if box.low[axis] <= place[axis] <= box.high[axis]})
        for axis in range(len(box.low))
    ]


def _is_full(resolved: Resolved, box: Box) -> bool:
    """Whether at each column all points of the lattice of what is known by then are places that report."""
    reported = {(report.ts, report.place) for report in resolved.reports}
    columns = [ts for ts in resolved.times if box.start <= ts <= box.end]
    return all(
        (ts, place) in reported for ts in columns for place in product(*_known_inside(resolved, box._replace(end=ts)))
    )


def _end_of_rectangle(resolved: Resolved, box: Box, options: Options) -> str:
    """Why it does not go on: what the first later report says that nothing longer can hold.

    A satisfied report of a place that has reported too seldom is none: more of them may come.
    """
    ends: list[tuple[int, str]] = []
    for report in resolved.reports:
        if report.ts > box.end and box.covers(report.place):
            before = [other for other in resolved.reports if other.place == report.place and other.ts < report.ts]
            if not report.true or is_new(report, resolved, options):
                ends.append((report.ts, CONDITION))
            elif report.broken and before and before[-1].ts >= box.start:
                ends.append((report.ts, GAP))
    return min(ends)[1] if ends else END


def _end_of_box(resolved: Resolved, box: Box) -> str:
    """Why it does not go on: a gap, if at the next column all the rest is as it should be."""
    later = [ts for ts in resolved.times if ts > box.end]
    if not later:
        return END
    longer = box._replace(end=later[0])
    return GAP if _is_full(resolved, longer) and all(report.true for report in _inside(resolved, longer)) else CONDITION
