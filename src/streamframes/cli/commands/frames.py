"""`streamframes frames`: cut the rows of files into frames."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from streamframes.cli.flatten import grouped
from streamframes.cli.options.common import (
    InputOptions,
    MeasureOptions,
    PictureOptions,
    ResultOptions,
    ScheduleOptions,
    SchemeOptions,
    SourceOptions,
    TagOptions,
)
from streamframes.cli.terminal import reporting, say
from streamframes.errors import InvalidArgument

if TYPE_CHECKING:
    from streamframes.api.frames import Frames
    from streamframes.cli.io.results import Result


@reporting
@grouped
def frames(
    inputs: InputOptions,
    source: SourceOptions,
    scheme: SchemeOptions,
    schedule: ScheduleOptions,
    measures: MeasureOptions,
    tags: TagOptions,
    result: ResultOptions,
    picture: PictureOptions,
) -> None:
    """Cut the rows of files into frames, and print, write or draw them."""
    from streamframes.cli.engine import start
    from streamframes.cli.io.inputs import read, source_of
    from streamframes.cli.io.results import deliver, target_for
    from streamframes.cli.options.schemes import plan, scheme_of
    from streamframes.cli.plots.targets import check_target, draw, plot_of

    chosen = scheme_of(scheme)
    _check(measures, tags, source, picture)
    target = target_for(result)
    files = source_of(inputs.inputs, source.input_format)
    check_target(target, picture, INPUT=files)
    began = time.monotonic()
    engine = start(source)
    rows = read(engine, files, source.derive)
    planned = plan(rows, chosen, source, schedule, result.prefix)
    if result.explain:
        say(planned.explain())
        return
    plot = plot_of(engine, planned, picture)
    found = _result(planned, measures, tags, cached=plot is not None)
    deliver(engine, found, target, result, began)
    draw(engine, plot, found.table, picture)


def _check(measures: MeasureOptions, tags: TagOptions, source: SourceOptions, picture: PictureOptions) -> None:
    """Refuse options that contradict each other before anything is started."""
    from streamframes.cli.options.schemes import measures_of
    from streamframes.cli.plots.targets import check_picture

    measures_of(measures)
    if tags.tag and measures.agg:
        raise InvalidArgument("--tag writes rows, which have no measures; leave out --agg or --tag")
    if tags.tag and picture.plot:
        raise InvalidArgument("--plot draws frames, and --tag asks for rows; leave out one of them")
    if tags.keep_outside and not tags.tag:
        raise InvalidArgument("--keep-outside belongs to --tag")
    check_picture(picture, source.by)


def _result(planned: Frames, measures: MeasureOptions, tags: TagOptions, *, cached: bool) -> Result:
    from streamframes.cli.io.results import Result
    from streamframes.cli.options.schemes import measures_of

    plan = planned.plan
    if tags.tag:
        table = planned.tag(keep_outside=tags.keep_outside)
        order = [*plan.by, plan.ts, *plan.ties, f"{plan.prefix}id"]
    else:
        wanted = measures_of(measures)
        table = planned.agg(**wanted) if wanted else planned.toDF()
        order = [*plan.by, f"{plan.prefix}start"]
    return Result(table.cache() if cached else table, tags.tag, order, "Finding frames", "cannot find the frames")
