"""`streamframes fill`: find frames in the rows of some files, and fill them with the rows of others."""

from __future__ import annotations

import time
from dataclasses import asdict
from typing import TYPE_CHECKING

from streamframes.cli.flatten import grouped
from streamframes.cli.options.common import (
    MeasureOptions,
    PictureOptions,
    ResultOptions,
    ScheduleOptions,
    SchemeOptions,
    SourceOptions,
)
from streamframes.cli.options.fill import EmptyOptions, MoveOptions, OtherOptions, TwoInputOptions
from streamframes.cli.terminal import reporting, say
from streamframes.errors import InvalidArgument

if TYPE_CHECKING:
    from streamframes.api.frames import Frames
    from streamframes.cli.io.fill_rows import Others
    from streamframes.cli.io.results import Result

# A measure is an argument of `Frames.fill`, beside these.
TAKEN = ("self", "other", "ts", "by", "keep_empty", "wait", "lateness")


@reporting
@grouped
def fill(
    inputs: TwoInputOptions,
    source: SourceOptions,
    other: OtherOptions,
    scheme: SchemeOptions,
    schedule: ScheduleOptions,
    moves: MoveOptions,
    measures: MeasureOptions,
    empty: EmptyOptions,
    result: ResultOptions,
    picture: PictureOptions,
) -> None:
    """Find frames in INPUT and fill them with OTHER: what else happened, around and during an episode?

    With --agg, the frames and measures of the rows of OTHER that lie in each; without, these rows, each with the id
    of its frame.
    """
    from streamframes.cli.engine import start
    from streamframes.cli.io.fill_rows import others_of
    from streamframes.cli.io.inputs import read, source_of
    from streamframes.cli.io.results import deliver, target_for
    from streamframes.cli.options.schemes import plan, scheme_of
    from streamframes.cli.plots.marks import Marks
    from streamframes.cli.plots.targets import check_target, draw, plot_of

    chosen = scheme_of(scheme)
    _check(measures, empty, source, other, picture)
    target = target_for(result)
    files = source_of([inputs.input], source.input_format)
    more = source_of([inputs.other], other.other_format, argument="OTHER", option="--other-format")
    check_target(target, picture, INPUT=files, OTHER=more)
    began = time.monotonic()
    engine = start(source)
    rows = read(engine, files, source.derive)
    filling = read(engine, more, other.other_derive, option="--other-with")
    planned = _moved(plan(rows, chosen, source, schedule, result.prefix), moves)
    others = others_of(filling, planned.plan, other)
    plot = plot_of(engine, planned, picture, Marks(others.rows, others.ts[0], others.by, inputs.other))
    found = _result(planned, others, measures, empty, cached=plot is not None)
    if result.explain:
        say(f"{planned.explain()}\n{_explained(others, inputs.other, moves)}")
        return
    deliver(engine, found, target, result, began)
    draw(engine, plot, planned.toDF() if found.is_rows else found.table, picture)


def _check(
    measures: MeasureOptions, empty: EmptyOptions, source: SourceOptions, other: OtherOptions, picture: PictureOptions
) -> None:
    """Refuse options that contradict each other before anything is started."""
    from streamframes.cli.io.fill_rows import pairs_of
    from streamframes.cli.options.schemes import measures_of
    from streamframes.cli.plots.targets import check_picture

    measures_of(measures, TAKEN)
    if empty.drop_empty and not measures.agg:
        raise InvalidArgument("--drop-empty leaves out frames, and without --agg the rows are written; give --agg")
    pairs_of(other.other_by, source.by)
    check_picture(picture, source.by)


def _moved(frames: Frames, moves: MoveOptions) -> Frames:
    from streamframes.cli.options.values import duration

    if moves.start is not None or moves.end is not None:
        frames = frames.move(start=moves.start, end=moves.end)
    if moves.before is not None or moves.after is not None:
        frames = frames.expand(before=duration(moves.before), after=duration(moves.after))
    return frames if moves.split is None else frames.split(every=duration(moves.split))


def _result(planned: Frames, others: Others, measures: MeasureOptions, empty: EmptyOptions, *, cached: bool) -> Result:
    from streamframes.cli.io.results import Result
    from streamframes.cli.options.schemes import measures_of

    plan = planned.plan
    table = planned.fill(
        others.rows, ts=others.ts, by=others.by, keep_empty=not empty.drop_empty, **measures_of(measures, TAKEN)
    )
    pieces = [name for name in (f"{plan.prefix}id", f"{plan.prefix}piece") if name in table.columns]
    is_rows = not measures.agg
    order = [*others.by.values(), *others.ts] if is_rows else [*plan.by, f"{plan.prefix}start"]
    cached = cached and not is_rows
    return Result(
        table.cache() if cached else table, is_rows, [*order, *pieces], "Filling frames", "cannot fill the frames"
    )


def _explained(others: Others, name: str, moves: MoveOptions) -> str:
    groups = [f"{ours} = {theirs}" for ours, theirs in others.by.items()] or ["frames of all groups"]
    moved = [f"{move}={value!r}" for move, value in asdict(moves).items() if value is not None]
    return f"filled with {name} by {others.ts[0]}: {', '.join([*groups, *moved])}"
