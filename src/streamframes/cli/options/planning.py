"""Planning: the frames that the options of a command ask for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from streamframes.cli.options.common import MeasureOptions, ScheduleOptions, SourceOptions
from streamframes.cli.options.values import duration, named
from streamframes.errors import InvalidArgument
from streamframes.options import Schedule

if TYPE_CHECKING:
    from streamframes.api.frames import Frames
    from streamframes.core.schemes import Scheme
    from streamframes.spark import DataFrame


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
    given: dict[str, Any] = {
        "offset": duration(options.schedule_offset),
        "jitter": duration(options.jitter),
        "missing": options.missing,
        "open_on": options.open_on,
    }
    details = {name: value for name, value in given.items() if value is not None}
    every = duration(options.schedule)
    if every is not None:
        return Schedule(every, **details)
    if details:
        name = next(iter(details)).replace("_", "-")
        raise InvalidArgument(f"--{'schedule-offset' if name == 'offset' else name} belongs to --schedule; give it too")
    return None
