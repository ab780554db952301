"""Random small worlds of reports: grids with holes, points here and there, stations that fall silent, planes.

All numbers are whole or have few binary digits, so that differences of places and areas are exact.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from dataclasses import asdict, dataclass, replace
from itertools import product
from typing import Any

from hypothesis import strategies as st

from tests.oracles.region_reports import Options, Place, Raw, Resolved, resolve

EVEN = (1.0, 2.0, 3.0, 4.0, 5.0, 6.0)
UNEVEN = (-2.5, 0.0, 0.5, 1.5, 4.0, 9.0)
UNEVEN_TIMES = (-7, -3, 0, 1, 4, 5, 12)
TRUE, FALSE, BAD, SILENT = "true", "false", "bad", "silent"
STATES = {TRUE: True, FALSE: False, BAD: None}
LETTERS = {"x": True, ".": False, "?": None}
MODES = (None, "ends", "false", "holds", "holds", "true", "true", "true")

# What a cell holds: how often is the share of a palette. The first is what an example shrinks to.
COMPLETE = ((TRUE, TRUE, TRUE, FALSE), (TRUE, FALSE), (TRUE,) * 8 + (FALSE,))
HOLED = (
    (TRUE, TRUE, TRUE, SILENT, FALSE),
    (TRUE, TRUE, SILENT, BAD, FALSE),
    (TRUE,) * 8 + (BAD, FALSE, SILENT),
    (TRUE, SILENT),
)
SPARSE = ((TRUE, SILENT, SILENT), (TRUE, SILENT, FALSE), (TRUE, TRUE, SILENT, SILENT, SILENT, BAD, FALSE))


@dataclass(frozen=True)
class World:
    """The reports of some groups, each in the order of its rows, and the options of a search."""

    raw: list[list[Raw]]
    options: Options
    n_dims: int

    @property
    def resolved(self) -> list[Resolved]:
        """What the reports of each group come to."""
        return [resolve(group, self.options) for group in self.raw]

    @property
    def settings(self) -> dict[str, Any]:
        """The arguments of a plan, under their names; None where nothing is given."""
        given = asdict(self.options)
        given.pop("stations")
        return given | {"places": self.options.places or None}


@dataclass(frozen=True)
class Swarm:
    """Points, each an instant and a place, of some groups, and the arguments of `density`."""

    raw: list[list[tuple[int, Place]]]
    settings: dict[str, Any]
    n_dims: int


def drawn(picture: Mapping[float, str]) -> list[Raw]:
    """Place -> its reports, one letter an instant: x satisfied, . not, ? bad, blank silent."""
    found = [
        Raw(column, (place,), LETTERS[letter])
        for place, letters in picture.items()
        for column, letter in enumerate(letters)
        if letter != " "
    ]
    return sorted(found, key=lambda report: report.ts)


@st.composite
def reports(
    draw: Any,
    places: Sequence[Place],
    times: Sequence[int],
    palettes: Sequence[Sequence[str]],
    repeats: bool = True,
) -> list[Raw]:
    """The reports of one group, by instant; within an instant in any order, a few of them twice."""
    palette = st.sampled_from(draw(st.sampled_from(palettes)))
    cells = list(product(times, places))
    states = draw(st.lists(palette, min_size=len(cells), max_size=len(cells)))
    found = [Raw(ts, place, STATES[state]) for (ts, place), state in zip(cells, states, strict=True) if state != SILENT]
    if repeats and found:
        again = draw(st.lists(st.tuples(st.sampled_from(found), st.sampled_from([True, False, None])), max_size=3))
        found += [report._replace(state=state) for report, state in again]
        if draw(st.booleans()):
            found = draw(st.permutations(found))
    return sorted(found, key=lambda report: report.ts)


def perhaps(*values: Any) -> st.SearchStrategy[Any]:
    """None half of the time, else one of the values."""
    return st.one_of(st.none(), st.sampled_from(values))


LIMITS: dict[str, st.SearchStrategy[Any]] = {
    "max_step": st.sampled_from([4.0, 2.5, 1.0, 0.5]),
    "min_duration": st.sampled_from([1, 2, 4]),
    "min_extent": st.sampled_from([0.5, 1.0, 2.0]),
    "min_places": st.sampled_from([2, 3]),
}


@st.composite
def options_of_points(draw: Any) -> Options:
    """Gaps, steps and minimums, most of them not given."""
    return Options(**_limits(draw))


@st.composite
def options_of_stations(draw: Any, places: Sequence[Place], elsewhere: Sequence[Place] = ()) -> Options:
    """Listed places (some of the given and perhaps others), a mode of missing, or both; and the limits."""
    mode = draw(st.sampled_from(MODES))
    listed = draw(st.lists(st.sampled_from([*places, *elsewhere]), unique=True, min_size=0 if mode else 1))
    return Options(
        stations=True,
        places=tuple(sorted(listed)),
        missing=mode,
        max_missing=draw(perhaps(0, 1, 2)) if mode in ("holds", "true") else None,
        open_on=draw(st.sampled_from(["real", "any"])) if mode == "true" else "real",
        **_limits(draw),
    )


def _limits(draw: Callable[..., Any]) -> dict[str, Any]:
    names = draw(st.sets(st.sampled_from(sorted(LIMITS)), max_size=3))
    often = {"max_gap": draw(perhaps(4, 3, 2, 1)), "min_times": draw(perhaps(2, 3, 1))}
    return often | {name: draw(LIMITS[name]) for name in sorted(names)}


@st.composite
def grids(draw: Any, *, complete: bool = False, limits: bool = True) -> World:
    """One group, up to 6 places and 7 instants; complete: each place reports at each instant, once and well."""
    places = [(x,) for x in EVEN[: draw(st.one_of(st.integers(1, 6), st.integers(4, 6)))]]
    times = range(draw(st.one_of(st.integers(1, 7), st.integers(5, 7))))
    raw = draw(reports(places, times, COMPLETE if complete else HOLED, repeats=not complete))
    return World([raw], draw(options_of_points()) if limits else Options(), 1)


@st.composite
def points(draw: Any) -> World:
    """Up to 3 groups of reports here and there: only what was reported exists."""
    places = [(x,) for x in draw(_some(UNEVEN, 6))]
    times = draw(_some(UNEVEN_TIMES, 7))
    raw = draw(st.lists(reports(places, times, SPARSE + HOLED), min_size=1, max_size=3))
    return World(raw, draw(options_of_points()), 1)


@st.composite
def stations(draw: Any, *, all_listed: bool = False) -> World:
    """Up to 2 groups of places that are expected to report at each instant of their group."""
    places = [(x,) for x in draw(_some(draw(st.sampled_from([EVEN, UNEVEN])), 5))]
    times = draw(_some(draw(st.sampled_from([tuple(range(7)), UNEVEN_TIMES])), 7))
    raw = draw(st.lists(reports(places, times, HOLED), min_size=1, max_size=2))
    options = draw(options_of_stations(places, [(0.25,), (2.5,)]))
    if all_listed:
        options = replace(options, places=tuple(sorted({*places, *options.places})))
    return World(raw, options, 1)


@st.composite
def planes(draw: Any) -> World:
    """One or two groups of places in the plane, up to 3 by 3, some never heard of, up to 5 instants."""
    xs, ys = draw(_some(UNEVEN[1:5], 3)), draw(_some(EVEN[:4], 3))
    lattice = list(product(xs, ys))
    places = sorted(draw(st.lists(st.sampled_from(lattice), unique=True, min_size=max(1, len(lattice) - 2))))
    times = draw(_some(UNEVEN_TIMES, 5))
    raw = draw(st.lists(reports(places, times, COMPLETE + HOLED), min_size=1, max_size=2))
    options = draw(st.one_of(options_of_points(), options_of_stations(places, lattice)))
    return World(raw, options, 2)


@st.composite
def familiar(draw: Any) -> World:
    """Points of places that have all been heard of before, so that none comes as a surprise."""
    world = draw(grids() | points())
    first = min([report.ts for group in world.raw for report in group], default=0) - 20
    places = sorted({report.place for group in world.raw for report in group})
    return replace(world, raw=[[*(Raw(first, place, False) for place in places), *group] for group in world.raw])


def worlds() -> st.SearchStrategy[World]:
    """Any world with places on a line."""
    return st.one_of(grids(), points(), stations())


@st.composite
def swarms(draw: Any, n_dims: int | None = None) -> Swarm:
    """Up to 2 groups of up to 30 points, dense here and there, on a line or in the plane."""
    dims = n_dims or draw(st.sampled_from([1, 2]))
    x = st.sampled_from([-1.0, -0.25, 0.0, 0.5, 0.75, 1.0, 1.5, 2.0, 3.25])
    one = st.tuples(st.integers(-6, 14), st.tuples(*[x] * dims))
    raw = [sorted(group) for group in draw(st.lists(st.lists(one, max_size=30), min_size=1, max_size=2))]
    settings = {
        "bin": draw(st.sampled_from([1.0, 0.5, 2.0])),
        "unit": draw(st.sampled_from([5, 3, 20])),
        "above": draw(st.sampled_from([1.0, 0.5, 2.0, 4.0])),
        "min_area": draw(perhaps(1.0, 2.0, 3.0, 4.0)),
        "min_duration": draw(perhaps(5, 6, 10)),
    }
    return Swarm(raw, settings, dims)


def _some(values: Sequence[Any], most: int) -> st.SearchStrategy[list[Any]]:
    one = st.sampled_from(values)
    few, many = (st.lists(one, unique=True, min_size=least, max_size=most) for least in (1, most - 1))
    return st.one_of(few, many).map(sorted)
