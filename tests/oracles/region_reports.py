"""The reports of places at each instant, resolved by their definition, slowly.

place
  3 |     x   x   .      x  satisfied
  2 | x   x   ?   x      .  not satisfied
  1 | x       x   x      ?  bad: missing, as is the empty cell of a known place among stations
    +---------------> column
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from itertools import pairwise
from typing import NamedTuple

Place = tuple[float, ...]


class Raw(NamedTuple):
    """A report as it came; `state` is None where the report is bad."""

    ts: int
    place: Place
    state: bool | None


class Report(NamedTuple):
    """A report as it counts; `broken`: too much time has passed since the place's report before it."""

    ts: int
    place: Place
    true: bool
    imputed: bool = False
    broken: bool = False


class Resolved(NamedTuple):
    """One group: its columns, the reports sorted by instant and place, and since when each place is known."""

    times: Sequence[int]
    reports: Sequence[Report]
    since: Mapping[Place, float]


@dataclass(frozen=True)
class Options:
    """Options of a search; the names are those of the arguments of `regions`.

    Parameters
    ----------
    stations
        Each known place is expected to report at each column. Without it only what was reported exists.
    min_extent
        In two dimensions it is the minimum in each.
    """

    stations: bool = False
    places: tuple[Place, ...] = ()
    missing: str | None = None
    max_missing: int | None = None
    open_on: str = "real"
    max_gap: int | None = None
    max_step: float | None = None
    min_duration: int | None = None
    min_extent: float | None = None
    min_times: int | None = None
    min_places: int | None = None


def resolve(raw: Sequence[Raw], options: Options) -> Resolved:
    """What the reports of one group, in their order, come to.

    Examples
    --------
    Place 2 is silent at 5. It is taken to go on; after 6 instants without a report it is another matter.

    >>> raw = [Raw(4, (1.0,), True), Raw(4, (2.0,), True), Raw(5, (1.0,), False), Raw(12, (2.0,), True)]
    >>> resolved = resolve(raw, Options(stations=True, missing="true", max_gap=6))
    >>> [report for report in resolved.reports if report.place == (2.0,)]
    [Report(ts=4, place=(2.0,), true=True, imputed=False, broken=False),
     Report(ts=5, place=(2.0,), true=True, imputed=True, broken=False),
     Report(ts=12, place=(2.0,), true=True, imputed=False, broken=True)]
    """
    last = {(report.ts, report.place): report.state for report in raw}
    times = sorted({report.ts for report in raw})
    since: dict[Place, float] = {}
    for report in raw:
        since[report.place] = min(report.ts, since.get(report.place, math.inf))
    since |= dict.fromkeys(options.places, -math.inf)
    reports = []
    for place in since:
        said = {
            ts: last.get((ts, place))
            for ts in times
            if (ts, place) in last or (options.stations and since[place] <= ts)
        }
        reports += _of_place(place, said, options)
    return Resolved(times, sorted(reports), since)


def _of_place(place: Place, said: Mapping[int, bool | None], options: Options) -> list[Report]:
    """The reports of one place; None is missing."""
    found: list[Report] = []
    missed = 0
    for ts, state in said.items():
        missed = missed + 1 if state is None else 0
        broken = options.max_gap is not None and bool(found) and ts - found[-1].ts > options.max_gap
        goes_on = bool(found) and found[-1].true and not broken
        true = state if state is not None else _instead(missed, options, goes_on=goes_on)
        if true is not None:
            found.append(Report(ts, place, true, true and state is None, broken))
    return found


def _instead(missed: int, options: Options, *, goes_on: bool) -> bool | None:
    """What stands for the missing report: satisfied, not satisfied, or None where nothing does."""
    if options.missing in (None, "ends", "false"):
        return False
    if options.max_missing is not None and missed > options.max_missing:
        return False
    if options.missing == "holds":
        return None
    return options.open_on == "any" or goes_on


def stretches(resolved: Resolved, options: Options) -> list[Resolved]:
    """The reports cut wherever the whole group is silent for longer than `max_gap`: no region goes on over that."""
    cuts = [b for a, b in pairwise(resolved.times) if options.max_gap is not None and b - a > options.max_gap]
    edges = [-math.inf, *cuts, math.inf]
    return [
        Resolved(
            [ts for ts in resolved.times if low <= ts < high],
            [report for report in resolved.reports if low <= report.ts < high],
            resolved.since,
        )
        for low, high in pairwise(edges)
    ]
