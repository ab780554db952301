"""Planning: the frames that the options of a command ask for."""

from __future__ import annotations

from collections.abc import Sequence
from typing import TYPE_CHECKING, Any

from streamframes.cli.options.common import MeasureOptions, ScheduleOptions, SourceOptions
from streamframes.cli.options.values import duration, named
from streamframes.errors import InvalidArgument

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
        schedule=duration(schedule.schedule),
        schedule_offset=duration(schedule.schedule_offset),
        jitter=duration(schedule.jitter),
        missing=schedule.missing,
        open_on=schedule.open_on,
    )
