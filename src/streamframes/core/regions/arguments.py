"""Arguments of `regions()` and `density()`: refused before a job starts, or turned into numbers of the core."""

from __future__ import annotations

from collections.abc import Sequence
from datetime import timedelta

import numpy as np

from streamframes.core.batch.clock import Clock, Duration, check_duration
from streamframes.core.frames.schedule import MISSING, OPEN_ON
from streamframes.core.regions.plan import DURATIONS, METHODS, RECTANGLE, SPANS, DensitySettings
from streamframes.core.regions.reports import ENDS, HOLDS, IMPUTES, NO_LIMIT, Reading
from streamframes.core.regions.types import ROUNDING, Limits
from streamframes.core.validation import check_choice
from streamframes.errors import InvalidArgument

_MEANINGS = {"ends": ENDS, "false": ENDS, "holds": HOLDS, "true": IMPUTES}
_MOST_CELLS = 1_000_000


def number(
    value: object, argument: str, verb: str, *, above: bool = False, unit: str = "in the unit of space"
) -> float:  # fmt: skip
    """A number that is not negative, or greater than zero."""
    if not isinstance(value, int | float) or isinstance(value, bool) or not _is_allowed(value, above=above):
        wanted = "a number greater than zero" if above else "zero or a positive number"
        raise InvalidArgument(f"{verb}() got {argument}={value!r}; give {wanted}, {unit}")
    return float(value)


def _is_allowed(value: float, *, above: bool) -> bool:
    return bool(np.isfinite(value)) and (value > 0 if above else value >= 0)


def count(value: object, argument: str, *, least: int = 1) -> int:
    """A whole number of at least `least`."""
    if not isinstance(value, int) or isinstance(value, bool) or value < least:
        raise InvalidArgument(f"regions() got {argument}={value!r}; give a whole number of at least {least}")
    return value


def per_axis(value: object, n_dims: int, argument: str, verb: str, *, above: bool = False) -> tuple[float, ...]:
    """A number for each dimension of space; a single one is that of all."""
    if isinstance(value, Sequence) and not isinstance(value, str):
        if len(value) != n_dims:
            raise InvalidArgument(
                f"{verb}() got {argument}={value!r}, but space has {('one dimension', 'two dimensions')[n_dims - 1]}; "
                "give one number, or one for each"
            )
        return tuple(number(each, argument, verb, above=above) for each in value)
    return (number(value, argument, verb, above=above),) * n_dims


def ticks(value: Duration, argument: str, clock: Clock, *, zero: bool) -> int:
    """A duration in ticks."""
    check_duration(value, argument, zero=zero)
    return clock.ticks(value, argument)


def limits_of(
    clock: Clock,
    n_dims: int,
    *,
    min_duration: Duration | None,
    min_extent: float | Sequence[float] | None,
    min_times: int | None,
    min_places: int | None,
    max_step: float | None,
) -> Limits:
    """The minimums, and how far apart neighbours may be."""
    least = per_axis(0 if min_extent is None else min_extent, n_dims, "min_extent", "regions")
    return Limits(
        duration=0 if min_duration is None else ticks(min_duration, "min_duration", clock, zero=True),
        extent=tuple((1 - ROUNDING) * each for each in least),
        times=1 if min_times is None else count(min_times, "min_times"),
        places=1 if min_places is None else count(min_places, "min_places"),
        step=float("inf") if max_step is None else number(max_step, "max_step", "regions", above=True),
    )


def reading_of(
    clock: Clock,
    *,
    stations: bool,
    missing: str | None,
    max_missing: int | None,
    open_on: str,
    max_gap: Duration | None,
) -> Reading:
    """What stands for reports that are missing or bad, and how far apart those of a place may be."""
    if missing is not None:
        check_choice(missing, "missing", MISSING)
    check_choice(open_on, "open_on", OPEN_ON)
    if max_missing is not None and missing not in ("holds", "true"):
        raise InvalidArgument(
            f"regions() got max_missing={max_missing!r} with missing={missing!r}, of which none is let pass; "
            "leave it out, or give missing='holds' or missing='true'"
        )
    return Reading(
        stations=stations,
        missing=_MEANINGS[missing or "ends"],
        max_missing=-1 if max_missing is None else count(max_missing, "max_missing", least=0),
        open_on_any=open_on == "any",
        max_gap=NO_LIMIT if max_gap is None else ticks(max_gap, "max_gap", clock, zero=False),
    )


def method_of(
    method: str | None, shape: str, n_dims: int, missing: str | None, *, has_places: bool
) -> tuple[str, bool]:  # fmt: skip
    """Which method is used, and whether all known places are expected to report at every column."""
    stations = has_places or missing is not None
    if method is None:
        return (DURATIONS if stations and missing in (None, "ends", "false") else SPANS), stations
    check_choice(method, "method", METHODS)
    if shape != RECTANGLE or n_dims > 1:
        raise InvalidArgument(
            f"regions() got method={method!r}, but methods are of rectangles in one dimension of space; leave it out"
        )
    if method == DURATIONS and missing in ("holds", "true"):
        raise InvalidArgument(
            f"regions() got method='durations' with missing={missing!r}: durations count reports that are there; "
            "leave out method, or give method='spans'"
        )
    return method, method == DURATIONS or stations


def density_of(
    clock: Clock,
    n_dims: int,
    *,
    bin: Duration | Sequence[float],
    unit: Duration,
    above: float,
    min_area: float | None,
) -> DensitySettings:
    """How points are counted, and what is dense. A bin of time with a unit of space means the two swapped."""
    if isinstance(bin, str | timedelta) and not isinstance(unit, str | timedelta):
        return density_of(clock, n_dims, bin=unit, unit=bin, above=above, min_area=min_area)
    lengths = per_axis(bin, n_dims, "bin", "density", above=True)
    least = 0.0 if min_area is None else number(min_area, "min_area", "density")
    if least / float(np.prod(lengths)) > _MOST_CELLS:
        raise InvalidArgument(
            f"density() got min_area={min_area!r} with bin={bin!r}: more than {_MOST_CELLS:,} cells; take larger bins"
        )
    dense = number(above, "above", "density", above=True, unit="points for each unit of area")
    return DensitySettings(ticks(unit, "unit", clock, zero=False), lengths, dense, least)
