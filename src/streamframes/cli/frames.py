"""`streamframes frames`: cut the rows of files into frames."""

from __future__ import annotations

import time
from typing import TYPE_CHECKING

from streamframes.cli.grouped import grouped
from streamframes.cli.options import (
    PictureOptions,
    ResultOptions,
    ScheduleOptions,
    SchemeOptions,
    SourceOptions,
)
from streamframes.cli.terminal import note, reporting, say, show
from streamframes.errors import InvalidArgument

if TYPE_CHECKING:
    from streamframes.api import Frames
    from streamframes.cli.engine import Engine
    from streamframes.cli.outputs import Target
    from streamframes.cli.plots import Plot
    from streamframes.core.schemes import Scheme
    from streamframes.spark import DataFrame


@reporting
@grouped
def frames(
    source: SourceOptions,
    scheme: SchemeOptions,
    schedule: ScheduleOptions,
    result: ResultOptions,
    picture: PictureOptions,
) -> None:
    """Cut the rows of files into frames, and print, write or draw them."""
    from streamframes.cli.engine import start
    from streamframes.cli.inputs import read, source_of
    from streamframes.cli.outputs import target_of
    from streamframes.cli.schemes import scheme_of

    chosen = scheme_of(scheme)
    _check(source, result, picture)
    target = None
    if result.output is not None:
        target = target_of(result.output, result.output_format, overwrite=result.overwrite)
    files = source_of(source.inputs, source.input_format)
    if target is not None and picture.plot is not None and target.replaces(files.paths):
        raise InvalidArgument(f"--output {target.path} replaces INPUT, which --plot still reads; choose another")
    began = time.monotonic()
    engine = start(source.master)
    rows = read(engine, files, source)
    planned = _plan(rows, chosen, source, schedule, result)
    if result.explain:
        say(planned.explain())
        return
    plot = None if picture.plot is None else _plot(engine, planned, picture)
    found = _result(planned, result)
    if plot is not None:
        found = found.cache()
    if target is None:
        _print(engine, found, _order(planned, result), result)
    else:
        _write(engine, found, target, _order(planned, result), result, began)
    if plot is not None and picture.plot is not None:
        path, group = picture.plot, picture.plot_group
        engine.run("Drawing", lambda: plot.draw(found, path, group), failed=f"cannot draw {path}")
        note(f"Picture: {path}")


def _check(source: SourceOptions, result: ResultOptions, picture: PictureOptions) -> None:
    """Refuse options that contradict each other before anything is started."""
    from streamframes.cli.terms import named

    named(result.agg, "--agg", "worst=max(drop_pct)")
    if result.tag and result.agg:
        raise InvalidArgument("--tag writes rows, which have no measures; leave out --agg or --tag")
    if result.tag and picture.plot:
        raise InvalidArgument("--plot draws frames, and --tag asks for rows; leave out one of them")
    if result.keep_outside and not result.tag:
        raise InvalidArgument("--keep-outside belongs to --tag")
    if result.show < 1:
        raise InvalidArgument(f"--show {result.show} must be at least 1")
    if picture.plot is None and (picture.plot_value or picture.plot_group):
        raise InvalidArgument("--plot-value and --plot-group belong to --plot FILE")
    if picture.plot_group and len(picture.plot_group) != len(source.by):
        given = " ".join(picture.plot_group)
        raise InvalidArgument(f"--plot-group {given!r} must be one value for each --by; there are {len(source.by)}")
    if picture.plot is not None:
        from streamframes.draw.saving import check_picture

        check_picture(picture.plot)


def _plan(
    rows: DataFrame, scheme: Scheme, source: SourceOptions, schedule: ScheduleOptions, result: ResultOptions
) -> Frames:
    from streamframes.api import frames as plan_frames
    from streamframes.cli.terms import duration

    return plan_frames(
        rows,
        scheme,
        ts=source.ts,
        by=source.by,
        prefix=result.prefix,
        schedule=duration(schedule.schedule),
        schedule_offset=duration(schedule.schedule_offset),
        jitter=duration(schedule.jitter),
        missing=schedule.missing,
        open_on=schedule.open_on,
    )


def _result(planned: Frames, result: ResultOptions) -> DataFrame:
    from streamframes.cli.terms import named

    if result.tag:
        return planned.tag(keep_outside=result.keep_outside)
    measures = named(result.agg, "--agg", "worst=max(drop_pct)")
    return planned.agg(**measures) if measures else planned.toDF()


def _order(planned: Frames, result: ResultOptions) -> list[str]:
    plan = planned.plan
    inner = [plan.ts, *plan.ties, f"{plan.prefix}id"] if result.tag else [f"{plan.prefix}start"]
    return [*plan.by, *inner]


def _print(engine: Engine, found: DataFrame, order: list[str], result: ResultOptions) -> None:
    from streamframes.cli.outputs import quoted
    from streamframes.spark.progress import counted

    counting, total = counted(found)
    first = counting.orderBy(*map(quoted, order)).limit(result.show)
    table = engine.run("Finding frames", first.toArrow, failed="cannot find the frames")
    # An id is for joining, not for reading.
    names = [name for name in table.column_names if result.tag or name != f"{result.prefix}id"]
    if table.num_rows:
        show(names, [[row[name] for name in names] for row in table.to_pylist()])
    what = "rows" if result.tag else "frames"
    if table.num_rows < total():
        note(f"The first {table.num_rows} of {total():,} {what}; --output PATH writes all of them.")
    else:
        note(f"{total():,} {what}.")


def _write(
    engine: Engine, found: DataFrame, target: Target, order: list[str], result: ResultOptions, began: float
) -> None:
    from streamframes.cli.outputs import write
    from streamframes.spark.progress import counted

    counting, total = counted(found)
    engine.run(
        "Finding frames",
        lambda: write(counting, target, order),
        failed=f"cannot write {target.path}",
    )
    what = "rows" if result.tag else "frames"
    note(f"Wrote {total():,} {what} to {target.path} in {time.monotonic() - began:.1f} s.")


def _plot(engine: Engine, planned: Frames, picture: PictureOptions) -> Plot:
    from streamframes.cli.plots import Plot, as_number, signal_for

    plan = planned.plan
    value = picture.plot_value or signal_for(plan.rows, plan.scheme, [plan.ts, *plan.by])
    engine.analyse(f"--plot-value {value}", lambda: plan.rows.selectExpr(as_number(value)))
    return Plot(plan.rows, plan.scheme, plan.ts, plan.by, plan.prefix, value)
