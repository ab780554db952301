"""Schemes: the one that the options ask for, and the frames that it finds, with their measures."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any, TypedDict

from streamframes.cli.options.common import MeasureOptions, ScheduleOptions, SchemeOptions, SourceOptions
from streamframes.cli.options.values import comparison, duration, grid_lines, named, number
from streamframes.core.schemes import (
    Aggregate,
    Boundary,
    Change,
    Count,
    Delta,
    Every,
    Gap,
    Scheme,
    Threshold,
)
from streamframes.errors import InvalidArgument
from streamframes.options import Schedule

if TYPE_CHECKING:
    from streamframes.api.frames import Frames
    from streamframes.spark import DataFrame

SCHEMES = ("threshold", "delta", "boundary", "aggregate", "change", "gap", "every", "count")
DETAILS = {
    "until": ("threshold",),
    "merge_gap": ("threshold",),
    "gaps": ("threshold",),
    "base": ("delta",),
    "slide": ("every", "count"),
}


class Common(TypedDict):
    """The options of every scheme."""

    min_rows: int | None
    min_duration: str | int | float | None
    max_rows: int | None
    max_duration: str | int | float | None
    max_gap: str | int | float | None
    nulls: str | None


def scheme_of(options: SchemeOptions) -> Scheme:
    """Build the scheme, or say which option does not fit."""
    _check_one(options)
    common = Common(
        min_rows=options.min_rows,
        min_duration=duration(options.min_duration),
        max_rows=options.max_rows,
        max_duration=duration(options.max_duration),
        max_gap=duration(options.max_gap),
        nulls=options.nulls,
    )
    if options.threshold is not None:
        return Threshold(options.threshold, options.until, duration(options.merge_gap), options.gaps, **common)
    if options.delta:
        return _delta(options.delta, options.base or "range", common)
    if options.boundary:
        return Boundary(dict(map(grid_lines, options.boundary)), **common)
    if options.aggregate is not None:
        until = comparison(options.aggregate, "--aggregate", "sum(volume) >= 25")
        return Aggregate(until.left, until.op, until.x, **common)
    if options.gap is not None:
        return Gap(duration(options.gap), **common)
    if options.every is not None:
        return Every(duration(options.every), duration(options.slide), **common)
    if options.count is not None:
        return Count(options.count, _whole(options.slide), **common)
    return Change(*options.change, **common)


def _delta(texts: list[str], base: str, common: Common) -> Delta:
    limits = [comparison(text, "--delta", "density < 0.1") for text in texts]
    op = limits[0].op
    if len(limits) == 1:
        return Delta(limits[0].left, op, limits[0].x, base, **common)
    other = [each.op for each in limits if each.op != op]
    if other:
        raise InvalidArgument(f"--delta is given with {op} and with {other[0]}; use one operator for all")
    return Delta({each.left: each.x for each in limits}, op, None, base, **common)


def _check_one(options: SchemeOptions) -> None:
    given = [name for name in SCHEMES if getattr(options, name) not in (None, [])]
    if len(given) != 1:
        got = " and ".join(map(_flag, given)) or "none"
        known = ", ".join(map(_flag, SCHEMES))
        raise InvalidArgument(f"give exactly one scheme, not {got}; the schemes are {known}")
    for name, kinds in DETAILS.items():
        if getattr(options, name) not in (None, False) and given[0] not in kinds:
            belongs = " and ".join(map(_flag, kinds))
            raise InvalidArgument(f"{_flag(name)} belongs to {belongs}, not to {_flag(given[0])}")


def _whole(slide: str | None) -> int | None:
    rows = None if slide is None else number(slide)
    if slide is not None and not isinstance(rows, int):
        raise InvalidArgument(f"--slide {slide!r} must be a number of rows, as --count is")
    return rows if isinstance(rows, int) else None


def _flag(name: str) -> str:
    return "--" + name.replace("_", "-")


def measures_of(options: MeasureOptions, taken: Sequence[str] = ()) -> dict[str, Any]:
    """The measures by name; refuses names that are taken."""
    measures = named(options.agg, "--agg", "worst=max(drop_pct)")
    for name in measures:
        if name in taken:
            raise InvalidArgument(f"--agg names {name!r}, which has a meaning of its own; choose another name")
    return dict(measures)


def plan(rows: DataFrame, scheme: Scheme, source: SourceOptions, schedule: ScheduleOptions, prefix: str) -> Frames:
    """The frames of the rows; nothing runs."""
    from streamframes.api.frames import frames

    return frames(
        rows,
        scheme,
        ts=source.ts,
        by=source.by,
        prefix=prefix,
        schedule=_schedule(schedule),
    )


def _schedule(options: ScheduleOptions) -> Schedule | None:
    """The reporting schedule; refuses its details without it."""
    offset, jitter = duration(options.schedule_offset), duration(options.jitter)
    details = {"schedule-offset": offset, "jitter": jitter, "missing": options.missing, "open-on": options.open_on}
    given = [name for name, value in details.items() if value is not None]
    every = duration(options.schedule)
    if every is not None:
        missing, open_on = options.missing or Schedule.missing, options.open_on or Schedule.open_on
        return Schedule(every, offset, jitter, missing, open_on)
    if given:
        raise InvalidArgument(f"--{given[0]} belongs to --schedule; give it too")
    return None
